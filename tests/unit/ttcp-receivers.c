// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* The receivers a sender knows: who acknowledged what, who reported, and their sums. */
#include "../../src/ttcp/conversation/receivers.h"
#include "support/unit.h"

#include <net/if.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#define MS NP_MILLISECOND
#define T0 (INT64_C(1154730964371) * MS)

static int create(void **state)
{
	*state = malloc(sizeof(struct receivers));
	return *state ? receivers_create(*state) : -1;
}

static int destroy(void **state)
{
	receivers_free(*state);
	free(*state);
	return 0;
}

static struct np_address host(uint32_t number)
{
	const struct sockaddr_in in = {.sin_family = AF_INET,
				       .sin_port = htons(5001),
				       .sin_addr.s_addr = htonl(0x0a090000 + number)};
	struct np_address address;

	memset(&address, 0, sizeof(address));
	memcpy(&address.storage, &in, sizeof(in));
	address.length = sizeof(in);
	return address;
}

static struct receivers_receiver *at(struct receivers *receivers, uint32_t number)
{
	const struct np_address address = host(number);

	return receivers_at(receivers, &address);
}

TEST_WITH(create, destroy, acks)
{
	struct receivers *receivers = *state;
	struct receivers_receiver *one = at(receivers, 1), *two = at(receivers, 2);

	assert_true(receivers_ack(receivers, one, 0, T0, T0 + 93 * MS));
	assert_true(receivers_ack(receivers, one, 1, T0, T0 + 62 * MS));
	assert_false(receivers_ack(receivers, one, 1, T0, T0 + 99 * MS));
	assert_true(receivers_ack(receivers, two, 1, T0, T0 + 10 * MS));
	assert_true(receivers_ack(receivers, one, 9, T0, T0));
	assert_true(receivers_ack(receivers, one, 5, T0, T0));
	/* From the future, or with a time nobody sent. */
	assert_false(receivers_ack(receivers, one, 10, T0 + 1, T0));
	assert_false(receivers_ack(receivers, one, 10, INT64_MIN, T0));
	assert_false(receivers_ack(receivers, one, 10, 0, T0));
	assert_int_equal(one->acks, 4);
	assert_int_equal(two->acks, 1);
	assert_int_equal(receivers->acks, 5);
	assert_true(receivers->rtt_sum == 165 * MS);
	assert_int_equal(np_histogram_count(receivers->rtt), 5);
	assert_int_equal(np_histogram_max(receivers->rtt), 93 * MS);
}

TEST_WITH(create, destroy, runs)
{
	struct receivers *receivers = *state;
	struct receivers_receiver *one = at(receivers, 1), *two = at(receivers, 2);

	receivers_ack(receivers, one, 0, T0, T0 + MS);
	receivers_ack(receivers, two, 0, T0, T0 + MS);
	receivers_ack(receivers, two, 0, T0, T0 + MS);
	two->ready = two->reported = two->joined_late = true;
	two->report.counts.received = 1;
	one->ready = true;
	one->reported = true;
	one->clock.known = true;
	assert_int_equal(receivers_reported(receivers), 2);
	receivers_begin(receivers);
	assert_int_equal(receivers->count, 2);
	assert_true(one->clock.known);
	assert_int_equal(receivers_ready(receivers) + receivers_reported(receivers), 0);
	assert_int_equal(receivers->acks + one->acks + two->acks, 0);
	assert_false(two->joined_late);
	assert_int_equal(two->report.counts.received, 0);
	assert_true(receivers->rtt_sum == 0);
	assert_true(receivers_ack(receivers, one, 0, T0, T0 + MS));
}

TEST_WITH(create, destroy, reports)
{
	struct receivers *receivers = *state;
	struct receivers_receiver *one = at(receivers, 1), *two = at(receivers, 2),
				  *three = at(receivers, 3);

	assert_null(receivers_only(receivers));
	one->ready = two->ready = three->ready = true;
	assert_null(receivers_only(receivers));
	two->reported = true;
	assert_ptr_equal(receivers_only(receivers), two);
	assert_int_equal(receivers_ready(receivers), 3);
	assert_int_equal(receivers_reported(receivers), 1);
	one->reported = true;
	assert_null(receivers_only(receivers));
	assert_int_equal(receivers_reported(receivers), 2);
	/* Who joined too late to be ready is not waited for. */
	one->ready = false;
	assert_int_equal(receivers_reported(receivers), 1);
}

/* An interface is named where the address needs one, and where there is one of that number. */
TEST(names)
{
	struct sockaddr_in6 in = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(5001),
		.sin6_addr.s6_addr = {0xfe, 0x80, [15] = 1},
	};
	static const char *const expected[] = {"[fe80::1]:5001", "[fe80::1%lo]:5001",
					       "[fe80::1]:5001"};
	const uint32_t scope[] = {0, if_nametoindex("lo"), INT32_MAX};
	struct np_address address = host(1);
	char out[NP_ADDRESS_TEXT];

	assert_string_equal(peer_name(&address, out), "10.9.0.1:5001");
	for (unsigned i = 0; i < 3; i++) {
		in.sin6_scope_id = scope[i];
		memcpy(&address.storage, &in, sizeof(in));
		address.length = sizeof(in);
		assert_string_equal(peer_name(&address, out), expected[i]);
	}
}
