// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * udp-stamps: when UDP datagrams reach an interface, by the kernel's stamps: one line each, in
 * nanoseconds. Says "ready" on stderr; ends after COUNT, or after 30 s with status 1.
 *
 * usage: udp-stamps NETIF PORT LEAST COUNT [FILE]
 *	LEAST	bytes; shorter datagrams are left out
 *	FILE	gets the content of the last one
 */
#include <err.h>
#include <inttypes.h>
#include <linux/if_ether.h>
#include <linux/udp.h>
#include <netinet/ip.h>
#include <netperf/link.h>
#include <netperf/units.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH	      64
#define FRAME_MAX     9100
#define RECEIVE_BYTES (64 << 20)
#define TIMEOUT	      (30 * NP_SECOND)
#define UDP_AT	      (sizeof(struct ethhdr) + sizeof(struct iphdr))
#define BODY_AT	      (UDP_AT + sizeof(struct udphdr))

static uint64_t number(const char *text)
{
	uint64_t value;

	if (np_units_parse_count(text, 0, UINT32_MAX, &value))
		errx(2, "%s: no number", text);
	return value;
}

static unsigned word_at(const struct np_frame *frame, size_t at)
{
	return (unsigned)frame->data[at] << 8 | frame->data[at + 1];
}

/* IPv4 without options, not in fragments. */
static bool wanted(const struct np_frame *frame, uint64_t port, uint64_t least)
{
	return frame->length >= BODY_AT + least && word_at(frame, 12) == ETH_P_IP &&
	       frame->data[14] == 0x45 && frame->data[23] == IPPROTO_UDP &&
	       word_at(frame, UDP_AT + 2) == port;
}

static void keep(const struct np_frame *frame, const char *path)
{
	size_t length = frame->length - BODY_AT;
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(frame->data + BODY_AT, 1, length, file) != length || fclose(file))
		err(2, "%s", path);
}

int main(int argc, char **argv)
{
	const struct np_link_options how = {
		.variant = "ring",
		.frame_bytes = FRAME_MAX,
		.batch = BATCH,
		.receive_bytes = RECEIVE_BYTES,
	};
	const np_time deadline = np_clock_now() + TIMEOUT;
	struct np_frame frames[BATCH];
	uint64_t port, least, left;
	struct np_link *link;

	if (argc < 5)
		errx(2, "usage: udp-stamps NETIF PORT LEAST COUNT [FILE]");
	port = number(argv[2]);
	least = number(argv[3]);
	left = number(argv[4]);
	if (np_link_open(&link, argv[1], &how) || strcmp(np_link_info(link)->stamps, "kernel") != 0)
		errx(2, "%s: cannot be opened with the kernel's stamps", argv[1]);
	fputs("ready\n", stderr);
	while (left && np_clock_now() < deadline) {
		int count = np_link_receive(link, frames, BATCH);

		for (int i = 0; i < count && left; i++) {
			if (!wanted(&frames[i], port, least))
				continue;
			printf("%" PRId64 "\n", frames[i].stamp);
			if (!--left && argc > 5)
				keep(&frames[i], argv[5]);
		}
		if (count <= 0)
			(void)np_link_wait(link, -1, np_clock_now() + NP_SECOND);
	}
	np_link_free(link);
	return left ? 1 : 0;
}
