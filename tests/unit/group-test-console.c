// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* group-test-console: the user's own sample and 3.0.16's transcripts, to the letter. */
#include "../../src/group-test/report/report.h"
#include "../../src/lib/report/block.h"
#include "group_results.h"
#include "page.h"
#include "support/unit.h"

static const struct options one = {.member.lanes = 1};
static const struct options sends = {.role.sender = true, .member.lanes = 1};
static const struct options as_java = {.role.sender = true,
				       .member = {.protocol = PROTOCOL_JGROUPS3, .lanes = 1}};
static const struct settings gms = {.member.payload = PAYLOAD, .lineage = "JGroupsTransport"};
static const struct settings plain = {.member.payload = PAYLOAD, .member.log_interval = 500};
static const struct report_view sender = {&sends, &gms, NULL};
static const struct report_view receiver = {&one, &gms, NULL};
static const struct report_view java = {&as_java, &plain, NULL};

#define RULE "-------------------------------------------------------\n"

/* The lines of single events; those of transport have a peer. */
TEST(events_have_their_lines)
{
	static const struct options three = {
		.member = {.protocol = PROTOCOL_JGROUPS3, .lanes = 3, .warmup = 3}};
	static const struct settings small = {.member.payload = 200};
	static const struct report_view threads = {&three, &small, NULL};
	static const struct report_view *const c = &sender, *const j = &java, *const t = &threads;
	const struct {
		const struct report_view *style;
		enum member_event_kind kind;
		uint64_t number;
		np_time elapsed;
		const char *text;
	} cases[] = {
		{c, MEMBER_WAITING, 4, 0, "-- waiting for 4 members to join\n"},
		{c, MEMBER_JOINED, 2, 0, "-- 172.16.132.33:51062 joined\n-- members: 2\n"},
		{c, MEMBER_SENT, SENT, 0, "++ sent 20000\n"},
		{c, MEMBER_RECEIVED, SENT, 0,
		 "-- received 20000 messages from 172.16.132.33:51062\n"},
		{&receiver, MEMBER_REPORTED, 4, 0, ""},
		/* As tcp-4m2s-m3-sender and tcp-4m2s-m1-receiver. */
		{j, MEMBER_SENT, 500, 0, "++ sent 500\n"},
		{j, MEMBER_RECEIVED, 500, 0, ""},
		{j, MEMBER_PROGRESS, 500, 24 * MS,
		 "-- received 500 messages (24 ms, 20833.33 msgs/sec, 20.83MB/sec)\n"},
		{j, MEMBER_PROGRESS, 1000, 10 * MS,
		 "-- received 1000 messages (10 ms, 50000 msgs/sec, 50MB/sec)\n"},
		{j, MEMBER_PROGRESS, 5, 0, "-- received 5 messages (0 ms, unknown)\n"},
		{j, MEMBER_SENT_ALL, 4, 0, ""},
		{j, MEMBER_REPORTED, 4, 0, ""},
		{c, MEMBER_WARMING, 3, 0, ""},
		{t, MEMBER_SENDING, 1000, 0,
		 "done\n-- sending 1000 200b messages in 3 threads\n"
		 "-- [thread-1] sending 334 msgs\n-- [thread-2] sending 333 msgs\n"
		 "-- [thread-3] sending 333 msgs\n"},
		{t, MEMBER_SENT, 200, 0, "++ sent 200 [thread-2]\n"},
	};
	const struct identity who_of = who(SENDER_A);
	const struct result none = {};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct page *p = page_open();

		console_member(p->out, cases[i].style,
			       &(struct member_event){.kind = cases[i].kind,
						      .number = cases[i].number,
						      .who = &who_of,
						      .lane = 1,
						      .elapsed = cases[i].elapsed,
						      .result = &none});
		page_expect(p, cases[i].text);
	}
}

static void finish(struct page *p, const struct report_view *style, const struct result *r)
{
	console_member(p->out, style, &(struct member_event){.kind = MEMBER_RESULT, .result = r});
}

