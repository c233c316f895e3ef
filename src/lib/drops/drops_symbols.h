/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* drops_symbols: which function of the kernel an address is in, by /proc/kallsyms. */
#ifndef DROPS_SYMBOLS_H
#define DROPS_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define DROPS_SYMBOL_BYTES 64

/* An address and the function that it is in; start 0: none is known. */
struct drops_symbol {
	uint64_t address;
	uint64_t start;
	char name[DROPS_SYMBOL_BYTES];
};

/*
 * Finds the functions of @count symbols, sorted by ascending address, in @stream, text as
 * /proc/kallsyms has it, in any order; sets start and name. Lines of other forms are ignored.
 */
void drops_symbols_find(struct drops_symbol *symbols, size_t count, FILE *stream);

#endif
