// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* ttcp-threads: which processors a list means, and how many threads there are for so many streams.
 */
#include "../../src/ttcp/config/options.h"
#include "support/unit.h"

#include <limits.h>

static cpu_set_t set_of(unsigned long bits)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (size_t i = 0; i < sizeof(bits) * CHAR_BIT; i++)
		if (bits >> i & 1)
			CPU_SET(i, &set);
	return set;
}

TEST(lists)
{
	static const struct {
		const char *text;
		unsigned long bits;
	} lists[] = {
		{"0", 1},     {"3", 8},	    {"0,2-3", 0xd}, {"3,0", 9},
		{"1-1,1", 2}, {"0-3", 0xf}, {"8-9", 0x300},
	};
	/* Between two of them there is a |. */
	char refused[] =
		"|,|0,|,0|0-|-1|3-2|0-4|7|0,,2|0 ,2|"
		" 0|a|0x1|1024|0-1024|0-2-3|+1|99999999999999999999|0-99999999999999999999";
	const cpu_set_t all = set_of(0x30f);
	char *rest = refused, *text;
	cpu_set_t set;

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		const cpu_set_t wanted = set_of(lists[i].bits);

		assert_int_equal(threads_parse(lists[i].text, &all, &set), 0);
		assert_true(CPU_EQUAL(&set, &wanted));
	}
	while ((text = strsep(&rest, "|")))
		assert_int_equal(threads_parse(text, &all, &set), -EINVAL);
}

/* As many as there are streams, but no more than processors, unless the user wants it. */
TEST(counts)
{
	struct options o = {.threads.on = set_of(0xf)};

	assert_int_equal(threads_count(&o, 1), 1);
	assert_int_equal(threads_count(&o, 3), 3);
	assert_int_equal(threads_count(&o, 64), 4);
	o.threads.most = 9;
	assert_int_equal(threads_count(&o, 8), 8);
	assert_int_equal(threads_count(&o, 64), 9);
	o.threads.most = 1;
	assert_int_equal(threads_count(&o, 64), 1);
	o.threads.most = 0;
	/* Unknown. */
	o.threads.on = set_of(0);
	assert_int_equal(threads_count(&o, 64), 1);
	o.threads.on = set_of(0xf);
	o.place.served = true;
	assert_int_equal(threads_count(&o, 64), 1);
	o.place.served = false;
	o.place.transport = TRANSPORT_UDP;
	assert_int_equal(threads_count(&o, 64), 1);
	o.threads.most = 9;
	assert_int_equal(threads_count(&o, 64), 9);
}
