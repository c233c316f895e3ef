// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * disk-limit: the least a program can do to read or write a file at a queue depth: no stamps, no
 * checks, no clock but once a thousand I/Os. What is the limit of disk-exercise?
 * With "stamps" it looks at the stamps of each sector it has read, or writes them into each it is
 * going to write, as disk-exercise does, and nothing else of what that does.
 * usage: disk-limit read|write DEPTH SECONDS FILE [stamps]; prints bytes a second and CPU ns a KiB
 */
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <netperf/clock.h>
#include <netperf/pattern.h>
#include <netperf/process.h>
#include <netperf/units.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK	  20480u
#define SECTORS	  (CHUNK / NP_PATTERN_SECTOR_BYTES)
#define DEPTH_MAX 1024
#define HUGE_PAGE ((size_t)2 << 20)
#define CHECK	  1000 /* I/Os between looks at the clock */

struct walk {
	int fd;
	bool write;
	bool stamps;
	uint64_t size;
	uint64_t next;
	uint64_t lba[DEPTH_MAX]; /* of what each buffer carries */
	uint8_t *memory;
	np_time end;
	struct np_damage damage;
};

/* Of the next I/O, that of @slot; what it writes is stamped. */
static off_t begin(struct walk *walk, unsigned slot)
{
	uint64_t at = walk->next;

	walk->next = at + 2 * CHUNK <= walk->size ? at + CHUNK : 0;
	walk->lba[slot] = at / NP_PATTERN_SECTOR_BYTES;
	if (walk->stamps && walk->write)
		np_pattern_stamp(walk->memory + slot * CHUNK, walk->lba[slot], SECTORS);
	return (off_t)at;
}

/* True when @done is all of it; what it read is looked at. */
static bool end(struct walk *walk, unsigned slot, ssize_t done)
{
	static const struct np_pattern pattern = {.fill = NP_PATTERN_ZERO};

	if (walk->stamps && !walk->write)
		np_pattern_check(&pattern, walk->memory + slot * CHUNK, walk->lba[slot], SECTORS,
				 &walk->damage);
	return done == CHUNK;
}

static uint64_t one_by_one(struct walk *walk)
{
	uint64_t count = 0;
	ssize_t done;
	off_t at;

	while (count % CHECK || np_clock_now() < walk->end) {
		at = begin(walk, 0);
		done = walk->write ? pwrite(walk->fd, walk->memory, CHUNK, at)
				   : pread(walk->fd, walk->memory, CHUNK, at);
		if (!end(walk, 0, done))
			return 0;
		count++;
	}
	return count;
}

static void queue(struct walk *walk, struct io_uring *ring, unsigned slot)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);
	uint8_t *buffer = walk->memory + slot * CHUNK;
	uint64_t offset = (uint64_t)begin(walk, slot);

	if (walk->write)
		io_uring_prep_write_fixed(sqe, 0, buffer, CHUNK, offset, (int)slot);
	else
		io_uring_prep_read_fixed(sqe, 0, buffer, CHUNK, offset, (int)slot);
	io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	io_uring_sqe_set_data64(sqe, slot);
}

static int open_ring(struct walk *walk, struct io_uring *ring, unsigned depth)
{
	struct iovec area[DEPTH_MAX];
	int error = io_uring_queue_init(depth, ring,
					IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN);

	if (error)
		return error;
	for (unsigned i = 0; i < depth; i++)
		area[i] = (struct iovec){walk->memory + i * CHUNK, CHUNK};
	error = io_uring_register_buffers(ring, area, depth);
	return error ? error : io_uring_register_files(ring, &walk->fd, 1);
}

static uint64_t many(struct walk *walk, unsigned depth)
{
	struct io_uring_cqe *cqe;
	struct io_uring ring;
	uint64_t count = 0, looked = 0;
	unsigned head, found, slot;

	if (open_ring(walk, &ring, depth))
		return 0;
	for (slot = 0; slot < depth; slot++)
		queue(walk, &ring, slot);
	while (count - looked < CHECK || np_clock_now() < walk->end) {
		if (count - looked >= CHECK)
			looked = count;
		io_uring_submit_and_wait(&ring, 1);
		found = 0;
		io_uring_for_each_cqe(&ring, head, cqe)
		{
			slot = (unsigned)io_uring_cqe_get_data64(cqe);
			if (!end(walk, slot, cqe->res))
				return 0;
			queue(walk, &ring, slot);
			found++;
		}
		io_uring_cq_advance(&ring, found);
		count += found;
	}
	/* The ring's end waits for what is still in flight. */
	io_uring_queue_exit(&ring);
	return count;
}

int main(int argc, char *argv[])
{
	struct walk walk = {0};
	struct np_usage usage;
	struct stat status;
	uint64_t depth, count;
	size_t room;
	np_time since, length;

	walk.stamps = argc == 6 && strcmp(argv[5], "stamps") == 0;
	if (argc != 5 + walk.stamps || np_units_parse_count(argv[2], 1, DEPTH_MAX, &depth) ||
	    np_units_parse_time(argv[3], 0, 3600 * NP_SECOND, &length)) {
		fputs("usage: disk-limit read|write DEPTH SECONDS FILE [stamps]\n", stderr);
		return 2;
	}
	walk.write = strcmp(argv[1], "write") == 0;
	walk.fd = open(argv[4], (walk.write ? O_RDWR : O_RDONLY) | O_DIRECT | O_CLOEXEC);
	room = (depth * CHUNK + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	walk.memory = aligned_alloc(HUGE_PAGE, room);
	if (walk.fd < 0 || fstat(walk.fd, &status) < 0 || !walk.memory) {
		perror(argv[4]);
		return 2;
	}
	(void)madvise(walk.memory, room, MADV_HUGEPAGE);
	memset(walk.memory, 0, room);
	walk.size = (uint64_t)status.st_size;
	usage = np_usage_now();
	since = np_clock_now();
	walk.end = since + length;
	count = depth == 1 ? one_by_one(&walk) : many(&walk, (unsigned)depth);
	length = np_clock_now() - since;
	usage = np_usage_since(&usage);
	if (count == 0 || walk.damage.total > 0) {
		fputs(count ? "disk-limit: what was read bears other stamps\n"
			    : "disk-limit: I/O failed\n",
		      stderr);
		return 1;
	}
	printf("%.0f %.3f\n", np_units_rate(count * CHUNK, length),
	       (double)(usage.user + usage.system) * 1024 / (double)(count * CHUNK));
	return 0;
}
