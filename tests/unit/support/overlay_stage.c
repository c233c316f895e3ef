// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* overlay_stage: plays scripts at one node of an overlay. */
#include "overlay_stage.h"

#include "../../../src/lib/overlay/spanning.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REALM 0x7fd2
#define SENT  256
#define WORDS 24
#define PINGS 16

struct sent {
	struct overlay_address to; /* all 0: to the group */
	size_t bytes;
	uint8_t data[2048];
};

struct stage {
	struct np_overlay *node;
	struct overlay_substrate substrate;
	np_time now;
	unsigned first, sent, refused, told[8], delivered; /* first: of those not yet looked at */
	struct sent message[SENT];
	struct np_overlay_event event[8]; /* the latest of its kind */
	char got[128];			  /* the latest payload */
	char answer[16];
	int refuse;
	/* Pings are answered when the call has ended, what that brings forth is not kept. */
	bool unproven, mute;
	unsigned pings, pongs;
	struct sent ping[PINGS], *latest_ping;
	/* The statement that is being played. */
	const char *statement;
	unsigned words;
	char *word[WORDS];
};

static const char *const dt_types[] = {
	"HELLO", "NOT_NEIGHBOUR", "GOODBYE",   "SERVER_REQUEST", "SERVER_REPLY", "NEW_NODE",
	"PING",	 "PONG",	  "I_AM_HERE", "I_AM_LEADER",	 "BEACON",	 "TEST",
};
static const char *const spt_types[] = {"BEACON", "GOODBYE", "REQUEST", "REPLY"};
static const char *const events[] = {
	[NP_OVERLAY_STABLE] = "STABLE",	  [NP_OVERLAY_NEIGHBOURHOOD] = "NEIGHBOURHOOD",
	[NP_OVERLAY_ADDRESS] = "ADDRESS", [NP_OVERLAY_LEFT] = "LEFT",
	[NP_OVERLAY_TWIN] = "TWIN",	  [NP_OVERLAY_COCIRCULAR] = "COCIRCULAR",
};
static const char *const modes[] = {
	[OVERLAY_MULTICAST] = "all", [OVERLAY_FLOOD] = "flood", [OVERLAY_UNICAST] = "one"};
static const struct {
	const char *name;
	int number;
} errors[] = {
	{"0", 0},
	{"EAGAIN", EAGAIN},
	{"ENOBUFS", ENOBUFS},
	{"EINVAL", EINVAL},
	{"EMSGSIZE", EMSGSIZE},
	{"ENOTCONN", ENOTCONN},
	{"EHOSTUNREACH", EHOSTUNREACH},
};

#define FAIL(s, ...)                                                                               \
	do {                                                                                       \
		print_error("in \"%s\": ", (s)->statement);                                        \
		fail_msg(__VA_ARGS__);                                                             \
	} while (0)

struct overlay_address station(unsigned number)
{
	return overlay_address_ipv4(0x0a000001 + number, 9000, REALM);
}

/* 999: none of the stations. */
static unsigned station_of(const struct overlay_address *address)
{
	struct sockaddr_in in;

	return overlay_address_get_ipv4(address, &in) ? ntohl(in.sin_addr.s_addr) - 0x0a000001
						      : 999;
}

static int take(struct overlay_substrate *from, const struct overlay_address *to,
		const void *message, size_t bytes, enum overlay_class class)
{
	struct stage *s = from->context;
	const uint8_t *data = message;
	const bool ping = data[0] >> 4 == OVERLAY_MESSAGE_DT && data[3] == OVERLAY_DT_PING;
	struct sent *sent = ping ? &s->ping[s->pings++ % PINGS] : &s->message[s->sent % SENT];

	if (s->refuse) {
		s->refused++;
		return s->refuse;
	}
	if (s->mute)
		return 0;
	assert_true(bytes <= sizeof(sent->data));
	assert_int_equal(class == OVERLAY_PROTOCOL, data[0] >> 4 != OVERLAY_MESSAGE_OL);
	*sent = (struct sent){.bytes = bytes};
	if (to)
		sent->to = *to;
	memcpy(sent->data, message, bytes);
	s->sent += !ping;
	s->latest_ping = ping ? sent : s->latest_ping;
	return 0;
}

