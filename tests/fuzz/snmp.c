// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* snmp: fuzz target; any text where the kernel's UDP counters are looked for. */
#include "src/lib/net/datagram_variant.h"

#include "text.h"

#include <errno.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef int reader(char *text, struct np_datagram_kernel *counts);

static void check(reader *read, const uint8_t *data, size_t size)
{
	static const struct np_datagram_kernel nothing;
	struct np_datagram_kernel counts = {0};
	char *text = fuzz_text(data, size);
	int error;

	error = read(text, &counts);
	if (error && (error != -ENODATA || memcmp(&counts, &nothing, sizeof(counts))))
		abort();
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check(datagram_kernel_add_snmp, data, size);
	check(datagram_kernel_add_snmp6, data, size);
	return 0;
}
