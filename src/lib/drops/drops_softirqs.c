// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* drops_softirqs: the kernel's count of the softirqs that handle packets, beside the program's. */
#include "drops_bpf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define TRIES 8

static const struct timespec PAUSE = {.tv_nsec = 150000};

int drops_softirqs_parse(const char *text, struct drops_cpu *cpu, size_t cpus)
{
	static const char *const names[] = {"NET_TX:", "NET_RX:"};

	for (size_t i = 0; i < cpus; i++)
		cpu[i].kernel = 0;
	for (size_t i = 0; i < 2; i++) {
		const char *row = strstr(text, names[i]), *head = text;

		if (!row)
			return -EINVAL;
		row += strlen(names[i]);
		/* A figure for each "CPUn" of the first line. */
		while (*(head += strspn(head, " \t")) == 'C') {
			char *end;
			unsigned long at = strtoul(head + strcspn(head, "0123456789\n"), &end, 10),
				      n;

			head = end;
			n = strtoul(row, &end, 10);
			if (end == row || at >= cpus)
				return -EINVAL;
			row = end;
			cpu[at].kernel += (uint32_t)n;
		}
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
	witness->cpu = calloc(cpus, sizeof(*witness->cpu));
	return witness->text && witness->cpu ? 0 : -ENOMEM;
}

void drops_softirqs_close(struct drops_witness *witness)
{
	if (witness->map)
		munmap((void *)witness->map, witness->cpus * sizeof(*witness->map));
	if (witness->fd >= 0)
		close(witness->fd);
	free(witness->text);
	free(witness->cpu);
	*witness = (struct drops_witness){.fd = -1};
}

static int read_kernel(struct drops_witness *witness)
{
	ssize_t bytes = pread(witness->fd, witness->text, witness->bytes - 1, 0);

	if (bytes < 0)
		return -errno;
	witness->text[bytes] = '\0';
	return drops_softirqs_parse(witness->text, witness->cpu, witness->cpus);
}

static uint32_t passed(const struct drops_witness *witness, size_t cpu)
{
	return __atomic_load_n(&witness->map[cpu].passed, __ATOMIC_ACQUIRE);
}

static void read_seen(struct drops_witness *witness)
{
	for (size_t i = 0; i < witness->cpus; i++)
		witness->cpu[i].seen = passed(witness, i);
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
		read_seen(witness);
		status = read_kernel(witness);
		if (status)
			return status;
		still = true;
		for (size_t k = 0; k < witness->cpus; k++) {
			struct drops_cpu *cpu = &witness->cpu[k];
			uint32_t seen = passed(witness, k), begin = cpu->kernel - seen;

			still = still && seen == cpu->seen;
			if (!i || (int32_t)(begin - cpu->begin) > 0)
				cpu->begin = begin;
		}
	}
	return 0;
}

/* What the program saw is read first: the difference is at least what is missing now. */
int drops_softirqs_update(struct drops_witness *witness)
{
	for (int i = 0; i < TRIES; i++) {
		uint64_t unseen = 0;
		int status;

		read_seen(witness);
		status = read_kernel(witness);
		if (status)
			return status;
		for (size_t k = 0; k < witness->cpus; k++) {
			struct drops_cpu *cpu = &witness->cpu[k];
			int32_t missing = (int32_t)(cpu->kernel - cpu->seen - cpu->begin);

			if (!i || missing < cpu->missing)
				cpu->missing = missing;
			unseen += cpu->missing > 0 ? (uint32_t)cpu->missing : 0;
		}
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
