/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loss: whose loss it was, as far as the kernel's drop counter tells. Pure. */
#ifndef DATAGRAM_TEST_LOSS_H
#define DATAGRAM_TEST_LOSS_H

#include <stdbool.h>
#include <stdint.h>

/* Sum: all that is missing. When not exact, network and host are what it was at least. */
struct loss {
	uint64_t network;
	uint64_t host;
	uint64_t unattributed;
	bool exact;
};

/*
 * @missing packets, while the socket dropped @dropped times 1 to @most packets because its buffer
 * was full, or, @damaged times at most, because a checksum was wrong, which is the network's doing.
 * Packets that nobody misses may be among those dropped.
 */
struct loss loss_attribute(uint64_t missing, uint64_t dropped, uint64_t damaged, uint64_t most);

#endif
