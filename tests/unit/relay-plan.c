// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* relay-plan: a fault strikes exactly the positions its text names. */
#include <stdint.h>

#include "support/unit.h"
#include "tests/relay/plan.h"

#include <stdio.h>
#include <string.h>

static void read_plan(struct plan *plan, const char *first, const char *second)
{
	memset(plan, 0, sizeof(*plan));
	plan->seed = 7;
	assert_null(fault_parse(&plan->fault[plan->count++], first));
	if (second)
		assert_null(fault_parse(&plan->fault[plan->count++], second));
}

static struct plan_facts facts_at(np_time now)
{
	return (struct plan_facts){.flow = 1,
				   .source_port = 1000,
				   .destination_port = 9999,
				   .payload_bytes = 1468,
				   .now = now};
}

/* The positions dropped of the first @count, a millisecond apart, as "3 7 ". */
static const char *dropped(const char *fault, unsigned count, char *out, size_t room)
{
	struct plan_state states[PLAN_FAULTS] = {0};
	struct plan plan;
	size_t used = 0;

	read_plan(&plan, fault, NULL);
	out[0] = '\0';
	for (unsigned i = 1; i <= count; i++) {
		struct plan_facts facts = facts_at(i * NP_MILLISECOND);

		if (plan_judge(&plan, states, &facts).drop)
			used += (size_t)snprintf(out + used, room - used, "%u ", i);
	}
	return out;
}

TEST(positions_are_exact)
{
	char out[256];

	assert_string_equal(dropped("drop", 3, out, sizeof(out)), "1 2 3 ");
	assert_string_equal(dropped("drop:every=4", 12, out, sizeof(out)), "4 8 12 ");
	assert_string_equal(dropped("drop:first=2", 5, out, sizeof(out)), "1 2 ");
	assert_string_equal(dropped("drop:after=3", 6, out, sizeof(out)), "4 5 6 ");
	assert_string_equal(dropped("drop:at=2,4-5,9", 12, out, sizeof(out)), "2 4 5 9 ");
	assert_string_equal(dropped("drop:chance=0", 9, out, sizeof(out)), "");
	assert_string_equal(dropped("drop:chance=1", 3, out, sizeof(out)), "1 2 3 ");
}

TEST(a_tail_may_end)
{
	char out[256];

	assert_string_equal(dropped("drop:after=3:for=3ms", 9, out, sizeof(out)), "4 5 ");
	assert_string_equal(dropped("drop:after=0:for=3ms", 9, out, sizeof(out)), "1 2 3 ");
}

TEST(chance_repeats_and_hits_as_often_as_asked)
{
	struct plan_state one[PLAN_FAULTS] = {0}, other[PLAN_FAULTS] = {0};
	unsigned both = 0, first = 0, second = 0;
	struct plan plan;

	read_plan(&plan, "drop:chance=0.1", NULL);
	for (unsigned i = 0; i < 100000; i++) {
		struct plan_facts facts = facts_at(0);
		bool a = plan_judge(&plan, one, &facts).drop, b;

		facts.flow = 2;
		b = plan_judge(&plan, other, &facts).drop;
		first += a;
		second += b;
		both += a && b;
	}
	assert_in_range(first, 9700, 10300);
	assert_in_range(second, 9700, 10300);
	/* Two flows are independent. */
	assert_in_range(both, 850, 1150);
}

TEST(only_the_named_are_counted)
{
	struct plan_state states[PLAN_FAULTS] = {0};
	struct plan_facts data = facts_at(0), control = facts_at(0), other = facts_at(0);
	struct plan plan;

	read_plan(&plan, "drop:port=9999:least=1000:every=2", "duplicate:most=100");
	control.payload_bytes = 60;
	other.destination_port = 9998;
	assert_false(plan_judge(&plan, states, &data).drop);
	assert_false(plan_judge(&plan, states, &control).drop);
	assert_false(plan_judge(&plan, states, &other).drop);
	assert_int_equal(plan_judge(&plan, states, &control).copies, 1);
	assert_true(plan_judge(&plan, states, &data).drop);
	/* The way back has the port as its source. */
	other.source_port = 9999;
	plan_judge(&plan, states, &other);
	assert_true(plan_judge(&plan, states, &other).drop);
}

TEST(verdicts_join_and_drop_wins)
{
	struct plan_state states[PLAN_FAULTS] = {0};
	struct plan_facts facts = facts_at(0);
	struct verdict verdict;
	struct plan plan;

	read_plan(&plan, "reorder:by=3:every=2", "damage:byte=5:checksum=bad");
	assert_null(fault_parse(&plan.fault[plan.count++], "delay:time=3ms"));
	assert_null(fault_parse(&plan.fault[plan.count++], "duplicate:by=2:copies=4"));
	assert_null(fault_parse(&plan.fault[plan.count++], "drop:at=3"));
	plan_judge(&plan, states, &facts);
	verdict = plan_judge(&plan, states, &facts);
	assert_int_equal(verdict.hold_by, 3);
	assert_true(verdict.damage && verdict.checksum_bad);
	assert_int_equal(verdict.damage_byte, 5);
	assert_int_equal(verdict.delay, 3 * NP_MILLISECOND);
	assert_int_equal(verdict.copies, 4);
	assert_int_equal(verdict.copies_by, 2);
	verdict = plan_judge(&plan, states, &facts);
	assert_true(verdict.drop);
	assert_false(verdict.damage || verdict.copies || verdict.delay || verdict.hold_by);
	/* The dropped one has counted for the others. */
	assert_int_equal(plan_judge(&plan, states, &facts).hold_by, 3);
}

TEST(wrong_texts_are_refused)
{
	static const char *const wrong[] = {
		"",
		"nix",
		"drop:",
		"drop:every",
		"drop:every=0",
		"drop:every=-1",
		"drop:at=",
		"drop:at=0",
		"drop:at=5-3",
		"drop:at=1,",
		"drop:chance=1.1",
		"drop:for=1s",
		"drop:first=1:after=2",
		"drop:port=65536",
		"reorder",
		"reorder:by=1025",
		"delay:by=3",
		"delay:time=0",
		"duplicate:copies=0",
		"duplicate:copies=17",
		"damage:checksum=",
		"drop:byte=3",
		"drop:time=1",
		"drop:=3",
	};
	struct fault fault;

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (!fault_parse(&fault, wrong[i]))
			fail_msg("%s was taken", wrong[i]);
}
