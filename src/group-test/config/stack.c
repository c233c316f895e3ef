// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* stack: knows a JGroups XML stack when it sees one, and forgets what was read of it. */
#include "stack.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool stack_is_xml(const char *text, size_t bytes)
{
	size_t at = bytes >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;

	while (at < bytes && isspace((unsigned char)text[at]))
		at++;
	return at < bytes && text[at] == '<';
}

void stack_free(struct stack *stack)
{
	config_file_free(&stack->settings);
	free(stack->unused);
	*stack = (struct stack){};
}