static void deliver(void *context, const struct np_overlay_message *payload)
{
	struct stage *s = context;

	s->delivered++;
	snprintf(s->got, sizeof(s->got), "%.*s hops %u %s", (int)payload->bytes,
		 (const char *)payload->data, payload->hop_limit,
		 payload->own	    ? "own"
		 : payload->unicast ? "one"
				    : "all");
	if (s->answer[0] && !payload->own)
		np_overlay_send(s->node, &payload->source, s->answer, strlen(s->answer));
}

static void tell(void *context, const struct np_overlay_event *event)
{
	struct stage *s = context;

	s->told[event->kind]++;
	s->event[event->kind] = *event;
}

struct overlay_plan stage_plan(enum overlay_protocol protocol)
{
	static struct overlay_address buddy;
	struct overlay_plan plan = overlay_plan_default(protocol);

	buddy = station(9);
	plan.hash = HASH;
	plan.self = station(0);
	plan.coordinates = protocol == OVERLAY_SPT ? P(SELF_NUMBER, 0) : SELF;
	plan.contacts = &buddy;
	plan.contact_count = protocol == OVERLAY_DT_BUDDIES;
	plan.seed = 1;
	return plan;
}

struct stage *stage_open(const struct overlay_plan *plan)
{
	static struct stage *latest;
	struct stage *s = calloc(1, sizeof(*s));
	static const struct overlay_substrate_face face = {.send = take};
	const struct np_overlay_listener listener = {s, deliver, tell};

	assert_non_null(s);
	if (latest)
		overlay_node_free(latest->node);
	free(latest);
	latest = s;
	s->now = START;
	s->substrate = (struct overlay_substrate){.face = &face, .context = s};
	assert_int_equal(overlay_node_create(&s->node, plan, &s->substrate, &listener), 0);
	np_overlay_join(s->node, s->now);
	return s;
}

struct np_overlay *stage_node(const struct stage *s)
{
	return s->node;
}

np_time stage_now(const struct stage *s)
{
	return s->now;
}

/* Words. */

static const char *word(const struct stage *s, unsigned at)
{
	if (at >= s->words)
		FAIL(s, "a word is missing");
	return s->word[at];
}

static bool is(const struct stage *s, unsigned at, const char *text)
{
	return at < s->words && !strcmp(s->word[at], text);
}

/* Where a word is that stands before a value; 0: it is not there. */
static unsigned find(const struct stage *s, const char *text)
{
	for (unsigned i = 1; i < s->words; i++) {
		if (is(s, i, text))
			return i + 1;
	}
	return 0;
}

static long long number(const struct stage *s, unsigned at)
{
	char *end;
	const long long value = strtoll(word(s, at), &end, 10);

	if (*end)
		FAIL(s, "no number: %s", word(s, at));
	return value;
}

/* Whether a value is that of a word: N, or LOW..HIGH. */
static bool within(const struct stage *s, unsigned at, uint64_t value)
{
	unsigned long long low = 0, high;
	const int read = sscanf(word(s, at), "%llu..%llu", &low, &high);

	return read == 1 ? value == low : value >= low && value <= high;
}

static unsigned number_after(const struct stage *s, const char *text, unsigned otherwise)
{
	const unsigned at = find(s, text);

	return at ? (unsigned)number(s, at) : otherwise;
}

static np_time time_of(const struct stage *s, const char *text)
{
	np_time time = 0;

	while (*text) {
		char *end;
		const long long value = strtoll(text, &end, 10);

		if (end == text)
			FAIL(s, "no time: %s", text);
		time += value * (*end == 's' ? NP_SECOND : *end == 'n' ? 1 : NP_MILLISECOND);
		text = end + (*end == 's' || *end == 'n');
	}
	return time;
}

static int error_of(const struct stage *s, unsigned at)
{
	for (size_t i = 0; i < COUNT(errors); i++) {
		if (!strcmp(errors[i].name, word(s, at)))
			return -errors[i].number;
	}
	FAIL(s, "no error");
	return 0;
}

static struct overlay_point point(const char *text)
{
	struct overlay_point p = {0, 0};

	sscanf(text, "%d,%d", &p.x, &p.y);
	return p;
}

static struct np_overlay_logical logical(const char *text)
{
	struct overlay_address at;

