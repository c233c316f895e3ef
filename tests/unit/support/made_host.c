// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* made_host: the host's files, and the functions that stand in for the C library's. */

/* With it the headers define open() and others, for which ours stand in below. */
#undef _FORTIFY_SOURCE

#include "made_host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/dm-ioctl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

char made_root[64];
struct made_node made_nodes[MADE_NODES];
size_t made_count;
const char *made_cover;
unsigned long made_type;
const char *made_broken;
const char *made_private;
void (*made_pause)(const struct timespec *until);
unsigned made_opened;

const char *made_path(const char *path, char out[MADE_PATH])
{
	const bool is_ours = made_root[0] && strncmp(path, "/proc/self/fd", 13) != 0 &&
			     (strncmp(path, "/sys", 4) == 0 || strncmp(path, "/proc", 5) == 0 ||
			      strncmp(path, "/dev/", 5) == 0);

	snprintf(out, MADE_PATH, "%s%s", is_ours ? made_root : "", path);
	return out;
}

/* The name behind the root, or NULL. */
static const char *made_name(const char *path)
{
	size_t length = strlen(made_root);

	return length && strncmp(path, made_root, length) == 0 ? path + length : NULL;
}

static const char *made_name_of(int fd, char out[MADE_PATH])
{
	char link[64];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = syscall(SYS_readlinkat, AT_FDCWD, link, out, MADE_PATH - 1);
	out[length < 0 ? 0 : length] = '\0';
	return made_name(out);
}

static struct made_node *made_node_at(const char *name)
{
	for (size_t i = 0; name && i < made_count; i++) {
		if (strncmp(name, "/dev/", 5) == 0 && strcmp(name + 5, made_nodes[i].name) == 0)
			return &made_nodes[i];
	}
	return NULL;
}

static bool made_is_covered(const char *name)
{
	size_t length = made_cover ? strlen(made_cover) : 0;

	return made_cover && strncmp(name, made_cover, length) == 0 &&
	       (name[length] == '\0' || name[length] == '/');
}

static void made_status(const char *name, struct stat *status)
{
	struct made_node *node = made_node_at(name);

	if (!name)
		return;
	if (node) {
		status->st_mode = S_IFBLK | 0600;
		status->st_rdev = node->device;
	} else if (strcmp(name, "/sys") == 0 || strcmp(name, "/proc") == 0) {
		status->st_ino = 1;
	}
	if (S_ISREG(status->st_mode))
		status->st_dev = MADE_DISK;
}

int stat(const char *path, struct stat *status)
{
	char at[MADE_PATH];
	int rc = (int)syscall(SYS_newfstatat, AT_FDCWD, made_path(path, at), status, 0);

	if (rc == 0)
		made_status(made_name(at), status);
	return rc;
}

int access(const char *path, int mode)
{
	char at[MADE_PATH];

	return (int)syscall(SYS_faccessat, AT_FDCWD, made_path(path, at), mode);
}

int fstat(int fd, struct stat *status)
{
	char at[MADE_PATH];
	int rc = (int)syscall(SYS_newfstatat, fd, "", status, AT_EMPTY_PATH);

	if (rc == 0)
		made_status(made_name_of(fd, at), status);
	return rc;
}

static void made_kind(const char *name, struct statfs *status)
{
	if (!name)
		return;
	if (made_is_covered(name))
		status->f_type = TMPFS_MAGIC;
	else if (strncmp(name, "/sys", 4) == 0)
		status->f_type = SYSFS_MAGIC;
	else if (strncmp(name, "/proc", 5) == 0)
		status->f_type = PROC_SUPER_MAGIC;
	else
		status->f_type =
			(__typeof__(status->f_type))(made_type ? made_type : EXT4_SUPER_MAGIC);
}

int statfs(const char *path, struct statfs *status)
{
	char at[MADE_PATH];
	int rc = (int)syscall(SYS_statfs, made_path(path, at), status);

	if (rc == 0)
		made_kind(made_name(at), status);
	return rc;
}

int fstatfs(int fd, struct statfs *status)
{
	char at[MADE_PATH];
	int rc = (int)syscall(SYS_fstatfs, fd, status);

	if (rc == 0)
		made_kind(made_name_of(fd, at), status);
	return rc;
}

int open(const char *path, int flags, ...)
{
	char at[MADE_PATH];
	struct made_node *node = made_node_at(made_name(made_path(path, at)));
	static const int errors[] = {
		[MADE_FORBIDDEN] = EACCES, [MADE_EMPTY] = ENOMEDIUM, [MADE_GONE] = ENXIO};
	mode_t mode = 0;
	va_list more;
	int fd;

	if (flags & O_CREAT) {
		va_start(more, flags);
		mode = va_arg(more, mode_t);
		va_end(more);
	}
	errno = 0;
	if (made_private && made_name(at) && strcmp(made_name(at), made_private) == 0)
		errno = flags & O_PATH ? 0 : EACCES;
	if (node && !(flags & O_PATH)) {
		made_opened++;
		errno = node->way == MADE_BUSY ? (flags & O_EXCL ? EBUSY : 0) : errors[node->way];
		flags &= ~O_EXCL;
	}
	if (errno)
		return -1;
	fd = (int)syscall(SYS_openat, AT_FDCWD, at, flags, mode);
	if (fd >= 0)
		errno = ERANGE; /* which means nothing after success */
	return fd;
}

