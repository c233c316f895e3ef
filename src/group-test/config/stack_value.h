/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* stack_value: converts a value of a JGroups stack to the value of one of our keys. Pure. */
#ifndef GROUP_TEST_CONFIG_STACK_VALUE_H
#define GROUP_TEST_CONFIG_STACK_VALUE_H

#include <stdbool.h>
#include <stddef.h>

enum stack_meaning { STACK_AS_IT_IS, STACK_BYTES, STACK_HOSTS };

/*
 * Writes the meaning of @value to @out, of at least strlen(value) + 32 bytes; modifies @value.
 * False: it has no meaning here, as "NON_LOOPBACK" (choose one), or "${name}" without a default.
 */
bool stack_value(enum stack_meaning meaning, char *value, char *out, size_t room);

/*
 * How many ports after a host's own belong to members, too, from the text of TCPPING's port_range:
 * 1 when @text is NULL, as in JGroups; -1 when it is not 0 to 255.
 */
int stack_port_range(const char *text);

/*
 * Extends @hosts, "a:7800,b:7800", by the ports after each, without duplicates:
 * "a:7800,a:7801,...". Leaves it unchanged if @range is invalid or makes more than STACK_HOSTS_MAX
 * of them. NULL: no memory. The caller frees it.
 */
char *stack_hosts(const char *hosts, const char *range);
#define STACK_HOSTS_MAX 1024

#endif
