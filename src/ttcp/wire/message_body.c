// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * message_body: the part of each control message after the header. Offsets are from the start of
 * the message; bytes that are not named are zero.
 */
#include "message_body.h"

#include <errno.h>
#include <netperf/field.h>

#define START_BYTES	   40 /* u32 of a message */
#define START_TIMEOUT	   44 /* u32 */
#define START_MESSAGES	   48 /* u64 */
#define START_RATE	   56 /* u32 */
#define START_STREAMS	   60 /* u16 */
#define START_NAME_BYTES   62 /* u8 */
#define START_CLOCK_KNOWN  63 /* u8 */
#define START_RUNS	   64 /* u32 */
#define START_PROOF	   68 /* u32 */
#define START_DURATION	   72 /* i64 */
#define START_CLOCK	   80
#define START_NAME	   96
#define START_RATE_BITS	   96 /* u64, from version 2 on */
#define START_NAME_2	   104

#define START_OK_VERDICT   40 /* u8 */
#define START_OK_READS	   41 /* u8; 0: version 1 */
#define START_OK_CHALLENGE 44 /* u32 */
#define START_OK_RECEIVED  48 /* i64 */
#define START_OK_REPLIED   56 /* i64 */
#define START_OK_SIZE	   64

#define END_CLOCK_KNOWN	   40 /* u8 */
#define END_LAST	   41 /* u8 */
#define END_DROPPED	   42 /* u16, 0: unknown, else DROPPED_EXACT and the number plus 1 */
#define END_PROOF	   44 /* u32 */
#define END_CLOCK	   48
#define END_UNSENT	   64 /* u64 */
#define END_SIZE	   72
#define END_CPU		   72 /* i64 user, system; from version 2 on */
#define END_REASONS	   88

#define ACK_RECEIVED	   40 /* i64 */
#define ACK_DATA_SIZE	   56 /* u32 */
#define ACK_SIZE	   64

#define REPORT_LENGTH	   40 /* u32, of what follows it; later versions may append to it */
#define REPORT_STATUS	   44 /* u8 */
#define REPORT_EXACT	   45 /* u8 */
#define REPORT_UNIT	   46 /* u8 */
#define REPORT_CLOCK_KNOWN 47 /* u8 */
#define REPORT_COUNTS	   48 /* u64 each */
#define REPORT_CLOCK	   192
#define REPORT_SIZE_OLD	   208 /* an older version ends here */
#define REPORT_MISSED	   208 /* u64 */
#define REPORT_DROPS_MOST  216 /* u64 */
#define REPORT_HEAD_BYTES  224 /* u64 */
#define REPORT_DROPPED	   232 /* u64, like END's */
#define REPORT_CPU	   240 /* i64 user, system */
#define REPORT_REASONS	   256
#define REPORT_SIZE_CPU	   256 /* a version without the reasons ends here */

/* Reasons: u64 others, u8 count; each: u64 packets, u8 outgoing, u8 bytes of its name, its name. */
#define REASONS_BYTES 9
#define REASON_BYTES  10

/* The highest bit of a field of so many bits. */
#define DROPPED_EXACT(bits) (UINT64_C(1) << ((bits)-1))

static void put_time(uint8_t *at, int64_t time)
{
	np_field_put64(at, (uint64_t)time);
}

static int64_t get_time(const uint8_t *at)
{
	return (int64_t)np_field_get64(at);
}

static void put_clock(uint8_t *known, uint8_t *at, const struct message_clock *clock)
{
	*known = clock->known;
	put_time(at, clock->known ? clock->offset : 0);
	put_time(at + 8, clock->known ? clock->bound : 0);
}

/* Returns 0 or -EBADMSG. */
static int get_clock(const uint8_t *known, const uint8_t *at, struct message_clock *clock)
{
	clock->known = *known;
	clock->offset = get_time(at);
	clock->bound = get_time(at + 8);
	return *known > 1 || clock->bound < 0 ? -EBADMSG : 0;
}

