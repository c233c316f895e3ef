// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * aoe-exercise-exchange: whole runs against a simulated disk: what is requested, what is sent
 * again, how a run ends, and that each packet is counted once; when it acts and ends, to the
 * microseconds that the simulated clock takes to be read; when a disk that is written is examined
 * again, and that nothing is written any more to another one.
 */
#include "support/aoe_disk.h"
#include "support/unit.h"

/* The most that the clock goes on by being read between two waits. */
#define READ MS

static np_time begun;

static void die(struct np_link *link)
{
	link->every = 1;
	link->again = true;
}

static void deliver_after_70_ms(struct np_link *link)
{
	if (made_clock - begun >= 50 * MS && link->keeps) {
		made_clock = begun + 70 * MS;
		release(link);
	}
}

/* What is asked of a target and a link, and what comes of it. Times are in ms. */
struct row {
	const char *what;
	uint64_t packets;
	np_time timeout, give_up, duration;
	double rate;
	unsigned retransmit;
	unsigned every;			       /* such requests are lost, */
	bool again;			       /* and their repeats */
	unsigned limit;			       /* nothing is answered from here on, */
	void (*happens)(struct np_link *link); /* or this happens */
	unsigned takes, full, raises;
	bool refuses, keeps, mesh;
	void (*waiting)(struct np_link *link);
	np_time block, interval;

	enum ending ending;
	uint64_t sent, received, lost, late, given_up, outstanding;
	unsigned cycle;			     /* the places visited in turn; 0: not compared */
	np_time passed;			     /* until the end; 0: not compared, */
	np_time late_look;		     /* and how long until somebody looks */
	np_time elapsed;		     /* of the rate, the same */
	unsigned waits, receives, intervals; /* at most */
};

#define FOREVER 60000

static const struct row rows[] = {
	{"all are answered", 250, .sent = 250, .received = 250, .cycle = 100},
	{"lost together, sent again in the order of sending", WINDOW, .give_up = FOREVER,
	 .retransmit = 1, .every = 1, .sent = 2 * WINDOW, .received = WINDOW, .lost = WINDOW,
	 .cycle = WINDOW},
	{"repeats that this host's queue did not take by then are given up", WINDOW,
	 .give_up = FOREVER, .retransmit = 9, .duration = 60, .every = 1, .full = WINDOW,
	 .ending = ENDING_TARGET_DEAD, .sent = WINDOW, .lost = WINDOW, .given_up = WINDOW},
	{"lost again, they are given up", 100, .give_up = FOREVER, .retransmit = 1, .every = 5,
	 .again = true, .sent = 120, .received = 80, .lost = 40, .given_up = 20},
	{"a host that takes one at a time", 100, .takes = 1, .sent = 100, .received = 100,
	 .cycle = 100},
	{"silent for as long as --give-up, whatever is in flight", 1000, .timeout = 100,
	 .give_up = 130, .every = 1, .ending = ENDING_TARGET_DEAD, .sent = 2 * WINDOW,
	 .lost = WINDOW, .given_up = WINDOW, .outstanding = WINDOW, .passed = 130, .elapsed = 130},
	{"a slow target is not dead before a packet is lost", 100, .timeout = 200, .give_up = 50,
	 .every = 1, .ending = ENDING_TARGET_DEAD, .sent = 2 * WINDOW, .lost = WINDOW,
	 .given_up = WINDOW, .outstanding = WINDOW, .passed = 200},
	/* Each waits 20 ms for its answer: the third does not get as many. */
	{"silence counts from the latest answer, and pauses of the pacer do not", 8, .rate = 10,
	 .give_up = 50, .limit = 4, .happens = die, .ending = ENDING_TARGET_DEAD, .sent = 7,
	 .received = 4, .lost = 2, .given_up = 2, .outstanding = 1, .passed = 610},
	/* It tries again after 200 us. */
	{"a host that sends nothing", 100, .refuses = true, .ending = ENDING_HOST_REFUSES,
	 .passed = 100, .late_look = 10, .waits = 500},
	{"a duration ends a slow run, which sleeps", 100, .rate = 2, .duration = 50, .sent = 1,
	 .received = 1, .passed = 50, .waits = 5, .receives = 10},
	/* No time is spent but on a packet and its answer. */
	{"paced packets take their intervals", 20, .rate = 500, .sent = 20, .received = 20,
	 .passed = 38, .elapsed = 40, .receives = 80},
	/* Its time-out, and another one for late answers. */
	{"the last one is lost", 100, .timeout = 50, .give_up = 1000, .limit = 99, .sent = 100,
	 .received = 99, .lost = 1, .given_up = 1, .passed = 100},
	{"later than the time-out, but not twice as late", WINDOW, .timeout = 50, .give_up = 1000,
	 .keeps = true, .waiting = deliver_after_70_ms, .sent = WINDOW, .late = WINDOW,
	 .given_up = WINDOW, .passed = 70},
	{"a launcher kills its ranks soon after it asked them to end", 1000, .mesh = true,
	 .timeout = 10000, .keeps = true, .limit = WINDOW, .raises = NP_SIGNALS_STOP,
	 .ending = ENDING_INTERRUPTED, .sent = WINDOW, .outstanding = WINDOW, .passed = 300,
	 .elapsed = 300},
	/* The last row, the fifth, has the rest. */
	{"intervals end in time between two packets", 2, .rate = 2, .interval = 100, .sent = 2,
	 .received = 2, .passed = 500, .waits = 10, .intervals = 4},
	/* The time-out, what the link holds, and the wait for late answers. */
	{"what the link holds back may have come in time", 1, .block = 30, .every = 1,
	 .ending = ENDING_TARGET_DEAD, .sent = 1, .lost = 1, .given_up = 1, .passed = 70,
	 .waits = 4},
};

