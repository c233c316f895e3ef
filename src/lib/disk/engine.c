// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * engine: buffers, slots, stamps, and the choice of the I/O engine: io_uring(7) with the file and,
 * where RLIMIT_MEMLOCK allows, the buffers registered; Linux native AIO, io_submit(2) and
 * io_getevents(2); pread(2) and pwrite(2); none. And the walks over a region, linear and random,
 * that visit each piece once per pass.
 */
#include <netperf/engine.h>

#include <errno.h>
#include <libaio.h>
#include <liburing.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Common to all variants; one of them owns @state, and reads the rest but for @info.registered. */
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

/* The I/O of @slot is complete, maybe before the caller asks. */
static void engine_finish(struct np_engine *engine, unsigned slot, int64_t result)
{
	engine->slots[slot].result = result;
	engine->finished[engine->finished_count++] = slot;
}

/* Marks the completion of the ring's timer; no slot has this number. */
#define TIMER UINT64_MAX
/* A wait that must end sooner has a timeout of its own. */
#define TIMER_LEAST (2 * NP_MILLISECOND)

/*
 * For a timeout of each wait the kernel would start and cancel a timer each time: a fifth of the
 * CPU time where I/Os complete one after the other. One timer in the ring serves all waits until it
 * expires.
 */
struct uring_state {
	struct io_uring ring;
	bool fixed_file;
	bool no_timer; /* the kernel has none */
	np_time timer; /* when the ring's expires; NP_TIME_NEVER: it is not set */
	struct __kernel_timespec moment;
};

/*
 * Avoids an interrupt for a completion that the next system call finds anyway (Linux 5.19, 6.0).
 * DEFER_TASKRUN was measured, too: a fifth more CPU time at equal throughput.
 */
static const unsigned setup_flags[] = {
	IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN,
	IORING_SETUP_COOP_TASKRUN,
	0,
};

static int uring_open(struct np_engine *engine)
{
	struct uring_state *state = calloc(1, sizeof(*state));
	struct iovec area[NP_ENGINE_DEPTH_MAX];
	int error = -EINVAL;

	if (!state)
		return -ENOMEM;
	/* An entry for each slot, and one for the timer. */
	/* The kernel takes the thread that makes a ring for the one that submits. */
	for (size_t i = engine->moves;
	     error == -EINVAL && i < sizeof(setup_flags) / sizeof(setup_flags[0]); i++)
		error = io_uring_queue_init(engine->depth + 1, &state->ring, setup_flags[i]);
	if (error) {
		free(state);
		return error == -ENOMEM ? error : -EPROTONOSUPPORT;
	}
	for (unsigned i = 0; i < engine->depth; i++)
		area[i] = (struct iovec){np_engine_buffer(engine, i), engine->buffer_bytes};
	engine->info.registered = io_uring_register_buffers(&state->ring, area, engine->depth) == 0;
	state->fixed_file = io_uring_register_files(&state->ring, &engine->fd, 1) == 0;
	state->timer = NP_TIME_NEVER;
	engine->state = state;
	return 0;
}

static void uring_close(struct np_engine *engine)
{
	struct uring_state *state = engine->state;

	io_uring_queue_exit(&state->ring);
	free(state);
}

/* The ring has an entry for each slot and one for the timer, so an entry is always free. */
static void uring_submit(struct np_engine *engine, const struct np_io *ios, unsigned count)
{
	struct uring_state *state = engine->state;
	const int fd = state->fixed_file ? 0 : engine->fd;

	for (const struct np_io *io = ios; io < ios + count; io++) {
		struct io_uring_sqe *sqe = io_uring_get_sqe(&state->ring);
		void *buffer = np_engine_buffer(engine, io->slot);
		const int index = (int)io->slot;

		if (engine->info.registered && io->write)
			io_uring_prep_write_fixed(sqe, fd, buffer, io->bytes, io->offset, index);
		else if (engine->info.registered)
			io_uring_prep_read_fixed(sqe, fd, buffer, io->bytes, io->offset, index);
		else if (io->write)
			io_uring_prep_write(sqe, fd, buffer, io->bytes, io->offset);
		else
			io_uring_prep_read(sqe, fd, buffer, io->bytes, io->offset);
		if (state->fixed_file)
			io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
		io_uring_sqe_set_data64(sqe, io->slot);
	}
}

