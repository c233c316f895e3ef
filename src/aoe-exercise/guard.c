// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* guard: looks at this host's own use of the target and at what is on the target's disk. */
#include "guard.h"

#include "discover.h"
#include "limits.h"

#include <errno.h>
#include <inttypes.h>
#include <netperf/guard.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define END_SECTORS 2048 /* the first and the last MiB: where signatures are */

int guard_local(const struct options *options, const struct np_log *log)
{
	struct np_guard_verdict verdict;
	char path[64];

	snprintf(path, sizeof(path), "/dev/etherd/e%" PRIu64 ".%" PRIu64, options->target.shelf,
		 options->target.slot);
	if (access(path, F_OK))
		return 0;
	if (np_guard_users(path, &verdict)) {
		np_log_warning(log, path, "cannot tell whether this host uses it");
		return 0;
	}
	if (verdict.reason == NP_GUARD_MOUNTED || verdict.reason == NP_GUARD_SWAP ||
	    verdict.reason == NP_GUARD_HELD) {
		np_log_error(log, path, "this host uses it: %s", verdict.text);
		return 2;
	}
	return 0;
}

/* "A, B and C", as far as there is room. */
static void name_all(char *out, size_t room, const struct target *answerers, unsigned count)
{
	char one[TARGET_DESCRIPTION_BYTES];
	size_t used = 0;

	for (unsigned i = 0; i < count && used < room; i++)
		used += (size_t)snprintf(out + used, room - used, "%s%s",
					 !i		 ? ""
					 : i + 1 < count ? ", "
							 : " and ",
					 target_describe(&answerers[i], one));
}

int guard_alone(const struct options *options, const struct target *answerers, unsigned count,
		const struct np_log *log)
{
	bool write = options->operation == OPERATION_WRITE;
	char who[DISCOVER_ONE_ROOM * TARGET_DESCRIPTION_BYTES], what[64];
	char name[TARGET_NAME_BYTES], mac[TARGET_MAC_BYTES];

	if (!answerers->ambiguous)
		return 0;
	snprintf(what, sizeof(what), "%s%u targets answer for it",
		 count == DISCOVER_ONE_ROOM ? "at least " : "", count);
	if (count == 1)
		snprintf(what, sizeof(what), "two targets, or a path that doubles every frame");
	target_name(answerers, name);
	name_all(who, sizeof(who), answerers, count);
	if (write) {
		np_log_error(log, name, "%s: %s; which one would be overwritten cannot be known",
			     what, who);
		return 2;
	}
	np_log_warning(log, name, "%s: %s; going on with %s", what, who,
		       target_mac(answerers->mac, mac));
	return 0;
}

/* Copies sectors @lba.. to the same place in the memory file. */
static int copy_part(struct wire *wire, struct target *target, int fd, uint64_t lba,
		     uint64_t sectors)
{
	unsigned most = limits_sectors(np_link_info(wire->link)->mtu);
	uint8_t data[255 * NP_AOE_SECTOR_BYTES];

	if (most > target->sector_count)
		most = target->sector_count;
	while (sectors) {
		uint8_t count = (uint8_t)(sectors < most ? sectors : most);
		size_t bytes = (size_t)count * NP_AOE_SECTOR_BYTES;
		int rc = target_read(wire, target, lba, count, data);

		if (rc)
			return rc;
		if (pwrite(fd, data, bytes, (off_t)(lba * NP_AOE_SECTOR_BYTES)) != (ssize_t)bytes)
			return -EIO;
		lba += count;
		sectors -= count;
	}
	return 0;
}

/* An image of the disk in memory: both ends as they are, a hole between. */
static int copy_ends(struct wire *wire, struct target *target, int fd)
{
	uint64_t sectors = target->identity.sectors;
	uint64_t ends = sectors < END_SECTORS ? sectors : END_SECTORS;
	int rc;

	if (ftruncate(fd, (off_t)(sectors * NP_AOE_SECTOR_BYTES)))
		return -errno;
	rc = copy_part(wire, target, fd, 0, ends);
	return rc ? rc : copy_part(wire, target, fd, sectors - ends, ends);
}

static int examine(struct wire *wire, struct target *target, struct np_guard_verdict *verdict)
{
	int fd = memfd_create("aoe-target", MFD_CLOEXEC), rc;

	if (fd < 0)
		return -errno;
	rc = copy_ends(wire, target, fd);
	if (!rc)
		rc = np_guard_content(fd, target->identity.sectors * NP_AOE_SECTOR_BYTES, verdict);
	close(fd);
	return rc;
}

int guard_remote(struct wire *wire, const struct options *options, struct target *target,
		 const struct np_log *log)
{
	struct np_guard_verdict verdict = {0};
	const char *destroy = options->target.destroy;
	char name[TARGET_NAME_BYTES], mac[TARGET_MAC_BYTES];
	int rc;

	target_name(target, name);
	if (destroy && strcmp(destroy, name)) {
		np_log_error(log, "--destroy", "'%s' is not the target; expected %s", destroy,
			     name);
		return 2;
	}
	rc = examine(wire, target, &verdict);
	if (rc) {
		np_log_error(log, name, "cannot look at what is on it: %s", strerror(-rc));
		return 2;
	}
	if (target->stranger.answers) {
		np_log_error(log, name, "%s answers for it, too",
			     target_mac(target->stranger.mac, mac));
		return 2;
	}
	if (verdict.reason != NP_GUARD_FREE && !destroy) {
		np_log_error(log, name, "%s; --destroy=%s overwrites it", verdict.text, name);
		return 2;
	}
	np_log_info(log,
		    "writing to %s: model '%s', serial '%s', %" PRIu64
		    " sectors, signatures: %s; mounts on other hosts cannot be seen from here",
		    name, target->identity.model, target->identity.serial, target->identity.sectors,
		    *verdict.signatures ? verdict.signatures : "none");
	return 0;
}
