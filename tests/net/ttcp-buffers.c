// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * ttcp-buffers: a sender of ttcp whose messages go many in a buffer (UDP_SEGMENT), some of them
 * again, late, damaged or never. What ttcp has to count of it is in tests/net/ttcp-buffers.
 *
 * usage: ttcp-buffers PORT [far|more]
 *	far	but two buffers, with a message further behind than any receiver remembers
 *	more	but one buffer, with more messages than the end tells of
 */
#include "../../src/ttcp/wire/message.h"

#include <err.h>
#include <netperf/address.h>
#include <netperf/datagram.h>
#include <netperf/sequence.h>
#include <netperf/units.h>
#include <stdlib.h>
#include <string.h>

#define BYTES 1200
#define BATCH 40
#define TIME  (1000 * NP_SECOND)
#define FAR   (2 * (uint64_t)NP_SEQUENCE_WINDOW)

struct buffer {
	struct np_datagram *datagram;
	struct np_address to;
	unsigned count;
};

/* @count messages from @number on, sent at @time. */
static void add(struct buffer *b, uint64_t number, unsigned count, np_time time)
{
	struct message m = {.session = 7, .run = 1, .time = time};

	for (unsigned i = 0; i < count; i++, b->count++) {
		uint8_t *slot = np_datagram_slot(b->datagram, b->count);

		m.number = number + i;
		message_fill(slot, BYTES);
		message_encode_data(slot, &m, BYTES);
	}
}

static void damage(struct buffer *b, unsigned index, size_t byte)
{
	np_datagram_slot(b->datagram, index)[byte] ^= 1;
}

/* All in one system call, or the receiver would not have a buffer of them. */
static void flush(struct buffer *b)
{
	if (b->count != BATCH ||
	    np_datagram_send(b->datagram, &b->to, 0, BATCH, BYTES, true) != BATCH)
		errx(1, "a buffer of %u did not go", b->count);
	b->count = 0;
}

static void end(struct buffer *b, uint64_t messages)
{
	const struct message m = {
		.type = MESSAGE_END, .session = 7, .run = 1, .number = messages, .time = TIME};
	uint8_t data[MESSAGE_CONTROL_MAX];

	if (np_datagram_send_one(b->datagram, &b->to, data, message_encode(data, &m)))
		errx(1, "END did not go");
}

static struct np_address loopback(uint16_t port)
{
	struct np_address_list list = {0};
	struct np_address address;

	if (np_address_list_parse_numeric(&list, "127.0.0.1", port) || list.count != 1)
		errx(1, "no loopback");
	address = list.item[0];
	np_address_list_clear(&list);
	return address;
}

static void send_faults(struct buffer *b)
{
	add(b, 0, 40, TIME);
	flush(b);
	/* Two left out, five again. */
	add(b, 40, 10, TIME);
	add(b, 52, 10, TIME);
	add(b, 45, 5, TIME);
	add(b, 62, 15, TIME);
	flush(b);
	/* One with another fill, one with another header. */
	add(b, 77, 40, TIME);
	damage(b, 13, 700);
	damage(b, 23, 20);
	flush(b);
	/* One of the two, late; then two times in one buffer. */
	add(b, 50, 1, TIME);
	add(b, 117, 20, TIME);
	add(b, 137, 19, TIME + NP_MILLISECOND);
	flush(b);
	end(b, 160);
}

static void send_far(struct buffer *b)
{
	add(b, 0, 20, TIME);
	add(b, FAR, 20, TIME);
	flush(b);
	add(b, FAR + 20, 39, TIME);
	add(b, 30, 1, TIME);
	flush(b);
	end(b, FAR + 59);
}

static void send_more(struct buffer *b)
{
	add(b, 0, BATCH, TIME);
	flush(b);
	end(b, BATCH / 2);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*send)(struct buffer *b);
	} ways[] = {{"", send_faults}, {"far", send_far}, {"more", send_more}};
	struct np_address local;
	const struct np_datagram_options how = {
		.variant = "gso",
		.local = &local,
		.packet_bytes = BYTES,
		.batch = BATCH,
		.tos = -1,
		.ttl = -1,
	};
	struct buffer b = {.count = 0};
	const char *name = argc == 3 ? argv[2] : "";
	unsigned way = 0;
	uint64_t port;

	while (way < 3 && strcmp(name, ways[way].name))
		way++;
	if (argc < 2 || argc > 3 || way == 3 || np_units_parse_count(argv[1], 1, 65535, &port))
		errx(2, "usage: ttcp-buffers PORT [far|more]");
	b.to = loopback((uint16_t)port);
	local = loopback(0);
	if (np_datagram_open(&b.datagram, &how))
		errx(1, "no socket");
	ways[way].send(&b);
	np_datagram_free(b.datagram);
	return 0;
}
