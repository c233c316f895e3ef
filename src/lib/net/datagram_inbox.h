/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* datagram_inbox: buffers, source addresses and control data that the kernel receives into. */
#ifndef DATAGRAM_INBOX_H
#define DATAGRAM_INBOX_H

#include "stamps.h"

#include <netperf/address.h>
#include <netperf/clock.h>
#include <sys/socket.h>
#include <time.h>

#define DATAGRAM_INBOX_BYTES ((size_t)4 << 20)

union datagram_control {
	struct cmsghdr header; /* aligns the buffer */
	uint8_t room[CMSG_SPACE(sizeof(struct timespec)) + CMSG_SPACE(sizeof(int))];
};

struct datagram_inbox {
	struct mmsghdr *messages;
	struct iovec *vectors;
	struct np_address *sources;
	union datagram_control *controls;
	uint8_t *memory;
	unsigned count; /* number of buffers */
	/*
	 * Buffers 0..filled-1 are filled; all before next, and offset bytes of it, were returned to
	 * the caller.
	 */
	unsigned filled;
	unsigned next;
	size_t offset;
	size_t latest; /* bytes in the last one filled */
};

/* The control data of one buffer. */
struct datagram_note {
	size_t segment; /* UDP_GRO: bytes of each packet in it but the last; 0: it holds one packet
			 */
	bool stamped;
	np_time realtime; /* SO_TIMESTAMPNS */
};

/*
 * Allocates up to @count buffers of @bytes each, fewer (at least one) where they would take more
 * than DATAGRAM_INBOX_BYTES. datagram_inbox_close frees what a failed call allocated.
 */
int datagram_inbox_open(struct datagram_inbox *inbox, unsigned count, size_t bytes);
void datagram_inbox_close(struct datagram_inbox *inbox);

/*
 * Receives into buffers 0..@count-1 with one system call with @flags; returns how many, or -errno.
 */
int datagram_inbox_fill(struct datagram_inbox *inbox, int fd, unsigned count, int flags);

/* Receives into buffer @index only; returns 0 or -errno. */
int datagram_inbox_fill_one(struct datagram_inbox *inbox, int fd, unsigned index, int flags);

void datagram_inbox_note(const struct datagram_inbox *inbox, unsigned index,
			 struct datagram_note *note);

/* The time of arrival, in monotonic time. */
np_time datagram_note_stamp(const struct datagram_note *note, const struct stamps *stamps);

#endif
