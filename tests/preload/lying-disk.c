// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * lying-disk: preloaded, it keeps a ledger of the I/Os of one file, LYING_DISK, and has it lie, as
 * LIE says:
 *
 *	stale:AT	of all writes at that offset only the first one reaches the disk
 *	nothing:AT	a read at that offset delivers nothing, and says that it has delivered all
 *	zeros:AT	a read at that offset delivers zeros
 *	short:AT	a read at that offset is interrupted, then ends 100 bytes after half;
 *			the first sector of the rest is damaged
 *	fails:N		each N-th read fails
 *	slow		of each 1000 reads 18 take 4 ms, one 60 ms and one 150 ms
 *	flush		a flush takes 300 ms; flush:N: N ms
 *
 * FLUSHING: a file in which "flush" stands from the beginning of the first flush on.
 * LEDGER: a line "r|w OFFSET BYTES NS" for each I/O by pread(2) and pwrite(2), written at the end,
 * and a line "flight MOST" with the I/Os that libaio or io_uring had in flight at most.
 */
#include <dlfcn.h>
#include <errno.h>
#include <libaio.h>
#include <liburing.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define ENTRIES_MAX 100000

struct entry {
	char kind;
	int64_t offset, ns;
	size_t bytes;
};

static struct stat disk;
static const char *lie = "";
static int64_t at;
static struct entry ledger[ENTRIES_MAX];
static size_t entries;
static long in_flight, most_in_flight;

/* The function that ours hides. */
#define REAL(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool is_disk(int fd)
{
	struct stat status;

	return disk.st_ino && !fstat(fd, &status) && status.st_ino == disk.st_ino &&
	       status.st_dev == disk.st_dev;
}

static bool lies(const char *how, int64_t offset)
{
	const size_t length = strlen(how);

	return !strncmp(lie, how, length) && lie[length] == ':' && at == offset;
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("LYING_DISK"), *how = getenv("LIE");

	if (how) {
		lie = how;
		at = strchr(how, ':') ? atoll(strchr(how, ':') + 1) : 0;
	}
	if (path && stat(path, &disk))
		disk.st_ino = 0;
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("LEDGER");
	FILE *out = path && disk.st_ino ? fopen(path, "w") : NULL;

	if (!out)
		return;
	for (size_t i = 0; i < entries; i++)
		fprintf(out, "%c %lld %zu %lld\n", ledger[i].kind, (long long)ledger[i].offset,
			ledger[i].bytes, (long long)ledger[i].ns);
	fprintf(out, "flight %ld\n", most_in_flight);
	fclose(out);
}

static void note(char kind, int64_t offset, size_t bytes, int64_t began)
{
	if (entries < ENTRIES_MAX)
		ledger[entries++] = (struct entry){kind, offset, now() - began, bytes};
}

