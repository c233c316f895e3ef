// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * overlay-shaped: three nodes of an overlay in a row, the last one in another network namespace.
 * The first sends to the last in bursts, the one in the middle sends them on. Says how many copies
 * the kernel accepted of it, and how many came to the last one or found its buffer full.
 *
 * usage: overlay-shaped FROM TO NAMESPACE MESSAGES BYTES
 *	FROM	the address of the first two
 *	TO	that of the last one, in NAMESPACE, a file
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netperf/clock.h>
#include <netperf/overlay.h>
#include <netperf/units.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "overlay-opened.h"

#define BURST 64
#define LIMIT (60 * NP_SECOND)
#define NODES 3

enum place { FIRST, MIDDLE, LAST };

struct row {
	struct np_overlay *node[NODES];
	uint64_t delivered; /* to the last one */
	np_time until;
};

static void deliver(void *context, const struct np_overlay_message *message)
{
	struct row *row = context;

	row->delivered += !message->own;
}

static void enter(int namespace)
{
	if (namespace < 0 || setns(namespace, CLONE_NEWNET))
		err(1, "network namespace");
}

static struct np_address parse(const char *text)
{
	struct np_address address;

	if (np_address_parse(&address, text, 0, AF_UNSPEC))
		errx(2, "%s: no address", text);
	return address;
}

/* All ask the one in the middle for the overlay, so that it is opened first. */
static void open_node(struct row *row, enum place place, const char *text,
		      const struct np_address *contact)
{
	const struct np_overlay_listener listener = {row, place == LAST ? deliver : NULL, NULL};
	char node[200];
	const struct overlay_wanted wanted = {
		.protocol = "DTBuddyList",
		.substrate = "udp",
		.local = parse(text),
		.contact = contact,
		.contacts = contact ? 1 : 0,
		.adapter = "<MessageBufferSize>1000</MessageBufferSize>",
		.node = node,
	};

	snprintf(node, sizeof(node),
		 "<Coords><FIXED><coordinate>%d,%d</coordinate></FIXED></Coords>",
		 100 * ((int)place + 1), 100 * ((int)place + 1));
	row->node[place] = overlay_opened(&wanted, &listener);
	np_overlay_join(row->node[place], np_clock_now());
}

static struct np_overlay_stats stats_of(const struct row *row, enum place place)
{
	struct np_overlay_stats stats;

	if (np_overlay_stats(row->node[place], &stats))
		errx(1, "no counts");
	return stats;
}

/* Sleeps until one of them has something to do, and lets them. */
static void turn(struct row *row)
{
	struct pollfd fds[NODES];
	np_time due = row->until;

	if (np_clock_now() > row->until)
		errx(1, "%" PRIu64 " delivered in time", row->delivered);
	for (int i = 0; i < NODES; i++) {
		const np_time deadline = np_overlay_deadline(row->node[i]);

		fds[i] = (struct pollfd){.fd = np_overlay_fd(row->node[i]), .events = POLLIN};
		due = deadline < due ? deadline : due;
	}
	np_wait_ready(fds, NODES, due);
	for (int i = 0; i < NODES; i++) {
		while (np_overlay_turn(row->node[i], BURST, np_clock_now()) > 0)
			;
	}
}

static void send_all(struct row *row, uint64_t messages, size_t bytes)
{
	const struct np_overlay_logical last = np_overlay_logical(row->node[LAST]);
	uint8_t *data = calloc(1, bytes);
	int rc;

	if (!data)
		err(1, "memory");
	for (uint64_t i = 1; i <= messages; i++) {
		while ((rc = np_overlay_send(row->node[FIRST], &last, data, bytes)) == -EAGAIN)
			turn(row);
		if (rc)
			errx(1, "cannot send: %d", rc);
		if (i % BURST && i < messages)
			continue;
		while (stats_of(row, MIDDLE).node.received < i ||
		       !np_overlay_idle(row->node[MIDDLE]))
			turn(row);
	}
	free(data);
}

static uint64_t arrived(const struct row *row)
{
	return row->delivered + stats_of(row, LAST).substrate.kernel_dropped;
}

int main(int argc, char **argv)
{
	const int here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	struct row row = {.until = np_clock_now() + LIMIT};
	struct np_overlay_substrate_counts counts;
	struct np_address contact;
	uint64_t messages, bytes;

	if (argc != 6 || np_units_parse_count(argv[4], 1, UINT32_MAX, &messages) ||
	    np_units_parse_count(argv[5], 1, 8000, &bytes))
		errx(2, "usage: overlay-shaped FROM TO NAMESPACE MESSAGES BYTES");
	open_node(&row, MIDDLE, argv[1], NULL);
	contact = np_overlay_info(row.node[MIDDLE])->local;
	open_node(&row, FIRST, argv[1], &contact);
	enter(open(argv[3], O_RDONLY | O_CLOEXEC));
	open_node(&row, LAST, argv[2], &contact);
	/* A node asks for the disciplines of the namespace that it is in. */
	enter(here);
	while (np_overlay_neighbours(row.node[MIDDLE], NULL, 0) < 2 ||
	       np_overlay_neighbours(row.node[FIRST], NULL, 0) != 1 ||
	       np_overlay_neighbours(row.node[LAST], NULL, 0) != 1)
		turn(&row);
	send_all(&row, messages, (size_t)bytes);
	counts = stats_of(&row, MIDDLE).substrate;
	printf("forwarded=%" PRIu64 " refused=%" PRIu64 " no_room=%" PRIu64 "\n",
	       counts.sent.forwarded, counts.refused.forwarded, counts.no_room.forwarded);
	while (arrived(&row) < messages)
		turn(&row);
	printf("arrived=%" PRIu64 "\n", arrived(&row));
	for (int i = 0; i < NODES; i++)
		np_overlay_free(row.node[i]);
	return 0;
}
