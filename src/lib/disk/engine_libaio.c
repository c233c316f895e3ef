// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* engine_libaio: Linux native AIO, io_submit(2) and io_getevents(2). */
#include "engine_variant.h"

#include <errno.h>
#include <libaio.h>
#include <stdlib.h>

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

const struct engine_variant engine_libaio = {
	.name = "libaio",
	.open = aio_open,
	.close = aio_close,
	.submit = aio_submit,
	.complete = aio_complete,
};
