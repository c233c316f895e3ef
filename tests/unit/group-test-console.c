// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* group-test-console: the user's own sample and 3.0.16's transcripts, to the letter. */
#include "../../src/group-test/report/report.h"
#include "group_results.h"
#include "page.h"
#include "support/unit.h"

#include <string.h>

static const struct console_style sender = {.sender = true, .gms = true, .msg_size = PAYLOAD};
static const struct console_style receiver = {.gms = true, .msg_size = PAYLOAD};
static const struct console_style java = {
	.jgroups3 = true, .msg_size = PAYLOAD, .log_interval = 500, .lanes = 1};

static void tell(struct page *p, const struct console_style *style, struct member_event event)
{
	console_member(p->out, style, &event);
}

TEST(the_group_forms)
{
	struct identity a = who(RECEIVER_B), b = who(RECEIVER_A);
	struct page *p = page_open();

	console_banner(p->out, &(struct console_style){.silent = true}, 0, "me", NULL, 0);
	console_address(p->out, &receiver, &(struct transport_info){.lossy = true, .self = b});
	tell(p, &receiver, (struct member_event){.kind = MEMBER_WAITING, .number = 4});
	tell(p, &receiver, (struct member_event){.kind = MEMBER_JOINED, .who = &a, .number = 1});
	tell(p, &receiver, (struct member_event){.kind = MEMBER_JOINED, .who = &b, .number = 2});
	page_expect(p, "-------------------------------------------------------\n"
		       "GMS: address is 172.16.130.33:33415\n"
		       "-------------------------------------------------------\n"
		       "-- waiting for 4 members to join\n"
		       "-- 172.16.128.33:18532 joined\n"
		       "-- members: 1\n"
		       "-- 172.16.130.33:33415 joined\n"
		       "-- members: 2\n");
}

#define ROW(who, ms, rate, through)                                                                \
	"sender: " who ": num_msgs_expected=20000, num_msgs_received=20000 (loss rate=0%), "       \
	"received=20MB, time=" ms "ms, msgs/sec=" rate ", throughput=" through "MB/sec\n"
#define SUM(ms, rate, through)                                                                     \
	"\ncombined: num_msgs_expected=40000, num_msgs_received=40000 (loss rate=0%), "            \
	"received=40MB, time=" ms "ms, msgs/sec=" rate ", throughput=" through "MB/sec\n\n"

/* What the last sender of the article prints. */
TEST(the_users_sample)
{
	struct result r = sample_result();
	struct identity a = who(SENDER_A);
	struct page *p = page_open();

	tell(p, &sender, (struct member_event){.kind = MEMBER_SENDING, .number = SENT});
	tell(p, &sender, (struct member_event){.kind = MEMBER_SENT, .number = SENT});
	tell(p, &sender, (struct member_event){.kind = MEMBER_SENT_ALL, .number = 4});
	tell(p, &sender, (struct member_event){.kind = MEMBER_RECEIVED, .who = &a, .number = SENT});
	tell(p, &sender, (struct member_event){.kind = MEMBER_LOCAL, .result = &r});
	tell(p, &sender, (struct member_event){.kind = MEMBER_REPORTED, .number = 4});
	tell(p, &sender, (struct member_event){.kind = MEMBER_RESULT, .result = &r});
	page_expect(
		p,
		"++ sent 20000\n"
		"-- sent all messages. Asking receivers if they received all messages\n"
		"\n"
		"-- fetching results (from 4 members)\n"
		"-- received 20000 messages from 172.16.132.33:51062\n"
		"-- received all responses\n"
		"\n"
		"-- results:\n"
		"\n"
		"-- results from 172.16.132.33:51062:\n" ROW(SENDER_A, "6305", "3172.09",
							     "3.17") ROW(SENDER_B, "6192",
									 "3229.97", "3.23")
			SUM("6374", "6275.49", "6.28") "-- results from 172.16.128.33:18532:\n" ROW(
				SENDER_A, "6401", "3124.51", "3.12") ROW(SENDER_B, "6330",
									 "3159.56", "3.16")
				SUM("6425", "6225.68",
				    "6.23") "-- results from 172.16.128.33:18535:\n" ROW(SENDER_A,
											 "6304",
											 "3172.59",
											 "3.17")
					ROW(SENDER_B, "6263", "3193.36", "3.19") SUM(
						"6372", "6277.46",
						"6.28") "-- results from "
							"172.16.130.33:33415:\n" ROW(
								SENDER_A, "6375", "3137.25", "3.14")
								ROW(SENDER_B, "6213", "3219.06",
								    "3.22") SUM("6398", "6251.95",
										"6.25") "\n");
	result_free(&r);
}

