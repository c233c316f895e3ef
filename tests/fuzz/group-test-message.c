// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Any bytes read as every native message; what is sound is written again to the same bytes, but for
 * the losses of RESULTS, which are bounded as they are read: those read and written anew stay. */
#include "../../src/group-test/wire/message.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

union any {
	struct message_hello hello;
	struct message_state state;
	struct message_clock clock;
	struct message_refuse refuse;
	struct message_proof proof;
	struct message_table table;
};

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* The length of the message written again, 0 for one that is not sound or is a stream's. */
static size_t again(const uint8_t *data, size_t size, struct message_head *head, uint8_t *out)
{
	static union any m;

	if (message_decode(data, size, head->type, &m))
		return 0;
	return message_encode(out, head, head->type, &m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t out[MESSAGE_CONTROL_MAX];
	struct message_head head;
	size_t bytes;

	if (message_head_decode(data, size, &head) != MESSAGE_NATIVE)
		return 0;
	message_head_encode(out, &head);
	must(!memcmp(out, data, MESSAGE_HEADER_BYTES));
	bytes = again(data, size, &head, out);
	if (bytes && head.type == MESSAGE_RESULTS) {
		static uint8_t mended[MESSAGE_CONTROL_MAX];

		must(bytes == size);
		memcpy(mended, out, bytes);
		must(again(mended, bytes, &head, out) == bytes && !memcmp(out, mended, bytes));
		return 0;
	}
	must(!bytes || (bytes == size && !memcmp(out, data, size)));
	return 0;
}
