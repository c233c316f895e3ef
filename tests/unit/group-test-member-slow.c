// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Members that are slow, not dead: one that takes its time for each message (processing_delay),
 * and one whose path is slow, so that parts of a long message are all that is heard of it.
 */
#include "support/group_network.h"
#include "support/unit.h"

static struct network *slow_network(enum member_protocol protocol, bool connected,
				    uint64_t messages, np_time delay)
{
	struct member_plan plan = group_plan(protocol);
	struct network *n;

	plan.messages = messages;
	if (connected)
		plan.credit = false;
	n = network_of(&plan, connected);
	n->host[3].plan.processing_delay = delay;
	return n;
}

/* Longer for one message than any limit; all is counted, and over the time that it really took. */
TEST(minutes_for_a_few)
{
	for (unsigned connected = 0; connected < 2; connected++) {
		struct network *n = slow_network(PROTOCOL_NATIVE, connected, 3, 12 * NP_SECOND);

		network_finish(n, 120 * NP_SECOND);
		network_status(n, 4, 0);
		for (unsigned sender = 0; sender < 2; sender++) {
			const struct np_flow_counts *slow =
				&host_row(&n->host[3], 3, sender)->counts;

			host_must(&n->host[3], slow->received == 3, "all, slowly");
			host_must(&n->host[3], slow->last - slow->first >= 24 * NP_SECOND,
				  "its own time");
			host_row_complete(&n->host[0], 2, 3);
		}
	}
}

TEST(a_slow_sender)
{
	struct network *n = slow_network(PROTOCOL_NATIVE, false, 200, 0);

	n->host[0].plan.processing_delay = 20 * NP_MILLISECOND;
	network_finish(n, 30 * NP_SECOND);
	network_counts(n, 200);
}

TEST(among_java_members)
{
	struct network *n = slow_network(PROTOCOL_JGROUPS3, true, 100, 20 * NP_MILLISECOND);

	network_finish(n, 30 * NP_SECOND);
	network_status(n, 4, 0);
	assert_int_equal(host_member(&n->host[0], 3)->total.counts.received, 200);
}

static void moved(struct network *n, unsigned at, unsigned whose)
{
	const struct transport_event event = {TRANSPORT_MOVED, .peer = host_identity(whose)};

	member_transport_event(n->host[at].member, &event, n->now);
}

/* For eight seconds nothing whole gets from host 0 to host 3. */
TEST(a_long_message_is_no_silence)
{
	struct member_plan plan = group_plan_long();
	struct network *n;

	plan.credit = false; /* as over tcp */
	n = network_of(&plan, true);
	network_run(n, 2 * NP_SECOND);
	n->host[3].stopped = true;
	for (np_time t = 2 * NP_SECOND; t < 10 * NP_SECOND; t += 100 * NP_MILLISECOND) {
		for (unsigned i = 0; i < 3; i++)
			moved(n, i, 3);
		network_run(n, t);
	}
	n->host[3].stopped = false;
	network_finish(n, 20 * NP_SECOND);
	network_counts(n, 2000);
}
