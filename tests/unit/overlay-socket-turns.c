// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * overlay-socket-turns: an overlay over a made-up substrate: turns, times,
 * room, what it sends as; and what it says of itself: addresses, neighbours,
 * events, counts.
 */
#include "../../src/lib/overlay/node.h"
#include "../net/overlay-opened.h"
#include "overlay_ends.h"
#include "record_written.h"
#include "support/unit.h"

/* What the substrate is to do, and what it was asked. */
struct fake {
	np_time deadline;
	int result;		  /* of a turn */
	unsigned turns, most;	  /* most: of the latest turn */
	np_time now;		  /* of it */
	unsigned arrives;	  /* at this turn a payload arrives; 0: at none */
	unsigned asked, taken[3]; /* for room; messages by class */
	bool full;		  /* somebody has no room */
	uint16_t full_port;	  /* who; 0: nobody */
	int refusal;		  /* of the message with this number of taken ones and on */
	unsigned refused_from;
	int gathers; /* begun and not ended */
	unsigned gathered;
};

static struct fake fake;

/* A payload to all from the node at port 12. */
static void arrive(struct overlay_substrate *s)
{
	const struct np_address at = loopback(12);
	const struct overlay_address from = overlay_address_of(&at, s->plan.realm);
	const struct overlay_ol ol = {
		.mode = OVERLAY_MULTICAST,
		.hop_limit = 254,
		.source = overlay_logical_address(&from),
		.previous = overlay_logical_address(&from),
		.destination = overlay_logical_address(&from),
		.extensions = 1,
		.extension = {{OVERLAY_EXTENSION_DATA, 0, 5, (const uint8_t *)"hello"}},
	};
	uint8_t message[512];
	const ssize_t bytes = overlay_ol_encode(message, sizeof(message), &ol);

	assert_true(bytes > 0);
	s->take(s->context, &from, message, (size_t)bytes, 77);
}

static int fake_turn(struct overlay_substrate *s, unsigned most, np_time now)
{
	fake.turns++;
	fake.most = most;
	fake.now = now;
	if (fake.turns == fake.arrives)
		arrive(s);
	return fake.result;
}

static np_time fake_deadline(const struct overlay_substrate *s)
{
	(void)s;
	return fake.deadline;
}

static int fake_send(struct overlay_substrate *s, const struct overlay_address *to,
		     const void *message, size_t bytes, enum overlay_class class)
{
	(void)s;
	(void)to;
	(void)message;
	(void)bytes;
	if (fake.refusal && fake.taken[class] >= fake.refused_from)
		return fake.refusal;
	fake.taken[class]++;
	return 0;
}

static bool fake_room(const struct overlay_substrate *s, const struct overlay_address *to)
{
	struct sockaddr_in in;

	(void)s;
	fake.asked++;
	if (!to)
		return !fake.full;
	assert_true(overlay_address_get_ipv4(to, &in));
	return ntohs(in.sin_port) != fake.full_port;
}

static void fake_gather(struct overlay_substrate *s, bool on)
{
	(void)s;
	fake.gathers += on ? 1 : -1;
	fake.gathered += on;
}

static struct overlay_substrate_face face = {
	.send = fake_send,
	.room = fake_room,
	.gather = fake_gather,
	.turn = fake_turn,
	.deadline = fake_deadline,
};

/* Of NONE with the neighbours at the ports 11, 12 and so on. The one opened before is freed. */
static struct np_overlay *opened(const char *protocol, unsigned contacts,
				 const struct np_overlay_listener *listener)
{
	const struct np_address contact[] = {loopback(11), loopback(12), loopback(13)};
	const struct overlay_wanted wanted = {
		.protocol = protocol,
		.substrate = "udp",
		.contact = contact,
		.contacts = contacts,
	};
	static struct np_overlay *latest;

	if (latest)
		latest->substrate->face = &overlay_udp;
	np_overlay_free(latest);
	latest = overlay_opened(&wanted, listener);
	latest->substrate->face = &face;
	fake = (struct fake){.deadline = NP_TIME_NEVER};
	return latest;
}

/*
 * A turn is the substrate's, for at least one message, and the node's when that is due; the sooner
 * of their deadlines is the overlay's.
 */
