// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* The console text of HyperCast's examples over TCP and UDP, byte by byte. */
#include "support/ttcp_console_scene.h"

#include "address_of.h"

static void tcp_sender(void **state)
{
	const struct np_address peer = address_of("128.100.11.52:5001");
	const struct np_address local = address_of("128.100.11.51:2343");
	struct scene scene;

	(void)state;
	open_scene(&scene, TASK_TRANSMIT, TRANSPORT_TCP);
	begin(&scene);
	console_connected(&scene.console, &peer, &local);
	console_sending(&scene.console, "128.100.11.52", 3);
	console_count(&scene.console, 1000);
	console_count(&scene.console, 24);
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

static void udp_sender(void **state)
{
	struct scene scene;

	(void)state;
	open_scene(&scene, TASK_TRANSMIT, TRANSPORT_UDP);
	scene.options.report.quiet = true; /* the example's number of dots follows no rule */
	begin(&scene);
	console_sending(&scene.console, "128.100.11.52", 3);
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
static void udp_sender_with_acks(void **state)
{
	struct scene scene;

	(void)state;
	open_scene(&scene, TASK_TRANSMIT, TRANSPORT_UDP);
	scene.options.files.delay = "delaysend";
	scene.options.load.messages = 10000;
	scene.options.overrides = true;
	begin(&scene);
	console_sending(&scene.console, "host", 0);
	for (unsigned i = 0; i < 10000; i += 20)
		console_count(&scene.console, 20);
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

static void udp_receiver(void **state)
{
	const struct message_start start = {.message_bytes = 512, .messages = 1024};
	struct record_receive result = {
		.figures = {.sent = 1024,
			    .received = 289,
			    .lost = 735,
			    .bytes = 289 * 512,
			    .elapsed = 31 * MS},
		.delays = {.count = 289, .mean = (int64_t)(-296861 * MS / 289)},
	};
	struct scene scene;

	(void)state;
	open_scene(&scene, TASK_RECEIVE, TRANSPORT_UDP);
	scene.options.overrides = true;
	begin(&scene);
	console_listening(&scene.console);
	console_receiving(&scene.console, &scene.options, &start);
	console_count(&scene.console, 289);
	console_received(&scene.console, &result);
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

static void tcp_receiver(void **state)
{
	const struct message_start start = {.message_bytes = 100};
	const struct np_address peer = address_of("10.9.0.1:40000"),
				local = address_of("10.9.0.2:5001");
	const struct record_receive result = {
		.figures = {.sent = 120,
			    .received = 120,
			    .duplicates = 2,
			    .bytes = 12000,
			    .elapsed = 3 * MS},
		.delays = {.count = 120, .mean = 31 * MS},
	};
	struct scene scene;

	(void)state;
	open_scene(&scene, TASK_RECEIVE, TRANSPORT_TCP);
	scene.options.files.window = 100 * MS;
	scene.options.files.window_given = true;
	begin(&scene);
	console_listening(&scene.console);
	console_connected(&scene.console, &peer, &local);
	console_receiving(&scene.console, &scene.options, &start);
	console_count(&scene.console, 120);
	console_received(&scene.console, &result);
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
static void raw_bytes(void **state)
{
	const struct record_receive result = {
		.figures = {.sent = 3, .received = 3, .bytes = 4096, .elapsed = 2 * MS},
		.raw = true,
	};
	struct scene scene;

	(void)state;
	open_scene(&scene, TASK_RECEIVE, TRANSPORT_TCP);
	console_init(&scene.console, scene.page->out, &scene.options);
	console_receiving(&scene.console, &scene.options, NULL);
	console_received(&scene.console, &result);
	expect(&scene, "Start to receive TCP packets:\n"
		       "Bandwidth check interval set to default value: 500ms\n"
		       "Receive: Receive: 3 packets, 16384.0 Kbps, lost n/a packets, lost ratio is "
		       "n/a, retransmission n/a.\n"
		       "average delay=n/a\n");
}

/* Dots of a batch are those of its messages one by one. */
static void dots(void **state)
{
	struct scene one, many;

	(void)state;
	open_scene(&one, TASK_RECEIVE, TRANSPORT_TCP);
	open_scene(&many, TASK_RECEIVE, TRANSPORT_TCP);
	console_init(&one.console, one.page->out, &one.options);
	console_init(&many.console, many.page->out, &many.options);
	for (unsigned i = 0; i < 1234567; i++)
		console_count(&one.console, 1);
	console_count(&many.console, 1234567);
	fflush(one.page->out);
	assert_int_equal(one.page->length, 1234567 / 50 + 1234567 / 1000);
	expect(&many, one.page->text);
	page_close(one.page);
	receivers_free(&one.receivers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tcp_sender),
		cmocka_unit_test(udp_sender),
		cmocka_unit_test(udp_sender_with_acks),
		cmocka_unit_test(udp_receiver),
		cmocka_unit_test(tcp_receiver),
		cmocka_unit_test(raw_bytes),
		cmocka_unit_test(dots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
