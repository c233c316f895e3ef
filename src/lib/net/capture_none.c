// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* capture_none: replaces capture in a build without libpcap: no file is ever opened. */
#include <netperf/capture.h>

#include <errno.h>

const char *np_capture_lacks(void)
{
	return "built without libpcap: build with libpcap (./configure)";
}

int np_capture_open(struct np_capture **capture, const char *path)
{
	(void)path;
	*capture = NULL;
	return -EPROTONOSUPPORT;
}

void np_capture_begin(struct np_capture *capture)
{
	(void)capture;
}

void np_capture_write(struct np_capture *capture, const struct np_frame *frames, unsigned count)
{
	(void)capture;
	(void)frames;
	(void)count;
}

int np_capture_close(struct np_capture *capture)
{
	(void)capture;
	return 0;
}

int np_capture_abandon(struct np_capture *capture)
{
	return np_capture_close(capture);
}
