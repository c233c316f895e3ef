/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * drops_bpf: what the variant bpf needs of libbpf; and a witness of whether the kernel ran tracing
 * programs while it handled packets: compares its own count of the softirqs
 * NET_TX and NET_RX with those that the BPF program saw.
 */
#pragma once

#include "../base/late.h"
#include "drops_shared.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stddef.h>
#include <stdint.h>

/* The functions of libbpf that are called, each as ENTRY(name); it is loaded when they are needed.
 */
#define DROPS_LIBBPF(ENTRY)                                                                        \
	ENTRY(bpf_link__destroy)                                                                   \
	ENTRY(bpf_map__set_max_entries)                                                            \
	ENTRY(bpf_map_create)                                                                      \
	ENTRY(bpf_map_get_next_key)                                                                \
	ENTRY(bpf_map_lookup_elem)                                                                 \
	ENTRY(bpf_map_update_elem)                                                                 \
	ENTRY(bpf_obj_get_info_by_fd)                                                              \
	ENTRY(bpf_object__close)                                                                   \
	ENTRY(bpf_object__find_map_by_name)                                                        \
	ENTRY(bpf_object__find_map_fd_by_name)                                                     \
	ENTRY(bpf_object__find_program_by_name)                                                    \
	ENTRY(bpf_object__load)                                                                    \
	ENTRY(bpf_object__open_mem)                                                                \
	ENTRY(bpf_program__attach)                                                                 \
	ENTRY(bpf_program__fd)                                                                     \
	ENTRY(btf__find_by_name_kind)                                                              \
	ENTRY(btf__free)                                                                           \
	ENTRY(btf__load_vmlinux_btf)                                                               \
	ENTRY(btf__type_by_id)                                                                     \
	ENTRY(libbpf_num_possible_cpus)                                                            \
	ENTRY(libbpf_set_print)

struct drops_libbpf {
	DROPS_LIBBPF(LATE_POINTER)
};

/* Of a processor: both counts, the kernel's less the program's at first, and now. */
struct drops_cpu {
	uint32_t kernel, seen, begin;
	int32_t missing;
};

/* Fields of a processor are by its number; those that are not there stay zero. */
struct drops_witness {
	int fd; /* of /proc/softirqs; -1: not open */
	size_t cpus;
	const struct drops_softirqs *map; /* what the program counts, in the kernel's memory */
	char *text;			  /* room for the file */
	size_t bytes;
	struct drops_cpu *cpu;
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
 * The kernel's counts in @text, as /proc/softirqs has it: NET_TX plus NET_RX of each of @cpus
 * processors. Returns 0 or -EINVAL. Pure.
 */
int drops_softirqs_parse(const char *text, struct drops_cpu *cpu, size_t cpus);