TEST(turns)
{
	struct np_overlay *o = opened("DTBuddyList", 1, NULL);
	np_time due;

	assert_true(np_overlay_deadline(o) == NP_TIME_NEVER);
	np_overlay_join(o, 1000 * NP_SECOND);
	due = np_overlay_deadline(o);
	assert_in_range(due, 1000 * NP_SECOND, 1003 * NP_SECOND);
	fake.deadline = due - 1;
	assert_int_equal(np_overlay_deadline(o), due - 1);
	for (int more = -1; more < 2; more++) {
		fake.result = more;
		assert_int_equal(np_overlay_turn(o, more > 0 ? 7 : 0, due - 1), more);
		assert_int_equal(fake.most, more > 0 ? 7 : 1);
		assert_int_equal(fake.now, due - 1);
	}
	fake.deadline = NP_TIME_NEVER;
	assert_int_equal(np_overlay_deadline(o), due);
	while (!fake.taken[OVERLAY_PROTOCOL]) {
		due = np_overlay_deadline(o);
		assert_true(due < 1010 * NP_SECOND);
		np_overlay_turn(o, 1, due);
	}
	assert_int_equal(fake.taken[OVERLAY_OWN] + fake.taken[OVERLAY_FORWARDED], 0);
}

/* There is room when nothing waits, or nothing for those that get a copy. */
TEST(room)
{
	struct np_overlay *o = opened("NONE", 3, NULL);
	struct np_overlay_logical to, other;
	unsigned asked;

	assert_int_equal(np_overlay_parse(o, "127.0.0.1:12", &to), 0);
	assert_int_equal(np_overlay_parse(o, "127.0.0.1:13", &other), 0);
	assert_true(np_overlay_room(o, NULL) && np_overlay_room(o, &to));
	assert_int_equal(fake.asked, 2);
	fake.full = true;
	assert_true(np_overlay_room(o, NULL) && np_overlay_room(o, &to));
	for (uint16_t port = 11; port <= 13; port++) {
		fake.full_port = port;
		assert_false(np_overlay_room(o, NULL));
		assert_int_equal(np_overlay_room(o, &to), port != 12);
	}
	fake.full_port = 12;
	/* Outside that is not asked. */
	asked = fake.asked;
	assert_int_equal(np_overlay_send(o, NULL, "x", 1), -ENOTCONN);
	assert_int_equal(np_overlay_send(o, &to, "x", 1), -ENOTCONN);
	assert_int_equal(fake.asked, asked);
	np_overlay_join(o, np_clock_now());
	assert_int_equal(np_overlay_send(o, NULL, "x", 1), -EAGAIN);
	assert_int_equal(np_overlay_send(o, &to, "x", 1), -EAGAIN);
	assert_int_equal(np_overlay_send(o, &other, "x", 1), 0);
	assert_int_equal(fake.taken[OVERLAY_OWN], 1);
}

/* Several are gathered; the first that is not taken ends them. */
TEST(many)
{
	struct np_overlay *o = opened("NONE", 1, NULL);
	struct np_overlay_logical to;

	np_overlay_join(o, np_clock_now());
	assert_int_equal(np_overlay_parse(o, "127.0.0.1:12", &to), 0);
	assert_int_equal(np_overlay_send_many(o, &to, "abcdef", 2, 3), 3);
	assert_int_equal(fake.taken[OVERLAY_OWN], 3);
	assert_true(fake.gathered == 1 && !fake.gathers);
	assert_int_equal(np_overlay_send_many(o, &to, "ab", 2, 1), 1);
	assert_true(fake.gathered == 1 && !fake.gathers);
	fake.refusal = -ENETDOWN;
	fake.refused_from = 5;
	assert_int_equal(np_overlay_send_many(o, &to, "abcd", 2, 2), 1);
	assert_int_equal(np_overlay_send_many(o, &to, "abcd", 2, 2), -ENETDOWN);
	assert_int_equal(fake.taken[OVERLAY_OWN], 5);
	assert_true(fake.gathered == 3 && !fake.gathers);
}

struct heard {
	unsigned deliveries, events;
	struct np_overlay_message message;
	struct np_overlay_event event;
};

static void hear_payload(void *context, const struct np_overlay_message *message)
{
	struct heard *heard = context;

	heard->deliveries++;
	heard->message = *message;
}

