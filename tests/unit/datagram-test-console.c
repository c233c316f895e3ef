// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* The console text, byte by byte: the original's layout and figures. */
#include "../../src/datagram-test/console.h"

#include "address_of.h"
#include "page.h"

#include <string.h>
#include <time.h>

#define BYTES UINT64_C(1468)
#define START (100 * NP_SECOND)
#define MS    NP_MILLISECOND
/* 2026-11-21 08:59:13.580 UTC, in ns */
#define COMPLETED (INT64_C(1795251553580) * MS)

static void listener_banner(void **state)
{
	struct np_address local = address_of("195.0.0.1:9999");
	struct options options = {
		.packet = {.packet_bytes = 1468, .process_bytes = 4},
		.listen = {.buffer_packets = 1428, .log_packets = 60000},
		.report_packets = 100000,
	};
	struct page *page = page_open();

	(void)state;
	console_listener_banner(page->out, &options, &local, "some.log");
	options.listen.log_packets = 100000;
	console_listener_banner(page->out, &options, &local, NULL);
	page_expect(page, "starting listener: at /195.0.0.1:9999\n"
			  "packet size: 1468 bytes\n"
			  "buffer size: 1428 packets\n"
			  "  report on: 100000 packets, 139 MBs\n"
			  "    process: 4 bytes/packet\n"
			  "        log: some.log\n"
			  "     log on: 83 MBs\n"
			  "\n"
			  "starting listener: at /195.0.0.1:9999\n"
			  "packet size: 1468 bytes\n"
			  "buffer size: 1428 packets\n"
			  "  report on: 100000 packets, 139 MBs\n"
			  "    process: 4 bytes/packet\n"
			  "        log: null\n"
			  "     log on: 139 MBs\n"
			  "\n");
}

static void publisher_banner(void **state)
{
	struct np_address at = address_of("195.0.0.2:9999");
	struct np_address peer[] = {
		address_of("195.0.0.1:9999"),
		address_of("10.77.0.1:9998"),
	};
	struct np_address_list peers = {.item = peer, .count = 1};
	struct options options = {
		.packet = {.packet_bytes = 1468, .counted_bytes = 1468, .process_bytes = 4},
		.publish.buffer_packets = 16,
		.report_packets = 100000,
	};
	struct page *page = page_open();

	(void)state;
	snprintf(peer[0].name, sizeof(peer[0].name), "servera");
	console_publisher_banner(page->out, &options, &at, &peers, 0);
	peers.count = 2;
	options.report_packets = 7143;
	options.publish.rate_bytes_per_s = 10 * 1048576;
	console_publisher_banner(page->out, &options, &at, &peers, 10 * 1048576);
	page_expect(page,
		    "starting publisher: at /195.0.0.2:9999 sending to servera/195.0.0.1:9999\n"
		    "packet size: 1468 bytes\n"
		    "buffer size: 16 packets\n"
		    "  report on: 100000 packets, 139 MBs\n"
		    "    process: 4 bytes/packet\n"
		    "      peers: 1\n"
		    "       rate: no limit\n"
		    "no packet burst limit\n"
		    "starting publisher: at /195.0.0.2:9999 sending to servera/195.0.0.1:9999, "
		    "/10.77.0.1:9998\n"
		    "packet size: 1468 bytes\n"
		    "buffer size: 16 packets\n"
		    "  report on: 7143 packets, 10 MBs\n"
		    "    process: 4 bytes/packet\n"
		    "      peers: 2\n"
		    "       rate: 10\n"
		    "setting packet burst to 71\n");
}

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

static void tx_summary(void **state)
{
	struct np_address at = address_of("10.77.0.2:9999");
	struct console_style style = {.completed = COMPLETED};
	struct np_flow_counts life = sums(17231, 1200000), now = sums(1434, 100000);
	struct page *page = page_open();

	(void)state;
	console_tx_summary(page->out, &style, &at, 1, &life, &now);
	style.newest = true;
	life = sums(214, 7143);
	now = sums(0, 7143);
	console_tx_summary(page->out, &style, &at, 1, &life, &now);
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
	struct flow *flow = flows_find(flows, &from, 0);

	if (!flow)
		flow = flows_add(flows, &from, &head, NULL, now);
	flow_count(flow, &head, NULL, 1, BYTES, now);
}

/* What @feed makes arrive. flows_free it. */
static struct flows *fed(void (*feed)(struct flows *flows))
{
	struct flows *flows;

	assert_int_equal(flows_create(&flows, 1, 1), 0);
	feed(flows);
	return flows;
}

