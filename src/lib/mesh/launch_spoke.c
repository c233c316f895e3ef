// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * launch_spoke: the messages of one connection, written, read, queued, sent and received; a rank's
 * conversation with rank 0.
 */
#include "launch_state.h"

#include <errno.h>
#include <netperf/field.h>
#include <stdlib.h>

ssize_t wire_parse(const uint8_t *data, size_t bytes, struct wire_message *message)
{
	uint32_t type;

	if (bytes < WIRE_HEAD)
		return 0;
	type = np_field_get32(data);
	if (type < WIRE_JOIN || type > WIRE_BLOB)
		return -EBADMSG;
	message->type = (enum wire_type)type;
	message->bytes = np_field_get32(data + 4);
	message->body = data + WIRE_HEAD;
	if (message->bytes > WIRE_BODY_MAX)
		return -EBADMSG;
	return message->bytes > bytes - WIRE_HEAD ? 0 : (ssize_t)(WIRE_HEAD + message->bytes);
}

const struct wire_join *wire_join_of(const struct wire_message *message)
{
	const struct wire_join *join = (const void *)message->body;

	if (message->type != WIRE_JOIN || message->bytes < offsetof(struct wire_join, program))
		return NULL;
	if (message->bytes != sizeof(*join))
		return join;
	return join->program[WIRE_NAME - 1] || join->host[WIRE_NAME - 1] ? NULL : join;
}

int wire_blob_next(const struct wire_message *message, size_t *at, uint32_t *rank,
		   const uint8_t **blob, size_t *bytes)
{
	const size_t left = message->bytes - *at;
	const uint8_t *entry = message->body + *at;

	if (!left)
		return 0;
	if (left < 8)
		return -EBADMSG;
	*rank = np_field_get32(entry);
	*bytes = np_field_get32(entry + 4);
	*blob = entry + 8;
	if (*bytes > LAUNCH_BLOB_MAX || *bytes > left - 8)
		return -EBADMSG;
	*at += 8 + *bytes;
	return 1;
}

int launch_channel_flush(struct channel *channel)
{
	struct buffer *out = &channel->out;

	if (!channel->stream)
		return -ENOTCONN;
	while (out->begin < out->end) {
		const ssize_t sent = np_stream_send(channel->stream, out->data + out->begin,
						    out->end - out->begin);

		if (sent < 0)
			return (int)sent;
		out->begin += (size_t)sent;
	}
	/* Rank 0 has thousands of channels: an empty buffer is given back. */
	buffer_free(out);
	return 0;
}

int launch_channel_send(struct channel *channel, enum wire_type type, const void *body,
			size_t bytes)
{
	struct buffer *out = &channel->out;
	int rc = buffer_reserve(out, WIRE_HEAD + bytes);

	if (rc)
		return rc;
	np_field_put32(out->data + out->end, type);
	np_field_put32(out->data + out->end + 4, (uint32_t)bytes);
	if (bytes)
		memcpy(out->data + out->end + WIRE_HEAD, body, bytes);
	out->end += WIRE_HEAD + bytes;
	rc = launch_channel_flush(channel);
	return rc == -EAGAIN ? 0 : rc;
}

int launch_channel_receive(struct channel *channel, struct wire_message *message)
{
	struct buffer *in = &channel->in;
	ssize_t n;

	if (!channel->stream)
		return -ENOTCONN;
	while (!(n = wire_parse(in->data + in->begin, in->end - in->begin, message))) {
		n = buffer_receive(in, channel->stream);
		if (n == -EAGAIN) {
			if (in->begin == in->end)
				buffer_free(in);
			return 0;
		}
		if (n <= 0)
			return n ? (int)n : -ECONNRESET;
	}
	in->begin += n > 0 ? (size_t)n : 0;
	return n > 0 ? 1 : (int)n;
}

void launch_channel_close(struct channel *channel)
{
	np_stream_free(channel->stream);
	buffer_free(&channel->in);
	buffer_free(&channel->out);
	channel->stream = NULL;
}

/* What a failed send means: rank 0 may have said why it closed the connection. */
static int judge_failure(struct np_launch *spoke, int rc)
{
	struct wire_message message = {0};

	while (launch_channel_receive(&spoke->channel, &message) > 0) {
		if (message.type == WIRE_REFUSED)
			return -ESTALE;
	}
	return rc == -EPIPE ? -ECONNRESET : rc;
}

int spoke_message(struct np_launch *spoke, enum wire_type type, const void *body, size_t bytes)
{
	const int rc = launch_channel_send(&spoke->channel, type, body, bytes);

	return rc ? judge_failure(spoke, rc) : 0;
}