static void pause_ns(int64_t ns)
{
	struct timespec left = {ns / 1000000000, ns % 1000000000};

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

static void dawdle(void)
{
	static unsigned reads;
	const unsigned n = reads++ % 1000;

	if (n == 700)
		pause_ns(60000000);
	else if (n == 600)
		pause_ns(150000000);
	else if (n % 50 == 17 && n / 50 < 18)
		pause_ns(4000000);
}

static ssize_t read_disk(int fd, void *buffer, size_t bytes, off64_t offset)
{
	static long long reads;
	static bool rest; /* the other half of a short read comes next */
	static bool interrupted;
	ssize_t got;

	if (!strncmp(lie, "fails:", 6) && ++reads % at == 0) {
		errno = EIO;
		return -1;
	}
	if (!strcmp(lie, "slow"))
		dawdle();
	if (lies("nothing", offset))
		return (ssize_t)bytes;
	if (lies("short", offset)) {
		if (!interrupted) {
			interrupted = true;
			errno = EINTR;
			return -1;
		}
		rest = true;
		got = REAL(pread64)(fd, buffer, bytes, offset);
		memset((char *)buffer + bytes / 2 + 100, 0xee, bytes / 2 - 100);
		return got == (ssize_t)bytes ? got / 2 + 100 : got;
	}
	got = REAL(pread64)(fd, buffer, bytes, offset);
	if (lies("zeros", offset))
		memset(buffer, 0, bytes);
	if (rest && got > 0)
		memset(buffer, 0xee, 512);
	rest = false;
	return got;
}

ssize_t pread64(int fd, void *buffer, size_t bytes, off64_t offset)
{
	const int64_t began = now();
	ssize_t got;

	if (!is_disk(fd))
		return REAL(pread64)(fd, buffer, bytes, offset);
	got = read_disk(fd, buffer, bytes, offset);
	note('r', offset, bytes, began);
	return got;
}

ssize_t pwrite64(int fd, const void *buffer, size_t bytes, off64_t offset)
{
	static bool written;
	const int64_t began = now();
	ssize_t got = (ssize_t)bytes;

	if (!is_disk(fd) || !lies("stale", offset) || !written)
		got = REAL(pwrite64)(fd, buffer, bytes, offset);
	if (!is_disk(fd))
		return got;
	written |= lies("stale", offset);
	note('w', offset, bytes, began);
	return got;
}

/* The same functions where offsets have 64 bits anyway. */
ssize_t pread(int fd, void *buffer, size_t bytes, off_t offset) __attribute__((alias("pread64")));
ssize_t pwrite(int fd, const void *buffer, size_t bytes, off_t offset)
	__attribute__((alias("pwrite64")));

ssize_t __pread_chk(int fd, void *buffer, size_t bytes, off_t offset, size_t room);
ssize_t __pread_chk(int fd, void *buffer, size_t bytes, off_t offset, size_t room)
{
	(void)room;
	return pread64(fd, buffer, bytes, offset);
}

ssize_t __pread64_chk(int fd, void *buffer, size_t bytes, off_t offset, size_t room)
	__attribute__((alias("__pread_chk")));

static void dawdle_at_flush(int fd)
{
	const char *path = getenv("FLUSHING");
	FILE *out = path && is_disk(fd) ? fopen(path, "w") : NULL;

	if (out) {
		fputs("flush\n", out);
		fclose(out);
	}
	if (is_disk(fd) && !strncmp(lie, "flush", 5))
		pause_ns((at ? at : 300) * 1000000);
}

int fdatasync(int fd)
{
	dawdle_at_flush(fd);
	return REAL(fdatasync)(fd);
}

int fsync(int fd)
{
	dawdle_at_flush(fd);
	return REAL(fsync)(fd);
}

static void submitted(long count)
{
	in_flight += count;
	if (in_flight > most_in_flight)
		most_in_flight = in_flight;
}

int io_submit(io_context_t context, long count, struct iocb *list[])
{
	const int taken = REAL(io_submit)(context, count, list);

	if (taken > 0)
		submitted(taken);
	return taken;
}

int io_getevents(io_context_t context, long least, long most, struct io_event *events,
		 struct timespec *timeout)
{
	const int found = REAL(io_getevents)(context, least, most, events, timeout);

	if (found > 0)
		in_flight -= found;
	return found;
}

/* Entries that the program has filled in, but for timers; and what it has taken from the ring since
 * the last call. */
static long queued(struct io_uring *ring)
{
	static unsigned head;
	const unsigned ready = io_uring_sq_ready(ring), mask = *ring->sq.kring_mask;
	long count = 0;

	for (unsigned i = 0; i < ready; i++)
		count += ring->sq.sqes[(ring->sq.sqe_tail - ready + i) & mask].opcode !=
			 IORING_OP_TIMEOUT;
	in_flight -= *ring->cq.khead - head;
	head = *ring->cq.khead;
	return count;
}

int io_uring_submit(struct io_uring *ring)
{
	submitted(queued(ring));
	return REAL(io_uring_submit)(ring);
}

int io_uring_submit_and_wait(struct io_uring *ring, unsigned wait)
{
	submitted(queued(ring));
	return REAL(io_uring_submit_and_wait)(ring, wait);
}

int io_uring_submit_and_wait_timeout(struct io_uring *ring, struct io_uring_cqe **cqe,
				     unsigned wait, struct __kernel_timespec *timeout,
				     sigset_t *mask)
{
	submitted(queued(ring));
	return REAL(io_uring_submit_and_wait_timeout)(ring, cqe, wait, timeout, mask);
}
