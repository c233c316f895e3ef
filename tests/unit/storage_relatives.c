// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* storage_relatives: who shares storage with whom, in made-up stacks of devices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "src/lib/guard_btrfs.h"
#include "src/lib/guard_lock.h"
#include "src/lib/storage_relatives.h"

#define MIB (UINT64_C(1) << 20)

/* Numbers that no device here has: nothing is looked up of them. */
static struct guard_place device(unsigned number)
{
	return (struct guard_place){.device = makedev(4000, number)};
}

static struct guard_place file(ino_t inode)
{
	return (struct guard_place){makedev(4001, 0), inode};
}

static void stand(struct guard_layers *layers, enum guard_layer_kind kind, struct guard_place upper,
		  struct guard_place lower, uint64_t begin, uint64_t bytes)
{
	struct guard_layer layer = {.kind = kind, .upper = upper, .lower = lower};

	layer.lower_begin = begin;
	layer.bytes = bytes;
	assert_int_equal(guard_layers_add(layers, &layer), 0);
}

static void stand_scattered(struct guard_layers *layers, unsigned upper, unsigned lower)
{
	struct guard_layer layer = {.kind = GUARD_MEMBER, .scattered = true, .bytes = GUARD_WHOLE};

	layer.upper = device(upper);
	layer.lower = device(lower);
	assert_int_equal(guard_layers_add(layers, &layer), 0);
}

static bool shares(const struct guard_layers *layers, struct guard_place operand,
		   struct guard_place other)
{
	struct storage_relatives relatives;
	bool found;

	assert_int_equal(storage_relatives_collect(&relatives, &operand, layers), 0);
	found = storage_relatives_find(&relatives, &other) != NULL;
	storage_relatives_free(&relatives);
	return found;
}

/* 1 on a file, 2 on 1, 3 on the second half of the file. */
static void chains_of_loop_devices_meet_on_the_ground(void **state)
{
	struct guard_layers layers = {0};

	(void)state;
	stand(&layers, GUARD_LOOP, device(2), device(1), 0, GUARD_WHOLE);
	stand(&layers, GUARD_LOOP, device(3), file(7), 32 * MIB, GUARD_WHOLE);
	stand(&layers, GUARD_LOOP, device(1), file(7), 0, GUARD_WHOLE);
	stand(&layers, GUARD_LOOP, device(4), file(8), 0, GUARD_WHOLE);
	assert_true(shares(&layers, device(2), device(3)));
	assert_true(shares(&layers, device(3), device(2)));
	assert_true(shares(&layers, file(7), device(2)));
	assert_false(shares(&layers, device(2), device(4)));
	assert_false(shares(&layers, file(8), device(3)));
	/* The same inode number of another file system is another file. */
	assert_false(shares(&layers, (struct guard_place){makedev(4002, 0), 7}, device(1)));
	guard_layers_free(&layers);
}

static void partitions_beside_each_other_share_nothing(void **state)
{
	struct guard_layers layers = {0};

	(void)state;
	stand(&layers, GUARD_PARTITION, device(11), device(10), MIB, 16 * MIB);
	stand(&layers, GUARD_PARTITION, device(12), device(10), 17 * MIB, 16 * MIB);
	stand(&layers, GUARD_PARTITION, device(13), device(10), 32 * MIB, MIB); /* into 12 */
	assert_false(shares(&layers, device(11), device(12)));
	assert_true(shares(&layers, device(12), device(13)));
	assert_true(shares(&layers, device(11), device(10)));
	assert_true(shares(&layers, device(10), device(12)));
	guard_layers_free(&layers);
}

/* Two volumes over the same sectors, one beside them, and a loop device through one of them. */
static void linear_volumes_share_what_overlaps(void **state)
{
	struct guard_layers layers = {0};

	(void)state;
	stand(&layers, GUARD_MEMBER, device(21), device(20), 0, 8 * MIB);
	stand(&layers, GUARD_MEMBER, device(22), device(20), 7 * MIB, 8 * MIB);
	stand(&layers, GUARD_MEMBER, device(23), device(20), 15 * MIB, 8 * MIB);
	stand(&layers, GUARD_LOOP, device(24), device(22), 0, MIB);
	assert_true(shares(&layers, device(21), device(22)));
	assert_true(shares(&layers, device(22), device(21)));
	assert_false(shares(&layers, device(22), device(23)));
	assert_true(shares(&layers, device(24), device(21)));
	assert_false(shares(&layers, device(24), device(23)));
	guard_layers_free(&layers);
}