/* Sends what is queued, and waits for a message of @type; anything else before it is wrong. */
static int await(struct np_launch *spoke, enum wire_type type, struct wire_message *message,
		 np_time deadline, int other_fd)
{
	*message = (struct wire_message){0};
	for (;;) {
		int rc = launch_channel_flush(&spoke->channel);
		struct pollfd fds[] = {{.events = (short)(POLLIN | (rc ? POLLOUT : 0))},
				       {.fd = other_fd, .events = POLLIN}};

		if (rc && rc != -EAGAIN)
			return judge_failure(spoke, rc);
		rc = launch_channel_receive(&spoke->channel, message);
		if (rc < 0)
			return rc;
		if (rc)
			return message->type == type	       ? 0
			       : message->type == WIRE_REFUSED ? -ESTALE
							       : -EBADMSG;
		if (np_clock_now() >= deadline) {
			spoke->hub_silent = true;
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

int spoke_open(struct np_launch *spoke, const struct np_address *hub, np_time deadline,
	       int other_fd)
{
	const struct np_stream_options options = {.no_delay = true, .ip.tos = -1};
	int rc;

	spoke->state = calloc(spoke->place.size, 1);
	if (!spoke->state)
		return -ENOMEM;
	rc = np_stream_connect(&spoke->channel.stream, &options, hub, other_fd, deadline);
	return rc ? rc : spoke_message(spoke, WIRE_JOIN, &spoke->join, sizeof(spoke->join));
}

int spoke_enter(struct np_launch *spoke)
{
	uint8_t step[4];

	np_field_put32(step, ++spoke->step);
	return spoke_message(spoke, WIRE_ENTER, step, sizeof(step));
}

/* Rank 0 decides at its own deadline; a rank whose deadline is earlier waits this much longer. */
#define GRACE (10 * NP_SECOND)

int spoke_await_release(struct np_launch *spoke, np_time deadline, int other_fd)
{
	struct wire_message message;
	int rc;

	deadline = deadline > NP_TIME_NEVER - GRACE ? deadline : deadline + GRACE;
	rc = await(spoke, WIRE_RELEASE, &message, deadline, other_fd);
	if (rc)
		return rc;
	if (message.bytes % 8 != 4 || np_field_get32(message.body) != spoke->step)
		return -EBADMSG;
	for (size_t at = 4; at < message.bytes; at += 8) {
		const uint32_t rank = np_field_get32(message.body + at);
		const uint32_t state = np_field_get32(message.body + at + 4);

		if (rank >= spoke->place.size || state > LAUNCH_WRONG)
			return -EBADMSG;
		spoke->state[rank] = (uint8_t)state;
	}
	return 0;
}

int launch_fetch(struct np_launch *spoke, const uint32_t *ranks, size_t count, np_time deadline)
{
	uint8_t body[4 * WIRE_FETCH_MAX];
	struct wire_message message;

	/* Rank 0 has all of them. */
	if (spoke->ranks)
		return 0;
	buffer_free(&spoke->blobs);
	for (size_t done = 0; done < count;) {
		size_t n = count - done < WIRE_FETCH_MAX ? count - done : WIRE_FETCH_MAX;
		const uint8_t *blob;
		size_t at = 0, bytes;
		uint32_t rank;
		int rc;

		for (size_t i = 0; i < n; i++)
			np_field_put32(body + 4 * i, ranks[done + i]);
		rc = spoke_message(spoke, WIRE_FETCH, body, 4 * n);
		rc = rc ? rc : await(spoke, WIRE_BLOBS, &message, deadline, -1);
		if (rc)
			return rc;
		do {
			rc = wire_blob_next(&message, &at, &rank, &blob, &bytes);
		} while (rc > 0);
		if (rc)
			return rc;
		if (buffer_reserve(&spoke->blobs, message.bytes + 1))
			return -ENOMEM;
		if (message.bytes)
			memcpy(spoke->blobs.data + spoke->blobs.end, message.body, message.bytes);
		spoke->blobs.end += message.bytes;
		done += n;
	}
	return 0;
}

const void *launch_blob(const struct np_launch *launch, uint32_t rank, size_t *bytes)
{
	const struct wire_message all = {
		.type = WIRE_BLOBS, .body = launch->blobs.data, .bytes = launch->blobs.end};
	const uint8_t *blob = NULL;
	size_t at = 0, length = 0;
	uint32_t of = UINT32_MAX;

	if (launch->ranks && rank < launch->place.size) {
		blob = launch->ranks[rank].blob;
		length = launch->ranks[rank].blob_bytes;
	}
	while (!launch->ranks && of != rank) {
		if (wire_blob_next(&all, &at, &of, &blob, &length) <= 0)
			return NULL;
	}
	if (bytes && blob)
		*bytes = length;
	return blob;
}
