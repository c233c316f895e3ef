// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Proofs: who is asked who it is, how often, and which answers are taken; and that an end which
 * anybody could have told of is a member's end only when the member is silent, too.
 */
#include "support/group_network.h"
#include "support/unit.h"

#define STRANGER 30

static struct message_proof question; /* the latest to the stranger */
static unsigned questions;	      /* to it */
static unsigned answers;	      /* by any member */
static struct message_refuse refusal; /* the latest to anybody */
static unsigned refusals;

static void hear(struct host *from, const struct identity *who, const void *message, size_t bytes)
{
	struct message_proof proof;

	(void)from;
	if (((const uint8_t *)message)[1] == 0x40 + MESSAGE_REFUSE) {
		assert_int_equal(message_decode(message, bytes, MESSAGE_REFUSE, &refusal), 0);
		refusals++;
	}
	if (((const uint8_t *)message)[1] != 0x40 + MESSAGE_PROOF)
		return;
	assert_int_equal(message_decode(message, bytes, MESSAGE_PROOF, &proof), 0);
	answers += proof.answer;
	if (proof.answer || who->ip[15] != STRANGER + 1)
		return;
	question = proof;
	questions++;
}

/* Three of four members, which wait for one more. */
static struct network *waiting_network(void)
{
	struct network *n = NETWORK();

	n->hosts = 3;
	n->heard = hear;
	network_run(n, NP_SECOND);
	questions = answers = refusals = 0;
	return n;
}

/* At host 0: by @from's @instance, to @to. */
static void say_proof(struct network *n, unsigned from, uint64_t instance, unsigned to,
		      const struct message_proof *proof)
{
	struct message_proof body = *proof;

	body.to = host_identity(to);
	host_says(&n->host[0], from, (struct message_head){.number = instance}, MESSAGE_PROOF,
		  &body);
}

static uint64_t malformed(const struct network *n)
{
	return member_outcome(n->host[0].member)->malformed;
}

/* However often it says HELLO. */
TEST(a_stranger_is_asked_every_50_ms)
{
	struct network *n = waiting_network();

	for (unsigned i = 0; i < 1000; i++) {
		say_hello(&n->host[0], STRANGER, 7, &hello_of_ours);
		network_step(n);
	}
	assert_in_range(questions, 15, 21);
	host_must(&n->host[0], !strstr(n->host[0].log, "joined 10.0.0.31"), "it is nobody");
}

/* By the instance that was asked, with the number that it was asked with. */
TEST(the_right_answer_is_taken)
{
	struct network *n = waiting_network();
	struct message_proof answer;

	say_hello(&n->host[0], STRANGER, 7, &hello_of_ours);
	assert_int_equal(questions, 1);
	answer = question;
	answer.answer = true;
	answer.cookie++;
	say_proof(n, STRANGER, 7, 0, &answer);
	assert_int_equal(malformed(n), 1);
	answer.cookie = 0;
	say_proof(n, STRANGER, 7, 0, &answer);
	assert_int_equal(malformed(n), 2);
	say_proof(n, STRANGER + 1, 7, 0, &question);
	answer.cookie = question.cookie;
	say_proof(n, STRANGER + 1, 7, 0, &answer);
	assert_int_equal(malformed(n), 3);
	host_must(&n->host[0], !strstr(n->host[0].log, "joined 10.0.0.31"), "not yet");
	say_proof(n, STRANGER, 7, 0, &answer);
	host_told(&n->host[0], "joined 10.0.0.31:7800 4");
	/* It may come twice. */
	say_proof(n, STRANGER, 7, 0, &answer);
	assert_int_equal(malformed(n), 3);
}

