// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* softnet: fuzz target; any text where the kernel's table of backlogs is looked for. */
#include "src/lib/net/datagram_variant.h"

#include "text.h"

#include <errno.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t dropped = 12345;
	char *text = fuzz_text(data, size);
	int error;

	error = path_softnet_parse(text, &dropped);
	if (error && (error != -ENODATA || dropped != 12345))
		abort();
	/* No line is shorter than "0 0". */
	if (!error && dropped > (uint64_t)UINT32_MAX * (size / 3 + 1))
		abort();
	free(text);
	return 0;
}
