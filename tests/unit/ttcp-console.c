// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * The console text of HyperCast's examples, byte by byte; and the lines that are ours; its figures,
 * digit for digit.
 */
#include "../../src/ttcp/report/report.h"

#include "address_of.h"
#include "page.h"
#include "support/unit.h"

#define MS NP_MILLISECOND

/* As options of a command line would have it. */
struct scene {
	struct options options;
	struct console console;
	struct receivers receivers;
	struct page *page;
	char text[CONSOLE_RESULT];
};

/* Has a page, no receivers and the options of HyperCast's examples, to be changed before begin().
 */
static struct scene open_scene(enum options_task task, enum options_transport transport)
{
	struct scene scene = {
		.options = {.task = task,
			    .place = {.transport = transport, .to = "128.100.11.52", .port = 5001},
			    .load = {.message_bytes = 512, .messages = 1024},
			    .files = {.window = 500 * MS}},
		.page = page_open(),
	};

	assert_int_equal(np_histogram_create(&scene.receivers.rtt), 0);
	return scene;
}

/* Prints what stands before the first run, and its beginning. */
static void begin(struct scene *scene, const char *self)
{
	console_init(&scene->console, scene->page->out, &scene->options);
	console_run(&scene->console, 1, self);
}

/* @want is all that was printed. Ends the scene. */
static void expect(struct scene *scene, const char *want)
{
	page_expect(scene->page, want);
	np_histogram_free(scene->receivers.rtt);
}

/* A sender's result: what the console counted, @acks after @rtt_sum ms in all. */
static void transmitted(struct scene *scene, uint64_t bytes, np_time ms, uint64_t acks,
			np_time rtt_sum)
{
	scene->receivers.acks = acks;
	scene->receivers.rtt_sum = (__int128)rtt_sum * MS;
	console_transmitted(&scene->console,
			    &(struct record_transmit){.figures = {.sent = scene->console.counted,
								  .bytes = bytes,
								  .last = ms * MS},
						      .acks_wanted = acks,
						      .receivers = &scene->receivers},
			    scene->text);
}

TEST(tcp_sender)
{
	const struct np_address peer = address_of("128.100.11.52:5001");
	const struct np_address local = address_of("128.100.11.51:2343");
	struct scene scene = open_scene(TASK_TRANSMIT, TRANSPORT_TCP);

	begin(&scene, NULL);
	console_connected(&scene.console, &peer, &local);
	console_sending(&scene.console, "128.100.11.52");
	console_waiting(&scene.console, 3, "transmiting");
	console_count(&scene.console, 1000);
	console_count(&scene.console, 1024);
	console_finished(&scene.console, false, false);
	transmitted(&scene, 1024 * 512, 31, 0, 0);
	expect(&scene,
	       "Overlay TTCP\n"
	       "send to 128.100.11.52\n"
	       "counter 1\n"
	       "TCP Transmit: buflen= 512  nbuf= 1024 port= 5001\n"
	       "Transmit connection: Socket[addr=/128.100.11.52,port=5001,localport=2343].\n"
	       "Start to send TCP packets\n"
	       "Waiting 3sec before transmiting...\n"
	       "....................\n"
	       ".\n"
	       "finished.\n"
	       "\n"
	       "Transmit: 1024 packets in 31 milli-seconds = 16912.516 KB/sec (135300.12 "
	       "Kbps).\n"
	       "0 ACKs recceived    Average round-trip-time=0.0ms\n");
}

TEST(udp_sender)
{
	struct scene scene = open_scene(TASK_TRANSMIT, TRANSPORT_UDP);

	scene.options.report.quiet = true; /* the example's number of dots follows no rule */
	begin(&scene, NULL);
	console_sending(&scene.console, "128.100.11.52");
	console_waiting(&scene.console, 3, "transmiting");
	console_count(&scene.console, 1024);
	console_finished(&scene.console, false, false);
	transmitted(&scene, 1024 * 512, 47, 0, 0);
	expect(&scene, "Overlay TTCP\n"
		       "send to 128.100.11.52\n"
		       "counter 1\n"
		       "UDP Transmit: buflen= 512  nbuf= 1024 port= 5001\n"
		       "Start to send udp packets to 128.100.11.52\n"
		       "Waiting 3sec before transmiting...\n"
		       "\n"
		       "ACK Receiver stopped.\n"
		       "Transmit: 1024 packets in 47 milli-seconds = 11155.063 KB/sec (89240.51 "
		       "Kbps).\n"
		       " ACKs recceived    Average round-trip-time=0.0ms\n");
}