	if (*text == '@') {
		at = station((unsigned)atoi(text + 1));
		return overlay_logical_address(&at);
	}
	return strchr(text, ',') ? overlay_logical_point(point(text))
				 : overlay_logical_number(atoi(text));
}

/* X,Y@N */
static struct overlay_pair pair(const char *text)
{
	return (struct overlay_pair){point(text), station((unsigned)atoi(strchr(text, '@') + 1))};
}

/* Messages as text. */

static void print_pair(char *out, const char *name, const struct overlay_pair *p)
{
	if (!overlay_point_null(p->point))
		sprintf(out + strlen(out), " %s=%d,%d@%u", name, p->point.x, p->point.y,
			station_of(&p->address));
}

static void print_ol(char *out, const struct overlay_ol *ol)
{
	char source[NP_OVERLAY_LOGICAL_TEXT], previous[NP_OVERLAY_LOGICAL_TEXT];
	const struct overlay_extension *data = overlay_ol_find(ol, OVERLAY_EXTENSION_DATA);
	const struct overlay_extension *route = overlay_ol_find(ol, OVERLAY_EXTENSION_ROUTE);

	sprintf(out, "%s %s by %s", modes[ol->mode], np_overlay_format(&ol->source, source),
		np_overlay_format(&ol->previous, previous));
	if (ol->mode == OVERLAY_UNICAST)
		sprintf(out + strlen(out), " to %s", np_overlay_format(&ol->destination, source));
	sprintf(out + strlen(out), " hops %u", ol->hop_limit);
	for (size_t at = 0; route && at < route->bytes; at += ol->source.size) {
		struct np_overlay_logical hop = {.size = ol->source.size};

		memcpy(hop.bytes, route->data + at, hop.size);
		sprintf(out + strlen(out), "%s %s", at ? "" : " route",
			np_overlay_format(&hop, source));
	}
	if (ol->long_width)
		strcat(out, " long");
	if (data && data->bytes < 16)
		sprintf(out + strlen(out), ": %.*s", (int)data->bytes, (const char *)data->data);
	if (ol->extensions > 2)
		sprintf(out + strlen(out), " extensions %u", ol->extensions);
}

static void print_spt(char *out, const struct overlay_spt *spt)
{
	const uint8_t *at = spt->sender;

	sprintf(out, "%s %d", spt_types[spt->type], spt->source);
	if (spt->type == OVERLAY_SPT_ROUTE_REQUEST)
		sprintf(out + strlen(out), " %d", spt->wanted);
	if (spt->type == OVERLAY_SPT_ROUTE_REPLY)
		sprintf(out + strlen(out), " %d %d", spt->next_hop, spt->wanted);
	if (spt->type != OVERLAY_SPT_BEACON)
		return;
	sprintf(out + strlen(out), " root %d parent %d cost %d metric %u hears", spt->root,
		spt->parent, spt->cost, spt->metric);
	for (unsigned i = 0; i < spt->senders && i < 16; i++, at += OVERLAY_SPT_SENDER_BYTES)
		sprintf(out + strlen(out), " %d:%s%u", (int32_t)np_field_get32(at),
			at[4] & OVERLAY_SPT_TREE ? "T" : "", at[4] & OVERLAY_SPT_HEARD);
	sprintf(out + strlen(out), " (%u)", spt->senders);
}

/* As text; each is of the node's overlay. */
static void print(const struct stage *s, const struct sent *sent, char out[1024])
{
	struct overlay_dt dt;
	struct overlay_spt spt;
	struct overlay_ol ol;

	if (!overlay_dt_decode(sent->data, sent->bytes, &dt)) {
		assert_int_equal(dt.hash, HASH);
		assert_int_equal(dt.rendezvous, s->node->plan.protocol == OVERLAY_DT_BROADCAST
							? OVERLAY_RENDEZVOUS_MULTICAST
							: OVERLAY_RENDEZVOUS_BUDDIES);
		sprintf(out, "%s %d,%d>%d,%d", dt_types[dt.type], dt.source.x, dt.source.y,
			dt.destination.x, dt.destination.y);
		print_pair(out, "a", &dt.a);
		print_pair(out, "b", &dt.b);
	} else if (!overlay_spt_decode(sent->data, sent->bytes, &spt)) {
		assert_int_equal(spt.hash, HASH);
		print_spt(out, &spt);
	} else if (!overlay_ol_decode(sent->data, sent->bytes, &ol)) {
		print_ol(out, &ol);
	} else {
		fail_msg("no message");
	}
}

