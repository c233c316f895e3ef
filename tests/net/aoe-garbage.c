// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * aoe-garbage: a target that answers queries and IDENTIFY as it should, but reads or writes with
 * garbage: of one kind, or of a mix of all by a seeded generator. SIGTERM ends it; then it prints
 * one line "KIND COUNT" for each kind.
 *
 * aoe-garbage NETIF SHELF SLOT read|write KIND|mix SEED
 */
#include "../unit/ata_identity.h"

#include <errno.h>
#include <error.h>
#include <inttypes.h>
#include <netperf/link.h>
#include <netperf/pattern.h>
#include <netperf/process.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	SECTORS = 4096,
	FRAME_MAX = 1514,
	SHORT_ANSWER = 60,
	ETHERNET_HEADER = 14,
	OLD_TAGS = 64,
	FLOOD = 50,
};

struct answer {
	size_t length;
	uint8_t byte[FRAME_MAX];
	unsigned copies;
};

struct garbage {
	struct np_link *link;
	struct np_signals *signals;
	uint16_t shelf;
	uint8_t slot;
	bool write;
	size_t kind;
	uint64_t state; /* of the generator */
	uint32_t old_tag[OLD_TAGS];
	unsigned answered;
};

/* splitmix64 */
static uint64_t dice(struct garbage *g)
{
	uint64_t z = g->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static void scatter(struct garbage *g, uint8_t *at, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = (uint8_t)dice(g);
}

static void good(struct garbage *g, struct answer *a)
{
	(void)g;
	(void)a;
}

static void silence(struct garbage *g, struct answer *a)
{
	(void)g;
	a->copies = 0;
}

/* Anything from the Ethernet header alone to one byte too few. */
static void cut(struct garbage *g, struct answer *a)
{
	size_t needed = g->write ? NP_AOE_ATA_BYTES : a->length;

	a->length = ETHERNET_HEADER + dice(g) % (needed - ETHERNET_HEADER);
}

static void tag(struct garbage *g, struct answer *a)
{
	(void)g;
	a->byte[21] ^= 0x40; /* millions of requests away, and still of this run */
}

/* The tag of a request of long ago, or one that was not answered. */
static void old(struct garbage *g, struct answer *a)
{
	memcpy(a->byte + 20, &g->old_tag[dice(g) % OLD_TAGS], 4);
}

static void command(struct garbage *g, struct answer *a)
{
	a->byte[19] = (uint8_t)(1 + dice(g) % 255);
}

static void refusal(struct garbage *g, struct answer *a)
{
	a->byte[14] |= NP_AOE_FLAG_ERROR;
	a->byte[15] = (uint8_t)dice(g);
	a->length = SHORT_ANSWER;
}

static void status(struct garbage *g, struct answer *a)
{
	a->byte[25] = (uint8_t)dice(g);
	a->byte[27] = (uint8_t)(dice(g) | 1);
	a->length = NP_AOE_ATA_BYTES;
}

static void address(struct garbage *g, struct answer *a)
{
	a->byte[16 + dice(g) % 3] ^= (uint8_t)(1 + dice(g) % 255);
}

static void stranger(struct garbage *g, struct answer *a)
{
	a->byte[6 + dice(g) % 6] ^= (uint8_t)(2 + dice(g) % 254);
}

static void version(struct garbage *g, struct answer *a)
{
	a->byte[14] = (uint8_t)(dice(g) << 4 | NP_AOE_FLAG_RESPONSE);
}

/* Counts beyond all that was asked for, and a frame as long as the MTU lets. */
static void huge(struct garbage *g, struct answer *a)
{
	a->byte[26] = 0xff;
	scatter(g, a->byte + a->length, FRAME_MAX - a->length);
	a->length = FRAME_MAX;
}

static void twice(struct garbage *g, struct answer *a)
{
	(void)g;
	a->copies = 2;
}

static void flood(struct garbage *g, struct answer *a)
{
	(void)g;
	a->copies = FLOOD;
}

static void data(struct garbage *g, struct answer *a)
{
	scatter(g, a->byte + NP_AOE_ATA_BYTES, a->length - NP_AOE_ATA_BYTES);
}

/* Anything at all behind the addresses and the type. */
static void noise(struct garbage *g, struct answer *a)
{
	a->length = ETHERNET_HEADER + dice(g) % (FRAME_MAX - ETHERNET_HEADER + 1);
	scatter(g, a->byte + ETHERNET_HEADER, a->length - ETHERNET_HEADER);
}

/* Random registers and data behind a good header. */
static void body(struct garbage *g, struct answer *a)
{
	scatter(g, a->byte + NP_AOE_HEADER_BYTES, a->length - NP_AOE_HEADER_BYTES);
}

/* Of 1000 answers 18 take 4 ms, one 60 ms and one 150 ms. */
static void slow(struct garbage *g, struct answer *a)
{
	const unsigned n = g->answered++ % 1000;
	long ms = 0;

	(void)a;
	if (n == 700)
		ms = 60;
	else if (n == 600)
		ms = 150;
	else if (n % 50 == 17 && n / 50 < 18)
		ms = 4;
	if (ms)
		nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static const struct {
	const char *name;
	void (*spoil)(struct garbage *g, struct answer *a);
} kinds[] = {
	{"good", good},		{"silence", silence}, {"cut", cut},	    {"tag", tag},
	{"old", old},		{"command", command}, {"refusal", refusal}, {"status", status},
	{"address", address},	{"huge", huge},	      {"twice", twice},	    {"flood", flood},
	{"stranger", stranger}, {"version", version}, {"data", data},	    {"noise", noise},
	{"body", body},		{"slow", slow},
};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

static void send_answer(struct garbage *g, struct answer *a)
{
	struct np_frame frame = {.data = a->byte, .length = a->length};

	for (unsigned i = 0; i < a->copies; i++)
		np_link_send(g->link, &frame, 1);
}

static void answer_query(struct garbage *g, struct np_aoe_header *header)
{
	static const struct np_aoe_config config = {
		.buffer_count = 64,
		.firmware = 1,
		.sector_count = 2,
		.version = 1,
	};
	struct answer a = {.copies = 1};

	a.length = (size_t)np_aoe_config_encode(a.byte, sizeof(a.byte), header, &config);
	send_answer(g, &a);
}

static void answer_identify(struct garbage *g, struct np_aoe_header *header)
{
	static const struct np_ata_identity identity = {
		.serial = "garbage",
		.firmware = "1",
		.model = "a target that answers garbage",
		.sectors = SECTORS,
		.extended = true,
	};
	const struct np_aoe_ata ata = {.command = 0x40};
	struct answer a = {.copies = 1};

	a.length = (size_t)np_aoe_ata_encode(a.byte, sizeof(a.byte), header, &ata);
	ata_identity_encode(a.byte + a.length, &identity);
	a.length += 512;
	send_answer(g, &a);
}

/* The proper answer: stamped sectors to a read, padding behind a write's. */
static void answer_io(struct garbage *g, struct np_aoe_header *header,
		      const struct np_aoe_ata *asked, uint64_t *counts)
{
	bool write = asked->flags & NP_AOE_ATA_WRITE;
	const struct np_aoe_ata ata = {.flags = asked->flags, .command = 0x40, .lba = asked->lba};
	struct answer a = {.copies = 1};
	size_t kind = write == g->write ? g->kind : 0;

	a.length = (size_t)np_aoe_ata_encode(a.byte, sizeof(a.byte), header, &ata);
	if (write) {
		a.length = SHORT_ANSWER;
	} else {
		np_pattern_write(&(struct np_pattern){0}, a.byte + a.length, asked->lba,
				 asked->count & 3);
		a.length += (asked->count & 3) * (size_t)NP_AOE_SECTOR_BYTES;
	}
	if (kind == KINDS)
		kind = dice(g) % (KINDS - 1); /* not slow */
	memcpy(&g->old_tag[dice(g) % OLD_TAGS], a.byte + 20, 4);
	kinds[kind].spoil(g, &a);
	counts[kind] += write == g->write;
	send_answer(g, &a);
}

static void answer(struct garbage *g, const struct np_frame *frame, uint64_t *counts)
{
	struct np_aoe_header header;
	struct np_aoe_ata ata;

	if (np_aoe_header_decode(frame->data, frame->length, &header) ||
	    header.flags & NP_AOE_FLAG_RESPONSE)
		return;
	memcpy(header.destination, header.source, sizeof(header.destination));
	memcpy(header.source, np_link_info(g->link)->mac, sizeof(header.source));
	header.flags |= NP_AOE_FLAG_RESPONSE;
	header.shelf = g->shelf;
	header.slot = g->slot;
	if (header.command == NP_AOE_CONFIG)
		answer_query(g, &header);
	else if (header.command == NP_AOE_ATA &&
		 !np_aoe_ata_decode(frame->data, frame->length, &ata)) {
		if (ata.command == NP_ATA_IDENTIFY)
			answer_identify(g, &header);
		else
			answer_io(g, &header, &ata, counts);
	}
}

static void serve(struct garbage *g)
{
	uint64_t counts[KINDS] = {0};
	struct np_frame frame[16];

	puts("listening");
	fflush(stdout);
	while (!(np_signals_take(g->signals) & NP_SIGNALS_STOP)) {
		int n = np_link_receive(g->link, frame, 16);

		if (n < 0)
			error(1, -n, "receive");
		for (int i = 0; i < n; i++)
			answer(g, &frame[i], counts);
		if (!n)
			np_link_wait(g->link, np_signals_fd(g->signals), NP_TIME_NEVER);
	}
	for (size_t i = 0; i < KINDS; i++)
		printf("%s %" PRIu64 "\n", kinds[i].name, counts[i]);
}

int main(int argc, char **argv)
{
	const struct np_link_options options = {
		.variant = "socket",
		.ethertype = NP_AOE_ETHERTYPE,
		.frame_bytes = FRAME_MAX,
		.batch = 16,
		.receive_bytes = 1 << 20,
	};
	struct garbage g = {0};
	int rc;

	if (argc != 7)
		error(2, 0, "usage: NETIF SHELF SLOT read|write KIND|mix SEED");
	g.shelf = (uint16_t)strtoul(argv[2], NULL, 10);
	g.slot = (uint8_t)strtoul(argv[3], NULL, 10);
	g.write = !strcmp(argv[4], "write");
	while (g.kind < KINDS && strcmp(argv[5], kinds[g.kind].name))
		g.kind++;
	if (g.kind == KINDS && strcmp(argv[5], "mix"))
		error(2, 0, "%s: no such kind", argv[5]);
	g.state = strtoull(argv[6], NULL, 10);
	rc = np_signals_open(&g.signals);
	if (!rc)
		rc = np_signals_start(g.signals);
	if (!rc)
		rc = np_link_open(&g.link, argv[1], &options);
	if (rc)
		error(2, -rc, "%s", argv[1]);
	serve(&g);
	np_link_free(g.link);
	np_signals_free(g.signals);
	return fflush(stdout) ? 1 : 0;
}
