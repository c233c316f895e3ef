// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* launch_spoke: a rank's conversation with rank 0. */
#include "launch_sides.h"

#include <errno.h>
#include <netperf/field.h>
#include <stdlib.h>
#include <string.h>

/* What a failed send means: rank 0 may have said why it closed the connection. */
static int judge_failure(struct spoke *spoke, int rc)
{
	struct wire_message message;

	while (launch_channel_receive(&spoke->channel, &message) > 0) {
		if (message.type == WIRE_REFUSED)
			return -ESTALE;
	}
	return rc == -EPIPE ? -ECONNRESET : rc;
}

int spoke_message(struct spoke *spoke, enum wire_type type, const void *body, size_t bytes)
{
	const int rc = launch_channel_send(&spoke->channel, type, body, bytes);

	return rc ? judge_failure(spoke, rc) : 0;
}

/*
 * Sends what is queued, and waits for a message of @type; anything else before it is wrong. Type 0:
 * for none.
 */
static int await(struct spoke *spoke, enum wire_type type, struct wire_message *message,
		 np_time deadline, int other_fd)
{
	for (;;) {
		int rc = launch_channel_flush(&spoke->channel);
		struct pollfd fds[] = {
			{.events = (short)((type ? POLLIN : 0) | (rc ? POLLOUT : 0))},
			{.fd = other_fd, .events = POLLIN}};

		if (rc && rc != -EAGAIN)
			return judge_failure(spoke, rc);
		if (!rc && !type)
			return 0;
		rc = type ? launch_channel_receive(&spoke->channel, message) : 0;
		if (rc < 0)
			return rc;
		if (rc)
			return message->type == type	       ? 0
			       : message->type == WIRE_REFUSED ? -ESTALE
							       : -EBADMSG;
		if (np_clock_now() >= deadline) {
			spoke->hub_silent = type;
			return -ETIMEDOUT;
		}
		fds[0].fd = np_stream_fd(spoke->channel.stream);
		rc = np_wait_ready(fds, 2, deadline);
		if (rc < 0)
			return rc;
		if (fds[1].revents)
			return -ECANCELED;
	}
}

int spoke_open(struct spoke *spoke, const struct np_address *hub, const struct wire_join *join,
	       np_time deadline, int other_fd)
{
	const struct np_stream_options options = {.no_delay = true, .tos = -1};
	int rc;

	*spoke = (struct spoke){.size = np_field_get32(join->size)};
	spoke->state = calloc(spoke->size, 1);
	if (!spoke->state)
		return -ENOMEM;
	rc = np_stream_connect(&spoke->channel.stream, &options, hub, other_fd, deadline);
	if (!rc)
		rc = spoke_message(spoke, WIRE_JOIN, join, sizeof(*join));
	if (rc)
		spoke_close(spoke);
	return rc;
}

void spoke_close(struct spoke *spoke)
{
	launch_channel_close(&spoke->channel);
	free(spoke->state);
	free(spoke->blobs);
	*spoke = (struct spoke){0};
}

int spoke_enter(struct spoke *spoke)
{
	uint8_t step[4];

	np_field_put32(step, ++spoke->step);
	return spoke_message(spoke, WIRE_ENTER, step, sizeof(step));
}

int spoke_await_release(struct spoke *spoke, np_time deadline, int other_fd)
{
	struct wire_message message;
	int rc = await(spoke, WIRE_RELEASE, &message, deadline, other_fd);

	if (rc)
		return rc;
	if (message.bytes % 8 != 4 || np_field_get32(message.body) != spoke->step)
		return -EBADMSG;
	for (size_t at = 4; at < message.bytes; at += 8) {
		const uint32_t rank = np_field_get32(message.body + at);
		const uint32_t state = np_field_get32(message.body + at + 4);

		if (rank >= spoke->size || state > NP_LAUNCH_WRONG)
			return -EBADMSG;
		spoke->state[rank] = (uint8_t)state;
	}
	return 0;
}

static int keep_blobs(struct spoke *spoke, const struct wire_message *message)
{
	const uint8_t *blob;
	uint8_t *larger;
	size_t at = 0, bytes;
	uint32_t rank;
	int rc;

	do {
		rc = wire_blob_next(message, &at, &rank, &blob, &bytes);
	} while (rc > 0);
	if (rc || !message->bytes)
		return rc;
	larger = realloc(spoke->blobs, spoke->blobs_bytes + message->bytes);
	if (!larger)
		return -ENOMEM;
	memcpy(larger + spoke->blobs_bytes, message->body, message->bytes);
	spoke->blobs = larger;
	spoke->blobs_bytes += message->bytes;
	return 0;
}

int spoke_fetch(struct spoke *spoke, const uint32_t *ranks, size_t count, np_time deadline)
{
	uint8_t body[4 * WIRE_FETCH_MAX];
	struct wire_message message;
	int rc = 0;

	free(spoke->blobs);
	spoke->blobs = NULL;
	spoke->blobs_bytes = 0;
	for (size_t done = 0; !rc && done < count;) {
		size_t n = count - done < WIRE_FETCH_MAX ? count - done : WIRE_FETCH_MAX;

		for (size_t i = 0; i < n; i++)
			np_field_put32(body + 4 * i, ranks[done + i]);
		rc = spoke_message(spoke, WIRE_FETCH, body, 4 * n);
		if (!rc)
			rc = await(spoke, WIRE_BLOBS, &message, deadline, -1);
		if (!rc)
			rc = keep_blobs(spoke, &message);
		done += n;
	}
	return rc;
}

const void *spoke_blob(const struct spoke *spoke, uint32_t wanted, size_t *bytes)
{
	const struct wire_message all = {
		.type = WIRE_BLOBS, .body = spoke->blobs, .bytes = spoke->blobs_bytes};
	const uint8_t *blob;
	size_t at = 0, length;
	uint32_t rank;

	while (wire_blob_next(&all, &at, &rank, &blob, &length) > 0) {
		if (rank != wanted)
			continue;
		if (bytes)
			*bytes = length;
		return blob;
	}
	return NULL;
}

int spoke_send(struct spoke *spoke, const void *piece, size_t bytes, np_time deadline)
{
	int rc = spoke_message(spoke, WIRE_PIECE, piece, bytes);

	return rc ? rc : await(spoke, 0, NULL, deadline, -1);
}

int spoke_await_finished(struct spoke *spoke, np_time deadline)
{
	struct wire_message message;

	return await(spoke, WIRE_FINISHED, &message, deadline, -1);
}
