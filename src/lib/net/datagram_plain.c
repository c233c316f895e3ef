// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* datagram_plain: one system call for each packet, sendto() and recvmsg(); and null, none. */
#include "datagram_variant.h"

#include <errno.h>

static int plain_open(struct np_datagram *datagram, const struct np_datagram_options *options)
{
	(void)options;
	return datagram_mmsg_inbox(datagram);
}

static int plain_send(struct np_datagram *datagram, const struct datagram_burst *burst)
{
	if (sendto(datagram->fd, burst->data, burst->bytes, burst->flags, burst->to,
		   burst->to_length) < 0)
		return -errno;
	datagram->stats.send_calls++;
	return 1;
}

static int plain_receive(struct np_datagram *datagram, struct np_packet *packets, unsigned room)
{
	unsigned filled = 0;
	int error = 0;

	if (room > datagram->inbox.count)
		room = datagram->inbox.count;
	while (filled < room) {
		error = datagram_inbox_fill_one(&datagram->inbox, datagram->fd, filled,
						datagram->receive_flags);
		if (error)
			break;
		filled++;
	}
	/*
	 * The kernel has reported this error, which followed good packets, and will not repeat it.
	 */
	if (error && error != -EAGAIN && filled > 0)
		datagram->stats.last_error = error;
	if (filled == 0)
		return error;
	datagram->stats.receive_calls += filled;
	datagram_mmsg_hand_over(datagram, packets, filled);
	return (int)filled;
}

const struct datagram_variant datagram_plain_variant = {
	.name = "plain",
	.open = plain_open,
	.send = plain_send,
	.receive = plain_receive,
};

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
