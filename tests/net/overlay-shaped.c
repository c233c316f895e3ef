// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * overlay-shaped: the UDP of an overlay's node that forwards what it receives: messages come to it
 * in bursts, over loopback, and it sends them on. Says how many copies the kernel accepted.
 *
 * usage: overlay-shaped FROM TO PORT MESSAGES BYTES
 */
#include "../../src/lib/overlay/substrate.h"

#include <err.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netperf/units.h>
#include <netperf/wait.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REALM 0x1234
#define BURST 64
#define LIMIT (120 * NP_SECOND)

struct forwarder {
	struct overlay_substrate substrate;
	struct overlay_address to;
	uint64_t taken;
};

static void forward(void *context, const struct overlay_address *from, const void *message,
		    size_t bytes, np_time at)
{
	struct forwarder *f = context;

	(void)from;
	(void)at;
	f->taken++;
	(void)f->substrate.face->send(&f->substrate, &f->to, message, bytes, OVERLAY_FORWARDED);
}

static struct np_address parse(const char *text, uint16_t port)
{
	struct np_address address;

	if (np_address_parse(&address, text, port))
		errx(2, "%s: no address", text);
	return address;
}

/* Until it took @taken messages and none waits. */
static void run(struct forwarder *f, uint64_t taken, np_time until)
{
	struct overlay_substrate *s = &f->substrate;

	while (f->taken < taken || !s->face->idle(s)) {
		const np_time now = np_clock_now(), due = s->face->deadline(s);
		struct pollfd fd = overlay_substrate_poll(s);

		if (now > until)
			errx(1, "%" PRIu64 " of %" PRIu64 " messages came", f->taken, taken);
		np_wait_ready(&fd, 1, due < until ? due : until);
		while (s->face->turn(s, BURST, np_clock_now()) > 0)
			;
	}
}

static void send_all(struct forwarder *f, uint64_t messages, size_t bytes)
{
	const struct overlay_substrate *s = &f->substrate;
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	const np_time until = np_clock_now() + LIMIT;
	uint8_t *data = calloc(1, bytes);

	if (fd < 0 || !data)
		err(1, "no socket");
	for (uint64_t i = 1; i <= messages; i++) {
		if (sendto(fd, data, bytes, 0, &s->local.any, s->local.length) != (ssize_t)bytes)
			err(1, "send");
		if (i % BURST == 0 || i == messages)
			run(f, i, until);
	}
	free(data);
}

int main(int argc, char **argv)
{
	struct forwarder f = {.substrate = {.context = &f, .take = forward}};
	struct overlay_substrate_plan plan = {
		.realm = REALM,
		.message_max = 8192,
		.message_buffer = 1000,
		.options = {.tos = -1, .ttl = -1},
	};
	uint64_t port, messages, bytes;
	struct np_address peer;
	struct sockaddr_in to;

	if (argc != 6 || np_units_parse_count(argv[3], 1, 65535, &port) ||
	    np_units_parse_count(argv[4], 1, UINT32_MAX, &messages) ||
	    np_units_parse_count(argv[5], 28, 8192, &bytes))
		errx(2, "usage: overlay-shaped FROM TO PORT MESSAGES BYTES");
	plan.local = parse(argv[1], 0);
	peer = parse(argv[2], (uint16_t)port);
	memcpy(&to, &peer.storage, sizeof(to));
	f.to = overlay_address_ipv4(ntohl(to.sin_addr.s_addr), (uint16_t)port, REALM);
	if (overlay_substrate_open(&f.substrate, NP_OVERLAY_UDP, &plan))
		errx(1, "no substrate");
	send_all(&f, messages, (size_t)bytes);
	printf("forwarded=%" PRIu64 " refused=%" PRIu64 " no_room=%" PRIu64 "\n",
	       f.substrate.counts.sent.forwarded, f.substrate.counts.refused.forwarded,
	       f.substrate.counts.no_room.forwarded);
	overlay_substrate_close(&f.substrate);
	return 0;
}
