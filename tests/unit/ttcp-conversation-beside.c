// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Two conversations beside each other in one process, each with a sender of its own, at the same
 * time and over one lossy network: neither counts, answers or ends anything of the other's.
 */
#include "support/ttcp_network.h"

#include <string.h>

#define LINES	 2
#define PACKETS	 4096
#define MESSAGES 300
#define LIMIT	 (20 * NP_SECOND)

/* A sender, and the conversation with it, as the one receiving host has it. */
struct line {
	struct place *place;
	struct sender *sender;
	struct np_address address;
	uint8_t batch[NETWORK_BYTES];
	unsigned stops;
	struct conversation with;
	bool came[MESSAGES];
	unsigned begun, finished, recorded;
	enum message_status status;
	struct np_flow_counts figures;
};

struct under_way {
	unsigned line;
	bool back; /* to the sender */
	size_t bytes;
	uint8_t data[MESSAGE_CONTROL_MAX];
};

struct place {
	np_time now;
	uint64_t random;
	unsigned loss; /* in percent */
	int dead;      /* a line of which nothing goes or comes any more; -1: none */
	struct np_address host;
	struct line line[LINES];
	size_t first, last;
	struct under_way packet[PACKETS];
};

static void put(struct line *l, bool back, const void *data, size_t bytes)
{
	struct place *p = l->place;
	struct under_way *packet = &p->packet[p->last % PACKETS];

	p->random = p->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	if ((p->random >> 33) % 100 < p->loss)
		return;
	assert_in_range(bytes, 1, sizeof(packet->data));
	assert_true(p->last++ < p->first + PACKETS);
	packet->line = (unsigned)(l - p->line);
	packet->back = back;
	packet->bytes = bytes;
	memcpy(packet->data, data, bytes);
}

static int tell(void *context, unsigned lane, const struct np_address *to, const void *message,
		size_t bytes)
{
	(void)lane;
	(void)to;
	put(context, false, message, bytes);
	return 0;
}

static ssize_t push(void *context, struct sender_lane *lane, np_time *now)
{
	const struct line *l = context;

	*now = l->place->now;
	put(context, false, lane->batch, lane->filled);
	return (ssize_t)lane->filled;
}

static np_time read_clock(void *context)
{
	return ((const struct line *)context)->place->now;
}

static bool refused(void *context)
{
	(void)context;
	return false;
}

static void hear_sender(void *context, const struct sender_event *event)
{
	(void)context;
	if (event->kind != SENDER_ACK)
		fail_msg("event %d", event->kind);
}

static void answer(void *context, const struct receiver_source *to, const void *message,
		   size_t bytes)
{
	const struct place *p = ((const struct line *)context)->place;
	struct line *other = NULL;

	/* To whom it is addressed, whichever conversation says it. */
	for (unsigned i = 0; i < LINES; i++)
		if (np_address_equal(to->address, &p->line[i].address))
			other = ((const struct line *)context)->place->line + i;
	assert_non_null(other);
	put(other, true, message, bytes);
}

static void account(void *context, struct message_report *report)
{
	(void)context;
	report->drop_unit = MESSAGE_DROPS_UNKNOWN;
}

static void hear(void *context, const struct receiver_event *event)
{
	struct line *l = context;

	l->begun += event->kind == RECEIVER_BEGUN;
	if (event->kind != RECEIVER_FINISHED)
		return;
	l->finished++;
	l->status = event->status;
	l->figures = conversation_figures(&l->with);
}

static void record(void *context, const struct receiver_data *data)
{
	((struct line *)context)->recorded += (unsigned)data->count;
}

/* The receiving host: a START of nobody's begins a conversation that is with nobody. */
static void take_start(struct place *p, const struct receiver_source *source,
		       const struct message *m)
{
	for (unsigned i = 0; i < LINES; i++) {
		struct conversation *with = &p->line[i].with;
		const bool idle = with->run.phase == RECEIVER_IDLE;

		if (!idle || with->sender.id)
			continue;
		if (conversation_proves(with, source, m->session, m->start.proof)) {
			assert_int_equal(conversation_begin(with, source, m, p->now), 0);
			conversation_take_start(with, source, m, p->now);
		}
		conversation_answer_start(with, source, m, MESSAGE_READY, p->now);
		return;
	}
	fail_msg("more senders than conversations");
}

static void take(struct conversation *with, const struct receiver_source *source,
		 const struct message *m, np_time now)
{
	switch (m->type) {
	case MESSAGE_START:
		conversation_take_start(with, source, m, now);
		conversation_answer_start(with, source, m, MESSAGE_READY, now);
		break;
	case MESSAGE_DATA: assert_true(conversation_take_data(with, source, m, 1, now)); break;
	default: assert_true(conversation_take_end(with, source, m, now));
	}
}

/* Which conversation it is of; NULL: of none. */
static struct conversation *find(struct place *p, const struct message *m)
{
	struct conversation *found = NULL;

	for (unsigned i = 0; i < LINES; i++) {
		if (!conversation_has(&p->line[i].with, m))
			continue;
		assert_null(found);
		found = &p->line[i].with;
	}
	return found;
}

static void arrive(struct place *p, const struct under_way *packet)
{
	struct line *from = &p->line[packet->line];
	const struct receiver_source source = {.address = &from->address, .bytes = packet->bytes};
	struct conversation *with;
	struct message m;

	assert_int_equal(message_decode(packet->data, packet->bytes, &m), 0);
	with = find(p, &m);
	if (with)
		take(with, &source, &m, p->now);
	else if (m.type == MESSAGE_START)
		take_start(p, &source, &m);
	if (with && m.type == MESSAGE_DATA)
		from->came[m.number] = true;
}

