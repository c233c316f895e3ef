// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* instance_id: asks the kernel for randomness, its boot id, and the time namespace. */
#include "instance_id.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#define BOOT_ID "/proc/sys/kernel/random/boot_id"

static int draw(void *out, size_t bytes)
{
	ssize_t got = getrandom(out, bytes, 0);

	return got < 0 ? -errno : (size_t)got < bytes ? -EIO : 0;
}

int instance_id_draw(uint64_t *instance)
{
	int rc = draw(instance, sizeof(*instance));

	*instance += !*instance;
	return rc;
}

static uint8_t nibble(char digit)
{
	return (uint8_t)(isdigit((unsigned char)digit) ? digit - '0'
						       : tolower((unsigned char)digit) - 'a' + 10);
}

/* Parses two hexadecimal digits per byte, with dashes anywhere between. False: malformed. */
static bool read_boot_id(uint8_t id[16])
{
	FILE *file = fopen(BOOT_ID, "re");
	char text[64] = "", digits[32];
	size_t count = 0;

	if (!file)
		return false;
	(void)!fgets(text, sizeof(text), file);
	fclose(file);
	for (const char *c = text; *c && count < sizeof(digits); c++) {
		if (isxdigit((unsigned char)*c))
			digits[count++] = *c;
	}
	for (size_t i = 0; count == sizeof(digits) && i < 16; i++)
		id[i] = (uint8_t)(nibble(digits[2 * i]) << 4 | nibble(digits[2 * i + 1]));
	return count == sizeof(digits);
}

int instance_id_clock(uint8_t id[16])
{
	struct stat time_namespace;
	uint64_t inode = 0;

	if (!read_boot_id(id))
		return draw(id, 16);
	/* A container may have a shifted clock; kernels before 5.6 have no such namespace. */
	if (!stat("/proc/self/ns/time", &time_namespace))
		inode = time_namespace.st_ino;
	for (size_t i = 0; i < sizeof(inode); i++)
		id[8 + i] ^= (uint8_t)(inode >> 8 * i);
	return 0;
}