/* What the last sender of the article prints. */
TEST(the_users_sample)
{
	static const struct {
		const char *member, *ms[3], *rate[3], *size[3];
	} tables[] = {
		{SENDER_A,
		 {"6305", "6192", "6374"},
		 {"3172.09", "3229.97", "6275.49"},
		 {"3.17", "3.23", "6.28"}},
		{RECEIVER_B,
		 {"6401", "6330", "6425"},
		 {"3124.51", "3159.56", "6225.68"},
		 {"3.12", "3.16", "6.23"}},
		{SENDER_B,
		 {"6304", "6263", "6372"},
		 {"3172.59", "3193.36", "6277.46"},
		 {"3.17", "3.19", "6.28"}},
		{RECEIVER_A,
		 {"6375", "6213", "6398"},
		 {"3137.25", "3219.06", "6251.95"},
		 {"3.14", "3.22", "6.25"}},
	};
	static const char *const begin[] = {"sender: " SENDER_A, "sender: " SENDER_B, "\ncombined"};
	RESULT r = sample_result();
	struct page *expected = page_open(), *p = page_open();

	fputs("\n-- results:\n\n", expected->out);
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		fprintf(expected->out, "-- results from %s:\n", tables[i].member);
		for (unsigned k = 0; k < 3; k++)
			fprintf(expected->out,
				"%s: num_msgs_expected=%d, num_msgs_received=%d (loss rate=0%%), "
				"received=%dMB, time=%sms, msgs/sec=%s, throughput=%sMB/sec\n",
				begin[k], k < 2 ? 20000 : 40000, k < 2 ? 20000 : 40000,
				k < 2 ? 20 : 40, tables[i].ms[k], tables[i].rate[k],
				tables[i].size[k]);
		fputc('\n', expected->out);
	}
	fputc('\n', expected->out);
	fflush(expected->out);
	finish(p, &sender, &r);
	page_expect(p, expected->text);
	page_close(expected);
}

/* As v227-udp-loss-m1-receiver. */
TEST(a_receiver_prints_its_own)
{
	struct result_row rows[] = {row_of("127.0.0.1:58800", 0, 849 * MS),
				    row_of("127.0.0.1:45811", 0, 942 * MS)};
	RESULT r = {.members = 1};
	struct page *p = page_open();

	r.member = calloc(1, sizeof(*r.member));
	rows[0].counts.received = 10894;
	rows[0].counts.bytes = 10894 * PAYLOAD;
	rows[1].counts.received = 8135;
	rows[1].counts.bytes = 8135 * PAYLOAD;
	fill_member(&r.member[0], "127.0.0.1:54632", rows, 2);
	r.member[0].myself = true;
	finish(p, &receiver, &r);
	page_expect(
		p, "sender: 127.0.0.1:58800: num_msgs_expected=20000, num_msgs_received=10894 "
		   "(loss rate=45.53%), received=10.89MB, time=849ms, msgs/sec=12831.57, "
		   "throughput=12.83MB/sec\n"
		   "sender: 127.0.0.1:45811: num_msgs_expected=20000, num_msgs_received=8135 "
		   "(loss rate=59.33%), received=8.13MB, time=942ms, msgs/sec=8635.88, "
		   "throughput=8.64MB/sec\n"
		   "\n"
		   "combined: num_msgs_expected=40000, num_msgs_received=19029 (loss rate=52.43%), "
		   "received=19.03MB, time=942ms, msgs/sec=20200.64, throughput=20.2MB/sec\n\n");
}

/* Prints the row of the only sender. */
static void print_row(struct page *p, const struct report_view *view, const struct result_row *row)
{
	struct result_row copy = *row;
	struct result_member member = {.myself = true, .rows = 1, .row = &copy};
	const struct result r = {.members = 1, .member = &member};

	if (view == &java)
		console_member(p->out, view,
			       &(struct member_event){.kind = MEMBER_LOCAL, .result = &r});
	else
		console_result(p->out, view, &r);
}

TEST(what_is_not_known_is_said)
{
	struct result_row row = row_of("127.0.0.1:1", 5, 0);
	RESULT r = sample_result();
	struct page *p = page_open();

	row.exact = false;
	row.counts.received = 1;
	row.counts.bytes = 200;
	print_row(p, &receiver, &row);
	for (size_t i = 0; i < 4; i++)
		r.member[i].outcome = i ? FATE_REFUSED : FATE_SILENT;
	r.member[0].reported = false;
	strcpy(r.member[0].why, "silent for 5 s");
	console_result(p->out, &sender, &r);
	page_expect(p, "sender: 127.0.0.1:1: num_msgs_expected=20000, num_msgs_received=1 "
		       "(loss rate=unknown), received=0.2KB, time=0ms, msgs/sec=unknown, "
		       "throughput=unknown\n"
		       "\ncombined: num_msgs_expected=20000, num_msgs_received=1 "
		       "(loss rate=unknown), received=0.2KB, time=0ms, msgs/sec=unknown, "
		       "throughput=unknown\n\n"
		       "\n-- results:\n\n"
		       "-- no results from 172.16.132.33:51062: silent for 5 s\n\n\n");
}

