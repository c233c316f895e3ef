// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* drops_object: the compiled BPF program of drops.bpf.c, as part of the library. */
#include "drops_libbpf.h"

/*
 * The Makefile gives the path of the object. Without it, as for analysers of the code, the object
 * is empty, which libbpf refuses.
 */
#ifdef DROPS_OBJECT
#define INCLUDED ".incbin \"" DROPS_OBJECT "\"\n"
#else
#define INCLUDED ""
#endif

__asm__(".pushsection .rodata\n"
	".balign 8\n"
	".globl drops_object\n"
	".hidden drops_object\n"
	"drops_object:\n" INCLUDED ".globl drops_object_end\n"
	".hidden drops_object_end\n"
	"drops_object_end:\n"
	".popsection\n");
