/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * stack_protocols: takes the protocols of a stack one by one, in whichever form it was written, and
 * stores what concerns our transports. Pure.
 */
#ifndef GROUP_TEST_CONFIG_STACK_PROTOCOLS_H
#define GROUP_TEST_CONFIG_STACK_PROTOCOLS_H

#include "stack.h"

#include <stdio.h>

struct stack_taker {
	struct stack *stack;
	struct np_fault *fault;
	FILE *unused; /* becomes stack.unused */
	size_t unused_bytes;
	unsigned line;
	int rc; /* the first error */
};

/*
 * Starts the stack called @name; returns 0, or -ENOMEM with @fault. Call stack_take_end in any
 * case.
 */
int stack_take_begin(struct stack_taker *taker, struct stack *stack, const char *name,
		     struct np_fault *fault);

/*
 * Takes the protocol @name of @taker->line with its @attributes: names and values in turn, NULL at
 * the end. Returns 0, -ENOMEM, or -EINVAL with the fault of a transport that does not exist here.
 */
int stack_take(struct stack_taker *taker, const char *name, const char **attributes);

/* True if the @bytes at @name are the name of a transport of JGroups. */
bool stack_take_knows(const char *name, size_t bytes);

/* Sets a fault of @taker->line. Returns -EINVAL. */
__attribute__((format(printf, 2, 3))) int stack_take_fault(struct stack_taker *taker,
							   const char *format, ...);

/* Returns the first error, or 0. */
int stack_take_end(struct stack_taker *taker);

#endif
