/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * proof: whether a sender of datagrams is where it says it is. A receiver gives each a number that
 * only who hears there can say again; it keeps none of them. Pure.
 */
#ifndef TTCP_WIRE_PROOF_H
#define TTCP_WIRE_PROOF_H

#include <netperf/address.h>
#include <stdint.h>

/* Random; new with each receiver. */
struct proof_secret {
	uint64_t word[2];
};

/* What the sender of @session at @from, whatever its port, is to say; never 0. */
uint32_t proof_of(const struct proof_secret *secret, const struct np_address *from,
		  uint32_t session);

#endif
