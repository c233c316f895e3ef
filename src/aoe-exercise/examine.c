// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* examine: a small window of reads over a list of places, each asked for until it is answered. */
#include "examine.h"

#include "ask.h"
#include "limits.h"

#include <errno.h>
#include <netperf/guard.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRIES	      8
#define TRY_TIME_MIN  (10 * NP_MILLISECOND)
#define TRY_TIME_MAX  (500 * NP_MILLISECOND)
#define RTT_FIRST     (60 * NP_MILLISECOND) /* before the first answer */
#define QUIET_TIME    (100 * NP_MILLISECOND)
#define MORE_TIME     NP_SECOND
#define READS_AT_ONCE 16
#define TAG_MASK      (NP_AOE_TAG_USER - 1)

/* One read request. */
struct piece {
	uint64_t lba;
	np_time sent;
	np_time due; /* when it is to be sent again */
	uint8_t sectors;
	uint8_t tries;
	uint8_t answers;
	bool done;
};

struct examination {
	struct wire *wire;
	struct target *target;
	int fd;
	struct np_aoe_header header;
	uint32_t tag; /* of the first piece; the others' follow */
	unsigned window;
	struct piece *piece;
	size_t pieces;
	size_t first; /* not done yet; all before it are */
	size_t next;  /* never sent yet */
	size_t doubled;
	np_time rtt; /* of the latest answers, smoothed */
	np_time deadline;
	np_time end; /* of waiting for more answers than questions */
};

/* No more than the target, the interface and a byte hold. */
static uint8_t sectors_each(const struct examination *x)
{
	unsigned most = limits_sectors(np_link_info(x->wire->link)->mtu);

	return (uint8_t)(most < x->target->sector_count ? most : x->target->sector_count);
}

/* Returns 0, -EMSGSIZE when not a single sector fits a frame, or -ENOMEM. */
static int list_pieces(struct examination *x)
{
	struct np_guard_place place[NP_GUARD_PLACES_MAX] = {0};
	uint64_t bytes = x->target->identity.sectors * NP_AOE_SECTOR_BYTES;
	size_t places = np_guard_places(bytes, place), room = 0;
	const uint8_t most = sectors_each(x);

	if (!most)
		return -EMSGSIZE;
	for (size_t i = 0; i < places; i++)
		room += place[i].bytes / NP_AOE_SECTOR_BYTES / most + 1;
	x->piece = calloc(room + 1, sizeof(*x->piece));
	if (!x->piece)
		return -ENOMEM;
	for (size_t i = 0; i < places; i++) {
		uint64_t lba = place[i].offset / NP_AOE_SECTOR_BYTES;
		uint64_t end = lba + place[i].bytes / NP_AOE_SECTOR_BYTES;

		for (; lba < end; lba += x->piece[x->pieces++].sectors) {
			x->piece[x->pieces].lba = lba;
			x->piece[x->pieces].sectors =
				(uint8_t)(end - lba < most ? end - lba : most);
		}
	}
	return 0;
}

/* Four times what an answer takes, doubled for each try before: one lost costs little time. */
static np_time patience(const struct examination *x, unsigned tries)
{
	np_time time = 4 * x->rtt < TRY_TIME_MIN ? TRY_TIME_MIN : 4 * x->rtt;

	time <<= tries;
	return time < TRY_TIME_MAX ? time : TRY_TIME_MAX;
}

static int send_piece(struct examination *x, size_t number, np_time now)
{
	struct piece *piece = &x->piece[number];
	struct np_aoe_ata ata;
	uint8_t frame[64];
	int rc = np_aoe_ata_transfer(&ata, false, x->target->identity.extended, piece->lba,
				     piece->sectors);

	if (rc)
		return rc;
	if (piece->tries == TRIES)
		return -ETIMEDOUT;
	piece->sent = now;
	piece->due = now + patience(x, piece->tries++);
	x->header.tag = NP_AOE_TAG_USER | ((x->tag + (uint32_t)number) & TAG_MASK);
	return ask_send(x->wire, frame, np_aoe_ata_encode(frame, sizeof(frame), &x->header, &ata));
}

