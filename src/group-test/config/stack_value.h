/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* stack_value: turns a value of a JGroups stack into one of our own keys. Pure. */
#ifndef GROUP_TEST_CONFIG_STACK_VALUE_H
#define GROUP_TEST_CONFIG_STACK_VALUE_H

#include <stdbool.h>
#include <stddef.h>

enum stack_meaning { STACK_AS_IT_IS, STACK_BYTES, STACK_HOSTS };

/*
 * Writes to @out, of strlen(value) + 32 bytes at least, what @value means; spoils @value. False:
 * nothing to us, as "NON_LOOPBACK" (choose one), or "${name}" without a default.
 */
bool stack_value(enum stack_meaning meaning, char *value, char *out, size_t room);

/*
 * How many ports behind a host's own are members', too, by TCPPING's port_range as it stands there:
 * 1 when @text is NULL, as in JGroups; -1 when it is none of 0 to 255.
 */
int stack_port_range(const char *text);

/*
 * @hosts, "a:7800,b:7800", with the ports behind each, each once: "a:7800,a:7801,...". As it is
 * with a @range that is none, or that makes more than STACK_HOSTS_MAX of them. NULL: no memory. The
 * caller frees it.
 */
char *stack_hosts(const char *hosts, const char *range);
#define STACK_HOSTS_MAX 1024

#endif
