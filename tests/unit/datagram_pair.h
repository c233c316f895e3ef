/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* datagram_pair: two sockets on loopback and numbered packets between them, for the unit tests. */
#pragma once

#include <netperf/datagram.h>

#include "address_of.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SLACK NP_MICROSECOND /* of kernel stamps between two calls */
#define ROOM  1024
#define BRIEF (20 * NP_MILLISECOND)
#define LATE  (20 * NP_SECOND) /* on a loaded machine */

static const char *const datagram_variants[] = {"gso", "mmsg", "plain"};
#define VARIANTS (sizeof(datagram_variants) / sizeof(datagram_variants[0]))

/* What each of the numbered packets holds: its number, then bytes that follow from it. */
static inline void fill(uint8_t *packet, size_t bytes, uint32_t number)
{
	memset(packet, (int)(number * 7 + 1), bytes);
	memcpy(packet, &number, bytes < sizeof(number) ? bytes : sizeof(number));
}

/* Those of a block, which are freed at its end. */
static inline void datagram_end(struct np_datagram **datagram)
{
	np_datagram_free(*datagram);
}
#define DATAGRAM __attribute__((cleanup(datagram_end))) struct np_datagram

static inline struct np_address loopback(int family)
{
	return address_of(family == AF_INET ? "127.0.0.1:0" : "[::1]:0");
}

static inline int open_at(struct np_datagram **datagram, const char *variant, size_t packet_bytes,
			  const struct np_address *local, size_t receive_bytes)
{
	struct np_datagram_options options = {
		.variant = variant,
		.local = local,
		.packet_bytes = packet_bytes,
		.batch = 128,
		.receive_bytes = receive_bytes,
		.ip.tos = -1,
		.ip.ttl = -1,
	};

	return np_datagram_open(datagram, &options);
}

static inline struct np_datagram *open_one(const char *variant, size_t packet_bytes)
{
	struct np_address local = loopback(AF_INET);
	struct np_datagram *datagram;

	assert_int_equal(open_at(&datagram, variant, packet_bytes, &local, 1 << 20), 0);
	return datagram;
}

static inline const struct np_address *local_of(const struct np_datagram *datagram)
{
	return &np_datagram_info(datagram)->local;
}

static inline struct np_datagram_stats stats_of(struct np_datagram *datagram)
{
	struct np_datagram_stats stats;

	assert_int_equal(np_datagram_stats(datagram, &stats), 0);
	return stats;
}

/* @count packets, numbered from @number, in batches that do not divide evenly. */
static inline void send_numbered(struct np_datagram *from, const struct np_address *to,
				 size_t bytes, uint32_t number, unsigned count)
{
	while (count > 0) {
		unsigned turn = count < 101 ? count : 101;

		for (unsigned i = 0; i < turn; i++)
			fill(np_datagram_slot(from, i), bytes, number++);
		assert_int_equal(np_datagram_send(from, to, 0, turn, bytes, true), turn);
		count -= turn;
	}
}

static inline void check_packet(const struct np_packet *packet, size_t bytes, uint32_t number,
				const struct np_datagram *from)
{
	uint8_t *wanted = malloc(bytes);

	assert_non_null(wanted);
	fill(wanted, bytes, number);
	assert_int_equal(packet->length, bytes);
	assert_false(packet->cut);
	assert_memory_equal(packet->data, wanted, bytes);
	assert_true(np_address_equal(packet->source, local_of(from)));
	assert_string_equal(packet->source->name, "");
	free(wanted);
}

/* Takes @count packets, in calls of @room, in order from @number. */
static inline void take_numbered(struct np_datagram *to, unsigned room, size_t bytes,
				 uint32_t number, unsigned count, const struct np_datagram *from)
{
	struct np_packet packets[ROOM];
	np_time last = 0;
	unsigned taken = 0;

	while (taken < count && np_datagram_wait(to, -1, np_clock_now() + LATE) == 1) {
		int got = np_datagram_receive(to, packets, room);

		assert_in_range(got, 0, room);
		for (int i = 0; i < got; i++) {
			check_packet(&packets[i], bytes, number + taken++, from);
			assert_true(packets[i].stamp >= last - SLACK);
			last = packets[i].stamp;
		}
		assert_true(last <= np_clock_now());
	}
	assert_int_equal(taken, count);
}
