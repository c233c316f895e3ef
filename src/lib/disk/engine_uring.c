// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* engine_uring: io_uring(7) with the file and, where RLIMIT_MEMLOCK allows, the buffers registered.
 */
#include "engine_variant.h"

#include <errno.h>
#include <liburing.h>
#include <stdlib.h>

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

/* Submits what is queued and waits for one completion, all in one system call. */
static int submit_and_wait(struct uring_state *state, np_time deadline)
{
	struct __kernel_timespec timeout;
	struct io_uring_cqe *cqe;
	np_time left;
	int result;

	do {
		left = own_timeout(state, deadline);
		timeout = (struct __kernel_timespec){left / NP_SECOND, left % NP_SECOND};
		if (left)
			result = io_uring_submit_and_wait_timeout(&state->ring, &cqe, 1, &timeout,
								  NULL);
		else
			result = io_uring_submit_and_wait(&state->ring, 1);
	} while (result == -EINTR);
	/* Short of memory or out of time: queued I/Os stay queued for the next call. */
	if (result == -EAGAIN || result == -EBUSY || result == -ETIME)
		return 0;
	return result;
}

/* Finishes what is complete; the timer's completion may be among it. */
static void take(struct np_engine *engine)
{
	struct uring_state *state = engine->state;
	struct io_uring_cqe *cqe;
	unsigned head, seen = 0;

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
}

static int uring_complete(struct np_engine *engine, np_time deadline)
{
	int error;

	/* The timer may have been set for an earlier wait than this one. */
	do {
		error = submit_and_wait(engine->state, deadline);
		if (error < 0)
			return error;
		take(engine);
	} while (!engine->finished_count && np_clock_now() < deadline);
	return 0;
}

const struct engine_variant engine_uring = {
	.name = "io_uring",
	.open = uring_open,
	.close = uring_close,
	.submit = uring_submit,
	.flush = uring_flush,
	.complete = uring_complete,
};
