// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of result, block and schema: where the lost were lost, and how it is printed. */
#include "page.h"
#include "src/lib/report/block.h"
#include "support/unit.h"

static const struct np_drops_total unknown = {.known = false};

/* @r's four places, as text. */
static const char *places(const struct np_result *r)
{
	static char text[4 * NP_TEXT + 4];

	assert_int_equal(r->lost_sender_host.n + r->lost_path.n + r->lost_receiver_host.n +
				 r->lost_unattributed.n,
			 r->lost.n);
	snprintf(text, sizeof(text), "%s, %s, %s, %s", np_count_format(&r->lost_sender_host).text,
		 np_count_format(&r->lost_path).text, np_count_format(&r->lost_receiver_host).text,
		 np_count_format(&r->lost_unattributed).text);
	return text;
}

TEST(where_they_were_lost)
{
	static const struct np_loss sure = {.path = 65, .host = 3, .exact = true},
				    unsure = {.path = 60, .host = 3, .unattributed = 5}, empty;
	static const struct np_drops_total many = {true, true, 50}, few = {true, true, 8},
					   perhaps = {true, false, 99};
	static const struct {
		const char *what;
		uint64_t lost;
		const struct np_loss *socket;
		const struct np_drops_total *here, *there;
		bool copies;
		const char *places;
	} rows[] = {
		{"reasons of both hosts leave the path", 68, &sure, &many, &few, false,
		 "50, 10, 8, 0"},
		/* The drops by reasons prove nothing then. */
		{"copies were dropped, too", 68, &unsure, &many, &few, true,
		 "unknown, >= 60, >= 3, 5"},
		{"the sender's drops are not the path's", 68, &sure, &many, &unknown, false,
		 "50, 15, 3, 0"},
		{"nor are those of at least", 68, &sure, &perhaps, &unknown, false,
		 ">= 65, 0, 3, 0"},
		{"nobody tells", 68, NULL, &unknown, &unknown, false, "unknown, >= 0, >= 0, 68"},
		{"nothing lost is nowhere lost", 0, &empty, &unknown, &unknown, true,
		 "unknown, 0, 0, 0"},
		{"nor by who may have dropped more", 0, &empty, &perhaps, &unknown, false,
		 "0, 0, 0, 0"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct np_result r = {.sent = NP_COUNT_EXACT(1000),
				      .lost = NP_COUNT_EXACT(rows[i].lost)};

		print_message("%s\n", rows[i].what);
		np_result_attribute(&r, rows[i].socket, rows[i].here, rows[i].there,
				    rows[i].copies);
		assert_string_equal(places(&r), rows[i].places);
	}
}

/* END was lost with the last messages: the host that dropped them knows of more than is missed. */
TEST(an_unknown_end_has_what_the_host_dropped)
{
	const struct np_drops_total there = {true, true, 103};
	const struct np_loss socket = {.path = 10, .exact = true};
	struct np_result r = {
		.sent = NP_COUNT_AT_LEAST(910),
		.received = NP_COUNT_EXACT(900),
		.lost = NP_COUNT_AT_LEAST(10),
	};
	struct np_result copies = r;

	np_result_attribute(&r, &socket, &unknown, &there, true);
	assert_int_equal(r.lost.n, 103);
	assert_int_equal(r.lost.known, NP_AT_LEAST);
	assert_int_equal(r.sent.n, 1003);
	assert_string_equal(places(&r), "unknown, >= 0, >= 103, 0");
	copies.duplicates = NP_COUNT_EXACT(1);
	np_result_attribute(&copies, &socket, &unknown, &there, true);
	assert_int_equal(copies.lost.n, 10);
	assert_string_equal(places(&copies), "unknown, >= 10, >= 0, 0");
}

TEST(sums_know_what_their_parts_know)
{
	struct np_result sum = {.sent = NP_COUNT_EXACT(1), .lost = NP_COUNT_AT_LEAST(2)};
	const struct np_result more = {
		.sent = NP_COUNT_EXACT(3), .lost = NP_COUNT_EXACT(4), .late = NP_COUNT_EXACT(5)};
	/* What was announced by somebody who died has not been sent. */
	const struct np_result announced = {.sent = {.n = 1000, .known = NP_UNKNOWN}};

	np_schema_add(np_result_columns, &sum, &more);
	assert_string_equal(np_count_format(&sum.sent).text, "4");
	assert_string_equal(np_count_format(&sum.lost).text, ">= 6");
	assert_string_equal(np_count_format(&sum.late).text, ">= 5");
	assert_string_equal(np_count_format(&sum.received).text, "unknown");
	np_schema_add(np_result_columns, &sum, &announced);
	assert_string_equal(np_count_format(&sum.sent).text, ">= 4");
}

TEST(rates_are_si)
{
	assert_string_equal(np_rate_format(0, false).text, "0 bit/s");
	assert_string_equal(np_rate_format(12.5, false).text, "100 bit/s");
	assert_string_equal(np_rate_format(125, false).text, "1.00 kbit/s");
	assert_string_equal(np_rate_format(124999.9, false).text, "1.00 Mbit/s");
	assert_string_equal(np_rate_format(124990, false).text, "999.9 kbit/s");
	assert_string_equal(np_rate_format(12.5e6, false).text, "100.0 Mbit/s");
	assert_string_equal(np_rate_format(998.75e6, false).text, "7.99 Gbit/s");
	assert_string_equal(np_rate_format(998.75e6, true).text, "998.8 MB/s");
	assert_string_equal(np_rate_format(10e3, true).text, "0.01 MB/s");
}

static void assert_text(struct np_block *block, const char *wanted)
{
	struct page *page = page_open();

	np_block_print(page->out, block);
	page_expect(page, wanted);
}

TEST(lines_go_on_below_their_first_figure)
{
	struct page *page = page_open();

	np_block_line(page->out, 4, "%s", "short  and   wide");
	/* After a comma or in place of blanks; 80 columns are not too many. */
	np_block_line(
		page->out, 4,
		"one of many words here, two of many words here, three of many words to be  80");
	np_block_line(
		page->out, 4,
		"one of many words here, two of many words here, three of many words to be  4 5 6");
	np_block_line(page->out, 4,
		      "one of many words here, two of many words here, three of many words to be  "
		      "4 5 67");
	/* Where there is none, at any blank. */
	np_block_line(page->out, 70, "%s",
		      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa "
		      "bbbbbbb cccccccc");
	page_expect(
		page,
		"short  and   wide\n"
		"one of many words here, two of many words here, three of many words to be  80\n"
		"one of many words here, two of many words here, three of many words to be  4 5 6\n"
		"one of many words here, two of many words here, three of many words to be\n"
		"    4 5 67\n"
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa bbbbbbb\n"
		"                                                                      cccccccc\n");
}

static const struct np_usage much = {.user = 600 * NP_MILLISECOND, .system = 10 * NP_MILLISECOND};

static struct np_block whole(void)
{
	struct np_block b = np_block_init("ttcp: UDP", "messages", false);
	const struct np_loss socket = {.host = 688, .exact = true};

	b.result.sent = NP_COUNT_EXACT(850000);
	b.result.received = NP_COUNT_EXACT(849312);
	b.result.lost = NP_COUNT_EXACT(688);
	np_result_attribute(&b.result, &socket, &(struct np_drops_total){true, true, 0}, &unknown,
			    false);
	b.result.duplicates = NP_COUNT_EXACT(0);
	b.result.reordered = NP_COUNT_EXACT(2);
	b.result.damaged = NP_COUNT_EXACT(0);
	b.sent_bytes_per_s = 998.2e6 / 8;
	b.received_bytes_per_s = 997.4e6 / 8;
	b.delay = (struct np_histogram_figures){
		.count = 9, .p50 = 59100, .p99 = 210000, .max = 1200000};
	b.delay_bound = 23000;
	b.cpu[NP_BLOCK_SENDER] = (struct np_block_cpu){&much, 1000 * NP_MILLISECOND};
	b.cpu[NP_BLOCK_RECEIVER] = (struct np_block_cpu){&much, 622 * NP_MILLISECOND};
	return b;
}

TEST(the_block)
{
	struct np_block b = whole();

	assert_text(&b,
		    "ttcp: UDP\n"
		    "  sent          850000 messages     998.2 Mbit/s\n"
		    "  received      849312 messages     997.4 Mbit/s\n"
		    "  lost             688 (0.0809 %): sender host 0, path 0, receiver host 688\n"
		    "  duplicates         0, reordered 2, damaged 0\n"
		    "  delay         p50 59.1 us, p99 210 us, max 1.20 ms (clocks within 23.0 us)\n"
		    "  cpu           sender 61 %, receiver 98 %\n");
	/* On a short run the first message shows; a signal may have cut it short. */
	b = np_block_init("t", "messages", false);
	b.interrupted = true;
	b.result.sent = b.result.received = NP_COUNT_EXACT(10);
	b.received_bytes_per_s = 1e6;
	b.head_share = 0.1;
	b.delay = (struct np_histogram_figures){.count = 9, .p50 = 1000, .p99 = 2000, .max = 3000};
	b.delay_bound = -1;
	b.result.lost.known = b.result.duplicates.known = NP_UNKNOWN;
	assert_text(&b, "t\n"
			"  interrupted   by a signal\n"
			"  sent              10 messages\n"
			"  received          10 messages      8.00 Mbit/s after the first\n"
			"  delay         p50 1.00 us, p99 2.00 us, max 3.00 us (one clock)\n");
	b = np_block_init("t", "messages", false);
	b.cpu[NP_BLOCK_PROCESS] = (struct np_block_cpu){&much, 2440 * NP_MILLISECOND};
	assert_text(&b, "t\n"
			"  cpu           this process 25 %\n");
}

/* What the kernel dropped and told the program, which sent it again, is not lost. */
TEST(what_was_retried_is_not_lost)
{
	struct np_block b = np_block_init("t", "packets", false);
	struct np_drops_counts dropped = {.known = true, .exact = true, .packets = 7, .entries = 1};

	strcpy(dropped.entry[0].reason, "QDISC_DROP");
	dropped.entry[0].packets = 7;
	b.dropped[NP_BLOCK_SENDER] = &dropped;
	b.result.lost = b.result.lost_sender_host = NP_COUNT_EXACT(0);
	b.result.duplicates.known = NP_UNKNOWN;
	assert_text(&b, "t\n"
			"  lost               0\n"
			"    sender host    7 QDISC_DROP, all retried\n");
	/* Nothing was lost, however many there were. */
	dropped.exact = false;
	assert_text(&b, "t\n"
			"  lost               0\n"
			"    sender host    >= 7 QDISC_DROP, all retried\n");
	dropped.exact = true;
	b.result.sent = NP_COUNT_EXACT(100);
	b.result.lost = b.result.lost_sender_host = NP_COUNT_EXACT(3);
	b.result.lost_path = b.result.lost_receiver_host = NP_COUNT_EXACT(0);
	b.result.sent.known = NP_UNKNOWN;
	assert_text(&b, "t\n"
			"  lost               3 (3 %): sender host 3, path 0, receiver host 0\n"
			"    sender host    7 QDISC_DROP, 4 of them retried\n");
	/* As far as that is known. */
	dropped.exact = false;
	assert_text(&b, "t\n"
			"  lost               3 (3 %): sender host 3, path 0, receiver host 0\n"
			"    sender host    >= 7 QDISC_DROP\n");
}

TEST(what_is_not_known_is_no_line)
{
	struct np_block b = np_block_init("t", "packets", true);

	b.result.sent = NP_COUNT_EXACT(1024);
	b.sent_bytes_per_s = 66.375e6;
	b.unconfirmed = "the other end sends no report";
	assert_text(&b, "t\n"
			"  sent            1024 packets       66.38 MB/s\n"
			"  received      not confirmed: the other end sends no report\n");
	b = np_block_init("t", "packets", true);
	b.result.received = NP_COUNT_EXACT(3);
	b.result.lost = NP_COUNT_AT_LEAST(0);
	assert_text(&b, "t\n"
			"  received           3 packets\n"
			"  lost            >= 0\n");
}

TEST(the_worst_is_first)
{
	struct np_block_row rows[] = {
		{.name = "10.9.0.3:5001",
		 .confirmed = true,
		 .received_bytes_per_s = 125e6,
		 .delay = {.count = 9, .p50 = 61000}},
		{.name = "10.9.0.1:5001", .confirmed = true, .received_bytes_per_s = 12.5e6},
		{.name = "[2001:db8:ffff:ffff:ffff:ffff:ffff:ffff]:5001", .confirmed = false},
	};
	struct np_block b = np_block_init("t", "messages", false);

	for (size_t i = 0; i < 2; i++) {
		rows[i].result.sent = NP_COUNT_EXACT(1000);
		rows[i].result.lost = NP_COUNT_EXACT(i * 100);
		rows[i].result.received = NP_COUNT_EXACT(1000 - i * 100);
		rows[i].result.duplicates = NP_COUNT_EXACT(i);
		rows[i].result.reordered = NP_COUNT_EXACT(0);
	}
	b.noun = "receiver";
	b.row = rows;
	b.rows = 3;
	assert_text(
		&b,
		"t\n"
		"  receiver                       received  lost   %  dup  reord  Mbit/s      p50\n"
		"  [2001:db8:ffff:ffff:ffff:ffff:ffff:ffff]:5001\n"
		"                                 not confirmed\n"
		"  10.9.0.1:5001                       900   100  10    1      0   100.0\n"
		"  10.9.0.3:5001                      1000     0   0    0      0  1000.0  61.0 "
		"us\n");
}

TEST(reasons_and_tcp_have_lines)
{
	struct np_drops_counts there = {.known = true, .exact = true, .packets = 688, .entries = 2};
	struct np_block b = whole();

	there.entry[0] = (struct np_drops_entry){.packets = 638, .reason = "SOCKET_RCVBUFF"};
	there.entry[1] = (struct np_drops_entry){
		.packets = 50, .reason = "NETFILTER_DROP", .place = "nft_do_chain"};
	b.dropped[NP_BLOCK_RECEIVER] = &there;
	b.delay.count = 0;
	b.tcp = (struct np_block_tcp){
		.known = true,
		.figures = {.retransmitted = 12, .srtt = 41000, .rtt_min = 12000},
		.congestion = "cubic",
	};
	assert_text(&b,
		    "ttcp: UDP\n"
		    "  sent          850000 messages     998.2 Mbit/s\n"
		    "  received      849312 messages     997.4 Mbit/s\n"
		    "  lost             688 (0.0809 %): sender host 0, path 0, receiver host 688\n"
		    "    receiver host  638 SOCKET_RCVBUFF, 50 NETFILTER_DROP (nft_do_chain)\n"
		    "  duplicates         0, reordered 2, damaged 0\n"
		    "  tcp           12 segments retransmitted, rtt 41.0 us (min 12.0 us), cubic\n"
		    "  cpu           sender 61 %, receiver 98 %\n");
	there.exact = false;
	b.repaired = true;
	b.tcp = (struct np_block_tcp){.known = true, .figures = {.srtt = 41000}};
	assert_text(&b, "ttcp: UDP\n"
			"  sent          850000 messages     998.2 Mbit/s\n"
			"  received      849312 messages     997.4 Mbit/s\n"
			"  tcp           0 segments retransmitted, rtt 41.0 us\n"
			"    receiver host  dropped >= 638 SOCKET_RCVBUFF,\n"
			"                   >= 50 NETFILTER_DROP (nft_do_chain)\n"
			"  cpu           sender 61 %, receiver 98 %\n");
}

TEST(rates_add_up_if_all_are_known)
{
	struct np_block_row rows[] = {
		{.received_bytes_per_s = 1, .confirmed = true},
		{.received_bytes_per_s = 2, .confirmed = true},
		{.received_bytes_per_s = -1, .confirmed = false},
	};
	struct np_block b = np_block_init("t", "packets", false);

	b.row = rows;
	b.rows = 3;
	assert_true(np_block_rate_sum(&b) == 3);
	rows[1].received_bytes_per_s = -1;
	assert_true(np_block_rate_sum(&b) < 0);
}

TEST(the_block_at_length)
{
	const struct np_block_interval row = {
		.from = 0,
		.to = NP_SECOND,
		.count = 100,
		.bytes_per_s = 125000,
		.lost = NP_COUNT_AT_LEAST(3),
		.delay = {.count = 100, .p50 = 59100, .p99 = 210000},
	};
	const struct np_drops_counts why = {.why = "--drops=off"};
	const struct np_usage usage = {.user = NP_SECOND, .system = 2 * NP_MILLISECOND};
	struct np_block b = np_block_init("t", "messages", false);
	struct np_block_full *full;

	assert_non_null(full = block_full_create());
	np_block_full_say(full, NP_BLOCK_TRANSPORT, "stamps", "kernel");
	np_block_full_say(full, NP_BLOCK_CONFIGURATION, "socket buffer", "%d bytes", 4096);
	np_block_full_interval(full, &row);
	np_block_full_say(full, NP_BLOCK_MEMBERS, "sender", "10.9.0.1:7500");
	np_block_full_say(NULL, NP_BLOCK_HOSTS, "nothing", "is kept");
	np_block_full_interval(NULL, &row);
	b.full = full;
	b.dropped[NP_BLOCK_RECEIVER] = &why;
	b.delay_raw = (struct np_histogram_figures){.count = 9, .p50 = 0, .p99 = 1000, .max = 2000};
	b.cpu[NP_BLOCK_SENDER].usage = b.cpu[NP_BLOCK_PROCESS].usage = &usage;
	assert_text(&b, "t\n"
			"  configuration\n"
			"    socket buffer           4096 bytes\n"
			"  intervals\n"
			"       from       to  messages         rate  lost  delay p50  delay p99\n"
			"    0.000 s  1.000 s       100  1.00 Mbit/s  >= 3    59.1 us     210 us\n"
			"  transport\n"
			"    stamps                  kernel\n"
			"  dropped, by kernel reason\n"
			"    receiver host           unknown: --drops=off\n"
			"  members\n"
			"    sender                  10.9.0.1:7500\n"
			"  percentiles\n"
			"           delay by both clocks\n"
			"    min\n"
			"    mean\n"
			"    p50                    0 ns\n"
			"    p90\n"
			"    p99                 1.00 us\n"
			"    p99.9\n"
			"    max                 2.00 us\n"
			"    count\n"
			"  clock offset  unknown: the clocks were not compared\n"
			"  processor time\n"
			"    sender                  user 1.000 s, system 0.002 s\n"
			"    this process            user 1.000 s, system 0.002 s\n");
	np_block_full_clear(full);
	b = np_block_init("t", "messages", false);
	b.full = full;
	assert_text(&b, "t\n");
	block_full_free(full);
	block_full_free(NULL);
}

/* A disk's file or a member may be named like this. */
TEST(names_hold_no_terminal_commands)
{
	struct np_block b = whole();
	struct page *page = page_open();

	b.title = "read of a\033[31m\n\tb\x7fGr\xc3\xbc\xc3\x9f: sync";
	np_block_print(page->out, &b);
	page_holds(page, "read of a?[31m??b?Gr\xc3\xbc\xc3\x9f: sync\n");
	page_close(page);
	page = page_open();
	np_block_line(page->out, 4, "%s", "a\033[2J\nb");
	page_expect(page, "a?[2J?b\n");
}

/* The largest figures that there are still fit. */
TEST(no_line_is_longer_than_80)
{
	const struct np_count most = NP_COUNT_AT_LEAST(UINT64_MAX);
	struct np_block b = whole();
	struct page *page = page_open();

	for (const struct np_column *c = np_result_columns; c->name; c++)
		memcpy((char *)&b.result + c->offset, &most, sizeof(most));
	b.delay = (struct np_histogram_figures){
		.count = 1, .p50 = INT64_MAX, .p99 = INT64_MAX, .max = INT64_MAX};
	b.delay_bound = INT64_MAX;
	np_block_print(page->out, &b);
	fflush(page->out);
	for (char *line = strtok(page->text, "\n"); line; line = strtok(NULL, "\n")) {
		if (strlen(line) > 80)
			fail_msg("%zu columns: %s", strlen(line), line);
	}
	page_close(page);
}
