// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* The receivers a sender knows: who acknowledged what, who reported, and their sums. */
#include "../../src/ttcp/report/report.h"
#include "address_of.h"
#include "support/unit.h"

#include <net/if.h>
#include <netinet/in.h>

#define MS NP_MILLISECOND
#define T0 (INT64_C(1154730964371) * MS)

static struct receivers receivers;

static struct receivers_receiver *one, *two;

static struct receivers_receiver *at(const char *text)
{
	const struct np_address address = address_of(text);

	return receivers_at(&receivers, &address);
}

static int create(void **state)
{
	(void)state;
	assert_int_equal(np_histogram_create(&receivers.rtt), 0);
	one = at("10.9.0.1:5001");
	two = at("10.9.0.2:5001");
	return 0;
}

static int destroy(void **state)
{
	(void)state;
	receivers_forget(&receivers);
	np_histogram_free(receivers.rtt);
	return 0;
}

TEST_WITH(create, destroy, acks)
{
	struct np_histogram_figures rtt;

	assert_true(receivers_ack(&receivers, one, 0, T0, T0 + 93 * MS));
	assert_true(receivers_ack(&receivers, one, 1, T0, T0 + 62 * MS));
	assert_false(receivers_ack(&receivers, one, 1, T0, T0 + 99 * MS));
	assert_true(receivers_ack(&receivers, two, 1, T0, T0 + 10 * MS));
	assert_true(receivers_ack(&receivers, one, 9, T0, T0));
	assert_true(receivers_ack(&receivers, one, 5, T0, T0));
	/* From the future, or with a time nobody sent. */
	assert_false(receivers_ack(&receivers, one, 10, T0 + 1, T0));
	assert_false(receivers_ack(&receivers, one, 10, INT64_MIN, T0));
	assert_false(receivers_ack(&receivers, one, 10, 0, T0));
	assert_int_equal(one->acks, 4);
	assert_int_equal(two->acks, 1);
	assert_int_equal(receivers.acks, 5);
	assert_true(receivers.rtt_sum == 165 * MS);
	np_histogram_figures(receivers.rtt, &rtt);
	assert_int_equal(rtt.count, 5);
	assert_int_equal(rtt.max, 93 * MS);
}

TEST_WITH(create, destroy, runs)
{
	receivers_ack(&receivers, one, 0, T0, T0 + MS);
	receivers_ack(&receivers, two, 0, T0, T0 + MS);
	receivers_ack(&receivers, two, 0, T0, T0 + MS);
	two->ready = two->reported = two->joined_late = true;
	two->report.counts.received = 1;
	one->ready = true;
	one->reported = true;
	one->offset.known = true;
	assert_int_equal(receivers_reported(&receivers), 2);
	receivers_begin(&receivers);
	assert_int_equal(receivers.count, 2);
	assert_true(one->offset.known);
	assert_int_equal(receivers_ready(&receivers) + receivers_reported(&receivers), 0);
	assert_int_equal(receivers.acks + one->acks + two->acks, 0);
	assert_false(two->joined_late);
	assert_int_equal(two->report.counts.received, 0);
	assert_true(receivers.rtt_sum == 0);
	assert_true(receivers_ack(&receivers, one, 0, T0, T0 + MS));
}

TEST_WITH(create, destroy, reports)
{
	struct receivers_receiver *three = at("10.9.0.3:5001");

	assert_null(receivers_only(&receivers));
	one->ready = two->ready = three->ready = true;
	assert_null(receivers_only(&receivers));
	two->reported = true;
	assert_ptr_equal(receivers_only(&receivers), two);
	assert_int_equal(receivers_ready(&receivers), 3);
	assert_int_equal(receivers_reported(&receivers), 1);
	one->reported = true;
	assert_null(receivers_only(&receivers));
	assert_int_equal(receivers_reported(&receivers), 2);
	/* Who joined too late to be ready is not waited for. */
	one->ready = false;
	assert_int_equal(receivers_reported(&receivers), 1);
}

/*
 * An interface is named where the address needs one, and where there is one of that number; what
 * the user called a host is not.
 */
TEST(names)
{
	static const char *const expected[] = {"[fe80::1]:5001", "[fe80::1%lo]:5001",
					       "[fe80::1]:5001"};
	const uint32_t scope[] = {0, if_nametoindex("lo"), INT32_MAX};
	struct np_address address = address_of("10.9.0.1:5001");
	char out[NP_ADDRESS_TEXT];

	snprintf(address.name, sizeof(address.name), "box");
	assert_string_equal(peer_name(&address, out), "10.9.0.1:5001");
	address = address_of("[fe80::1]:5001");
	for (unsigned i = 0; i < 3; i++) {
		((struct sockaddr_in6 *)(void *)&address.storage)->sin6_scope_id = scope[i];
		assert_string_equal(peer_name(&address, out), expected[i]);
	}
}