static void hear_event(void *context, const struct np_overlay_event *event)
{
	struct heard *heard = context;

	heard->events++;
	heard->event = *event;
}

/* A payload of another node has the time when it came. */
TEST(deliveries)
{
	struct heard heard = {.events = 0};
	const struct np_overlay_listener listener = {&heard, hear_payload, NULL};
	struct np_overlay *o = opened("NONE", 1, &listener);

	np_overlay_join(o, np_clock_now());
	fake.arrives = 1;
	assert_int_equal(np_overlay_turn(o, 1, np_clock_now()), 0);
	assert_int_equal(heard.deliveries, 1);
	assert_true(!heard.message.own && heard.message.at == 77 && heard.message.bytes == 5);
}

/* Addresses as people write them, and how they are shown, if otherwise. */
TEST(addresses)
{
	static const struct {
		const char *protocol;
		int rc;
		const char *texts;
	} cases[] = {
		{"NONE", 0, "10.0.0.1:9000|127.0.0.1:9001|127.0.0.1:65535"},
		{"NONE", -ERANGE, "127.0.0.1:65536|127.0.0.1:0|0.0.0.0:1"},
		{"NONE", -EINVAL,
		 "127.0.0.1|[::1]:1|[::ffff:10.0.0.1]:9000|localhost:1|a:99999|127.0.0.1:1..2|5,6"},
		{"SPT", 0, "-500"},
		{"SPT", -ERANGE, "0"},
		{"SPT", -EINVAL, "5,6"},
		{"DTBuddyList", 0, "5,-6"},
		{"DTBuddyList", -EINVAL, "5"},
		{"DTBuddyList", -ERANGE, "0,0"},
	};
	char text[NP_OVERLAY_LOGICAL_TEXT];

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const bool tree = !strcmp(cases[i].protocol, "SPT");
		struct np_overlay *o = opened(tree ? "DTBuddyList" : cases[i].protocol, 0, NULL);
		const enum overlay_protocol before = o->plan.protocol;
		struct unit_texts texts = {.rest = cases[i].texts};

		/* A node of the tree needs a group. */
		o->plan.protocol = tree ? OVERLAY_SPT : before;
		while (unit_next(&texts)) {
			struct np_overlay_logical logical = {.size = 99};

			assert_int_equal(np_overlay_parse(o, texts.text, &logical), cases[i].rc);
			if (cases[i].rc)
				assert_int_equal(logical.size, 99);
			else
				assert_string_equal(np_overlay_format(&logical, text),
						    texts.value ? texts.value : texts.text);
		}
		o->plan.protocol = before;
	}
}

/* Neighbours as far as there is room, the children of a root, and the way to it. */
TEST(neighbours)
{
	struct np_overlay_neighbour out[4] = {0};
	struct np_overlay_logical self, other;
	struct np_overlay *o = opened("NONE", 3, NULL);

	assert_int_equal(np_overlay_neighbours(o, out, 2), 3);
	assert_int_equal(np_address_port(&out[0].address), 11);
	assert_int_equal(np_address_port(&out[1].address), 12);
	assert_true(out[0].logical.size && out[1].logical.size && !out[2].logical.size);
	self = np_overlay_logical(o);
	assert_int_equal(np_overlay_parse(o, "127.0.0.1:12", &other), 0);
	memset(out, 0, sizeof(out));
	assert_int_equal(np_overlay_children(o, NULL, out, 1), 3);
	assert_true(out[0].address.length && !out[1].address.length);
	assert_int_equal(np_overlay_children(o, &other, out, 4), 0);
	assert_false(np_overlay_parent(o, &self, &out[0]));
	assert_true(np_overlay_parent(o, &other, &out[0]));
	assert_true(np_overlay_equal(&out[0].logical, &other));
	assert_int_equal(np_address_port(&out[0].address), 12);
}

/* A node's events are the program's. */
TEST(events)
{
	struct heard heard = {.events = 0};
	const struct np_overlay_listener listener = {.context = &heard, .event = hear_event};
	struct np_overlay *o = opened("DTBuddyList", 0, &listener);

	np_overlay_join(o, np_clock_now());
	np_overlay_leave(o, np_clock_now());
	assert_int_equal(heard.events, 1);
	assert_int_equal(heard.event.kind, NP_OVERLAY_LEFT);
	assert_int_equal(heard.event.node[0].size, 0);
}