static bool printable(char c)
{
	return c >= ' ' && c <= '~';
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

	np_field_put32(data + START_BYTES, start->message_bytes);
	np_field_put32(data + START_TIMEOUT, start->timeout_ms);
	np_field_put64(data + START_MESSAGES, start->messages);
	np_field_put32(data + START_RATE, kbps < UINT32_MAX ? (uint32_t)kbps : UINT32_MAX);
	np_field_put16(data + START_STREAMS, start->streams);
	data[START_NAME_BYTES] = (uint8_t)name_bytes;
	np_field_put32(data + START_RUNS, start->runs);
	np_field_put32(data + START_PROOF, start->proof);
	put_time(data + START_DURATION, start->duration);
	put_clock(&data[START_CLOCK_KNOWN], data + START_CLOCK, &start->clock);
	if (message->version >= MESSAGE_VERSION_LAST)
		np_field_put64(data + START_RATE_BITS, start->rate_bits);
	memcpy(data + name_at(message), start->session, name_bytes);
	return name_at(message) + name_bytes;
}

/* @room: with its end. */
static int get_name(const uint8_t *data, size_t bytes, char *name, size_t room)
{
	if (!bytes || bytes >= room)
		return -EBADMSG;
	memcpy(name, data, bytes);
	name[bytes] = '\0';
	for (size_t i = 0; i < bytes; i++) {
		if (!printable(name[i]))
			return -EBADMSG;
	}
	return 0;
}

static bool start_possible(const struct message *message)
{
	const struct message_start *start = &message->start;

	return start->message_bytes >= MESSAGE_HEADER_BYTES &&
	       start->message_bytes <= MESSAGE_DATA_MAX && start->messages <= INT64_MAX &&
	       start->streams >= 1 && start->streams <= MESSAGE_STREAMS_MAX &&
	       message->stream < start->streams && start->duration >= 0;
}

static int get_start(const uint8_t *data, struct message *message)
{
	struct message_start *start = &message->start;

	if (message->size < name_at(message) ||
	    message->size != name_at(message) + data[START_NAME_BYTES])
		return -EBADMSG;
	*start = (struct message_start){
		.message_bytes = np_field_get32(data + START_BYTES),
		.timeout_ms = np_field_get32(data + START_TIMEOUT),
		.messages = np_field_get64(data + START_MESSAGES),
		.rate_bits = message->version < MESSAGE_VERSION_LAST
				     ? np_field_get32(data + START_RATE) * UINT64_C(1000)
				     : np_field_get64(data + START_RATE_BITS),
		.streams = np_field_get16(data + START_STREAMS),
		.runs = np_field_get32(data + START_RUNS),
		.proof = np_field_get32(data + START_PROOF),
		.duration = get_time(data + START_DURATION),
	};
	if (get_name(data + name_at(message), data[START_NAME_BYTES], start->session,
		     sizeof(start->session)) ||
	    get_clock(&data[START_CLOCK_KNOWN], data + START_CLOCK, &start->clock))
		return -EBADMSG;
	return start_possible(message) ? 0 : -EBADMSG;
}

static size_t put_start_ok(uint8_t *data, const struct message_start_ok *ok)
{
	data[START_OK_VERDICT] = ok->verdict;
	data[START_OK_READS] = ok->reads;
	np_field_put32(data + START_OK_CHALLENGE, ok->challenge);
	put_time(data + START_OK_RECEIVED, ok->start_received);
	put_time(data + START_OK_REPLIED, ok->replied);
	return START_OK_SIZE;
}

static int get_start_ok(const uint8_t *data, struct message *message)
{
	if (message->size != START_OK_SIZE)
		return -EBADMSG;
	message->start_ok = (struct message_start_ok){
		.verdict = data[START_OK_VERDICT],
		.reads = data[START_OK_READS],
		.challenge = np_field_get32(data + START_OK_CHALLENGE),
		.start_received = get_time(data + START_OK_RECEIVED),
		.replied = get_time(data + START_OK_REPLIED),
	};
	return message->start_ok.verdict <= MESSAGE_UNWILLING ? 0 : -EBADMSG;
}

