// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * A publisher, by a made-up clock: a duration is kept, n packets take n intervals, and a stop
 * before a packet leaves is no delay of it; what it and its listener share of peers.
 */
#include "../../src/datagram-test/session.h"
#include "address_of.h"
#include "support/unit.h"

#include <pthread.h>
#include <sys/socket.h>
#include <time.h>

#define TOLERANCE (10 * NP_MILLISECOND)
#define READING	  NP_MICROSECOND	/* what reading the clock takes */
#define WAKING	  (50 * NP_MICROSECOND) /* how much later than asked one wakes up */

/* In place of the C library's: only sleeping, and looking at the clock, take time. */
static np_time made_up = 1000 * NP_SECOND;
/* Readings of the clock until the process is stopped before one, for a second; 0: it is not. */
static unsigned stop;

int clock_gettime(clockid_t clock, struct timespec *time)
{
	(void)clock;
	made_up += READING;
	if (stop && !--stop)
		made_up += NP_SECOND;
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

/* In place of the C library's: what leaves, and how long after the time that it has in it. */
static unsigned left;
static np_time latest;

ssize_t sendto(int fd, const void *data, size_t bytes, int flags, const struct sockaddr *to,
	       socklen_t to_length)
{
	struct wire_packet head;

	(void)fd;
	(void)flags;
	(void)to;
	(void)to_length;
	assert_int_equal(wire_decode(data, bytes, &head), WIRE_FOREIGN);
	assert_int_equal(head.number, ++left);
	if (made_up - head.send_time > latest)
		latest = made_up - head.send_time;
	return (ssize_t)bytes;
}

/* Packets with no room for our mark: behind the last one nobody is waited for. */
struct run {
	const char *bytes, *process, *rate, *peers, *limit;
	np_time duration; /* as @limit says; 0: another limit */
	uint64_t packets; /* 0: as many as there is time for */
	np_time gap;	  /* bytes / rate: they go at 0, 1, 2 ... times that */
};

#define TEN "127.0.0.1:9000..9009"
#define ONE "127.0.0.1:9000"
#define MS  NP_MILLISECOND

static const struct run runs[] = {
	{"9000", "8992", "0.16", TEN, "-txDurationMs=1000", 1000 * MS, 19, 53644180},
	{"65507", "65496", "0.16", TEN, "-txDurationMs=1000", 1000 * MS, 3, 390452147},
	{"65507", "65496", "0.001", TEN, "-txDurationMs=1000", 1000 * MS, 1, 0},
	{"65507", "65496", "0.001", ONE, "-txDurationMs=90", 90 * MS, 1, 0},
	{"65507", "65496", "100", TEN, "-txDurationMs=1000", 1000 * MS, 1601, 624723},
	{"1468", "1460", "0.0155", TEN, "-txDurationMs=1000", 1000 * MS, 12, 90321879},
	{"1468", "1460", "unlimited", TEN, "-txDurationMs=50", 50 * MS, 0, 0},
	{"28", "20", "unlimited", ONE, "-txDurationMs=50", 50 * MS, 0, 0},
	{"1468", "1460", "0.0155", TEN, "-txIterations=2", 0, 20, 90321879},
	{"28", "20", "0.001", ONE, "-txIterations=5", 0, 5, 26702881},
};

/* Of the time that the publishing took, and of that which the rate is over. */
static void expect_kept(const struct run *run, const struct publisher *p, np_time took)
{
	const np_time taken = (np_time)p->packets * run->gap;

	assert_int_equal(p->unsent, 0);
	if (run->packets)
		assert_int_equal(p->packets, run->packets);
	else
		assert_true(p->packets > 100);
	if (run->duration)
		assert_in_range(took, run->duration, run->duration + TOLERANCE);
	else
		assert_in_range(took, taken - run->gap, taken - run->gap + TOLERANCE);
	if (run->gap)
		assert_in_range(p->elapsed, taken - MS, taken + TOLERANCE);
	else
		assert_in_range(p->elapsed, run->duration, run->duration + TOLERANCE);
}

/* @run NULL: only publishes. */
static void publish(const struct run *run, size_t count, const char *words[])
{
	struct np_log log = {.program = "datagram-test", .stream = stderr};
	struct options options = {0};
	struct endpoint *e = calloc(1, sizeof(*e));
	struct session s = {
		.options = &options,
		.log = &log,
		.endpoint = e,
		.endpoint_count = 1,
		.finished = -1,
	};
	struct np_run tool = {.options = &options, .log = &log, .state = &s};
	np_time begin;

	assert_non_null(e);
	s.run = &tool;
	assert_int_equal(np_options_read(&datagram_test_options, (int)count, (char **)words,
					 &options, &tool.given, &log),
			 -1);
	assert_int_equal(options_check(&tool), -1);
	assert_int_equal(np_report_begin(&tool.report, &(struct np_report_options){0}, &log), 0);
	assert_int_equal(addresses_resolve(&s), 0);
	e->session = &s;
	e->options = &options;
	e->at = s.addresses.locals.item[0];
	e->publisher.endpoint = e;
	assert_int_equal(endpoint_set_peers(e, &s.addresses.peers), 0);
	assert_int_equal(publisher_open(&e->publisher), 0);
	begin = made_up;
	assert_null(publisher_run(&e->publisher));
	if (run)
		expect_kept(run, &e->publisher, made_up - begin);
	assert_int_equal(session_close(&tool, 0), 0);
	assert_int_equal(np_report_end(tool.report, 0, &log), 0);
	np_options_result_free(&tool.given);
}

TEST(test_durations)
{
	for (const struct run *run = runs; run < runs + COUNT(runs); run++) {
		const char *words[] = {"datagram-test", "-local",      "127.0.0.1:9999",
				       "--batch=null",	"-packetSize", run->bytes,
				       "-processBytes", run->process,  "-txRate",
				       run->rate,	run->limit,    run->peers};

		publish(run, COUNT(words), words);
	}
}

/* Wherever it is stopped, all packets say when they left, but for one instant: the call itself. */
TEST(test_stops)
{
	for (unsigned before = 1; before < 60; before++) {
		const char *words[] = {"datagram-test",
				       "-local=127.0.0.1:9999",
				       "--batch=plain",
				       "-packetSize=28",
				       "--batch-size=4",
				       "-txIterations=12",
				       "-processBytes=20",
				       "--quiet",
				       ONE};

		left = 0;
		latest = 0;
		stop = before;
		publish(NULL, COUNT(words), words);
		assert_int_equal(left, 12);
		assert_in_range(latest, 0, 3 * MS);
	}
}

#define HEARD 200000

static void *hear_many(void *peer)
{
	for (int64_t i = 1; i <= HEARD; i++)
		peer_hear(peer, i, -i);
	return NULL;
}

/* What was heard and when always belong together, and each is acknowledged once. */
TEST(acks_are_whole)
{
	struct peer peer = {.heard = 0};
	int64_t newest = 0, ack;
	np_time arrival = 0;
	pthread_t thread;

	assert_int_equal(peer_ack(&peer, &arrival), WIRE_NO_ACK);
	assert_int_equal(pthread_create(&thread, NULL, hear_many, &peer), 0);
	while (newest < HEARD) {
		ack = peer_ack(&peer, &arrival);
		if (ack == WIRE_NO_ACK)
			continue;
		assert_int_equal(arrival, -ack);
		assert_true(ack > newest);
		newest = ack;
	}
	pthread_join(thread, NULL);
	assert_int_equal(peer_ack(&peer, &arrival), WIRE_NO_ACK);
}

/* The address itself, before a group's, which stands for others at its port. */
TEST(whose_answer_it_is)
{
	static const struct {
		const char *from;
		int peer; /* -1: nobody's */
	} rows[] = {
		{"10.0.0.1:3", 3},  {"10.0.0.1:2", 2},	{"10.0.0.9:3", 0},
		{"10.0.0.9:2", -1}, {"239.0.0.1:3", 0},
	};
	struct endpoint *e = calloc(1, sizeof(*e));
	struct np_address_list peers = {0};

	assert_non_null(e);
	assert_int_equal(np_address_list_parse(&peers,
					       "239.0.0.1:3 10.0.0.1:1 10.0.0.1:2 10.0.0.1:3", 9,
					       NP_ADDRESS_NUMERIC),
			 0);
	assert_int_equal(endpoint_set_peers(e, &peers), 0);
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct np_address from = address_of(rows[i].from);

		assert_ptr_equal(endpoint_peer(e, &from, true),
				 rows[i].peer < 0 ? NULL : &e->peer[rows[i].peer]);
	}
	np_address_list_clear(&peers);
	free(e->peer);
	free(e);
}