int __open_2(const char *path, int flags);
int __open_2(const char *path, int flags)
{
	return open(path, flags);
}

FILE *fopen(const char *path, const char *mode)
{
	int fd = open(path, mode[0] == 'r' ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC, 0600);

	return fd < 0 ? NULL : fdopen(fd, mode[0] == 'r' ? "r" : "w");
}

DIR *opendir(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY);

	return fd < 0 ? NULL : fdopendir(fd);
}

struct dirent *readdir(DIR *folder)
{
	static struct dirent *(*real)(DIR * folder);
	char at[MADE_PATH];
	const char *name = made_name_of(dirfd(folder), at);

	if (name && made_broken && strcmp(name, made_broken) == 0) {
		errno = EIO;
		return NULL;
	}
	if (!real)
		real = (struct dirent * (*)(DIR *)) dlsym(RTLD_NEXT, "readdir");
	return real(folder);
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left)
{
	const np_time when = until->tv_sec * NP_SECOND + until->tv_nsec;

	if (!made_clock)
		return syscall(SYS_clock_nanosleep, clock, flags, until, left) ? errno : 0;
	made_clock = when > made_clock ? when : made_clock;
	if (made_pause)
		made_pause(until);
	return 0;
}

ssize_t readlink(const char *path, char *out, size_t room)
{
	char at[MADE_PATH];

	return syscall(SYS_readlinkat, AT_FDCWD, made_path(path, at), out, room);
}

ssize_t __readlink_chk(const char *path, char *out, size_t room, size_t all);
ssize_t __readlink_chk(const char *path, char *out, size_t room, size_t all)
{
	(void)all;
	return readlink(path, out, room);
}

/*
 * Only openat2(2) is called this way by the guard: @a is the directory, @b the path below it. Like
 * the C library's, it takes six arguments from where they would be, however many there are.
 */
