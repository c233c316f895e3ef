// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* drops_softirqs: the kernel's count of the softirqs that handle packets, beside the program's. */
#include "drops_softirqs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define TRIES 8

static const struct timespec PAUSE = {.tv_nsec = 150000};

/* Adds a row's figures, one for each "CPUn" of the first line. */
static int add_row(const char *head, const char *row, uint32_t *counts, size_t cpus)
{
	while (*(head += strspn(head, " \t")) == 'C') {
		char *end;
		unsigned long cpu = strtoul(head + strcspn(head, "0123456789\n"), &end, 10), count;

		head = end;
		count = strtoul(row, &end, 10);
		if (end == row || cpu >= cpus)
			return -EINVAL;
		row = end;
		counts[cpu] += (uint32_t)count;
	}
	return 0;
}

int drops_softirqs_parse(const char *text, uint32_t *counts, size_t cpus)
{
	static const char *const names[] = {"NET_TX:", "NET_RX:"};

	memset(counts, 0, cpus * sizeof(*counts));
	for (size_t i = 0; i < 2; i++) {
		const char *row = strstr(text, names[i]);

		if (!row || add_row(text, row + strlen(names[i]), counts, cpus))
			return -EINVAL;
	}
	return 0;
}

int drops_softirqs_open(struct drops_witness *witness, size_t cpus, int fd)
{
	void *map;

	*witness = (struct drops_witness){.fd = open("/proc/softirqs", O_RDONLY | O_CLOEXEC),
					  .cpus = cpus,
					  .bytes = 16 * 12 * (cpus + 2)};
	if (witness->fd < 0)
		return -errno;
	map = mmap(NULL, cpus * sizeof(*witness->map), PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	witness->map = map;
	witness->text = malloc(witness->bytes);
	witness->kernel = calloc(cpus, sizeof(*witness->kernel));
	witness->begin = calloc(cpus, sizeof(*witness->begin));
	witness->seen = calloc(cpus, sizeof(*witness->seen));
	witness->missing = calloc(cpus, sizeof(*witness->missing));
	if (!witness->text || !witness->kernel || !witness->begin || !witness->seen ||
	    !witness->missing)
		return -ENOMEM;
	return 0;
}

void drops_softirqs_close(struct drops_witness *witness)
{
	if (witness->map)
		munmap((void *)witness->map, witness->cpus * sizeof(*witness->map));
	if (witness->fd >= 0)
		close(witness->fd);
	free(witness->text);
	free(witness->kernel);
	free(witness->begin);
	free(witness->seen);
	free(witness->missing);
	*witness = (struct drops_witness){.fd = -1};
}

static int read_kernel(struct drops_witness *witness)
{
	ssize_t bytes = pread(witness->fd, witness->text, witness->bytes - 1, 0);

	if (bytes < 0)
		return -errno;
	witness->text[bytes] = '\0';
	return drops_softirqs_parse(witness->text, witness->kernel, witness->cpus);
}

static uint32_t passed(const struct drops_witness *witness, size_t cpu)
{
	return __atomic_load_n(&witness->map[cpu].passed, __ATOMIC_ACQUIRE);
}

static void read_seen(const struct drops_witness *witness, uint32_t *seen)
{
	for (size_t i = 0; i < witness->cpus; i++)
		seen[i] = passed(witness, i);
}

/*
 * What the program saw is read last: the difference is at most what was missing already, and less
 * if softirqs passed in between, which would then be missing for ever. So the highest of some
 * tries, of which the last finds the program's count as it was before.
 */
int drops_softirqs_begin(struct drops_witness *witness)
{
	bool still = false;

	for (int i = 0; i < TRIES && !still; i++) {
		int status;

		if (i > 1)
			nanosleep(&PAUSE, NULL);
		read_seen(witness, witness->seen);
		status = read_kernel(witness);
		if (status)
			return status;
		still = true;
		for (size_t k = 0; k < witness->cpus; k++) {
			uint32_t seen = passed(witness, k), begin = witness->kernel[k] - seen;

			still = still && seen == witness->seen[k];
			if (!i || (int32_t)(begin - witness->begin[k]) > 0)
				witness->begin[k] = begin;
		}
	}
	return 0;
}

/* What the program saw is read first: the difference is at least what is missing now. */
static int compare(struct drops_witness *witness, bool first)
{
	int status;

	read_seen(witness, witness->seen);
	status = read_kernel(witness);
	for (size_t i = 0; i < witness->cpus && !status; i++) {
		int32_t missing =
			(int32_t)(witness->kernel[i] - witness->seen[i] - witness->begin[i]);

		if (first || missing < witness->missing[i])
			witness->missing[i] = missing;
	}
	return status;
}

int drops_softirqs_update(struct drops_witness *witness)
{
	for (int i = 0; i < TRIES; i++) {
		uint64_t unseen = 0;
		int status = compare(witness, !i);

		if (status)
			return status;
		for (size_t k = 0; k < witness->cpus; k++)
			if (witness->missing[k] > 0)
				unseen += (uint32_t)witness->missing[k];
		/* It does not become less: as many as before is what is known already. */
		if (unseen <= witness->unseen)
			return 0;
		if (i == TRIES - 1)
			witness->unseen = unseen;
		else if (i > 1)
			nanosleep(&PAUSE, NULL);
	}
	return 0;
}
