// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* link_pcap_none: replaces link_pcap in a build without libpcap: cannot be opened. */
#include "link_variant.h"

#include <errno.h>

static const char *none_lacks(void)
{
	return "built without libpcap: build with libpcap (./configure)";
}

static int none_open(struct np_link *link, const struct np_link_options *options)
{
	(void)link;
	(void)options;
	return -EPROTONOSUPPORT;
}

static void none_close(struct np_link *link)
{
	(void)link;
}

const struct link_variant link_pcap_variant = {
	.name = "pcap",
	.lacks = none_lacks,
	.open = none_open,
	.close = none_close,
};
