// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * frame-send: sends an Ethernet frame again and again, as it is given, tags and all.
 *
 * usage: frame-send DEVICE COUNT HEX
 */
#include <err.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netperf/units.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define PAUSE_EACH 64

int main(int argc, char **argv)
{
	static const struct timespec pause = {.tv_nsec = 1000000};
	struct sockaddr_ll to = {.sll_family = AF_PACKET, .sll_halen = ETH_ALEN};
	unsigned char frame[ETH_FRAME_LEN] = {0};
	size_t bytes = 0;
	uint64_t count;
	int fd;

	if (argc != 4 || np_units_parse_count(argv[2], 1, 1000000, &count))
		errx(2, "usage: frame-send DEVICE COUNT HEX");
	for (const char *hex = argv[3]; *hex; hex += 2)
		if (bytes == sizeof(frame) || sscanf(hex, "%2hhx", &frame[bytes++]) != 1 || !hex[1])
			errx(2, "%s: no frame", argv[3]);
	if (bytes < ETH_ZLEN)
		bytes = ETH_ZLEN;
	to.sll_ifindex = (int)if_nametoindex(argv[1]);
	memcpy(&to.sll_protocol, frame + 12, sizeof(to.sll_protocol));
	fd = socket(AF_PACKET, SOCK_RAW, 0);
	if (fd < 0 || !to.sll_ifindex)
		err(1, "%s", argv[1]);
	for (uint64_t i = 0; i < count; i++) {
		/* What a filter of this host drops is not sent again. */
		if (sendto(fd, frame, bytes, 0, (struct sockaddr *)&to, sizeof(to)) < 0 &&
		    errno != ENOBUFS)
			err(1, "send");
		if (i % PAUSE_EACH == PAUSE_EACH - 1)
			nanosleep(&pause, NULL);
	}
	return 0;
}
