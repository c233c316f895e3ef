// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * A member of either protocol among strangers that say anything: it never falls, and ends. The
 * input is a row of steps: whom it comes from, how much time has passed, how long it is, bytes.
 */
#include "../../src/group-test/member/member.h"
#include "../../src/group-test/transport/variant.h"
#include "../../src/group-test/wire/jgroups.h"
#include "../../src/group-test/wire/message.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BEGIN (100 * NP_SECOND)
#define LANES 2

/* The member's own messages come back to it, as multicasts do, one at a time. */
struct place {
	struct member *member;
	np_time now;
	uint8_t own[MESSAGE_CONTROL_MAX];
	size_t own_bytes;
	uint8_t slots[TRANSPORT_BATCH][64];
	unsigned given;
	/* The latest question of who is there, and how: it is answered if the input wants it. */
	struct message_proof question;
	struct identity asked;
};

static void must(bool holds)
{
	if (!holds)
		abort();
}

static struct identity host(unsigned number)
{
	return (struct identity){.ip = {[10] = 0xff, [11] = 0xff, [15] = (uint8_t)number},
				 .port = {1, 2}};
}

static int send_message(struct transport *transport, const struct identity *who,
			const void *message, size_t bytes)
{
	struct place *p = transport->state;
	struct message_proof question;

	if (!who) {
		must(bytes && bytes <= sizeof(p->own));
		memcpy(p->own, message, bytes);
		p->own_bytes = bytes;
		return 0;
	}
	must(message && bytes && bytes <= MESSAGE_CONTROL_MAX);
	if (!message_decode(message, bytes, MESSAGE_PROOF, &question) && !question.answer) {
		p->question = question;
		p->asked = *who;
	}
	return 0;
}

static void trust(struct transport *transport, const struct identity *who, unsigned channel)
{
	const struct place *p = transport->state;

	must(!memcmp(who, &p->asked, sizeof(*who)) && channel == 1);
}

/* Nobody guesses it in a fuzzer's life, and the fuzzer must not either. */
static uint64_t draw(struct transport *transport)
{
	const struct place *p = transport->state;

	return UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)p->now | 1;
}

static unsigned reserve(struct transport *transport, unsigned wanted, struct transport_slots *slots)
{
	struct place *p = transport->state;

	must(wanted && wanted <= TRANSPORT_BATCH);
	p->given = wanted;
	*slots = (struct transport_slots){p->slots[0], sizeof(p->slots[0]), wanted};
	return wanted;
}

static int commit(struct transport *transport, unsigned count)
{
	struct place *p = transport->state;

	must(count && count <= p->given);
	return (int)count;
}

static void tell(void *context, const struct member_event *event)
{
	(void)context;
	must(event->kind <= MEMBER_RESULT);
	if (event->result) {
		const struct result *r = event->result;

		for (size_t i = 0; i < r->members; i++)
			result_combined(&r->member[i]);
		result_average(r);
		result_worst_loss(r, &(struct identity){});
	}
}

static void deliver(struct place *p, unsigned from, const uint8_t *data, size_t bytes)
{
	const struct identity source = host(from);
	const struct transport_message message = {data, bytes, bytes, p->now};

	member_deliver(p->member, &(struct transport_delivery){&source, &message, 1, 1});
}

/* The instance of what was said last proves that it is there. */
static void answer(struct place *p, uint64_t instance)
{
	struct message_proof proof = {.to = host(1), .answer = true, .cookie = p->question.cookie};
	struct message_head head = {.number = instance};
	uint8_t wire[64];
	const size_t bytes = message_encode(wire, &head, MESSAGE_PROOF, &proof);

	if (p->question.cookie)
		deliver(p, p->asked.ip[15], wire, bytes);
	p->question.cookie = 0;
}

static void ticket_lock(struct place *p)
{
	size_t bytes;

	for (unsigned i = 0; i < 4; i++) {
		member_tick(p->member, p->now);
		bytes = p->own_bytes;
		p->own_bytes = 0;
		if (bytes)
			deliver(p, 1, p->own, bytes);
	}
	for (unsigned lane = 0; lane < LANES; lane++)
		member_pump(p->member, lane, 16, p->now);
}

/* What a stranger cannot guess is put right, so that more of the member is reached. */
static void step(struct place *p, const uint8_t *data, size_t bytes, uint8_t how)
{
	static uint8_t copy[256];
	struct message_head head, own;

	memcpy(copy, data, bytes);
	if ((how & 0x80) && message_head_decode(copy, bytes, &head) == MESSAGE_NATIVE &&
	    message_head_decode(p->own, MESSAGE_HEADER_BYTES, &own) == MESSAGE_NATIVE) {
		head.tag = own.tag;
		message_head_encode(copy, &head);
	}
	p->now += (np_time)(how & 0x0f) * (how & 0x0f) * 10 * NP_MILLISECOND;
	if ((how & 0x70) == 0x70)
		member_transport_event(p->member,
				       &(struct transport_event){.kind = TRANSPORT_ENDED,
								 .peer = host(data[0]),
								 .hearsay = (how & 0x80) != 0},
				       p->now);
	else
		deliver(p, (how >> 4) & 7, copy, bytes);
	if ((how & 0x80) && message_head_decode(copy, bytes, &head) == MESSAGE_NATIVE)
		answer(p, head.number);
	ticket_lock(p);
}

static void live(struct place *p, const uint8_t *data, size_t size)
{
	while (size > 2 && !member_outcome(p->member)->finished) {
		size_t bytes = data[0] < size - 2 ? data[0] : size - 2;

		if (bytes)
			step(p, data + 2, bytes, data[1]);
		data += 2 + bytes;
		size -= 2 + bytes;
	}
	/* Whatever was said: all waits have limits, and these together are enough. */
	for (unsigned i = 0; i < 2000 && !member_outcome(p->member)->finished; i++) {
		p->now += 100 * NP_MILLISECOND;
		ticket_lock(p);
	}
	must(member_outcome(p->member)->finished);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct place p;
	static const struct transport_variant variant = {
		.send = send_message,
		.reserve = reserve,
		.commit = commit,
		.trust = trust,
	};
	struct transport transport = {
		.variant = &variant, .plan.control_bytes = SIZE_MAX, .state = &p};
	const struct member_port port = {
		.transport = &transport, .draw = draw, .notify = tell, .context = &p};
	struct member_plan plan = {
		.self = host(1),
		.sender = true,
		.members = 2,
		.senders = 1,
		.messages = 20,
		.payload = 4,
		.runs = 1,
		.warmup = 3,
		.lanes = LANES,
		.instance = 7,
		.window_bytes = 1000,
		.log_interval = 5,
		.limits = member_limits(30 * NP_SECOND, 0),
	};
	struct np_fault fault;

	if (!size)
		return 0;
	plan.protocol = data[0] & 1 ? PROTOCOL_JGROUPS3 : PROTOCOL_NATIVE;
	plan.credit = plan.protocol == PROTOCOL_NATIVE;
	plan.sender = !(data[0] & 2);
	memset(&p, 0, sizeof(p));
	p.now = BEGIN;
	must(!member_create(&p.member, &plan, &port, p.now, &fault));
	live(&p, data + 1, size - 1);
	member_status(p.member);
	member_free(p.member);
	return 0;
}
