// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* answers: splits what a sender receives into messages. */
#include "answers.h"

#include <errno.h>
#include <string.h>

int answers_take(struct answers *a, struct sender *sender, const struct np_address *peer,
		 uint8_t *data, size_t length, np_time at)
{
	int count = 0;

	data -= a->carried;
	memcpy(data, a->carry, a->carried);
	length += a->carried;
	a->carried = 0;
	for (;;) {
		int64_t size = message_size(data, length);

		if (size < 0 || size > MESSAGE_CONTROL_MAX)
			return size < 0 ? (int)size : -EBADMSG;
		if (!size || (size_t)size > length)
			break;
		(void)sender_take(sender, data, (size_t)size, peer, at);
		data += size;
		length -= (size_t)size;
		count++;
	}
	/* Keeps the rest, which is shorter than a message. */
	memcpy(a->carry, data, length);
	a->carried = length;
	return count;
}

int answers_take_packets(struct sender *sender, const struct np_packet *packet, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		(void)sender_take(sender, packet[i].data, packet[i].length, packet[i].source,
				  packet[i].stamp);
	return (int)count;
}