/* More than fit are not told. */
static uint64_t pack_dropped(const struct np_drops_total *dropped, unsigned bits)
{
	const uint64_t exact = DROPPED_EXACT(bits);

	if (!dropped->known || dropped->packets >= exact - 1)
		return 0;
	return (dropped->packets + 1) | (dropped->exact ? exact : 0);
}

static struct np_drops_total unpack_dropped(uint64_t packed, unsigned bits)
{
	const uint64_t exact = DROPPED_EXACT(bits), more = packed & (exact - 1);

	if (!more)
		return (struct np_drops_total){.known = false};
	return (struct np_drops_total){.known = true, .exact = packed & exact, .packets = more - 1};
}

_Static_assert(REPORT_REASONS + REASONS_BYTES +
			       MESSAGE_REASONS * (REASON_BYTES + MESSAGE_REASON_TEXT) <=
		       MESSAGE_CONTROL_MAX,
	       "the longest reasons fit behind a report");

/* Returns where they end. */
static size_t put_reasons(uint8_t *data, size_t at, const struct message_reasons *reasons)
{
	np_field_put64(data + at, reasons->others);
	data[at + 8] = (uint8_t)reasons->count;
	at += REASONS_BYTES;
	for (unsigned i = 0; i < reasons->count; i++) {
		const char *name = reasons->reason[i].name;
		const size_t bytes = strnlen(name, MESSAGE_REASON_TEXT - 1);

		np_field_put64(data + at, reasons->reason[i].packets);
		data[at + 8] = reasons->reason[i].outgoing;
		data[at + 9] = (uint8_t)bytes;
		memcpy(data + at + REASON_BYTES, name, bytes);
		at += REASON_BYTES + bytes;
	}
	return at;
}

/* They end the message. Returns 0 or -EBADMSG. */
static int get_reasons(const uint8_t *data, size_t at, size_t size, struct message_reasons *reasons)
{
	if (size < at + REASONS_BYTES || data[at + 8] > MESSAGE_REASONS)
		return -EBADMSG;
	reasons->others = np_field_get64(data + at);
	reasons->count = data[at + 8];
	at += REASONS_BYTES;
	for (unsigned i = 0; i < reasons->count; i++) {
		if (size - at < REASON_BYTES || size - at - REASON_BYTES < data[at + 9] ||
		    get_name(data + at + REASON_BYTES, data[at + 9], reasons->reason[i].name,
			     sizeof(reasons->reason[i].name)))
			return -EBADMSG;
		reasons->reason[i].packets = np_field_get64(data + at);
		reasons->reason[i].outgoing = data[at + 8] == 1;
		at += (size_t)REASON_BYTES + data[at + 9];
	}
	return 0;
}

static void put_cpu(uint8_t *at, const struct message_cpu *cpu)
{
	put_time(at, cpu->known ? cpu->user : -1);
	put_time(at + 8, cpu->known ? cpu->system : -1);
}

static struct message_cpu get_cpu(const uint8_t *at)
{
	struct message_cpu cpu = {.user = get_time(at), .system = get_time(at + 8)};

	/* Their sum is a time, too. */
	cpu.known = cpu.user >= 0 && cpu.system >= 0 && cpu.user <= INT64_MAX - cpu.system;
	return cpu;
}

static size_t put_end(uint8_t *data, const struct message *message)
{
	const struct message_end *end = &message->end;

	put_clock(&data[END_CLOCK_KNOWN], data + END_CLOCK, &end->clock);
	np_field_put64(data + END_UNSENT, end->unsent);
	np_field_put32(data + END_PROOF, end->proof);
	data[END_LAST] = end->last;
	np_field_put16(data + END_DROPPED, (uint16_t)pack_dropped(&end->dropped, 16));
	if (message->version < MESSAGE_VERSION_LAST)
		return END_SIZE;
	put_cpu(data + END_CPU, &end->cpu);
	return put_reasons(data, END_REASONS, &end->reasons);
}

