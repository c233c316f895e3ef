// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* tcp_framing: splits a byte stream into the handshake and messages. */
#include "tcp_framing.h"

#include <errno.h>
#include <netperf/field.h>
#include <stdlib.h>

void tcp_framing_begin(struct tcp_framing *framing, size_t longest)
{
	*framing = (struct tcp_framing){.longest = longest};
}

void tcp_framing_end(struct tcp_framing *framing)
{
	free(framing->part);
	framing->part = NULL;
}

static void move_on(struct tcp_framing_input *input, size_t bytes)
{
	input->data += bytes;
	input->bytes -= bytes;
}

/* Moves bytes into the head until it has @wanted of them; false if there are too few. */
static bool fill_head(struct tcp_framing *f, struct tcp_framing_input *input, size_t wanted)
{
	size_t missing = wanted - f->head_bytes;

	if (missing > input->bytes)
		missing = input->bytes;
	memcpy(f->head + f->head_bytes, input->data, missing);
	f->head_bytes += missing;
	move_on(input, missing);
	return f->head_bytes == wanted;
}

/* Byte by byte, since only the bytes so far show how long the handshake is. */
static int shake(struct tcp_framing *f, struct tcp_framing_input *input)
{
	int length = 0;

	while (input->bytes && !length && f->head_bytes < sizeof(f->head)) {
		fill_head(f, input, f->head_bytes + 1);
		length = jgroups_handshake_decode(f->head, f->head_bytes, &f->peer);
	}
	if (length < 0)
		return length;
	if (!length)
		return f->head_bytes < sizeof(f->head) ? 0 : -EPROTO;
	f->shaken = true;
	f->head_bytes = 0;
	return 0;
}

/* Collects the complete messages. A bad length is left to collect(). */
static unsigned take_whole(const struct tcp_framing *f, struct tcp_framing_input *input,
			   struct transport_message *messages, unsigned room)
{
	const uint8_t *at = input->data, *end = at + input->bytes;
	unsigned count = 0;

	while (count < room && end - at >= FRAME_LENGTH_BYTES) {
		size_t length = np_field_get32(at);

		if (!length || length > f->longest ||
		    (size_t)(end - at) - FRAME_LENGTH_BYTES < length)
			break;
		messages[count++] = (struct transport_message){at + FRAME_LENGTH_BYTES, length,
							       length, input->at};
		at += FRAME_LENGTH_BYTES + length;
	}
	move_on(input, (size_t)(at - input->data));
	return count;
}

/* JGroups 2.12 sends one more zero after its handshake: its first length seems to be 0. */
static int begin_message(struct tcp_framing *f)
{
	size_t length = np_field_get32(f->head);

	f->head_bytes = 0;
	if (!length && !f->begun)
		return -ENOTSUP;
	if (!length || length > INT32_MAX)
		return -EBADMSG;
	if (length > f->longest)
		return -EMSGSIZE;
	if (!f->part)
		f->part = malloc(f->longest < TRANSPORT_HEAD ? f->longest : TRANSPORT_HEAD);
	if (!f->part)
		return -ENOMEM;
	f->begun = true;
	f->length = length;
	f->came = 0;
	return 0;
}

/* Assembles a message that arrives in parts; of a long one only the beginning is kept. */
static int collect(struct tcp_framing *f, struct tcp_framing_input *input,
		   struct transport_message *message)
{
	size_t part, room;
	int rc;

	if (!f->length) {
		if (!fill_head(f, input, FRAME_LENGTH_BYTES))
			return 0;
		rc = begin_message(f);
		if (rc)
			return rc;
	}
	part = f->length - f->came;
	if (part > input->bytes)
		part = input->bytes;
	room = f->came < TRANSPORT_HEAD ? TRANSPORT_HEAD - f->came : 0;
	if (room)
		memcpy(f->part + f->came, input->data, part < room ? part : room);
	f->came += part;
	move_on(input, part);
	if (f->came < f->length)
		return 0;
	*message = (struct transport_message){
		f->part, f->length < TRANSPORT_HEAD ? f->length : TRANSPORT_HEAD, f->length,
		input->at};
	f->length = 0;
	return 1;
}

int tcp_framing_take(struct tcp_framing *framing, struct tcp_framing_input *input,
		     struct transport_message *messages, unsigned room)
{
	unsigned count = 0;

	if (!framing->shaken)
		return shake(framing, input);
	if (!framing->head_bytes && !framing->length)
		count = take_whole(framing, input, messages, room);
	framing->begun |= count > 0;
	return count ? (int)count : collect(framing, input, messages);
}

bool tcp_framing_unfinished(const struct tcp_framing *framing)
{
	return !framing->shaken || framing->head_bytes || framing->length;
}

const char *tcp_framing_generation(const struct tcp_framing *framing)
{
	return framing->shaken ? "JGroups 2.12" : "JGroups 2.7 or older";
}
