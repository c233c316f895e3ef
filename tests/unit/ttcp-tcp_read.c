// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* ttcp-tcp_read: a receiver that sleeps often reads much at a time, one that sleeps seldom less. */
#include "../../src/ttcp/transport/tcp.h"
#include "support/unit.h"

#define MIB ((size_t)1 << 20)

/* Reads @mib MiB; the process has slept @sleeps times when it is judged. How often that was. */
static unsigned receive(struct tcp_read *read, unsigned mib, uint64_t sleeps)
{
	unsigned judged = 0;

	for (unsigned i = 0; i < mib; i++) {
		if (tcp_read_count(read, MIB)) {
			tcp_read_judge(read, sleeps);
			judged++;
		}
	}
	return judged;
}

/* What came before the first bytes, other connections for one, says nothing of this one. */
static struct tcp_read begun(uint64_t sleeps)
{
	struct tcp_read read = {0};

	assert_int_equal(tcp_read_bytes(&read), TCP_READ_LEAST);
	assert_int_equal(receive(&read, 1, sleeps), 1);
	assert_int_equal(tcp_read_bytes(&read), TCP_READ_LEAST);
	return read;
}

/* Up to one sleep in 2 MiB the sender is on the same processor. */
TEST(sleeps_decide)
{
	struct tcp_read read = begun(1000);

	/* It is judged every 32 MiB. */
	assert_int_equal(receive(&read, 31, 1000), 0);
	assert_int_equal(receive(&read, 1, 1000), 1);
	assert_int_equal(receive(&read, 64, 1000), 2);
	assert_int_equal(receive(&read, 32, 1016), 1);
	assert_int_equal(tcp_read_bytes(&read), TCP_READ_LEAST);
	assert_int_equal(receive(&read, 32, 1033), 1);
	assert_int_equal(tcp_read_bytes(&read), TCP_READ_MOST);
	/* It may be moved there again. */
	assert_int_equal(receive(&read, 32, 1034), 1);
	assert_int_equal(tcp_read_bytes(&read), TCP_READ_LEAST);
}

/* Those of a long silence count for what came in it. */
TEST(a_slow_stream_sleeps_often)
{
	struct tcp_read read = begun(0);

	while (!tcp_read_count(&read, 1448))
		;
	tcp_read_judge(&read, 23000);
	assert_int_equal(tcp_read_bytes(&read), TCP_READ_MOST);
}
