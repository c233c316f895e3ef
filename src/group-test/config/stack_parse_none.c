// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* stack_parse_none: replaces stack_parse in a build without expat: refuses every stack. */
#include "stack.h"

#include <errno.h>

int stack_parse(struct stack *stack, const char *name, const char *text, size_t bytes,
		struct np_fault *fault)
{
	(void)text;
	(void)bytes;
	*stack = (struct stack){};
	return np_fault_set(fault, -ENOPKG, name,
			    "built without expat: cannot read a JGroups XML stack; give -props a "
			    "file of lines KEY=VALUE, or build with expat (./configure)");
}
