/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* udp: the state that the parts of the udp transport share. */
#ifndef GROUP_TEST_TRANSPORT_UDP_H
#define GROUP_TEST_TRANSPORT_UDP_H

#include "variant.h"

#include <netperf/datagram.h>

enum udp_socket {
	UDP_GROUP, /* bound to the group: receives */
	UDP_OWN,   /* bound to the member's own address: sends, and receives what is for it alone */
	UDP_SOCKETS,
};

struct udp_state {
	struct np_datagram *socket[UDP_SOCKETS];
	bool more[UDP_SOCKETS]; /* there is something to receive */
	struct np_address group;
	unsigned interface; /* index; 0: the kernel's choice */
	unsigned batch;	    /* most messages in one reservation */
	bool held;	    /* the sending socket has no room */
	bool paused;	    /* this host refused; until transport.deadline */
	uint64_t control_calls;
	np_time oversize_told;
	struct np_packet packets[TRANSPORT_BATCH];
	struct transport_message messages[TRANSPORT_BATCH];
};

/* Opens both sockets and fills in the state and info. */
int udp_open_sockets(struct transport *t, const struct transport_plan *plan,
		     struct np_fault *fault);

/* A link-local address is on our own interface. */
void udp_set_scope(const struct udp_state *s, struct np_address *address);

#endif
