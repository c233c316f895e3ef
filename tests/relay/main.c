// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * relay: carries frames between two interfaces, applies faults to UDP datagrams in exact or seeded
 * random patterns, and records the truth. Exit status 1: the truth is void.
 */
#include "relay.h"

int main(int argc, char *argv[])
{
	struct np_log log = {.program = "relay", .stream = stderr};
	struct relay relay = {0};
	struct options options = {0};
	int status = options_read(&options, argc, argv, &log);

	if (status >= 0)
		return status;
	if (relay_open(&relay, &options, &log)) {
		log_file_close(&relay.log_file);
		np_report_end(relay.report, 2, &log);
		relay_close(&relay);
		return 2;
	}
	np_log_info(&log, "relaying between %s and %s by %s", options.interface[AB],
		    options.interface[BA], np_link_info(relay.link[AB])->variant);
	status = relay_run(&relay) ? 1 : 0;
	if (!relay_finish(&relay))
		status = 1;
	relay_close(&relay);
	return status;
}
