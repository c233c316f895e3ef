/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* pipeline: --stdout: passes what is received on to the next program, byte for byte. */
#ifndef TTCP_FILES_PIPELINE_H
#define TTCP_FILES_PIPELINE_H

#include "../session/session_state.h"

/*
 * Writes everything, however long the reader takes, unless the user wants to stop: -ECANCELED. Else
 * returns 0 or -errno, -EPIPE: the reader is gone.
 */
int pipeline_write(struct session *session, const uint8_t *data, size_t bytes);

#endif
