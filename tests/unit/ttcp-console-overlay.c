// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* The console text of HyperCast's examples in an overlay, byte by byte. */
#include "support/ttcp_console_scene.h"

/* The two examples of an overlay that the original's readme has; events are on stderr there. */
static void overlay_sender(void **state)
{
	struct scene scene;

	(void)state;
	open_scene(&scene, TASK_TRANSMIT, TRANSPORT_OVERLAY);
	scene.options.place.to = "500,500";
	scene.options.files.delay = "delaysend";
	scene.options.overrides = true;
	begin(&scene);
	console_place(&scene.console, "984,4861", "500,500", 5);
	console_sending(&scene.console, "500,500", 0);
	console_count(&scene.console, 1024);
	console_finished(&scene.console, true, false);
	console_leaving(&scene.console, 5);
	transmitted(&scene, 1024 * 100, 125, 0, 0);
	expect(&scene, "Overlay TTCP\n"
		       "send to 500,500\n"
		       "record delay to: delaysend\n"
		       "Overrides:\n"
		       "counter 1\n"
		       "Overlay Transmit: nbuf= 1024\n"
		       "This node's logical address is:984,4861\n"
		       "Send to 500,500\n"
		       "Waiting 5sec before overlay network becomes stable...\n"
		       "Start to send overlay packets\n"
		       "....................\n"
		       ".\n"
		       "finished.\n"
		       "\n"
		       "Waiting 5sec before leaving overlay network...\n"
		       "Transmit: 1024 packets in 125 milli-seconds = 819.2 KB/sec (6553.6 Kbps).\n"
		       "0 ACKs recceived    Average round-trip-time=0.0ms\n");
}

static void overlay_receiver(void **state)
{
	const struct message_start start = {
		.messages = 10000,
		.message_bytes = 512,
		.timeout_ms = 20000,
		.session = "TEST",
	};
	struct record_receive result = {
		.figures = {.sent = 10000,
			    .received = 10000,
			    .bytes = 5120000,
			    .elapsed = 2281 * MS},
		.delays = {.count = 10000, .mean = 81521120000},
	};
	struct scene scene;

	(void)state;
	open_scene(&scene, TASK_RECEIVE, TRANSPORT_OVERLAY);
	begin(&scene);
	console_place(&scene.console, "400,400", NULL, 0);
	console_listening(&scene.console);
	console_receiving(&scene.console, &scene.options, &start);
	console_count(&scene.console, 10000);
	console_leaving(&scene.console, 5);
	console_received(&scene.console, &result);
	expect(&scene, "Overlay TTCP\n"
		       "counter 1\n"
		       "Overlay Receive: nbuf= 1024\n"
		       "This node's logical address is:400,400\n"
		       "Wait to receive multicast packets:\n"
		       "Session set to: TEST\n"
		       "Overlay Receive: nbuf adjusted to 10000\n"
		       "Timeout set to: 20000\n"
		       "Bandwidth check interval set to default value: 500ms\n"
		       "Start to receive overlay packets:\n"
		       "....................\n....................\n....................\n"
		       "....................\n....................\n....................\n"
		       "....................\n....................\n....................\n"
		       "....................\n"
		       "Waiting 5sec before finish...\n"
		       "Receive: Receive: 10000 packets, 17957.037 Kbps, lost 0 packets, lost "
		       "ratio is 0.0%, retransmission 0.\n"
		       "average delay=81521.12\n");
}

/* Without an address all are sent to. */
static void overlay_to_all(void **state)
{
	struct scene scene;

	(void)state;
	open_scene(&scene, TASK_TRANSMIT, TRANSPORT_OVERLAY);
	scene.options.place.to = NULL;
	begin(&scene);
	console_place(&scene.console, "7,8", NULL, 0);
	expect(&scene, "Overlay TTCP\n"
		       "counter 1\n"
		       "Overlay Transmit: nbuf= 1024\n"
		       "This node's logical address is:7,8\n"
		       "Send to all\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(overlay_sender),
		cmocka_unit_test(overlay_receiver),
		cmocka_unit_test(overlay_to_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
