// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Any byte stream as a connection between overlay nodes: read in one part and in many it gives the
 * same messages, and ends in the same way; memory follows what has come. The first byte says how
 * long the parts are, the second how long messages may be.
 */
#include "../../src/lib/overlay/message.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct heard {
	uint64_t messages, sum;
	int error;
};

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void note(struct heard *heard, const struct overlay_delimited *message, size_t longest)
{
	must(message->bytes && message->bytes <= longest);
	must(overlay_message_bytes(message->message, message->bytes) == (int64_t)message->bytes);
	heard->messages++;
	heard->sum = heard->sum * 31 + message->port;
	for (size_t i = 0; i < message->bytes; i++)
		heard->sum = heard->sum * 31 + message->message[i];
}

static struct heard hear(const uint8_t *data, size_t size, size_t step, size_t longest)
{
	struct buffer in = {0};
	struct overlay_delimited message;
	struct heard heard = {0};
	size_t at = 0;

	while (at < size && heard.error >= 0) {
		size_t part = size - at < step ? size - at : step;

		must(!buffer_reserve(&in, 1) && in.end < in.room);
		part = part < in.room - in.end ? part : in.room - in.end;
		memcpy(in.data + in.end, data + at, part);
		in.end += part;
		at += part;
		while ((heard.error = overlay_delimited_next(&in, longest, &message)) == 1)
			note(&heard, &message, longest);
		must(in.room <= 65536 || in.room <= 4 * size);
	}
	buffer_free(&in);
	return heard;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct heard whole, parts;
	size_t longest;

	if (size < 2)
		return 0;
	longest = data[1] < 200 ? data[1] + 40U : data[1] * 1000U;
	whole = hear(data + 2, size - 2, size, longest);
	parts = hear(data + 2, size - 2, data[0] + 1U, longest);
	must(whole.messages == parts.messages && whole.sum == parts.sum);
	must(whole.error == parts.error);
	return 0;
}