static void arrange(struct scene *s, const struct row *row)
{
	struct traffic_options *t = &s->options.traffic;

	t->timeout = row->timeout ? row->timeout * MS : t->timeout;
	t->give_up = row->give_up ? row->give_up * MS : t->give_up;
	t->rate_packets_per_s = row->rate;
	t->retransmit = row->retransmit;
	s->options.mesh.mesh = row->mesh;
	s->options.traffic.packet_count = row->packets;
	s->options.traffic.duration = row->duration * MS;
	s->options.report.interval = row->interval * MS;
	s->link.every = row->every;
	s->link.again = row->again;
	s->link.limit = row->limit;
	s->link.happens = row->happens;
	s->link.takes = row->takes;
	s->link.full = row->full;
	s->link.raises = row->raises;
	s->link.refuses = row->refuses;
	s->link.keeps = s->link.keeps_all = row->keeps;
	s->link.waiting = row->waiting;
	s->link.info.block_ns = row->block * MS;
}

static void expect(struct scene *s, const struct row *row)
{
	const struct tally *t = run(s, row->ending);
	struct np_histogram_figures figures;

	assert_int_equal(t->sent, row->sent);
	assert_int_equal(t->received, row->received);
	assert_int_equal(t->lost, row->lost);
	assert_int_equal(t->late, row->late);
	assert_int_equal(t->given_up, row->given_up);
	assert_int_equal(t->outstanding, row->outstanding);
	assert_int_equal(t->refused > 0, row->takes || row->full || row->refuses);
	for (unsigned i = 0; row->cycle && i < t->sent; i++)
		assert_int_equal(s->link.lba[i], i % row->cycle * SECTORS);
	if (row->passed)
		assert_in_range(made_clock - begun, row->passed * MS,
				(row->passed + row->late_look) * MS + READ);
	if (row->elapsed)
		assert_in_range(s->result->elapsed, row->elapsed * MS, row->elapsed * MS + READ);
	/* Without a pace the time ends with the last answer. */
	if (!row->elapsed && row->ending == ENDING_DONE && row->received && !(row->rate > 0) &&
	    !row->retransmit)
		assert_in_range(s->result->elapsed, 1, MS);
	if (row->waits)
		assert_in_range(s->link.waits, 1, row->waits);
	if (row->receives)
		assert_in_range(s->link.receives, 2, row->receives);
	assert_int_equal(s->intervals, row->intervals);
	np_histogram_figures(s->result->rtt, &figures);
	assert_int_equal(figures.count, t->received);
	np_histogram_figures(s->result->paced, &figures);
	assert_int_equal(figures.count, row->rate > 0 ? t->received : 0);
}

TEST(a_run_does_and_ends_as_it_should)
{
	void *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		print_message("%s\n", rows[i].what);
		set(&state);
		begun = made_clock;
		arrange(state, &rows[i]);
		expect(state, &rows[i]);
		strike(&state);
	}
}

/* Each place once in a pass; the same seed gives the same order, no seed another one each time. */
SCENE_TEST(random_orders)
{
	uint64_t first[100];
	unsigned seen[100] = {0};

	s->options.data.random = true;
	s->options.data.seed = 7;
	run(s, ENDING_DONE);
	memcpy(first, s->link.lba, sizeof(first));
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(seen[first[i] / SECTORS]++, 0);
	for (unsigned seed = 7; seed <= 8; seed++) {
		result_free(s->result);
		assert_int_equal(result_create(&s->result), 0);
		s->rests = s->link.sent = 0;
		s->length = 0;
		s->options.data.seed = seed % 8;
		run(s, ENDING_DONE);
		assert_int_equal(!memcmp(first, s->link.lba, sizeof(first)), seed == 7);
	}
}

