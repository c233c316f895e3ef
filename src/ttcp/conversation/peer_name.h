/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* peer_name: the name of a partner in text, files and records. */
#ifndef TTCP_CONVERSATION_PEER_NAME_H
#define TTCP_CONVERSATION_PEER_NAME_H

#include <netperf/address.h>

/* "10.0.0.2:5001", "[fd00::2]:5001", with "%eth0" where the address needs a scope. Returns @out. */
char *peer_name(const struct np_address *address, char out[NP_ADDRESS_TEXT]);

#endif
