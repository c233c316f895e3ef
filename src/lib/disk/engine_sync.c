// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* engine_sync: pread(2) and pwrite(2), one at a time. */
#include "engine_variant.h"

#include <errno.h>
#include <unistd.h>

static int sync_open(struct np_engine *engine)
{
	engine->state = NULL;
	return 0;
}

static void sync_close(struct np_engine *engine)
{
	(void)engine;
}

static ssize_t transfer(const struct np_engine *engine, const struct np_io *io)
{
	void *buffer = engine_buffer(engine, io->slot);

	if (io->write)
		return pwrite(engine->fd, buffer, io->bytes, (off_t)io->offset);
	return pread(engine->fd, buffer, io->bytes, (off_t)io->offset);
}

static void sync_submit(struct np_engine *engine, const struct np_io *ios, unsigned count)
{
	struct np_io *io = &engine->slots[0];
	ssize_t result;

	(void)count;
	do
		result = transfer(engine, ios);
	while (result < 0 && errno == EINTR);
	io->result = result < 0 ? -errno : result;
}

static int sync_complete(struct np_engine *engine, unsigned *done, unsigned count, np_time deadline)
{
	(void)engine;
	(void)count;
	(void)deadline;
	done[0] = 0;
	return 1;
}

const struct engine_variant engine_sync = {
	.name = "sync",
	.depth_max = 1,
	.open = sync_open,
	.close = sync_close,
	.submit = sync_submit,
	.complete = sync_complete,
};
