// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * message: the header of every message, the fill of DATA, what a stream's first bytes show, and the
 * proof of an address: SipHash-2-4 of the host and the session.
 */
#include "message.h"

#include <errno.h>
#include <netinet/in.h>
#include <netperf/field.h>
#include <netperf/siphash.h>
#include <string.h>

#define MAGIC	     UINT32_C(0x89545400)
#define MAGIC_MASK   UINT32_C(0xffffff00)

#define VERSION	     3
#define TYPE	     4
#define FLAGS	     5
#define STREAM	     6
#define SESSION	     8
#define RUN	     12
#define NUMBER	     16
#define TIME	     24
#define SIZE	     32
#define CHECK	     36

#define FILL_FIRST   0x20
#define FILL_CYCLE   95
#define FILL_AT_ONCE (FILL_CYCLE * 64)

void message_clock_expect(const struct message_clock *clock, struct np_delay *delay)
{
	if (clock->known)
		np_delay_expect(delay, clock->offset, clock->bound);
}

bool message_clock_correct(const struct message_clock *clock,
			   const struct np_histogram_figures *raw,
			   struct np_histogram_figures *corrected)
{
	if (!raw->count || !clock->known)
		return false;
	np_delay_correct(raw, clock->offset, corrected);
	return true;
}

uint32_t message_silence_ms(const struct message_start *start)
{
	const uint64_t each =
		start->rate_bits ? (uint64_t)start->message_bytes * 8000 / start->rate_bits : 0;
	const uint64_t limit = MESSAGE_SILENCE_MS + 2 * each;

	return limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
}

void message_fill(uint8_t *data, size_t count)
{
	size_t done;

	for (done = 0; done < count && done < FILL_CYCLE; done++)
		data[done] = (uint8_t)(FILL_FIRST + done);
	/* The bytes so far are whole cycles, so they can be repeated. */
	while (done < count) {
		size_t more = done < FILL_AT_ONCE ? done : FILL_AT_ONCE;

		if (more > count - done)
			more = count - done;
		memcpy(data + done, data, more);
		done += more;
	}
}

/* Covers bytes 0..35. */
static uint64_t sum_header(const uint8_t *data)
{
	return np_field_sum_word(np_field_sum(NP_FIELD_SUM_BEGIN, data, SIZE / 8),
				 np_field_get32(data + SIZE));
}

/* Also covers everything after the check value, as if followed by zeros. */
static uint64_t sum_body(uint64_t sum, const uint8_t *data, size_t size)
{
	const size_t count = size - MESSAGE_HEADER_BYTES, rest = count % 8;
	uint8_t last[8] = {0};

	sum = np_field_sum(sum, data + MESSAGE_HEADER_BYTES, count / 8);
	memcpy(last, data + size - rest, rest);
	return np_field_sum(sum, last, rest != 0);
}

static void put_check(uint8_t *data, uint64_t sum)
{
	np_field_put32(data + CHECK, np_field_sum_end(sum));
}

static bool check_right(const uint8_t *data, uint64_t sum)
{
	return np_field_get32(data + CHECK) == np_field_sum_end(sum);
}

/* The words are assembled in registers: reading back what was just stored would stall. */
static uint64_t put_header(uint8_t *data, const struct message *message, uint8_t type,
			   uint32_t size)
{
	const uint32_t version =
		message->version && type != MESSAGE_DATA ? message->version : MESSAGE_VERSION;
	const uint64_t first = (uint64_t)(MAGIC | version) << 32 | (uint32_t)type << 24 |
			       (uint32_t)message->flags << 16 | message->stream;
	const uint64_t second = (uint64_t)message->session << 32 | message->run;
	const uint64_t word[] = {first, second, message->number, (uint64_t)message->time};
	uint64_t sum = NP_FIELD_SUM_BEGIN;

	for (size_t i = 0; i < sizeof(word) / sizeof(*word); i++) {
		np_field_put64(data + 8 * i, word[i]);
		sum = np_field_sum_word(sum, word[i]);
	}
	np_field_put32(data + SIZE, size);
	return np_field_sum_word(sum, size);
}

void message_encode_data(uint8_t *data, const struct message *message, uint32_t size)
{
	put_check(data, put_header(data, message, MESSAGE_DATA, size));
}

void message_mark_data(uint8_t mark[MESSAGE_MARK_BYTES])
{
	np_field_put32(mark, MAGIC | MESSAGE_VERSION);
	mark[TYPE] = MESSAGE_DATA;
}

