// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * message: the header of every message, and what follows it; the fill of DATA, what a stream's
 * first bytes show, and the proof of an address: SipHash-2-4 of the host and the session.
 */
#include "message.h"

#include <errno.h>
#include <netinet/in.h>

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

uint32_t message_silence_ms(const struct message_start *start)
{
	const uint64_t each =
		start->rate_bits ? (uint64_t)start->message_bytes * 8000 / start->rate_bits : 0;
	const uint64_t limit = MESSAGE_SILENCE_MS + 2 * each;

	return limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
}

void message_fill(uint8_t *data, size_t count)
{
	size_t more;

	for (size_t i = 0; i < count && i < FILL_CYCLE; i++)
		data[i] = (uint8_t)(FILL_FIRST + i);
	/* The bytes so far are whole cycles, so they can be repeated. */
	for (size_t done = FILL_CYCLE; done < count; done += more) {
		more = (size_t)np_least(np_least(done, FILL_AT_ONCE), count - done);
		memcpy(data + done, data, more);
	}
}

#define LIMITED(list, field, most) NP_FIELD_NUMBER(list, field, sizeof(field), most)
#define FLAG(list, field)	   NP_FIELD_NUMBER(list, field, 1, 1)

/*
 * The fields of each control message, in order. When they are written, @w says so by its out, and
 * what a function changes is the encoder's own copy.
 */

/* @bytes of printable ASCII, at least one; @room: with its end. */
static void text(struct np_field_list *w, char *name, uint8_t bytes, size_t room)
{
	if (!w->out && (!bytes || bytes >= room)) {
		w->in.bad = true;
		return;
	}
	np_field_list_bytes(w, name, bytes);
	name[bytes] = '\0';
	for (size_t i = 0; i < bytes; i++)
		w->in.bad |= name[i] < ' ' || name[i] > '~';
}

/* An unknown one has its own bytes. */
static void clock_of(struct np_field_list *w, struct np_offset *clock)
{
	if (w->out && !clock->known)
		clock->offset = clock->bound = 0;
	NP_FIELD(w, clock->offset);
	LIMITED(w, clock->bound, INT64_MAX);
}

static void cpu(struct np_field_list *w, struct message_cpu *c)
{
	np_time *const user = &c->usage.user, *const system = &c->usage.system;

	if (w->out && !c->known)
		*user = *system = -1;
	NP_FIELD(w, *user);
	NP_FIELD(w, *system);
	/* Their sum is a time, too. */
	c->known = *user >= 0 && *system >= 0 && *user <= INT64_MAX - *system;
}

static void dropped(struct np_field_list *w, struct np_drops_total *total, unsigned bytes)
{
	uint64_t packed = np_drops_pack(total, 8 * bytes);

	NP_FIELD_NUMBER(w, packed, bytes, UINT64_MAX);
	*total = np_drops_unpack(packed, 8 * bytes);
}

static void reasons(struct np_field_list *w, struct message_reasons *r)
{
	NP_FIELD(w, r->others);
	NP_FIELD_NUMBER(w, r->count, 1, MESSAGE_REASONS);
	for (unsigned i = 0; i < r->count; i++) {
		struct np_drops_entry *entry = &r->entry[i];
		uint8_t bytes = (uint8_t)strnlen(entry->reason, sizeof(entry->reason) - 1);
		uint8_t outgoing = entry->direction == NP_DROPS_OUT;

		NP_FIELD(w, entry->packets);
		NP_FIELD(w, outgoing);
		NP_FIELD(w, bytes);
		text(w, entry->reason, bytes, sizeof(entry->reason));
		entry->direction = outgoing == 1 ? NP_DROPS_OUT : NP_DROPS_IN;
	}
}

static void start(struct np_field_list *w, struct message *m)
{
	struct message_start *s = &m->start;
	const uint64_t rounded = s->rate_bits / 1000 + (s->rate_bits % 1000 != 0);
	uint32_t kbps = rounded < UINT32_MAX ? (uint32_t)rounded : UINT32_MAX;
	uint8_t name_bytes = (uint8_t)strnlen(s->session, sizeof(s->session) - 1);

	LIMITED(w, s->message_bytes, MESSAGE_DATA_MAX);
	NP_FIELD(w, s->timeout_ms);
	LIMITED(w, s->messages, INT64_MAX);
	NP_FIELD(w, kbps);
	LIMITED(w, s->streams, MESSAGE_STREAMS_MAX);
	NP_FIELD(w, name_bytes);
	FLAG(w, s->clock.known);
	NP_FIELD(w, s->runs);
	NP_FIELD(w, s->proof);
	LIMITED(w, s->duration, INT64_MAX);
	clock_of(w, &s->clock);
	if (m->version < MESSAGE_VERSION_LAST)
		s->rate_bits = kbps * UINT64_C(1000);
	else
		NP_FIELD(w, s->rate_bits);
	text(w, s->session, name_bytes, sizeof(s->session));
	w->in.bad |=
		w->in.left || s->message_bytes < MESSAGE_HEADER_BYTES || m->stream >= s->streams;
}