/* What others say. */

static void receive(struct stage *s, const void *message, size_t bytes)
{
	struct overlay_address from = station((unsigned)number(s, 0));

	from.realm = (uint16_t)(from.realm + (find(s, "realm+") != 0));
	overlay_node_receive(s->node, &from, message, bytes, s->now);
}

static void answer_pings(struct stage *s)
{
	for (; s->pongs < s->pings; s->pongs++) {
		const struct sent *ping = &s->ping[s->pongs % PINGS];
		const struct overlay_address from = ping->to;
		const struct np_address endpoint = overlay_address_endpoint(&from);
		struct np_overlay_neighbour at[128];
		uint8_t message[OVERLAY_DT_MAX];
		struct overlay_dt dt, pong = {.type = OVERLAY_DT_PONG, .hash = HASH};
		unsigned count;

		if (s->unproven || overlay_dt_decode(ping->data, ping->bytes, &dt))
			continue;
		pong.source = dt.destination;
		pong.destination = dt.source;
		s->mute = false;
		count = np_overlay_neighbours(s->node, at, 128);
		for (unsigned i = 0; i < count && !s->mute; i++)
			s->mute = np_address_equal(&at[i].address, &endpoint);
		overlay_node_receive(s->node, &from, message, overlay_dt_encode(message, &pong),
				     s->now);
		s->mute = false;
	}
}

static void hear_dt(struct stage *s, uint8_t type)
{
	const unsigned to = find(s, "to"), a = find(s, "a"), b = find(s, "b");
	uint8_t message[OVERLAY_DT_MAX];
	struct overlay_dt dt = {
		.type = type,
		.rendezvous = OVERLAY_RENDEZVOUS_BUDDIES,
		.hash = HASH + number_after(s, "hash", 0),
		.source = point(word(s, 2)),
		.destination = to ? point(word(s, to)) : SELF,
	};

	if (a)
		dt.a = pair(word(s, a));
	if (b)
		dt.b = pair(word(s, b));
	receive(s, message, overlay_dt_encode(message, &dt));
	answer_pings(s);
}

static void hear_spt(struct stage *s, const struct overlay_spt *spt)
{
	struct overlay_spt whole = *spt;
	uint8_t message[2048];
	ssize_t bytes;

	whole.rendezvous = OVERLAY_RENDEZVOUS_MULTICAST;
	whole.hash = HASH + number_after(s, "hash", 0);
	bytes = overlay_spt_encode(message, sizeof(message), &whole);
	assert_true(bytes > 0);
	receive(s, message, (size_t)bytes);
}

static void hear_view(struct stage *s, int32_t who, int32_t root, int32_t parent, int32_t cost,
		      const char *told, int64_t stamp)
{
	const bool tree = *told == 'T';
	const uint8_t heard = (uint8_t)(atoi(told + tree) | (tree ? OVERLAY_SPT_TREE : 0));
	uint8_t sender[OVERLAY_SPT_SENDER_BYTES];
	struct overlay_spt spt = {
		.source = who,
		.address = station(number_after(s, "where", (unsigned)number(s, 0))),
		.root = root,
		.parent = parent,
		.cost = cost,
		.timestamp = stamp ? stamp : s->now / NP_MILLISECOND,
		.metric = (uint16_t)(10000 - cost),
		.senders = heard != 0,
		.sender = sender,
	};

	overlay_spt_put_sender(sender, stage_number(s), heard);
	hear_spt(s, &spt);
}

