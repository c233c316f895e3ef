// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * group-test-tcp_framing: handshakes and messages in any pieces; what is queued for each peer of a
 * mesh.
 */
#include "../../src/group-test/transport/tcp.h"
#include "support/unit.h"

#define ROOM 8

static const uint8_t java[] = {
	0x04, 0x04, 0x7f, 0, 0, 1, 0x1e, 0x78,				   /* 127.0.0.1:7800 */
	0,    0,    0,	  3, 2, 1, 0,					   /* a message */
	0,    0,    0,	  1, 9, 0, 0,	 0,    5, 'h', 'e', 'l', 'l', 'o', /* and two more */
};

/* What came out of a stream. */
struct heard {
	unsigned messages;
	size_t bytes, lengths;
	uint8_t last[64];
	int error;
};

static void note(struct heard *heard, const struct transport_message *message)
{
	size_t keep = message->bytes < sizeof(heard->last) ? message->bytes : sizeof(heard->last);

	heard->messages++;
	heard->bytes += message->bytes;
	heard->lengths += message->length;
	memcpy(heard->last, message->data, keep);
	assert_int_equal(message->at, 7);
}

/* In parts of @step bytes, each in memory of its own, so that reading beyond it is seen. */
static void hear(struct tcp_framing *framing, const uint8_t *data, size_t bytes, size_t step,
		 struct heard *heard)
{
	struct transport_message messages[ROOM];

	for (size_t at = 0; at < bytes && !heard->error; at += step) {
		size_t part = bytes - at < step ? bytes - at : step;
		uint8_t *copy = malloc(part);
		struct tcp_framing_input input = {copy, part, 7};

		memcpy(copy, data + at, part);
		while (input.bytes && !heard->error) {
			int count = tcp_framing_take(framing, &input, messages, ROOM);

			for (int i = 0; i < count; i++)
				note(heard, &messages[i]);
			if (count < 0)
				heard->error = count;
		}
		free(copy);
	}
}

/* All of it, as the peer of java says, to a whole message's end. */
static struct heard hear_all(const uint8_t *data, size_t bytes, size_t step, size_t longest)
{
	struct heard heard = {};
	struct tcp_framing framing;
	char text[IDENTITY_TEXT];

	framing = (struct tcp_framing){.longest = longest};
	hear(&framing, data, bytes, step, &heard);
	assert_int_equal(heard.error, 0);
	assert_string_equal(identity_format(&framing.peer, text), "127.0.0.1:7800");
	assert_false(tcp_framing_unfinished(&framing));
	tcp_framing_end(&framing);
	return heard;
}

TEST(messages_come_whole_in_whatever_parts)
{
	for (size_t step = 1; step <= sizeof(java); step++) {
		struct heard heard = hear_all(java, sizeof(java), step, 5);

		assert_int_equal(heard.messages, 3);
		assert_int_equal(heard.lengths, 3 + 1 + 5);
		assert_memory_equal(heard.last, "hello", 5);
	}
}

#define JAVA "\x04\x04\x7f\0\0\1\x1e\x78"

/* The first bytes of 2.12.2, 2.6.13 and 2.4.1 on the wire. */
TEST(older_generations_are_named)
{
	static const struct {
		const char *data;
		size_t bytes;
		const char *name;
	} old[] = {
		{JAVA "\0\0\0\0\x0e\2\1", 15, "JGroups 2.12"},
		{"\1\1" JAVA "\0\0\0\0", 14, "JGroups 2.7 or older"},
	};

	for (size_t i = 0; i < sizeof(old) / sizeof(*old); i++) {
		struct heard heard = {};
		struct tcp_framing framing;

		framing = (struct tcp_framing){.longest = 100};
		hear(&framing, (const uint8_t *)old[i].data, old[i].bytes, 1, &heard);
		assert_int_equal(heard.error, -ENOTSUP);
		assert_string_equal(tcp_framing_generation(&framing), old[i].name);
		tcp_framing_end(&framing);
	}
}

