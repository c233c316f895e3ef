// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* guard_suspects: looks for users of loop devices whose file is not known. */
#include "guard_suspects.h"

#include "guard_users.h"
#include "sysfs.h"

#include <netperf/units.h>
#include <stdio.h>
#include <sys/stat.h>

/* What cannot be read counts as 0, so that the device may be anywhere. */
static uint64_t read_number(dev_t loop, const char *attribute, uint64_t most)
{
	char line[32];
	uint64_t number;

	if (sysfs_read_block(loop, attribute, line, sizeof(line)) ||
	    np_units_parse_count(line, 0, most, &number))
		return 0;
	return number;
}

static bool is_too_large(dev_t loop, uint64_t bytes)
{
	const uint64_t offset = read_number(loop, "loop/offset", UINT64_MAX);

	return offset > bytes || read_number(loop, "size", UINT64_MAX / 512) * 512 > bytes - offset;
}

/* A device is no file: a loop device with a file, whichever it is, does not stand on it. */
static bool is_on_a_file(dev_t loop)
{
	char path[SYSFS_PATH_BYTES];
	struct stat status;

	return sysfs_read_block(loop, "loop/backing_file", path, sizeof(path)) == 0 &&
	       stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* Writes its user, or whoever uses what is above it, to @used; notes in @seen what was not seen. */
static int find_user(const struct guard_layers *layers, dev_t loop, np_time limit,
		     struct guard_layers *seen, char used[GUARD_TEXT_BYTES])
{
	const struct guard_place place = {.device = loop};
	struct storage_relatives relatives;
	struct storage_relative *self;
	char name[64];
	int found = storage_relatives_collect(&relatives, &place, layers);

	if (!found) {
		self = &relatives.relative[0];
		self->side = GUARD_ABOVE;
		self->kind = GUARD_LOOP;
		if (sysfs_name(loop, name, sizeof(name)))
			sysfs_guess_name(loop, name, sizeof(name));
		snprintf(self->text, sizeof(self->text), "loop device /dev/%s is ", name);
		/* Without a table of mounts, that nobody holds it shows that it is not mounted. */
		found = guard_users_mounted(&relatives, NULL, used);
		if (found <= 0)
			found = guard_users_btrfs(&relatives, used);
		if (found <= 0)
			found = guard_users_swap(&relatives, NULL, used);
		if (found <= 0)
			found = guard_users_held(&relatives, NULL, limit, seen, used);
	}
	storage_relatives_free(&relatives);
	return found;
}

int guard_suspects_used(const struct guard_layers *layers, const struct guard_place *operand,
			uint64_t bytes, np_time limit, char text[GUARD_TEXT_BYTES])
{
	struct guard_layers seen = {0};
	char used[GUARD_TEXT_BYTES];
	int found = 0;

	for (size_t i = 0; !found && i < layers->suspects && i < GUARD_SUSPECTS; i++) {
		const dev_t loop = layers->suspect[i];

		if (operand->inode != 0 ? is_too_large(loop, bytes) : is_on_a_file(loop))
			continue;
		found = find_user(layers, loop, limit, &seen, used);
	}
	if (found > 0)
		snprintf(text, GUARD_TEXT_BYTES, "%.120s, and may stand on it: %.110s", used,
			 layers->blind);
	else if (!found && (seen.blind[0] != '\0' || layers->suspects > GUARD_SUSPECTS))
		snprintf(text, GUARD_TEXT_BYTES, "may be in use: %.220s", layers->blind);
	return found ? found : seen.blind[0] != '\0' || layers->suspects > GUARD_SUSPECTS;
}