/* The report of the requirement: 611400 sent, 11400 lost, 2 swapped, the last 100000 in 1431 ms. */
static void feed_requirement(struct flows *flows)
{
	const np_time first = 7339 * MS, second = 1431 * MS;
	uint64_t i, number;

	for (i = 0; i < 600000; i++) {
		number = i < 100000 ? i + 1 : i + 11401;
		if (number >= 11 && number <= 14)
			number = number % 2 ? number + 1 : number - 1;
		if (i < 500000)
			arrive(flows, "195.0.0.2:40000", number,
			       START + (np_time)i * first / 499999);
		else
			arrive(flows, "195.0.0.2:40000", number,
			       START + first + (np_time)(i - 499999) * second / 100000);
		if (i == 499999)
			flow_mark(flows_first(flows), START + first);
	}
}

static void report_of_the_requirement(void **state)
{
	struct console_style style = {.newest = false};
	struct page *page = page_open();
	struct flows *flows = fed(feed_requirement);

	(void)state;
	console_rx_report(page->out, &style, flows, true);
	console_rx_report(page->out, &style, flows, false);
	page_expect(page, "\nLifetime:\n"
			  "Rx from publisher: /195.0.0.2:9999\n"
			  "\t     elapsed: 8770ms\n"
			  "\t packet size: 1468\n"
			  "\t  throughput: 96 MB/sec\n"
			  "\t              68415 packets/sec\n"
			  "\t    received: 600000 of 611400\n"
			  "\t     missing: 11400\n"
			  "\tsuccess rate: 0.9813543\n"
			  "\tout of order: 2\n"
			  "\t  avg offset: 1\n"
			  "Now:\n"
			  "Rx from publisher: /195.0.0.2:9999\n"
			  "\t     elapsed: 1431ms\n"
			  "\t packet size: 1468\n"
			  "\t  throughput: 98 MB/sec\n"
			  "\t              69881 packets/sec\n"
			  "\t    received: 100000 of 100000\n"
			  "\t     missing: 0\n"
			  "\tsuccess rate: 1.0\n"
			  "\tout of order: 0\n"
			  "\t  avg offset: 0\n");
	flows_free(flows);
}

/* A run of the original: 250000 sent, 5530 lost in 8 gaps of 1.5 ms. */
static void feed_gaps(struct flows *flows)
{
	uint64_t i, gaps, number = 0;

	for (i = 0; i < 244470; i++) {
		gaps = i / 30000;
		number++;
		if (i && i % 30000 == 0)
			number += gaps == 8 ? 693 : 691;
		arrive(flows, "10.77.0.2:40000", number,
		       START + (np_time)i * 2747 * MS / 244469 + (np_time)gaps * 3 * MS / 2);
	}
}

static void newest_report_of_one(void **state)
{
	struct np_address local = address_of("10.77.0.1:9999");
	struct console_style style = {.newest = true, .listener = &local, .completed = COMPLETED};
	struct page *page = page_open();
	struct flows *flows = fed(feed_gaps);

	(void)state;
	console_rx_report(page->out, &style, flows, true);
	page_expect(page, "\nLifetime:\n"
			  "Rx from publisher: /10.77.0.2:9999\n"
			  "\t to listener: /10.77.0.1:9999\n"
			  "\t     elapsed: 2759ms\n"
			  "\t packet size: 1468\n"
			  "\t  throughput: 124 MB/sec\n"
			  "\t              88608 packets/sec\n"
			  "\t    received: 244470 of 250000\n"
			  "\t     missing: 5530\n"
			  "\tsuccess rate: 0.97788\n"
			  "\tout of order: 0\n"
			  "\t  avg offset: 0\n"
			  "\t        gaps: 8\n"
			  "\tavg gap size: 691\n"
			  "\tavg gap time: 1ms\n"
			  "\tavg ack time: -1.0E-6ms; acks 0\n"
			  "\n"
			  "\n"
			  " completed: 2026-11-21 08:59:13.58\n");
	flows_free(flows);
}

static void feed_two(struct flows *flows)
{
	static const uint64_t first[] = {1, 4, 6, 2}, second[] = {5, 4, 3, 2, 1};
	np_time now = START;
	size_t i;

	for (i = 0; i < 4; i++, now += 2 * MS)
		arrive(flows, "10.77.0.2:40000", first[i], now);
	for (i = 0; i < 5; i++, now += MS)
		arrive(flows, "10.77.0.3:40000", second[i], now);
}

static void newest_report_of_two(void **state)
{
	struct np_address local = address_of("10.77.0.1:9999");
	struct console_style style = {
		.newest = true,
		.listener = &local,
		.completed = COMPLETED / NP_SECOND * NP_SECOND,
	};
	struct page *page = page_open();
	struct flows *flows = fed(feed_two);

	(void)state;
	console_rx_report(page->out, &style, flows, true);
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
	flows_free(flows);
}

