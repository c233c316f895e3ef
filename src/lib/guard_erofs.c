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
#define SUPER_OFFSET   1024
#define SUPER_MAGIC    UINT32_C(0xe0f5e1e2)
#define UUID_OFFSET    48
#define DEVICES_OFFSET 86
#define SUPER_BYTES    88

/*
 * Combines both halves of the UUID by xor, as statfs(2) does, of the EROFS at @offset. @more: it
 * has further files. Returns false: no EROFS.
 */
static bool read_super(int fd, uint64_t offset, uint64_t *id, bool *more)
{
	uint8_t super[SUPER_BYTES] = {0};
	uint64_t half[2];
	uint32_t magic;

	if (pread(fd, super, sizeof(super), (off_t)(offset + SUPER_OFFSET)) !=
	    (ssize_t)sizeof(super))
		return false;
	*more = super[DEVICES_OFFSET] || super[DEVICES_OFFSET + 1];
	memcpy(&magic, super, sizeof(magic));
	memcpy(half, super + UUID_OFFSET, sizeof(half));
	*id = le64toh(half[0]) ^ le64toh(half[1]);
	return le32toh(magic) == SUPER_MAGIC;
}

static bool read_id(int fd, uint64_t *id)
{
	bool more;

	return read_super(fd, 0, id, &more);
}

/* Where in its file the mounted one begins; the kernel tells of it since Linux 6.17. */
static uint64_t offset_of(const struct mountinfo *mount)
{
	const char *option = strstr(mount->options, "fsoffset=");

	return option ? strtoull(option + strlen("fsoffset="), NULL, 10) : 0;
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

/*
 * Is the source of @mount, below @root, a file that has that EROFS, all of it? Then it is no other
 * file. Any name may be given to mount(2), and the superblock of a mounted file may be gone.
 */
static bool is_identified(const struct mountinfo *mount, const char *root)
{
	char path[2 * PATH_MAX];
	bool found = false, more;
	uint64_t id;
	int fd;

	if (mount->source[0] != '/' ||
	    (size_t)snprintf(path, sizeof(path), "%s%s", root, mount->source) >= sizeof(path))
		return false;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (read_super(fd, offset_of(mount), &id, &more) && !more &&
	    (size_t)snprintf(path, sizeof(path), "%s%s", root, mount->point) < sizeof(path))
		found = has_id(path, id) > 0;
	close(fd);
	return found;
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
	int fd;
	char *text;
	char suspect[128]; /* where an EROFS is mounted from a file that cannot be told */
};

static void suspect(struct search *search, const struct mountinfo *mount, const char *root)
{
	if (!search->suspect[0] && !is_identified(mount, root))
		snprintf(search->suspect, sizeof(search->suspect), "%s", mount->point);
}

/* Another namespace's table. What is out of sight there is no reason: the file is open then. */
static int search_table(void *owner, const char *table, pid_t process)
{
	struct search *search = owner;
	char *line = NULL, root[32], path[PATH_MAX + 32];
	struct mountinfo mount;
	size_t room = 0;
	uint64_t id;
	int found = 0;
	bool more;
	FILE *file = mountinfo_open(table);

	if (!file)
		return -errno;
	snprintf(root, sizeof(root), "/proc/%d/root", (int)process);
	while (found <= 0 && getline(&line, &room, file) > 0) {
		if (!mountinfo_parse(line, &mount) || !is_of_file(&mount))
			continue;
		snprintf(path, sizeof(path), "%s%s", root, mount.point);
		if (read_super(search->fd, offset_of(&mount), &id, &more))
			found = has_id(path, id);
		else
			suspect(search, &mount, root);
		if (found > 0)
			snprintf(search->text, GUARD_TEXT_BYTES,
				 "mounted on %.120s in the mount namespace of process %d, by the "
				 "UUID of its EROFS",
				 mount.point, (int)process);
	}
	if (found <= 0)
		found = ferror(file) ? -EIO : 0;
	free(line);
	fclose(file);
	return found;
}

/* Our own table. */
static int search_own(struct search *search, struct guard_layers *layers)
{
	struct mountinfo mount;
	char *line = NULL;
	size_t room = 0;
	uint64_t id;
	int found = 0;
	bool more;
	FILE *file = mountinfo_open("/proc/self/mountinfo");

	while (file && !found && getline(&line, &room, file) > 0) {
		if (!mountinfo_parse(line, &mount) || !is_of_file(&mount))
			continue;
		if (read_super(search->fd, offset_of(&mount), &id, &more))
			found = compare(&mount, id, layers, search->text);
		else
			suspect(search, &mount, "");
	}
	free(line);
	if (file)
		fclose(file);
	return found;
}

int guard_erofs_mounted(int fd, bool is_used, struct guard_layers *layers,
			char text[GUARD_TEXT_BYTES])
{
	struct search search = {.fd = fd, .text = text};
	int found = search_own(&search, layers);

	if (!found)
		found = guard_spaces_each(search_table, &search);
	if (found < 0)
		guard_layers_blind(layers, false,
				   "cannot see what is mounted in other mount namespaces: /proc: "
				   "%s; root can",
				   strerror(-found));
	found = found > 0;
	if (!found && search.suspect[0] && is_used)
		guard_layers_blind(layers, false,
				   "cannot see whether it is the file that EROFS on %.100s is "
				   "mounted from, whose name there does not tell; umount that, or "
				   "close the file elsewhere",
				   search.suspect);
	return found;
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
