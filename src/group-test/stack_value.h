/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* stack_value: turns a value of a JGroups stack into one of our own keys. Pure. */
#ifndef GROUP_TEST_STACK_VALUE_H
#define GROUP_TEST_STACK_VALUE_H

#include <stdbool.h>
#include <stddef.h>

enum stack_meaning { STACK_AS_IT_IS, STACK_BYTES, STACK_HOSTS };

/*
 * Writes to @out, of strlen(value) + 32 bytes at least, what @value means; spoils @value. False:
 * nothing to us, as "NON_LOOPBACK" (choose one), or "${name}" without a default.
 */
bool stack_value(enum stack_meaning meaning, char *value, char *out, size_t room);

#endif
