// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of link: names, limits and the null variant; frames move in tests/net/link-variants.
 */
#include <errno.h>
#include <netperf/link.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

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

static void unknown_interfaces_are_no_device(void **state)
{
	(void)state;
	assert_int_equal(open_error("", &null_options), -ENODEV);
	assert_int_equal(open_error("nix0", &null_options), -ENODEV);
	assert_int_equal(open_error("a-name-of-sixteen", &null_options), -ENODEV);
	assert_int_equal(open_error("../../etc/passwd", &null_options), -ENODEV);
}

static void unknown_variants_are_not_supported(void **state)
{
	struct np_link_options options = null_options;

	(void)state;
	np_link_free(open_null());
	options.variant = "xdp";
	assert_int_equal(open_error("lo", &options), -EPROTONOSUPPORT);
	options.variant = "";
	assert_int_equal(open_error("lo", &options), -EPROTONOSUPPORT);
}

static void every_listed_variant_is_known(void **state)
{
	struct np_link_options options = null_options;
	unsigned count = 0;

	(void)state;
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

static void options_out_of_range_are_invalid(void **state)
{
	struct np_link_options options;

	(void)state;
	options = null_options;
	options.ethertype = 1500;
	assert_int_equal(open_error("lo", &options), -EINVAL);
	options = null_options;
	options.batch = 0;
	assert_int_equal(open_error("lo", &options), -EINVAL);
	options.batch = 1025;
	assert_int_equal(open_error("lo", &options), -EINVAL);
	options = null_options;
	options.frame_bytes = 13;
	assert_int_equal(open_error("lo", &options), -EINVAL);
	options.frame_bytes = SIZE_MAX;
	assert_int_equal(open_error("lo", &options), -EINVAL);
	options = null_options;
	options.filter_count = 1;
	assert_int_equal(open_error("lo", &options), -EINVAL);
}

static void loopback_is_described(void **state)
{
	const uint8_t no_mac[6] = {0};
	struct np_link *link = open_null();
	const struct np_link_info *info = np_link_info(link);

	(void)state;
	assert_string_equal(info->variant, "null");
	assert_string_equal(info->stamps, "user");
	assert_int_not_equal(info->index, 0);
	assert_memory_equal(info->mac, no_mac, sizeof(no_mac));
	assert_true(info->up);
	np_link_free(link);
}

static void null_counts_what_it_swallows(void **state)
{
	uint8_t data[1514] = {0};
	struct np_frame frames[8];
	struct np_link_stats stats;
	struct np_link *link = open_null();

	(void)state;
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
	assert_int_equal(stats.received, 0);
	assert_int_equal(stats.dropped, 0);
	assert_true(stats.dropped_known);
	np_link_free(link);
}

static void null_refuses_frames_above_the_mtu(void **state)
{
	uint8_t data[14] = {0};
	struct np_frame frames[2] = {{.data = data, .length = sizeof(data)}, {.data = data}};
	struct np_link *link = open_null();

	(void)state;
	/* Its bytes are never looked at. */
	frames[1].length = np_link_info(link)->mtu + 15;
	assert_int_equal(np_link_send(link, frames, 2), 1);
	assert_int_equal(np_link_send(link, frames + 1, 1), -EMSGSIZE);
	frames[1].length--;
	assert_int_equal(np_link_send(link, frames, 2), 2);
	np_link_free(link);
}

static void wait_ends_at_the_deadline(void **state)
{
	struct np_link *link = open_null();
	np_time begin = np_clock_now();

	(void)state;
	assert_int_equal(np_link_wait(link, -1, begin + 20 * NP_MILLISECOND), 0);
	assert_true(np_clock_now() >= begin + 20 * NP_MILLISECOND);
	assert_int_equal(np_link_wait(link, -1, begin), 0);
	np_link_free(link);
}

static void wait_ends_for_the_other_descriptor(void **state)
{
	struct np_link *link = open_null();
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_int_equal(np_link_wait(link, ends[0], NP_TIME_NEVER), 0);
	close(ends[0]);
	close(ends[1]);
	np_link_free(link);
}

static void freeing_nothing_is_allowed(void **state)
{
	(void)state;
	np_link_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unknown_interfaces_are_no_device),
		cmocka_unit_test(unknown_variants_are_not_supported),
		cmocka_unit_test(every_listed_variant_is_known),
		cmocka_unit_test(options_out_of_range_are_invalid),
		cmocka_unit_test(loopback_is_described),
		cmocka_unit_test(null_counts_what_it_swallows),
		cmocka_unit_test(null_refuses_frames_above_the_mtu),
		cmocka_unit_test(wait_ends_at_the_deadline),
		cmocka_unit_test(wait_ends_for_the_other_descriptor),
		cmocka_unit_test(freeing_nothing_is_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
