// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * A member whose host refuses what it sends (a packet filter, a link that is down, an address that
 * is gone) ends within the limits of its phase, says why once, and does not spin; the made-up
 * network fails every member that does.
 *
 * Members that do not fit a group that forms: other settings, numbers of senders, protocols.
 *
 * Who does not belong to a group that runs: strangers that forge.
 */
#include "support/group_network.h"
#include "support/unit.h"

/* @victim is refused everything from @from on; all end by @limit. */
static void refuse_all(struct network *n, unsigned victim, np_time from, np_time limit)
{
	struct host *h = &n->host[victim];

	network_run(n, from);
	h->refuses = -EPERM;
	network_finish(n, limit);
	host_must(h, host_times_told(h, "unsent - 0 Operation not permitted") == 1, "told once");
}

TEST(from_the_start)
{
	for (unsigned victim = 0; victim < 4; victim += 3) {
		for (enum member_protocol p = PROTOCOL_NATIVE; p <= PROTOCOL_JGROUPS3; p++) {
			struct network *n =
				NETWORK_BY(group_plan_long(p), plan.limits.join = 3 * NP_SECOND);

			refuse_all(n, victim, 0, 6 * NP_SECOND);
			network_status(n, 4, 2);
			host_failed(&n->host[victim], "group", " 3 s");
		}
	}
}

/* The others have all of the other sender; the victim's own status says that it failed. */
TEST(a_sender_in_the_run)
{
	for (unsigned credit = 0; credit < 2; credit++) {
		struct network *n = NETWORK_LONG(plan.credit = credit);

		refuse_all(n, 0, 2 * NP_SECOND, 26 * NP_SECOND);
		network_status(n, 4, 1);
		host_must(&n->host[0], host_times_told(&n->host[0], "cut - ") == 1, "cut once");
		if (!credit)
			assert_non_null(strstr(strstr(n->host[0].log, "cut - "),
					       "Operation not permitted"));
		for (unsigned i = 1; i < 4; i++) {
			host_told(&n->host[i], "given-up 10.0.0.1:7800");
			for (unsigned r = 1; r < 4; r++)
				assert_int_equal(host_row(&n->host[i], r, 1)->counts.received,
						 2000);
		}
	}
}

TEST(a_receiver_in_the_run)
{
	struct network *n = NETWORK_LONG();

	refuse_all(n, 3, 2 * NP_SECOND, 26 * NP_SECOND);
	network_status(n, 4, 1);
	host_row_complete(&n->host[0], 1, 2000);
	for (unsigned i = 0; i < 3; i++)
		assert_false(host_member(&n->host[i], 3)->reported);
}

/* Perf.Test's protocol: a member that cannot speak ends as one of a silent group does. */
TEST(among_java_members)
{
	for (unsigned victim = 0; victim < 4; victim += 3) {
		struct network *n = NETWORK_BY(group_plan_long(PROTOCOL_JGROUPS3));

		refuse_all(n, victim, 2 * NP_SECOND, 40 * NP_SECOND);
		network_status(n, 4, 1);
	}
}

/* What it sends reaches the others, but not itself: nobody can say how far it may go. */
TEST(own_messages_do_not_come_back)
{
	struct network *n = NETWORK_LONG();

	network_run(n, 2 * NP_SECOND);
	n->host[0].deaf = true;
	network_finish(n, 20 * NP_SECOND);
	host_status(&n->host[0], 1);
	host_told(&n->host[0], "its own messages do not come back to it");
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(host_row(&n->host[1], i, 1)->counts.received, 2000);
}

/* Refused for less than the limit: nothing is lost, the status is 0. */
TEST(refused_for_a_while)
{
	struct network *n = NETWORK_LONG();

	network_run(n, 2 * NP_SECOND);
	n->host[0].refuses = -ENETDOWN;
	network_run(n, 5 * NP_SECOND);
	n->host[0].refuses = 0;
	network_succeeds(n, 20 * NP_SECOND, 2000);
}

