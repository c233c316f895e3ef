// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* fault: stores the object and the reason of a refusal. */
#include <netperf/fault.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int np_fault_set(struct np_fault *fault, int error, const char *object, const char *format, ...)
{
	va_list arguments;

	snprintf(fault->object, sizeof(fault->object), "%s", object);
	va_start(arguments, format);
	vsnprintf(fault->reason, sizeof(fault->reason), format, arguments);
	va_end(arguments);
	return error;
}

int np_fault_errno(struct np_fault *fault, int error, const char *object)
{
	return np_fault_set(fault, error, object, "%s", strerror(-error));
}
