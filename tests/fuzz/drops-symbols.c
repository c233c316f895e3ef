// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* drops-symbols: fuzz target; any text where the kernel's table of functions is looked for. */
#include "src/lib/drops/drops_variant.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct drops_symbol symbols[] = {{.address = 0},
					 {.address = 0x1000},
					 {.address = 0xffffffff81000000},
					 {.address = UINT64_MAX}};
	FILE *stream = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;

	if (!stream)
		return 0;
	drops_symbols_find(symbols, 4, stream);
	fclose(stream);
	for (size_t i = 0; i < 4; i++)
		if (symbols[i].start > symbols[i].address ||
		    strlen(symbols[i].name) >= sizeof(symbols[i].name))
			abort();
	return 0;
}
