// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* The console's reports of our own: groups, intervals, and silence. */
#include "support/ttcp_console_scene.h"

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

/* --report=original: intervals are lines of ours. */
static void original(void **state)
{
	const struct np_flow_counts figures = {.received = 1};
	struct scene scene;

	(void)state;
	open_scene(&scene, TASK_RECEIVE, TRANSPORT_UDP);
	scene.options.layout = NP_REPORT_ORIGINAL;
	console_init(&scene.console, scene.page->out, &scene.options);
	console_interval(&scene.console, NP_SECOND, &figures, false);
	expect(&scene, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(group),
		cmocka_unit_test(intervals),
		cmocka_unit_test(original),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
