/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* engine_variant: the state that engine.c and its variants share. */
#pragma once

#include <netperf/engine.h>

struct engine_variant;

/* engine.c owns all of it; a variant owns @state, and reads the rest but for @info.registered. */
struct np_engine {
	const struct engine_variant *variant;
	void *state;
	int fd;
	unsigned depth;
	bool moves;
	size_t buffer_bytes; /* as asked for */
	size_t stride;	     /* from one buffer to the next */
	uint8_t *buffers;
	struct np_io *slots; /* the I/O of each slot, valid while it is in flight */
	struct np_engine_info info;
	/* Complete, in this order, and not handed out yet: see engine_finish. */
	unsigned finished[NP_ENGINE_DEPTH_MAX];
	unsigned finished_count;
};

struct engine_variant {
	const char *name;

	/* Sets @state. Returns 0 or -errno. NULL: there is none. */
	int (*open)(struct np_engine *engine);

	/* Frees @state; called when nothing is in flight. */
	void (*close)(struct np_engine *engine);

	/* Submits the I/Os of @count slots, already copied and stamped. */
	void (*submit)(struct np_engine *engine, const struct np_io *ios, unsigned count);

	/* Hands what submit has kept to the kernel; NULL: it keeps nothing. */
	void (*flush)(struct np_engine *engine);

	/*
	 * Waits until one I/O is complete, but not beyond @deadline, and finishes all that are.
	 * Called when something is in flight that is not finished. Returns 0 or -errno.
	 */
	int (*complete)(struct np_engine *engine, np_time deadline);
};

extern const struct engine_variant engine_libaio;
extern const struct engine_variant engine_uring;

/* The I/O of @slot is complete, maybe before the caller asks. */
static inline void engine_finish(struct np_engine *engine, unsigned slot, int64_t result)
{
	engine->slots[slot].result = result;
	engine->finished[engine->finished_count++] = slot;
}
