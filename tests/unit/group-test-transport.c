// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* group-test-transport: the face, and the null variant as a group of one. */
#include "group_transports.h"
#include "support/unit.h"

static struct transport_plan null_plan(size_t data_bytes)
{
	struct transport_plan plan = {.variant = "null"};

	parties_plan(&plan, 1, data_bytes);
	return plan;
}

TEST(what_is_not_there_is_refused)
{
	struct transport_plan plan = null_plan(100);

	plan.variant = "pigeons";
	parties_refused(&plan, -EPROTONOSUPPORT, plan.variant, "no such transport");
}

TEST(one_hears_itself)
{
	PARTIES p = {};
	struct transport *t;

	parties_open_all(&p, null_plan(1000), 1);
	t = p.party[0].transport;
	assert_string_equal(transport_info(t)->variant, "null");
	assert_false(transport_info(t)->lossy);
	assert_true(transport_idle(t));
	parties_all_hear_all(&p);
	parties_stream(&p, 0, 1000, 1000);
	parties_counted(&p, 0, 1001, HELLO_BYTES + 1000 * 1000);
	transport_drop(t, &transport_info(t)->self);
}

TEST(a_full_queue_keeps_room_for_control)
{
	PARTIES p = {};
	uint32_t sent = 0;
	unsigned went;

	parties_open_all(&p, null_plan(64), 1);
	do {
		went = parties_data(&p, 0, sent, TRANSPORT_BATCH);
		sent += went;
	} while (went && sent < 100000);
	assert_in_range(sent, 1, 99999);
	assert_false(transport_idle(p.party[0].transport));
	parties_all_hear_all(&p);
	assert_int_equal(p.party[0].next[0], sent);
}

TEST(a_turn_takes_no_more_than_asked)
{
	struct parties p = {.most = 1};

	parties_open_all(&p, null_plan(64), 1);
	assert_int_equal(parties_data(&p, 0, 0, 3), 3);
	parties_turn(&p);
	assert_int_equal(p.party[0].next[0], 1);
	assert_int_equal(transport_turn(p.party[0].transport, 1, np_clock_now()), 1);
	assert_int_equal(transport_turn(p.party[0].transport, 1, np_clock_now()), 0);
	assert_int_equal(p.party[0].next[0], 3);
	parties_close(&p);
}

TEST(what_is_not_committed_does_not_go)
{
	PARTIES p = {};
	struct transport_slots slots;
	uint8_t long_message[1001] = {};
	struct transport *t;

	parties_open_all(&p, null_plan(64), 1);
	t = p.party[0].transport;
	assert_int_equal(transport_reserve(t, 3, &slots), 3);
	assert_int_equal(transport_send(t, NULL, long_message, sizeof(long_message)), -EMSGSIZE);
	assert_int_equal(transport_send(t, &transport_info(t)->self, "", 0), -EMSGSIZE);
	assert_true(transport_idle(t));
}
