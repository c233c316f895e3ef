// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* datagram-test: what UDP rate do these machines sustain, with what loss and disorder? */
#include "options.h"
#include "session.h"

#include <malloc.h>
#include <netperf/process.h>
#include <string.h>

/*
 * The windows of flows are large and hardly written: taken from the kernel and given back one by
 * one, they cost only what is written, however often flows come and go. The C library would keep
 * them from the first one on that is freed.
 */
#define WINDOW_LEAST (32 * 1024)

int main(int argc, char **argv)
{
	struct np_log log = {.program = "datagram-test", .stream = stderr};
	struct options options = {0};
	int status;

#ifdef M_MMAP_THRESHOLD
	(void)mallopt(M_MMAP_THRESHOLD, WINDOW_LEAST);
#endif
	status = np_process_begin();
	if (status)
		return np_log_refuse(&log, "/dev/null", "%s, and a standard stream is closed",
				     strerror(-status));
	status = options_read(&options, argc, argv, &log);
	if (status < 0)
		status = session_run(&options, &log);
	options_free(&options);
	return status;
}
