// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * drops-count: counts by the library what its host drops of some packets, until its stdin ends.
 *
 * usage: drops-count in|out udp|tcp LOCAL PEER|- [buffer=BYTES|gro|none] [payload=HEX]
 *        drops-count in|out aoe MAC|- MAC|-
 *	buffer=	opens the UDP socket LOCAL with that receive buffer and does not read from it; gro:
 *		takes merged packets
 *	payload=	only packets whose payload begins with these bytes
 * Says "ready", and at the end a line "DIRECTION REASON PLACE PACKETS" for each kind, and "exact N"
 * or "doubt N WHY", the same as text, and with a socket "held BYTES". Exit status 77 where nothing
 *can be counted.
 */
#include <arpa/inet.h>
#include <err.h>
#include <inttypes.h>
#include <netinet/udp.h>
#include <netperf/drops.h>
#include <netperf/process.h>
#include <netperf/units.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void set_payload(struct np_drops_packets *packets, const char *hex)
{
	for (unsigned value; *hex && sscanf(hex, "%2x", &value) == 1; hex += 2) {
		packets->payload_value[packets->payload_bytes] = (uint8_t)value;
		packets->payload_mask[packets->payload_bytes++] = 0xff;
	}
}

static int socket_of(const struct np_address *local, const char *buffer)
{
	int fd = socket(local->any.sa_family, SOCK_DGRAM, 0), one = 1;
	int bytes = atoi(buffer);

	/* Several members of a group on one host. */
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(fd, &local->any, local->length))
		err(2, "bind");
	if (!strcmp(buffer, "gro")) {
		if (setsockopt(fd, IPPROTO_UDP, UDP_GRO, &one, sizeof(one)))
			err(2, "UDP_GRO");
		bytes = 1;
	}
	if (bytes && setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes)))
		err(2, "SO_RCVBUF");
	return fd;
}

static const uint8_t *mac_of(const char *text, uint8_t mac[6])
{
	if (!strcmp(text, "-"))
		return NULL;
	if (sscanf(text, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", mac, mac + 1, mac + 2, mac + 3, mac + 4,
		   mac + 5) != 6)
		errx(2, "%s: no MAC address", text);
	return mac;
}

static const struct np_address *address_of(const char *text, struct np_address *address)
{
	if (!strcmp(text, "-"))
		return NULL;
	if (np_address_parse(address, text, 0, AF_UNSPEC))
		errx(2, "%s: no address", text);
	return address;
}

static void print(const struct np_drops_counts *counts)
{
	char text[NP_DROPS_TEXT];

	for (unsigned i = 0; i < counts->entries; i++)
		printf("%s %s %s %" PRIu64 "\n",
		       counts->entry[i].direction == NP_DROPS_OUT ? "out" : "in",
		       counts->entry[i].reason, counts->entry[i].place, counts->entry[i].packets);
	if (counts->exact)
		printf("exact %" PRIu64 "\n", counts->packets);
	else
		printf("doubt %" PRIu64 " %s\n", counts->packets, counts->doubt);
	puts(np_drops_format(counts, NULL, text));
}

/* The bytes that wait in the buffer. */
static void print_held(int fd)
{
	static char data[65536];
	size_t held = 0;
	ssize_t bytes;

	while ((bytes = recv(fd, data, sizeof(data), MSG_DONTWAIT)) >= 0)
		held += (size_t)bytes;
	printf("held %zu\n", held);
}

int main(int argc, char **argv)
{
	struct np_drops_packets packets = {.socket = -1};
	static struct np_address local, peer;
	static struct np_drops_counts counts;
	uint8_t macs[2][6];
	char byte;
	const struct np_log log = {.program = "SKIP", .stream = stdout};
	struct np_drops *drops;

	if (argc < 5)
		errx(2,
		     "usage: drops-count in|out udp|tcp|aoe LOCAL PEER [buffer=...] [payload=...]");
	if (np_drops_begin(&drops, NP_DROPS_REQUIRE, &log))
		return 77;
	packets.direction = strcmp(argv[1], "out") ? NP_DROPS_IN : NP_DROPS_OUT;
	packets.protocol = !strcmp(argv[2], "aoe")   ? NP_DROPS_AOE
			   : !strcmp(argv[2], "tcp") ? NP_DROPS_TCP
						     : NP_DROPS_UDP;
	if (packets.protocol == NP_DROPS_AOE) {
		packets.local_mac = mac_of(argv[3], macs[0]);
		packets.peer_mac = mac_of(argv[4], macs[1]);
	} else {
		packets.local = address_of(argv[3], &local);
		packets.peer = address_of(argv[4], &peer);
	}
	for (int i = 5; i < argc; i++) {
		if (!strncmp(argv[i], "buffer=", 7) && strcmp(argv[i] + 7, "none"))
			packets.socket = socket_of(&local, argv[i] + 7);
		else if (!strncmp(argv[i], "payload=", 8))
			set_payload(&packets, argv[i] + 8);
	}
	/* As a program does: what was opened before counts on. */
	if (np_privilege_drop())
		errx(2, "cannot drop the privileges");
	if (np_drops_watch(drops, &packets) < 0)
		errx(2, "cannot watch");
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	if (np_drops_update(drops))
		errx(1, "cannot read the counts");
	np_drops_count(drops, NP_DROPS_ALL, NULL, &counts);
	print(&counts);
	if (packets.socket >= 0)
		print_held(packets.socket);
	np_drops_free(drops);
	return 0;
}
