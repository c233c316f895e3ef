// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * datagram_mmsg: a message for each packet: mmsg, one system call for each batch, sendmmsg() and
 * recvmmsg(); plain, one for each packet, sendto() and recvmsg(); null, none.
 */
#include "datagram_variant.h"

#include <errno.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#define CACHE_LINE 64

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

int datagram_inbox_open(struct np_datagram *datagram, unsigned count, size_t bytes)
{
	const size_t stride = (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
	struct datagram_inbox *inbox = &datagram->inbox;
	int error = datagram_socket_stamp(datagram);

	if (error)
		return error;
	/* A datagram has 64 KiB at most: there is room for one. */
	if (count > DATAGRAM_INBOX_BYTES / stride)
		count = (unsigned)(DATAGRAM_INBOX_BYTES / stride);
	count += !count;
	inbox->count = count;
	inbox->messages = calloc(count, sizeof(*inbox->messages));
	inbox->vectors = calloc(count, sizeof(*inbox->vectors));
	inbox->sources = calloc(count, sizeof(*inbox->sources));
	inbox->controls = calloc(count, sizeof(*inbox->controls));
	inbox->memory = aligned_alloc(CACHE_LINE, stride * count);
	if (!inbox->messages || !inbox->vectors || !inbox->sources || !inbox->controls ||
	    !inbox->memory)
		return -ENOMEM;
	memset(inbox->memory, 0, stride * count);
	for (unsigned i = 0; i < count; i++) {
		inbox->vectors[i].iov_base = inbox->memory + i * stride;
		inbox->vectors[i].iov_len = bytes;
		inbox->messages[i].msg_hdr.msg_iov = &inbox->vectors[i];
		inbox->messages[i].msg_hdr.msg_iovlen = 1;
		inbox->messages[i].msg_hdr.msg_name = &inbox->sources[i].storage;
		inbox->messages[i].msg_hdr.msg_control = &inbox->controls[i];
	}
	return 0;
}

int datagram_mmsg_inbox(struct np_datagram *datagram)
{
	return datagram_inbox_open(datagram, datagram->batch, datagram->longest_bytes);
}

/* Resets the lengths, which the kernel overwrote in the last call. */
static struct mmsghdr *make_ready(struct datagram_inbox *inbox, unsigned index)
{
	struct mmsghdr *message = &inbox->messages[index];

	message->msg_hdr.msg_namelen = sizeof(inbox->sources[index].storage);
	message->msg_hdr.msg_controllen = sizeof(inbox->controls[index]);
	return message;
}

/* @count buffers were filled by @calls system calls. */
static void filled(struct np_datagram *datagram, unsigned count, unsigned calls)
{
	struct datagram_inbox *inbox = &datagram->inbox;

	datagram->stats.receive_calls += calls;
	stamps_batch(&datagram->stamps);
	for (unsigned i = 0; i < count; i++)
		inbox->sources[i].length = inbox->messages[i].msg_hdr.msg_namelen;
}

int datagram_inbox_fill(struct np_datagram *datagram, unsigned room)
{
	struct datagram_inbox *inbox = &datagram->inbox;
	const unsigned count = room < inbox->count ? room : inbox->count;
	int got;

	for (unsigned i = 0; i < count; i++)
		make_ready(inbox, i);
	got = recvmmsg(datagram->fd, inbox->messages, count, datagram->receive_flags, NULL);
	if (got < 0)
		return -errno;
	filled(datagram, (unsigned)got, 1);
	return got;
}

np_time datagram_inbox_stamp(struct np_datagram *datagram, unsigned index, size_t *segment)
{
	struct msghdr *header = &datagram->inbox.messages[index].msg_hdr;
	np_time stamp = datagram->stamps.now;
	struct timespec wall;
	int bytes;

	*segment = 0;
	for (struct cmsghdr *at = CMSG_FIRSTHDR(header); at; at = CMSG_NXTHDR(header, at)) {
		if (at->cmsg_level == SOL_UDP && at->cmsg_type == UDP_GRO) {
			memcpy(&bytes, CMSG_DATA(at), sizeof(bytes));
			*segment = bytes > 0 ? (size_t)bytes : 0;
		} else if (at->cmsg_level == SOL_SOCKET && at->cmsg_type == SCM_TIMESTAMPNS) {
			memcpy(&wall, CMSG_DATA(at), sizeof(wall));
			stamp = stamps_convert(&datagram->stamps,
					       wall.tv_sec * NP_SECOND + wall.tv_nsec);
		}
	}
	return stamp;
}

/* Returns the inbox's @count buffers, of one packet each, to the caller. */
static int hand_over(struct np_datagram *datagram, struct np_packet *packets, int count)
{
	struct datagram_inbox *inbox = &datagram->inbox;
	size_t segment;

	for (unsigned i = 0; (int)i < count; i++) {
		packets[i] = (struct np_packet){
			.data = inbox->vectors[i].iov_base,
			.length = inbox->messages[i].msg_len,
			.cut = inbox->messages[i].msg_hdr.msg_flags & MSG_TRUNC,
			.stamp = datagram_inbox_stamp(datagram, i, &segment),
			.source = &inbox->sources[i],
		};
	}
	return count;
}

int datagram_mmsg_receive(struct np_datagram *datagram, struct np_packet *packets, unsigned room)
{
	return hand_over(datagram, packets, datagram_inbox_fill(datagram, room));
}

static int mmsg_open(struct np_datagram *datagram)
{
	int error = datagram_outbox_open(datagram);

	return error ? error : datagram_mmsg_inbox(datagram);
}

const struct datagram_variant datagram_mmsg_variant = {
	.name = "mmsg",
	.open = mmsg_open,
	.send = datagram_mmsg_send,
	.receive = datagram_mmsg_receive,
};

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
	struct datagram_inbox *inbox = &datagram->inbox;
	unsigned count = 0;
	int error = 0;

	for (; count < room && count < inbox->count; count++) {
		struct mmsghdr *message = make_ready(inbox, count);
		const ssize_t length =
			recvmsg(datagram->fd, &message->msg_hdr, datagram->receive_flags);

		error = length < 0 ? -errno : 0;
		if (error)
			break;
		message->msg_len = (unsigned)length;
	}
	/*
	 * The kernel has reported this error, which followed good packets, and will not repeat it.
	 */
	if (error && error != -EAGAIN && count > 0)
		datagram->stats.last_error = error;
	if (count == 0)
		return error;
	filled(datagram, count, count);
	return hand_over(datagram, packets, (int)count);
}

const struct datagram_variant datagram_plain_variant = {
	.name = "plain",
	.open = datagram_mmsg_inbox,
	.send = plain_send,
	.receive = plain_receive,
};

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
	.send = null_send,
	.receive = null_receive,
};
