// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* What is said after a run, the exit status that it deserves, and what its runs add up to. */
#include "support/ttcp_end.h"
#include "support/unit.h"

#define TO "10.0.0.1:5001"

/* Each has its sentence, of one or of several, and nothing else is said. */
TEST(warnings_of_a_sender)
{
	static const struct {
		const char *said;     /* NULL: nothing */
		uint64_t sent;	      /* 0: 100 */
		np_time span, behind; /* ms; 0: 1000 */
		uint64_t unsent, errors, strays;
		int error;
		bool trips, elsewhere;
	} rows[] = {
		{NULL, .span = 100},
		{"ttcp: warning: a single message has no rate; send", 1, .span = 99},
		{NULL, 1, .span = 99, .elsewhere = true},
		{NULL, 1, .span = 100},
		{"ttcp: warning: the run took 99.000 ms, too short for its rate", 2, .span = 99},
		{"too few messages: the original's rate is 100 % too high", .sent = 2},
		{NULL, .sent = 21},
		{"too few messages: the original's rate is 6 % too high", .sent = 18},
		{"to: sending fell behind the rate of 1.00 Mbit/s by up to 0.300 s", .behind = 300},
		{"--latency-under-load: round trips began up to 0.300 s late", .behind = 300,
		 .trips = true},
		{"to: ignored 1 answer to this run from other", .strays = 1},
		{"to: ignored 2 answers to this run from other", .strays = 2},
		{"to: 1 message could not be sent", .unsent = 1},
		{"to: 2 messages could not be sent", .unsent = 2},
		{"to: 1 send or ICMP error\n", .errors = 1},
		{"to: 2 send or ICMP errors; the last error: Network is unreachable\n", .errors = 2,
		 .error = -ENETUNREACH},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct end *d = SENDER(.datagrams = true);
		const np_time span = (rows[i].span ? rows[i].span : 1000) * MS;
		const uint64_t sent = rows[i].sent ? rows[i].sent : 100;
		const struct record_transmit result = {
			.rate_bits = 1e6,
			.figures = {.sent = sent,
				    .unsent = rows[i].unsent,
				    .last = span,
				    .elapsed = span + (sent > 1 ? span / ((np_time)sent - 1) : 0)},
			.behind = rows[i].behind * MS,
			.send_errors = rows[i].errors,
			.send_error = rows[i].error,
		};

		d->session.partner_warns = rows[i].elsewhere;
		d->sender->name = "to";
		d->sender->run.pacer.rate_per_s = 1000;
		d->sender->run.strays = rows[i].strays;
		d->options.load.trips = rows[i].trips;
		send_warn(d->sender, &result);
		assert_row(rows[i].said ? rows[i].said : "nothing",
			   end_said(d, "warning") == !!rows[i].said);
		assert_row(rows[i].said, !rows[i].said || end_said(d, rows[i].said) == 1);
	}
}

