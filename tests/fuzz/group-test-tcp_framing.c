// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Any byte stream as a connection of a mesh: read in one part and in many it gives the same
 * messages, and ends in the same way. The first byte says how long the parts are, the second how
 * long messages may be.
 */
#include "../../src/group-test/transport/tcp.h"

#include <stdlib.h>

#define ROOM 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct heard {
	uint64_t messages, sum;
	int error;
	bool shaken, unfinished;
	struct identity peer;
};

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void note(struct heard *heard, const struct transport_message *message, size_t longest)
{
	size_t known = message->length < TRANSPORT_HEAD ? message->length : TRANSPORT_HEAD;

	must(message->length && message->length <= longest);
	must(message->bytes >= known && message->bytes <= message->length);
	heard->messages++;
	heard->sum = heard->sum * 31 + message->length;
	for (size_t i = 0; i < known; i++)
		heard->sum = heard->sum * 31 + message->data[i];
}

static int take(struct tcp_framing *framing, struct tcp_framing_input *input, struct heard *heard)
{
	struct transport_message messages[ROOM];
	const uint8_t *before = input->data;
	int count = tcp_framing_take(framing, input, messages, ROOM);

	must(count <= ROOM);
	must(count < 0 || input->data > before); /* or it would never end */
	for (int i = 0; i < count; i++)
		note(heard, &messages[i], framing->longest);
	return count;
}

static struct heard hear(const uint8_t *data, size_t size, size_t step, size_t longest)
{
	struct heard heard = {};
	struct tcp_framing framing;

	framing = (struct tcp_framing){.longest = longest};
	for (size_t at = 0; at < size && heard.error >= 0; at += step) {
		struct tcp_framing_input input = {data + at, size - at < step ? size - at : step,
						  0};

		while (input.bytes && heard.error >= 0)
			heard.error = take(&framing, &input, &heard);
	}
	heard.error = heard.error < 0 ? heard.error : 0;
	heard.shaken = framing.shaken;
	heard.unfinished = !heard.error && tcp_framing_unfinished(&framing);
	if (framing.shaken)
		heard.peer = framing.peer;
	tcp_framing_end(&framing);
	return heard;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct heard whole, parts;
	size_t longest;

	if (size < 2)
		return 0;
	longest = data[1] < 200 ? data[1] + 1U : data[1] * 1000U;
	whole = hear(data + 2, size - 2, size, longest);
	parts = hear(data + 2, size - 2, data[0] + 1U, longest);
	must(whole.messages == parts.messages && whole.sum == parts.sum);
	must(whole.error == parts.error && whole.shaken == parts.shaken);
	must(whole.unfinished == parts.unfinished);
	must(identity_equal(&whole.peer, &parts.peer));
	return 0;
}
