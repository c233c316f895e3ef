/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* card: what ranks tell each other before there is a group, as bytes. Pure. */
#ifndef GROUP_TEST_MESH_CARD_H
#define GROUP_TEST_MESH_CARD_H

#include "../member/member.h"

struct card {
	struct identity who; /* all zeros: the rank has no transport yet */
	/* What rank 0 decides for all; other ranks' are not read. */
	uint16_t port;		  /* of the multicast group; 0: none was drawn */
	bool member[MEMBERS_MAX]; /* whether the rank takes part */
};

#define CARD_BYTES (sizeof(struct identity) + 2 + MEMBERS_MAX / 8)

void card_write(const struct card *card, uint8_t out[CARD_BYTES]);

/* Returns 0, or -EBADMSG: no card. */
int card_read(struct card *card, const void *data, size_t bytes);

/* Whether it can be rank 0's: rank 0 and @own take part, and no rank from @size on. */
bool card_is_first(const struct card *card, uint32_t own, uint32_t size);

/* Whether it says where its rank is. */
bool card_has_place(const struct card *card);

#endif