TEST(questions_are_answered)
{
	struct network *n = waiting_network();
	const struct message_proof asked = {.cookie = 5};
	uint8_t junk[MESSAGE_HEADER_BYTES + 3] = {0};
	struct message_head head = {.type = MESSAGE_PROOF, .number = 7};

	say_proof(n, STRANGER, 7, 0, &asked);
	assert_int_equal(answers, 1);
	assert_int_equal(malformed(n), 0);
	/* What is another's to answer is no crime, what is cut short or by nobody is. */
	say_proof(n, STRANGER, 7, 1, &asked);
	assert_int_equal(malformed(n), 0);
	message_head_encode(junk, &head);
	host_forge(&n->host[0], STRANGER, junk, sizeof(junk));
	assert_int_equal(malformed(n), 1);
	say_proof(n, STRANGER, 0, 0, &asked);
	assert_int_equal(malformed(n), 2);
	assert_int_equal(answers, 1);
}

/* A member that answers at its address keeps it, and another who says to be there is refused. */
TEST(who_answers_keeps_its_address)
{
	struct network *n = waiting_network();

	/* An answer that comes twice is no second one. */
	n->twice = 1;
	for (unsigned i = 1; i <= 2; i++) {
		say_hello(&n->host[0], 1, 7, &hello_of_ours);
		network_run(n, NP_SECOND + i * 100 * NP_MILLISECOND);
		assert_int_equal(refusals, i);
		assert_int_equal(refusal.why, REFUSAL_IDENTITY);
		assert_int_equal(refusal.value, 7);
		assert_int_equal(refusal.to.ip[15], 2);
		assert_int_equal(malformed(n), i);
	}
	/* Under its own address a member refuses nobody: it would be itself. */
	say_hello(&n->host[0], 0, 7, &hello_of_ours);
	network_run(n, NP_SECOND + 300 * NP_MILLISECOND);
	assert_int_equal(refusals, 2);
	assert_int_equal(malformed(n), 2);
	assert_false(n->host[0].ended);
}

/* It is given up after two seconds: neither at once nor as one that is only silent. */
TEST(an_end_of_one_that_is_silent)
{
	struct network *n = NETWORK_LONG();

	network_run(n, 2 * NP_SECOND);
	network_kill(n, 3);
	network_run(n, 2 * NP_SECOND + 10 * NP_MILLISECOND);
	HOST_EVENT(&n->host[0], 3, TRANSPORT_ENDED, .hearsay = true);
	network_run(n, 7 * NP_SECOND / 2);
	/* A second word of it is no later one. */
	HOST_EVENT(&n->host[0], 3, TRANSPORT_ENDED, .hearsay = true);
	network_run(n, 4 * NP_SECOND);
	assert_null(strstr(n->host[0].log, "given-up"));
	network_run(n, 4100 * NP_MILLISECOND);
	host_told(&n->host[0],
		  "given-up 10.0.0.4:7800 0 connection lost: it closed the connection");
	assert_int_equal(malformed(n), 0);
}

static void answer_question(struct network *n, uint64_t instance)
{
	struct message_proof answer = question;

	answer.answer = true;
	say_proof(n, STRANGER, instance, 0, &answer);
}

/* Two are at one address: the former is refused, and who is there now is told nothing else. */
TEST(who_was_refused_is_refused_once)
{
	struct network *n = waiting_network();

	say_hello(&n->host[0], STRANGER, 7, &hello_of_ours);
	answer_question(n, 7);
	host_told(&n->host[0], "joined 10.0.0.31:7800 4");
	say_hello(&n->host[0], STRANGER, 8, &hello_of_ours);
	answer_question(n, 8);
	say_hello(&n->host[0], STRANGER, 8, &hello_of_ours);
	say_hello(&n->host[0], STRANGER, 7, &hello_of_ours);
	answer_question(n, 7);
	say_hello(&n->host[0], STRANGER, 7, &hello_of_ours);
	host_told(&n->host[0], "refused 10.0.0.31:7800 0 two members have this address");
	assert_int_equal(refusals, 1);
	assert_int_equal(refusal.why, REFUSAL_IDENTITY);
	for (unsigned i = 0; i < 10; i++) {
		network_pass(n, 200 * NP_MILLISECOND);
		say_hello(&n->host[0], STRANGER, 8, &hello_of_ours);
	}
	assert_int_equal(refusals, 1);
}
