// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* datagram-test-publisher: a duration is kept, by a made-up clock and without a network. */
#include "../../src/datagram-test/endpoints.h"
#include "../../src/datagram-test/publisher.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#define LEN(a)	  (sizeof(a) / sizeof((a)[0]))
#define TOLERANCE (10 * NP_MILLISECOND)
#define READING	  NP_MICROSECOND	/* what reading the clock takes */
#define WAKING	  (50 * NP_MICROSECOND) /* how much later than asked one wakes up */

/* In place of the C library's: only sleeping, and looking at the clock, take time. */
static np_time made_up = 1000 * NP_SECOND;

int clock_gettime(clockid_t clock, struct timespec *time)
{
	(void)clock;
	made_up += READING;
	*time = (struct timespec){.tv_sec = made_up / NP_SECOND, .tv_nsec = made_up % NP_SECOND};
	return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *moment,
		    struct timespec *rest)
{
	const np_time until = moment->tv_sec * NP_SECOND + moment->tv_nsec;

	(void)clock;
	(void)rest;
	assert_int_equal(flags, TIMER_ABSTIME);
	if (until > made_up)
		made_up = until + WAKING;
	return 0;
}

int poll(struct pollfd *fds, nfds_t count, int timeout)
{
	(void)fds;
	(void)count;
	made_up += timeout * NP_MILLISECOND;
	return 0;
}

struct run {
	const char *bytes, *rate, *peers;
	np_time duration;
	uint64_t packets; /* 0: as many as there is time for */
};

/* The packets at 0, 1, 2 ... times bytes / rate. */
static const struct run runs[] = {
	{"9000", "0.16", "127.0.0.1:9000..9009", 1000 * NP_MILLISECOND, 19},
	{"65507", "0.16", "127.0.0.1:9000..9009", 1000 * NP_MILLISECOND, 3},
	{"65507", "0.001", "127.0.0.1:9000..9009", 1000 * NP_MILLISECOND, 1},
	{"65507", "0.001", "127.0.0.1:9000", 90 * NP_MILLISECOND, 1},
	{"65507", "100", "127.0.0.1:9000..9009", 1000 * NP_MILLISECOND, 1601},
	{"1468", "0.0155", "127.0.0.1:9000..9009", 1000 * NP_MILLISECOND, 12},
	{"1468", "unlimited", "127.0.0.1:9000..9009", 50 * NP_MILLISECOND, 0},
	{"28", "unlimited", "127.0.0.1:9000", 50 * NP_MILLISECOND, 0},
};

static void expect_kept(const struct run *run, const struct publisher_result *result)
{
	assert_in_range(result->elapsed, run->duration, run->duration + TOLERANCE);
	assert_int_equal(result->unsent, 0);
	if (run->packets)
		assert_int_equal(result->packets, run->packets);
	else
		assert_true(result->packets > 100);
}

static void publish(const struct run *run, const struct options *options, const struct np_log *log)
{
	struct reporter reporter = {.options = options, .log = log};
	struct endpoints ends = {0};
	struct publisher_plan plan = {.options = options, .peers = &ends.peers, .finished = -1};
	struct publisher *publisher;
	np_time begin;

	assert_int_equal(endpoints_resolve(&ends, options, log), 0);
	assert_int_equal(partner_create(&plan.partner, &ends.peers, 7), 0);
	plan.local = &ends.locals.item[0];
	plan.reporter = &reporter;
	plan.rate_bytes_per_s = options->publish.rate_mb_per_s * 1048576;
	assert_int_equal(publisher_open(&publisher, &plan), 0);
	begin = made_up;
	assert_null(publisher_run(publisher));
	/* The peers have half a second to say that they are of our kind. */
	assert_in_range(made_up - begin, run->duration, run->duration + 600 * NP_MILLISECOND);
	expect_kept(run, publisher_result(publisher));
	publisher_free(publisher);
	partner_free(plan.partner);
	endpoints_free(&ends);
}

static void test_durations(void **state)
{
	struct np_log log = {.program = "datagram-test", .stream = stderr};

	(void)state;
	for (const struct run *run = runs; run < runs + LEN(runs); run++) {
		char ms[32];
		const char *words[] = {
			"datagram-test", "-local",   "127.0.0.1:9999", "--batch=null",
			"-packetSize",	 run->bytes, "-txRate",	       run->rate,
			"-txDurationMs", ms,	     run->peers};
		struct options options = {0};

		snprintf(ms, sizeof(ms), "%lld", (long long)(run->duration / NP_MILLISECOND));
		assert_int_equal(options_read(&options, LEN(words), (char **)words, &log), -1);
		publish(run, &options, &log);
		options_free(&options);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_durations)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