static void move_on(struct line *l, np_time now)
{
	switch (l->sender->run.phase) {
	case SENDER_SENDING:
		if (!l->sender->run.sending)
			sender_start(l->sender, now);
		assert_in_range(sender_push(l->sender, &now), 0, 1);
		if (sender_sent(l->sender, now))
			sender_end(l->sender, now);
		break;
	case SENDER_DONE: break;
	default: sender_tick(l->sender, now);
	}
}

static void step(struct place *p)
{
	const size_t last = p->last;

	while (p->first < last) {
		const struct under_way packet = p->packet[p->first++ % PACKETS];
		struct line *l = &p->line[packet.line];

		if ((int)packet.line == p->dead)
			continue;
		if (packet.back)
			(void)sender_take(l->sender, packet.data, packet.bytes, &p->host, p->now);
		else
			arrive(p, &packet);
	}
	for (int i = 0; i < LINES; i++) {
		conversation_tick(&p->line[i].with, p->now);
		if (i != p->dead)
			move_on(&p->line[i], p->now);
	}
	p->now += STEP;
}

static void open_line(struct place *p, unsigned index, uint64_t messages)
{
	const struct receiver_plan receiving = receiving_plan();
	struct line *l = &p->line[index];
	const struct sender_port port = {
		.context = l,
		.send = tell,
		.push = push,
		.clock = read_clock,
		.refused = refused,
		.notify = hear_sender,
	};
	const struct receiver_port back = {l, answer, read_clock, account, hear, record};
	struct sender_plan plan = sending_plan();

	l->place = p;
	/* The same host: only the numbers of their sessions tell them apart. */
	l->address = address_of(index ? "10.0.0.1:4001" : "10.0.0.1:4000");
	plan.id = 1000 + index;
	plan.acks = index;
	plan.messages = messages;
	plan.interrupts = &l->stops;
	assert_int_equal(sender_create(&l->sender, &plan, &port), 0);
	l->sender->lane[0].batch = l->batch;
	message_fill(l->batch, NETWORK_BYTES);
	assert_int_equal(conversation_open(&l->with, &receiving.with, &back), 0);
	sender_begin(l->sender, 1, 8000 * NETWORK_BYTES);
	sender_contact(l->sender, p->now);
}

static struct place *open_place(unsigned loss, uint64_t seed)
{
	struct place *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	p->now = EPOCH;
	p->random = seed;
	p->loss = loss;
	p->dead = -1;
	p->host = address_of("10.0.1.1:5001");
	for (unsigned i = 0; i < LINES; i++)
		open_line(p, i, MESSAGES - 100 * i);
	return p;
}

static void close_place(struct place *p)
{
	for (unsigned i = 0; i < LINES; i++) {
		sender_free(p->line[i].sender);
		conversation_close(&p->line[i].with);
	}
	free(p);
}

static bool done(const struct place *p)
{
	for (unsigned i = 0; i < LINES; i++)
		if (p->line[i].sender->run.phase != SENDER_DONE)
			return false;
	return true;
}

/* The conversation with the sender of @l: not always that of its own line. */
static const struct line *served_by(const struct place *p, const struct line *l)
{
	const uint32_t id = 1000 + (uint32_t)(l - p->line);

	for (unsigned i = 0; i < LINES; i++)
		if (p->line[i].with.sender.id == id)
			return &p->line[i];
	return NULL;
}

static void check(const struct place *p, const struct line *l, uint64_t messages)
{
	const struct line *at = served_by(p, l);
	const struct receivers *known = &l->sender->receivers;
	uint64_t came = 0;

	for (unsigned i = 0; i < MESSAGES; i++)
		came += l->came[i];
	assert_non_null(at);
	assert_int_equal(at->begun, 1);
	assert_int_equal(at->finished, 1);
	assert_int_equal(at->status, MESSAGE_COMPLETE);
	assert_int_equal(at->figures.received, came);
	assert_int_equal(at->figures.lost, messages - came);
	assert_int_equal(at->figures.duplicates, 0);
	assert_int_equal(at->recorded, came);
	assert_int_equal(known->count, 1);
	assert_true(known->receiver[0].reported);
	assert_int_equal(known->receiver[0].report.received, came);
	assert_int_equal(known->receiver[0].report.lost, messages - came);
	assert_false(l->sender->run.failed);
}

static void two_at_once(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct place *p = open_place((unsigned)(seed % 5) * 3, seed);

		while (!done(p) && p->now < EPOCH + LIMIT)
			step(p);
		assert_true(done(p));
		for (unsigned i = 0; i < LINES; i++)
			check(p, &p->line[i], MESSAGES - 100 * i);
		close_place(p);
	}
}

/* One whose sender dies waits its time out, reports what it has, and holds up nobody. */
static void one_dies(void **state)
{
	struct place *p = open_place(0, 1);
	const struct line *dead;

	(void)state;
	while (!p->line[0].came[50])
		step(p);
	p->dead = 0;
	while (p->line[1].sender->run.phase != SENDER_DONE && p->now < EPOCH + LIMIT)
		step(p);
	check(p, &p->line[1], MESSAGES - 100);
	dead = served_by(p, &p->line[0]);
	assert_non_null(dead);
	assert_int_equal(dead->finished, 0);
	for (np_time end = p->now + 21 * NP_SECOND; p->now < end;)
		step(p);
	assert_int_equal(dead->finished, 1);
	assert_int_equal(dead->status, MESSAGE_TIMED_OUT);
	assert_in_range(dead->figures.received, 51, 60);
	close_place(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_at_once),
		cmocka_unit_test(one_dies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
