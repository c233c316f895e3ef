// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* The console's reports of our own: groups, intervals, the full one, and silence. */
#include "support/ttcp_console_scene.h"

#include "address_of.h"

static void group(void **state)
{
	const struct message_start start = {.message_bytes = 512, .messages = 5};
	struct scene scene;

	(void)state;
	open_scene(&scene, TASK_RECEIVE, TRANSPORT_MULTICAST);
	begin(&scene);
	console_listening(&scene.console);
	console_receiving(&scene.console, &scene.options, &start);
	expect(&scene, "Overlay TTCP\n"
		       "counter 1\n"
		       "Multicast Receive: buflen= 512  nbuf= 1024 port= 5001\n"
		       "Wait to receive multicast packets:\n"
		       "Multicast Receive: nbuf adjusted to 5\n"
		       "Start to receive multicast packets:\n"
		       "Bandwidth check interval set to default value: 500ms\n");
	open_scene(&scene, TASK_TRANSMIT, TRANSPORT_MULTICAST);
	scene.options.place.to = "224.228.19.79";
	begin(&scene);
	console_sending(&scene.console, scene.options.place.to, 3);
	console_count(&scene.console, 1);
	console_finished(&scene.console, false, false);
	console_pause(&scene.console, 10);
	console_pause(&scene.console, 0);
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

static void intervals(void **state)
{
	const struct np_flow_counts now = {.sent = 12,
					   .received = 10,
					   .lost = 2,
					   .reordered = 1,
					   .bytes = 5120,
					   .elapsed = 1000 * MS};
	const struct window_row row = {
		.end = 612500000, .messages = 10, .bytes = 5120, .kilobits_per_s = 40.96f};
	struct scene scene;

	(void)state;
	open_scene(&scene, TASK_RECEIVE, TRANSPORT_TCP);
	console_init(&scene.console, scene.page->out, &scene.options);
	console_count(&scene.console, 50);
	console_interval(&scene.console, 1500 * MS, &now, true);
	console_window(&scene.console, &row);
	scene.console.transmit = true;
	console_interval(&scene.console, 12345 * NP_SECOND, &now, false);
	expect(&scene, ".\n"
		       "    1.500 s: 10 packets, 5.12 KB/sec (40.96 Kbps), lost 2, out of order 1, "
		       "waiting\n"
		       "612.5 ms: 10 packets, 5120 bytes, 40.96 Kbps\n"
		       "12345.000 s: 12 packets, 5.12 KB/sec (40.96 Kbps)\n");
}

static void full(void **state)
{
	const struct np_flow_counts figures = {.sent = 10, .received = 8, .lost = 1, .late = 1};
	struct console_full report = {
		.figures = &figures,
		.drop_unit = "packet",
		.host_drops = 1,
		.host_drops_most = 1,
		.delays = {8, 81568 * MS, 81569 * MS, 81569 * MS, 81570 * MS, 81571 * MS,
			   81571 * MS, 81571 * MS},
		.clock = {true, 81567 * MS, 50000},
	};
	struct scene scene;

	(void)state;
	open_scene(&scene, TASK_RECEIVE, TRANSPORT_UDP);
	console_init(&scene.console, scene.page->out, &scene.options);
	console_report_full(&scene.console, &report);
	scene.options.layout = NP_REPORT_FULL;
	console_init(&scene.console, scene.page->out, &scene.options);
	console_report_full(&scene.console, &report);
	report = (struct console_full){.delays = report.delays,
				       .rtt = scene.receivers.rtt,
				       .paced = true,
				       .behind = 1500000};
	np_histogram_add(scene.receivers.rtt, 250000);
	console_report_full(&scene.console, &report);
	report = (struct console_full){.figures = &figures};
	console_report_full(&scene.console, &report);
	expect(&scene,
	       "sent at least 10 received 8 lost 1 duplicates 0 reordered 0 late 1 damaged 0\n"
	       "dropped by this host: 1 packets\n"
	       "delay by the clocks ms: min 81568.000 mean 81569.000 p50 81569.000 p90 81570.000 "
	       "p99 81571.000 p99.9 81571.000 max 81571.000 of 8\n"
	       "clock offset ms: 81567.000 within 0.050\n"
	       "delay ms: min 1.000 mean 2.000 p50 2.000 p90 3.000 p99 4.000 p99.9 4.000 max 4.000 "
	       "of 8\n"
	       "round trip ms: min 0.250 mean 0.250 p50 0.250 p90 0.250 p99 0.250 p99.9 0.250 max "
	       "0.250 of 1\n"
	       "delay by the clocks ms: min 81568.000 mean 81569.000 p50 81569.000 p90 81570.000 "
	       "p99 81571.000 p99.9 81571.000 max 81571.000 of 8\n"
	       "delay: unknown, the clocks were not compared\n"
	       "worst lag behind schedule: 1.500 ms\n"
	       "sent at least 10 received 8 lost 1 duplicates 0 reordered 0 late 1 damaged 0\n"
	       "dropped by this host: unknown\n");
}

static void receivers(void **state)
{
	struct scene scene;

	(void)state;
	open_scene(&scene, TASK_TRANSMIT, TRANSPORT_MULTICAST);
	console_init(&scene.console, scene.page->out, &scene.options);
	console_receivers(&scene.console, &scene.receivers, 5);
	for (uint8_t i = 1; i <= 4; i++) {
		char at[] = "10.9.0.0:5001";
		struct np_address peer;
		struct receivers_receiver *receiver;

		at[7] = (char)('0' + i);
		peer = address_of(at);
		receiver = receivers_at(&scene.receivers, &peer);
		receiver->ready = i != 4;
		receiver->reported = i < 3;
		receiver->joined_late = i == 2;
	}
	scene.receivers.receiver[0].clock = (struct message_clock){true, 81567 * MS, 1000};
	scene.receivers.receiver[0].report = (struct message_report){
		.received = 1000,
		.lost = 24,
		.duplicates = 3,
		.reordered = 2,
		.damaged = 1,
		.host_drops = 5,
		.drop_unit = MESSAGE_DROPS_BUFFERS,
		.bytes = 512000,
		.first = 1,
		.last = 1 + 100 * MS,
		.delays = {.count = 1000, .mean = 81567 * MS + 250000},
	};
	scene.receivers.receiver[1].report = (struct message_report){.received = 1, .bytes = 1};
	console_receivers(&scene.console, &scene.receivers, 1024);
	expect(&scene, "5 packets to\n"
		       "receiver                  received      lost       dup reordered   damaged"
		       "      host           Kbps  delay ms\n"
		       "nobody\n"
		       "1024 packets to\n"
		       "receiver                  received      lost       dup reordered   damaged"
		       "      host           Kbps  delay ms\n"
		       "10.9.0.1:5001                 1000        24         3         2         1"
		       "        5+        40960.0     0.250\n"
		       "10.9.0.2:5001                    1         0         0         0         0"
		       "   unknown            8.0   unknown  joined late\n"
		       "10.9.0.3:5001             no report\n");
}

/* Without a stream nothing is said, and nothing happens. */
static void silent(void **state)
{
	const struct console_full full_report = {0};
	const struct window_row row = {0};
	const struct np_flow_counts figures = {0};
	const struct console_receive result = {0};
	const struct np_address peer = address_of("10.9.0.1:1");
	struct scene scene;

	(void)state;
	open_scene(&scene, TASK_TRANSMIT, TRANSPORT_TCP);
	scene.options.layout = NP_REPORT_FULL;
	console_init(&scene.console, NULL, &scene.options);
	console_begin(&scene.console, &scene.options);
	console_run(&scene.console, &scene.options, 1);
	console_connected(&scene.console, &peer, &peer);
	console_sending(&scene.console, "", 3);
	console_listening(&scene.console);
	console_receiving(&scene.console, &scene.options, NULL);
	console_count(&scene.console, 5000);
	console_finished(&scene.console, true, true);
	transmitted(&scene, 0, 0, 0, 0);
	console_received(&scene.console, &result);
	console_report_full(&scene.console, &full_report);
	console_receivers(&scene.console, &scene.receivers, 0);
	console_interval(&scene.console, 0, &figures, false);
	console_window(&scene.console, &row);
	console_pause(&scene.console, 10);
	expect(&scene, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(group),     cmocka_unit_test(intervals), cmocka_unit_test(full),
		cmocka_unit_test(receivers), cmocka_unit_test(silent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
