/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* mesh: many clients at one target, the ranks that a launcher starts: one report, by rank 0. */
#ifndef AOE_EXERCISE_MESH_H
#define AOE_EXERCISE_MESH_H

#include "session.h"

/* All members have 64 bits: the piece on the wire has them in this order, big-endian. */
struct client {
	uint64_t began;	 /* 1: its measured run began; 0: all others are 0 */
	uint64_t ending; /* enum ending */
	struct tally tally;
	uint64_t damaged;      /* sectors with a data error, */
	uint64_t is_test_data; /* 0: none of them was ever written by this program */
	/* Of what is lost; the rest on the path. All but @unattributed are lower bounds if that is
	 * not 0.
	 */
	uint64_t lost_sender_host, lost_receiver_host, lost_unattributed;
	uint64_t elapsed; /* see result_rate_known; ns */
	uint64_t rated;	  /* 1: there is a rate over @elapsed */
	struct np_histogram_figures rtt;
};

#define CLIENT_BYTES sizeof(struct client)

struct client client_of(const struct result *result);

void client_pack(const struct client *client, void *piece);

/* Checks foreign bytes. Returns 0 or -EBADMSG. */
int client_unpack(struct client *client, const void *piece, size_t bytes);

/*
 * The same as a pair from @rank to the target, for the sums. A late answer has arrived, too; what
 * was still in flight at the end is left out.
 */
struct np_mesh_pair client_pair(const struct client *client, uint32_t rank);

#endif