/* What a user is told of an event. */
TEST(warnings)
{
	struct np_overlay *o = opened("DTBuddyList", 0, NULL);
	struct np_overlay_event event = {.address = loopback(9001)};
	char out[NP_OVERLAY_WARNING_TEXT];

	assert_int_equal(np_overlay_parse(o, "1,2", &event.node[0]), 0);
	assert_int_equal(np_overlay_parse(o, "3,4", &event.node[1]), 0);
	assert_int_equal(np_overlay_parse(o, "5,6", &event.node[2]), 0);
	assert_int_equal(np_overlay_parse(o, "7,8", &event.node[3]), 0);
	for (unsigned kind = 0; kind <= NP_OVERLAY_LEFT; kind++) {
		event.kind = (enum np_overlay_event_kind)kind;
		np_overlay_event_warning(&event, out);
		if (kind > NP_OVERLAY_COCIRCULAR)
			assert_string_equal(out, "");
		assert_int_equal(np_overlay_event_name(event.kind) != NULL,
				 kind > NP_OVERLAY_COCIRCULAR);
	}
	event.kind = NP_OVERLAY_COCIRCULAR;
	assert_string_equal(np_overlay_event_warning(&event, out),
			    "the nodes 1,2, 3,4, 5,6 and 7,8 lie on one circle, so this one "
			    "moves; give one of them other coordinates");
	assert_null(np_overlay_event_name(NP_OVERLAY_LEFT + 1));
	event.kind = NP_OVERLAY_TWIN;
	assert_string_equal(np_overlay_event_warning(&event, out),
			    "the node at 127.0.0.1:9001 has this node's logical address 1,2, too; "
			    "give one of them another");
}

#define NODE(member) offsetof(struct np_overlay_stats, node.member)
#define WAY(member)  offsetof(struct np_overlay_stats, substrate.member)
#define COPIES(member)                                                                             \
	{#member "_copies", "own", {WAY(member.own)}},                                             \
		{#member "_copies", "forwarded", {WAY(member.forwarded)}},                         \
	{                                                                                          \
#member "_copies", "protocol",                                                     \
		{                                                                                  \
			WAY(member.protocol)                                                       \
		}                                                                                  \
	}

/* Each count has its own name in the record; here it is as many as its offset. */
TEST(counts)
{
	static const struct {
		const char *name, *class;
		size_t of[3];
	} all[] = {
		{"received_copies", NULL, {WAY(received)}},
		{"delivered_copies", NULL, {NODE(delivered)}},
		{"malformed", NULL, {NODE(malformed), WAY(unreadable), WAY(oversize)}},
		{"foreign", NULL, {NODE(foreign), NODE(forged)}},
		{"not_from_parent", NULL, {NODE(not_from_parent)}},
		{"looped", NULL, {NODE(looped)}},
		{"expired", NULL, {NODE(expired)}},
		{"unroutable", NULL, {NODE(unroutable)}},
		{"too_long", NULL, {NODE(too_long)}},
		{"moves", NULL, {NODE(moves)}},
		{"timed_out", NULL, {NODE(timed_out)}},
		COPIES(sent),
		COPIES(no_room),
		COPIES(unreachable),
		COPIES(refused),
	};
	struct np_overlay_stats stats;
	struct np_record *record = np_record_new("summary");
	json_t *json, *overlay;

	for (size_t at = 0; at < sizeof(stats); at += sizeof(uint64_t))
		*(uint64_t *)(void *)((char *)&stats + at) = at;
	np_record_overlay(record, &stats, 33);
	json = written(record);
	overlay = json_object_get(json, "overlay");
	assert_int_equal(json_object_size(overlay), 1 + 11 + 4);
	assert_int_equal(json_integer_value(json_object_get(overlay, "neighbours")), 33);
	for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++) {
		const json_t *value = json_object_get(overlay, all[i].name);

		if (all[i].class)
			value = json_object_get(value, all[i].class);
		assert_int_equal(json_integer_value(value),
				 all[i].of[0] + all[i].of[1] + all[i].of[2]);
	}
	json_decref(json);
}
