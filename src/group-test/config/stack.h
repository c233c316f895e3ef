/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * stack: reads addresses, ports and buffer sizes from a JGroups stack, either XML (fc-fast.xml,
 * udp.xml, tcp.xml) or a plain string; all else in it is listed as unused. Pure.
 *
 * These are read, in the spellings of all versions: of UDP mcast_addr, mcast_port, ip_ttl,
 * bind_addr, mcast_send_buf_size, mcast_recv_buf_size (else ucast_); of TCP, TCP_NIO and TCP1_4
 * bind_addr, bind_port (start_port), send_buf_size, recv_buf_size; of TCPPING initial_hosts
 * ("a[7800],b[7800]") with port_range. "${name:default}" stands for its default, "20M" for
 * 20000000. Another transport is an error; so is, in XML, a document type or an entity.
 */
#ifndef GROUP_TEST_CONFIG_STACK_H
#define GROUP_TEST_CONFIG_STACK_H

#include "config_file.h"

#include <stdbool.h>

struct stack {
	/* under our own keys: mcast_addr, mcast_port, ttl, bind_addr ... */
	struct config_file settings;
	const char *transport; /* "udp" or "tcp" by its bottom protocol; NULL: neither */
	char *unused;	       /* "FD FLUSH UDP.loopback ..."; "": none */
};

/* True for XML: the first byte that is not blank is a <. */
bool stack_is_xml(const char *text, size_t bytes);

/*
 * True if @text itself is a stack, "UDP(mcast_port=45566;ip_ttl=32):PING:FD": it starts with a word
 * and a parenthesis, or with the name of a transport.
 */
bool stack_is_plain(const char *text);

/*
 * Both return 0, or -EINVAL, -ENOMEM, and for XML -E2BIG and -ENOPKG with @fault ("NAME:LINE").
 * @name is not copied. Call stack_free in any case.
 */
int stack_parse(struct stack *stack, const char *name, const char *text, size_t bytes,
		struct np_fault *fault);
int stack_parse_plain(struct stack *stack, const char *name, const char *text,
		      struct np_fault *fault);
void stack_free(struct stack *stack);

#endif
