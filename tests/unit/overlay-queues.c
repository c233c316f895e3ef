// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* overlay-queues: what waits in a node: messages, payloads, bytes of a stream. */
#include "../../src/lib/overlay/queue.h"
#include "support/unit.h"

#include <errno.h>
#include <netperf/field.h>
#include <stdlib.h>
#include <string.h>

static int put(struct overlay_queue *queue, enum overlay_class class, size_t bytes)
{
	static const uint8_t data[1000];
	const struct sockaddr_in to = {.sin_family = AF_INET};
	const struct iovec pieces[] = {{(void *)data, 1}, {(void *)data, bytes - 1}};

	return overlay_queue_put(queue, &to, class, pieces, 2);
}

TEST(a_queue_is_bounded_but_for_own)
{
	struct overlay_queue queue = {.count_max = 3, .bytes_max = 1000};
	struct np_overlay_copies in = {0}, dropped = {0};

	assert_int_equal(put(&queue, OVERLAY_FORWARDED, 400), 0);
	assert_int_equal(put(&queue, OVERLAY_PROTOCOL, 400), 0);
	assert_int_equal(put(&queue, OVERLAY_FORWARDED, 201), -EAGAIN); /* bytes */
	assert_int_equal(put(&queue, OVERLAY_FORWARDED, 200), 0);
	assert_int_equal(put(&queue, OVERLAY_PROTOCOL, 1), -EAGAIN); /* messages */
	assert_int_equal(put(&queue, OVERLAY_OWN, 500), 0);
	queue.strict = true;
	assert_int_equal(put(&queue, OVERLAY_OWN, 1), -EAGAIN);
	assert_int_equal(queue.count, 4);
	assert_int_equal(queue.bytes, 1500);
	overlay_queue_count(&queue, &in);
	assert_int_equal(in.own, 1);
	assert_int_equal(in.forwarded, 2);
	assert_int_equal(in.protocol, 1);
	overlay_queue_drop(&queue, &dropped);
	assert_memory_equal(&in, &dropped, sizeof(in));
	assert_int_equal(queue.count, 0);
	assert_int_equal(queue.bytes, 0);
}

static void feed(struct overlay_delimiter *d, const void *data, size_t bytes)
{
	const uint8_t *at = data;

	while (bytes) {
		uint8_t *to;
		size_t room;

		assert_int_equal(overlay_delimiter_room(d, &to, &room), 0);
		assert_true(room > 0);
		room = room < bytes ? room : bytes;
		memcpy(to, at, room);
		overlay_delimiter_fill(d, room);
		at += room;
		bytes -= room;
	}
}

/* A Hello of 40 bytes behind a port. */
static void hello(uint8_t out[42], uint16_t port)
{
	memset(out, 0, 42);
	np_field_put16(out, port);
	out[2] = 0x22;
	np_field_put16(out + 3, 37);
}

TEST(messages_are_found_whatever_the_parts)
{
	struct overlay_delimiter d = {.message_max = 512};
	struct overlay_delimited message;
	uint8_t stream[84];

	hello(stream, 9001);
	hello(stream + 42, 9002);
	for (size_t i = 0; i < sizeof(stream); i++) {
		feed(&d, stream + i, 1);
		assert_int_equal(overlay_delimiter_next(&d, &message), i == 41 || i == 83);
		if (i == 41 || i == 83) {
			assert_int_equal(message.port, i == 41 ? 9001 : 9002);
			assert_int_equal(message.bytes, 40);
			assert_memory_equal(message.message, stream + 2, 40);
		}
	}
	assert_true(d.room <= 4096);
	feed(&d, stream, sizeof(stream));
	assert_int_equal(overlay_delimiter_next(&d, &message), 1);
	assert_int_equal(overlay_delimiter_next(&d, &message), 1);
	assert_int_equal(overlay_delimiter_next(&d, &message), 0);
	overlay_delimiter_free(&d);
	assert_null(d.data);
}

/* 70000 bytes, as HyperCast writes them: the length stands in an extension. */
TEST(a_long_message)
{
	static const uint8_t head[] = {0xd0, 0x31, 0, 0, 0, 0, 0, 0, 254, 4, 8};
	const size_t total = 70000 + 15;
	struct overlay_delimiter d = {.message_max = 200000};
	struct overlay_delimited message;
	const size_t bytes = sizeof(head) + 16 + 6 + total;
	uint8_t *stream = calloc(1, 2 + bytes);

	assert_non_null(stream);
	memcpy(stream + 2, head, sizeof(head));
	stream[2 + 11 + 16] = 2;
	stream[2 + 11 + 17] = 1;
	stream[2 + 11 + 18] = 3;
	stream[2 + 11 + 19] = (uint8_t)(total >> 16);
	np_field_put16(stream + 2 + 11 + 20, (uint16_t)total);
	/* Memory follows what has come, not what it says. */
	feed(&d, stream, 60);
	assert_int_equal(overlay_delimiter_next(&d, &message), 0);
	assert_true(d.room <= 4096);
	feed(&d, stream + 60, bytes + 2 - 60);
	assert_int_equal(overlay_delimiter_next(&d, &message), 1);
	assert_int_equal(message.bytes, bytes);
	overlay_delimiter_free(&d);
	d.message_max = bytes - 1;
	feed(&d, stream, 60);
	assert_int_equal(overlay_delimiter_next(&d, &message), -EMSGSIZE);
	overlay_delimiter_free(&d);
	free(stream);
}
