// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* engine: each variant on a temporary file: data, short reads, errors, slots, deadlines. */
#include "support/unit.h"

#include <fcntl.h>
#include <netperf/engine.h>
#include <poll.h>
#include <sys/wait.h>
#include <time.h>

#define BYTES 4096u

static const char *const real_variants[] = {"sync", "libaio", "io_uring"};

static int temporary_file(void)
{
	char path[] = "/tmp/netperf-engine.XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	return fd;
}

/* NULL where the kernel forbids the variant. */
static struct np_engine *open_engine(const char *variant, int fd, unsigned depth)
{
	struct np_engine_options options = {variant, fd, depth, BYTES, 4096, false};
	struct np_engine *engine;
	int error = np_engine_open(&engine, &options);

	if (error == -EPROTONOSUPPORT) {
		assert_null(engine);
		print_message("SKIP: kernel: no %s\n", variant);
		return NULL;
	}
	assert_int_equal(error, 0);
	return engine;
}

static struct np_io run_one(struct np_engine *engine, bool write, uint64_t offset)
{
	struct np_io io = {.slot = 0, .write = write, .bytes = BYTES, .offset = offset}, done;

	np_engine_submit(engine, &io, 1);
	assert_int_equal(np_engine_info(engine)->in_flight, 1);
	assert_int_equal(np_engine_complete(engine, &done, 1, NP_TIME_NEVER), 1);
	assert_int_equal(np_engine_info(engine)->in_flight, 0);
	assert_true(done.submitted > 0 && done.completed >= done.submitted);
	assert_true(done.offset == offset && done.write == write && done.bytes == BYTES);
	return done;
}

/* Each real variant that the kernel has, one I/O at a time on @fd, which is closed then. */
static void with_each(int fd, void (*use)(struct np_engine *engine))
{
	for (size_t i = 0; i < 3; i++) {
		struct np_engine *engine = open_engine(real_variants[i], fd, 1);

		if (engine) {
			assert_string_equal(np_engine_info(engine)->variant, real_variants[i]);
			use(engine);
		}
		np_engine_free(engine);
	}
	close(fd);
}

static void read_at_end(struct np_engine *engine)
{
	assert_int_equal(run_one(engine, false, BYTES).result, 512);
	assert_int_equal(run_one(engine, false, 2 * BYTES).result, 0);
}

TEST(a_read_at_the_end_is_short)
{
	int fd = temporary_file();

	assert_int_equal(ftruncate(fd, BYTES + 512), 0);
	with_each(fd, read_at_end);
}

static void write_in_vain(struct np_engine *engine)
{
	assert_int_equal(run_one(engine, true, 0).result, -EBADF);
}

TEST(a_failed_io_is_told_by_its_completion)
{
	with_each(open("/dev/null", O_RDONLY | O_CLOEXEC), write_in_vain);
}

/* The first of the batch is refused by io_submit(2) itself; the others must not be lost with it. */
TEST(a_refused_io_does_not_take_others_with_it)
{
	struct np_io ios[3] = {
		{.slot = 0, .bytes = BYTES, .offset = (uint64_t)INT64_MAX},
		{.slot = 1, .bytes = BYTES, .offset = 0},
		{.slot = 2, .bytes = BYTES, .offset = (uint64_t)INT64_MAX},
	};
	static const char *const deep[] = {"libaio", "io_uring"};
	struct np_io done[3];
	struct np_engine *engine;
	int fd = temporary_file(), got;

	assert_int_equal(ftruncate(fd, BYTES), 0);
	for (size_t i = 0; i < 2; i++) {
		unsigned good = 0, bad = 0;

		engine = open_engine(deep[i], fd, 3);
		if (!engine)
			continue;
		np_engine_submit(engine, ios, 3);
		while (np_engine_info(engine)->in_flight > 0) {
			got = np_engine_complete(engine, done, 3, NP_TIME_NEVER);
			assert_true(got > 0);
			for (int k = 0; k < got; k++) {
				good += done[k].slot == 1 && done[k].result == BYTES;
				bad += done[k].slot != 1 && done[k].result < 0;
			}
		}
		assert_int_equal(good, 1);
		assert_int_equal(bad, 2);
		np_engine_free(engine);
	}
	close(fd);
}