/* Who does not report, does not see all of a run, or misses too much of it. */
TEST(judgement_of_a_run)
{
	static const struct {
		const char *said;
		int status;
		uint64_t sent, unsent, lost, missed;
		double most; /* --max-loss; 0: 100 */
		int error, refusal;
		uint8_t report;
		bool silent, required, unsplit, late;
	} rows[] = {
		{"", 0, .sent = 10},
		{"", 0, 10, .silent = true},
		{"no receiver at " TO "; start 'ttcp -r -p 5001' there", 1, 10, .silent = true,
		 .refusal = -ECONNREFUSED},
		{"Network is unreachable: nothing that was sent is known to have", 1, 10,
		 .silent = true, .refusal = -ENETUNREACH},
		{"No route to host: nothing that was sent is known to have", 1, 10, .silent = true,
		 .refusal = -EHOSTUNREACH},
		{"", 0, 10, .refusal = -ECONNREFUSED},
		{"no report from to, which --require-report asks for", 1, 10, .silent = true,
		 .required = true},
		{"to: did not report what arrived, so --max-loss 5 may be exceeded", 1, 10,
		 .silent = true, .most = 5},
		{"to: none of 1 message could be sent\n", 2, .unsent = 1},
		{"to: none of 2 messages could be sent: No buffer space available\n", 2,
		 .unsent = 2, .error = -ENOBUFS},
		{"3 messages of 64 bytes did not fit the path MTU of 0", 2, .unsent = 3,
		 .unsplit = true, .error = -EMSGSIZE},
		{"3 messages of 64 bytes did not fit the path MTU of 0", 1, 1, .unsent = 3,
		 .unsplit = true, .error = -EMSGSIZE},
		{"somebody: timed out before the end", 1, 10, .report = MESSAGE_TIMED_OUT},
		{"somebody: was stopped before the end", 1, 10, .report = MESSAGE_INTERRUPTED},
		{"how many of the 1 message before that arrived is", 1, 10, .missed = 1},
		{"how many of the 2 messages before that arrived is", 1, 10, .missed = 2, .most = 5,
		 .lost = 1},
		{"", 0, 10, .late = true, .missed = 2},
		{"", 0, 10, .most = 10, .lost = 1},
		{"somebody: 20 % lost, more than --max-loss 10", 1, 10, .most = 10, .lost = 2},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct end *d = SENDER(.datagrams = true);
		struct receivers *receivers = &d->sender->receivers;
		struct receivers_receiver *receiver = receivers_at(receivers, &d->one);
		const struct record_transmit result = {
			.figures = {.sent = rows[i].sent, .unsent = rows[i].unsent},
			.send_error = rows[i].error,
			.receivers = receivers,
		};

		d->sender->name = "to";
		d->options.place.to = TO;
		d->options.place.port = 5001;
		d->options.max_loss_percent = rows[i].most > 0 ? rows[i].most : 100;
		d->options.require_report = rows[i].required;
		d->options.socket.dont_fragment = rows[i].unsplit;
		d->refused = rows[i].refusal;
		receiver->ready = true;
		receiver->reported = !rows[i].silent;
		receiver->joined_late = rows[i].late;
		receiver->report.status = rows[i].report;
		receiver->report.counts.lost = rows[i].lost;
		receiver->report.counts.missed_before = rows[i].missed;
		assert_row(rows[i].said, send_judge(d->sender, &result) == rows[i].status);
		assert_row(rows[i].said, end_said(d, "\n") == !!rows[i].status);
		assert_row(rows[i].said, !*rows[i].said || end_said(d, rows[i].said) == 1);
	}
}

/* The rate of the text counts what came first, too; who was cut off is told so elsewhere. */
TEST(warnings_of_a_receiver)
{
	static const struct {
		const char *said; /* NULL: nothing */
		uint64_t received, missed, strays;
		bool cut_off;
	} rows[] = {
		{NULL, .received = 22},
		{"too few messages: the original's rate is 5 % too high", .received = 20},
		{"too few messages: the original's rate is 100 % too high", .received = 2},
		{NULL, 2, .cut_off = true},
		{"whether the 1 message before the first received was lost", 22, .missed = 1},
		{"whether the 2 messages before the first received were lost", 22, .missed = 2},
		{"warning: 1 datagram or messages belonged to no run", 22, .strays = 1},
		{"warning: 2 datagrams or messages belonged to no run", 22, .strays = 2},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct end *d = RECEIVER(.datagrams = true);

		d->session.partner_warns = false;
		d->receiver->strays = rows[i].strays;
		d->receiver->cut_off = rows[i].cut_off;
		d->run->result.report.counts = (struct np_flow_counts){
			.received = rows[i].received,
			.missed_before = rows[i].missed,
			.bytes = rows[i].received * DATA_BYTES,
			.head_bytes = DATA_BYTES,
			.elapsed = NP_SECOND,
		};
		receive_warn(d->receiver);
		assert_row(rows[i].said ? rows[i].said : "nothing",
			   end_said(d, "warning") == !!rows[i].said);
		assert_row(rows[i].said, !rows[i].said || end_said(d, rows[i].said) == 1);
		assert_false(d->receiver->strays || d->receiver->cut_off);
	}
}