size_t message_encode(uint8_t data[MESSAGE_CONTROL_MAX], const struct message *message)
{
	const size_t size = message_put_body(data, message);
	const uint64_t sum = put_header(data, message, message->type, (uint32_t)size);

	put_check(data, sum_body(sum, data, size));
	return size;
}

/* Whether @length bytes, up to those of the magic, can be the start of a message. */
static bool magic_right(const uint8_t *data, size_t length)
{
	static const uint8_t magic[] = {0x89, 'T', 'T'};

	return !memcmp(data, magic, length < sizeof(magic) ? length : sizeof(magic));
}

bool message_is_ours(const uint8_t *data, size_t length)
{
	return length && magic_right(data, length);
}

/* Checks the 40 bytes of a header. Returns 0 or -errno. */
static int check_header(const uint8_t *data)
{
	const uint32_t magic = np_field_get32(data), size = np_field_get32(data + SIZE);
	const uint8_t type = data[TYPE];

	if (magic != (MAGIC | MESSAGE_VERSION) && (magic != (MAGIC | MESSAGE_VERSION_LAST) ||
						   (type != MESSAGE_START && type != MESSAGE_END)))
		return (magic & MAGIC_MASK) == MAGIC ? -EPROTONOSUPPORT : -EPROTO;
	if (type == MESSAGE_DATA && !check_right(data, sum_header(data)))
		return -EBADMSG;
	if (size < MESSAGE_HEADER_BYTES ||
	    size > (type == MESSAGE_DATA ? MESSAGE_DATA_MAX : MESSAGE_CONTROL_MAX))
		return -EBADMSG;
	return 0;
}

int64_t message_size(const uint8_t *data, size_t length)
{
	int rc;

	if (!magic_right(data, length))
		return -EPROTO;
	if (length < MESSAGE_HEADER_BYTES)
		return 0;
	rc = check_header(data);
	return rc ? rc : (int64_t)np_field_get32(data + SIZE);
}

/*
 * Decodes what check_header has accepted: a DATA's header, or another message completely. Returns 0
 * or -EBADMSG.
 */
static int get_message(const uint8_t *data, struct message *message)
{
	message->version = data[VERSION];
	message->type = data[TYPE];
	message->flags = data[FLAGS];
	message->stream = np_field_get16(data + STREAM);
	message->session = np_field_get32(data + SESSION);
	message->run = np_field_get32(data + RUN);
	message->number = np_field_get64(data + NUMBER);
	message->time = (np_time)np_field_get64(data + TIME);
	message->size = np_field_get32(data + SIZE);
	if (!message->run || message->stream >= MESSAGE_STREAMS_MAX)
		return -EBADMSG;
	if (message->type == MESSAGE_DATA)
		return message->number <= INT64_MAX ? 0 : -EBADMSG;
	if (!check_right(data, sum_body(sum_header(data), data, message->size)))
		return -EBADMSG;
	return message_get_body(data, message);
}

int message_decode(const uint8_t *data, size_t length, struct message *message)
{
	int rc;

	if (length < MESSAGE_HEADER_BYTES)
		return -EPROTO;
	rc = check_header(data);
	if (!rc && np_field_get32(data + SIZE) != length)
		rc = -EBADMSG;
	return rc ? rc : get_message(data, message);
}

int64_t message_next(const uint8_t *data, size_t length, struct message *message)
{
	const int64_t size = message_size(data, length);
	int rc;

	if (size <= 0)
		return size;
	if ((uint64_t)size > length && data[TYPE] != MESSAGE_DATA)
		return 0;
	rc = get_message(data, message);
	return rc ? rc : size;
}

bool message_fill_good(const uint8_t *data, size_t length, const uint8_t *pattern)
{
	return !memcmp(data + MESSAGE_HEADER_BYTES, pattern + MESSAGE_HEADER_BYTES,
		       length - MESSAGE_HEADER_BYTES);
}

uint32_t message_proof(const struct message_secret *secret, const struct np_address *from,
		       uint32_t session)
{
	const struct sockaddr_in6 *six = (const void *)&from->storage;
	const struct sockaddr_in *four = (const void *)&from->storage;
	/* 24 bytes. */
	uint64_t word[] = {session, 0, 0, UINT64_C(24) << 56};
	uint64_t hash;

	if (from->any.sa_family == AF_INET6)
		memcpy(&word[1], &six->sin6_addr, sizeof(six->sin6_addr));
	else
		memcpy(&word[1], &four->sin_addr, sizeof(four->sin_addr));
	hash = np_siphash(NP_SIPHASH_2_4, secret->word, word, sizeof(word) / sizeof(*word));
	return (uint32_t)hash ? (uint32_t)hash : 1;
}