/* The transport is gone: what each has counted is its result, and nobody else is waited for. */
TEST(cut_off_in_the_run)
{
	for (enum member_protocol p = PROTOCOL_NATIVE; p <= PROTOCOL_JGROUPS3; p++) {
		struct network *n =
			NETWORK_BY(group_plan_long(p), plan.credit = false, streams = true);

		network_run(n, 3 * NP_SECOND);
		for (unsigned i = 0; i < 4; i++) {
			struct host *h = &n->host[i];

			member_cut_off(h->member, "no way", n->now);
			assert_true(member_outcome(h->member)->finished);
			host_status(h, 1);
			assert_int_equal(h->results, 1);
			host_must(h, host_member(h, (i + 1) % 4)->outcome == FATE_CUT, "named");
			host_must(h, host_member(h, i)->reported, "own counts");
			assert_true(host_row(h, i, 0)->counts.received > 100);
		}
	}
}

TEST(cut_off_while_joining)
{
	struct network *n = NETWORK_LONG(plan.credit = false, streams = true);

	n->host[3].starts = EPOCH + 100 * NP_SECOND;
	network_run(n, NP_SECOND);
	member_cut_off(n->host[0].member, "no way", n->now);
	host_failed(&n->host[0], "group", "no way; 3 of 4 members were present");
	assert_true(member_outcome(n->host[0].member)->finished);
}

TEST(every_setting_is_compared)
{
	static const char *const texts[] = {
		"(num_msgs: 1001 here, 1000 at 10.0.0.",
		"(msg_size: 21 here, 20 at 10.0.0.",
		"(num_members: 5 here, 4 at 10.0.0.",
		"(--duration: 1.000 s here, 0.000 s at 10.0.0.",
		"(--repeat: 2 here, 1 at 10.0.0.",
		"(-warmup: 1 here, 0 at 10.0.0.",
		"(--flow-control: none here, credit at 10.0.0.",
		"(--warm-up: 1.500 s here, 0 at 10.0.0.",
	};
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);

	for (unsigned i = 0; i < 8; i++) {
		struct network *n = network_of(&plan, false);
		struct member_plan *p = &n->host[3].plan;

		p->messages += i == 0;
		p->payload += i == 1;
		p->members += i == 2;
		p->duration = i == 3 ? NP_SECOND : 0;
		p->runs += i == 4;
		p->warmup += i == 5;
		p->credit = i != 6;
		p->warm_up = i == 7 ? 3 * NP_SECOND / 2 : 0;
		p->limits.join = 2 * NP_SECOND;
		network_run(n, 3 * NP_SECOND);
		host_failed(&n->host[3], "group", texts[i]);
	}
}

/* Each names all senders, itself first. */
TEST(senders_other_than_num_senders)
{
	struct network *n = NETWORK();

	n->host[2].plan.sender = true;
	network_ends(n, 2 * NP_SECOND, 4, 2);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(n->host[i].sent_messages, 0);
	host_failed(&n->host[0], "num_senders",
		    "2, but 3 of the 4 members send: 10.0.0.1:7800, 10.0.0.2:7800, 10.0.0.3:7800");
	host_failed(&n->host[2], "num_senders", ": 10.0.0.3:7800, 10.0.0.1:7800, 10.0.0.2:7800");
	n = NETWORK(plan.senders = 1);
	n->host[0].plan.sender = false;
	network_finish(n, 2 * NP_SECOND);
	host_failed(&n->host[3], "num_senders", "1, but 0 of the 4 members send");
}

/* Host 1 says to host 0 that it has no place in the group. */
static void refuse(struct network *n, enum message_refusal why)
{
	say_refuse(&n->host[0], 1, n->host[1].plan.instance, why);
}

/* One that has proved its address and has our settings: its word is enough, for reasons that are.
 */
TEST(a_member_of_another_group_refuses)
{
	struct network *n = NETWORK();

	n->hosts = 3;
	network_run(n, NP_SECOND);
	/* Whose settings are the same has no reason to refuse for other ones. */
	refuse(n, REFUSAL_SETTINGS);
	network_run(n, 2 * NP_SECOND);
	assert_false(n->host[0].ended);
	refuse(n, REFUSAL_FULL);
	host_failed(&n->host[0], "10.0.0.2:7800", "the group is complete without this member");
}

