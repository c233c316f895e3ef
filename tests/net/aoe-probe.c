// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * aoe-probe: ask an AoE target odd questions, one printed line an answer, so that two targets can
 * be compared by diff; or fire a burst, or read sectors.
 *
 * aoe-probe NETIF SHELF SLOT                      every question of the table
 * aoe-probe NETIF SHELF SLOT burst COUNT SECTORS  "sent N", and "answered N" when all is quiet
 * aoe-probe NETIF SHELF SLOT read LBA SECTORS     the sectors, raw, on stdout
 * aoe-probe NETIF SHELF SLOT name                 gives the target another config string
 */
#include <arpa/inet.h>
#include <errno.h>
#include <error.h>
#include <limits.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "aoe-questions.h"

enum {
	AOE_TYPE = 0x88a2,
	HEADER = 24,	    // Ethernet and AoE header
	ATA_HEADER = 36,    // and the ATA registers
	SHORT_ANSWER = 60,  // of vblade to ATA without data: bytes 36 to 59 are left-overs
	QUESTION = 0x40000, // tags of the questions; the query sent behind each has the bit clear
	QUIET_MS = 500,
	DEAD_MS = 3000,
};

struct frame {
	size_t len;
	uint8_t byte[65536];
};

struct probe {
	int fd, shelf, slot;
	uint8_t mac[6], target[6];
	int64_t size; // sectors
	uint32_t tag;
	struct frame out, in, answer;
};

static void *put(void *to, const void *from, size_t len)
{
	memcpy(to, from, len);
	return (uint8_t *)to + len;
}

static void put_lba(uint8_t *p, int64_t lba)
{
	for (int i = 0; i < 6; i++, lba >>= 8)
		p[i] = (uint8_t)lba;
}

