// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* chunk: fills what is written, checks what was read, continues after short I/Os. */
#include "chunk.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#define SECTOR	 NP_PATTERN_SECTOR_BYTES
#define SCRIBBLE 0xa5 /* differs from any valid stamp */

static struct np_pattern pattern_of(const struct chunk *chunk, const struct chunk_rules *rules)
{
	struct np_pattern pattern = rules->pattern;

	pattern.seed = chunk->seed;
	return pattern;
}

static void fill(const struct chunk *chunk, const struct chunk_rules *rules, void *buffer,
		 const struct np_io *io)
{
	struct np_pattern pattern = pattern_of(chunk, rules);

	/* Buffers start as zeros, and a plain write changes only the stamps. */
	if (rules->operation == OPERATION_WRITE && pattern.fill == NP_PATTERN_ZERO)
		np_pattern_stamp(buffer, io->offset / SECTOR, io->bytes / SECTOR);
	else
		np_pattern_write(&pattern, buffer, io->offset / SECTOR, io->bytes / SECTOR);
}

void chunk_prepare(const struct chunk *chunk, const struct chunk_rules *rules, struct np_io *io,
		   void *buffer)
{
	io->write = rules->operation != OPERATION_READ && !chunk->reading_back;
	io->offset = chunk->offset_bytes + chunk->done_bytes;
	io->bytes = (uint32_t)(chunk->length_bytes - chunk->done_bytes);
	if (io->write)
		fill(chunk, rules, buffer, io);
	else if (chunk->reading_back)
		/* If the read delivers nothing, the buffer must not still hold what was written. */
		memset(buffer, SCRIBBLE, io->bytes);
}

/* Compares every byte with what was written; the class of a sector only describes the error. */
static void compare(const struct np_pattern *pattern, const struct chunk_rules *rules,
		    const uint8_t *data, uint64_t lba, size_t sectors, struct np_damage *damage)
{
	enum np_pattern_class class;
	uint64_t found;

	np_pattern_write(pattern, rules->expected, lba, sectors);
	if (memcmp(data, rules->expected, sectors * SECTOR) == 0)
		return;
	for (size_t i = 0; i < sectors; i++, data += SECTOR) {
		if (memcmp(data, rules->expected + i * SECTOR, SECTOR) == 0)
			continue;
		class = np_pattern_classify(pattern, data, lba + i);
		memcpy(&found, data, sizeof(found));
		np_damage_add(damage, lba + i,
			      class == NP_PATTERN_GOOD ? NP_PATTERN_FOREIGN : class,
			      le64toh(found));
	}
}

static void check(const struct chunk *chunk, const struct chunk_rules *rules, const void *data,
		  uint64_t offset, uint64_t bytes, struct result *result)
{
	struct np_pattern pattern = pattern_of(chunk, rules);
	size_t sectors = (size_t)(bytes / SECTOR);

	if (chunk->reading_back)
		compare(&pattern, rules, data, offset / SECTOR, sectors, &result->damage);
	else
		np_pattern_check(&pattern, data, offset / SECTOR, sectors, &result->damage);
	result->checked_sectors += sectors;
}

struct chunk_outcome chunk_take(struct chunk *chunk, const struct chunk_rules *rules,
				const struct np_io *io, const void *buffer, struct result *result)
{
	struct chunk_outcome outcome = {.next = CHUNK_FAILED};

	if (io->result == -EINTR) {
		outcome.next = CHUNK_MORE;
		return outcome;
	}
	if (io->result < 0) {
		outcome.error = (int)io->result;
		return outcome;
	}
	/* An I/O that ended inside a block is repeated from the start of that block. */
	outcome.bytes = (uint64_t)io->result - (uint64_t)io->result % rules->step_bytes;
	if (outcome.bytes == 0) {
		outcome.error = io->write ? -ENOSPC : -ENODATA;
		return outcome;
	}
	if (!io->write)
		check(chunk, rules, buffer, io->offset, outcome.bytes, result);
	chunk->done_bytes += outcome.bytes;
	outcome.next = CHUNK_MORE;
	if (chunk->done_bytes < chunk->length_bytes)
		return outcome;
	if (rules->operation != OPERATION_VERIFIED_WRITE || chunk->reading_back) {
		outcome.next = CHUNK_DONE;
		return outcome;
	}
	chunk->reading_back = true;
	chunk->done_bytes = 0;
	return outcome;
}