/* Of a message beyond TRANSPORT_HEAD only so much is kept when it comes in parts. */
TEST(long_messages_keep_their_heads)
{
	static const size_t steps[] = {1000, 4096, 65536, TRANSPORT_HEAD + 4, 1 << 20};
	const size_t length = 300000, bytes = 8 + 4 + length + 4 + 5;
	uint8_t *data = calloc(1, bytes);

	memcpy(data, java, 8);
	memcpy(data + 8, "\x00\x04\x93\xe0", 4);
	memcpy(data + 8 + 4 + length, "\0\0\0\5again", 9);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		struct heard heard = hear_all(data, bytes, steps[i], length);

		assert_int_equal(heard.messages, 2);
		assert_int_equal(heard.lengths, length + 5);
		assert_in_range(heard.bytes, TRANSPORT_HEAD + 5, length + 5);
		assert_memory_equal(heard.last, "again", 5);
	}
	free(data);
}

#define HEADER 8

/* One that takes from the queue, and reads what it took as frames. */
struct taker {
	int number;
	struct queue_place place;
	struct tcp_framing framing;
	unsigned data, control; /* messages */
	uint64_t next;		/* number in DATA */
};

static struct queue *make(size_t data_bytes)
{
	struct queue *queue;

	assert_int_equal(queue_create(&queue, data_bytes, HEADER, 1000), 0);
	return queue;
}

static void join(struct taker *taker, const struct queue *queue, int number)
{
	static const uint8_t handshake[] = {4, 4, 127, 0, 0, 1, 0, 1};
	struct tcp_framing_input input = {handshake, sizeof(handshake), 0};

	*taker = (struct taker){.number = number, .place = queue_end(queue)};
	taker->framing = (struct tcp_framing){.longest = 20 << 20};
	assert_int_equal(tcp_framing_take(&taker->framing, &input, NULL, 1), 0);
}

static unsigned put_data(struct queue *queue, uint64_t first, unsigned wanted)
{
	struct transport_slots slots;
	unsigned count = queue_reserve(queue, wanted, &slots);

	for (unsigned i = 0; i < count; i++) {
		uint64_t number = first + i;

		memcpy(slots.data + i * slots.stride, &number, HEADER);
	}
	if (count)
		queue_commit(queue, count);
	return count;
}

static void check(struct taker *taker, const struct transport_message *message, size_t data_bytes)
{
	uint64_t number;

	if (message->length == 3) {
		assert_memory_equal(message->data, "xyz", 3);
		taker->control++;
		return;
	}
	assert_int_equal(message->length, data_bytes);
	memcpy(&number, message->data, HEADER);
	assert_int_equal(number, taker->next++);
	for (size_t i = HEADER; i < message->bytes; i++)
		assert_int_equal(message->data[i], TRANSPORT_FILL);
	taker->data++;
}

/* Takes up to @most bytes by one gathering; returns how many there were to take. */
static size_t take(struct taker *taker, struct queue *queue, size_t most, size_t data_bytes)
{
	struct iovec pieces[16];
	size_t bytes, left = most;
	unsigned count = queue_gather(queue, &taker->place, taker->number, pieces, 16, &bytes);

	for (unsigned i = 0; i < count && left; i++) {
		size_t part = pieces[i].iov_len < left ? pieces[i].iov_len : left;
		struct tcp_framing_input input = {pieces[i].iov_base, part, 0};
		struct transport_message message;

		while (input.bytes) {
			int got = tcp_framing_take(&taker->framing, &input, &message, 1);

			assert_true(got >= 0);
			if (got)
				check(taker, &message, data_bytes);
		}
		left -= part;
	}
	queue_advance(queue, &taker->place, taker->number, most < bytes ? most : bytes);
	return bytes;
}