/* Sends what is new in the window and what was not answered in time; finds the next deadline. */
static int send_window(struct examination *x, np_time now)
{
	size_t end = x->first + x->window < x->pieces ? x->first + x->window : x->pieces;
	int rc = 0;

	x->deadline = NP_TIME_NEVER;
	for (size_t i = x->first; i < end && !rc; i++) {
		if (x->piece[i].done)
			continue;
		if (i >= x->next || x->piece[i].due <= now)
			rc = send_piece(x, i, now);
		if (x->piece[i].due < x->deadline)
			x->deadline = x->piece[i].due;
	}
	if (x->next < end)
		x->next = end;
	return rc;
}

/* When all is answered: who else answers may be behind. */
static void await_more(struct examination *x, np_time now)
{
	if (x->first < x->pieces)
		return;
	x->deadline = now + QUIET_TIME < x->end ? now + QUIET_TIME : x->end;
}

/* The first answer goes to the file; another one must say the same. */
static int settle(struct examination *x, struct piece *piece, const uint8_t *data, np_time now)
{
	const size_t bytes = (size_t)piece->sectors * NP_AOE_SECTOR_BYTES;
	const off_t offset = (off_t)(piece->lba * NP_AOE_SECTOR_BYTES);
	uint8_t before[255 * NP_AOE_SECTOR_BYTES];

	if (piece->done) {
		x->doubled += piece->answers == piece->tries;
		if (piece->answers <= piece->tries)
			piece->answers++;
		await_more(x, now);
		if (pread(x->fd, before, bytes, offset) != (ssize_t)bytes)
			return -EIO;
		return memcmp(before, data, bytes) ? -ESTALE : 0;
	}
	if (pwrite(x->fd, data, bytes, offset) != (ssize_t)bytes)
		return -errno;
	piece->done = true;
	piece->answers = 1;
	/* Which of several requests it answers is not known. */
	if (piece->tries == 1)
		x->rtt += (now - piece->sent - x->rtt) / 8;
	while (x->first < x->pieces && x->piece[x->first].done)
		x->first++;
	x->deadline = 0; /* there may be room to send */
	return 0;
}

static int take(void *owner, const struct np_aoe_header *header, const struct np_frame *frame)
{
	struct examination *x = owner;
	struct target *target = x->target;
	uint32_t number = (header->tag - x->tag) & TAG_MASK;
	struct np_aoe_ata ata;

	if (header->shelf != target->shelf || header->slot != target->slot ||
	    stranger_is(&target->stranger, header->source, target->mac))
		return 0;
	if (!(header->tag & NP_AOE_TAG_USER) || number >= x->next || header->command != NP_AOE_ATA)
		return 0;
	if (header->flags & NP_AOE_FLAG_ERROR)
		return -EIO;
	if (np_aoe_ata_decode(frame->data, frame->length, &ata))
		return 0;
	if (ata.command & NP_ATA_STATUS_BAD)
		return -EIO;
	if (ata.data_bytes < (size_t)x->piece[number].sectors * NP_AOE_SECTOR_BYTES)
		return 0;
	return settle(x, &x->piece[number], ata.data, np_clock_now());
}

int examine_target(struct wire *wire, struct target *target, int fd)
{
	struct examination x = {
		.wire = wire,
		.target = target,
		.fd = fd,
		.tag = ask_tag(),
		.rtt = RTT_FIRST,
	};
	const struct listener listener = {.take = take, .owner = &x};
	int rc;

	if (ftruncate(fd, (off_t)(target->identity.sectors * NP_AOE_SECTOR_BYTES)))
		return -errno;
	x.window = target->buffer_count < READS_AT_ONCE ? target->buffer_count : READS_AT_ONCE;
	x.window += !x.window;
	target_header(wire, target, &x.header);
	rc = list_pieces(&x);
	while (!rc && x.first < x.pieces) {
		rc = send_window(&x, np_clock_now());
		if (!rc)
			rc = ask_listen(wire, &listener, &x.deadline);
	}
	if (!rc) {
		x.end = np_clock_now() + MORE_TIME;
		await_more(&x, np_clock_now());
		rc = ask_listen(wire, &listener, &x.deadline);
	}
	free(x.piece);
	/* What doubles so many answers is no accident on the way. */
	return rc || x.doubled <= x.pieces / 4 + 1 ? rc : -ENOTUNIQ;
}
