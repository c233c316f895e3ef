// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of drops_reasons: the names of reasons in made-up type data of kernels. */
#include "src/lib/drops/drops_bpf.h"

#include "support/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct drops_libbpf bpf;

static int load(void **state)
{
	(void)state;
	return drops_libbpf_load(&bpf);
}

ALL_TESTS_WITH(load, NULL)

/* Type data with a tracepoint kfree_skb of so many arguments, the tracepoint's own included. */
static struct btf *kernel(const char *tracepoint, int arguments)
{
	struct btf *btf = btf__new_empty();
	int number, prototype;

	assert_non_null(btf);
	number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	prototype = btf__add_func_proto(btf, 0);
	for (int i = 0; i < arguments; i++)
		assert_int_equal(btf__add_func_param(btf, "", number), 0);
	assert_true(btf__add_typedef(btf, tracepoint, btf__add_ptr(btf, prototype)) > 0);
	return btf;
}

static void add_reasons(struct btf *btf, const char *name)
{
	assert_true(btf__add_enum(btf, name, 4) > 0);
	assert_int_equal(btf__add_enum_value(btf, "SKB_NOT_DROPPED_YET", 0), 0);
	assert_int_equal(btf__add_enum_value(btf, "SKB_DROP_REASON_NOT_SPECIFIED", 2), 0);
	assert_int_equal(btf__add_enum_value(btf, "SKB_DROP_REASON_SOCKET_RCVBUFF", 6), 0);
	assert_int_equal(btf__add_enum_value(btf, "OF_ITS_OWN", 9), 0);
	assert_int_equal(btf__add_enum_value(btf, "SKB_DROP_REASON_SUBSYS_MASK", 0xffff0000), 0);
}

static void name_is(const struct drops_reasons *reasons, uint32_t reason, const char *wanted)
{
	char name[48];

	drops_reasons_name(reasons, reason, name, sizeof(name));
	assert_string_equal(name, wanted);
}

TEST(names_are_the_kernels)
{
	struct drops_reasons reasons = {0};
	struct btf *btf = kernel("btf_trace_kfree_skb", 4);

	add_reasons(btf, "skb_drop_reason");
	assert_int_equal(drops_reasons_parse(&reasons, &bpf, btf), 0);
	assert_false(reasons.sockets);
	name_is(&reasons, 0, "NOT_DROPPED_YET");
	name_is(&reasons, 2, "NOT_SPECIFIED");
	name_is(&reasons, 6, "SOCKET_RCVBUFF");
	name_is(&reasons, 9, "OF_ITS_OWN");
	assert_int_equal(drops_reasons_value(&reasons, "SOCKET_RCVBUFF"), 6);
	assert_int_equal(drops_reasons_value(&reasons, "NO_SUCH"), UINT32_MAX);
	drops_reasons_clear(&reasons);
	btf__free(btf);
}

/* Holes, numbers behind the last, and those of subsystems (in the upper 16 bits). */
TEST(others_are_numbers_of_their_own)
{
	struct drops_reasons reasons = {0};
	struct btf *btf = kernel("btf_trace_kfree_skb", 5);

	add_reasons(btf, "skb_drop_reason");
	assert_int_equal(drops_reasons_parse(&reasons, &bpf, btf), 0);
	assert_true(reasons.sockets);
	assert_int_equal(reasons.count, 10); /* the mask is no reason */
	name_is(&reasons, 1, "1");
	name_is(&reasons, 5, "5");
	name_is(&reasons, 10, "10");
	name_is(&reasons, 1u << 16 | 6, "65542");
	name_is(&reasons, 3u << 16 | 6, "196614");
	name_is(&reasons, 0xffff0000, "4294901760");
	name_is(&reasons, UINT32_MAX, "4294967295");
	drops_reasons_clear(&reasons);
	name_is(&reasons, 6, "6");
	btf__free(btf);
}

TEST(kernels_without_reasons)
{
	struct drops_reasons reasons = {0};
	struct btf *kernels[] = {
		kernel("btf_trace_consume_skb", 4),
		kernel("btf_trace_kfree_skb", 3),
		kernel("btf_trace_kfree_skb", 4),
		btf__new_empty(),
	};

	for (size_t i = 0; i < 4; i++) {
		if (i < 3)
			add_reasons(kernels[i], i < 2 ? "skb_drop_reason" : "renamed");
		assert_int_equal(drops_reasons_parse(&reasons, &bpf, kernels[i]), -EOPNOTSUPP);
		btf__free(kernels[i]);
	}
	assert_int_equal(reasons.count, 0);
	drops_reasons_clear(&reasons);
}