/* A message that was alone has no rate; of several rates there is none; the worst delay stays. */
TEST(runs_of_a_sender_add_up)
{
	static const struct {
		uint64_t number, lost, broken, errors; /* errors: since the program began */
		np_time took, behind;		       /* ms */
	} runs[] = {{10, 1, 1, 4, 100, 7}, {20, 2, 2, 9, 300, 3}, {1, 0, 0, 9, 5, 0}};
	struct end *d = SENDER(.runs = 3);
	struct sender_run *run = &d->sender->run;
	const struct record_transmit *sum = &d->sender->sum;

	d->sender->files.session = &d->session;
	for (unsigned i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		if (i)
			sender_begin(d->sender, i + 1, 4000 * DATA_BYTES);
		d->sender->lane[0].number = runs[i].number;
		d->sender->lane[0].lost = runs[i].lost;
		run->first = EPOCH + i * NP_SECOND;
		run->last = run->first + runs[i].took * MS;
		run->pacer.worst_behind = runs[i].behind * MS;
		run->result.transactions.broken = runs[i].broken;
		d->sender->before.sockets.send_errors = d->errors;
		d->errors = runs[i].errors;
		assert_int_equal(send_conclude(d->sender, 0), 0);
		assert_true(sum->rate_bits == (i ? 0 : 8000 * DATA_BYTES));
		assert_int_equal(sum->figures.head_bytes, i == 2 ? DATA_BYTES : 0);
	}
	assert_int_equal(d->session.runs, 3);
	assert_int_equal(sum->figures.sent, 9 + 18 + 1);
	assert_int_equal(sum->figures.unsent, 3);
	assert_int_equal(sum->figures.bytes, 28 * DATA_BYTES);
	assert_int_equal(sum->figures.elapsed, 405 * MS);
	assert_int_equal(sum->behind, 7 * MS);
	assert_int_equal(sum->transactions.broken, 3);
	assert_int_equal(sum->send_errors, 9);
	assert_int_equal(run->result.send_errors, 0);
}

/* What one that missed the END takes for lost may be what was not sent. */
TEST(lost_is_what_was_sent)
{
	static const struct {
		const char *name;
		bool exact;
		uint64_t received, late, lost, then;
	} rows[] = {
		{"all", false, 4, 1, 7, 5},
		{"less", false, 4, 1, 5, 5},
		{"none", false, 10, 1, 7, 0},
		{"exact", true, 4, 1, 7, 7},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct end *d = SENDER(.datagrams = true);
		struct receivers_receiver *receiver = receivers_at(&d->sender->receivers, &d->one);
		struct np_flow_counts *counts = &receiver->report.counts;

		d->sender->files.session = &d->session;
		d->sender->lane[0].number = 10;
		receiver->report.exact = rows[i].exact;
		counts->received = rows[i].received;
		counts->late = rows[i].late;
		counts->lost = rows[i].lost;
		assert_int_equal(send_conclude(d->sender, 0), 0);
		assert_row(rows[i].name, counts->lost == rows[i].then);
	}
}

/* One after the other, or at the same time. */
TEST(runs_of_a_receiver_add_up)
{
	const struct record_receive one = {
		.run = 1,
		.report = {.counts = {.flows = 1,
				      .received = 8,
				      .lost = 2,
				      .first = 1000,
				      .last = 1100,
				      .elapsed = 100},
			   .drops = {.least = 1, .upmost = 2},
			   .delays = {.count = 8},
			   .account.dropped = {true, true, 3}},
		.sender = {.dropped = {true, true, 4}, .cpu = {true, {.user = 5, .system = 6}}},
		.where = {.path = 1, .host = 1, .exact = true},
		.tcp = {.known = true},
	};

	for (unsigned beside = 0; beside < 2; beside++) {
		struct record_receive sum = {.run = 0}, two = one;

		receive_add(&sum, &one, beside);
		assert_memory_equal(&sum, &one, sizeof(sum));
		two.report.counts.first += 50;
		two.report.counts.last += 50;
		two.report.delays.count = 9;
		two.grace = 7;
		two.raw = true;
		two.sender.cpu.known = two.tcp.known = !beside;
		receive_add(&sum, &two, beside);
		assert_int_equal(sum.report.counts.received, 16);
		assert_int_equal(sum.report.counts.lost, 4);
		assert_int_equal(sum.report.counts.elapsed, beside ? 150 : 200);
		assert_int_equal(sum.report.drops.least, 2);
		assert_int_equal(sum.report.drops.upmost, 4);
		assert_int_equal(sum.report.delays.count, 9);
		assert_int_equal(sum.report.account.dropped.packets, 6);
		assert_int_equal(sum.sender.dropped.packets, 8);
		assert_int_equal(sum.sender.cpu.usage.user, 10);
		assert_int_equal(sum.sender.cpu.usage.system, 12);
		assert_int_equal(sum.sender.cpu.known, !beside);
		assert_int_equal(sum.tcp.known, !beside);
		assert_int_equal(sum.where.path, 2);
		assert_int_equal(sum.where.host, 2);
		assert_int_equal(sum.grace, 7);
		assert_true(sum.raw);
	}
}
