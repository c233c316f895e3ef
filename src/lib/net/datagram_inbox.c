// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* datagram_inbox: buffers for recvmmsg, with the kernel's control data for each of them. */
#include "datagram_variant.h"

#include <errno.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#define CACHE_LINE 64

int datagram_inbox_open(struct datagram_inbox *inbox, unsigned count, size_t bytes)
{
	size_t stride = (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;

	if (count > DATAGRAM_INBOX_BYTES / stride)
		count = (unsigned)(DATAGRAM_INBOX_BYTES / stride);
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

void datagram_inbox_close(struct datagram_inbox *inbox)
{
	free(inbox->messages);
	free(inbox->vectors);
	free(inbox->sources);
	free(inbox->controls);
	free(inbox->memory);
	memset(inbox, 0, sizeof(*inbox));
}

/* Resets the lengths, which the kernel overwrote in the last call. */
static void make_ready(struct datagram_inbox *inbox, unsigned index)
{
	struct msghdr *header = &inbox->messages[index].msg_hdr;

	header->msg_namelen = sizeof(inbox->sources[index].storage);
	header->msg_controllen = sizeof(inbox->controls[index]);
}

int datagram_inbox_fill(struct datagram_inbox *inbox, int fd, unsigned count, int flags)
{
	int filled;

	for (unsigned i = 0; i < count; i++)
		make_ready(inbox, i);
	filled = recvmmsg(fd, inbox->messages, count, flags, NULL);
	if (filled < 0)
		return -errno;
	for (int i = 0; i < filled; i++)
		inbox->sources[i].length = inbox->messages[i].msg_hdr.msg_namelen;
	return filled;
}

int datagram_inbox_fill_one(struct datagram_inbox *inbox, int fd, unsigned index, int flags)
{
	struct mmsghdr *message = &inbox->messages[index];
	ssize_t length;

	make_ready(inbox, index);
	length = recvmsg(fd, &message->msg_hdr, flags);
	if (length < 0)
		return -errno;
	message->msg_len = (unsigned)length;
	inbox->sources[index].length = message->msg_hdr.msg_namelen;
	return 0;
}

void datagram_inbox_note(const struct datagram_inbox *inbox, unsigned index,
			 struct datagram_note *note)
{
	struct msghdr *header = &inbox->messages[index].msg_hdr;
	struct cmsghdr *at;
	struct timespec wall;
	int segment;

	memset(note, 0, sizeof(*note));
	for (at = CMSG_FIRSTHDR(header); at; at = CMSG_NXTHDR(header, at)) {
		if (at->cmsg_level == SOL_UDP && at->cmsg_type == UDP_GRO) {
			memcpy(&segment, CMSG_DATA(at), sizeof(segment));
			note->segment = segment > 0 ? (size_t)segment : 0;
		} else if (at->cmsg_level == SOL_SOCKET && at->cmsg_type == SCM_TIMESTAMPNS) {
			memcpy(&wall, CMSG_DATA(at), sizeof(wall));
			note->realtime = wall.tv_sec * NP_SECOND + wall.tv_nsec;
			note->stamped = true;
		}
	}
}

np_time datagram_note_stamp(const struct datagram_note *note, const struct stamps *stamps)
{
	return note->stamped ? stamps_convert(stamps, note->realtime) : stamps->now;
}
