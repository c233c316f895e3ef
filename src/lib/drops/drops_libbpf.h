/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* drops_libbpf: the functions of libbpf that --drops calls; it is loaded when they are needed. */
#ifndef DROPS_LIBBPF_H
#define DROPS_LIBBPF_H

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

/* A list of them, each as ENTRY(name). */
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
	ENTRY(bpf_program__set_autoload)                                                           \
	ENTRY(btf__find_by_name_kind)                                                              \
	ENTRY(btf__free)                                                                           \
	ENTRY(btf__load_vmlinux_btf)                                                               \
	ENTRY(btf__name_by_offset)                                                                 \
	ENTRY(btf__type_by_id)                                                                     \
	ENTRY(libbpf_num_possible_cpus)                                                            \
	ENTRY(libbpf_set_print)

struct drops_libbpf {
#define MEMBER(function) __typeof__(function) *function;
	DROPS_LIBBPF(MEMBER)
#undef MEMBER
};

/* Returns 0 or -EPROTONOSUPPORT: not installed. */
int drops_libbpf_load(struct drops_libbpf *bpf);

/* The compiled BPF program, an ELF file, up to drops_object_end. */
extern const char drops_object[] __attribute__((visibility("hidden")));
extern const char drops_object_end[] __attribute__((visibility("hidden")));

#endif
