// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * pcap_none: replaces pcap in a build without libpcap: no file and no such link is ever opened.
 */
#include "link_variant.h"

#include <errno.h>
#include <netperf/link.h>

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

int np_capture_close(struct np_capture *capture, bool began)
{
	(void)capture;
	(void)began;
	return 0;
}

const struct link_variant link_pcap_variant = {
	.name = "pcap",
	.lacks = np_capture_lacks,
};
