// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* drops_libbpf: loads libbpf. */
#include "drops_libbpf.h"

#include "../base/late.h"
#include "config.h"

static const struct late_symbol symbols[] = {
	LATE_SYMBOL(drops_libbpf, bpf_link__destroy),
	LATE_SYMBOL(drops_libbpf, bpf_map__set_max_entries),
	LATE_SYMBOL(drops_libbpf, bpf_map_create),
	LATE_SYMBOL(drops_libbpf, bpf_map_get_next_key),
	LATE_SYMBOL(drops_libbpf, bpf_map_lookup_elem),
	LATE_SYMBOL(drops_libbpf, bpf_map_update_elem),
	LATE_SYMBOL(drops_libbpf, bpf_obj_get_info_by_fd),
	LATE_SYMBOL(drops_libbpf, bpf_object__close),
	LATE_SYMBOL(drops_libbpf, bpf_object__find_map_by_name),
	LATE_SYMBOL(drops_libbpf, bpf_object__find_map_fd_by_name),
	LATE_SYMBOL(drops_libbpf, bpf_object__find_program_by_name),
	LATE_SYMBOL(drops_libbpf, bpf_object__load),
	LATE_SYMBOL(drops_libbpf, bpf_object__open_mem),
	LATE_SYMBOL(drops_libbpf, bpf_program__attach),
	LATE_SYMBOL(drops_libbpf, bpf_program__fd),
	LATE_SYMBOL(drops_libbpf, bpf_program__set_autoload),
	LATE_SYMBOL(drops_libbpf, btf__find_by_name_kind),
	LATE_SYMBOL(drops_libbpf, btf__free),
	LATE_SYMBOL(drops_libbpf, btf__load_vmlinux_btf),
	LATE_SYMBOL(drops_libbpf, btf__name_by_offset),
	LATE_SYMBOL(drops_libbpf, btf__type_by_id),
	LATE_SYMBOL(drops_libbpf, libbpf_num_possible_cpus),
	LATE_SYMBOL(drops_libbpf, libbpf_set_print),
	{NULL, 0},
};

int drops_libbpf_load(struct drops_libbpf *bpf)
{
	static const struct late_library libbpf = {LIBBPF_SONAME, symbols};

	return late_load(&libbpf, bpf);
}