static void address(FILE *out, const struct report_view *view, const struct transport_info *info)
{
	console_address(out, &(struct report_view){view->options, view->settings, info});
}

TEST(banners)
{
	static const struct settings said;
	static const struct options asked = {.group.config = "c.txt",
					     .member.protocol = PROTOCOL_JGROUPS3};
	const struct report_view view = {&asked, &said, NULL};
	const struct transport_info tcp = {.variant = "tcp", .self = who("127.0.0.1:7800")};
	const struct transport_info udp = {.variant = "udp", .self = tcp.self};
	struct page *p = page_open();

	assert_int_equal(setenv("TZ", "UTC", 1), 0);
	console_banner(p->out, &view, INT64_C(1795251229) * NP_SECOND, "root");
	page_holds(p, "\n\n----------------------- TEST -----------------------\n"
		      "Date: Sat Nov 21 08:53:49 UTC 2026\nRun by: root\n\n");
	page_holds(p, "config:\tc.txt\nJGroups version: 3.0.16.Final, ");
	page_close(p);
	p = page_open();
	address(p->out, &java, &tcp);
	address(p->out, &java, &udp);
	address(p->out, &(struct report_view){&one, &plain, NULL}, &tcp);
	address(p->out, &receiver, &udp);
	page_expect(p, "-- local address is 127.0.0.1:7800\n-- local_addr is 127.0.0.1:7800\n"
		       "-- local_addr is 127.0.0.1:7800\n" RULE
		       "GMS: address is 127.0.0.1:7800\n" RULE);
}