static void release(struct queue *queue, const struct taker *takers, unsigned count)
{
	uint64_t oldest = queue_end(queue).piece;

	for (unsigned i = 0; i < count; i++)
		oldest = takers[i].place.piece < oldest ? takers[i].place.piece : oldest;
	queue_release(queue, oldest);
}

static void leave(struct taker *takers, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		tcp_framing_end(&takers[i].framing);
}

/* Three at different paces; DATA and control messages mixed; many times around the rings. */
TEST(all_take_the_same)
{
	static const size_t sizes[] = {HEADER, 1000, 65536, 1 << 20, (1 << 20) + 1};
	static const size_t paces[] = {777, 100000, 1 << 22};

	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		struct queue *queue = make(sizes[s]);
		unsigned messages = sizes[s] > 10000 ? 150 : 20000, controls = 0;
		struct taker takers[3];
		uint64_t sent = 0;

		for (int i = 0; i < 3; i++)
			join(&takers[i], queue, i);
		for (bool left = true; left || sent < messages; release(queue, takers, 3)) {
			unsigned wanted = messages - sent < 100 ? (unsigned)(messages - sent) : 100;

			if (wanted)
				sent += put_data(queue, sent, wanted);
			if (controls < sent / 50 && !queue_put(queue, "xyz", 3, QUEUE_ALL))
				controls++;
			left = false;
			for (int i = 0; i < 3; i++)
				left |= take(&takers[i], queue, paces[i] * (1 + sizes[s] / 9999),
					     sizes[s]) > 0;
		}
		for (int i = 0; i < 3; i++) {
			assert_int_equal(takers[i].data, messages);
			assert_int_equal(takers[i].control, controls);
			assert_int_equal(takers[i].place.piece, queue_end(queue).piece);
		}
		assert_true(controls > 0);
		leave(takers, 3);
		queue_free(queue);
	}
}

/* It fills up, control messages still go for a while, and it is empty again when all is taken. */
TEST(it_is_bounded)
{
	static const size_t sizes[] = {HEADER, 1000, 100000, 16 << 20};

	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		struct queue *queue = make(sizes[s]);
		uint64_t sent = 0;
		unsigned went, controls = 0;
		struct taker taker;

		join(&taker, queue, 0);
		while ((went = put_data(queue, sent, TRANSPORT_BATCH)))
			sent += went;
		assert_in_range(sent, 2, 4096);
		assert_true(sent == 2 || sent * sizes[s] <= 1 << 20);
		while (!queue_put(queue, "xyz", 3, QUEUE_ALL))
			controls++;
		assert_in_range(controls, 32000, 32768);
		assert_int_equal(queue_put(queue, "xyz", 3, 5), -EAGAIN);
		while (take(&taker, queue, 1 << 20, sizes[s]))
			;
		release(queue, &taker, 1);
		assert_int_equal(taker.data, sent);
		assert_int_equal(taker.control, controls);
		assert_true(put_data(queue, sent, 1) == 1);
		leave(&taker, 1);
		queue_free(queue);
	}
	queue_free(NULL);
}

/* One that takes nothing for minutes keeps no control message from the others. */
TEST(who_lags_keeps_nothing_from_others)
{
	struct queue *queue = make(1000);
	const unsigned minutes = 20, each_second = 20;
	struct taker takers[2];
	unsigned controls = 0;

	join(&takers[0], queue, 0);
	join(&takers[1], queue, 1);
	assert_true(put_data(queue, 0, 100) > 0);
	for (; controls < minutes * 60 * each_second; controls++) {
		assert_int_equal(queue_put(queue, "xyz", 3, QUEUE_ALL), 0);
		while (take(&takers[0], queue, 1 << 20, 1000))
			;
		release(queue, takers, 2);
		assert_int_equal(takers[0].control, controls + 1);
	}
	while (take(&takers[1], queue, 1 << 20, 1000))
		;
	release(queue, takers, 2);
	assert_int_equal(takers[1].control, controls);
	leave(takers, 2);
	queue_free(queue);
}
