// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* transport: the table of transports, and what they share. */
#include "transport.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

const struct transport_face *const transport_faces[] = {
	[TRANSPORT_TCP] = &transport_tcp,
	[TRANSPORT_UDP] = &transport_udp,
	[TRANSPORT_MULTICAST] = &transport_udp,
	[TRANSPORT_OVERLAY] = &transport_overlay,
};

int transport_resolve(struct transport *t)
{
	const struct session *s = t->session;
	const struct place_options *place = &s->options->place;
	int status;

	t->group = place->transport == TRANSPORT_MULTICAST;
	if (!t->group && !t->lanes && !place->reverse)
		return 0;
	status = session_resolve(s, place->to, place->port, AF_UNSPEC, &t->to);
	if (status ||
	    (t->group ? np_address_is_multicast(&t->to) : !np_address_is_broadcast(&t->to)))
		return status;
	np_log_error(s->log, place->to, "%s",
		     t->group ? "is not a multicast group; -m takes 224.0.0.0 to 239.255.255.255 "
				"or ff00::/8; -u sends to one host"
			      : "is a broadcast address; name a host, or a group with -m");
	return 2;
}

struct transport_counts transport_count(const struct transport *t)
{
	struct transport_counts counts = {.drop_unit = NULL};

	if (t->face->counts)
		t->face->counts(t, &counts);
	return counts;
}

void transport_describe(struct np_record *socket, struct np_block_full *full, const char *stamps,
			size_t send_bytes, size_t receive_bytes)
{
	const enum np_block_part part = NP_BLOCK_TRANSPORT;

	np_record_text(socket, "stamps", stamps);
	if (stamps)
		np_block_full_say(full, part, "time stamps", "%s", stamps);
	if (send_bytes) {
		np_record_count(socket, "send_buffer_bytes", send_bytes);
		np_block_full_say(full, part, "send buffer", "%zu bytes", send_bytes);
	}
	if (receive_bytes) {
		np_record_count(socket, "receive_buffer_bytes", receive_bytes);
		np_block_full_say(full, part, "receive buffer", "%zu bytes", receive_bytes);
	}
}

int transport_inbox_open(struct transport_inbox *inbox)
{
	if (pipe2(inbox->fd, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	inbox->open = true;
	return 0;
}

void transport_inbox_close(struct transport_inbox *inbox)
{
	if (!inbox->open)
		return;
	close(inbox->fd[0]);
	close(inbox->fd[1]);
	inbox->open = false;
}

int transport_inbox_give(struct transport_inbox *inbox, const struct transport_gift *gift)
{
	if (write(inbox->fd[1], gift, sizeof(*gift)) != sizeof(*gift))
		return -errno;
	__atomic_add_fetch(&inbox->given, 1, __ATOMIC_RELEASE);
	return 0;
}

bool transport_inbox_take(struct transport_inbox *inbox, struct transport_gift *gift)
{
	if (__atomic_load_n(&inbox->given, __ATOMIC_ACQUIRE) == inbox->taken ||
	    read(inbox->fd[0], gift, sizeof(*gift)) != sizeof(*gift))
		return false;
	inbox->taken++;
	return true;
}

int transport_wait(struct transport *t, struct pollfd *fds, unsigned count, np_time deadline)
{
	int ready;

	/* Whoever has the parts reads signals for all. */
	if (t->part)
		return np_wait_ready(fds, count, deadline);
	fds[count] = (struct pollfd){.fd = np_signals_fd(t->session->signals), .events = POLLIN};
	ready = np_wait_ready(fds, count + 1, deadline);
	if (ready <= 0 || !fds[count].revents)
		return ready;
	session_look(t->session);
	return 0;
}
