// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * message: the header of every message, and what follows it; the fill of DATA, what a stream's
 * first bytes show, and the proof of an address: SipHash-2-4 of the host and the session.
 */
#include "message.h"

#include <errno.h>
#include <netinet/in.h>
#include <netperf/field.h>
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

/* Of control messages: what is more than a row of the table; bytes that are not named are zero. */
#define START_RATE	   56 /* u32, in version 1 */
#define START_NAME_BYTES   62 /* u8 */
#define START_CLOCK_KNOWN  63 /* u8, like those below */
#define START_CLOCK	   80
#define START_NAME	   96
#define START_NAME_2	   104 /* from version 2 on */

#define START_OK_SIZE	   64

#define END_CLOCK_KNOWN	   40
#define END_LAST	   41 /* u8 */
#define END_DROPPED	   42 /* u16, by np_drops_pack */
#define END_CLOCK	   48
#define END_SIZE	   72
#define END_CPU		   72 /* from version 2 on, with what follows it */
#define END_REASONS	   88

#define ACK_SIZE	   64

#define REPORT_LENGTH	   40 /* u32, of what follows it; later versions may append to it */
#define REPORT_COUNTED	   44 /* where the length begins to count */
#define REPORT_EXACT	   45 /* u8 */
#define REPORT_CLOCK_KNOWN 47
#define REPORT_CLOCK	   192
#define REPORT_SIZE_OLD	   208 /* the first version ends here, later ones at the next four */
#define REPORT_HEAD	   224
#define REPORT_DROPPED	   232 /* u64, by np_drops_pack */
#define REPORT_CPU	   240
#define REPORT_REASONS	   256

/* Reasons: u64 others, u8 count; each: u64 packets, u8 outgoing, u8 bytes of its name, its name. */
#define REASONS_BYTES 9
#define REASON_BYTES  10
#define REASON_TEXT   sizeof(((struct np_drops_entry *)0)->reason)

void message_clock_expect(const struct message_clock *clock, struct np_histogram *delay)
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

#define FIELD(at, member) NP_FIELD_ROW(at, struct message, member)
/* By type; rows of zeros end each. */
static const struct np_field_row fields[][32] = {
	[MESSAGE_START] = {FIELD(40, start.message_bytes), FIELD(44, start.timeout_ms),
			   FIELD(48, start.messages), FIELD(60, start.streams),
			   FIELD(START_CLOCK_KNOWN, start.clock.known),
			   FIELD(START_CLOCK, start.clock.offset),
			   FIELD(START_CLOCK + 8, start.clock.bound), FIELD(64, start.runs),
			   FIELD(68, start.proof), FIELD(72, start.duration),
			   FIELD(96, start.rate_bits)}, /* the name, in version 1 */
	[MESSAGE_START_OK] = {FIELD(40, start_ok.verdict), FIELD(41, start_ok.reads), /* 0: 1 */
			      FIELD(44, start_ok.challenge), FIELD(48, start_ok.start_received),
			      FIELD(56, start_ok.replied)},
	[MESSAGE_END] = {FIELD(END_CLOCK_KNOWN, end.clock.known),
			 FIELD(END_CLOCK, end.clock.offset), FIELD(END_CLOCK + 8, end.clock.bound),
			 FIELD(END_LAST, end.last), FIELD(44, end.proof), FIELD(64, end.unsent),
			 FIELD(END_CPU, end.cpu.user), FIELD(END_CPU + 8, end.cpu.system)},
	[MESSAGE_ACK] = {FIELD(40, ack.received), FIELD(56, ack.data_size)},
	[MESSAGE_REPORT] = {FIELD(44, report.status),
			    FIELD(REPORT_EXACT, report.exact),
			    FIELD(46, report.drop_unit),
			    FIELD(48, report.counts.received),
			    FIELD(56, report.counts.lost),
			    FIELD(64, report.counts.duplicates),
			    FIELD(72, report.counts.reordered),
			    FIELD(80, report.counts.late),
			    FIELD(88, report.counts.damaged),
			    FIELD(96, report.host_drops),
			    FIELD(104, report.counts.bytes),
			    FIELD(112, report.counts.first),
			    FIELD(120, report.counts.last),
			    FIELD(128, report.delays.count),
			    FIELD(136, report.delays.min),
			    FIELD(144, report.delays.mean),
			    FIELD(152, report.delays.p50),
			    FIELD(160, report.delays.p90),
			    FIELD(168, report.delays.p99),
			    FIELD(176, report.delays.p999),
			    FIELD(184, report.delays.max),
			    FIELD(REPORT_CLOCK_KNOWN, report.clock.known),
			    FIELD(REPORT_CLOCK, report.clock.offset),
			    FIELD(REPORT_CLOCK + 8, report.clock.bound),
			    FIELD(208, report.counts.missed_before),
			    FIELD(216, report.host_drops_most),
			    FIELD(REPORT_HEAD, report.counts.head_bytes),
			    FIELD(REPORT_CPU, report.cpu.user),
			    FIELD(REPORT_CPU + 8, report.cpu.system)},
};