/* An array of two disks, partitioned; another disk beside them. */
static void members_of_an_array_share_all_of_it(void **state)
{
	struct guard_layers layers = {0};

	(void)state;
	stand_scattered(&layers, 30, 31);
	stand_scattered(&layers, 30, 32);
	stand(&layers, GUARD_PARTITION, device(33), device(30), MIB, MIB);
	stand(&layers, GUARD_PARTITION, device(34), device(32), MIB, MIB);
	stand(&layers, GUARD_LOOP, device(35), device(31), 0, 1);
	assert_true(shares(&layers, device(33), device(35)));
	assert_true(shares(&layers, device(31), device(33)));
	assert_true(shares(&layers, device(33), device(32)));
	assert_true(shares(&layers, device(33), device(34)));
	/* What is written to one member is seen through the array, not on the other member. */
	assert_false(shares(&layers, device(31), device(32)));
	guard_layers_free(&layers);
}

static void circles_end(void **state)
{
	struct guard_layers layers = {0}, creeping = {0};
	struct guard_place operand = device(40);
	struct storage_relatives relatives;

	(void)state;
	stand_scattered(&layers, 40, 41);
	stand_scattered(&layers, 41, 40);
	assert_true(shares(&layers, device(40), device(41)));
	guard_layers_free(&layers);
	stand(&creeping, GUARD_LOOP, device(40), device(41), 512, MIB);
	stand(&creeping, GUARD_LOOP, device(41), device(40), 512, GUARD_WHOLE);
	/* Each turn leads to other bytes until these are beyond the end. */
	assert_true(shares(&creeping, device(40), device(41)));
	creeping.layer[0].bytes = GUARD_WHOLE;
	creeping.layer[0].lower_begin = 0;
	creeping.layer[1].lower_begin = 0;
	assert_int_equal(storage_relatives_collect(&relatives, &operand, &creeping), 0);
	storage_relatives_free(&relatives);
	guard_layers_free(&creeping);
}

/* Ends at the largest number wrap around nowhere. */
static void the_end_of_everything_is_reached(void **state)
{
	struct guard_layers layers = {0};

	(void)state;
	stand(&layers, GUARD_LOOP, device(51), device(50), UINT64_MAX - 10, GUARD_WHOLE);
	stand(&layers, GUARD_LOOP, device(52), device(50), 0, 512);
	assert_true(shares(&layers, device(50), device(51)));
	assert_false(shares(&layers, device(51), device(52)));
	guard_layers_free(&layers);
}

static void a_deep_stack_is_followed_to_the_ground(void **state)
{
	struct guard_layers layers = {0};

	(void)state;
	for (unsigned i = 100; i < 400; i++)
		stand(&layers, GUARD_LOOP, device(i + 1), device(i), 0, GUARD_WHOLE);
	stand(&layers, GUARD_LOOP, device(60), device(100), 0, GUARD_WHOLE);
	assert_true(shares(&layers, device(400), device(60)));
	guard_layers_free(&layers);
}

static void what_was_not_seen_is_kept_by_weight(void **state)
{
	struct guard_layers layers = {0};

	(void)state;
	guard_layers_blind(&layers, true, "loop %d", 3);
	assert_string_equal(layers.blind, "loop 3");
	assert_true(layers.blind_to_loops);
	guard_layers_blind(&layers, true, "loop %d", 4);
	assert_string_equal(layers.blind, "loop 3");
	guard_layers_blind(&layers, false, "all");
	guard_layers_blind(&layers, true, "loop");
	assert_string_equal(layers.blind, "all");
	assert_false(layers.blind_to_loops);
}

/* SYSTEM/devices/disk-NUMBER/dev below @folder, as /sys/fs/btrfs has it; or they go again. */
static void put_disk(const char *folder, const char *system, unsigned number, bool is_there)
{
	static const char *const tails[] = {"%s/%s", "%s/%s/devices", "%s/%s/devices/disk-%u"};
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s/devices/disk-%u/dev", folder, system, number);
	if (!is_there)
		assert_int_equal(unlink(path), 0);
	for (int i = 0; i < 3; i++) {
		char at[128];

		snprintf(at, sizeof(at), tails[is_there ? i : 2 - i], folder, system, number);
		(void)(is_there ? mkdir(at, 0700) : rmdir(at));
	}
	if (!is_there)
		return;
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%u:%u\n", major(device(number).device), minor(device(number).device));
	fclose(file);
}

