/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* drops_libbpf: the functions of libbpf that --drops calls; it is loaded when they are needed. */
#ifndef DROPS_LIBBPF_H
#define DROPS_LIBBPF_H

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

struct drops_libbpf {
	__typeof__(bpf_link__destroy) *bpf_link__destroy;
	__typeof__(bpf_map__set_max_entries) *bpf_map__set_max_entries;
	__typeof__(bpf_map_create) *bpf_map_create;
	__typeof__(bpf_map_get_next_key) *bpf_map_get_next_key;
	__typeof__(bpf_map_lookup_elem) *bpf_map_lookup_elem;
	__typeof__(bpf_map_update_elem) *bpf_map_update_elem;
	__typeof__(bpf_obj_get_info_by_fd) *bpf_obj_get_info_by_fd;
	__typeof__(bpf_object__close) *bpf_object__close;
	__typeof__(bpf_object__find_map_by_name) *bpf_object__find_map_by_name;
	__typeof__(bpf_object__find_map_fd_by_name) *bpf_object__find_map_fd_by_name;
	__typeof__(bpf_object__find_program_by_name) *bpf_object__find_program_by_name;
	__typeof__(bpf_object__load) *bpf_object__load;
	__typeof__(bpf_object__open_mem) *bpf_object__open_mem;
	__typeof__(bpf_program__attach) *bpf_program__attach;
	__typeof__(bpf_program__fd) *bpf_program__fd;
	__typeof__(bpf_program__set_autoload) *bpf_program__set_autoload;
	__typeof__(btf__find_by_name_kind) *btf__find_by_name_kind;
	__typeof__(btf__free) *btf__free;
	__typeof__(btf__load_vmlinux_btf) *btf__load_vmlinux_btf;
	__typeof__(btf__name_by_offset) *btf__name_by_offset;
	__typeof__(btf__type_by_id) *btf__type_by_id;
	__typeof__(libbpf_num_possible_cpus) *libbpf_num_possible_cpus;
	__typeof__(libbpf_set_print) *libbpf_set_print;
};

/* Returns 0 or -EPROTONOSUPPORT: not installed. */
int drops_libbpf_load(struct drops_libbpf *bpf);

/* The compiled BPF program, an ELF file, up to drops_object_end. */
extern const char drops_object[] __attribute__((visibility("hidden")));
extern const char drops_object_end[] __attribute__((visibility("hidden")));

#endif
