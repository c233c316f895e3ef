// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * kernel-types: preloaded, it shows a program the type data of another kernel. KERNEL_TYPES:
 * "none", a kernel without any; "5.16", whose tracepoint kfree_skb gives no reasons; "5.17", which
 * gives reasons, but not the socket. And KERNEL_KINDS=N: one that has a
 * reason of its own for each of N of the first kind of drops, where there are more of these.
 */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool is_kernel(const char *types)
{
	const char *kernel = getenv("KERNEL_TYPES");

	return kernel && !strcmp(kernel, types);
}

static struct btf *older(void)
{
	struct btf *btf = btf__new_empty();
	int number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	int function = btf__add_func_proto(btf, 0);

	for (int i = 0; i < 3; i++)
		btf__add_func_param(btf, "argument", number);
	btf__add_typedef(btf, "btf_trace_kfree_skb", btf__add_ptr(btf, function));
	return btf;
}

int bpf_map_get_next_key(int fd, const void *before, void *next);
int bpf_map_lookup_elem(int fd, const void *at, void *value);

/* The program looks the functions up in libbpf. */
void *dlsym(void *handle, const char *name)
{
	static void *(*real)(void *, const char *);
	static const struct {
		const char *name;
		void *function;
	} ours[] = {
		{"btf__load_vmlinux_btf", (void *)btf__load_vmlinux_btf},
		{"bpf_object__load", (void *)bpf_object__load},
		{"bpf_object__open_mem", (void *)bpf_object__open_mem},
		{"bpf_map_get_next_key", (void *)bpf_map_get_next_key},
		{"bpf_map_lookup_elem", (void *)bpf_map_lookup_elem},
	};

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]) && handle != RTLD_NEXT; i++) {
		if (!strcmp(name, ours[i].name))
			return ours[i].function;
	}
	if (!real)
		real = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
	return real(handle, name);
}

/* Asked for by the program itself, once the kernel has refused it; libbpf has its own. */
struct btf *btf__load_vmlinux_btf(void)
{
	struct btf *(*real)(void) = (struct btf * (*)(void)) dlsym(RTLD_NEXT, __func__);

	if (is_kernel("5.16"))
		return older();
	errno = ENOENT;
	return is_kernel("none") || !real ? NULL : real();
}

int bpf_object__load(struct bpf_object *object)
{
	int (*real)(struct bpf_object *) = (int (*)(struct bpf_object *))dlsym(RTLD_NEXT, __func__);

	return is_kernel("none") || is_kernel("5.16") ? -EACCES : real(object);
}

/* What the program looks for to know whether the tracepoint names sockets. */
#define WITH_SOCKET "btf_trace_kfree_skb___socket"

struct bpf_object *bpf_object__open_mem(const void *data, size_t bytes,
					const struct bpf_object_open_opts *options)
{
	struct bpf_object *(*real)(const void *, size_t, const struct bpf_object_open_opts *) =
		(struct bpf_object * (*)(const void *, size_t, const struct bpf_object_open_opts *))
			dlsym(RTLD_NEXT, __func__);
	uint8_t *copy = malloc(bytes), *name;
	struct bpf_object *object;

	memcpy(copy, data, bytes);
	name = memmem(copy, bytes, WITH_SOCKET, sizeof(WITH_SOCKET));
	if (name && is_kernel("5.17"))
		*name = 'B';
	object = real(copy, bytes, options);
	free(copy);
	return object;
}

/* What the program counts by: see the map "counts". */
struct kind {
	uint8_t peer[16];
	uint64_t place;
	uint32_t reason;
	uint16_t peer_port, rule;
};

#define OWN_REASON 1000 /* the first of those that are made up */

static struct kind first;
static int counts = -1;

static uint64_t kinds(void)
{
	const char *text = getenv("KERNEL_KINDS");

	return text ? (uint64_t)atol(text) : 0;
}

int bpf_map_get_next_key(int fd, const void *before, void *next)
{
	int (*real)(int, const void *, void *) =
		(int (*)(int, const void *, void *))dlsym(RTLD_NEXT, __func__);
	const struct kind *b = before;
	struct kind *n = next;
	int rc;

	if (b && b->reason >= OWN_REASON) {
		*n = *b;
		n->reason++;
		if (n->reason < OWN_REASON + kinds())
			return 0;
		errno = ENOENT;
		return -1;
	}
	rc = real(fd, before, next);
	if (!rc && !b) {
		counts = fd;
		first = *n;
	} else if (rc && errno == ENOENT && b && kinds()) {
		*n = first;
		n->reason = OWN_REASON;
		rc = 0;
	}
	return rc;
}

int bpf_map_lookup_elem(int fd, const void *at, void *value)
{
	int (*real)(int, const void *, void *) =
		(int (*)(int, const void *, void *))dlsym(RTLD_NEXT, __func__);
	const struct kind *kind = at;
	const bool made_up = fd == counts && kind->reason >= OWN_REASON;
	int rc = real(fd, made_up ? &first : at, value);
	uint64_t *packets = value;

	if (rc || fd != counts || (!made_up && memcmp(kind, &first, sizeof(first))))
		return rc;
	if (*packets <= kinds())
		*packets = made_up ? 0 : *packets;
	else
		*packets = made_up ? 1 : *packets - kinds();
	return 0;
}
