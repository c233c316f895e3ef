// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* link_null: sends into nothing and never receives; shows what the rest of a program costs. */
#include "link_variant.h"

#include <errno.h>
#include <linux/if_ether.h>

static int null_open(struct np_link *link, const struct np_link_options *options)
{
	(void)options;
	link->info.stamps = "user";
	return 0;
}

static void null_close(struct np_link *link)
{
	(void)link;
}

static int null_send(struct np_link *link, const struct np_frame *frames, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (frames[i].length > link->info.mtu + ETH_HLEN)
			return i > 0 ? (int)i : -EMSGSIZE;
	return (int)count;
}

static int null_receive(struct np_link *link, struct np_frame *frames, unsigned count)
{
	(void)link;
	(void)frames;
	(void)count;
	return 0;
}

static int null_count_dropped(struct np_link *link)
{
	(void)link;
	return 0;
}

const struct link_variant link_null_variant = {
	.name = "null",
	.open = null_open,
	.close = null_close,
	.send = null_send,
	.receive = null_receive,
	.count_dropped = null_count_dropped,
	.dropped_known = true,
};
