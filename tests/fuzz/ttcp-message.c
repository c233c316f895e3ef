// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Any bytes read as a message of ttcp, alone and as the begin of a stream; what is read is written
 * again and is the same. */
#include "../../src/ttcp/wire/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void stream(const uint8_t *data, size_t size)
{
	const int64_t wants = message_size(data, size);
	struct message message, alone;
	const int64_t next = message_next(data, size, &message);

	must(next <= 0 || next == wants);
	if (wants <= 0)
		must(next == wants);
	else if ((uint64_t)wants <= size)
		must(next == (message_decode(data, (size_t)wants, &alone) ? -EBADMSG : wants));
	else
		must(data[4] == MESSAGE_DATA ? next == wants || next == -EBADMSG : next == 0);
	must(wants <= 0 || (wants >= MESSAGE_HEADER_BYTES && wants <= MESSAGE_DATA_MAX));
	must(wants < 0 || message_is_ours(data, size) || !size);
	must(wants != 0 || size < MESSAGE_HEADER_BYTES);
}

static void data_again(const uint8_t *data, size_t size, const struct message *message)
{
	uint8_t again[MESSAGE_HEADER_BYTES];

	message_encode_data(again, message, (uint32_t)size);
	must(!memcmp(again, data, sizeof(again)));
}

static void control_again(const uint8_t *data, size_t size, const struct message *message)
{
	uint8_t first[MESSAGE_CONTROL_MAX], second[MESSAGE_CONTROL_MAX];
	struct message back;
	size_t wrote = message_encode(first, message);

	/* An older version's REPORT is shorter than ours. */
	must((wrote <= size || message->type == MESSAGE_REPORT) && wrote <= MESSAGE_CONTROL_MAX);
	must(!message_decode(first, wrote, &back));
	must(message_encode(second, &back) == wrote && !memcmp(first, second, wrote));
	must(message->type == MESSAGE_REPORT || !memcmp(first, data, 32));
	if (message->type == MESSAGE_START)
		must(memchr(message->start.session, 0, MESSAGE_SESSION_MAX) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct message message;

	if (size > UINT16_MAX)
		return 0;
	stream(data, size);
	if (message_decode(data, size, &message))
		return 0;
	must(message.size == size && message.run && message.stream < MESSAGE_STREAMS_MAX);
	if (message.type == MESSAGE_DATA)
		data_again(data, size, &message);
	else
		control_again(data, size, &message);
	return 0;
}
