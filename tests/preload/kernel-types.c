// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * kernel-types: preloaded, it shows a program the type data of another kernel. KERNEL_TYPES:
 * "none", a kernel without any; "5.16", whose tracepoint kfree_skb gives no reasons; "5.17", which
 * gives reasons, of which few have names, but not the socket.
 */
#include <bpf/btf.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct btf *older(int arguments)
{
	struct btf *btf = btf__new_empty();
	int number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	int function = btf__add_func_proto(btf, 0);

	for (int i = 0; i < arguments; i++)
		btf__add_func_param(btf, "argument", number);
	btf__add_typedef(btf, "btf_trace_kfree_skb", btf__add_ptr(btf, function));
	btf__add_enum(btf, "skb_drop_reason", 4);
	btf__add_enum_value(btf, "SKB_DROP_REASON_NOT_SPECIFIED", 2);
	btf__add_enum_value(btf, "SKB_DROP_REASON_SOCKET_RCVBUFF", 6);
	return btf;
}

struct btf *btf__load_vmlinux_btf(void);

/* The program looks the function up in libbpf. */
void *dlsym(void *handle, const char *name)
{
	static void *(*real)(void *, const char *);

	if (!strcmp(name, "btf__load_vmlinux_btf") && handle != RTLD_NEXT)
		return (void *)btf__load_vmlinux_btf;
	if (!real)
		real = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
	return real(handle, name);
}

struct btf *btf__load_vmlinux_btf(void)
{
	static int calls;
	struct btf *(*real)(void) = (struct btf * (*)(void)) dlsym(RTLD_NEXT, __func__);
	const char *kernel = getenv("KERNEL_TYPES");

	/* The first call asks what the kernel can do; libbpf's own needs the true data. */
	if (calls++ && real)
		return real();
	if (kernel && !strcmp(kernel, "5.16"))
		return older(3);
	if (kernel && !strcmp(kernel, "5.17"))
		return older(4);
	errno = ENOENT;
	return NULL;
}
