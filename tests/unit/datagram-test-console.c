// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * The console text, byte by byte: the original's layout and figures; its banners are in
 * tests/cli/datagram-test.
 */
#include "../../src/datagram-test/session.h"

#include "address_of.h"
#include "page.h"
#include "support/unit.h"

#include <time.h>

#define BYTES UINT64_C(1468)
#define START (100 * NP_SECOND)
#define MS    NP_MILLISECOND

/* In place of the C library's. */
static struct timespec completed;

int clock_gettime(clockid_t clock, struct timespec *time)
{
	(void)clock;
	*time = completed;
	return 0;
}

static struct session session;
static struct endpoint endpoint = {.session = &session, .peer_count = 1};

/* In the lines of which version the reports of the endpoint @name are. */
static void report_as(bool newest, const char *name)
{
	session.newest = newest;
	snprintf(endpoint.name, sizeof(endpoint.name), "%s", name);
}

static int in_utc(void **state)
{
	(void)state;
	assert_int_equal(setenv("TZ", "UTC0", 1), 0);
	tzset();
	return 0;
}
ALL_TESTS_WITH(in_utc, NULL)

static struct np_flow_counts sums(np_time ms, uint64_t packets)
{
	return (struct np_flow_counts){
		.first = START,
		.last = START + ms * MS,
		.elapsed = ms * MS,
		.bytes = packets * BYTES,
		.sent = packets,
		.received = packets,
	};
}

TEST(tx_summary)
{
	struct np_flow_counts life = sums(17231, 1200000), now = sums(1434, 100000);
	struct page *page = page_open();

	report_as(false, "/10.77.0.2:9999");
	console_tx_summary(page->out, &endpoint, &life, &now);
	report_as(true, "/10.77.0.2:9999");
	/* 2026-11-21 08:59:13.580 UTC */
	completed = (struct timespec){.tv_sec = 1795251553, .tv_nsec = 580 * MS};
	life = sums(214, 7143);
	now = sums(0, 7143);
	console_tx_summary(page->out, &endpoint, &life, &now);
	page_expect(page, "\nTx summary 1 peers:\n"
			  "   life: 97 MB/sec, 69642 packets/sec\n"
			  "    now: 98 MB/sec, 69735 packets/sec\n"
			  "\nTx summary for /10.77.0.2:9999 to 1 peers:\n"
			  "   life: 47 MB/sec, 33379 packets/sec\n"
			  "    now: NaN, NaN\n"
			  "     duration: 214ms\n"
			  "    completed: 2026-11-21 08:59:13.58\n");
}

static void arrive(struct flows *flows, const char *source, uint64_t number, np_time now)
{
	struct np_address from = address_of(source);
	struct wire_packet head = {.return_port = 9999, .ack = WIRE_NO_ACK, .number = number};
	struct flow *flow = flows_find(flows, &from, 0, 0);

	if (!flow)
		flow = flows_add(flows, &from, &head, now);
	flow_count(flow, &head, 1, BYTES, now);
}

/* Of the first publisher 6 were sent, 4 came, one out of order; what the second sent turned. */
static void feed(struct flows *flows)
{
	static const uint64_t first[] = {1, 4, 6, 2}, second[] = {5, 4, 3, 2, 1};
	np_time now = START;

	for (size_t i = 0; i < 4; i++, now += 2 * MS)
		arrive(flows, "10.77.0.2:40000", first[i], now);
	for (size_t i = 0; i < 5; i++, now += MS)
		arrive(flows, "10.77.0.3:40000", second[i], now);
}

TEST(reports_of_two)
{
	struct page *page = page_open();
	struct flows flows = {.key = 1, .opened = 1};

	feed(&flows);
	report_as(true, "/10.77.0.1:9999");
	completed = (struct timespec){.tv_sec = 1795251553};
	console_rx_report(page->out, &endpoint, &flows, true);
	page_expect(page, "\nLifetime:\n"
			  "Rx from publisher: /10.77.0.2:9999\n"
			  "\t to listener: /10.77.0.1:9999\n"
			  "\t     elapsed: 6ms\n"
			  "\t packet size: 1468\n"
			  "\t  throughput: 1 MB/sec\n"
			  "\t              667 packets/sec\n"
			  "\t    received: 4 of 6\n"
			  "\t     missing: 2\n"
			  "\tsuccess rate: 0.6666667\n"
			  "\tout of order: 1\n"
			  "\t  avg offset: 2\n"
			  "\t        gaps: 2\n"
			  "\tavg gap size: 1\n"
			  "\tavg gap time: 2ms\n"
			  "\tavg ack time: -1.0E-6ms; acks 0\n"
			  "\n"
			  "Rx from publisher: /10.77.0.3:9999\n"
			  "\t to listener: /10.77.0.1:9999\n"
			  "\t     elapsed: 4ms\n"
			  "\t packet size: 1468\n"
			  "\t  throughput: 2 MB/sec\n"
			  "\t              1250 packets/sec\n"
			  "\t    received: 5 of 5\n"
			  "\t     missing: 0\n"
			  "\tsuccess rate: 1.0\n"
			  "\tout of order: 4\n"
			  "\t  avg offset: 2\n"
			  "\t        gaps: 0\n"
			  "\tavg gap size: 0\n"
			  "\tavg gap time: 0ms\n"
			  "\tavg ack time: -1.0E-6ms; acks 0\n"
			  "\n"
			  "Rx Summary from 2 publisher(s): \n"
			  "\t     elapsed: 12ms\n"
			  "\t  throughput: 1 MB/sec\n"
			  "\t              750 packets/sec\n"
			  "\t    received: 9 of 11\n"
			  "\t     missing: 2\n"
			  "\tsuccess rate: 0.8181818\n"
			  "\tout of order: 5\n"
			  "\t  avg offset: 2\n"
			  "\t        gaps: 2\n"
			  "\tavg gap size: 1\n"
			  "\tavg gap time: 2ms\n"
			  "\tavg ack time: -1.0E-6ms; acks 0\n"
			  "\t   completed: 2026-11-21 08:59:13.0\n"
			  "\n"
			  " completed: 2026-11-21 08:59:13.0\n");
	/* And a publisher of which nothing came since. */
	page = page_open();
	report_as(false, "");
	np_flow_mark(flows.first->account, START + 20 * MS);
	flows.first->next->past = true;
	console_rx_report(page->out, &endpoint, &flows, false);
	page_expect(page, "Now:\nRx from publisher: /10.77.0.2:9999\n"
			  "\t     elapsed: 0ms\n"
			  "\t packet size: 0\n"
			  "\t  throughput: NaN\n"
			  "\t              NaN\n"
			  "\t    received: 0 of 0\n"
			  "\t     missing: 0\n"
			  "\tsuccess rate: 0.0\n"
			  "\tout of order: 0\n"
			  "\t  avg offset: 0\n");
	flows_free(&flows);
}

