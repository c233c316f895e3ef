/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * overlay-stranger: somebody who sends overlay nodes what he likes while they work: rubbish,
 * messages cut short, in the names of others, with lengths that lie, connections that say nothing.
 */
#pragma once

#include <netperf/address.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define STRANGER_SOCKETS 40

struct stranger {
	bool active, tcp;
	const struct np_address *victim;
	unsigned victims;
	uint64_t random;
	int fd[STRANGER_SOCKETS];
};

static inline uint64_t stranger_draw(struct stranger *s, uint64_t below)
{
	s->random = s->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (s->random >> 24) % below;
}

static inline void stranger_open(struct stranger *s, bool tcp, const struct np_address *victim,
				 unsigned victims)
{
	*s = (struct stranger){
		.active = true, .tcp = tcp, .victim = victim, .victims = victims, .random = 42};
	for (unsigned i = 0; i < STRANGER_SOCKETS; i++)
		s->fd[i] = -1;
}

static inline void stranger_close(struct stranger *s)
{
	for (unsigned i = 0; i < STRANGER_SOCKETS; i++) {
		if (s->fd[i] >= 0)
			close(s->fd[i]);
	}
	s->active = false;
}

/* A message that begins as one of the protocol and goes wrong somewhere; its bytes. */
static inline size_t stranger_message(struct stranger *s, uint8_t out[600])
{
	/* Hello, IAmHere, Goodbye of nobody; OL to all, to one, flood, long; and rubbish. */
	static const uint8_t heads[][12] = {
		{0x22, 0, 0x25, 0},
		{0x22, 0, 0x25, 8},
		{0x22, 0, 0x25, 2},
		{0x22, 0xff, 0xff, 0},
		{0xd0, 0x31, 0, 0, 0, 0, 40, 0, 254, 2, 8},
		{0xd0, 0x33, 0, 0, 0, 0, 40, 0, 254, 2, 8},
		{0xd0, 0x32, 0, 0, 0, 0, 40, 0xff, 0xff, 2, 8},
		{0xd0, 0x31, 0, 0, 0, 0, 0, 0, 254, 4, 8},
		{0xd0, 0x33, 0, 0, 0, 0xff, 0xff, 0, 254, 2, 16},
		{0x33, 0, 40, 0},
		{0xff, 0xff},
	};
	const size_t which = stranger_draw(s, sizeof(heads) / sizeof(heads[0]));
	size_t bytes = 40 + stranger_draw(s, 500);

	for (size_t i = 0; i < bytes; i++)
		out[i] = (uint8_t)stranger_draw(s, stranger_draw(s, 2) ? 256 : 3);
	memcpy(out, heads[which], stranger_draw(s, 4) ? sizeof(heads[0]) : 3);
	/* A good hash of a good overlay, sometimes. */
	return stranger_draw(s, 5) ? bytes : stranger_draw(s, 40);
}

static inline void stranger_annoy(struct stranger *s)
{
	const unsigned at = (unsigned)stranger_draw(s, STRANGER_SOCKETS);
	const struct np_address *victim = &s->victim[stranger_draw(s, s->victims)];
	uint8_t message[602];

	if (s->fd[at] >= 0 && !stranger_draw(s, 4)) {
		close(s->fd[at]);
		s->fd[at] = -1;
	}
	if (s->fd[at] < 0) {
		s->fd[at] = socket(AF_INET, (s->tcp ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC, 0);
		if (s->fd[at] < 0 || connect(s->fd[at], &victim->any, victim->length))
			return;
	}
	if (!stranger_draw(s, 8))
		return; /* says nothing */
	if (s->tcp) {
		/* In the name of somebody's port. */
		const uint16_t port =
			(uint16_t)(np_address_port(s->victim) + stranger_draw(s, s->victims + 1));

		message[0] = (uint8_t)(port >> 8);
		message[1] = (uint8_t)port;
		(void)!send(s->fd[at], message, 2 + stranger_message(s, message + 2),
			    MSG_NOSIGNAL | MSG_DONTWAIT);
	} else {
		(void)!send(s->fd[at], message, stranger_message(s, message),
			    MSG_NOSIGNAL | MSG_DONTWAIT);
	}
}
