// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of the guard with members of md(4)'s arrays: each version of the metadata, at its
 * place. */
#include <stdint.h>

#include <netperf/guard.h>
#include <stdlib.h>
#include <unistd.h>

#include "../raid_super.h"
#include "support/unit.h"

static const unsigned versions[] = {90, 10, 11, 12};
#define VERSIONS (sizeof(versions) / sizeof(*versions))

/* Of @bytes, with a superblock of @version where it belongs; @at may be NULL. */
static int make_member(unsigned version, uint64_t bytes, uint64_t *at)
{
	uint8_t super[RAID_SUPER_BYTES];
	char path[] = "/tmp/netperf-test.XXXXXX";
	uint64_t place = raid_super(super, version, bytes);
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
	assert_int_equal(pwrite(fd, super, sizeof(super), (off_t)place), sizeof(super));
	if (at)
		*at = place;
	return fd;
}

/* On disks that end on a boundary of 64 KiB, and on such that do not; on a small one, too. */
TEST(every_version_is_a_signature)
{
	static const uint64_t sizes[] = {UINT64_C(64) << 20, 33600000 / 512 * 512, 33600000,
					 3 << 20};
	struct np_guard_verdict verdict;

	for (size_t i = 0; i < VERSIONS; i++) {
		for (size_t j = 0; j < sizeof(sizes) / sizeof(*sizes); j++) {
			int fd = make_member(versions[i], sizes[j], NULL);

			assert_int_equal(np_guard_content(fd, sizes[j], &verdict), 0);
			assert_int_equal(verdict.reason, NP_GUARD_SIGNATURE);
			assert_true(verdict.destroyable);
			assert_string_equal(verdict.signatures, "linux_raid_member");
			close(fd);
		}
	}
}

/* Even where libblkid does not know it any more, for its magic is gone, it is no test data. */
TEST(a_damaged_one_is_foreign)
{
	const uint64_t bytes = UINT64_C(64) << 20;
	struct np_guard_verdict verdict;
	uint64_t at;

	for (size_t i = 0; i < VERSIONS; i++) {
		int fd = make_member(versions[i], bytes, &at);

		assert_int_equal(pwrite(fd, "\0\0\0", 4, (off_t)at), 4);
		assert_int_equal(np_guard_content(fd, bytes, &verdict), 0);
		assert_int_equal(verdict.reason, NP_GUARD_NOT_OURS);
		assert_true(verdict.destroyable);
		close(fd);
	}
}
