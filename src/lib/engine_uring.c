// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* engine_uring: io_uring(7) with the file and, where RLIMIT_MEMLOCK allows, the buffers registered.
 */
#include "engine_variant.h"

#include <errno.h>
#include <liburing.h>
#include <stdlib.h>

struct uring_state {
	struct io_uring ring;
	bool fixed_buffers;
	bool fixed_file;
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

static int setup(struct io_uring *ring, unsigned depth)
{
	int error = -EINVAL;

	for (size_t i = 0; i < sizeof(setup_flags) / sizeof(setup_flags[0]); i++) {
		error = io_uring_queue_init(depth, ring, setup_flags[i]);
		if (error != -EINVAL)
			break;
	}
	return error;
}

static void register_buffers(struct np_engine *engine, struct uring_state *state)
{
	struct iovec area[NP_ENGINE_DEPTH_MAX];

	for (unsigned i = 0; i < engine->depth; i++)
		area[i] = (struct iovec){engine_buffer(engine, i), engine->buffer_bytes};
	state->fixed_buffers = io_uring_register_buffers(&state->ring, area, engine->depth) == 0;
	engine->registered = state->fixed_buffers;
	state->fixed_file = io_uring_register_files(&state->ring, &engine->fd, 1) == 0;
}

static int uring_open(struct np_engine *engine)
{
	struct uring_state *state = calloc(1, sizeof(*state));
	int error;

	if (!state)
		return -ENOMEM;
	error = setup(&state->ring, engine->depth);
	if (error) {
		free(state);
		return error == -ENOMEM ? error : -EPROTONOSUPPORT;
	}
	register_buffers(engine, state);
	engine->state = state;
	return 0;
}

static void uring_close(struct np_engine *engine)
{
	struct uring_state *state = engine->state;

	io_uring_queue_exit(&state->ring);
	free(state);
}

static void prepare(const struct np_engine *engine, struct io_uring_sqe *sqe,
		    const struct np_io *io)
{
	const struct uring_state *state = engine->state;
	void *buffer = engine_buffer(engine, io->slot);
	int fd = state->fixed_file ? 0 : engine->fd;
	int index = (int)io->slot;

	if (state->fixed_buffers && io->write)
		io_uring_prep_write_fixed(sqe, fd, buffer, io->bytes, io->offset, index);
	else if (state->fixed_buffers)
		io_uring_prep_read_fixed(sqe, fd, buffer, io->bytes, io->offset, index);
	else if (io->write)
		io_uring_prep_write(sqe, fd, buffer, io->bytes, io->offset);
	else
		io_uring_prep_read(sqe, fd, buffer, io->bytes, io->offset);
	if (state->fixed_file)
		io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	io_uring_sqe_set_data64(sqe, io->slot);
}

/* The ring has depth entries and a slot has at most one I/O, so an entry is always free. */
static void uring_submit(struct np_engine *engine, const struct np_io *ios, unsigned count)
{
	struct uring_state *state = engine->state;

	for (unsigned i = 0; i < count; i++)
		prepare(engine, io_uring_get_sqe(&state->ring), &ios[i]);
}

/* Submits what is queued and waits for one completion, all in one system call. */
static int submit_and_wait(struct io_uring *ring, np_time deadline)
{
	struct io_uring_cqe *cqe;
	struct __kernel_timespec left;
	np_time ns;
	int result;

	do {
		if (deadline == NP_TIME_NEVER) {
			result = io_uring_submit_and_wait(ring, 1);
			continue;
		}
		ns = deadline - np_clock_now();
		if (ns < 0)
			ns = 0;
		left = (struct __kernel_timespec){ns / NP_SECOND, ns % NP_SECOND};
		result = io_uring_submit_and_wait_timeout(ring, &cqe, 1, &left, NULL);
	} while (result == -EINTR);
	/* Short of memory or out of time: queued I/Os stay queued for the next call. */
	if (result == -EAGAIN || result == -EBUSY || result == -ETIME)
		return 0;
	return result;
}

static int uring_complete(struct np_engine *engine, unsigned *done, unsigned count,
			  np_time deadline)
{
	struct uring_state *state = engine->state;
	struct io_uring_cqe *cqe;
	unsigned head, found = 0;
	int error;

	error = submit_and_wait(&state->ring, deadline);
	if (error < 0)
		return error;
	io_uring_for_each_cqe(&state->ring, head, cqe)
	{
		if (found == count)
			break;
		done[found] = (unsigned)io_uring_cqe_get_data64(cqe);
		engine->slots[done[found++]].result = cqe->res;
	}
	io_uring_cq_advance(&state->ring, found);
	return (int)found;
}

const struct engine_variant engine_uring = {
	.name = "io_uring",
	.depth_max = NP_ENGINE_DEPTH_MAX,
	.open = uring_open,
	.close = uring_close,
	.submit = uring_submit,
	.complete = uring_complete,
};
