// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* guard: signatures of file systems and volumes, wherever libblkid finds them. */
#include "support/guarded_file.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <netperf/pattern.h>
#include <string.h>
#include <unistd.h>

/* libblkid's superblocks/vmfs.c. */
static void vmfs_is_a_signature(void **state)
{
	static const uint8_t volume[4] = {0x0d, 0xd0, 0x01, 0xc0};
	static const uint8_t system[4] = {0x5e, 0xf1, 0xab, 0x2f};
	struct np_guard_verdict verdict;
	struct file file;

	(void)state;
	make_file(&file);
	put(&file, volume, sizeof(volume), 1 << 20);
	assert_string_equal(judge(&file).signatures, "VMFS_volume_member");
	put(&file, system, sizeof(system), 2 << 20);
	verdict = judge(&file);
	/* Both, each once, though one name is in the other. */
	assert_int_equal(strlen(verdict.signatures), strlen("VMFS_volume_member, VMFS"));
	assert_non_null(strstr(verdict.signatures, "VMFS_volume_member"));
	put(&file, (const uint8_t[4]){0}, 4, 1 << 20);
	put(&file, system, sizeof(system), 2 << 20);
	assert_string_equal(judge(&file).signatures, "VMFS");
	drop_file(&file);
}

static void a_file_system_is_a_signature(void **state)
{
	struct np_guard_verdict verdict;
	struct file file;

	(void)state;
	make_file(&file);
	put_ext_superblock(&file);
	verdict = judge(&file);
	assert_int_equal(verdict.reason, NP_GUARD_SIGNATURE);
	assert_true(verdict.destroyable);
	assert_string_equal(verdict.signatures, "ext2");
	assert_string_equal(verdict.text, "carries ext2 file system");
	assert_int_equal(np_guard_content(file.fd, FILE_BYTES, &verdict), 0);
	assert_int_equal(verdict.reason, NP_GUARD_SIGNATURE);
	drop_file(&file);
}

/* It is a file system's all the same, one that has been damaged. */
static void a_bad_checksum_is_a_signature(void **state)
{
	static const uint8_t checksummed = 4; /* metadata_csum, of the read-only features */
	struct file file;

	(void)state;
	make_file(&file);
	put_ext_superblock(&file);
	put(&file, &checksummed, 1, 1024 + 101);
	assert_int_equal(judge(&file).reason, NP_GUARD_SIGNATURE);
	assert_non_null(strstr(judge(&file).signatures, "ext"));
	drop_file(&file);
}

static void luks_is_a_signature(void **state)
{
	static const uint8_t header[8] = {'L', 'U', 'K', 'S', 0xba, 0xbe, 0, 1};
	struct file file;

	(void)state;
	make_file(&file);
	put(&file, header, sizeof(header), 0);
	assert_string_equal(judge(&file).signatures, "crypto_LUKS");
	drop_file(&file);
}

/* md metadata 1.0 lies 8 KiB before the end, on a 4 KiB boundary (md.4): magic, major 1, its own
 * sector. */
static void raid_at_the_end_is_a_signature(void **state)
{
	uint64_t sector = (FILE_BYTES >> 9) - 16;
	uint8_t super[256] = {0xfc, 0x4e, 0x2b, 0xa9, 1};
	struct np_guard_verdict verdict;
	struct file file;

	(void)state;
	make_file(&file);
	sector &= ~UINT64_C(7);
	for (unsigned i = 0; i < 8; i++)
		super[144 + i] = (uint8_t)(sector >> (8 * i));
	put(&file, super, sizeof(super), sector << 9);
	verdict = judge(&file);
	assert_int_equal(verdict.reason, NP_GUARD_SIGNATURE);
	assert_string_equal(verdict.signatures, "linux_raid_member");
	drop_file(&file);
}

static void a_stamped_file_with_a_signature_is_refused(void **state)
{
	struct np_pattern pattern = {.fill = NP_PATTERN_ZERO};
	static const uint8_t boot[2] = {0x55, 0xaa};
	uint8_t sectors[4096];
	struct file file;

	(void)state;
	make_file(&file);
	np_pattern_write(&pattern, sectors, 0, 8);
	put(&file, sectors, sizeof(sectors), 0);
	put(&file, boot, 2, 510);
	put_ext_superblock(&file);
	assert_int_equal(judge(&file).reason, NP_GUARD_SIGNATURE);
	drop_file(&file);
}

static void what_follows_the_last_sector_is_looked_at(void **state)
{
	struct file file;

	(void)state;
	make_file(&file);
	put(&file, "text", 4, 512);
	assert_int_equal(ftruncate(file.fd, 600), 0);
	assert_int_equal(judge(&file).reason, NP_GUARD_NOT_OURS);
	assert_non_null(strstr(judge(&file).text, "at byte 512 "));
	assert_int_equal(ftruncate(file.fd, 512), 0);
	assert_int_equal(judge(&file).reason, NP_GUARD_FREE);
	assert_int_equal(ftruncate(file.fd, 600), 0);
	assert_int_equal(judge(&file).reason, NP_GUARD_FREE);
	put(&file, "text", 4, 512);
	assert_int_equal(ftruncate(file.fd, 1024), 0);
	assert_int_equal(judge(&file).reason, NP_GUARD_NOT_OURS);
	assert_int_equal(ftruncate(file.fd, 0), 0);
	assert_int_equal(judge(&file).reason, NP_GUARD_FREE);
	assert_int_equal(np_guard_content(file.fd, 0, &(struct np_guard_verdict){0}), 0);
	drop_file(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vmfs_is_a_signature),
		cmocka_unit_test(a_file_system_is_a_signature),
		cmocka_unit_test(a_bad_checksum_is_a_signature),
		cmocka_unit_test(luks_is_a_signature),
		cmocka_unit_test(raid_at_the_end_is_a_signature),
		cmocka_unit_test(a_stamped_file_with_a_signature_is_refused),
		cmocka_unit_test(what_follows_the_last_sector_is_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