/* A pair of numbers that is not known has its own bytes. */
static void put_unknown(uint8_t *pair, bool known, int byte)
{
	if (!known)
		memset(pair, byte, 16);
}

/* Where the name of the session is. */
static size_t name_at(const struct message *message)
{
	return message->version < MESSAGE_VERSION_LAST ? START_NAME : START_NAME_2;
}

static size_t put_start(uint8_t *data, const struct message *message)
{
	const struct message_start *start = &message->start;
	const size_t name_bytes = strnlen(start->session, MESSAGE_SESSION_MAX - 1);
	const uint64_t kbps = start->rate_bits / 1000 + (start->rate_bits % 1000 != 0);

	np_field_put32(data + START_RATE, kbps < UINT32_MAX ? (uint32_t)kbps : UINT32_MAX);
	data[START_NAME_BYTES] = (uint8_t)name_bytes;
	put_unknown(data + START_CLOCK, start->clock.known, 0);
	memcpy(data + name_at(message), start->session, name_bytes);
	return name_at(message) + name_bytes;
}

/* @room: with its end. */
static bool get_name(const uint8_t *data, size_t bytes, char *name, size_t room)
{
	if (!bytes || bytes >= room)
		return false;
	memcpy(name, data, bytes);
	name[bytes] = '\0';
	for (size_t i = 0; i < bytes; i++) {
		if (name[i] < ' ' || name[i] > '~')
			return false;
	}
	return true;
}

static bool get_start(const uint8_t *data, struct message *message)
{
	struct message_start *start = &message->start;

	if (message->size < name_at(message) ||
	    message->size != name_at(message) + data[START_NAME_BYTES])
		return false;
	if (message->version < MESSAGE_VERSION_LAST)
		start->rate_bits = np_field_get32(data + START_RATE) * UINT64_C(1000);
	return get_name(data + name_at(message), data[START_NAME_BYTES], start->session,
			sizeof(start->session)) &&
	       data[START_CLOCK_KNOWN] <= 1 && start->clock.bound >= 0 &&
	       start->message_bytes >= MESSAGE_HEADER_BYTES &&
	       start->message_bytes <= MESSAGE_DATA_MAX && start->messages <= INT64_MAX &&
	       start->streams >= 1 && start->streams <= MESSAGE_STREAMS_MAX &&
	       message->stream < start->streams && start->duration >= 0;
}

_Static_assert(REPORT_REASONS + REASONS_BYTES + MESSAGE_REASONS * (REASON_BYTES + REASON_TEXT) <=
		       MESSAGE_CONTROL_MAX,
	       "the longest reasons fit behind a report");

/* Returns where they end. */
static size_t put_reasons(uint8_t *data, size_t at, const struct message_reasons *reasons)
{
	np_field_put64(data + at, reasons->others);
	data[at + 8] = (uint8_t)reasons->count;
	at += REASONS_BYTES;
	for (unsigned i = 0; i < reasons->count; i++) {
		const struct np_drops_entry *entry = &reasons->entry[i];
		const size_t bytes = strnlen(entry->reason, REASON_TEXT - 1);

		np_field_put64(data + at, entry->packets);
		data[at + 8] = entry->direction == NP_DROPS_OUT;
		data[at + 9] = (uint8_t)bytes;
		memcpy(data + at + REASON_BYTES, entry->reason, bytes);
		at += REASON_BYTES + bytes;
	}
	return at;
}

/* They end the message. */
static bool get_reasons(const uint8_t *data, size_t at, size_t size,
			struct message_reasons *reasons)
{
	if (size < at + REASONS_BYTES || data[at + 8] > MESSAGE_REASONS)
		return false;
	reasons->others = np_field_get64(data + at);
	reasons->count = data[at + 8];
	at += REASONS_BYTES;
	for (unsigned i = 0; i < reasons->count; i++) {
		struct np_drops_entry *entry = &reasons->entry[i];

		if (size - at < REASON_BYTES || size - at - REASON_BYTES < data[at + 9] ||
		    !get_name(data + at + REASON_BYTES, data[at + 9], entry->reason,
			      sizeof(entry->reason)))
			return false;
		entry->packets = np_field_get64(data + at);
		entry->direction = data[at + 8] == 1 ? NP_DROPS_OUT : NP_DROPS_IN;
		at += (size_t)REASON_BYTES + data[at + 9];
	}
	return true;
}

/* Their sum is a time, too. */
static bool cpu_known(const struct message_cpu *cpu)
{
	return cpu->user >= 0 && cpu->system >= 0 && cpu->user <= INT64_MAX - cpu->system;
}