static bool hear_tree(struct stage *s)
{
	struct overlay_spt spt = {.source = s->words > 2 ? atoi(s->word[2]) : 0};

	if (is(s, 1, "root")) {
		hear_view(s, spt.source, spt.source, 0, 0, "1", 0);
	} else if (is(s, 1, "child")) {
		hear_view(s, spt.source, (int32_t)number(s, 3), SELF_NUMBER, 2, "1", 0);
	} else if (is(s, 1, "view")) {
		hear_view(s, spt.source, (int32_t)number(s, 3), (int32_t)number(s, 4),
			  (int32_t)number(s, 5), word(s, 6),
			  s->words > 7 && !is(s, 7, "where") ? number(s, 7) : 0);
	} else if (is(s, 1, "bye")) {
		spt.type = OVERLAY_SPT_GOODBYE;
		hear_spt(s, &spt);
	} else if (is(s, 1, "asks")) {
		spt.type = OVERLAY_SPT_ROUTE_REQUEST;
		spt.wanted = (int32_t)number(s, 3);
		hear_spt(s, &spt);
	} else if (is(s, 1, "replies")) {
		spt.type = OVERLAY_SPT_ROUTE_REPLY;
		spt.next_hop = (int32_t)number(s, 3);
		spt.wanted = (int32_t)number(s, 4);
		hear_spt(s, &spt);
	} else {
		return false;
	}
	return true;
}

static void hear_payload(struct stage *s, uint8_t mode)
{
	static const uint8_t zeros[1024];
	uint8_t message[2048], hops[256];
	unsigned by = find(s, "by"), to = find(s, "to"), at = find(s, "route");
	struct overlay_ol ol = {
		.mode = mode,
		.hop_limit = (uint16_t)number_after(s, "hops", 254),
		.source = logical(word(s, 2)),
		.previous = logical(word(s, by ? by : 2)),
		.long_width = (uint8_t)number_after(s, "long", 0),
		.extensions = number_after(s, "extensions", 1),
		.extension = {{OVERLAY_EXTENSION_DATA, 0, 5, (const uint8_t *)"hello"}},
	};
	ssize_t bytes;

	ol.destination = to ? logical(word(s, to)) : np_overlay_logical(s->node);
	if (find(s, "size"))
		ol.extension[0] = (struct overlay_extension){OVERLAY_EXTENSION_DATA, 0,
							     number_after(s, "size", 0), zeros};
	if (find(s, "empty"))
		ol.extension[0].type = OVERLAY_EXTENSION_FSM;
	for (unsigned i = 1; i < ol.extensions; i++)
		ol.extension[i] = (struct overlay_extension){100, 0, 4, zeros};
	if (at) {
		size_t length = 0;

		for (; at < s->words && strpbrk(s->word[at], "0123456789"); at++) {
			const struct np_overlay_logical hop = logical(s->word[at]);

			memcpy(hops + length, hop.bytes, hop.size);
			length += hop.size;
		}
		ol.extension[ol.extensions++] =
			(struct overlay_extension){OVERLAY_EXTENSION_ROUTE, 0, length, hops};
	}
	bytes = overlay_ol_encode(message, sizeof(message), &ol);
	assert_true(bytes > 0);
	receive(s, message, (size_t)bytes);
}

/* Answers the latest ping, to whomever that went. */
static void hear_proof(struct stage *s)
{
	uint8_t message[OVERLAY_DT_MAX];
	struct overlay_dt dt;

	assert_int_equal(overlay_dt_decode(s->latest_ping->data, s->latest_ping->bytes, &dt), 0);
	dt = (struct overlay_dt){.type = OVERLAY_DT_PONG,
				 .hash = HASH,
				 .source = dt.destination,
				 .destination = dt.source};
	receive(s, message, overlay_dt_encode(message, &dt));
}

static void hear_raw(struct stage *s)
{
	uint8_t data[64];
	size_t bytes = 0;

	for (const char *c = s->words > 2 ? s->word[2] : ""; *c; c += 2) {
		unsigned byte;

		sscanf(c, "%2x", &byte);
		data[bytes++] = (uint8_t)byte;
	}
	receive(s, data, bytes);
}

static void hear(struct stage *s)
{
	const char *verb = word(s, 1);

	for (uint8_t i = 0; i < COUNT(modes); i++) {
		if (modes[i] && !strcmp(verb, modes[i])) {
			hear_payload(s, i);
			return;
		}
	}
	for (uint8_t i = 0; i < COUNT(dt_types); i++) {
		if (!strcmp(verb, dt_types[i])) {
			hear_dt(s, i);
			return;
		}
	}
	if (!strcmp(verb, "raw"))
		hear_raw(s);
	else if (!strcmp(verb, "proves"))
		hear_proof(s);
	else if (*verb >= '0' && *verb <= '9')
		hear_dt(s, (uint8_t)atoi(verb));
	else if (!hear_tree(s))
		FAIL(s, "nothing that a station says");
}

