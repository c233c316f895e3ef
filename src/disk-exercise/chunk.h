/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * chunk: one chunk that passes through an I/O, or through a write and the read that verifies it, in
 * as many I/Os as the kernel splits it into. Pure, but for the memory it is given.
 */
#ifndef CHUNK_H
#define CHUNK_H

#include "options.h"
#include "result.h"

struct chunk {
	bool started;  /* and not done */
	uint64_t pass; /* of the cursor, when it was started */
	uint64_t offset_bytes;
	uint64_t length_bytes;
	uint64_t done_bytes; /* in the current direction */
	uint64_t seed;	     /* of its verification codes */
	bool reading_back;
	np_time intended; /* when the rate wanted it to start */
};

/* What all chunks of a run share. */
struct chunk_rules {
	unsigned operation; /* enum operation */
	struct np_pattern pattern;
	uint64_t step_bytes; /* an I/O ends at a multiple of it */
	uint8_t *expected;   /* room for a chunk: what reading back must return */
};

enum chunk_next {
	CHUNK_MORE,   /* another I/O is needed: chunk_prepare again */
	CHUNK_DONE,   /* the chunk is done */
	CHUNK_FAILED, /* the I/O failed, or transferred nothing */
};

struct chunk_outcome {
	enum chunk_next next;
	uint64_t bytes; /* bytes that the I/O transferred */
	int error;	/* of a failed one: -errno */
};

/*
 * Fills @io with what remains to be done, and @buffer when that is a write. @buffer is zero before
 * its first use and serves only chunks of one run.
 */
void chunk_prepare(const struct chunk *chunk, const struct chunk_rules *rules, struct np_io *io,
		   void *buffer);

/*
 * Takes the completed @io. Data that was read is checked, and counted in @result's damage and
 * checked_sectors.
 */
struct chunk_outcome chunk_take(struct chunk *chunk, const struct chunk_rules *rules,
				const struct np_io *io, const void *buffer, struct result *result);

#endif