/* Who has formed a group with this member has no say any more. */
TEST(a_refusal_in_the_run_is_too_late)
{
	struct network *n = NETWORK_LONG(plan.members = plan.senders = 2);

	network_run(n, NP_SECOND);
	for (unsigned i = 0; i < 33; i++) {
		refuse(n, REFUSAL_FULL);
		network_pass(n, 100 * NP_MILLISECOND);
	}
	network_ends(n, 7 * NP_SECOND, 2, 0);
	host_row_complete(&n->host[0], 0, 2000);
}

/* A group of which this member has the address of one ends its run: it is gone soon. */
TEST(who_is_about_to_leave_may_refuse)
{
	const struct message_state ends = {.phase = PHASE_COUNTED};
	struct message_head head;
	struct network *n = NETWORK();

	n->hosts = 3;
	network_run(n, NP_SECOND);
	head = (struct message_head){.number = n->host[1].plan.instance, .run = 0, .tag = 7};
	host_says(&n->host[0], 1, head, MESSAGE_STATE, &ends);
	refuse(n, REFUSAL_LATE);
	network_run(n, 2 * NP_SECOND);
	assert_false(n->host[0].ended);
}

static const uint8_t java_req[14] = {2, 1};

/* They are named once, and decide nothing; only what prevents a group is said at its end. */
TEST(met_a_java_group)
{
	struct network *n = NETWORK(plan.limits.join = 8 * NP_SECOND);

	n->hosts = 2;
	for (unsigned i = 1; i < 20; i++) {
		network_run(n, i * NP_SECOND / 4);
		for (unsigned k = 30; k < 35; k++)
			host_forge(&n->host[0], k, java_req, sizeof(java_req));
	}
	host_told(&n->host[0], "met 10.0.0.31:7800 0 the protocol of JGroups");
	assert_false(n->host[0].ended);
	assert_int_equal(member_outcome(n->host[0].member)->malformed, 95);
	network_run(n, 9 * NP_SECOND);
	host_failed(&n->host[0], "group",
		    "2 missing (10.0.0.31:7800 speaks the protocol of JGroups");
}

/* Junk, and sound messages at the wrong time, from everybody, all the time. */
static void forge_anything(struct network *n, struct host *h)
{
	uint8_t data[256];
	struct message_head head = {
		.type = (enum message_type)(1 + network_random(n) * 9),
		.run = network_random(n) < 0.9 ? 0 : 1,
		.number = (uint64_t)(network_random(n) * 4000),
		.tag = (uint32_t)(network_random(n) * 4e9),
	};
	const size_t bytes = (size_t)(network_random(n) * sizeof(data));

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(network_random(n) * 256);
	if (network_random(n) < 0.9)
		message_head_encode(data, &head);
	if (data[0] > 5)
		host_forge(h, (unsigned)(network_random(n) * 40), data, bytes);
}

TEST(hostile_messages_cost_a_count)
{
	struct network *n = NETWORK_LONG();

	while (!network_ended(n) && n->now < EPOCH + 20 * NP_SECOND) {
		network_step(n);
		for (unsigned h = 0; h < 4; h++) {
			if (n->host[h].there && !n->host[h].ended)
				forge_anything(n, &n->host[h]);
		}
	}
	for (unsigned i = 0; i < 4; i++)
		host_must(&n->host[i], n->host[i].ended <= 7 * NP_SECOND, "ended late");
	network_counts(n, 2000);
	assert_true(member_outcome(n->host[0].member)->malformed > 1000);
}

/* By the group's tag, too: a number that nobody sent adds no loss. */
TEST(a_forged_number_is_stray)
{
	struct network *n = NETWORK_LONG();
	uint8_t data[48] = {0};
	struct message_head head;

	network_run(n, 2 * NP_SECOND);
	message_head_decode(n->host[0].slots, 28, &head);
	assert_int_equal(head.type, MESSAGE_DATA);
	head.number = 1999;
	message_head_encode(data, &head);
	host_forge(&n->host[3], 0, data, sizeof(data));
	head.number = UINT64_MAX;
	message_head_encode(data, &head);
	host_forge(&n->host[3], 0, data, sizeof(data));
	network_succeeds(n, 7 * NP_SECOND, 2000);
	assert_int_equal(host_row(&n->host[1], 3, 0)->counts.stray, 2);
}
