// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* drops_reasons: looks up enum skb_drop_reason and the tracepoint's arguments in BTF. */
#include "drops_bpf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REASONS_MAX 4096

/* How many arguments the tracepoint kfree_skb gives: packet, place, reason, socket; or -errno. */
static int tracepoint_arguments(const struct drops_libbpf *bpf, const struct btf *btf)
{
	const struct btf_type *type;
	int id = bpf->btf__find_by_name_kind(btf, "btf_trace_kfree_skb", BTF_KIND_TYPEDEF);

	if (id < 0)
		return -EOPNOTSUPP;
	type = bpf->btf__type_by_id(btf, bpf->btf__type_by_id(btf, (uint32_t)id)->type);
	if (!type || !btf_is_ptr(type))
		return -EOPNOTSUPP;
	type = bpf->btf__type_by_id(btf, type->type);
	if (!type || !btf_is_func_proto(type))
		return -EOPNOTSUPP;
	return (int)btf_vlen(type) - 1; /* the first is the tracepoint's own */
}

static int add(struct drops_reasons *reasons, uint32_t value, const char *name)
{
	static const char *const prefixes[] = {"SKB_DROP_REASON_", "SKB_"};
	void *larger;

	if (value >= REASONS_MAX || !name)
		return 0;
	for (size_t i = 0; i < 2; i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i]))) {
			name += strlen(prefixes[i]);
			break;
		}
	if (value >= reasons->count) {
		larger = reallocarray(reasons->name, value + 1u, sizeof(*reasons->name));
		if (!larger)
			return -ENOMEM;
		reasons->name = larger;
		memset(reasons->name[reasons->count], 0,
		       (value + 1u - reasons->count) * sizeof(*reasons->name));
		reasons->count = value + 1u;
	}
	snprintf(reasons->name[value], sizeof(reasons->name[value]), "%s", name);
	return 0;
}

int drops_reasons_parse(struct drops_reasons *reasons, const struct drops_libbpf *bpf,
			const struct btf *btf)
{
	const struct btf_type *type;
	const struct btf_enum *values;
	int arguments = tracepoint_arguments(bpf, btf), status = 0, id;

	if (arguments < 3)
		return -EOPNOTSUPP;
	reasons->sockets = arguments >= 4;
	id = bpf->btf__find_by_name_kind(btf, "skb_drop_reason", BTF_KIND_ENUM);
	type = id < 0 ? NULL : bpf->btf__type_by_id(btf, (uint32_t)id);
	if (!type)
		return -EOPNOTSUPP;
	values = btf_enum(type);
	for (unsigned i = 0; i < btf_vlen(type) && !status; i++)
		status = add(reasons, (uint32_t)values[i].val,
			     bpf->btf__name_by_offset(btf, values[i].name_off));
	return status;
}

int drops_reasons_read(struct drops_reasons *reasons, const struct drops_libbpf *bpf)
{
	struct btf *btf = bpf->btf__load_vmlinux_btf();
	int status;

	if (!btf)
		return errno ? -errno : -ENOENT;
	status = drops_reasons_parse(reasons, bpf, btf);
	bpf->btf__free(btf);
	return status;
}

void drops_reasons_clear(struct drops_reasons *reasons)
{
	free(reasons->name);
	*reasons = (struct drops_reasons){0};
}

uint32_t drops_reasons_value(const struct drops_reasons *reasons, const char *name)
{
	for (size_t i = 0; i < reasons->count; i++)
		if (!strcmp(reasons->name[i], name))
			return (uint32_t)i;
	return UINT32_MAX;
}

void drops_reasons_name(const struct drops_reasons *reasons, uint32_t reason, char *out,
			size_t bytes)
{
	if (reason < reasons->count && *reasons->name[reason])
		snprintf(out, bytes, "%s", reasons->name[reason]);
	else
		snprintf(out, bytes, "%" PRIu32, reason);
}
