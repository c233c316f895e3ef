/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* message_ol: what decoding and delimiting an overlay message share. */
#ifndef OVERLAY_MESSAGE_OL_H
#define OVERLAY_MESSAGE_OL_H

#include "message.h"

#define OL_FIRST   (OVERLAY_MESSAGE_OL << 4)
#define OL_VERSION 3
#define OL_FIXED   11 /* bytes before the addresses */

static inline bool ol_mode_known(unsigned mode)
{
	return mode >= OVERLAY_MULTICAST && mode <= OVERLAY_UNICAST;
}

static inline bool ol_size_known(unsigned size)
{
	return size == 4 || size == OVERLAY_POINT_BYTES || size == OVERLAY_LOGICAL_BYTES;
}

/* A length of @width bytes. */
static inline uint32_t ol_get_length(const uint8_t *at, unsigned width)
{
	uint32_t length = 0;

	while (width--)
		length = length << 8 | *at++;
	return length;
}

#endif