/* Time. */

static void pass(struct stage *s, np_time time)
{
	const np_time until = s->now + time;

	while (overlay_node_deadline(s->node) <= until) {
		s->now = overlay_node_deadline(s->node);
		overlay_node_tick(s->node, s->now);
		answer_pings(s);
	}
	s->now = until;
}

static void tick(struct stage *s)
{
	if (overlay_node_deadline(s->node) > s->now)
		s->now = overlay_node_deadline(s->node);
	overlay_node_tick(s->node, s->now);
}

/* What is to be so. */

static uint64_t heard(const struct stage *s)
{
	return s->node->spanning ? s->node->spanning->count : 0;
}

static bool counted(const struct stage *s, const char *name, uint64_t *value)
{
	const struct np_overlay_node_counts *c = &s->node->counts;
#define COUNTER(member)                                                                            \
	{                                                                                          \
#member, c->member                                                                 \
	}
	const struct {
		const char *name;
		uint64_t value;
	} all[] = {
		{"neighbours", np_overlay_neighbours(s->node, NULL, 0)},
		{"delivered", s->delivered},
		{"refused", s->refused},
		{"pings", s->pings},
		{"stable", np_overlay_stable(s->node)},
		{"heard", heard(s)},
		{"payloads", c->sent},
		COUNTER(received),
		COUNTER(malformed),
		COUNTER(foreign),
		COUNTER(forged),
		COUNTER(not_from_parent),
		COUNTER(looped),
		COUNTER(expired),
		COUNTER(unroutable),
		COUNTER(empty),
		COUNTER(too_long),
		COUNTER(full),
		COUNTER(moves),
		COUNTER(timed_out),
	};

	for (size_t i = 0; i < COUNT(all); i++) {
		if (!strcmp(all[i].name, name)) {
			*value = all[i].value;
			return true;
		}
	}
	for (size_t i = 0; i < COUNT(events); i++) {
		if (!strcmp(events[i], name)) {
			*value = s->told[i];
			return true;
		}
	}
	return false;
}

uint64_t stage_count(const struct stage *s, const char *name)
{
	uint64_t value = 0;

	assert_true(counted(s, name, &value));
	return value;
}

/* @text is the rest of the statement. */
static void said(const struct stage *s, const char *text)
{
	const bool group = is(s, 1, "group");
	const struct overlay_address where =
		group ? (struct overlay_address){0} : station((unsigned)number(s, 1));
	char found[1024] = "-", one[1024];

	for (unsigned i = s->first; i < s->sent; i++) {
		const struct sent *sent = &s->message[i % SENT];

		if (s->sent - i > SENT || !overlay_address_equal(&sent->to, &where))
			continue;
		print(s, sent, one);
		if (!group || *text == '-' || !strncmp(one, text, strcspn(text, " ")))
			strcpy(found, one);
	}
	if (strncmp(found, text, strlen(text)) != 0 || (*text == '-' && found[1]))
		FAIL(s, "said: %s", found);
}

/* To the stations of all words but the last. */
static void bytes_to(const struct stage *s)
{
	size_t bytes = 0;

	for (unsigned k = 1; k + 1 < s->words; k++) {
		const struct overlay_address where = station((unsigned)number(s, k));

		for (unsigned i = s->first; i < s->sent; i++)
			if (overlay_address_equal(&s->message[i % SENT].to, &where))
				bytes += s->message[i % SENT].bytes;
		for (unsigned i = 0; i < s->pings && i < PINGS; i++)
			if (overlay_address_equal(&s->ping[i].to, &where))
				bytes += s->ping[i].bytes;
	}
	if (!within(s, s->words - 1, bytes))
		FAIL(s, "%zu bytes", bytes);
}

static bool near(const struct stage *s, const char *text)
{
	const struct np_overlay_logical wanted = logical(text);
	struct np_overlay_neighbour at[256];
	const unsigned count = np_overlay_neighbours(s->node, at, 256);

	for (unsigned i = 0; i < count; i++) {
		if (np_overlay_equal(&at[i].logical, &wanted))
			return true;
	}
	return false;
}