static size_t put_end(uint8_t *data, const struct message *message)
{
	const struct message_end *end = &message->end;

	put_unknown(data + END_CLOCK, end->clock.known, 0);
	np_field_put16(data + END_DROPPED, (uint16_t)np_drops_pack(&end->dropped, 16));
	if (message->version < MESSAGE_VERSION_LAST)
		return END_SIZE;
	put_unknown(data + END_CPU, end->cpu.known, UINT8_MAX);
	return put_reasons(data, END_REASONS, &end->reasons);
}

static bool get_end(const uint8_t *data, struct message *message)
{
	struct message_end *end = &message->end;
	const bool first = message->version < MESSAGE_VERSION_LAST;

	if (first ? message->size != END_SIZE
		  : !get_reasons(data, END_REASONS, message->size, &end->reasons))
		return false;
	end->last = data[END_LAST] == 1;
	end->dropped = np_drops_unpack(np_field_get16(data + END_DROPPED), 16);
	end->cpu.known = !first && cpu_known(&end->cpu);
	return message->number <= INT64_MAX && end->unsent <= message->number &&
	       data[END_CLOCK_KNOWN] <= 1 && end->clock.bound >= 0;
}

static size_t put_report(uint8_t *data, const struct message *message)
{
	const struct message_report *r = &message->report;
	const size_t size = put_reasons(data, REPORT_REASONS, &r->reasons);

	np_field_put32(data + REPORT_LENGTH, (uint32_t)size - REPORT_COUNTED);
	put_unknown(data + REPORT_CLOCK, r->clock.known, 0);
	np_field_put64(data + REPORT_DROPPED, np_drops_pack(&r->dropped, 64));
	put_unknown(data + REPORT_CPU, r->cpu.known, UINT8_MAX);
	return size;
}

static bool get_report(const uint8_t *data, struct message *message)
{
	struct message_report *r = &message->report;
	struct np_flow_counts *counts = &r->counts;

	if (message->size < REPORT_SIZE_OLD ||
	    np_field_get32(data + REPORT_LENGTH) != message->size - REPORT_COUNTED)
		return false;
	if (message->size < REPORT_HEAD)
		r->host_drops_most = r->host_drops;
	if (message->size < REPORT_DROPPED)
		counts->head_bytes = counts->received ? counts->bytes / counts->received : 0;
	if (message->size >= REPORT_CPU)
		r->dropped = np_drops_unpack(np_field_get64(data + REPORT_DROPPED), 64);
	if (message->size >= REPORT_REASONS)
		r->cpu.known = cpu_known(&r->cpu);
	if (message->size > REPORT_REASONS &&
	    !get_reasons(data, REPORT_REASONS, message->size, &r->reasons))
		return false;
	/* The time between the arrivals must not overflow, either. */
	return !__builtin_sub_overflow(counts->last, counts->first, &counts->elapsed) &&
	       counts->elapsed >= 0 && data[REPORT_CLOCK_KNOWN] <= 1 && r->clock.bound >= 0 &&
	       data[REPORT_EXACT] <= 1 && r->drop_unit <= MESSAGE_DROPS_BUFFERS &&
	       r->host_drops_most >= r->host_drops && counts->head_bytes <= counts->bytes &&
	       r->status <= MESSAGE_INTERRUPTED;
}

static size_t put_body(uint8_t *data, const struct message *message)
{
	memset(data + MESSAGE_HEADER_BYTES, 0, MESSAGE_CONTROL_MAX - MESSAGE_HEADER_BYTES);
	np_field_put_rows(data, MESSAGE_CONTROL_MAX, fields[message->type], message);
	switch (message->type) {
	case MESSAGE_START: return put_start(data, message);
	case MESSAGE_START_OK: return START_OK_SIZE;
	case MESSAGE_END: return put_end(data, message);
	case MESSAGE_ACK: return ACK_SIZE;
	case MESSAGE_REPORT: return put_report(data, message);
	default: return MESSAGE_HEADER_BYTES;
	}
}

/* Whether it is right. */
static bool get_body(const uint8_t *data, struct message *message)
{
	if (message->type < MESSAGE_START || message->type > MESSAGE_REPORT)
		return false;
	/* An ACK is all in its fields. */
	if (message->type != MESSAGE_ACK)
		memset(&message->start, 0, sizeof(*message) - offsetof(struct message, start));
	np_field_get_rows(data, message->size, fields[message->type], message);
	switch (message->type) {
	case MESSAGE_START: return get_start(data, message);
	case MESSAGE_START_OK:
		return message->size == START_OK_SIZE &&
		       message->start_ok.verdict <= MESSAGE_UNWILLING;
	case MESSAGE_END: return get_end(data, message);
	case MESSAGE_ACK: return message->size == ACK_SIZE && message->number <= INT64_MAX;
	default: return get_report(data, message);
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
	const size_t size = put_body(data, message);
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
	return get_body(data, message) ? 0 : -EBADMSG;
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