static int get_end(const uint8_t *data, struct message *message)
{
	const bool first = message->version < MESSAGE_VERSION_LAST;

	if ((first ? message->size != END_SIZE : message->size < END_REASONS) ||
	    message->number > INT64_MAX)
		return -EBADMSG;
	message->end.cpu = first ? (struct message_cpu){0} : get_cpu(data + END_CPU);
	message->end.reasons.count = 0;
	message->end.reasons.others = 0;
	if (!first && get_reasons(data, END_REASONS, message->size, &message->end.reasons))
		return -EBADMSG;
	message->end.unsent = np_field_get64(data + END_UNSENT);
	message->end.proof = np_field_get32(data + END_PROOF);
	message->end.last = data[END_LAST] == 1;
	message->end.dropped = unpack_dropped(np_field_get16(data + END_DROPPED), 16);
	if (message->end.unsent > message->number)
		return -EBADMSG;
	return get_clock(&data[END_CLOCK_KNOWN], data + END_CLOCK, &message->end.clock);
}

static size_t put_ack(uint8_t *data, const struct message_ack *ack)
{
	put_time(data + ACK_RECEIVED, ack->received);
	np_field_put32(data + ACK_DATA_SIZE, ack->data_size);
	return ACK_SIZE;
}

static int get_ack(const uint8_t *data, struct message *message)
{
	if (message->size != ACK_SIZE || message->number > INT64_MAX)
		return -EBADMSG;
	message->ack = (struct message_ack){
		.received = get_time(data + ACK_RECEIVED),
		.data_size = np_field_get32(data + ACK_DATA_SIZE),
	};
	return 0;
}

/* The numbers of a report in the order of the message. */
#define REPORT_NUMBERS 18

static size_t put_report(uint8_t *data, const struct message_report *r)
{
	const struct np_histogram_figures *d = &r->delays;
	const uint64_t number[REPORT_NUMBERS] = {
		r->received,	   r->lost,	      r->duplicates,
		r->reordered,	   r->late,	      r->damaged,
		r->host_drops,	   r->bytes,	      (uint64_t)r->first,
		(uint64_t)r->last, d->count,	      (uint64_t)d->min,
		(uint64_t)d->mean, (uint64_t)d->p50,  (uint64_t)d->p90,
		(uint64_t)d->p99,  (uint64_t)d->p999, (uint64_t)d->max,
	};

	const size_t size = put_reasons(data, REPORT_REASONS, &r->reasons);

	np_field_put32(data + REPORT_LENGTH, (uint32_t)size - REPORT_STATUS);
	data[REPORT_STATUS] = r->status;
	data[REPORT_EXACT] = r->exact;
	data[REPORT_UNIT] = r->drop_unit;
	for (size_t i = 0; i < REPORT_NUMBERS; i++)
		np_field_put64(data + REPORT_COUNTS + 8 * i, number[i]);
	put_clock(&data[REPORT_CLOCK_KNOWN], data + REPORT_CLOCK, &r->clock);
	np_field_put64(data + REPORT_MISSED, r->missed_before);
	np_field_put64(data + REPORT_DROPS_MOST, r->host_drops_most);
	np_field_put64(data + REPORT_HEAD_BYTES, r->head_bytes);
	np_field_put64(data + REPORT_DROPPED, pack_dropped(&r->dropped, 64));
	put_cpu(data + REPORT_CPU, &r->cpu);
	return size;
}

