/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* drops_reasons: the kernel's names of its reasons to drop a packet, from its own type data. */
#ifndef DROPS_REASONS_H
#define DROPS_REASONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct btf;
struct drops_libbpf;

#define DROPS_REASON_BYTES 64

struct drops_reasons {
	char (*name)[DROPS_REASON_BYTES]; /* without SKB_DROP_REASON_; "": no such reason */
	size_t count;
	bool sockets; /* the tracepoint has the socket that drops */
};

/*
 * Reads them from the type data of the running kernel. Returns 0, -EOPNOTSUPP (the tracepoint
 * kfree_skb gives no reasons), -ENOMEM, or -errno when there is no such data.
 */
int drops_reasons_read(struct drops_reasons *reasons, const struct drops_libbpf *bpf);

/* The same from @btf. */
int drops_reasons_parse(struct drops_reasons *reasons, const struct drops_libbpf *bpf,
			const struct btf *btf);

void drops_reasons_clear(struct drops_reasons *reasons);

/* The number of @name; UINT32_MAX: there is no such reason. */
uint32_t drops_reasons_value(const struct drops_reasons *reasons, const char *name);

/* The name, or the number where there is none. */
void drops_reasons_name(const struct drops_reasons *reasons, uint32_t reason, char *out,
			size_t bytes);

#endif
