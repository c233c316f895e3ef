/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack: what a JGroups XML stack (fc-fast.xml, udp.xml, tcp.xml) says about addresses, ports and
 * buffers, by expat; all else in it is listed as unused. Pure.
 *
 * Read are, in either spelling of the versions: of UDP mcast_addr, mcast_port, ip_ttl, bind_addr,
 * mcast_send_buf_size, mcast_recv_buf_size (and ucast_); of TCP bind_addr (start_port), bind_port,
 * send_buf_size, recv_buf_size; of TCPPING initial_hosts ("a[7800],b[7800]"). "${name:default}"
 * stands for its default.
 */
#ifndef GROUP_TEST_STACK_H
#define GROUP_TEST_STACK_H

#include "config_file.h"

#include <stdbool.h>

struct stack {
	/* As our own keys: mcast_addr, mcast_port, ttl, bind_addr ... */
	struct config_file settings;
	char *unused; /* "FD FLUSH UDP.loopback ...", NULL: nothing */
};

/* True for a file that is XML: its first byte that is no blank is a <. */
bool stack_is_xml(const char *text, size_t bytes);

/* Returns 0, -EINVAL with @fault ("NAME:LINE"), or -ENOMEM. stack_free in any case. */
int stack_parse(struct stack *stack, const char *name, const char *text, size_t bytes,
		struct fault *fault);
void stack_free(struct stack *stack);

#endif
