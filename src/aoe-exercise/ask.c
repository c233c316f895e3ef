// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* ask: sends one frame, and receives all answers until a deadline. */
#include "ask.h"

#include <errno.h>

int ask_send(struct channel *channel, uint8_t *data, int length)
{
	struct np_frame frame = {.data = data, .length = (size_t)length, .stamp = np_clock_now()};
	int rc = length;

	if (length >= 0)
		rc = channel_send(channel, &frame, 1);
	return rc < 0 ? rc : 0;
}

static int take_batch(struct channel *channel, const struct listener *listener)
{
	struct np_frame frame[CHANNEL_BATCH];
	int count = channel_receive(channel, frame, CHANNEL_BATCH), rc = 0;

	if (count < 0)
		return count;
	for (int i = 0; i < count && !rc; i++) {
		struct np_aoe_header header;

		if (!np_aoe_header_decode(frame[i].data, frame[i].length, &header) &&
		    header.flags & NP_AOE_FLAG_RESPONSE)
			rc = listener->take(listener->owner, &header, &frame[i]);
	}
	return rc;
}

int ask_listen(struct channel *channel, const struct listener *listener, const np_time *deadline)
{
	for (;;) {
		int rc = take_batch(channel, listener);

		if (rc)
			return rc;
		if (channel_stopped(channel))
			return -EINTR;
		if (np_clock_now() >= *deadline)
			return 0;
		rc = channel_wait(channel, *deadline);
		if (rc < 0)
			return rc;
	}
}
