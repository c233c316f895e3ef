// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* pcap_none: replaces pcap in a build without libpcap: no such link is ever opened. */
#include "link_variant.h"

static const char *pcap_variant_lacks(void)
{
	return "built without libpcap: build with libpcap (./configure)";
}

const struct link_variant link_pcap_variant = {
	.name = "pcap",
	.lacks = pcap_variant_lacks,
};
