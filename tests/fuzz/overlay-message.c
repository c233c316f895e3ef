// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Any bytes read as a message of an overlay, alone and as the beginning of a stream; what is read
 * is written again and is the same, byte by byte. */
#include "../../src/lib/overlay/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* This many bytes of a message always contain its length. */
#define HEAD 66

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* More bytes change nothing in what is known, and the head tells all. */
static void stream(const uint8_t *data, size_t size)
{
	const int64_t wants = overlay_message_bytes(data, size);
	int64_t known = 0;

	must(wants == -EBADMSG || (wants >= 0 && wants <= (int64_t)UINT32_MAX + 128));
	must(wants || size < HEAD);
	for (size_t i = 0; i < size && i <= HEAD; i++) {
		const int64_t now = overlay_message_bytes(data, i);

		must(!known || now == known);
		known = now;
	}
	must(!known || known == wants);
}

static void dt(const uint8_t *data, size_t size)
{
	uint8_t again[OVERLAY_DT_MAX];
	struct overlay_dt read;

	if (overlay_dt_decode(data, size, &read))
		return;
	must(overlay_message_bytes(data, size) == (int64_t)size);
	must(overlay_dt_encode(again, &read) == size && !memcmp(again, data, size));
}

static void spt(const uint8_t *data, size_t size)
{
	uint8_t *again = malloc(size + 1);
	struct overlay_spt read;

	must(again != NULL);
	if (!overlay_spt_decode(data, size, &read)) {
		must(overlay_message_bytes(data, size) == (int64_t)size);
		must(overlay_spt_encode(again, size, &read) == (ssize_t)size);
		must(!memcmp(again, data, size));
		must(overlay_spt_encode(again, size - 1, &read) == -EMSGSIZE);
		must(!overlay_spt_told(&read, 1) || read.senders);
	}
	free(again);
}

static void ol(const uint8_t *data, size_t size)
{
	uint8_t *again = malloc(size + 1);
	struct overlay_ol read;

	must(again != NULL);
	if (!overlay_ol_decode(data, size, &read)) {
		must(overlay_ol_encode(again, size, &read) == (ssize_t)size);
		must(!memcmp(again, data, size));
		must(overlay_ol_encode(again, size - 1, &read) == -EMSGSIZE);
		must(read.extensions <= OVERLAY_EXTENSIONS_MAX);
	}
	free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	stream(data, size);
	dt(data, size);
	spt(data, size);
	ol(data, size);
	return 0;
}
