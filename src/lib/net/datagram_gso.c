// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * datagram_gso: many packets in one buffer, split by the kernel as late as possible (UDP_SEGMENT)
 * and received unsplit (UDP_GRO): one system call and one trip through the stack for up to 64 KiB.
 */
#include "datagram_variant.h"
#include "socket.h"

#include <errno.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/uio.h>

#define BUFFER_BYTES   65536
#define BUFFERS	       16
#define LARGE	       16384
#define SEGMENTS_NEWER 128 /* UDP_MAX_SEGMENTS; older kernels return EINVAL */
#define SEGMENTS_OLDER 64

union segment_control {
	struct cmsghdr header;
	uint8_t room[CMSG_SPACE(sizeof(uint16_t))];
};

static int gso_open(struct np_datagram *datagram)
{
	int segment, error;
	socklen_t length = sizeof(segment);

	if (datagram->packet_bytes > NP_DATAGRAM_BYTES_MAX / 2 ||
	    getsockopt(datagram->fd, SOL_UDP, UDP_SEGMENT, &segment, &length) < 0)
		return -EPROTONOSUPPORT;
	datagram->info.gso = true;
	datagram->segments_max = SEGMENTS_NEWER;
	error = datagram_outbox_open(datagram);
	if (error)
		return error;
	if (datagram->single)
		return datagram_mmsg_inbox(datagram);
	if (socket_set(datagram->fd, SOL_UDP, UDP_GRO, 1))
		return -EPROTONOSUPPORT;
	datagram->info.drop_unit = "buffer";
	return datagram_inbox_open(datagram, BUFFERS, BUFFER_BYTES);
}

/* How many packets fit in one buffer. */
static unsigned count_segments(const struct np_datagram *datagram,
			       const struct datagram_burst *burst)
{
	size_t fit = burst->bytes ? NP_DATAGRAM_BYTES_MAX / burst->bytes : 1;

	if (fit > datagram->segments_max)
		fit = datagram->segments_max;
	return burst->count < fit ? burst->count : (unsigned)fit;
}

/* Uses one vector where the packets fill their slots. */
static size_t gather(struct np_datagram *datagram, const struct datagram_burst *burst,
		     unsigned count)
{
	struct iovec *vectors = datagram->outbox.vectors;

	if (burst->bytes == datagram->packet_bytes) {
		vectors[0].iov_base = burst->data;
		vectors[0].iov_len = count * burst->bytes;
		return 1;
	}
	for (unsigned i = 0; i < count; i++) {
		vectors[i].iov_base = burst->data + i * datagram->packet_bytes;
		vectors[i].iov_len = burst->bytes;
	}
	return count;
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
	struct msghdr message = {
		.msg_name = (void *)burst->to,
		.msg_namelen = burst->to_length,
		.msg_iov = datagram->outbox.vectors,
		.msg_iovlen = gather(datagram, burst, count),
	};

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
	unsigned count = count_segments(datagram, burst);
	int sent;

	if (!datagram->info.gso || datagram->apart)
		return datagram_mmsg_send(datagram, burst);
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
	return datagram_mmsg_send(datagram, burst);
}

/* Returns packets of the next buffer, all or as many as there is room for. */
static unsigned split(struct np_datagram *datagram, struct np_packet *packets, unsigned room)
{
	struct datagram_inbox *inbox = &datagram->inbox;
	uint8_t *data = inbox->vectors[inbox->next].iov_base;
	size_t length = inbox->messages[inbox->next].msg_len;
	struct np_packet packet = {.source = &inbox->sources[inbox->next]};
	unsigned taken = 0;
	size_t segment;

	packet.stamp = datagram_inbox_stamp(datagram, inbox->next, &segment);
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

static int refill(struct np_datagram *datagram, unsigned room)
{
	struct datagram_inbox *inbox = &datagram->inbox;
	int filled;

	/*
	 * Copying a large buffer takes longer than a system call, but less into memory that was
	 * just used.
	 */
	if (inbox->latest >= LARGE)
		room = 1;
	filled = datagram_inbox_fill(datagram, room);
	if (filled < 0)
		return filled;
	if (filled > 0)
		inbox->latest = inbox->messages[filled - 1].msg_len;
	inbox->filled = (unsigned)filled;
	inbox->next = 0;
	inbox->offset = 0;
	return 0;
}

static int gso_receive(struct np_datagram *datagram, struct np_packet *packets, unsigned room)
{
	struct datagram_inbox *inbox = &datagram->inbox;
	unsigned taken = 0;
	int error;

	if (datagram->single)
		return datagram_mmsg_receive(datagram, packets, room);
	if (inbox->next == inbox->filled) {
		error = refill(datagram, room);
		if (error)
			return error;
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
