// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* guard_erofs: compares the UUID in the superblock with those of mounted file systems. */
#include "guard_erofs.h"

#include "guard_spaces.h"
#include "mountinfo.h"
#include "stacked.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* fs/erofs/erofs_fs.h */
#define SUPER_OFFSET 1024
#define SUPER_MAGIC  UINT32_C(0xe0f5e1e2)
#define UUID_OFFSET  48
#define SUPER_BYTES  64

/* Combines both halves of the UUID by xor, as statfs(2) does. Returns false: no EROFS. */
static bool read_id(int fd, uint64_t *id)
{
	uint8_t super[SUPER_BYTES];
	uint64_t half[2];
	uint32_t magic;

	if (pread(fd, super, sizeof(super), SUPER_OFFSET) != (ssize_t)sizeof(super))
		return false;
	memcpy(&magic, super, sizeof(magic));
	memcpy(half, super + UUID_OFFSET, sizeof(half));
	*id = le64toh(half[0]) ^ le64toh(half[1]);
	return le32toh(magic) == SUPER_MAGIC;
}

/* A mount of a block device is known by that device. */
static bool is_of_file(const struct mountinfo *mount)
{
	return strcmp(mount->type, "erofs") == 0 && strncmp(mount->device, "0:", 2) == 0;
}

/* Whether an EROFS with @id is what is seen at @path. -ENOENT: no EROFS is. */
static int has_id(const char *path, uint64_t id)
{
	struct statfs status;
	uint32_t half[2];

	if (statfs(path, &status) < 0 || (uint32_t)status.f_type != SUPER_MAGIC)
		return -ENOENT;
	memcpy(half, &status.f_fsid, sizeof(half));
	return (half[0] | (uint64_t)half[1] << 32) == id;
}

static int compare(const struct mountinfo *mount, uint64_t id, struct guard_layers *layers,
		   char text[GUARD_TEXT_BYTES])
{
	int found = has_id(mount->point, id);

	if (found < 0) {
		guard_layers_blind(layers, false,
				   "cannot see whether it is the EROFS that is mounted on %.100s, "
				   "below another mount",
				   mount->point);
		return 0;
	}
	if (found)
		snprintf(text, GUARD_TEXT_BYTES, "mounted on %.160s, by the UUID of its EROFS",
			 mount->point);
	return found;
}

struct search {
	uint64_t id;
	char *text;
};

/* Another namespace's table. What is out of sight there is no reason: the file is open then. */
static int search_table(void *owner, const char *table, pid_t process)
{
	const struct search *search = owner;
	char *line = NULL, path[PATH_MAX + 32];
	struct mountinfo mount;
	size_t room = 0;
	int found = 0;
	FILE *file = fopen(table, "re");

	while (file && found <= 0 && getline(&line, &room, file) > 0) {
		if (!mountinfo_parse(line, &mount) || !is_of_file(&mount))
			continue;
		snprintf(path, sizeof(path), "/proc/%d/root%s", (int)process, mount.point);
		found = has_id(path, search->id);
		if (found > 0)
			snprintf(search->text, GUARD_TEXT_BYTES,
				 "mounted on %.120s in the mount namespace of process %d, by the "
				 "UUID of its EROFS",
				 mount.point, (int)process);
	}
	free(line);
	if (file)
		fclose(file);
	return found > 0;
}

int guard_erofs_mounted(int fd, struct guard_layers *layers, char text[GUARD_TEXT_BYTES])
{
	struct mountinfo mount;
	char *line = NULL;
	size_t room = 0;
	uint64_t id;
	int found = 0;
	FILE *file;

	if (!read_id(fd, &id))
		return 0;
	file = mountinfo_open("/proc/self/mountinfo");
	while (file && !found && getline(&line, &room, file) > 0) {
		if (mountinfo_parse(line, &mount) && is_of_file(&mount))
			found = compare(&mount, id, layers, text);
	}
	free(line);
	if (file)
		fclose(file);
	return found ? found : guard_spaces_each(search_table, &(struct search){id, text});
}

bool guard_erofs_is_open(int fd)
{
	struct stat status;
	uint64_t id;

	if (!read_id(fd, &id) || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) ||
	    stacked_kind(fd) != STACKED_NOT || fcntl(fd, F_SETSIG, SIGWINCH) < 0)
		return false;
	if (fcntl(fd, F_SETLEASE, F_WRLCK) < 0)
		return errno == EAGAIN;
	(void)fcntl(fd, F_SETLEASE, F_UNLCK);
	return false;
}