static void get_report_numbers(const uint8_t *at, struct message_report *r)
{
	struct np_histogram_figures *d = &r->delays;
	uint64_t *const count[] = {&r->received, &r->lost,    &r->duplicates, &r->reordered,
				   &r->late,	 &r->damaged, &r->host_drops, &r->bytes};
	int64_t *const signed_count[] = {&d->min, &d->mean, &d->p50, &d->p90,
					 &d->p99, &d->p999, &d->max};

	for (size_t i = 0; i < sizeof(count) / sizeof(*count); i++, at += 8)
		*count[i] = np_field_get64(at);
	r->first = get_time(at);
	r->last = get_time(at + 8);
	d->count = np_field_get64(at + 16);
	at += 24;
	for (size_t i = 0; i < sizeof(signed_count) / sizeof(*signed_count); i++, at += 8)
		*signed_count[i] = get_time(at);
}

static int get_report(const uint8_t *data, struct message *message)
{
	struct message_report *r = &message->report;
	np_time span;

	if (message->size < REPORT_SIZE_OLD ||
	    np_field_get32(data + REPORT_LENGTH) != message->size - REPORT_STATUS)
		return -EBADMSG;
	*r = (struct message_report){
		.status = data[REPORT_STATUS],
		.exact = data[REPORT_EXACT] == 1,
		.drop_unit = data[REPORT_UNIT],
	};
	get_report_numbers(data + REPORT_COUNTS, r);
	r->host_drops_most = r->host_drops;
	r->head_bytes = r->received ? r->bytes / r->received : 0;
	if (message->size > REPORT_SIZE_CPU &&
	    get_reasons(data, REPORT_REASONS, message->size, &r->reasons))
		return -EBADMSG;
	if (message->size >= REPORT_SIZE_CPU)
		r->cpu = get_cpu(data + REPORT_CPU);
	if (message->size >= REPORT_CPU)
		r->dropped = unpack_dropped(np_field_get64(data + REPORT_DROPPED), 64);
	if (message->size >= REPORT_DROPPED)
		r->head_bytes = np_field_get64(data + REPORT_HEAD_BYTES);
	if (message->size >= REPORT_HEAD_BYTES) {
		r->missed_before = np_field_get64(data + REPORT_MISSED);
		r->host_drops_most = np_field_get64(data + REPORT_DROPS_MOST);
	}
	if (get_clock(&data[REPORT_CLOCK_KNOWN], data + REPORT_CLOCK, &r->clock))
		return -EBADMSG;
	/* The time between them must not overflow, either. */
	if (__builtin_sub_overflow(r->last, r->first, &span) || span < 0)
		return -EBADMSG;
	if (data[REPORT_EXACT] > 1 || r->drop_unit > MESSAGE_DROPS_BUFFERS ||
	    r->host_drops_most < r->host_drops || r->head_bytes > r->bytes)
		return -EBADMSG;
	return r->status <= MESSAGE_INTERRUPTED ? 0 : -EBADMSG;
}

size_t message_put_body(uint8_t *data, const struct message *message)
{
	memset(data + MESSAGE_HEADER_BYTES, 0, MESSAGE_CONTROL_MAX - MESSAGE_HEADER_BYTES);
	switch (message->type) {
	case MESSAGE_START: return put_start(data, message);
	case MESSAGE_START_OK: return put_start_ok(data, &message->start_ok);
	case MESSAGE_END: return put_end(data, message);
	case MESSAGE_ACK: return put_ack(data, &message->ack);
	case MESSAGE_REPORT: return put_report(data, &message->report);
	default: return MESSAGE_HEADER_BYTES;
	}
}

int message_get_body(const uint8_t *data, struct message *message)
{
	switch (message->type) {
	case MESSAGE_START: return get_start(data, message);
	case MESSAGE_START_OK: return get_start_ok(data, message);
	case MESSAGE_END: return get_end(data, message);
	case MESSAGE_ACK: return get_ack(data, message);
	case MESSAGE_REPORT: return get_report(data, message);
	default: return -EBADMSG;
	}
}
