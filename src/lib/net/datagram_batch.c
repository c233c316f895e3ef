// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * datagram_batch: how packets go to the kernel and come from it. A message for each packet: mmsg,
 * one system call for each batch, sendmmsg() and recvmmsg(); plain, one for each packet, sendto()
 * and recvmsg(); null, none. gso: many packets in one buffer, split by the kernel as late as
 * possible (UDP_SEGMENT) and received unsplit (UDP_GRO): one system call and one trip through the
 * stack for up to 64 KiB.
 */
#include "datagram_variant.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#define BUFFER_BYTES   65536
#define BUFFERS	       16
#define LARGE	       16384
#define SEGMENTS_NEWER 128 /* UDP_MAX_SEGMENTS; older kernels return EINVAL */
#define SEGMENTS_OLDER 64

/* Sends a burst with a message for each packet: the mmsg variant, and the fallback of gso. */
static int mmsg_send(struct np_datagram *datagram, const struct datagram_burst *burst)
{
	const struct socket_messages *out = &datagram->out;
	int sent;

	for (unsigned i = 0; i < burst->count; i++) {
		out->piece[i].iov_base = burst->data + i * datagram->packet_bytes;
		out->piece[i].iov_len = burst->bytes;
		out->message[i].msg_hdr.msg_name = (void *)burst->to;
		out->message[i].msg_hdr.msg_namelen = burst->to_length;
	}
	sent = sendmmsg(datagram->fd, out->message, burst->count, burst->flags);
	if (sent < 0)
		return -errno;
	datagram->stats.send_calls++;
	/* Why it stopped the kernel does not say. */
	if ((unsigned)sent < burst->count)
		datagram->stats.reported_drops_perhaps++;
	return sent;
}

/*
 * Makes the kernel stamp what arrives, and allocates up to @count buffers of @bytes each, fewer (at
 * least one) where they would take more than DATAGRAM_INBOX_BYTES. datagram.c frees them, after a
 * failure, too.
 */
static int open_inbox(struct np_datagram *datagram, unsigned count, size_t bytes)
{
	const size_t stride = (bytes + NP_CACHE_LINE - 1) / NP_CACHE_LINE * NP_CACHE_LINE;
	struct datagram_inbox *inbox = &datagram->inbox;
	int error = socket_set(datagram->fd, SOL_SOCKET, SO_TIMESTAMPNS, 1);

	stamps_start(&datagram->stamps, &datagram->info.stamps);
	if (error)
		return error;
	/* A datagram has 64 KiB at most: there is room for one. */
	if (count > DATAGRAM_INBOX_BYTES / stride)
		count = (unsigned)(DATAGRAM_INBOX_BYTES / stride);
	count += !count;
	inbox->count = count;
	inbox->sources = calloc(count, sizeof(*inbox->sources));
	inbox->controls = calloc(count, sizeof(*inbox->controls));
	inbox->memory = aligned_alloc(NP_CACHE_LINE, stride * count);
	if (!inbox->sources || !inbox->controls || !inbox->memory ||
	    socket_messages_make(&inbox->in, count))
		return -ENOMEM;
	memset(inbox->memory, 0, stride * count);
	for (unsigned i = 0; i < count; i++) {
		inbox->in.piece[i].iov_base = inbox->memory + i * stride;
		inbox->in.piece[i].iov_len = bytes;
		inbox->in.message[i].msg_hdr.msg_name = &inbox->sources[i].storage;
		inbox->in.message[i].msg_hdr.msg_control = &inbox->controls[i];
	}
	return 0;
}

/* The same with a buffer for each packet of a batch. */
static int mmsg_inbox(struct np_datagram *datagram)
{
	return open_inbox(datagram, datagram->batch, datagram->longest_bytes);
}

/* Resets the lengths, which the kernel overwrote in the last call. */
static struct mmsghdr *make_ready(struct datagram_inbox *inbox, unsigned index)
{
	struct mmsghdr *message = &inbox->in.message[index];

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
		inbox->sources[i].length = inbox->in.message[i].msg_hdr.msg_namelen;
}

/* Fills up to @room of the buffers with one recvmmsg; returns how many, or -errno. */
static int fill_inbox(struct np_datagram *datagram, unsigned room)
{
	struct datagram_inbox *inbox = &datagram->inbox;
	const unsigned count = room < inbox->count ? room : inbox->count;
	int got;

	for (unsigned i = 0; i < count; i++)
		make_ready(inbox, i);
	got = recvmmsg(datagram->fd, inbox->in.message, count, datagram->receive_flags, NULL);
	if (got < 0)
		return -errno;
	filled(datagram, (unsigned)got, 1);
	return got;
}

