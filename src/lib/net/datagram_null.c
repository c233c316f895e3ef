// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* datagram_null: sends into nothing and never receives; shows what the rest of a program costs. */
#include "datagram_variant.h"

#include <errno.h>

static int null_open(struct np_datagram *datagram, const struct np_datagram_options *options)
{
	datagram->info.local = *options->local;
	return 0;
}

static int null_send(struct np_datagram *datagram, const struct datagram_burst *burst)
{
	(void)datagram;
	return (int)burst->count;
}

static int null_receive(struct np_datagram *datagram, struct np_packet *packets, unsigned room)
{
	(void)datagram;
	(void)packets;
	(void)room;
	return -EAGAIN;
}

const struct datagram_variant datagram_null_variant = {
	.name = "null",
	.socketless = true,
	.open = null_open,
	.send = null_send,
	.receive = null_receive,
};