/* With -d, after the overlay's example. */
TEST(udp_sender_with_acks)
{
	struct scene scene = open_scene(TASK_TRANSMIT, TRANSPORT_UDP);

	scene.options.files.delay = "delaysend";
	scene.options.load.messages = 10000;
	scene.options.overrides = true;
	begin(&scene, NULL);
	console_sending(&scene.console, "host");
	for (unsigned i = 0; i < 10000; i += 20)
		console_count(&scene.console, i + 20);
	console_finished(&scene.console, true, true);
	transmitted(&scene, 10000 * 512, 2328, 10000, 249070);
	expect(&scene,
	       "Overlay TTCP\n"
	       "send to 128.100.11.52\n"
	       "record delay to: delaysend\n"
	       "Overrides:\n"
	       "counter 1\n"
	       "UDP Transmit: buflen= 512  nbuf= 10000 port= 5001\n"
	       "Start to send udp packets to host\n"
	       "....................\n....................\n....................\n"
	       "....................\n....................\n....................\n"
	       "....................\n....................\n....................\n"
	       "....................\n"
	       "finished.\n"
	       ">\n"
	       "Last ACK received.\n"
	       "\n"
	       "Transmit: 10000 packets in 2328 milli-seconds = 2199.3127 KB/sec (17594.502 "
	       "Kbps).\n"
	       "10000 ACKs recceived    Average round-trip-time=24.907ms\n");
}

TEST(udp_receiver)
{
	const struct message_start start = {.message_bytes = 512, .messages = 1024};
	struct record_receive result = {
		.report.counts = {.sent = 1024,
				  .received = 289,
				  .lost = 735,
				  .bytes = 289 * 512,
				  .elapsed = 31 * MS},
		.report.delays = {.count = 289, .mean = (int64_t)(-296861 * MS / 289)},
	};
	struct scene scene = open_scene(TASK_RECEIVE, TRANSPORT_UDP);

	scene.options.overrides = true;
	begin(&scene, NULL);
	console_listening(&scene.console);
	console_receiving(&scene.console, &start);
	console_count(&scene.console, 289);
	console_received(&scene.console, &result, scene.text);
	expect(&scene,
	       "Overlay TTCP\n"
	       "Overrides:\n"
	       "counter 1\n"
	       "UDP Receive: buflen= 512  nbuf= 1024 port= 5001\n"
	       "Wait to receive udp packets:\n"
	       "Unicast Receive: nbuf adjusted to 1024\n"
	       "Start to receive udp packets:\n"
	       "Bandwidth check interval set to default value: 500ms\n"
	       ".....Receive: Receiving finishes but not all packets received.\n"
	       "Receive: Receive: 289 packets, 38185.29 Kbps, lost 735 packets, lost ratio is "
	       "71.77734375%, retransmission 0.\n"
	       "average delay=-1027.2007\n");
}

TEST(tcp_receiver)
{
	const struct message_start start = {.message_bytes = 100};
	const struct np_address peer = address_of("10.9.0.1:40000"),
				local = address_of("10.9.0.2:5001");
	const struct record_receive result = {
		.report.counts = {.sent = 120,
				  .received = 120,
				  .duplicates = 2,
				  .bytes = 12000,
				  .elapsed = 3 * MS},
		.report.delays = {.count = 120, .mean = 31 * MS},
	};
	struct scene scene = open_scene(TASK_RECEIVE, TRANSPORT_TCP);

	scene.options.files.window = 100 * MS;
	scene.options.words.bandwidth.given = true;
	begin(&scene, NULL);
	console_listening(&scene.console);
	console_connected(&scene.console, &peer, &local);
	console_receiving(&scene.console, &start);
	console_count(&scene.console, 120);
	console_received(&scene.console, &result, scene.text);
	expect(&scene, "Overlay TTCP\n"
		       "counter 1\n"
		       "TCP Receive: buflen= 512  nbuf= 1024 port= 5001\n"
		       "Wait to receive TCP packets:\n"
		       "Receive connection: Socket[addr=/10.9.0.1,port=40000,localport=5001].\n"
		       "TCP Receive: buflen adjusted to 100\n"
		       "TCP Receive: nbuf adjusted to unlimited\n"
		       "Start to receive TCP packets:\n"
		       "Bandwidth check interval set to: 100ms\n"
		       "..\n"
		       "Receive: Receive: 120 packets, 32000.0 Kbps, lost 0 packets, lost ratio is "
		       "0.0%, retransmission 2.\n"
		       "average delay=31.0\n");
}

