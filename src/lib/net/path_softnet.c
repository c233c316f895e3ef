// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* path_softnet: adds up what the backlogs of all processors dropped. */
#include "path_softnet.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#define DIGITS_MAX 8

/* Parses one column and moves @at past it and the blanks after it. */
static int column(const char **at, uint32_t *value)
{
	const char *begin = *at;

	*value = 0;
	for (; isxdigit((unsigned char)**at); (*at)++) {
		const char digit[2] = {**at};

		if (*at - begin == DIGITS_MAX)
			return -ENODATA;
		*value = *value << 4 | (uint32_t)strtoul(digit, NULL, 16);
	}
	if (*at == begin || (**at && **at != ' ' && **at != '\n'))
		return -ENODATA;
	while (**at == ' ')
		(*at)++;
	return 0;
}

int path_softnet_parse(const char *text, uint64_t *dropped)
{
	uint64_t sum = 0;

	if (!*text)
		return -ENODATA;
	while (*text) {
		uint32_t processed, lost;

		if (column(&text, &processed) || column(&text, &lost))
			return -ENODATA;
		sum += lost;
		while (*text && *text != '\n')
			text++;
		text += *text == '\n';
	}
	*dropped = sum;
	return 0;
}
