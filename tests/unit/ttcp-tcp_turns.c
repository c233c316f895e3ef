// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* ttcp-tcp_turns: a receiver leaves their processor to a sender that runs there, too. */
#include "../../src/ttcp/transport/tcp.h"
#include "address_of.h"
#include "support/unit.h"

#include <sched.h>

#define SOON (np_clock_now() + 5 * NP_SECOND)

static void run_on(size_t cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
}

/* The next of those on which this may run, after @cpu; CPU_SETSIZE: none. */
static size_t next_cpu(const cpu_set_t *all, size_t cpu)
{
	do
		cpu++;
	while (cpu < CPU_SETSIZE && !CPU_ISSET(cpu, all));
	return cpu;
}

/* Has @bytes of one stream received on @reader while they are sent on @sender. */
static void receive(struct tcp_turns *turns, size_t bytes, size_t sender, size_t reader)
{
	struct np_address local = address_of("127.0.0.1:0");
	struct np_stream_options how = {.local = &local, .ip.tos = -1};
	struct np_stream *listener, *near, *far;

	run_on(sender);
	assert_int_equal(np_stream_listen(&listener, &how, 1), 0);
	how.local = NULL;
	assert_int_equal(np_stream_connect(&near, &how, &np_stream_info(listener)->local, -1, SOON),
			 0);
	assert_int_equal(np_stream_accept(listener, &far), 0);
	assert_int_equal(np_stream_send(near, "here", 4), 4);
	run_on(reader);
	tcp_turns_count(turns, far, bytes);
	np_stream_free(near);
	np_stream_free(far);
	np_stream_free(listener);
}

TEST(where_the_sender_runs_decides)
{
	struct tcp_turns turns = {0};
	cpu_set_t all;
	size_t one, other;

	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	one = next_cpu(&all, (size_t)-1);
	other = next_cpu(&all, one);
	/* Now and then a segment of a sender elsewhere comes by way of this processor. */
	for (unsigned i = 0; i < TCP_LOOKS; i++) {
		assert_int_equal(sched_getscheduler(0), SCHED_OTHER);
		receive(&turns, i ? TCP_LOOK : 1, one, one);
	}
	assert_int_equal(sched_getscheduler(0), SCHED_BATCH);
	if (other == CPU_SETSIZE)
		return;
	receive(&turns, TCP_LOOK - 1, one, other);
	assert_int_equal(sched_getscheduler(0), SCHED_BATCH);
	receive(&turns, 1, one, other);
	assert_int_equal(sched_getscheduler(0), SCHED_OTHER);
	/* What the user chose stays. */
	assert_int_equal(sched_setscheduler(0, SCHED_BATCH, &(const struct sched_param){0}), 0);
	for (unsigned i = 0; i < TCP_LOOKS; i++)
		receive(&turns, TCP_LOOK, one, one);
	receive(&turns, TCP_LOOK, one, other);
	assert_int_equal(sched_getscheduler(0), SCHED_BATCH);
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
}
