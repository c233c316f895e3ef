// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* disk-exercise's chunk: short I/Os are continued, read back is compared, failures end it. */

#include "../../src/disk-exercise/chunk.h"
#include "support/unit.h"

#include <errno.h>
#include <string.h>

#define CHUNK_BYTES 4096
#define OFFSET	    (UINT64_C(1000) * 512)

struct bench {
	struct chunk chunk;
	struct chunk_rules rules;
	struct result result;
	struct np_io io;
	uint8_t buffer[CHUNK_BYTES];
	uint8_t expected[CHUNK_BYTES];
};

static void begin(struct bench *bench, unsigned operation, uint64_t step)
{
	memset(bench, 0, sizeof(*bench));
	bench->chunk.offset_bytes = OFFSET;
	bench->chunk.length_bytes = CHUNK_BYTES;
	bench->chunk.seed = 7;
	bench->rules.operation = operation;
	bench->rules.step_bytes = step;
	bench->rules.expected = bench->expected;
	if (operation == OPERATION_VERIFIED_WRITE)
		bench->rules.pattern = (struct np_pattern){.fill = NP_PATTERN_CODE, .full = true};
}

static void prepare(struct bench *bench)
{
	chunk_prepare(&bench->chunk, &bench->rules, &bench->io, bench->buffer);
}

static struct chunk_outcome take(struct bench *bench, int64_t result)
{
	bench->io.result = result;
	return chunk_take(&bench->chunk, &bench->rules, &bench->io, bench->buffer, &bench->result);
}

TEST(a_short_write_goes_on_behind)
{
	struct np_pattern pattern = {.fill = NP_PATTERN_ZERO};
	struct np_damage damage = {0};
	struct chunk_outcome outcome;
	struct bench bench;

	begin(&bench, OPERATION_WRITE, 512);
	prepare(&bench);
	/* Ends inside the third sector: that one is written again. */
	outcome = take(&bench, 1100);
	assert_int_equal(outcome.next, CHUNK_MORE);
	assert_int_equal(outcome.bytes, 1024);
	prepare(&bench);
	assert_int_equal(bench.io.offset, OFFSET + 1024);
	assert_int_equal(bench.io.bytes, CHUNK_BYTES - 1024);
	assert_int_equal(np_pattern_check(&pattern, bench.buffer, 1002, 6, &damage), 0);
	outcome = take(&bench, CHUNK_BYTES - 1024);
	assert_int_equal(outcome.next, CHUNK_DONE);
	assert_int_equal(outcome.bytes, CHUNK_BYTES - 1024);
}

TEST(only_what_was_read_is_checked)
{
	struct np_pattern pattern = {.fill = NP_PATTERN_ZERO};
	struct bench bench;

	begin(&bench, OPERATION_READ, 512);
	prepare(&bench);
	assert_false(bench.io.write);
	np_pattern_write(&pattern, bench.buffer, 1000, 2);
	assert_int_equal(take(&bench, 1024).next, CHUNK_MORE);
	assert_int_equal(bench.result.damage.total, 0);
	assert_int_equal(bench.result.checked_sectors, 2);
	prepare(&bench);
	np_pattern_write(&pattern, bench.buffer, 1002, 6);
	memset(bench.buffer + 512, 0, 512);
	assert_int_equal(take(&bench, CHUNK_BYTES - 1024).next, CHUNK_DONE);
	assert_int_equal(bench.result.damage.total, 1);
	assert_int_equal(bench.result.damage.run[0].lba, 1003);
	assert_int_equal(bench.result.checked_sectors, 8);
}

TEST(large_blocks_are_redone_whole)
{
	struct chunk_outcome outcome;
	struct bench bench;

	begin(&bench, OPERATION_READ, 4096);
	prepare(&bench);
	outcome = take(&bench, 512);
	assert_int_equal(outcome.next, CHUNK_FAILED);
	assert_int_equal(outcome.error, -ENODATA);
	assert_int_equal(bench.result.checked_sectors, 0);
}

TEST(failures_and_interruptions)
{
	struct bench bench;

	begin(&bench, OPERATION_WRITE, 512);
	prepare(&bench);
	assert_int_equal(take(&bench, -EINTR).next, CHUNK_MORE);
	assert_int_equal(take(&bench, 0).error, -ENOSPC);
	assert_int_equal(take(&bench, -EIO).next, CHUNK_FAILED);
	assert_int_equal(take(&bench, -EIO).error, -EIO);
}

/* Leaves the bench with the write done and the read prepared. */
static void write_and_read_back(struct bench *bench)
{
	struct chunk_outcome outcome;

	begin(bench, OPERATION_VERIFIED_WRITE, 512);
	prepare(bench);
	assert_true(bench->io.write);
	outcome = take(bench, CHUNK_BYTES);
	assert_int_equal(outcome.next, CHUNK_MORE);
	prepare(bench);
	assert_false(bench->io.write);
	assert_int_equal(bench->io.offset, OFFSET);
	assert_int_equal(bench->io.bytes, CHUNK_BYTES);
}

TEST(reading_back_compares_every_byte)
{
	struct np_pattern pattern = {.fill = NP_PATTERN_CODE, .seed = 7};
	struct bench bench;

	write_and_read_back(&bench);
	np_pattern_write(&pattern, bench.buffer, 1000, 8);
	assert_int_equal(take(&bench, CHUNK_BYTES).next, CHUNK_DONE);
	assert_int_equal(bench.result.damage.total, 0);

	write_and_read_back(&bench);
	np_pattern_write(&pattern, bench.buffer, 1000, 8);
	bench.buffer[3 * 512 + 250] ^= 4;
	take(&bench, CHUNK_BYTES);
	assert_int_equal(bench.result.damage.total, 1);
	assert_int_equal(bench.result.damage.run[0].lba, 1003);
	assert_int_equal(bench.result.damage.run[0].kind, NP_PATTERN_FLIPPED);
}

TEST(what_the_last_pass_wrote_is_stale)
{
	struct np_pattern before = {.fill = NP_PATTERN_CODE, .seed = 6};
	struct bench bench;

	write_and_read_back(&bench);
	np_pattern_write(&before, bench.buffer, 1000, 8);
	take(&bench, CHUNK_BYTES);
	assert_int_equal(bench.result.damage.sectors[NP_PATTERN_STALE], 8);
}

TEST(a_read_that_brings_nothing_is_found)
{
	struct bench bench;

	write_and_read_back(&bench);
	take(&bench, CHUNK_BYTES);
	assert_int_equal(bench.result.damage.total, 8);
}