enum { DEPTH = 32 };

/* Takes all that is in flight, five at a time; each slot must come back once with its data. */
static void take_all(struct np_engine *engine, bool has_data)
{
	struct np_io done[DEPTH];
	bool seen[DEPTH] = {false};
	unsigned back = 0;

	while (np_engine_info(engine)->in_flight > 0) {
		int got = np_engine_complete(engine, done, 5, NP_TIME_NEVER);

		assert_in_range(got, 1, 5);
		for (int k = 0; k < got; k++) {
			uint8_t *data = np_engine_buffer(engine, done[k].slot);

			assert_false(seen[done[k].slot]);
			seen[done[k].slot] = true;
			assert_int_equal(done[k].result, BYTES);
			if (has_data)
				assert_int_equal(data[BYTES - 1], done[k].slot);
		}
		back += (unsigned)got;
	}
	assert_int_equal(back, DEPTH);
}

TEST(keeps_the_whole_depth_in_flight)
{
	static const char *const deep[] = {"libaio", "io_uring", "null", "auto"};
	uint8_t block[BYTES];
	struct np_io ios[DEPTH];
	int fd = temporary_file();

	for (unsigned i = 0; i < DEPTH; i++) {
		memset(block, (int)i, sizeof(block));
		assert_int_equal(pwrite(fd, block, BYTES, i * BYTES), BYTES);
		ios[i] = (struct np_io){.slot = i, .bytes = BYTES, .offset = i * BYTES};
	}
	for (size_t v = 0; v < 4; v++) {
		struct np_engine *engine = open_engine(deep[v], fd, DEPTH);

		for (unsigned round = 0; engine && round < 3; round++) {
			np_engine_submit(engine, ios, DEPTH / 2);
			np_engine_submit(engine, ios + DEPTH / 2, DEPTH / 2);
			assert_int_equal(np_engine_info(engine)->in_flight, DEPTH);
			take_all(engine, v != 2);
		}
		np_engine_free(engine);
	}
	close(fd);
}

/* A pipe, and io_uring at its end @at; NULL where the kernel forbids that. */
struct piped {
	struct np_engine *engine;
	int end[2];
};

static struct piped open_piped(unsigned at)
{
	struct piped p;

	assert_int_equal(pipe2(p.end, O_CLOEXEC), 0);
	p.engine = open_engine("io_uring", p.end[at], 2);
	return p;
}

static void close_piped(struct piped *p)
{
	np_engine_free(p->engine);
	close(p->end[0]);
	close(p->end[1]);
}

TEST(a_deadline_ends_the_wait)
{
	struct piped p = open_piped(0);
	struct np_io io = {.slot = 0, .bytes = BYTES, .offset = 0}, done;
	np_time begin;

	/* A pipe nobody writes to: io_uring waits for it. (libaio would not take it.) */
	if (p.engine) {
		begin = np_clock_now();
		np_engine_submit(p.engine, &io, 1);
		assert_int_equal(
			np_engine_complete(p.engine, &done, 1, begin + 20 * NP_MILLISECOND), 0);
		assert_true(np_clock_now() - begin >= 20 * NP_MILLISECOND);
		assert_int_equal(np_engine_info(p.engine)->in_flight, 1);
		assert_int_equal(write(p.end[1], "abc", 3), 3);
		assert_int_equal(np_engine_complete(p.engine, &done, 1, NP_TIME_NEVER), 1);
		assert_int_equal(done.result, 3);
	}
	close_piped(&p);
}

