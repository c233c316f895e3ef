// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Strangers beside a group: what they say of themselves, of members, and against the group decides
 * nothing, whatever they say; and the group's numbers are right.
 */
#include "support/group_network.h"
#include "support/unit.h"

#define STRANGER 30 /* hosts from there on are none of ours: the test speaks for them */

static struct message_head head_of(uint64_t instance)
{
	return (struct message_head){.number = instance};
}

/* Liars that answer who asks them for a proof. */
struct liars {
	struct host *asker[NETWORK_MAX];
	struct message_proof proof[NETWORK_MAX];
	unsigned from[NETWORK_MAX], count;
};

static struct liars liars;

static void hear_question(struct host *h, const struct identity *who, const void *message,
			  size_t bytes)
{
	const unsigned to = who->ip[15] - 1u;

	if (to < STRANGER || liars.count == NETWORK_MAX ||
	    message_decode(message, bytes, MESSAGE_PROOF, &liars.proof[liars.count]))
		return;
	liars.asker[liars.count] = h;
	liars.from[liars.count++] = to;
}

static void answer_all(uint64_t instance)
{
	for (unsigned i = 0; i < liars.count; i++) {
		struct message_proof *proof = &liars.proof[i];

		proof->to = liars.asker[i]->plan.self;
		proof->answer = true;
		host_says(liars.asker[i], liars.from[i], head_of(instance + liars.from[i]),
			  MESSAGE_PROOF, proof);
	}
	liars.count = 0;
}

static struct network *among(bool last_late)
{
	struct network *n = NETWORK();

	n->heard = hear_question;
	liars.count = 0;
	if (last_late)
		n->host[3].starts = EPOCH + 3 * NP_SECOND;
	return n;
}

/* One older HELLO with other settings, possible ones or not, from nobody who is there. */
TEST(one_older_hello)
{
	for (unsigned i = 0; i < SETTINGS; i++) {
		for (unsigned value = 0; value < 2; value++) {
			struct network *n = among(true);
			struct message_hello hello = hello_of_ours;

			hello.setting[i] = value ? hello.setting[i] + 1 : UINT64_MAX;
			for (unsigned t = 1; t < 20; t++) {
				network_run(n, t * 100 * NP_MILLISECOND);
				for (unsigned h = 0; h < 3; h++)
					say_hello(&n->host[h], STRANGER, 5, &hello);
			}
			network_succeeds(n, 6 * NP_SECOND, 1000);
		}
	}
}

/* One member alone with it waits, too, and says at its limit what it was. */
TEST(alone_with_one_that_lies)
{
	struct network *n = among(false);
	struct message_hello hello = hello_of_ours;

	n->hosts = 1;
	n->host[0].plan.limits.join = 8 * NP_SECOND;
	hello.setting[SETTING_MSG_SIZE] = 21;
	for (unsigned t = 1; t < 70; t++) {
		network_run(n, t * 100 * NP_MILLISECOND);
		say_hello(&n->host[0], STRANGER, 5 + STRANGER, &hello);
		answer_all(5);
		say_refuse(&n->host[0], STRANGER, 5 + STRANGER, REFUSAL_LATE);
	}
	assert_false(n->host[0].ended);
	network_finish(n, 10 * NP_SECOND);
	host_failed(&n->host[0], "group",
		    "did not form in 8 s: 1 of 4 members present, 3 missing (msg_size: 20 here, 21 "
		    "at 10.0.0.31:7800)");
}

/* As members that are there, and as this one itself, under other instances. */
TEST(who_has_a_member_s_address)
{
	struct network *n = among(true);

	for (unsigned t = 1; t < 250; t++) {
		network_run(n, t * 20 * NP_MILLISECOND);
		for (unsigned from = 0; from < 4; from++) {
			say_hello(&n->host[0], from, 7, &hello_of_ours);
			say_hello(&n->host[0], from, t, &hello_of_ours);
		}
	}
	host_must(&n->host[0], !strstr(n->host[0].log, "given-up"), "nobody is given up");
	network_succeeds(n, 7 * NP_SECOND, 1000);
}

