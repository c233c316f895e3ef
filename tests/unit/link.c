// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of link: names, limits and the null variant; frames move in tests/net/link-variants.
 */
#include "support/unit.h"

#include <netperf/link.h>
#include <poll.h>

static const struct np_link_options null_options = {
	.variant = "null",
	.ethertype = 0x88b5,
	.frame_bytes = 1514,
	.batch = 4,
};

static struct np_link *open_null(void)
{
	struct np_link *link;
	int error = np_link_open(&link, "lo", &null_options);

	if (error == -ENETDOWN)
		skip();
	assert_int_equal(error, 0);
	return link;
}

static int open_error(const char *interface, const struct np_link_options *options)
{
	struct np_link *link = (struct np_link *)&null_options;
	int error = np_link_open(&link, interface, options);

	if (error)
		assert_null(link);
	np_link_free(link);
	return error;
}

TEST(unknown_interfaces_are_no_device)
{
	assert_int_equal(open_error("", &null_options), -ENODEV);
	assert_int_equal(open_error("nix0", &null_options), -ENODEV);
	assert_int_equal(open_error("a-name-of-sixteen", &null_options), -ENODEV);
	assert_int_equal(open_error("../../etc/passwd", &null_options), -ENODEV);
}

TEST(unknown_variants_are_not_supported)
{
	struct np_link_options options = null_options;

	np_link_free(open_null());
	options.variant = "xdp";
	assert_int_equal(open_error("lo", &options), -EPROTONOSUPPORT);
	options.variant = "";
	assert_int_equal(open_error("lo", &options), -EPROTONOSUPPORT);
}

TEST(every_listed_variant_is_known)
{
	struct np_link_options options = null_options;
	unsigned count = 0;

	np_link_free(open_null());
	assert_string_equal(np_link_variants[0], "auto");
	for (const char *const *name = np_link_variants; *name; name++, count++) {
		int error;

		options.variant = *name;
		error = open_error("lo", &options);
		assert_true(error == 0 || error == -EPERM);
	}
	assert_int_equal(count, 5);
}

TEST(options_out_of_range_are_invalid)
{
	static const struct np_link_options wrong[] = {
		{.ethertype = 1500, .frame_bytes = 1514, .batch = 4},
		{.ethertype = 0x88b5, .frame_bytes = 1514, .batch = 0},
		{.ethertype = 0x88b5, .frame_bytes = 1514, .batch = 1025},
		{.ethertype = 0x88b5, .frame_bytes = 13, .batch = 4},
		{.ethertype = 0x88b5, .frame_bytes = SIZE_MAX, .batch = 4},
		{.ethertype = 0x88b5, .frame_bytes = 1514, .batch = 4, .filter_count = 1},
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(open_error("lo", &wrong[i]), -EINVAL);
}

TEST(loopback_is_described)
{
	const uint8_t no_mac[6] = {0};
	struct np_link *link = open_null();
	const struct np_link_info *info = np_link_info(link);

	assert_string_equal(info->variant, "null");
	assert_string_equal(info->stamps, "user");
	assert_int_not_equal(info->index, 0);
	assert_memory_equal(info->mac, no_mac, sizeof(no_mac));
	np_link_free(link);
}

TEST(null_counts_what_it_swallows)
{
	uint8_t data[1514] = {0};
	struct np_frame frames[8];
	struct np_link_stats stats;
	struct np_link *link = open_null();

	for (unsigned i = 0; i < 8; i++)
		frames[i] = (struct np_frame){.data = data, .length = sizeof(data)};
	assert_int_equal(np_link_send(link, frames, 0), 0);
	assert_int_equal(np_link_send(link, frames, 3), 3);
	/* No more than a batch. */
	assert_int_equal(np_link_send(link, frames, 8), 4);
	assert_int_equal(np_link_receive(link, frames, 8), 0);
	assert_int_equal(np_link_stats(link, &stats), 0);
	assert_int_equal(stats.sent, 7);
	assert_int_equal(stats.send_refused, 0);
	assert_int_equal(stats.dropped, 0);
	np_link_free(link);
}

TEST(null_refuses_frames_above_the_mtu)
{
	uint8_t data[14] = {0};
	struct np_frame frames[2] = {{.data = data, .length = sizeof(data)}, {.data = data}};
	struct np_link *link = open_null();

	/* Its bytes are never looked at. */
	frames[1].length = np_link_info(link)->mtu + 15;
	assert_int_equal(np_link_send(link, frames, 2), 1);
	assert_int_equal(np_link_send(link, frames + 1, 1), -EMSGSIZE);
	frames[1].length--;
	assert_int_equal(np_link_send(link, frames, 2), 2);
	np_link_free(link);
}

TEST(wait_ends_at_the_deadline)
{
	struct np_link *link = open_null();
	np_time begin = np_clock_now();

	assert_int_equal(np_link_wait(link, -1, begin + 20 * NP_MILLISECOND), 0);
	assert_true(np_clock_now() >= begin + 20 * NP_MILLISECOND);
	assert_int_equal(np_link_wait(link, -1, begin), 0);
	np_link_free(link);
}

TEST(wait_ends_for_the_other_descriptor)
{
	struct np_link *link = open_null();
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_int_equal(np_link_wait(link, ends[0], NP_TIME_NEVER), 0);
	close(ends[0]);
	close(ends[1]);
	np_link_free(link);
}

TEST(freeing_nothing_is_allowed)
{
	np_link_free(NULL);
}