/* A pipe's reader sees the write before anybody waits for its completion. */
TEST(flush_hands_over_at_once)
{
	struct piped p = open_piped(1);
	struct np_io io = {.slot = 0, .write = true, .bytes = BYTES}, done;
	uint8_t block[BYTES];

	if (p.engine) {
		struct pollfd wait = {.fd = p.end[0], .events = POLLIN};

		memset(np_engine_buffer(p.engine, 0), 0x5a, BYTES);
		np_engine_submit(p.engine, &io, 1);
		np_engine_flush(p.engine);
		assert_int_equal(poll(&wait, 1, 30000), 1);
		assert_int_equal(read(p.end[0], block, BYTES), BYTES);
		assert_int_equal(block[BYTES - 1], 0x5a);
		assert_int_equal(np_engine_complete(p.engine, &done, 1, NP_TIME_NEVER), 1);
		assert_int_equal(done.result, BYTES);
	}
	close_piped(&p);
	/* Nothing is kept: nothing to do. */
	p.engine = open_engine("null", -1, 1);
	np_engine_flush(p.engine);
	np_engine_free(p.engine);
}

static void begin_read(struct np_engine *engine, unsigned slot)
{
	struct np_io io = {.slot = slot, .bytes = 1};

	np_engine_submit(engine, &io, 1);
}

/* What a pipe holds: @wait sets a deadline that the read, done at once, need not wait for. */
static void take_read(struct np_engine *engine, np_time wait)
{
	struct np_io done;
	int got;

	do
		got = np_engine_complete(engine, &done, 1, np_clock_now() + wait);
	while (got == 0);
	assert_int_equal(got, 1);
	assert_int_equal(done.result, 1);
}

/* What one wait was to end at neither ends a later one nor keeps it from ending sooner. */
TEST(each_wait_has_its_own_deadline)
{
	struct piped p = open_piped(0);
	const np_time soon = 20 * NP_MILLISECOND;
	struct np_io done;
	np_time begin;

	if (p.engine) {
		begin_read(p.engine, 0);
		assert_int_equal(write(p.end[1], "a", 1), 1);
		take_read(p.engine, soon);
		begin_read(p.engine, 0);
		begin = np_clock_now();
		assert_int_equal(np_engine_complete(p.engine, &done, 1, begin + 3 * soon), 0);
		assert_true(np_clock_now() - begin >= 3 * soon);
		assert_int_equal(write(p.end[1], "b", 1), 1);
		take_read(p.engine, 600 * NP_SECOND);
		begin_read(p.engine, 0);
		begin = np_clock_now();
		assert_int_equal(np_engine_complete(p.engine, &done, 1, begin + soon), 0);
		assert_in_range(np_clock_now() - begin, soon, 300 * NP_SECOND);
		assert_int_equal(np_engine_info(p.engine)->in_flight, 1);
		assert_int_equal(write(p.end[1], "c", 1), 1);
	}
	close_piped(&p);
}

/* Without a deadline it is the I/O alone that ends a wait. */
TEST(an_old_deadline_ends_no_wait_for_ever)
{
	struct piped p = open_piped(0);
	const struct timespec pause = {.tv_nsec = 60 * NP_MILLISECOND};
	struct np_io done;
	int status;
	pid_t writer;

	if (p.engine) {
		begin_read(p.engine, 1);
		assert_int_equal(write(p.end[1], "a", 1), 1);
		take_read(p.engine, 10 * NP_MILLISECOND);
		writer = fork();
		if (writer == 0) {
			(void)nanosleep(&pause, NULL);
			_exit(write(p.end[1], "b", 1) != 1);
		}
		assert_true(writer > 0);
		begin_read(p.engine, 1);
		assert_int_equal(np_engine_complete(p.engine, &done, 1, NP_TIME_NEVER), 1);
		assert_int_equal(done.result, 1);
		assert_int_equal(waitpid(writer, &status, 0), writer);
		assert_int_equal(status, 0);
	}
	close_piped(&p);
}

TEST(an_unknown_variant_is_refused_and_io_in_flight_is_waited_for)
{
	struct np_engine_options unknown = {"warp", -1, 1, BYTES, 4096, false};
	struct np_engine *engine = open_engine("null", -1, 4);

	begin_read(engine, 3);
	np_engine_free(engine);
	assert_int_equal(np_engine_open(&engine, &unknown), -EPROTONOSUPPORT);
	assert_null(engine);
	np_engine_free(NULL);
	/* Who names none has sync at depth one. */
	engine = open_engine(NULL, -1, 1);
	assert_string_equal(np_engine_info(engine)->variant, "sync");
	np_engine_free(engine);
}