/* As v227-udp-loss-m1-receiver. */
TEST(a_receiver_prints_its_own)
{
	struct result_row rows[] = {row_of("127.0.0.1:58800", 0, 849 * MS),
				    row_of("127.0.0.1:45811", 0, 942 * MS)};
	struct result r = {.members = 1};
	struct page *p = page_open();

	r.member = calloc(1, sizeof(*r.member));
	rows[0].counts.received = 10894;
	rows[0].counts.bytes = 10894 * PAYLOAD;
	rows[1].counts.received = 8135;
	rows[1].counts.bytes = 8135 * PAYLOAD;
	fill_member(&r.member[0], "127.0.0.1:54632", rows, 2);
	r.member[0].myself = true;
	tell(p, &receiver, (struct member_event){.kind = MEMBER_REPORTED});
	tell(p, &receiver, (struct member_event){.kind = MEMBER_RESULT, .result = &r});
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
	result_free(&r);
}

TEST(what_is_not_known_is_said)
{
	struct result_row row = row_of("127.0.0.1:1", 5, 0);
	struct result r = sample_result();
	struct page *p = page_open();

	row.exact = false;
	row.counts.received = 1;
	row.counts.bytes = 200;
	console_info(p->out, &sender, &row);
	for (size_t i = 0; i < 4; i++)
		r.member[i].outcome = i ? FATE_REFUSED : FATE_SILENT;
	r.member[0].reported = false;
	strcpy(r.member[0].why, "silent for 5 s");
	console_result(p->out, &sender, &r);
	page_expect(p, "num_msgs_expected=20000, num_msgs_received=1 (loss rate=unknown), "
		       "received=0.2KB, time=0ms, msgs/sec=unknown, throughput=unknown"
		       "\n-- results:\n\n"
		       "-- no results from 172.16.132.33:51062: silent for 5 s\n\n\n");
	result_free(&r);
}

TEST(banners)
{
	const struct console_setting settings[] = {{"num_msgs", "1000"}, {"msg_size", "1"}};
	const struct transport_info tcp = {.self = who("127.0.0.1:7800"), .unicast = true};
	const struct transport_info udp = {.self = tcp.self, .unicast = true, .lossy = true};
	struct page *p = page_open();

	assert_int_equal(setenv("TZ", "UTC", 1), 0);
	console_banner(p->out, &receiver, INT64_C(1795251229) * NP_SECOND, "root", settings, 2);
	page_expect(p,
		    "Configuration is: \n\n----------------------- TEST -----------------------\n"
		    "Date: Sat Nov 21 08:53:49 UTC 2026\nRun by: root\n\n"
		    "num_msgs:\t1000\nmsg_size:\t1\n\n\n\n");
	p = page_open();
	console_banner(p->out, &java, INT64_C(1795251229) * NP_SECOND, "root", settings, 1);
	assert_int_equal(fflush(p->out), 0);
	assert_non_null(strstr(p->text, "num_msgs:\t1000\nJGroups version: 3.0.16.Final, "));
	page_close(p);
	p = page_open();
	console_address(p->out, &java, &tcp);
	console_address(p->out, &java, &udp);
	console_address(p->out, &(struct console_style){}, &tcp);
	page_expect(p, "-- local address is 127.0.0.1:7800\n-- local_addr is 127.0.0.1:7800\n"
		       "-- local_addr is 127.0.0.1:7800\n");
}