/* Disk 51 and 52 are one btrfs, 53 and 54 another; a loop device stands on 52. */
static void a_btrfs_has_all_its_disks(void **state)
{
	char folder[] = "/tmp/netperf-btrfs.XXXXXX", uuid[GUARD_BTRFS_UUID_BYTES];
	struct guard_place operand = device(55);
	struct guard_layers layers = {0};
	const struct storage_relative *found;
	struct storage_relatives relatives;

	(void)state;
	assert_non_null(mkdtemp(folder));
	for (unsigned i = 51; i <= 54; i++)
		put_disk(folder, i < 53 ? "one" : "other", i, true);
	stand(&layers, GUARD_LOOP, operand, device(52), 0, GUARD_WHOLE);
	assert_int_equal(storage_relatives_collect(&relatives, &operand, &layers), 0);
	assert_int_equal(guard_btrfs_find(folder, &relatives, 0, uuid, &found), 1);
	assert_int_equal(found->place.device, device(52).device);
	assert_string_equal(uuid, "one");
	/* Whichever of its disks is named, and only by its own. */
	for (unsigned i = 51; i <= 53; i++) {
		const int wanted = i < 53;

		found = NULL;
		assert_int_equal(
			guard_btrfs_find(folder, &relatives, device(i).device, uuid, &found),
			wanted);
		assert_int_equal(found && found->place.device == device(52).device, wanted);
	}
	put_disk(folder, "one", 52, false);
	assert_int_equal(guard_btrfs_find(folder, &relatives, device(51).device, uuid, &found), 0);
	assert_int_equal(guard_btrfs_find(folder, &relatives, 0, uuid, &found), 0);
	assert_int_equal(guard_btrfs_find("/nowhere", &relatives, 0, uuid, &found), 0);
	for (unsigned i = 51; i <= 54; i++) {
		if (i != 52)
			put_disk(folder, i < 53 ? "one" : "other", i, false);
	}
	assert_int_equal(rmdir(folder), 0);
	storage_relatives_free(&relatives);
	guard_layers_free(&layers);
}

static void a_line_of_locks_names_its_file(void **state)
{
	const struct guard_place place = {makedev(0xfe, 0x1a), 9986071};
	static const char *const others[] = {
		"1: OFDLCK ADVISORY  WRITE -1 fe:1b:9986071 0 EOF\n",
		"1: OFDLCK ADVISORY  WRITE -1 fd:1a:9986071 0 EOF\n",
		"1: OFDLCK ADVISORY  WRITE -1 fe:1a:998607 0 EOF\n",
		"1: OFDLCK ADVISORY  WRITE -1 <none>:0 0 EOF\n",
		"1:\n",
		"",
	};

	(void)state;
	assert_true(guard_lock_is_of("1: OFDLCK ADVISORY  WRITE -1 fe:1a:9986071 0 EOF\n", &place));
	assert_true(
		guard_lock_is_of("27: POSIX  ADVISORY  READ  812 fe:1a:9986071 128 128\n", &place));
	assert_true(guard_lock_is_of("2: -> OFDLCK ADVISORY WRITE -1 fe:1a:9986071 0 EOF", &place));
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_false(guard_lock_is_of(others[i], &place));
}

static void a_line_of_locks_names_its_owner(void **state)
{
	(void)state;
	assert_int_equal(guard_lock_owner("27: POSIX  ADVISORY  READ  812 fe:1a:9986071 128 128\n"),
			 812);
	assert_int_equal(guard_lock_owner("1: FLOCK  ADVISORY  WRITE 7 00:13:11 0 EOF\n"), 7);
	assert_int_equal(guard_lock_owner("1: OFDLCK ADVISORY  WRITE -1 fe:1a:9986071 0 EOF\n"),
			 -1);
	assert_int_equal(guard_lock_owner("1:"), 0);
	assert_int_equal(guard_lock_owner(""), 0);
	assert_true(guard_lock_is_lock("1: OFDLCK ADVISORY  WRITE -1 fe:1a:9986071 0 EOF\n"));
	assert_true(guard_lock_is_lock("lock:\t1: FLOCK  ADVISORY  WRITE 7 00:13:11 0 EOF\n"));
	assert_true(guard_lock_is_lock("2: POSIX  ADVISORY  READ  812 fe:1a:9986071 128 128\n"));
	assert_false(guard_lock_is_lock("1: LEASE  ACTIVE    WRITE 5 fe:1a:9986071 0 EOF\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains_of_loop_devices_meet_on_the_ground),
		cmocka_unit_test(partitions_beside_each_other_share_nothing),
		cmocka_unit_test(linear_volumes_share_what_overlaps),
		cmocka_unit_test(members_of_an_array_share_all_of_it),
		cmocka_unit_test(circles_end),
		cmocka_unit_test(the_end_of_everything_is_reached),
		cmocka_unit_test(a_deep_stack_is_followed_to_the_ground),
		cmocka_unit_test(what_was_not_seen_is_kept_by_weight),
		cmocka_unit_test(a_btrfs_has_all_its_disks),
		cmocka_unit_test(a_line_of_locks_names_its_file),
		cmocka_unit_test(a_line_of_locks_names_its_owner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