/* What control message @at says of the IP header, which all packets of a buffer share. */
static void take_header(struct np_packet *packet, const struct cmsghdr *at)
{
	const bool ipv6 = at->cmsg_level == SOL_IPV6;
	int value = *CMSG_DATA(at); /* IPv4's TOS has one byte, all else is an int */

	if (!ipv6 && at->cmsg_level != SOL_IP)
		return;
	if (ipv6 || at->cmsg_type != IP_TOS)
		memcpy(&value, CMSG_DATA(at), sizeof(value));
	if (at->cmsg_type == (ipv6 ? IPV6_TCLASS : IP_TOS))
		packet->tos = (uint8_t)value;
	else if (at->cmsg_type == (ipv6 ? IPV6_HOPLIMIT : IP_TTL))
		packet->hops = (uint8_t)value;
	else if (at->cmsg_type == (ipv6 ? IPV6_RECVFRAGSIZE : IP_RECVFRAGSIZE))
		packet->fragment_bytes = (uint16_t)value;
}

/*
 * Buffer @index as one packet, with its arrival in monotonic time. *@segment: the bytes of each
 * packet in it but the last (UDP_GRO); 0: it holds one packet.
 */
static struct np_packet inbox_packet(struct np_datagram *datagram, unsigned index, size_t *segment)
{
	const struct datagram_inbox *inbox = &datagram->inbox;
	struct msghdr *header = &inbox->in.message[index].msg_hdr;
	struct np_packet packet = {
		.data = inbox->in.piece[index].iov_base,
		.length = inbox->in.message[index].msg_len,
		.cut = header->msg_flags & MSG_TRUNC,
		.stamp = datagram->stamps.now,
		.source = &inbox->sources[index],
	};
	struct timespec wall;
	int bytes;

	*segment = 0;
	for (struct cmsghdr *at = CMSG_FIRSTHDR(header); at; at = CMSG_NXTHDR(header, at)) {
		if (at->cmsg_level == SOL_UDP && at->cmsg_type == UDP_GRO) {
			memcpy(&bytes, CMSG_DATA(at), sizeof(bytes));
			*segment = bytes > 0 ? (size_t)bytes : 0;
		} else if (at->cmsg_level == SOL_SOCKET && at->cmsg_type == SCM_TIMESTAMPNS) {
			memcpy(&wall, CMSG_DATA(at), sizeof(wall));
			packet.stamp = stamps_convert(&datagram->stamps,
						      wall.tv_sec * NP_SECOND + wall.tv_nsec);
		} else {
			take_header(&packet, at);
		}
	}
	return packet;
}

/* Returns the inbox's @count buffers, of one packet each, to the caller. */
static int hand_over(struct np_datagram *datagram, struct np_packet *packets, int count)
{
	size_t segment;

	for (unsigned i = 0; (int)i < count; i++)
		packets[i] = inbox_packet(datagram, i, &segment);
	return count;
}

/* Receives a packet in each buffer with one recvmmsg: the mmsg variant, and gso with single. */
static int mmsg_receive(struct np_datagram *datagram, struct np_packet *packets, unsigned room)
{
	return hand_over(datagram, packets, fill_inbox(datagram, room));
}

const struct datagram_variant datagram_mmsg_variant = {
	.name = "mmsg",
	.open = mmsg_inbox,
	.send = mmsg_send,
	.receive = mmsg_receive,
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
	.open = mmsg_inbox,
	.send = plain_send,
	.receive = plain_receive,
};

static int null_send(struct np_datagram *datagram, const struct datagram_burst *burst)
{
	(void)datagram;
	return (int)burst->count;
}

const struct datagram_variant datagram_null_variant = {
	.name = "null",
	.socketless = true,
	.send = null_send,
};

union segment_control {
	struct cmsghdr header;
	uint8_t room[CMSG_SPACE(sizeof(uint16_t))];
};

static int gso_open(struct np_datagram *datagram)
{
	int segment;
	socklen_t length = sizeof(segment);

	if (datagram->packet_bytes > NP_DATAGRAM_BYTES_MAX / 2 ||
	    getsockopt(datagram->fd, SOL_UDP, UDP_SEGMENT, &segment, &length) < 0)
		return -EPROTONOSUPPORT;
	datagram->info.gso = true;
	datagram->segments_max = SEGMENTS_NEWER;
	if (datagram->single)
		return mmsg_inbox(datagram);
	if (socket_set(datagram->fd, SOL_UDP, UDP_GRO, 1))
		return -EPROTONOSUPPORT;
	datagram->info.drop_unit = "buffer";
	return open_inbox(datagram, BUFFERS, BUFFER_BYTES);
}