static void end(struct np_field_list *w, struct message *m)
{
	struct message_end *e = &m->end;
	uint8_t last = e->last;

	FLAG(w, e->clock.known);
	NP_FIELD(w, last);
	e->last = last == 1;
	dropped(w, &e->account.dropped, 2);
	NP_FIELD(w, e->proof);
	clock_of(w, &e->clock);
	LIMITED(w, e->unsent, m->number);
	w->in.bad |= m->number > INT64_MAX;
	if (m->version < MESSAGE_VERSION_LAST) {
		w->in.bad |= w->in.left;
		return;
	}
	cpu(w, &e->account.cpu);
	reasons(w, &e->account.reasons);
	if (!w->out && !w->in.left)
		return;
	FLAG(w, e->marks.known);
	NP_FIELD(w, e->marks.tos);
	NP_FIELD(w, e->marks.hops);
}

/* Begins with the length of the rest, to which later versions may append. */
static void report(struct np_field_list *w, struct message_report *r)
{
	struct np_flow_counts *c = &r->counts;
	struct np_histogram_figures *delays = &r->delays;
	uint8_t *const at = w->out;
	uint32_t length = 0;

	NP_FIELD(w, length);
	w->in.bad |= length != w->in.left;
	LIMITED(w, r->status, MESSAGE_INTERRUPTED);
	FLAG(w, r->exact);
	LIMITED(w, r->drop_unit, MESSAGE_DROPS_BUFFERS);
	FLAG(w, r->clock.known);
	NP_FIELD(w, c->received);
	NP_FIELD(w, c->lost);
	NP_FIELD(w, c->duplicates);
	NP_FIELD(w, c->reordered);
	NP_FIELD(w, c->late);
	NP_FIELD(w, c->damaged);
	NP_FIELD(w, r->drops.least);
	NP_FIELD(w, c->bytes);
	NP_FIELD(w, c->first);
	NP_FIELD(w, c->last);
	NP_FIELD(w, delays->count);
	NP_FIELD(w, delays->min);
	NP_FIELD(w, delays->mean);
	NP_FIELD(w, delays->p50);
	NP_FIELD(w, delays->p90);
	NP_FIELD(w, delays->p99);
	NP_FIELD(w, delays->p999);
	NP_FIELD(w, delays->max);
	clock_of(w, &r->clock);
	NP_FIELD(w, c->missed_before);
	NP_FIELD(w, r->drops.upmost);
	NP_FIELD(w, c->head_bytes);
	dropped(w, &r->account.dropped, 8);
	cpu(w, &r->account.cpu);
	reasons(w, &r->account.reasons);
	/* The time between the arrivals must not overflow, either. */
	w->in.bad |= __builtin_sub_overflow(c->last, c->first, &c->elapsed) || c->elapsed < 0 ||
		     r->drops.upmost < r->drops.least || c->head_bytes > c->bytes;
	if (at)
		np_field_put32(at, (uint32_t)(w->out - at) - (uint32_t)sizeof(length));
}

_Static_assert(256 + 9 + MESSAGE_REASONS * (10 + sizeof(((struct np_drops_entry *)0)->reason)) <=
		       MESSAGE_CONTROL_MAX,
	       "the longest reasons fit behind a report");

