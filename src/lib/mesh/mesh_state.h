/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * mesh_state: a mesh, as the files of the topic and meet.c share it. Pure, but for what prints or
 * writes records.
 */
#pragma once

#include "launch_state.h"

/* What a rank's host dropped. */
struct mesh_host {
	struct np_drops_counts counts;
	char why[NP_DROPS_WHY]; /* counts.why, if they are unknown */
};

struct np_mesh {
	struct np_mesh_plan plan;
	struct np_mesh_words words;
	const struct np_launch *launch; /* see mesh_create */
	struct np_mesh_pair *pairs;
	size_t count, room;
	struct mesh_host **hosts; /* of each rank; NULL: nothing is known of it */
};

/*
 * @launch, which must outlive it, names hosts and missing ranks; NULL: neither is known. Returns 0,
 * -EINVAL or -ENOMEM.
 */
int mesh_create(struct np_mesh **mesh, const struct np_mesh_plan *plan,
		const struct np_mesh_words *words, const struct np_launch *launch);
void mesh_free(struct np_mesh *mesh);

/*
 * The ranks that @rank sends to, or, @backwards, hears from, in ascending order, into @peers, which
 * has room for @plan->ranks. Returns how many.
 */
size_t mesh_peers(const struct np_mesh_plan *plan, uint32_t rank, bool backwards, uint32_t *peers);

/*
 * Where a rank receives, as others read it: its address, and a port for each slot of the ranks that
 * it hears, or one for all. Write returns the bytes; read, of what another rank wrote, the address
 * with the port of @slot: 0, -EBADMSG, or -ENOENT: no port is for that slot.
 */
#define MESH_PLACE_BYTES_MAX (2 + 2 * NP_MESH_PORTS_MAX + NP_ADDRESS_TEXT)
size_t mesh_place_write(const struct np_address *address, const uint16_t *ports, size_t count,
			uint8_t *out);
int mesh_place_read(const void *data, size_t bytes, size_t slot, struct np_address *address);

/* Bytes of a pair in a piece of results, and how many fit into one. */
#define MESH_PAIR_BYTES	 152
#define MESH_PIECE_PAIRS (LAUNCH_PIECE_MAX / MESH_PAIR_BYTES)

/* Writes @count pairs to @piece; returns the bytes. */
size_t mesh_pack(const struct np_mesh_pair *pairs, size_t count, void *piece);

/* What a host dropped as a piece, of at most this many bytes; returns the bytes. */
#define MESH_DROPPED_BYTES 3152
size_t mesh_pack_dropped(const struct np_drops_counts *counts, void *piece);

/* Whether a piece that a rank sent is one of these, and not of pairs. */
bool mesh_is_dropped(const void *piece, size_t bytes);

/*
 * Adds the content of a piece that @rank sent: pairs, or what its host dropped. The bytes need not
 * be trusted: each field is checked, a rank may report only its own part of a pair, and its host's
 * drops only once. Returns 0, -EBADMSG (the pairs before the bad one are added), or -ENOMEM. An
 * launch_take, whose context is the struct np_mesh.
 */
int mesh_take(void *mesh, uint32_t rank, const void *piece, size_t bytes);

/*
 * Puts the two parts of each pair together: @lost becomes sent less received (0, and not exact, if
 * more was received than sent). Sorts the pairs by @from and @to, and adds, without parts, those of
 * the plan that no rank reported. Call it when all is added; idempotent. A part that was added
 * twice counts once. Returns 0 or -ENOMEM.
 */
int mesh_settle(struct np_mesh *mesh);

/* Bytes a second; 0: unknown, or nothing came. */
double mesh_rate(const struct np_mesh_pair *pair);

/* Whether the sender of a pair reports that nothing was sent. */
bool mesh_silent(const struct np_mesh_pair *pair);

/*
 * The sums of a set of pairs: of those of which both sides are known. What is known of the others
 * is apart.
 */
struct mesh_sum {
	uint64_t pairs;	  /* of the plan; each is at most one of the next three */
	uint64_t unknown; /* not both sides are known; of these: */
	uint64_t unknown_sent, unknown_received;
	uint64_t silent;  /* mesh_silent */
	uint64_t unrated; /* something was received, at an unknown rate */
	uint64_t sent, received, lost, duplicates, bytes;
	np_time first, last;	       /* of the first and the last arrival, since all began */
	double pair_rates_bytes_per_s; /* the sum of the pairs' rates */
	bool exact;		       /* of every pair all counts are known and exact */
	struct np_drops_total dropped_from, dropped_to; /* known if they are of every pair */
};

/* A sum starts as all zeros. Adds a pair of which one side is known, too. */
void mesh_sum_add(struct mesh_sum *sum, const struct np_mesh_pair *pair);

/* Of all pairs. */
struct mesh_sum mesh_total(const struct np_mesh *mesh);

/*
 * The pair with the lowest rate, which is 0 if nothing of what was sent arrived; NULL: none is
 * known. *@slow: it has less than nine tenths of the mean of the rates; less is noise.
 */
const struct np_mesh_pair *mesh_slowest(const struct np_mesh *mesh, bool *slow);

/*
 * Prints the report: matrices of rate, loss and delay, each with sums, the slowest and the lossiest
 * pair. No line is longer than @columns (0: those of @out's terminal, or 100): if
 * there are too many ranks for that, they are grouped.
 */
void mesh_print(const struct np_mesh *mesh, unsigned columns, FILE *out);

/* The pairs, the ranks' drops and the summary. np_report_end has the errors. */
void mesh_write_records(const struct np_mesh *mesh, struct np_report *report,
			const struct np_usage *begun, bool interrupted);
