// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* message: how long a message in a stream is. */
#include "message.h"

#include "message_ol.h"

#include <errno.h>
#include <netperf/field.h>

/* The message's length is in the extension that says that it is long. */
static int64_t long_bytes(const uint8_t *data, size_t bytes, size_t addresses)
{
	const size_t at = OL_FIXED + addresses;
	uint64_t total;
	unsigned width;

	if (bytes < at + 3)
		return 0;
	width = data[at + 2];
	if (data[at + 1] != 1 || width < 1 || width > 4)
		return -EBADMSG;
	if (bytes < at + 3 + width)
		return 0;
	total = ol_get_length(data + at + 3, width);
	return (int64_t)(at + 3 + width + total);
}

static int64_t ol_bytes(const uint8_t *data, size_t bytes)
{
	const unsigned mode = bytes > 1 ? data[1] & 0xf : 0;
	size_t addresses;

	if (bytes > 1 && (data[1] >> 4 != OL_VERSION || !ol_mode_known(mode)))
		return -EBADMSG;
	if (bytes < OL_FIXED)
		return 0;
	if (!ol_size_known(data[10]))
		return -EBADMSG;
	addresses = (size_t)data[10] * (mode == OVERLAY_UNICAST ? 3 : 2);
	if (data[9] == OVERLAY_EXTENSION_LONG)
		return long_bytes(data, bytes, addresses);
	return (int64_t)(OL_FIXED + addresses + np_field_get16(data + 5));
}

int64_t overlay_message_bytes(const void *message, size_t bytes)
{
	const uint8_t *data = message;

	if (!bytes)
		return 0;
	if (data[0] == OL_FIRST)
		return ol_bytes(data, bytes);
	if (data[0] >> 4 != OVERLAY_MESSAGE_DT && data[0] >> 4 != OVERLAY_MESSAGE_SPT)
		return -EBADMSG;
	return bytes < 3 ? 0 : 3 + np_field_get16(data + 1);
}