static void compare(const struct stage *s, const struct np_overlay_logical *got, const char *wanted)
{
	char text[NP_OVERLAY_LOGICAL_TEXT];

	if (strcmp(np_overlay_format(got, text), wanted) != 0)
		FAIL(s, "it is %s", text);
}

static void next_hop(const struct stage *s)
{
	const struct np_overlay_logical to = logical(word(s, 1));
	struct np_overlay_neighbour at;

	if (np_overlay_parent(s->node, &to, &at))
		compare(s, &at.logical, word(s, 2));
	else if (!is(s, 2, "-"))
		FAIL(s, "no next hop");
}

static void told(const struct stage *s)
{
	for (size_t i = 0; i < COUNT(events); i++) {
		struct overlay_address at;
		struct np_address where;

		if (strcmp(events[i], word(s, 1)) != 0)
			continue;
		if (!s->told[i])
			FAIL(s, "not told");
		compare(s, &s->event[i].node[0], word(s, 2));
		if (s->words < 4)
			return;
		at = station((unsigned)atoi(s->word[3] + 1));
		where = overlay_address_endpoint(&at);
		assert_true(np_address_equal(&s->event[i].address, &where));
		return;
	}
	FAIL(s, "no event");
}

static void due(const struct stage *s)
{
	const np_time deadline = overlay_node_deadline(s->node);

	if (is(s, 1, "never")	? deadline != NP_TIME_NEVER
	    : is(s, 1, "later") ? deadline <= s->now
				: deadline != s->now + time_of(s, word(s, 1)))
		FAIL(s, "in %lld ns", (long long)(deadline - s->now));
}

/* @text: the statement from its third word on. */
static bool look(struct stage *s, const char *text)
{
	const char *verb = word(s, 0);
	uint64_t value;

	if (!strcmp(verb, "sent")) {
		if (!within(s, 1, s->sent - s->first))
			FAIL(s, "%u sent", s->sent - s->first);
		s->first = s->sent;
	} else if (!strcmp(verb, "quiet")) {
		s->first = s->sent;
		s->pings = s->pongs = 0;
	} else if (!strcmp(verb, "said")) {
		said(s, text);
	} else if (!strcmp(verb, "bytes")) {
		bytes_to(s);
	} else if (!strcmp(verb, "near") || !strcmp(verb, "far")) {
		for (unsigned i = 1; i < s->words; i++)
			if (near(s, s->word[i]) != (*verb == 'n'))
				FAIL(s, "not so: %s", s->word[i]);
	} else if (!strcmp(verb, "hop")) {
		next_hop(s);
	} else if (!strcmp(verb, "at")) {
		const struct np_overlay_logical self = np_overlay_logical(s->node);

		compare(s, &self, word(s, 1));
	} else if (!strcmp(verb, "event")) {
		told(s);
	} else if (!strcmp(verb, "due")) {
		due(s);
	} else if (!strcmp(verb, "got")) {
		if (strcmp(s->got, s->statement + 4) != 0)
			FAIL(s, "got: %s", s->got);
	} else if (counted(s, verb, &value)) {
		if (!within(s, 1, value))
			FAIL(s, "%llu", (unsigned long long)value);
	} else {
		return false;
	}
	return true;
}

static void send_own(struct stage *s, bool all)
{
	const unsigned error = find(s, "=");
	const struct np_overlay_logical to = logical(word(s, 1));
	const char *data = word(s, all ? 1 : 2);
	const int rc = np_overlay_send(s->node, all ? NULL : &to, data, strlen(data));

	if (rc != (error ? error_of(s, error) : 0))
		FAIL(s, "returned %d", rc);
}