/* I/Os that the kernel does not take now stay queued for the next call. */
static void uring_flush(struct np_engine *engine)
{
	struct uring_state *state = engine->state;

	(void)io_uring_submit(&state->ring);
}

/* The timeout that a wait needs; 0: none, the ring's timer ends it at @deadline or before. */
static np_time own_timeout(struct uring_state *state, np_time deadline)
{
	struct io_uring_sqe *sqe;
	np_time left;

	if (state->timer <= deadline)
		return 0;
	left = deadline - np_clock_now();
	if (state->timer == NP_TIME_NEVER && left >= TIMER_LEAST && !state->no_timer) {
		sqe = io_uring_get_sqe(&state->ring);
		state->moment =
			(struct __kernel_timespec){deadline / NP_SECOND, deadline % NP_SECOND};
		io_uring_prep_timeout(sqe, &state->moment, 0, IORING_TIMEOUT_ABS);
		io_uring_sqe_set_data64(sqe, TIMER);
		state->timer = deadline;
		return 0;
	}
	return left > 1 ? left : 1;
}

/* The timer may have been set for an earlier wait than this one: then it is waited again. */
static int uring_complete(struct np_engine *engine, np_time deadline)
{
	struct uring_state *state = engine->state;
	struct __kernel_timespec timeout;
	struct io_uring_cqe *cqe;
	unsigned head, seen;
	np_time left;
	int result;

	do {
		/* Submits what is queued and waits for one completion, all in one system call. */
		left = own_timeout(state, deadline);
		timeout = (struct __kernel_timespec){left / NP_SECOND, left % NP_SECOND};
		if (left)
			result = io_uring_submit_and_wait_timeout(&state->ring, &cqe, 1, &timeout,
								  NULL);
		else
			result = io_uring_submit_and_wait(&state->ring, 1);
		/* Short of memory or out of time: queued I/Os stay queued for the next call. */
		if (result < 0 && result != -EINTR && result != -EAGAIN && result != -EBUSY &&
		    result != -ETIME)
			return result;
		seen = 0;
		io_uring_for_each_cqe(&state->ring, head, cqe)
		{
			const uint64_t slot = io_uring_cqe_get_data64(cqe);

			seen++;
			if (slot == TIMER) {
				state->no_timer = cqe->res != -ETIME;
				state->timer = NP_TIME_NEVER;
			} else {
				engine_finish(engine, (unsigned)slot, cqe->res);
			}
		}
		io_uring_cq_advance(&state->ring, seen);
	} while (!engine->finished_count && np_clock_now() < deadline);
	return 0;
}

static const struct engine_variant engine_uring = {
	.name = "io_uring",
	.open = uring_open,
	.close = uring_close,
	.submit = uring_submit,
	.flush = uring_flush,
	.complete = uring_complete,
};

struct aio_state {
	io_context_t context;
	struct iocb iocb[NP_ENGINE_DEPTH_MAX];
	struct iocb *batch[NP_ENGINE_DEPTH_MAX];
	struct io_event event[NP_ENGINE_DEPTH_MAX];
};

static int aio_open(struct np_engine *engine)
{
	struct aio_state *state = calloc(1, sizeof(*state));
	int error;

	if (!state)
		return -ENOMEM;
	error = io_setup((int)engine->depth, &state->context);
	if (error) {
		free(state);
		return error == -ENOMEM ? error : -EPROTONOSUPPORT;
	}
	engine->state = state;
	return 0;
}

static void aio_close(struct np_engine *engine)
{
	struct aio_state *state = engine->state;

	io_destroy(state->context);
	free(state);
}

/*
 * io_submit stops at the first I/O that it refuses: that one is complete, and the others are tried
 * again.
 */
