/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * stack_protocols: takes one protocol of a stack after the other, however it was written, and keeps
 * what means something to our transports. Pure.
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
	int rc; /* of what went wrong first */
};

/* Begins the stack called @name; 0 or -ENOMEM with @fault. stack_take_end in any case. */
int stack_take_begin(struct stack_taker *taker, struct stack *stack, const char *name,
		     struct np_fault *fault);

/*
 * The protocol @name of @taker->line with its @attributes: a name and a value each, NULL at the
 * end. Returns 0, -ENOMEM, or -EINVAL with the fault for a transport that there is not here.
 */
int stack_take(struct stack_taker *taker, const char *name, const char **attributes);

/* True for the name of a transport of JGroups, of so many bytes. */
bool stack_take_knows(const char *name, size_t bytes);

/* A fault of @taker->line. Returns -EINVAL. */
__attribute__((format(printf, 2, 3))) int stack_take_fault(struct stack_taker *taker,
							   const char *format, ...);

/* Returns what went wrong, 0: nothing. */
int stack_take_end(struct stack_taker *taker);

#endif
