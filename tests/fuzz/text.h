/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* text: the input of a fuzz target as a string. */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Ends at its first zero, or behind the last byte; to be freed. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		abort();
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	return text;
}