/* No two requests are in flight on one place: the third waits for the answer to the first. */
SCENE_TEST(a_region_that_is_smaller_than_the_window)
{
	s->options.data.size_bytes = (uint64_t)2 * SECTORS * NP_AOE_SECTOR_BYTES;
	run(s, ENDING_DONE);
	assert_int_equal(s->link.most, 2);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(s->link.lba[i], i % 2 * SECTORS);
}

SCENE_TEST(a_link_that_breaks)
{
	s->link.breaks = -ENETDOWN;
	assert_int_equal(start_exchange(s), -ENETDOWN);
	s->rests = 0;
	s->length = 0;
	s->link.limit = 10;
	assert_in_range(run(s, ENDING_LINK_LOST)->sent, 10, 10 + WINDOW);
	assert_int_equal(s->result->link_error, -ENETDOWN);
}

/* What this host's queue left over was never sent, and is not given up. */
SCENE_TEST(a_stop_with_a_full_queue)
{
	s->options.traffic.rate_packets_per_s = 0;
	s->options.traffic.packet_count = UINT64_MAX;
	s->options.traffic.duration = 5 * MS;
	s->link.takes = 1;
	assert_int_equal(run(s, ENDING_DONE)->given_up, 0);
}

#define QUESTIONS 102 /* both identities, and each two sectors */

/* A target that answers is asked nothing, whatever the pauses between the writes. */
SCENE_TEST(a_run_that_is_answered_asks_nothing)
{
	unsigned asked;

	s->options.traffic.rate_packets_per_s = 11;
	examine(s);
	asked = s->link.questions;
	assert_int_equal(run(s, ENDING_DONE)->received, 100);
	assert_int_equal(s->link.questions, asked);
	assert_int_equal(s->result->rechecks.rounds + s->result->rechecks.questions, 0);
	assert_int_equal(s->result->rechecks.held, 0);
	assert_int_equal(s->session.examination->error, 0);
}

/* What was silent for long before the run is examined before the first write; only once. */
SCENE_TEST(a_silence_before_the_run)
{
	unsigned before;

	examine(s);
	before = s->link.ordered;
	made_clock += NP_SECOND;
	s->options.traffic.packet_count = 10;
	run(s, ENDING_DONE);
	assert_int_equal(strspn(s->link.order + before, "q"), QUESTIONS);
	assert_int_equal(s->result->rechecks.rounds, 1);
	assert_int_equal(s->result->rechecks.questions, QUESTIONS);
	assert_int_equal(s->result->rechecks.held, 0);
	/* The figures are those of one run. */
	result_free(s->result);
	assert_int_equal(result_create(&s->result), 0);
	s->rests = s->link.sent = 0;
	s->length = 0;
	run(s, ENDING_DONE);
	assert_int_equal(s->result->rechecks.rounds + s->result->rechecks.questions, 0);
}

static void fall_silent(struct np_link *link)
{
	link->every = 1;
}

/* In a silence no more is written before the target has shown that it is still the same one. */
SCENE_TEST(a_silence_holds_the_writes)
{
	const char *held;

	s->options.traffic.retransmit = 1;
	s->options.traffic.timeout = 120 * MS;
	s->options.traffic.give_up = 60 * NP_SECOND;
	examine(s);
	s->options.traffic.packet_count = 20;
	s->link.limit = 10;
	s->link.happens = fall_silent;
	assert_int_equal(run(s, ENDING_DONE)->received, 20);
	assert_int_equal(s->result->tally.lost, 10);
	/* Ten that were answered, those in flight, a round, and only then the rest. */
	held = strstr(s->link.order, "rrrrrrrrrr");
	assert_non_null(held);
	held += strspn(held, "r");
	assert_int_equal(strspn(held, "q"), QUESTIONS);
	assert_true(s->result->rechecks.held > 0);
	assert_true(s->result->rechecks.rounds >= 1);
}

/* Writes that are lost after 500 ms, to a disk that does something at the 50th. */
static void write_until(struct scene *s, void (*happens)(struct np_link *link))
{
	s->options.traffic.timeout = 500 * MS;
	examine(s);
	s->options.traffic.packet_count = 1000;
	s->link.limit = 50;
	s->link.happens = happens;
}

static void fall_silent_for_all(struct np_link *link)
{
	link->every = 1;
	link->again = true;
	link->deaf = link->questions;
}