/* A publisher of which nothing came since the last report. */
static void idle_now(void **state)
{
	struct console_style style = {.newest = false};
	struct page *page = page_open();
	struct flows *flows = fed(feed_two);

	(void)state;
	flow_mark(flows_first(flows), START + 20 * MS);
	flow_mark(flows_first(flows)->next, START + 20 * MS);
	console_rx_report(page->out, &style, flows, false);
	assert_int_equal(fflush(page->out), 0);
	assert_non_null(strstr(page->text, "Now:\nRx from publisher: /10.77.0.2:9999\n"
					   "\t     elapsed: 0ms\n"
					   "\t packet size: 0\n"
					   "\t  throughput: NaN\n"
					   "\t              NaN\n"
					   "\t    received: 0 of 0\n"
					   "\t     missing: 0\n"
					   "\tsuccess rate: 0.0\n"
					   "\tout of order: 0\n"
					   "\t  avg offset: 0\n"
					   "Rx from publisher: /10.77.0.3:9999\n"));
	page_close(page);
	flows_free(flows);
}

static void short_messages(void **state)
{
	struct np_address local = address_of("10.77.0.1:9999");
	struct page *page = page_open();

	(void)state;
	console_receiving(page->out, &local, 2);
	console_stopped(page->out);
	page_expect(page, "\n/10.77.0.1:9999 receiving data from 2 publisher(s).\n"
			  "\nClients have stopped.\n");
}

static void ticks(void **state)
{
	char out[32];

	(void)state;
	assert_int_equal(console_ticks('o', 0, 20999, 1000, out, sizeof(out)), 20);
	assert_memory_equal(out, "oooooooooOoooooooooO", 20);
	assert_int_equal(console_ticks('i', 9999, 10000, 1000, out, sizeof(out)), 1);
	assert_memory_equal(out, "I", 1);
	assert_int_equal(console_ticks('i', 10000, 10999, 1000, out, sizeof(out)), 0);
	assert_int_equal(console_ticks('i', 0, 100, 0, out, sizeof(out)), 0);
	assert_int_equal(console_ticks('i', 0, UINT64_MAX, 1, out, 5), 5);
}

#define HEADING                                                                                    \
	"publisher\tduration ms\tpacket size\tthroughput mb/sec\tthroughput packets/sec\t"         \
	"sent packets\treceived packets\tmissing packets\tsuccess rate\tout of order\t"            \
	"avg out of order offset\tgaps\tavg gap size\tavg gap time ms\tavg ack ms"

/* The rows of a log that the original wrote, and our columns behind its trailing tab. */
static void log_rows(void **state)
{
	struct np_address at = address_of("10.77.0.2:9999");
	struct flow flow = {.printed = at};
	struct np_flow_counts figures = sums(521, 40000);
	struct page *page = page_open();

	(void)state;
	assert_int_equal(np_flow_create(&flow.account, 64), 0);
	console_log_heading(page->out);
	console_log_row(page->out, &flow, &figures, "interval");
	figures = sums(4445, 250000);
	figures.acks = 2;
	figures.ack_time = 576665;
	figures.duplicates = 1;
	figures.damaged = 2;
	figures.missed_before = 3;
	console_log_row(page->out, &flow, &figures, "lifetime");
	figures = sums(0, 0);
	console_log_row(page->out, &flow, &figures, "interval");
	page_expect(page, HEADING
		    "\tkind\tduplicates\tdamaged\tlost before\tdelay p50 ns\tdelay p99 ns\n"
		    "/10.77.0.2:9999\t521\t1468\t107\t76775\t40000\t40000\t0\t1.0\t0\t0\t0\t0\t"
		    "0\t-1.0E-6\tinterval\t0\t0\t0\tunknown\tunknown\n"
		    "/10.77.0.2:9999\t4445\t1468\t79\t56243\t250000\t250000\t0\t1.0\t0\t0\t0\t"
		    "0\t0\t0.288332\tlifetime\t1\t2\t3\tunknown\tunknown\n"
		    "/10.77.0.2:9999\t0\t0\t-1\t-1\t0\t0\t0\t0.0\t0\t0\t0\t0\t0\t-1.0E-6\t"
		    "interval\t0\t0\t0\tunknown\tunknown\n");
	np_flow_free(flow.account);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(listener_banner),
		cmocka_unit_test(publisher_banner),
		cmocka_unit_test(tx_summary),
		cmocka_unit_test(report_of_the_requirement),
		cmocka_unit_test(newest_report_of_one),
		cmocka_unit_test(newest_report_of_two),
		cmocka_unit_test(idle_now),
		cmocka_unit_test(short_messages),
		cmocka_unit_test(ticks),
		cmocka_unit_test(log_rows),
	};

	setenv("TZ", "UTC0", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
