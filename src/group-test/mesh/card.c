// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* card: the identity, the port of the group, big-endian, and a bit for each rank. */
#include "card.h"

#include <errno.h>

#define PORT sizeof(struct identity)
#define BITS (PORT + 2)

void card_write(const struct card *card, uint8_t out[CARD_BYTES])
{
	memset(out, 0, CARD_BYTES);
	memcpy(out, &card->who, sizeof(card->who));
	out[PORT] = (uint8_t)(card->port >> 8);
	out[PORT + 1] = (uint8_t)card->port;
	for (unsigned i = 0; i < MEMBERS_MAX; i++) {
		if (card->member[i])
			out[BITS + i / 8] |= (uint8_t)(1u << i % 8);
	}
}

int card_read(struct card *card, const void *data, size_t bytes)
{
	const uint8_t *in = data;

	*card = (struct card){0};
	if (!data || bytes != CARD_BYTES)
		return -EBADMSG;
	memcpy(&card->who, in, sizeof(card->who));
	card->port = (uint16_t)(in[PORT] << 8 | in[PORT + 1]);
	for (unsigned i = 0; i < MEMBERS_MAX; i++)
		card->member[i] = in[BITS + i / 8] >> i % 8 & 1;
	return 0;
}

bool card_is_first(const struct card *card, uint32_t own, uint32_t size)
{
	for (uint32_t i = size; i < MEMBERS_MAX; i++) {
		if (card->member[i])
			return false;
	}
	return own < MEMBERS_MAX && card->member[0] && card->member[own];
}

bool card_has_place(const struct card *card)
{
	return card->who.port[0] || card->who.port[1];
}
