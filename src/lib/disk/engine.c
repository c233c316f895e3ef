// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* engine: buffers, slots, stamps, and the choice of the I/O engine. */
#include "engine_variant.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* pread(2) and pwrite(2), one at a time. */
static void sync_submit(struct np_engine *engine, const struct np_io *ios, unsigned count)
{
	void *buffer = np_engine_buffer(engine, 0);
	ssize_t result;

	(void)count;
	do
		result = ios->write ? pwrite(engine->fd, buffer, ios->bytes, (off_t)ios->offset)
				    : pread(engine->fd, buffer, ios->bytes, (off_t)ios->offset);
	while (result < 0 && errno == EINTR);
	engine_finish(engine, 0, result < 0 ? -errno : result);
}

static const struct engine_variant engine_sync = {
	.name = "sync",
	.submit = sync_submit,
};

/* Completes every I/O at once without moving a byte; shows what the rest costs. */
static void null_submit(struct np_engine *engine, const struct np_io *ios, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		engine_finish(engine, ios[i].slot, ios[i].bytes);
}

static const struct engine_variant engine_null = {
	.name = "null",
	.submit = null_submit,
};

/* In the order in which "auto" tries them for more than one I/O in flight. */
static const struct engine_variant *const variants[] = {
	&engine_uring,
	&engine_libaio,
	&engine_sync,
	&engine_null,
};

#define VARIANTS	(sizeof(variants) / sizeof(variants[0]))
#define AUTO_VARIANTS	2

#define HUGE_PAGE_BYTES ((size_t)2 << 20)

const char *const np_engine_variants[] = {"auto", "sync", "libaio", "io_uring", "null", NULL};

static int open_variant(struct np_engine *engine, const struct engine_variant *variant)
{
	engine->variant = variant;
	engine->info.variant = variant->name;
	return variant->open ? variant->open(engine) : 0;
}

static int choose_variant(struct np_engine *engine, const char *name)
{
	const bool automatic = !name || strcmp(name, "auto") == 0;
	int error = -EPROTONOSUPPORT;

	if (automatic && engine->depth == 1)
		return open_variant(engine, &engine_sync);
	/* If a variant is forbidden or may not lock enough memory, the next may need none. */
	for (size_t i = 0; i < (automatic ? AUTO_VARIANTS : VARIANTS); i++) {
		if (!automatic && strcmp(name, variants[i]->name) != 0)
			continue;
		error = open_variant(engine, variants[i]);
		if (!error || !automatic)
			break;
		engine->info.refusal = error;
	}
	return error;
}

static void release(struct np_engine *engine)
{
	free(engine->slots);
	free(engine->buffers);
	free(engine);
}

int np_engine_open(struct np_engine **result, const struct np_engine_options *options)
{
	struct np_engine *engine = calloc(1, sizeof(*engine));
	size_t align = options->align > HUGE_PAGE_BYTES ? options->align : HUGE_PAGE_BYTES, bytes;
	int error = -ENOMEM;

	*result = NULL;
	if (!engine)
		return -ENOMEM;
	engine->fd = options->fd;
	engine->depth = options->depth;
	engine->moves = options->moves;
	engine->buffer_bytes = options->buffer_bytes;
	engine->stride = (options->buffer_bytes + options->align - 1) & ~(options->align - 1);
	/*
	 * In huge pages where the kernel has some: the disk, the kernel's pinning and our checks
	 * walk fewer page tables (20 KiB reads at depth 32: a third more throughput).
	 */
	bytes = (engine->stride * options->depth + align - 1) & ~(align - 1);
	engine->buffers = aligned_alloc(align, bytes);
	engine->slots = calloc(options->depth, sizeof(*engine->slots));
	if (engine->buffers && engine->slots) {
		(void)madvise(engine->buffers, bytes, MADV_HUGEPAGE);
		memset(engine->buffers, 0, bytes);
		error = choose_variant(engine, options->variant);
	}
	if (error) {
		release(engine);
		return error;
	}
	*result = engine;
	return 0;
}

void np_engine_free(struct np_engine *engine)
{
	struct np_io done;

	if (!engine)
		return;
	/* Memory that the kernel may still write to is leaked rather than reused. */
	while (engine->info.in_flight > 0) {
		if (np_engine_complete(engine, &done, 1, NP_TIME_NEVER) < 0)
			return;
	}
	if (engine->variant->close)
		engine->variant->close(engine);
	release(engine);
}

const struct np_engine_info *np_engine_info(const struct np_engine *engine)
{
	return &engine->info;
}

void *np_engine_buffer(const struct np_engine *engine, unsigned slot)
{
	return engine->buffers + slot * engine->stride;
}

void np_engine_submit(struct np_engine *engine, struct np_io *ios, unsigned count)
{
	const np_time now = np_clock_now();

	for (unsigned i = 0; i < count; i++) {
		ios[i].submitted = now;
		engine->slots[ios[i].slot] = ios[i];
	}
	engine->info.in_flight += count;
	engine->variant->submit(engine, ios, count);
}

void np_engine_flush(struct np_engine *engine)
{
	if (engine->variant->flush)
		engine->variant->flush(engine);
}

int np_engine_complete(struct np_engine *engine, struct np_io *done, unsigned count,
		       np_time deadline)
{
	np_time now;
	int error = 0;

	if (engine->info.in_flight == 0 || count == 0)
		return 0;
	if (!engine->finished_count)
		error = engine->variant->complete(engine, deadline);
	if (error)
		return error;
	if (count > engine->finished_count)
		count = engine->finished_count;
	now = np_clock_now();
	for (unsigned i = 0; i < count; i++) {
		done[i] = engine->slots[engine->finished[i]];
		done[i].completed = now;
	}
	engine->info.in_flight -= count;
	engine->finished_count -= count;
	/* The oldest ones first. */
	memmove(engine->finished, engine->finished + count,
		engine->finished_count * sizeof(*engine->finished));
	return (int)count;
}