TEST(what_becomes_of_connections_is_said_by_3_0)
{
	static const struct {
		enum transport_event_kind kind;
		const char *text;
	} cases[] = {
		{TRANSPORT_CONNECTED, "-- connected to /127.0.0.1:7800\n"},
		{TRANSPORT_FAILED, "-- failed to connect to /127.0.0.1:7800\n"},
		{TRANSPORT_ENDED, "-- receiver thread for 127.0.0.1:7800 terminated\n"},
		{TRANSPORT_LOST, ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct transport_event event = {.kind = cases[i].kind,
						      .peer = who("127.0.0.1:7800")};
		struct page *p = page_open();

		console_transport(p->out, &receiver, &event);
		console_transport(p->out, &java, &event);
		page_expect(p, cases[i].text);
	}
}

/* A Java member: milliseconds, and over all senders only. */
static void fill_java(struct result_member *m, const char *name, np_time ms)
{
	*m = (struct result_member){.who = who(name), .reported = true};
	m->total = (struct result_row){
		.counts.sent = 2000, .counts.received = 2000, .counts.bytes = 2000000};
	m->total.counts.first = 7 * MS;
	m->total.counts.last = (7 + ms) * MS;
}

TEST(the_tables_of_3_0)
{
	struct result_row rows[] = {row_of("127.0.0.1:7802", 7 * MS, 75 * MS),
				    row_of("127.0.0.1:7803", 7 * MS, 94 * MS)};
	RESULT r = {.members = 4};
	struct page *p = page_open();

	r.member = calloc(4, sizeof(*r.member));
	fill_java(&r.member[0], "127.0.0.1:7800", 98);
	for (size_t i = 0; i < 2; i++) {
		rows[i].counts.sent = rows[i].counts.received = 1000;
		rows[i].counts.bytes = 1000000;
		rows[i].exact = false;
	}
	r.member[0].row = malloc(sizeof(rows));
	memcpy(r.member[0].row, rows, sizeof(rows));
	r.member[0].rows = 2;
	r.member[0].myself = true;
	fill_java(&r.member[1], "127.0.0.1:7801", 98);
	fill_java(&r.member[2], "127.0.0.1:7802", 100);
	fill_java(&r.member[3], "127.0.0.1:7803", 134);
	console_member(p->out, &java, &(struct member_event){.kind = MEMBER_LOCAL, .result = &r});
	finish(p, &java, &r);
	page_expect(
		p, "\n-- local results:\n"
		   "sender: 127.0.0.1:7802: num_msgs_expected=1000, num_msgs_received=1000 (loss "
		   "rate=0.0%), received=1MB, time=75ms, msgs/sec=13333.33, throughput=13.33MB\n"
		   "sender: 127.0.0.1:7803: num_msgs_expected=1000, num_msgs_received=1000 (loss "
		   "rate=0.0%), received=1MB, time=94ms, msgs/sec=10638.3, throughput=10.64MB\n"
		   "\n\n-- results:\n\n"
		   "127.0.0.1:7800 (myself):\n"
		   "num_msgs_expected=2000, num_msgs_received=2000 (loss rate=0.0%), received=2MB, "
		   "time=98ms, msgs/sec=20408.16, throughput=20.41MB\n\n"
		   "127.0.0.1:7801:\n"
		   "num_msgs_expected=2000, num_msgs_received=2000 (loss rate=0.0%), received=2MB, "
		   "time=98ms, msgs/sec=20408.16, throughput=20.41MB\n\n"
		   "127.0.0.1:7802:\n"
		   "num_msgs_expected=2000, num_msgs_received=2000 (loss rate=0.0%), received=2MB, "
		   "time=100ms, msgs/sec=20000, throughput=20MB\n\n"
		   "127.0.0.1:7803:\n"
		   "num_msgs_expected=2000, num_msgs_received=2000 (loss rate=0.0%), received=2MB, "
		   "time=134ms, msgs/sec=14925.37, throughput=14.93MB\n\n"
		   "combined: 18935.42 msgs/sec averaged over all receivers "
		   "(throughput=18.93MB/sec)\n\n");
}

TEST(losses_of_3_0)
{
	struct result_row row = row_of("127.0.0.1:1", 5, 500 * NP_MILLISECOND);
	RESULT r = {.members = 1};
	struct page *p = page_open();

	row.exact = false;
	row.counts.sent = 1000;
	row.counts.received = 506;
	row.counts.bytes = 300;
	print_row(p, &java, &row);
	row.counts.received = 0;
	row.counts.bytes = 0;
	print_row(p, &java, &row);
	/* A time of 0 ms makes Java's mean infinite. */
	r.member = calloc(1, sizeof(*r.member));
	fill_java(&r.member[0], "127.0.0.1:7800", 0);
	console_result(p->out, &java, &r);
	page_expect(
		p,
		"\n-- local results:\nsender: 127.0.0.1:1: num_msgs_expected=1000, "
		"num_msgs_received=506 (loss rate=49.400000000000006%), "
		"received=300b, time=500ms, msgs/sec=1012, throughput=600.0b\n\n"
		"\n-- local results:\nsender: 127.0.0.1:1: num_msgs_expected=1000, "
		"num_msgs_received=0 (loss rate=100.0%), received=0b, "
		"time=500ms, msgs/sec=0, throughput=0.0b\n\n"
		"\n-- results:\n\n127.0.0.1:7800:\nnum_msgs_expected=2000, num_msgs_received=2000 "
		"(loss rate=0.0%), received=2MB, time=0ms, msgs/sec=unknown, throughput=unknown\n"
		"\ncombined: unknown\n\n");
}

TEST(sizes)
{
	static const struct {
		uint64_t bytes;
		const char *classic, *whole, *part;
	} cases[] = {
		{0, "0KB", "0b", "0.0b"},
		{200, "0.2KB", "200b", "200.0b"},
		{999, "1KB", "999b", "999.0b"},
		{1000, "1KB", "1KB", "1KB"},
		{999990, "999.99KB", "999.99KB", "999.99KB"},
		{1000000, "1MB", "1MB", "1MB"},
		{3172090, "3.17MB", "3.17MB", "3.17MB"},
		{1420000000, "1420MB", "1.42GB", "1.42GB"},
		{UINT64_C(5000000000000000), "5000000000MB", "5000000GB", "5000000GB"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct result_row row = row_of("127.0.0.1:1", 5, NP_SECOND);
		struct page *p = page_open();
		char expected[100];

		row.counts.bytes = cases[i].bytes;
		print_row(p, &receiver, &row);
		print_row(p, &java, &row);
		snprintf(expected, sizeof(expected), "throughput=%s/sec", cases[i].classic);
		page_holds(p, expected);
		snprintf(expected, sizeof(expected), "received=%s, ", cases[i].whole);
		page_holds(p, expected);
		snprintf(expected, sizeof(expected), "throughput=%s\n", cases[i].part);
		page_holds(p, expected);
		page_close(p);
	}
}

/* Prints @r with --report=full into @p. */
static void print_full(struct page *p, const struct result *r)
{
	struct settings settings = {.member = {.messages = SENT, .payload = PAYLOAD},
				    .flow_control = "credit"};
	struct options options = {.member = {.runs = 1, .lanes = 1}};
	struct transport_info info = {
		.variant = "udp", .detail = "group 239.3.4.5:7500", .stamps = "kernel"};
	const struct report_view view = {&options, &settings, &info};
	struct np_block_full *full;

	assert_non_null(full = block_full_create());
	result_block(p->out, &view, full, r);
	block_full_free(full);
}

#define AT_LENGTH                                                                                  \
	"  members\n"                                                                              \
	"    sender                  172.16.132.33:51062: user 0.000 s, system 0.000 s\n"          \
	"    receiver                172.16.128.33:18532: user 0.120 s, system 0.450 s,\n"         \
	"                            2 malformed messages\n"                                       \
	"    sender                  172.16.128.33:18535: user 0.000 s, system 0.000 s\n"          \
	"    receiver                172.16.130.33:33415: given up after 3.200 s: silent\n"        \
	"                            for 5 s\n"                                                    \
	"    lost                    10 from 172.16.132.33:51062 to 172.16.128.33:18532:\n"        \
	"                            sender host unknown, path >= 0, receiver host >= 0,\n"        \
	"                            unattributed 10\n"                                            \
	"    mean of the members     6259 messages/s, 50.08 Mbit/s\n"                              \
	"    all members             18777 messages/s, 150.2 Mbit/s\n"                             \
	"  processor time\n"                                                                       \
	"    this process            user 0.000 s, system 0.000 s\n"

TEST(the_result_at_length)
{
	RESULT r = sample_result();
	struct page *p = page_open();
	struct result_row *row = &r.member[1].row[0];

	r.numbered = true;
	r.member[0].myself = true;
	r.member[1].host = (struct result_host){120 * MS, 450 * MS, 3, 2};
	row->counts.received -= 10;
	row->counts.lost = 10;
	r.member[3].outcome = FATE_SILENT;
	r.member[3].reported = false;
	r.member[3].outcome_after = 3200 * MS;
	strcpy(r.member[3].why, "silent for 5 s");
	print_full(p, &r);
	page_holds(p, "group-test: udp, 4 members, 2 senders, 1000-byte messages, ");
	page_holds(p, "    flow control            credit\n");
	page_holds(p, "    udp                     group 239.3.4.5:7500\n");
	page_holds(p, AT_LENGTH);
	page_close(p);
}

TEST(the_result_of_3_0_at_length)
{
	RESULT r = sample_result();
	struct page *p = page_open();

	r.member[0].myself = true;
	free(r.member[1].row);
	r.member[1].row = NULL;
	r.member[1].rows = 0;
	print_full(p, &r);
	page_holds(p, "    receiver                172.16.128.33:18532\n");
	assert_null(strstr(p->text, "  duplicates"));
	page_close(p);
}

static void chosen(const char *only, const char *drop_unit, const char *lines)
{
	const struct transport_stats stats = {.sent_messages = 5, .sent_bytes = 6, .dropped = 7};
	struct page *p = page_open();

	console_counters(p->out, &stats, drop_unit, only);
	page_expect(p, lines);
}

/* As -dump_stats=UDP.num_msgs_sent,... chooses them, by the begins of JGroups' names or of ours. */
TEST(counters_by_name)
{
	chosen("num_msgs_sent", "buffer", "\nTransport statistics:\nsent messages: 5\n");
	chosen("num_msgs,dropped", "buffer",
	       "\nTransport statistics:\nsent messages: 5\nreceived messages: 0\n"
	       "dropped buffers: 7\n");
	chosen("sent_b", NULL, "\nTransport statistics:\nsent bytes: 6\n");
	chosen("dropped", NULL, "\nTransport statistics:\n");
	chosen("num_msgs_sent_x,,xmit", "buffer", "\nTransport statistics:\n");
	chosen("dropped", "packet", "\nTransport statistics:\ndropped packets: 7\n");
	chosen(NULL, NULL,
	       "\nTransport statistics:\nsent messages: 5\nsent bytes: 6\nreceived messages: 0\n"
	       "received bytes: 0\nsend calls: 0\nreceive calls: 0\nsend refused: 0\n"
	       "send errors: 0\noversize: 0\nbad lengths: 0\nbad hand-shakes: 0\n"
	       "silent connections: 0\nrefused connections: 0\ntruncated: 0\n"
	       "connections not allowed: 0\n");
}