/* Not ttcp's messages: what is not known is not said. */
TEST(raw_bytes)
{
	const struct record_receive result = {
		.report.counts = {.sent = 3, .received = 3, .bytes = 4096, .elapsed = 2 * MS},
		.raw = true,
	};
	struct scene scene = open_scene(TASK_RECEIVE, TRANSPORT_TCP);

	console_init(&scene.console, scene.page->out, &scene.options);
	console_receiving(&scene.console, NULL);
	console_received(&scene.console, &result, scene.text);
	expect(&scene, "Start to receive TCP packets:\n"
		       "Bandwidth check interval set to default value: 500ms\n"
		       "Receive: Receive: 3 packets, 16384.0 Kbps, lost n/a packets, lost ratio is "
		       "n/a, retransmission n/a.\n"
		       "average delay=n/a\n");
}

/* Dots of a batch are those of its messages one by one. */
TEST(dots)
{
	struct scene one = open_scene(TASK_RECEIVE, TRANSPORT_TCP);
	struct scene many = open_scene(TASK_RECEIVE, TRANSPORT_TCP);

	console_init(&one.console, one.page->out, &one.options);
	console_init(&many.console, many.page->out, &many.options);
	for (unsigned i = 0; i < 1234567; i++)
		console_count(&one.console, i + 1);
	console_count(&many.console, 1234567);
	fflush(one.page->out);
	assert_int_equal(one.page->length, 1234567 / 50 + 1234567 / 1000);
	expect(&many, one.page->text);
	page_close(one.page);
	np_histogram_free(one.receivers.rtt);
}

/* Without an address all are sent to; all other text of overlays is in tests/net/ttcp-overlay. */
TEST(overlay_to_all)
{
	struct scene scene = open_scene(TASK_TRANSMIT, TRANSPORT_OVERLAY);

	scene.options.place.to = NULL;
	begin(&scene, "7,8");
	expect(&scene, "Overlay TTCP\n"
		       "counter 1\n"
		       "Overlay Transmit: nbuf= 1024\n"
		       "This node's logical address is:7,8\n"
		       "Send to all\n");
}

TEST(group)
{
	const struct message_start start = {.message_bytes = 512, .messages = 5};
	struct scene scene = open_scene(TASK_RECEIVE, TRANSPORT_MULTICAST);

	begin(&scene, NULL);
	console_listening(&scene.console);
	console_receiving(&scene.console, &start);
	expect(&scene, "Overlay TTCP\n"
		       "counter 1\n"
		       "Multicast Receive: buflen= 512  nbuf= 1024 port= 5001\n"
		       "Wait to receive multicast packets:\n"
		       "Multicast Receive: nbuf adjusted to 5\n"
		       "Start to receive multicast packets:\n"
		       "Bandwidth check interval set to default value: 500ms\n");
	scene = open_scene(TASK_TRANSMIT, TRANSPORT_MULTICAST);
	scene.options.place.to = "224.228.19.79";
	begin(&scene, NULL);
	console_sending(&scene.console, scene.options.place.to);
	console_waiting(&scene.console, 3, "transmiting");
	console_count(&scene.console, 1);
	console_finished(&scene.console, false, false);
	console_waiting(&scene.console, 10, "next transmission");
	expect(&scene, "Overlay TTCP\n"
		       "send to 224.228.19.79\n"
		       "counter 1\n"
		       "Multicast Transmit: buflen= 512  nbuf= 1024 port= 5001\n"
		       "Start to send multicast packets to 224.228.19.79\n"
		       "Waiting 3sec before transmiting...\n"
		       ".\n"
		       "\n"
		       "ACK Receiver stopped.\n"
		       "Waiting 10sec before next transmission...\n");
}