static int send_buffer(struct np_datagram *datagram, const struct datagram_burst *burst,
		       unsigned count)
{
	union segment_control control = {
		.header = {.cmsg_level = SOL_UDP,
			   .cmsg_type = UDP_SEGMENT,
			   .cmsg_len = CMSG_LEN(sizeof(uint16_t))},
	};
	uint16_t segment = (uint16_t)burst->bytes;
	struct iovec *vectors = datagram->out.piece;
	struct msghdr message = {
		.msg_name = (void *)burst->to,
		.msg_namelen = burst->to_length,
		.msg_iov = vectors,
		.msg_iovlen = count,
	};

	for (unsigned i = 0; i < count; i++) {
		vectors[i].iov_base = burst->data + i * datagram->packet_bytes;
		vectors[i].iov_len = burst->bytes;
		if (burst->bytes == datagram->packet_bytes) {
			/* One vector will do where the packets fill their slots. */
			vectors[i].iov_len = count * burst->bytes;
			message.msg_iovlen = 1;
			break;
		}
	}
	if (count > 1) {
		memcpy(CMSG_DATA(&control.header), &segment, sizeof(segment));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
	}
	if (sendmsg(datagram->fd, &message, burst->flags) < 0)
		return -errno;
	datagram->stats.send_calls++;
	return (int)count;
}

static int gso_send(struct np_datagram *datagram, const struct datagram_burst *burst)
{
	const size_t fit = burst->bytes ? NP_DATAGRAM_BYTES_MAX / burst->bytes : 1;
	const unsigned count =
		(unsigned)np_least(np_least(fit, datagram->segments_max), burst->count);
	int sent;

	if (!datagram->info.gso || datagram->apart)
		return mmsg_send(datagram, burst);
	datagram->tried = count;
	sent = send_buffer(datagram, burst, count);
	if (sent == -EINVAL && count > SEGMENTS_OLDER) {
		datagram->segments_max = SEGMENTS_OLDER;
		datagram->tried = SEGMENTS_OLDER;
		sent = send_buffer(datagram, burst, SEGMENTS_OLDER);
	}
	/*
	 * A packet larger than the path's MTU gives EMSGSIZE (EINVAL in older kernels), an
	 * interface without checksum offload EIO; but either may also come from an unsegmented
	 * message.
	 */
	if (count == 1 || (sent != -EMSGSIZE && sent != -EINVAL && sent != -EIO))
		return sent;
	datagram->info.gso = false;
	datagram->info.detail = sent == -EIO ? "the interface cannot send segmented buffers"
					     : "packets of this size do not fit the path's MTU";
	return mmsg_send(datagram, burst);
}

/* Returns packets of the next buffer, all or as many as there is room for. */
static unsigned split(struct np_datagram *datagram, struct np_packet *packets, unsigned room)
{
	struct datagram_inbox *inbox = &datagram->inbox;
	unsigned taken = 0;
	size_t segment;
	struct np_packet packet = inbox_packet(datagram, inbox->next, &segment);
	uint8_t *const data = packet.data;
	const size_t length = packet.length;

	do {
		size_t left = length - inbox->offset;
		size_t bytes = segment && segment < left ? segment : left;

		packet.data = data + inbox->offset;
		packet.cut = bytes > datagram->longest_bytes;
		packet.length = packet.cut ? datagram->longest_bytes : bytes;
		packets[taken++] = packet;
		inbox->offset += bytes;
	} while (inbox->offset < length && taken < room);
	if (inbox->offset >= length) {
		inbox->next++;
		inbox->offset = 0;
	}
	return taken;
}

static int gso_receive(struct np_datagram *datagram, struct np_packet *packets, unsigned room)
{
	struct datagram_inbox *inbox = &datagram->inbox;
	unsigned taken = 0;
	int got;

	if (datagram->single)
		return mmsg_receive(datagram, packets, room);
	if (inbox->next == inbox->filled) {
		/*
		 * Copying a large buffer takes longer than a system call, but less into memory that
		 * was just used.
		 */
		got = fill_inbox(datagram, inbox->latest >= LARGE ? 1 : room);
		if (got < 0)
			return got;
		if (got > 0)
			inbox->latest = inbox->in.message[got - 1].msg_len;
		inbox->filled = (unsigned)got;
		inbox->next = 0;
		inbox->offset = 0;
	}
	while (taken < room && inbox->next < inbox->filled)
		taken += split(datagram, packets + taken, room - taken);
	return (int)taken;
}

const struct datagram_variant datagram_gso_variant = {
	.name = "gso",
	.open = gso_open,
	.send = gso_send,
	.receive = gso_receive,
};
