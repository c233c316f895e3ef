// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of the guard on a made-up host: what the device mapper makes of which blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <netperf/clock.h>

#include "src/lib/guard_carries.h"
#include "src/lib/guard_layers.h"
#include "support/made_host.h"

static struct np_guard_verdict verdict;

static void judged(const char *path, enum np_guard_reason wanted, const char *text)
{
	made_judge(path, &verdict);
	made_expect(&verdict, wanted, text);
}

static void put_mapping(const char *name, unsigned number, const char *lower)
{
	char path[MADE_PATH], text[MADE_PATH];

	made_disk(name, makedev(253, number));
	made_member(name, lower);
	made_file(made_at(path, "/sys/devices/%s/dm/name", name), made_at(text, "map%u\n", number));
}

static void what_is_made_of_the_same_blocks_is_in_use(void **state)
{
	(void)state;
	made_disk("sda", makedev(8, 0));
	put_mapping("dm-0", 0, "sda");
	put_mapping("dm-1", 1, "sda");
	judged("/dev/dm-1", NP_GUARD_HELD,
	       "above it /dev/mapper/map0 is in use, made of the same blocks");
	judged("/dev/sda", NP_GUARD_HELD, "part of /dev/dm-0");
	made_disk("sdb", makedev(8, 16));
	put_mapping("dm-2", 2, "sdb");
	judged("/dev/dm-2", NP_GUARD_FREE, "");
}

/* Sectors 100 and 101 of a mapping are 5000 and 5001 of its disk; a loop device is on the second.
 */
static void a_part_of_a_mapping_is_a_part_of_its_disk(void **state)
{
	static const struct {
		struct dm_target_spec spec;
		char text[16];
	} table[] = {
		{{.length = 100, .next = sizeof(table[0]), .target_type = "linear"}, "8:0 0"},
		{{.sector_start = 100, .length = 2, .target_type = "linear"}, "8:0 5000"},
	};
	struct made_node *mapping, *loop, *other;

	(void)state;
	made_disk("sda", makedev(8, 0));
	put_mapping("dm-0", 0, "sda");
	made_file("/dev/mapper/control", "");
	mapping = &made_nodes[made_count - 1];
	mapping->table = table;
	mapping->table_bytes = sizeof(table);
	mapping->targets = 2;
	loop = made_disk("loop0", makedev(7, 0));
	made_attach(loop, 0, makedev(253, 0), "/dev/dm-0");
	loop->loop.lo_offset = 101 * 512;
	loop->loop.lo_sizelimit = 512;
	other = made_disk("loop1", makedev(7, 1));
	made_attach(other, 0, makedev(8, 0), "/dev/sda");
	other->loop.lo_sizelimit = 512;
	made_file("/proc/self/mountinfo", "1 1 7:0 / /mnt rw - ext4 /dev/loop0 rw\n");
	other->loop.lo_offset = 5000 * 512;
	judged("/dev/loop1", NP_GUARD_HELD,
	       "above it /dev/mapper/map0 is in use, made of the same blocks");
	other->loop.lo_offset = 5001 * 512;
	judged("/dev/loop1", NP_GUARD_MOUNTED, "loop device /dev/loop0 is mounted on /mnt");
	other->loop.lo_offset = 5002 * 512;
	judged("/dev/loop1", NP_GUARD_FREE, "");
}

/* Of two mappings one has no table that could be read: that of the other says nothing of it. */
static void each_mapping_has_its_own_table(void **state)
{
	static const struct {
		struct dm_target_spec spec;
		char text[16];
	} table = {{.length = 100, .target_type = "linear"}, "8:0 0"};
	struct made_node *loop;

	(void)state;
	made_disk("sda", makedev(8, 0));
	put_mapping("dm-0", 0, "sda");
	put_mapping("dm-1", 1, "sda");
	made_file("/dev/mapper/control", "");
	loop = made_disk("loop0", makedev(7, 0));
	made_file("/proc/self/mountinfo", "1 1 7:0 / /mnt rw - ext4 /dev/loop0 rw\n");
	for (size_t i = 1; i < 3; i++) {
		made_nodes[i] = (struct made_node){.device = made_nodes[i].device,
						   .table = &table,
						   .table_bytes = sizeof(table),
						   .targets = 1};
		made_nodes[3 - i].table = NULL;
		made_attach(loop, 0, made_nodes[3 - i].device, "/dev/dm");
		judged("/dev/sda", NP_GUARD_MOUNTED, "loop device /dev/loop0 is mounted on /mnt");
		made_attach(loop, 0, made_nodes[i].device, "/dev/dm");
		judged("/dev/sda", NP_GUARD_MOUNTED, "loop device /dev/loop0 is mounted on /mnt");
	}
}

#define TABLE_ROOM                                                                                 \
	(65536 - sizeof(struct dm_ioctl)) /* what the kernel is given for the targets              \
					   */

static void put_target(char *data, size_t at, struct dm_target_spec spec, const char *text)
{
	memcpy(data + at, &spec, sizeof(spec));
	strcpy(data + at + sizeof(spec), text);
}

/* A table of which only the beginning can be understood says nothing. */
static void a_faulty_table_adds_nothing(void **state)
{
	static char data[TABLE_ROOM], text[256];
	static const struct dm_target_spec linear = {.length = 8, .target_type = "linear"};
	struct dm_target_spec zero = {.length = 8, .target_type = "zero"};
	struct guard_layers layers = {0};

	(void)state;
	made_disk("sda", makedev(8, 0));
	put_mapping("dm-0", 0, "sda");
	made_file("/dev/mapper/control", "");
	made_nodes[1].table = data;
	made_nodes[1].table_bytes = sizeof(data);
	made_nodes[1].targets = 2;
	/* The second one ends with the table, without its text; another one is not aligned. */
	for (int i = 0; i < 3; i++) {
		const size_t at[] = {64, TABLE_ROOM - sizeof(zero), 65};

		memset(data, 0, sizeof(data));
		zero.next = (uint32_t)at[i];
		put_target(data, 0, zero, "");
		memcpy(data + at[i], &zero, sizeof(zero));
		assert_int_equal(guard_layers_read_mapping(&layers, makedev(253, 0)), i == 0);
	}
	/* The second one is of a kind that is not known. */
	memset(data, 0, sizeof(data));
	put_target(data, 0, linear, "8:0 0");
	((struct dm_target_spec *)(void *)data)->next = 64;
	put_target(data, 64, (struct dm_target_spec){.target_type = "crypt"}, "");
	assert_false(guard_layers_read_mapping(&layers, makedev(253, 0)));
	assert_int_equal(layers.count, 0);
	/* A number that is longer than any. */
	made_nodes[1].targets = 1;
	assert_true(guard_layers_read_mapping(&layers, makedev(253, 0)));
	assert_int_equal(layers.count, 1);
	snprintf(text, sizeof(text), "8:%0200d 0", 0);
	put_target(data, 0, linear, text);
	assert_false(guard_layers_read_mapping(&layers, makedev(253, 0)));
	assert_int_equal(layers.count, 1);
	guard_layers_free(&layers);
}

#define ON_HOST(test) cmocka_unit_test_setup_teardown(test, made_host_setup, made_host_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_HOST(what_is_made_of_the_same_blocks_is_in_use),
		ON_HOST(a_part_of_a_mapping_is_a_part_of_its_disk),
		ON_HOST(each_mapping_has_its_own_table),
		ON_HOST(a_faulty_table_adds_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