static bool act(struct stage *s)
{
	const char *verb = word(s, 0);

	if (*verb >= '0' && *verb <= '9')
		hear(s);
	else if (*verb == '+')
		pass(s, time_of(s, verb + 1));
	else if (*verb == '>')
		s->now += time_of(s, verb + 1);
	else if (!strcmp(verb, "beat"))
		pass(s, overlay_node_deadline(s->node) - s->now);
	else if (!strcmp(verb, "tick"))
		tick(s);
	else if (!strcmp(verb, "turn"))
		overlay_node_tick(s->node, s->now);
	else if (!strcmp(verb, "settle"))
		while (!s->told[NP_OVERLAY_STABLE])
			tick(s);
	else if (!strcmp(verb, "sendall") || !strcmp(verb, "send"))
		send_own(s, verb[4] != '\0');
	else if (!strcmp(verb, "join"))
		np_overlay_join(s->node, s->now);
	else if (!strcmp(verb, "leave"))
		np_overlay_leave(s->node, s->now);
	else if (!strcmp(verb, "refuse"))
		s->refuse = error_of(s, 1);
	else if (!strcmp(verb, "answer"))
		snprintf(s->answer, sizeof(s->answer), "%s", s->words > 1 ? s->word[1] : "");
	else if (!strcmp(verb, "unproven"))
		s->unproven = number(s, 1);
	else if (!strcmp(verb, "prove")) {
		s->pongs = 0;
		answer_pings(s);
	} else
		return false;
	return true;
}

/* One statement, which is @length long. */
static void play_one(struct stage *s, const char *text, size_t length)
{
	char statement[512], words[512], *rest = words, *at;
	const char *third;

	assert_true(length < sizeof(statement));
	memcpy(statement, text, length);
	statement[length] = '\0';
	while (length && statement[length - 1] == ' ')
		statement[--length] = '\0';
	strcpy(words, statement);
	s->statement = statement;
	for (s->words = 0; (at = strsep(&rest, " "));) {
		if (*at)
			s->word[s->words++] = at;
		assert_true(s->words < WORDS);
	}
	if (!s->words)
		return;
	third = s->words > 2 ? statement + (s->word[2] - words) : "";
	if (!act(s) && !look(s, third))
		FAIL(s, "no such statement");
}

static void play_text(struct stage *s, const char *text, size_t length)
{
	const char *end = text + length;

	while (text < end) {
		size_t bytes;

		text += strspn(text, " \n;");
		if (text >= end)
			return;
		if (*text == 'k' && text[1] >= '0' && text[1] <= '9') {
			char *open;
			unsigned times = (unsigned)strtoul(text + 1, &open, 10), depth = 1;
			const char *close = open + 1;

			assert_int_equal(*open, '{');
			for (; depth; close++)
				depth = depth + (*close == '{') - (*close == '}');
			while (times--)
				play_text(s, open + 1, (size_t)(close - open - 2));
			text = close;
			continue;
		}
		bytes = strcspn(text, ";\n");
		if (text + bytes > end)
			bytes = (size_t)(end - text);
		play_one(s, text, bytes);
		text += bytes;
	}
}

void stage_play(struct stage *s, const char *script, ...)
{
	char text[4096];
	va_list arguments;
	int length;

	va_start(arguments, script);
	length = vsnprintf(text, sizeof(text), script, arguments);
	va_end(arguments);
	assert_true(length >= 0 && (size_t)length < sizeof(text));
	play_text(s, text, (size_t)length);
}

struct overlay_point stage_point(const struct stage *s)
{
	const struct np_overlay_logical self = np_overlay_logical(s->node);

	return overlay_logical_get_point(&self);
}

int32_t stage_number(const struct stage *s)
{
	const struct np_overlay_logical self = np_overlay_logical(s->node);

	return overlay_logical_get_number(&self);
}

int64_t stage_stamp(const struct stage *s)
{
	int64_t stamp = -1;

	for (unsigned i = s->sent > SENT ? s->sent - SENT : 0; i < s->sent; i++) {
		const struct sent *sent = &s->message[i % SENT];
		struct overlay_spt spt;

		if (!overlay_spt_decode(sent->data, sent->bytes, &spt) &&
		    spt.type == OVERLAY_SPT_BEACON)
			stamp = spt.timestamp;
	}
	return stamp;
}

struct stage *play_by(const struct overlay_plan *plan, const char *script)
{
	struct stage *s = stage_open(plan);

	stage_play(s, "%s", script);
	return s;
}

struct stage *play(enum overlay_protocol protocol, const char *script)
{
	const struct overlay_plan plan = stage_plan(protocol);

	return play_by(&plan, script);
}