/* A target that answers neither writes nor questions is dead. */
SCENE_TEST(a_target_that_dies_is_held_until_it_is_given_up)
{
	const struct tally *t;
	np_time from;

	write_until(s, fall_silent_for_all);
	from = made_clock;
	t = run(s, ENDING_TARGET_DEAD);
	assert_int_equal(s->session.examination->error, -ETIMEDOUT);
	assert_int_equal(t->sent, 50 + WINDOW);
	assert_int_equal(t->lost, WINDOW);
	/* The time-out of the last writes, and that of the questions. */
	assert_in_range(made_clock - from, 600 * MS, 605 * MS);
	assert_in_range(s->result->rechecks.held, 100 * MS, 101 * MS);
	/* What is asked, and not answered, counts for the time of the run. */
	assert_in_range(s->result->elapsed, 600 * MS, 605 * MS);
}

static void answer_one_question_more(struct np_link *link)
{
	fall_silent_for_all(link);
	link->deaf++;
}

/* One that answers questions, but not all of them, is not the one that was examined. */
SCENE_TEST(a_target_that_answers_some_questions_has_changed)
{
	write_until(s, answer_one_question_more);
	run(s, ENDING_CHANGED);
	assert_int_equal(s->session.examination->error, -ETIMEDOUT);
}

/* Repeats that were held until the run was over are given up, once. */
SCENE_TEST(a_run_may_end_while_its_writes_are_held)
{
	const struct tally *t;

	s->options.traffic.retransmit = 1;
	s->options.traffic.duration = 550 * MS;
	write_until(s, fall_silent_for_all);
	t = run(s, ENDING_TARGET_DEAD);
	assert_int_equal(t->sent, 50 + WINDOW);
	assert_int_equal(t->lost, WINDOW);
	assert_int_equal(t->given_up, WINDOW);
	assert_int_equal(s->session.examination->error, 0);
	assert_in_range(s->result->rechecks.held, 49 * MS, 51 * MS);
}

/* What changed before the first write: nothing is written at all. */
SCENE_TEST(a_disk_that_changed_before_the_run_is_not_written)
{
	for (unsigned fault = 0; fault < 3; fault++) {
		examine(s);
		made_clock += NP_SECOND;
		s->result->ending = ENDING_DONE;
		s->link.unreadable = fault == 1;
		s->link.deaf = fault == 2 ? s->link.questions : 0;
		if (!fault)
			memcpy(s->link.content, "another", 7);
		assert_int_equal(start_exchange(s), 0);
		assert_int_equal(s->result->ending,
				 fault == 2 ? ENDING_TARGET_DEAD : ENDING_CHANGED);
		assert_int_equal(s->link.sent, 0);
		assert_int_equal(s->session.examination->error, fault == 0   ? -ESTALE
								: fault == 1 ? -EIO
									     : -ETIMEDOUT);
		memset(s->link.content, 0, sizeof(s->link.content));
		s->link.unreadable = false;
		s->link.deaf = 0;
		s->link.count = 0;
		examination_free(s->session.examination);
		s->session.examination = NULL;
	}
}

SCENE_TEST(a_signal_before_the_first_write)
{
	examine(s);
	made_clock += NP_SECOND;
	s->link.deaf = s->link.questions;
	np_signals_tell(s->channel.signals, NP_SIGNALS_STOP);
	assert_int_equal(start_exchange(s), 0);
	assert_int_equal(s->result->ending, ENDING_INTERRUPTED);
	assert_int_equal(s->link.sent, 0);
}

SCENE_TEST(a_link_that_breaks_before_the_first_write)
{
	examine(s);
	made_clock += NP_SECOND;
	s->link.breaks = -ENETDOWN;
	assert_int_equal(start_exchange(s), -ENETDOWN);
	assert_int_equal(s->link.sent, 0);
}

static void break_for_questions(struct np_link *link)
{
	link->every = 1;
	link->breaks = -ENETDOWN;
	link->limit = link->sent;
}

/* A question that cannot be sent ends the run like a write that cannot. */
SCENE_TEST(a_link_that_breaks_in_a_silence)
{
	write_until(s, break_for_questions);
	run(s, ENDING_LINK_LOST);
	assert_int_equal(s->result->link_error, -ENETDOWN);
}

/* When all is sent, what was lost is waited for, and no more is asked. */
SCENE_TEST(nothing_is_asked_after_the_last_write)
{
	unsigned asked;

	s->options.traffic.timeout = 500 * MS;
	examine(s);
	s->options.traffic.packet_count = WINDOW;
	s->link.every = 1;
	asked = s->link.questions;
	run(s, ENDING_TARGET_DEAD);
	assert_int_equal(s->link.questions, asked);
	assert_int_equal(s->result->rechecks.rounds, 0);
}
