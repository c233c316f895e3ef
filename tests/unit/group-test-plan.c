// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* group-test-plan: what only the open transport knows, and what it changes for the member. */
#include "../../src/group-test/config/plan.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct member_limits complete(np_time outage)
{
	const struct options options = {.group.protocol = PROTOCOL_NATIVE};
	const struct settings settings = {};
	const struct transport_info info = {.lossy = true, .window_bytes = 1000, .outage = outage};
	struct plan plan = {.member = {.senders = 1, .limits = member_limits_default(NP_SECOND)},
			    .transport = {.data_bytes = 100}};
	struct np_fault fault;

	assert_int_equal(plan_complete(&plan, &options, &settings, &info, &fault), 0);
	assert_true(plan.member.credit);
	return plan.member.limits;
}

/* Who is silent may be alive, behind a dead one, until the overlay has found another way. */
static void who_may_be_cut_off_is_waited_for_longer(void **state)
{
	const struct member_limits as_ever = member_limits_default(NP_SECOND);
	struct member_limits limits = complete(0);

	(void)state;
	assert_memory_equal(&limits, &as_ever, sizeof(limits));
	limits = complete(10 * NP_SECOND);
	assert_int_equal(limits.join, as_ever.join);
	assert_int_equal(limits.settle, as_ever.settle);
	assert_int_equal(limits.silent, as_ever.silent + 10 * NP_SECOND);
	assert_int_equal(limits.ready, as_ever.ready + 10 * NP_SECOND);
	assert_int_equal(limits.grant, as_ever.grant + 10 * NP_SECOND);
	assert_int_equal(limits.report, as_ever.report + 10 * NP_SECOND);
	assert_int_equal(limits.linger, as_ever.linger + 2 * NP_SECOND);
	limits = complete(NP_SECOND);
	assert_int_equal(limits.linger, as_ever.linger + NP_SECOND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_may_be_cut_off_is_waited_for_longer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
