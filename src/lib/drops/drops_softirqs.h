/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * drops_softirqs: a witness of whether the kernel ran tracing programs while it handled packets:
 * compares its own count of the softirqs NET_TX and NET_RX with those that the BPF program saw.
 */
#ifndef DROPS_SOFTIRQS_H
#define DROPS_SOFTIRQS_H

#include "drops_shared.h"

#include <stddef.h>
#include <stdint.h>

struct drops_witness {
	int fd; /* of /proc/softirqs; -1: not open */
	size_t cpus;
	const struct drops_softirqs *map; /* what the program counts, in the kernel's memory */
	char *text;			  /* room for the file */
	size_t bytes;
	/* One a processor: both counts, the kernel's less the program's at first, and now. */
	uint32_t *kernel, *seen, *begin;
	int32_t *missing;
	uint64_t unseen;
};

/*
 * Opens @witness for @cpus processors and the map @fd, which has an element for each of them.
 * Returns 0 or -errno. Close it in both cases; a zeroed one with an fd of -1 is legal.
 */
int drops_softirqs_open(struct drops_witness *witness, size_t cpus, int fd);
void drops_softirqs_close(struct drops_witness *witness);

/* Starts to compare. Returns 0 or -errno. */
int drops_softirqs_begin(struct drops_witness *witness);

/*
 * Sets witness->unseen: how many softirqs handled packets since then without passing the
 * tracepoint. One that is about to pass it may be included; a few tries within 1 ms make that
 * unlikely. The count is never too low. Returns 0 or -errno.
 */
int drops_softirqs_update(struct drops_witness *witness);

/*
 * The counts in @text, as /proc/softirqs has it: NET_TX plus NET_RX of each of @cpus processors.
 * Returns 0 or -EINVAL. Pure.
 */
int drops_softirqs_parse(const char *text, uint32_t *counts, size_t cpus);

#endif
