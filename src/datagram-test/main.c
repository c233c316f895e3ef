// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* datagram-test: what UDP rate do these machines sustain, with what loss and disorder? */
#include "options.h"
#include "session.h"

int main(int argc, char **argv)
{
	struct np_log log = {.program = "datagram-test", .stream = stderr};
	struct options options = {0};
	int status = options_read(&options, argc, argv, &log);

	if (status < 0)
		status = session_run(&options, &log);
	options_free(&options);
	return status;
}