/* As tcp-4m2s-m3-sender and tcp-4m2s-m1-receiver. */
TEST(a_run_of_3_0)
{
	struct transport_event up = {.kind = TRANSPORT_CONNECTED, .peer = who("127.0.0.1:7800")};
	struct transport_event down = {.kind = TRANSPORT_FAILED, .peer = who("127.0.0.1:7803")};
	struct transport_event over = {.kind = TRANSPORT_ENDED, .peer = who("127.0.0.1:7800")};
	struct identity a = who("127.0.0.1:7800");
	struct page *p = page_open();

	console_transport(p->out, &java, &up);
	console_transport(p->out, &java, &down);
	console_transport(p->out, &receiver, &up);
	tell(p, &java, (struct member_event){.kind = MEMBER_WAITING, .number = 4});
	tell(p, &java, (struct member_event){.kind = MEMBER_JOINED, .who = &a, .number = 1});
	tell(p, &java, (struct member_event){.kind = MEMBER_READY, .number = 4});
	tell(p, &java, (struct member_event){.kind = MEMBER_SENDING, .number = 1000});
	tell(p, &java, (struct member_event){.kind = MEMBER_SENT, .number = 500});
	tell(p, &java,
	     (struct member_event){.kind = MEMBER_PROGRESS, .number = 500, .elapsed = 24 * MS});
	tell(p, &java,
	     (struct member_event){.kind = MEMBER_PROGRESS, .number = 1000, .elapsed = 10 * MS});
	tell(p, &java, (struct member_event){.kind = MEMBER_SENT_ALL, .number = 4});
	console_transport(p->out, &java, &over);
	page_expect(p, "-- connected to /127.0.0.1:7800\n"
		       "-- failed to connect to /127.0.0.1:7803\n"
		       "-- waiting for 4 members to join\n"
		       "-- 127.0.0.1:7800 joined\n"
		       "-- READY (4 acks)\n"
		       "\n"
		       "-- sending 1000 1KB messages\n"
		       "++ sent 500\n"
		       "-- received 500 messages (24 ms, 20833.33 msgs/sec, 20.83MB/sec)\n"
		       "-- received 1000 messages (10 ms, 50000 msgs/sec, 50MB/sec)\n"
		       "-- receiver thread for 127.0.0.1:7800 terminated\n");
}