TEST(intervals)
{
	const struct np_flow_counts now = {.sent = 12,
					   .received = 10,
					   .lost = 2,
					   .reordered = 1,
					   .bytes = 5120,
					   .elapsed = 1000 * MS};
	struct scene scene = open_scene(TASK_RECEIVE, TRANSPORT_TCP);

	console_init(&scene.console, scene.page->out, &scene.options);
	console_count(&scene.console, 50);
	console_interval(&scene.console, NULL, 1500 * MS, &now, true);
	console_say(&scene.console, "a line\n");
	scene.options.task = TASK_TRANSMIT;
	console_interval(&scene.console, NULL, 12345 * NP_SECOND, &now, false);
	expect(&scene, ".\n"
		       "    1.500 s: 10 packets, 5.12 KB/sec (40.96 Kbps), lost 2, out of order 1, "
		       "waiting\n"
		       "a line\n"
		       "12345.000 s: 12 packets, 5.12 KB/sec (40.96 Kbps)\n");
	/* They are lines of ours, not the original's. */
	scene = open_scene(TASK_RECEIVE, TRANSPORT_UDP);
	scene.options.report.layout = NP_REPORT_ORIGINAL;
	console_init(&scene.console, scene.page->out, &scene.options);
	console_interval(&scene.console, NULL, NP_SECOND, &now, false);
	expect(&scene, "");
}

/* Those of the overlay examples, and what no example has. */
TEST(rates)
{
	static const struct {
		uint64_t bytes;
		np_time time;
		const char *ms, *kilobytes, *kilobits;
	} rows[] = {
		{1024 * 100, 125 * MS, "125", "819.2", "6553.6"},
		{10000 * 512, 2281 * MS, "2281", "2244.6296", "17957.037"},
		/* What is beyond whole milliseconds does not matter, unless there are few. */
		{1024 * 512, 31 * MS - 499999, "31", "16912.516", "135300.12"},
		{1024 * 512, 31 * MS + 499999, "31", "16912.516", "135300.12"},
		{3412345, 3412345, "3.412345", "1000000.0", "8000000.0"},
		{1000, 0, "1", "1000.0", "8000.0"},
		/* No exponent, however fast. */
		{UINT64_C(1) << 40, 1000 * MS, "1000", "1099511700.0", "8796093000.0"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct figures_rate rate = figures_rate(rows[i].bytes, rows[i].time);

		assert_string_equal(rate.ms, rows[i].ms);
		assert_string_equal(rate.kilobytes_per_s, rows[i].kilobytes);
		assert_string_equal(rate.kilobits_per_s, rows[i].kilobits);
	}
}

/* More of them are in ttcp-files. */
TEST(exact_ms)
{
	char text[FIGURES_TEXT];

	*figures_put_ms(-3412300, text) = '\0';
	assert_string_equal(text, "-3.4123");
	*figures_put_ms(-1, text) = '\0';
	assert_string_equal(text, "-0.000001");
}

TEST(java_addresses)
{
	struct np_address peer = address_of("128.100.11.52:5001");
	const struct np_address local = address_of("[fd00::2]:7");
	struct scene scene;

	snprintf(peer.name, sizeof(peer.name), "box");
	scene = open_scene(TASK_TRANSMIT, TRANSPORT_TCP);
	console_init(&scene.console, scene.page->out, &scene.options);
	console_connected(&scene.console, &peer, &local);
	console_connected(&scene.console, &local, &peer);
	expect(&scene, "Transmit connection: "
		       "Socket[addr=box/128.100.11.52,port=5001,localport=7].\n"
		       "Transmit connection: "
		       "Socket[addr=/fd00:0:0:0:0:0:0:2,port=7,localport=5001].\n");
}
