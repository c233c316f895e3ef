// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* guard_content: signatures at both ends by libblkid, and the stamps of earlier tests. */
#include "guard_content.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <netperf/pattern.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOK_BYTES (UINT64_C(1) << 20)

static bool listed(const char *list, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = strstr(list, name); at; at = strstr(at + 1, name)) {
		if ((at == list || at[-1] == ' ') && (at[length] == '\0' || at[length] == ','))
			return true;
	}
	return false;
}

static void add_signature(struct np_guard_verdict *verdict, const char *name, const char *what)
{
	size_t used = strlen(verdict->signatures);

	if (listed(verdict->signatures, name))
		return;
	if (used == 0)
		snprintf(verdict->text, sizeof(verdict->text), "carries %s%s", name, what);
	snprintf(verdict->signatures + used, sizeof(verdict->signatures) - used, "%s%s",
		 used ? ", " : "", name);
}

static void add_found(blkid_probe probe, struct np_guard_verdict *verdict)
{
	const char *name, *usage;

	if (blkid_probe_lookup_value(probe, "TYPE", &name, NULL) == 0) {
		if (blkid_probe_lookup_value(probe, "USAGE", &usage, NULL))
			usage = "";
		add_signature(verdict, name,
			      strcmp(usage, "filesystem") == 0 ? " file system" : "");
	}
	if (blkid_probe_lookup_value(probe, "PTTYPE", &name, NULL) == 0)
		add_signature(verdict, name, " partition table");
}

/*
 * As wipefs(8) asks: every signature, not the most likely one; a GPT also by its backup when
 * the first sectors are gone.
 */
static int probe_all(int fd, uint64_t bytes, unsigned sector_bytes,
		     struct np_guard_verdict *verdict)
{
	blkid_probe probe = blkid_new_probe();
	int result;

	if (!probe)
		return -ENOMEM;
	if (blkid_probe_set_device(probe, fd, 0, (blkid_loff_t)bytes)) {
		blkid_free_probe(probe);
		return -EIO;
	}
	blkid_probe_set_sectorsize(probe, sector_bytes);
	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE |
							 BLKID_SUBLKS_MAGIC | BLKID_SUBLKS_BADCSUM);
	blkid_probe_enable_partitions(probe, 1);
	blkid_probe_set_partitions_flags(probe, BLKID_PARTS_MAGIC | BLKID_PARTS_FORCE_GPT);
	while ((result = blkid_do_probe(probe)) == 0)
		add_found(probe, verdict);
	blkid_free_probe(probe);
	return result < 0 ? -EIO : 0;
}

/* A table may have been made for sectors of another size than these have now. */
int guard_content_signatures(int fd, uint64_t bytes, struct np_guard_verdict *verdict)
{
	int error;

	if (bytes == 0)
		return 0;
	error = probe_all(fd, bytes, 512, verdict);
	return error ? error : probe_all(fd, bytes, 4096, verdict);
}

int guard_content_foreign(int fd, uint64_t bytes)
{
	size_t want = (size_t)(bytes < LOOK_BYTES ? bytes : LOOK_BYTES);
	size_t got = 0;
	ssize_t result = 1;
	uint8_t *data;
	int foreign;

	want -= want % NP_PATTERN_SECTOR_BYTES;
	data = malloc(want + 1);
	if (!data)
		return -ENOMEM;
	while (got < want && result > 0) {
		result = pread(fd, data + got, want - got, (off_t)got);
		got += result > 0 ? (size_t)result : 0;
	}
	foreign = result < 0 ? -errno : !np_pattern_ours(data, got - got % NP_PATTERN_SECTOR_BYTES);
	free(data);
	return foreign;
}

int np_guard_content(int fd, uint64_t bytes, struct np_guard_verdict *verdict)
{
	int error;

	memset(verdict, 0, sizeof(*verdict));
	error = guard_content_signatures(fd, bytes, verdict);
	if (error)
		return error;
	if (verdict->signatures[0] != '\0') {
		verdict->reason = NP_GUARD_SIGNATURE;
		verdict->destroyable = true;
	}
	return 0;
}
