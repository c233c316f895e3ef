// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * datagram_mmsg: one system call for each batch, sendmmsg() and recvmmsg(); one trip through the
 * stack for each packet.
 */
#include "datagram_variant.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/uio.h>

int datagram_outbox_open(struct np_datagram *datagram)
{
	struct datagram_outbox *outbox = &datagram->outbox;

	outbox->messages = calloc(datagram->batch, sizeof(*outbox->messages));
	outbox->vectors = calloc(datagram->batch, sizeof(*outbox->vectors));
	if (!outbox->messages || !outbox->vectors)
		return -ENOMEM;
	for (unsigned i = 0; i < datagram->batch; i++) {
		outbox->messages[i].msg_hdr.msg_iov = &outbox->vectors[i];
		outbox->messages[i].msg_hdr.msg_iovlen = 1;
	}
	return 0;
}

int datagram_mmsg_send(struct np_datagram *datagram, const struct datagram_burst *burst)
{
	struct datagram_outbox *outbox = &datagram->outbox;
	int sent;

	for (unsigned i = 0; i < burst->count; i++) {
		outbox->vectors[i].iov_base = burst->data + i * datagram->packet_bytes;
		outbox->vectors[i].iov_len = burst->bytes;
		outbox->messages[i].msg_hdr.msg_name = (void *)burst->to;
		outbox->messages[i].msg_hdr.msg_namelen = burst->to_length;
	}
	sent = sendmmsg(datagram->fd, outbox->messages, burst->count, burst->flags);
	if (sent < 0)
		return -errno;
	datagram->stats.send_calls++;
	/* Why it stopped the kernel does not say. */
	if ((unsigned)sent < burst->count)
		datagram->stats.reported_drops_perhaps++;
	return sent;
}

int datagram_mmsg_inbox(struct np_datagram *datagram)
{
	int error = datagram_socket_stamp(datagram);

	if (error)
		return error;
	return datagram_inbox_open(&datagram->inbox, datagram->batch, datagram->longest_bytes);
}

void datagram_mmsg_hand_over(struct np_datagram *datagram, struct np_packet *packets,
			     unsigned count)
{
	struct datagram_inbox *inbox = &datagram->inbox;
	struct datagram_note note;

	stamps_batch(&datagram->stamps);
	for (unsigned i = 0; i < count; i++) {
		datagram_inbox_note(inbox, i, &note);
		packets[i] = (struct np_packet){
			.data = inbox->vectors[i].iov_base,
			.length = inbox->messages[i].msg_len,
			.cut = inbox->messages[i].msg_hdr.msg_flags & MSG_TRUNC,
			.stamp = datagram_note_stamp(&note, &datagram->stamps),
			.source = &inbox->sources[i],
		};
	}
}

static int mmsg_open(struct np_datagram *datagram, const struct np_datagram_options *options)
{
	int error = datagram_outbox_open(datagram);

	(void)options;
	return error ? error : datagram_mmsg_inbox(datagram);
}

int datagram_mmsg_receive(struct np_datagram *datagram, struct np_packet *packets, unsigned room)
{
	struct datagram_inbox *inbox = &datagram->inbox;
	int filled;

	filled = datagram_inbox_fill(inbox, datagram->fd, room < inbox->count ? room : inbox->count,
				     datagram->receive_flags);
	if (filled < 0)
		return filled;
	datagram->stats.receive_calls++;
	datagram_mmsg_hand_over(datagram, packets, (unsigned)filled);
	return filled;
}

const struct datagram_variant datagram_mmsg_variant = {
	.name = "mmsg",
	.open = mmsg_open,
	.send = datagram_mmsg_send,
	.receive = datagram_mmsg_receive,
};