static void compose(struct probe *probe, const struct question *q)
{
	static const uint8_t everybody[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	const uint8_t *stranger = (const uint8_t *)STRANGER;
	int shelf = q->address == ALL ? 0xffff : probe->shelf + (q->address == OTHER_SHELF);
	int slot = q->address == ALL ? 0xff : probe->slot + (q->address == OTHER_SLOT);
	uint32_t tag = htonl(probe->tag);
	struct frame *f = &probe->out;
	uint8_t *p = f->byte;

	p = put(p,
		q->mac == TO_ALL	? everybody
		: q->mac == TO_STRANGER ? stranger
					: probe->target,
		6);
	p = put(p, q->mac == FROM_STRANGER ? stranger : probe->mac, 6);
	p = put(p, (uint8_t[]){AOE_TYPE >> 8, AOE_TYPE & 0xff, 0x10 ^ q->twist, 0}, 4);
	p = put(p, (uint8_t[]){(uint8_t)(shelf >> 8), (uint8_t)shelf, (uint8_t)slot, q->command},
		4);
	p = put(p, &tag, 4);
	p = put(p, q->head, q->head_len);
	if (q->head_len == sizeof(q->head))
		put_lba(f->byte + 28, q->lba + (q->at_end ? probe->size : 0));
	if (q->tail_len)
		p = put(p, q->tail, q->tail_len);
	memset(p, 0xa5, q->fill);
	f->len = q->cut ? q->cut : (size_t)(p - f->byte) + q->fill;
}

static void transmit(const struct probe *probe)
{
	if (send(probe->fd, probe->out.byte, probe->out.len, 0) != (ssize_t)probe->out.len)
		error(1, errno, "send");
}

static uint32_t tag_of(const struct frame *f)
{
	uint32_t tag;

	memcpy(&tag, f->byte + 20, sizeof(tag));
	return ntohl(tag);
}

/* True when an answer came into probe->in; questions that are looped back do not count. */
static bool receive(struct probe *probe, int timeout_ms)
{
	struct pollfd in = {probe->fd, POLLIN, 0};
	struct frame *f = &probe->in;

	while (poll(&in, 1, timeout_ms) > 0) {
		ssize_t n = recv(probe->fd, f->byte, sizeof(f->byte), 0);

		if (n < 0)
			error(1, errno, "receive");
		f->len = (size_t)n;
		if (f->len >= HEADER && f->byte[14] & 8)
			return true;
	}
	return false;
}

/*
 * Asks, with a plain query behind: a target answers in order, so the answer to the query ends the
 * wait for one to the question, and silence is certain. True when probe->answer was filled.
 */
static bool ask(struct probe *probe, const struct question *q)
{
	static const struct question fence = {"fence", CONFIG(0, "")};
	bool answered = false;

	probe->tag = (probe->tag + 1) | QUESTION;
	compose(probe, q);
	transmit(probe);
	probe->tag &= ~(uint32_t)QUESTION;
	compose(probe, &fence);
	transmit(probe);
	while (receive(probe, DEAD_MS)) {
		if (tag_of(&probe->in) == probe->tag)
			return answered;
		if (tag_of(&probe->in) == (probe->tag | QUESTION)) {
			probe->answer = probe->in;
			answered = true;
		}
	}
	error(1, 0, "%s: the target is dead", q->name);
	return false;
}

/* What may differ between two equal targets is not looked at. */
static bool is_masked(const struct question *q, const struct frame *f, size_t at)
{
	bool ata = q->command == 0;

	// vblade never sets the error register of a flush
	return (ata && f->len == SHORT_ANSWER && at >= ATA_HEADER) ||
	       (ata && q->head[3] == ATA_FLUSH && at == 25);
}

static void print_bytes(const struct question *q, const struct frame *f, size_t from, size_t to)
{
	size_t run;

	for (size_t i = from; i < to; i += run) {
		bool masked = is_masked(q, f, i);

		for (run = 1; i + run < to; run++)
			if (is_masked(q, f, i + run) != masked ||
			    (!masked && f->byte[i + run] != f->byte[i]))
				break;
		if (masked)
			printf(" --");
		else
			printf(" %02x", f->byte[i]);
		if (run > 1)
			printf("x%zu", run);
	}
}

static const char *mac_name(const struct probe *probe, const uint8_t *mac)
{
	if (!memcmp(mac, probe->mac, 6))
		return "me";
	if (!memcmp(mac, probe->target, 6))
		return "target";
	return memcmp(mac, STRANGER, 6) ? "unknown" : "stranger";
}

static void print_answer(const struct probe *probe, const struct question *q)
{
	const struct frame *f = &probe->answer;
	const uint8_t *b = f->byte;

	printf("%zu bytes, %s to %s, version %d flags %x error %d, e%d.%d command %d:", f->len,
	       mac_name(probe, b + 6), mac_name(probe, b), b[14] >> 4, b[14] & 15, b[15],
	       b[16] << 8 | b[17], b[18], b[19]);
	if (b[19] == 0 && f->len >= ATA_HEADER)
		printf(" aflags %02x count %d status %02x,", b[24], b[26], b[27]);
	print_bytes(q, f, HEADER, f->len);
	putchar('\n');
}

static void ask_all(struct probe *probe)
{
	size_t n = sizeof(questions) / sizeof(questions[0]);

	for (size_t i = 0; i < n; i++) {
		printf("%s: ", questions[i].name);
		if (ask(probe, &questions[i]))
			print_answer(probe, &questions[i]);
		else
			puts("silence");
	}
	printf("%zu questions\n", n);
}

/* Reads to everybody, one behind the other without waiting; then counts what comes back. */
static void burst(struct probe *probe, long count, long sectors)
{
	struct question q = {"read", ATA(ATA_READ, (uint8_t)sectors, 0x40), .mac = TO_ALL};
	long answered = 0;

	for (long i = 0; i < count; i++) {
		probe->tag++;
		compose(probe, &q);
		transmit(probe);
	}
	printf("sent %ld\n", count);
	fflush(stdout);
	while (answered < count && receive(probe, answered ? QUIET_MS : DEAD_MS))
		answered++;
	printf("answered %ld\n", answered);
}

static void read_sectors(struct probe *probe, long lba, long sectors)
{
	struct question q = {"read", ATA(ATA_READ, (uint8_t)sectors, 0x40), .lba = lba};
	const struct frame *f = &probe->answer;

	if (!ask(probe, &q) || f->byte[14] & 4 || f->byte[27] & 1)
		error(1, 0, "read of %ld sectors at %ld failed", sectors, lba);
	fwrite(f->byte + ATA_HEADER, 1, f->len - ATA_HEADER, stdout);
}

/* Finds the target's address and its size. */
static void name_it(struct probe *probe)
{
	static const struct question name = {"name", CONFIG(4, "another")};

	if (!ask(probe, &name))
		error(1, 0, "no answer");
}

static void meet(struct probe *probe)
{
	static const struct question hello = {"hello", CONFIG(0, ""), .mac = TO_ALL};
	static const struct question identify = {"identify", ATA(ATA_IDENTIFY, 1, 0)};

	compose(probe, &hello);
	transmit(probe);
	if (!receive(probe, DEAD_MS))
		error(1, 0, "e%d.%d does not answer", probe->shelf, probe->slot);
	memcpy(probe->target, probe->in.byte + 6, 6);
	if (!ask(probe, &identify))
		error(1, 0, "e%d.%d does not identify", probe->shelf, probe->slot);
	for (int i = 5; i >= 0; i--) // words 100 to 102, little-endian
		probe->size = probe->size << 8 | probe->answer.byte[ATA_HEADER + 200 + i];
}

static void open_link(struct probe *probe, const char *netif)
{
	struct sockaddr_ll at = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(AOE_TYPE),
		.sll_ifindex = (int)if_nametoindex(netif),
	};
	socklen_t len = sizeof(at);
	int room = 4 << 20;

	probe->fd = socket(AF_PACKET, SOCK_RAW, htons(AOE_TYPE));
	if (probe->fd < 0 || !at.sll_ifindex || bind(probe->fd, (struct sockaddr *)&at, len) ||
	    getsockname(probe->fd, (struct sockaddr *)&at, &len) ||
	    setsockopt(probe->fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room)))
		error(2, errno, "%s", netif);
	memcpy(probe->mac, at.sll_addr, 6);
}

static long number(const char *text, long min, long max)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (end == text || *end || n < min || n > max)
		error(2, 0, "%s: not a number from %ld to %ld", text, min, max);
	return n;
}

int main(int argc, char **argv)
{
	struct probe probe = {.tag = 0x80000000};
	const char *what = argc == 7 || argc == 5 ? argv[4] : "";

	if (argc != 4 && strcmp(what, argc == 5 ? "name" : "burst") &&
	    strcmp(what, argc == 5 ? "name" : "read"))
		error(2, 0,
		      "usage: NETIF SHELF SLOT [burst COUNT SECTORS | read LBA SECTORS | name]");
	probe.shelf = (int)number(argv[2], 0, 65534);
	probe.slot = (int)number(argv[3], 0, 254);
	open_link(&probe, argv[1]);
	if (*what == 'b') {
		burst(&probe, number(argv[5], 1, 100000), number(argv[6], 1, 127));
	} else {
		meet(&probe);
		if (*what == 'r')
			read_sectors(&probe, number(argv[5], 0, LONG_MAX), number(argv[6], 1, 127));
		else if (*what == 'n')
			name_it(&probe);
		else
			ask_all(&probe);
	}
	return fflush(stdout) ? 1 : 0;
}
