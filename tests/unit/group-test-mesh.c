// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of the announcements by which the ranks of a mesh agree on a group. */
#include "../../src/group-test/mesh/mesh.h"
#include "support/unit.h"

#include <errno.h>

static struct announcement sample(void)
{
	struct announcement announcement = {.port = 0xfedc};

	assert_int_equal(identity_parse("10.1.2.3:4567", &announcement.who), 0);
	announcement.member[0] = announcement.member[9] = announcement.member[MEMBERS_MAX - 1] =
		true;
	return announcement;
}

TEST(an_announcement_crosses_as_bytes)
{
	const struct announcement announcement = sample();
	uint8_t bytes[ANNOUNCEMENT_BYTES + 1];
	char text[IDENTITY_TEXT];
	struct announcement read;

	announcement_write(&announcement, bytes);
	assert_int_equal(announcement_read(&read, bytes, ANNOUNCEMENT_BYTES), 0);
	assert_string_equal(identity_format(&read.who, text), "10.1.2.3:4567");
	assert_int_equal(read.port, 0xfedc);
	for (unsigned i = 0; i < MEMBERS_MAX; i++)
		assert_int_equal(read.member[i], i == 0 || i == 9 || i == MEMBERS_MAX - 1);
	assert_true(announcement_has_address(&read));
	/* All of it, and nothing else. */
	assert_int_equal(announcement_read(&read, bytes, ANNOUNCEMENT_BYTES - 1), -EBADMSG);
	assert_int_equal(announcement_read(&read, bytes, ANNOUNCEMENT_BYTES + 1), -EBADMSG);
	assert_int_equal(announcement_read(&read, NULL, 0), -EBADMSG);
	assert_false(announcement_has_address(&read));
}

TEST(only_that_of_rank_0_decides)
{
	struct announcement announcement = sample();

	assert_true(announcement_is_first(&announcement, 9, MEMBERS_MAX));
	assert_true(announcement_is_first(&announcement, 0, MEMBERS_MAX));
	/* Who is not in it has come too late. */
	assert_false(announcement_is_first(&announcement, 8, MEMBERS_MAX));
	assert_false(announcement_is_first(&announcement, MEMBERS_MAX, MEMBERS_MAX));
	/* Nobody has a rank beyond the number of ranks. */
	assert_false(announcement_is_first(&announcement, 9, MEMBERS_MAX - 1));
	announcement.member[0] = false;
	assert_false(announcement_is_first(&announcement, 9, MEMBERS_MAX));
}