TEST(threads_and_warmup)
{
	const struct console_style style = {
		.jgroups3 = true, .lanes = 3, .msg_size = 200, .warmup = 3};
	struct page *p = page_open();

	tell(p, &style, (struct member_event){.kind = MEMBER_WARMING, .number = 3});
	tell(p, &style, (struct member_event){.kind = MEMBER_SENDING, .number = 1000});
	tell(p, &style, (struct member_event){.kind = MEMBER_SENT, .number = 200, .lane = 1});
	page_expect(p, "sending 3 warmup messages\n"
		       "done\n"
		       "-- sending 1000 200b messages in 3 threads\n"
		       "-- [thread-1] sending 334 msgs\n"
		       "-- [thread-2] sending 333 msgs\n"
		       "-- [thread-3] sending 333 msgs\n"
		       "++ sent 200 [thread-2]\n");
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

#define JAVA(ms, rate, through)                                                                    \
	"num_msgs_expected=2000, num_msgs_received=2000 (loss rate=0.0%), received=2MB, time=" ms  \
	"ms, msgs/sec=" rate ", throughput=" through "MB\n"

TEST(the_tables_of_3_0)
{
	struct result_row rows[] = {row_of("127.0.0.1:7802", 7 * MS, 75 * MS),
				    row_of("127.0.0.1:7803", 7 * MS, 94 * MS)};
	struct result r = {.members = 4};
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
	tell(p, &java, (struct member_event){.kind = MEMBER_LOCAL, .result = &r});
	tell(p, &java, (struct member_event){.kind = MEMBER_RESULT, .result = &r});
	page_expect(
		p,
		"\n-- local results:\n"
		"sender: 127.0.0.1:7802: num_msgs_expected=1000, num_msgs_received=1000 (loss "
		"rate=0.0%), received=1MB, time=75ms, msgs/sec=13333.33, throughput=13.33MB\n"
		"sender: 127.0.0.1:7803: num_msgs_expected=1000, num_msgs_received=1000 (loss "
		"rate=0.0%), received=1MB, time=94ms, msgs/sec=10638.3, throughput=10.64MB\n"
		"\n\n-- results:\n\n"
		"127.0.0.1:7800 (myself):\n" JAVA(
			"98", "20408.16",
			"20.41") "\n"
				 "127.0.0.1:7801:\n" JAVA(
					 "98", "20408.16",
					 "20.41") "\n"
						  "127.0.0.1:7802:\n" JAVA(
							  "100", "20000",
							  "20") "\n"
								"127.0.0.1:7803:\n" JAVA(
									"134", "14925.37",
									"14.93") "\n"
										 "combined: "
										 "18935.42 "
										 "msgs/sec "
										 "averaged over "
										 "all "
										 "receivers "
										 "(throughput=18."
										 "93MB/sec)\n\n");
	result_free(&r);
}

TEST(losses_of_3_0)
{
	struct result_row row = row_of("127.0.0.1:1", 5, 500 * NP_MILLISECOND);
	struct result r = {.members = 1};
	struct page *p = page_open();

	row.exact = false;
	row.counts.sent = 1000;
	row.counts.received = 506;
	row.counts.bytes = 300;
	console_info(p->out, &java, &row);
	fputc('\n', p->out);
	row.counts.received = 0;
	row.counts.bytes = 0;
	console_info(p->out, &java, &row);
	/* A time of 0 ms makes Java's mean infinite. */
	r.member = calloc(1, sizeof(*r.member));
	fill_java(&r.member[0], "127.0.0.1:7800", 0);
	console_result(p->out, &java, &r);
	page_expect(
		p,
		"num_msgs_expected=1000, num_msgs_received=506 (loss rate=49.400000000000006%), "
		"received=300b, time=500ms, msgs/sec=1012, throughput=600.0b\n"
		"num_msgs_expected=1000, num_msgs_received=0 (loss rate=100.0%), received=0b, "
		"time=500ms, msgs/sec=0, throughput=0.0b\n"
		"-- results:\n\n127.0.0.1:7800:\nnum_msgs_expected=2000, num_msgs_received=2000 "
		"(loss rate=0.0%), received=2MB, time=0ms, msgs/sec=unknown, throughput=unknown\n"
		"\ncombined: unknown\n\n");
	result_free(&r);
}

static void classic_is(double bytes, const char *text)
{
	char out[NP_DECIMAL_TEXT_MAX];

	assert_string_equal(console_size_classic(bytes, out), text);
}

static void jgroups3_is(double bytes, bool whole, const char *text)
{
	char out[NP_DECIMAL_TEXT_MAX];

	assert_string_equal(console_size_jgroups3(bytes, whole, out), text);
}

TEST(sizes)
{
	classic_is(0, "0KB");
	classic_is(200, "0.2KB");
	classic_is(999990, "999.99KB");
	classic_is(1e6, "1MB");
	classic_is(3172090, "3.17MB");
	classic_is(5e12, "5000000MB");
	jgroups3_is(0, true, "0b");
	jgroups3_is(999, true, "999b");
	jgroups3_is(999, false, "999.0b");
	jgroups3_is(1000, true, "1KB");
	jgroups3_is(65530000, true, "65.53MB");
	jgroups3_is(1.42e9, false, "1.42GB");
	jgroups3_is(5e15, false, "5000000GB");
}

/* Prints @r with --report=full into @p. */
static void print_full(struct page *p, const struct result *r)
{
	struct settings settings = {.group = {.num_msgs = SENT, .msg_size = PAYLOAD}};
	struct options options = {.group = {.repeat = 1, .threads = 1}};
	struct transport_info info = {.variant = "udp",
				      .detail = "group 239.3.4.5:7500",
				      .stamps = "kernel",
				      .lossy = true};
	struct result_block_style style = {&options, &settings, &info, NULL};

	assert_return_code(np_block_full_create(&style.full), 0);
	result_block(p->out, &style, r);
	np_block_full_free(style.full);
	assert_int_equal(fflush(p->out), 0);
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
	struct result r = sample_result();
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
	assert_non_null(
		strstr(p->text, "group-test: udp, 4 members, 2 senders, 1000-byte messages, "));
	assert_non_null(strstr(p->text, "    flow control            credit\n"));
	assert_non_null(strstr(p->text, "    udp                     group 239.3.4.5:7500\n"));
	assert_non_null(strstr(p->text, AT_LENGTH));
	page_close(p);
	result_free(&r);
}

TEST(the_result_of_3_0_at_length)
{
	struct result r = sample_result();
	struct page *p = page_open();

	r.member[0].myself = true;
	free(r.member[1].row);
	r.member[1].row = NULL;
	r.member[1].rows = 0;
	print_full(p, &r);
	assert_non_null(strstr(p->text, "    receiver                172.16.128.33:18532\n"));
	assert_null(strstr(p->text, "  duplicates"));
	page_close(p);
	result_free(&r);
}

TEST(counters)
{
	struct transport_stats stats = {.sent_messages = 5, .dropped = 7};
	struct page *p = page_open();

	console_progress(p->out, &receiver, 5, 5, 0);
	console_counters(p->out, &stats, "packet", NULL);
	assert_int_equal(fflush(p->out), 0);
	assert_non_null(strstr(p->text, "-- received 5 messages (0 ms, unknown)\n"
					"\nTransport statistics:\nsent messages: 5\n"));
	assert_non_null(strstr(p->text, "\ndropped packets: 7\n"));
	page_close(p);
}

static void chosen(const char *only, const char *drop_unit, const char *lines)
{
	const struct transport_stats stats = {.sent_messages = 5, .sent_bytes = 6, .dropped = 7};
	struct page *p = page_open();

	console_counters(p->out, &stats, drop_unit, only);
	assert_int_equal(fflush(p->out), 0);
	assert_string_equal(p->text, lines);
	page_close(p);
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
}