/* The instance of a member at another address, by one who is there. */
TEST(the_same_instance_twice)
{
	struct network *n = among(true);
	struct message_hello hello = hello_of_ours;

	hello.setting[SETTING_WARMUP] = 3;
	for (unsigned t = 1; t < 30; t++) {
		network_run(n, t * 100 * NP_MILLISECOND);
		for (unsigned h = 0; h < 3; h++)
			say_hello(&n->host[h], STRANGER, n->host[1].plan.instance, &hello);
		answer_all(n->host[1].plan.instance - STRANGER);
	}
	network_succeeds(n, 6 * NP_SECOND, 1000);
}

/* A guess is not the number that was asked for. */
TEST(a_proof_is_not_guessed)
{
	struct network *n = among(true);

	for (unsigned t = 1; t < 20; t++) {
		network_run(n, t * 100 * NP_MILLISECOND);
		say_hello(&n->host[0], STRANGER, 5 + STRANGER, &hello_of_ours);
		for (unsigned i = 0; i < liars.count; i++)
			liars.proof[i].cookie += i % 2 ? 1 : UINT64_MAX;
		answer_all(5);
	}
	host_must(&n->host[0], !strstr(n->host[0].log, "joined 10.0.0.31"), "it is nobody");
	assert_true(member_outcome(n->host[0].member)->malformed >= 19);
	network_succeeds(n, 6 * NP_SECOND, 1000);
}

/* Somebody says that a member is gone: one that lives says something else. */
TEST(forged_ends)
{
	struct network *n = NETWORK_LONG();

	n->host[3].starts += NP_SECOND;
	for (unsigned t = 1; t < 60; t++) {
		network_run(n, t * 100 * NP_MILLISECOND);
		for (unsigned h = 0; h < 4; h++) {
			if (n->host[h].there && !n->host[h].ended)
				HOST_EVENT(&n->host[h], (h + t) % 4, TRANSPORT_ENDED,
					   .hearsay = true);
		}
	}
	network_succeeds(n, 12 * NP_SECOND, 2000);
}

/* Results, credit, ends and messages by one who is not of the group but knows its tag. */
TEST(forged_words_of_the_run)
{
	struct network *n = NETWORK_LONG();
	struct result_row rows[2];
	const struct result_member results = {.rows = 2, .row = rows};
	struct message_state done = {.phase = PHASE_COUNTED, .sent = UINT64_MAX};
	struct message_head head;
	uint8_t data[MESSAGE_HEADER_BYTES + 20] = {0};

	network_run(n, 2 * NP_SECOND);
	for (unsigned t = 0; t < 200; t++) {
		network_run(n, 2 * NP_SECOND + t * 5 * NP_MILLISECOND);
		head = network_head(n, 0);
		for (unsigned i = 0; i < 2; i++)
			rows[i] = (struct result_row){.sender = host_identity(i),
						      .counts.received = UINT64_MAX,
						      .counts.sent = UINT64_MAX,
						      .ended = true};
		host_says(&n->host[0], STRANGER, head, MESSAGE_RESULTS, &results);
		host_says(&n->host[0], STRANGER, head, MESSAGE_STATE, &done);
		head.number = UINT64_MAX - 1;
		for (enum message_type type = MESSAGE_DATA; type <= MESSAGE_PROBE; type++) {
			head.type = type;
			message_head_encode(data, &head);
			host_forge(&n->host[0], STRANGER, data,
				   type == MESSAGE_DATA ? sizeof(data) : MESSAGE_HEADER_BYTES);
		}
		/* Even a member cannot have got what has not been sent. */
		head.type = MESSAGE_GRANT;
		message_head_encode(data, &head);
		host_forge(&n->host[0], 3, data, MESSAGE_HEADER_BYTES);
	}
	assert_true(member_outcome(n->host[0].member)->malformed >= 600);
	assert_true(n->host[0].sent_messages < 2000);
	network_succeeds(n, 12 * NP_SECOND, 2000);
}