__attribute__((no_sanitize("address"))) long syscall(long number, ...)
{
	char at[MADE_PATH];
	static long (*real)(long number, ...);
	long a[6];
	va_list more;

	if (!real)
		real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");

	va_start(more, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(more, long);
	va_end(more);
	if (number == SYS_openat2 && made_cover) {
		const char *name = made_name_of((int)a[0], at);

		snprintf(at + strlen(at), sizeof(at) - strlen(at), "/%s", (const char *)a[1]);
		if (name && made_is_covered(name)) {
			errno = EXDEV;
			return -1;
		}
	}
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int ioctl(int fd, unsigned long request, ...)
{
	char at[MADE_PATH];
	const char *name = made_name_of(fd, at);
	struct made_node *node = made_node_at(name);
	struct dm_ioctl *table;
	va_list more;
	void *out;

	va_start(more, request);
	out = va_arg(more, void *);
	va_end(more);
	errno = 0;
	if (node && request == BLKGETSIZE64) {
		*(uint64_t *)out = MADE_BYTES;
	} else if (node && request == LOOP_GET_STATUS64) {
		errno = node->loop_error ? node->loop_error : node->loop.lo_number ? 0 : ENXIO;
		memcpy(out, &node->loop, sizeof(node->loop));
	} else if (name && request == DM_TABLE_STATUS) {
		table = out;
		errno = table->version[0] == DM_VERSION_MAJOR &&
					table->data_size >= table->data_start + MADE_PATH &&
					(table->flags & DM_STATUS_TABLE_FLAG)
				? ENXIO
				: EINVAL;
		for (size_t i = 0; errno == ENXIO && i < made_count; i++) {
			if (made_nodes[i].device != (dev_t)table->dev || !made_nodes[i].table)
				continue;
			table->target_count = made_nodes[i].targets;
			table->flags = made_nodes[i].table_flags;
			memcpy((char *)out + table->data_start, made_nodes[i].table,
			       made_nodes[i].table_bytes);
			errno = 0;
		}
	} else {
		errno = ENOTTY;
	}
	if (errno)
		return -1;
	errno = ERANGE; /* which means nothing after success */
	return 0;
}

char *made_at(char out[MADE_PATH], const char *format, ...)
{
	va_list more;

	va_start(more, format);
	vsnprintf(out, MADE_PATH, format, more);
	va_end(more);
	return out;
}

void made_file(const char *path, const char *text)
{
	char at[MADE_PATH];
	int fd;

	snprintf(at, sizeof(at), "%s%s", made_root, path);
	for (char *slash = strchr(at + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(at, 0700);
		*slash = '/';
	}
	if (!text)
		return; /* just the directories */
	fd = (int)syscall(SYS_openat, AT_FDCWD, at, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
	close(fd);
}

void made_link(const char *path, const char *target)
{
	char at[MADE_PATH];

	made_file(path, NULL);
	snprintf(at, sizeof(at), "%s%s", made_root, path);
	if (symlink(target, at))
		abort();
}

/* What each block device has: @where below /sys/devices. */
static struct made_node *made_block(const char *where, const char *name, dev_t device)
{
	struct made_node *node = &made_nodes[made_count++];
	char path[MADE_PATH], text[MADE_PATH];

	if (made_count > MADE_NODES)
		abort();
	*node = (struct made_node){.device = device};
	snprintf(node->name, sizeof(node->name), "%s", name);
	for (char *at = strchr(node->name, '!'); at; at = strchr(at, '!'))
		*at = '/';
	made_at(text, "%u:%u\n", major(device), minor(device));
	made_file(made_at(path, "/sys/devices/%s/dev", where), text);
	made_file(made_at(path, "/sys/devices/%s/size", where),
		  major(device) == 7 ? "0\n" : "32768\n");
	made_link(made_at(path, "/sys/devices/%s/subsystem", where), "../../../class/block");
	made_link(made_at(path, "/sys/class/block/%s", name),
		  made_at(text, "../../devices/%s", where));
	made_link(made_at(path, "/sys/dev/block/%u:%u", major(device), minor(device)),
		  made_at(text, "../../devices/%s", where));
	made_file(made_at(path, "/dev/%s", node->name), "");
	made_at(path, "%s/dev/%s", made_root, node->name);
	if (truncate(path, MADE_BYTES))
		abort();
	return node;
}

struct made_node *made_disk(const char *name, dev_t device)
{
	char path[MADE_PATH];

	made_file(made_at(path, "/sys/devices/%s/holders/", name), NULL);
	made_file(made_at(path, "/sys/devices/%s/slaves/", name), NULL);
	return made_block(name, name, device);
}

struct made_node *made_partition(const char *disk, const char *name, dev_t device, unsigned start,
				 unsigned size)
{
	char where[MADE_PATH], path[MADE_PATH], text[MADE_PATH];
	struct made_node *node;

	node = made_block(made_at(where, "%s/%s", disk, name), name, device);
	made_file(made_at(path, "/sys/devices/%s/holders/", where), NULL);
	made_file(made_at(path, "/sys/devices/%s/partition", where), "1\n");
	made_file(made_at(path, "/sys/devices/%s/start", where), made_at(text, "%u\n", start));
	made_file(made_at(path, "/sys/devices/%s/size", where), made_at(text, "%u\n", size));
	return node;
}

void made_member(const char *upper, const char *lower)
{
	const char *last = strrchr(lower, '/') ? strrchr(lower, '/') + 1 : lower;
	char path[MADE_PATH], text[MADE_PATH];

	made_link(made_at(path, "/sys/devices/%s/slaves/%s", upper, last),
		  made_at(text, "../../%s", lower));
	made_link(made_at(path, "/sys/devices/%s/holders/%s", lower, upper),
		  made_at(text, "%s../../%s", strchr(lower, '/') ? "../" : "", upper));
}

void made_attach(struct made_node *node, ino_t inode, dev_t device, const char *path)
{
	char at[MADE_PATH];

	node->loop = (struct loop_info64){
		.lo_number = 1, .lo_device = MADE_DISK, .lo_inode = inode, .lo_rdevice = device};
	made_file(made_at(at, "/sys/devices/%s/loop/backing_file", node->name), path);
}

int made_host_setup(void **state)
{
	(void)state;
	made_root[0] = '\0';
	made_cover = NULL;
	made_type = 0;
	made_broken = made_private = NULL;
	made_pause = NULL;
	made_opened = 0;
	made_clock = 1000 * NP_SECOND;
	made_count = 0;
	strcpy(made_root, "/tmp/netperf-host.XXXXXX");
	if (!mkdtemp(made_root))
		abort();
	made_file("/proc/self/mountinfo", "");
	made_file("/proc/self/ns/mnt", "");
	made_file("/proc/locks", "");
	made_file("/proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n");
	made_file("/sys/class/block/", NULL);
	made_file("/sys/dev/block/", NULL);
	made_file("/dev/", NULL);
	return 0;
}

static int made_drop(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status, (void)type, (void)walk;
	return remove(path);
}

int made_host_teardown(void **state)
{
	char root[sizeof(made_root)];

	(void)state;
	strcpy(root, made_root);
	made_root[0] = '\0';
	made_clock = 0;
	(void)nftw(root, made_drop, 16, FTW_DEPTH | FTW_PHYS);
	return 0;
}
enum np_guard_reason made_judge(const char *path, struct np_guard_verdict *verdict)
{
	int fd = open(path, O_RDWR);

	assert_true(fd >= 0);
	assert_int_equal(np_guard_fd(fd, NULL, verdict), 0);
	close(fd);
	return verdict->reason;
}

void made_expect(const struct np_guard_verdict *verdict, enum np_guard_reason wanted,
		 const char *text)
{
	if (strcmp(verdict->text, text) != 0)
		print_message("the verdict is \"%s\"\n", verdict->text);
	assert_int_equal(verdict->reason, wanted);
	assert_string_equal(verdict->text, text);
}