static void body(struct np_field_list *w, struct message *m)
{
	struct message_start_ok *ok = &m->start_ok;
	struct message_transact *t = &m->transact;
	uint64_t unused = 0;
	uint32_t unused_behind = 0;

	switch (m->type) {
	case MESSAGE_START:
	case MESSAGE_REVERSE: start(w, m); break;
	case MESSAGE_END: end(w, m); break;
	case MESSAGE_REPORT: report(w, &m->report); break;
	case MESSAGE_START_OK:
		LIMITED(w, ok->verdict, MESSAGE_UNWILLING);
		NP_FIELD(w, ok->reads); /* 0: 1 */
		NP_FIELD(w, ok->limit);
		NP_FIELD(w, ok->several);
		NP_FIELD(w, ok->challenge);
		NP_FIELD(w, ok->start_received);
		NP_FIELD(w, ok->replied);
		w->in.bad |= w->in.left;
		break;
	case MESSAGE_ACK:
		NP_FIELD(w, m->ack.received);
		NP_FIELD(w, unused);
		NP_FIELD(w, m->ack.data_size);
		NP_FIELD(w, unused_behind);
		w->in.bad |= w->in.left || m->number > INT64_MAX;
		break;
	case MESSAGE_TRANSACT:
		LIMITED(w, t->request_bytes, MESSAGE_DATA_MAX);
		LIMITED(w, t->response_bytes, MESSAGE_DATA_MAX);
		w->in.bad |= w->in.left || !t->request_bytes || !t->response_bytes;
		break;
	default: w->in.bad = true;
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
	const uint64_t sum = put_header(data, message, MESSAGE_DATA, size);

	np_field_put32(data + CHECK, np_field_sum_end(sum));
}

size_t message_encode(uint8_t data[MESSAGE_CONTROL_MAX], const struct message *message)
{
	struct np_field_list w = {.out = data + MESSAGE_HEADER_BYTES};
	struct message m = *message;
	uint64_t sum;

	body(&w, &m);
	m.size = (uint32_t)(w.out - data);
	sum = sum_body(put_header(data, &m, m.type, m.size), data, m.size);
	np_field_put32(data + CHECK, np_field_sum_end(sum));
	return m.size;
}

bool message_is_ours(const uint8_t *data, size_t length)
{
	static const uint8_t magic[] = {0x89, 'T', 'T'};

	return length && !memcmp(data, magic, length < sizeof(magic) ? length : sizeof(magic));
}

bool message_is_answer(const uint8_t *data, size_t length)
{
	return length >= MESSAGE_HEADER_BYTES && message_is_ours(data, length) &&
	       (data[TYPE] == MESSAGE_START_OK || data[TYPE] == MESSAGE_ACK ||
		data[TYPE] == MESSAGE_REPORT);
}

/* Checks the 40 bytes of a header. Returns 0 or -errno. */
static int check_header(const uint8_t *data)
{
	const uint32_t magic = np_field_get32(data), size = np_field_get32(data + SIZE);
	const uint8_t type = data[TYPE];

	if (magic != (MAGIC | MESSAGE_VERSION) &&
	    (magic != (MAGIC | MESSAGE_VERSION_LAST) ||
	     (type != MESSAGE_START && type != MESSAGE_END && type != MESSAGE_REVERSE)))
		return (magic & MAGIC_MASK) == MAGIC ? -EPROTONOSUPPORT : -EPROTO;
	if (type == MESSAGE_DATA &&
	    np_field_get32(data + CHECK) != np_field_sum_end(sum_header(data)))
		return -EBADMSG;
	if (size < MESSAGE_HEADER_BYTES ||
	    size > (type == MESSAGE_DATA ? MESSAGE_DATA_MAX : MESSAGE_CONTROL_MAX))
		return -EBADMSG;
	return 0;
}

int64_t message_size(const uint8_t *data, size_t length)
{
	int rc;

	if (length && !message_is_ours(data, length))
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
	struct np_field_list w = {.out = NULL};

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
	if (np_field_get32(data + CHECK) !=
	    np_field_sum_end(sum_body(sum_header(data), data, message->size)))
		return -EBADMSG;
	/* An ACK is all in its fields. */
	if (message->type != MESSAGE_ACK)
		memset(&message->start, 0, sizeof(*message) - offsetof(struct message, start));
	w.in = (struct np_field_cursor){data + MESSAGE_HEADER_BYTES,
					message->size - MESSAGE_HEADER_BYTES, false};
	body(&w, message);
	return w.in.bad ? -EBADMSG : 0;
}

int message_decode(const uint8_t *data, size_t length, struct message *message)
{
	int rc;

	if (length < MESSAGE_HEADER_BYTES)
		return -EPROTO;
	message->session = np_field_get32(data + SESSION);
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

const char *const message_limits[] = {
	[MESSAGE_LIMIT_DURATION] = "--max-duration",
	[MESSAGE_LIMIT_RATE] = "--max-rate",
};

char *message_limit_text(const struct message_start_ok *ok, const char *what, bool bytes,
			 char out[MESSAGE_LIMIT_TEXT])
{
	*out = '\0';
	if (ok->limit == MESSAGE_LIMIT_RATE)
		snprintf(out, MESSAGE_LIMIT_TEXT, "%s: its --max-rate is %s; give --rate", what,
			 np_rate_format((double)ok->most / 8, bytes).text);
	else if (ok->limit == MESSAGE_LIMIT_DURATION && ok->most <= INT64_MAX)
		snprintf(out, MESSAGE_LIMIT_TEXT, "%s: its --max-duration is %s s", what,
			 np_units_format_time((np_time)ok->most).text);
	return out;
}
