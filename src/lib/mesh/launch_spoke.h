/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * launch_spoke: the side of every rank but 0: one connection to rank 0. What is sent and what is
 * waited for are apart, so that a test can play many ranks in one thread.
 */
#ifndef LAUNCH_SPOKE_H
#define LAUNCH_SPOKE_H

#include "launch_channel.h"

struct spoke {
	struct channel channel;
	uint32_t size;
	uint32_t step;	 /* barriers entered */
	bool hub_silent; /* rank 0 did not answer in time */
	uint8_t *state;	 /* of each rank, as of the last barrier */
	uint8_t *blobs;	 /* the bodies of BLOBS, one after the other */
	size_t blobs_bytes;
};

/* Connects and sends JOIN, whose rank and size are set. Returns 0 or -errno. */
int spoke_open(struct spoke *spoke, const struct np_address *hub, const struct wire_join *join,
	       np_time deadline, int other_fd);
void spoke_close(struct spoke *spoke);

/* Each returns 0 or an error of np_launch_barrier. */
int spoke_enter(struct spoke *spoke);
int spoke_await_release(struct spoke *spoke, np_time deadline, int other_fd);
int spoke_set_blob(struct spoke *spoke, const void *blob, size_t bytes);
int spoke_fetch(struct spoke *spoke, const uint32_t *ranks, size_t count, np_time deadline);
int spoke_send(struct spoke *spoke, const void *piece, size_t bytes, np_time deadline);
int spoke_finish(struct spoke *spoke);
int spoke_await_finished(struct spoke *spoke, np_time deadline);

/* The fetched blob of @rank, or NULL. */
const void *spoke_blob(const struct spoke *spoke, uint32_t rank, size_t *bytes);

#endif
