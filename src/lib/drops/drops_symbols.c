// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * drops_symbols: which functions of the kernel addresses are in, by /proc/kallsyms, which is read
 * once for all that are asked for.
 */
#include "drops_variant.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* "ffffffff81a0b3c0 t nft_do_chain\t[nf_tables]": a function's start and its name. */
static bool parse_line(char *line, uint64_t *start, const char **name)
{
	char *end;

	*start = strtoull(line, &end, 16);
	if (end == line || end[0] != ' ' || !end[1] || !strchr("tTwW", end[1]) || end[2] != ' ')
		return false;
	*name = end + 3;
	end[3 + strcspn(end + 3, " \t\n")] = '\0';
	return *start && **name;
}

/* The address is one to which a call returns, so that its function starts before it. */
void drops_symbols_find(struct drops_symbol *symbols, size_t count, FILE *stream)
{
	char line[512];

	while (count > 0 && fgets(line, sizeof(line), stream)) {
		uint64_t start;
		const char *name;
		size_t low = 0, high = count;

		if (!parse_line(line, &start, &name))
			continue;
		while (low < high) {
			size_t middle = (low + high) / 2;

			if (symbols[middle].address <= start) /* not in this function */
				low = middle + 1;
			else
				high = middle;
		}
		for (size_t i = low; i < count; i++) {
			if (symbols[i].start >= start)
				continue;
			symbols[i].start = start;
			snprintf(symbols[i].name, sizeof(symbols[i].name), "%s", name);
		}
	}
}