static void aio_submit(struct np_engine *engine, const struct np_io *ios, unsigned count)
{
	struct aio_state *state = engine->state;
	unsigned taken = 0;
	int result;

	for (unsigned i = 0; i < count; i++) {
		const struct np_io *io = &ios[i];
		struct iocb *iocb = &state->iocb[io->slot];
		void *buffer = np_engine_buffer(engine, io->slot);

		if (io->write)
			io_prep_pwrite(iocb, engine->fd, buffer, io->bytes, (long long)io->offset);
		else
			io_prep_pread(iocb, engine->fd, buffer, io->bytes, (long long)io->offset);
		/* The library's "data" is the kernel's aio_data: it carries the slot number. */
		iocb->data = (void *)(uintptr_t)io->slot;
		state->batch[i] = iocb;
	}
	while (taken < count) {
		result = io_submit(state->context, (long)(count - taken), state->batch + taken);
		if (result == -EINTR)
			continue;
		if (result <= 0) {
			engine_finish(engine, ios[taken].slot, result ? result : -EIO);
			result = 1;
		}
		taken += (unsigned)result;
	}
}

static int aio_complete(struct np_engine *engine, np_time deadline)
{
	struct aio_state *state = engine->state;
	struct timespec timeout;
	np_time left;
	int found;

	/* Our signals are blocked, but the kernel still returns -EINTR now and then. */
	do {
		left = deadline - np_clock_now();
		if (left < 0)
			left = 0;
		timeout = (struct timespec){left / NP_SECOND, left % NP_SECOND};
		found = io_getevents(state->context, 1, engine->depth, state->event,
				     deadline == NP_TIME_NEVER ? NULL : &timeout);
	} while (found == -EINTR);
	for (int i = 0; i < found; i++)
		engine_finish(engine, (unsigned)(uintptr_t)state->event[i].data,
			      (int64_t)state->event[i].res);
	return found < 0 ? found : 0;
}

static const struct engine_variant engine_libaio = {
	.name = "libaio",
	.open = aio_open,
	.close = aio_close,
	.submit = aio_submit,
	.complete = aio_complete,
};

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

static int choose_variant(struct np_engine *engine, const char *name)
{
	bool automatic = !name || strcmp(name, "auto") == 0;
	int error = -EPROTONOSUPPORT;

	if (automatic && engine->depth == 1) {
		automatic = false;
		name = engine_sync.name;
	}
	/* If a variant is forbidden or may not lock enough memory, the next may need none. */
	for (size_t i = 0; i < (automatic ? AUTO_VARIANTS : VARIANTS); i++) {
		if (!automatic && strcmp(name, variants[i]->name) != 0)
			continue;
		engine->variant = variants[i];
		engine->info.variant = variants[i]->name;
		error = variants[i]->open ? variants[i]->open(engine) : 0;
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

void np_cursor_start(struct np_cursor *cursor, uint64_t begin, uint64_t length, uint64_t step)
{
	*cursor = (struct np_cursor){
		.begin = begin,
		.length = length,
		.step = step < length ? step : length,
	};
	if (cursor->step)
		cursor->pieces = length / cursor->step + (length % cursor->step != 0);
}

/*
 * A permutation of 0..2^bits-1: each of its rounds (add, multiply by an odd number, fold) is one.
 */
static uint64_t scramble(uint64_t x, unsigned bits, uint64_t seed)
{
	uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;

	for (unsigned round = 0; round < 4; round++) {
		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		x = (x + (seed >> 7)) & mask;
		x = (x * (((seed >> 11) << 1) | 1)) & mask;
		x ^= x >> (bits / 2 + 1);
	}
	return x;
}

struct np_extent np_cursor_peek(const struct np_cursor *cursor)
{
	uint64_t number = cursor->next, at;
	struct np_extent extent;
	unsigned bits = 1;

	while (cursor->random && bits < 64 && cursor->pieces > UINT64_C(1) << bits)
		bits++;
	/* Beyond the last piece it is scrambled again until it falls inside: each is hit once. */
	if (cursor->random)
		do
			number = scramble(number, bits, cursor->seed + cursor->passes);
		while (number >= cursor->pieces);
	at = number * cursor->step;
	extent.offset = cursor->begin + at;
	extent.length = cursor->length - at < cursor->step ? cursor->length - at : cursor->step;
	return extent;
}

struct np_extent np_cursor_next(struct np_cursor *cursor)
{
	struct np_extent extent = np_cursor_peek(cursor);

	if (++cursor->next == cursor->pieces) {
		cursor->next = 0;
		cursor->passes++;
	}
	return extent;
}
