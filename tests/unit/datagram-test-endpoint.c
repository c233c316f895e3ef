// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* datagram-test-endpoint: acks between two threads, peers by address, complaints, log names. */
#include "../../src/datagram-test/console.h"
#include "../../src/datagram-test/endpoint.h"
#include "../../src/datagram-test/report.h"
#include "support/unit.h"

#include <pthread.h>

#define HEARD 200000

static void open_for(struct endpoint *endpoint, const char *peers)
{
	struct np_address_list list = {0};

	assert_int_equal(np_address_list_parse_numeric(&list, peers, 9999), 0);
	assert_int_equal(endpoint_open(endpoint, &list), 0);
	np_address_list_clear(&list);
}

TEST(test_ack_once)
{
	struct endpoint endpoint = {0};
	np_time arrival = 0;

	open_for(&endpoint, "127.0.0.1:1");
	assert_int_equal(peer_ack(endpoint.peer, &arrival), WIRE_NO_ACK);
	peer_hear(endpoint.peer, 5, 6);
	peer_hear(endpoint.peer, 7, 8);
	assert_int_equal(peer_ack(endpoint.peer, &arrival), 7);
	assert_int_equal(arrival, 8);
	assert_int_equal(peer_ack(endpoint.peer, &arrival), WIRE_NO_ACK);
	endpoint_close(&endpoint);
}

static void *hear_many(void *peer)
{
	for (int64_t i = 1; i <= HEARD; i++)
		peer_hear(peer, i, -i);
	return NULL;
}

/* What was heard and when always belong together. */
TEST(test_ack_is_whole)
{
	struct endpoint endpoint = {0};
	int64_t newest = 0;
	pthread_t thread;

	open_for(&endpoint, "127.0.0.1:1");
	assert_int_equal(pthread_create(&thread, NULL, hear_many, endpoint.peer), 0);
	while (newest < HEARD) {
		np_time arrival;
		int64_t ack = peer_ack(endpoint.peer, &arrival);

		if (ack == WIRE_NO_ACK)
			continue;
		assert_int_equal(arrival, -ack);
		assert_true(ack > newest);
		newest = ack;
	}
	pthread_join(thread, NULL);
	endpoint_close(&endpoint);
}

TEST(test_peers)
{
	struct endpoint endpoint = {0};
	struct np_address_list from = {0};

	open_for(&endpoint, "10.0.0.1:1 10.0.0.1:2 239.0.0.1:3");
	assert_int_equal(
		np_address_list_parse_numeric(&from, "10.0.0.1:2 10.0.0.9:3 10.0.0.9:2", 1), 0);
	assert_ptr_equal(endpoint_peer(&endpoint, &from.item[0]), &endpoint.peer[1]);
	assert_ptr_equal(endpoint_peer(&endpoint, &from.item[1]), &endpoint.peer[2]);
	assert_null(endpoint_peer(&endpoint, &from.item[2]));
	np_address_list_clear(&from);
	endpoint_close(&endpoint);
}

TEST(test_first_peer)
{
	static const struct {
		const char *peers, *from;
	} rows[] = {{"239.0.0.1:3", "10.0.0.9:3"},
		    {"239.0.0.1:3", "239.0.0.1:3"},
		    /* The address itself, before one that stands for it. */
		    {"10.0.0.1:1 239.0.0.1:1", "10.0.0.1:1"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct np_address_list from = {0};
		struct endpoint endpoint = {0};

		assert_int_equal(np_address_list_parse_numeric(&from, rows[i].from, 9), 0);
		open_for(&endpoint, rows[i].peers);
		assert_ptr_equal(endpoint_peer(&endpoint, &from.item[0]), &endpoint.peer[0]);
		endpoint_close(&endpoint);
		np_address_list_clear(&from);
	}
}

TEST(test_first_counts_stay)
{
	struct endpoint endpoint = {0};

	open_for(&endpoint, "10.0.0.1:1");
	peer_acked(endpoint.peer, &(struct wire_counts){.flow.received = 3});
	peer_acked(endpoint.peer, &(struct wire_counts){.flow.received = 4});
	assert_int_equal(endpoint.peer->counts.flow.received, 3);
	endpoint_close(&endpoint);
}

TEST(test_complaints)
{
	struct complaints complaints = {0};
	np_time now = 5 * NP_SECOND;
	uint64_t missed = 9;
	unsigned said = 0;

	for (unsigned i = 0; i < 100; i++)
		said += complaints_allow(&complaints, now + i, &missed);
	assert_in_range(said, 1, 10);
	assert_int_equal(missed, 0);
	assert_true(complaints_allow(&complaints, now + NP_SECOND, &missed));
	assert_int_equal(missed, 100 - said);
}

TEST(test_log_names)
{
	char room[LOG_FILE_NAME_BYTES];

	assert_string_equal(log_file_name("table", 9000, false, room), "table");
	assert_string_equal(log_file_name("table", 9000, true, room), "9000-table");
	assert_string_equal(log_file_name("/tmp/a/table", 9000, true, room), "/tmp/a/9000-table");
	assert_string_equal(log_file_name("stdout", 9000, true, room), "stdout");
	assert_string_equal(log_file_name("stderr", 9000, true, room), "stderr");
}
