// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* address: fuzz target; any text, nobody asked for names, and every address back through its text.
 */
#include "text.h"

#include <errno.h>
#include <netperf/address.h>
#include <stdlib.h>
#include <string.h>

#define PORT 9999

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check_address(const struct np_address *address)
{
	const struct np_address_text text = np_address_format(address);
	struct np_address_list again = {0};

	must(memchr(address->name, '\0', sizeof(address->name)));
	must(memchr(text.text, '\0', sizeof(text.text)));
	must(!np_address_list_parse(&again, strchr(text.text, '/') + 1, 0, NP_ADDRESS_NUMERIC));
	must(again.count == 1);
	must(np_address_equal(&again.item[0], address));
	must(np_address_hash(&again.item[0], 1) == np_address_hash(address, 1));
	must(np_address_is_wildcard(address) + np_address_is_loopback(address) +
		     np_address_is_multicast(address) <=
	     1);
	np_address_list_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct np_address_list list = {0};
	char *text = fuzz_text(data, size);
	const int rc = np_address_list_parse(&list, text, PORT, NP_ADDRESS_NUMERIC);

	must(!rc || rc == -EINVAL || rc == -ERANGE || rc == -ENOENT || rc == -ENODEV);
	must(!rc == !!list.count);
	/* The ends of a long range stand for it. */
	for (size_t i = 0; i < list.count; i += i < 8 || i + 8 > list.count ? 1 : 61)
		check_address(&list.item[i]);
	np_address_list_clear(&list);
	free(text);
	return 0;
}