TEST(ticks)
{
	struct page *page = page_open();
	struct session s = {.text = page->out, .ticks = 1000};

	report_ticks(&s, 'o', 0, 20999);
	report_ticks(&s, 'i', 9999, 10000);
	report_ticks(&s, 'i', 10000, 10999);
	page_expect(page, "oooooooooOoooooooooOI");
}

#define HEADING                                                                                    \
	"publisher\tduration ms\tpacket size\tthroughput mb/sec\tthroughput packets/sec\t"         \
	"sent packets\treceived packets\tmissing packets\tsuccess rate\tout of order\t"            \
	"avg out of order offset\tgaps\tavg gap size\tavg gap time ms\tavg ack ms\tkind\t"         \
	"duplicates\tdamaged\tlost before\tdelay p50 ns\tdelay p99 ns\n"

/* A row of nothing; and one of a log that the original wrote, our columns after its trailing tab.
 */
TEST(log_rows)
{
	struct flow flow = {.name = "/10.77.0.2:9999"};
	struct log_file log = {0};
	struct np_flow_counts figures = sums(4445, 250000);
	struct page *page = page_open();

	assert_int_equal(np_flow_create(&flow.account, 64), 0);
	figures.acks = 2;
	figures.ack_time = 576665;
	figures.duplicates = 1;
	figures.damaged = 2;
	figures.missed_before = 3;
	log.file = page->out;
	log_file_row(&log, &flow, false);
	console_log_row(page->out, &flow, &figures, "lifetime");
	page_expect(page,
		    "/10.77.0.2:9999\t0\t0\t-1\t-1\t0\t0\t0\t0.0\t0\t0\t0\t0\t0\t-1.0E-6\t"
		    "interval\t0\t0\t0\tunknown\tunknown\n"
		    "/10.77.0.2:9999\t4445\t1468\t79\t56243\t250000\t250000\t0\t1.0\t0\t0\t0\t"
		    "0\t0\t0.288332\tlifetime\t1\t2\t3\tunknown\tunknown\n");
	np_flow_free(flow.account);
}

/* Those of several listeners differ by their ports; one with a row has a heading, and stays. */
TEST(log_names)
{
	char at[] = "/tmp/datagram-test-log.XXXXXX", name[64], expected[64], line[512] = "";
	struct flow flow = {.name = "/10.77.0.2:9999"};
	FILE *file;
	struct log_file one = {0}, several = {0};

	assert_non_null(mkdtemp(at));
	snprintf(name, sizeof(name), "%s/table", at);
	assert_int_equal(log_file_open(&one, name, 9000, false), 0);
	assert_string_equal(one.name, name);
	snprintf(expected, sizeof(expected), "%s/9000-table", at);
	assert_int_equal(log_file_open(&several, name, 9000, true), 0);
	assert_string_equal(several.name, expected);
	assert_int_equal(np_flow_create(&flow.account, 64), 0);
	log_file_row(&one, &flow, false);
	np_flow_free(flow.account);
	assert_int_equal(log_file_close(&one, true), 0);
	assert_int_equal(log_file_close(&several, true), 0);
	file = fopen(name, "r");
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	assert_string_equal(line, HEADING);
	fclose(file);
	assert_int_equal(unlink(name), 0);
	assert_int_equal(rmdir(at), 0);
}

TEST(limit)
{
	struct limit limit = {0};
	np_time now = 5 * NP_SECOND;
	unsigned allowed = 0;

	for (unsigned i = 0; i < 100; i++)
		allowed += limit_allows(&limit, 4, now + i);
	assert_int_equal(allowed, 4);
	assert_int_equal(limit.missed, 96);
	assert_true(limit_allows(&limit, 4, now + NP_SECOND));
	assert_int_equal(limit.missed, 0);
}
