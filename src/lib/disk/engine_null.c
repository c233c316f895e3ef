// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* engine_null: completes every I/O at once without moving a byte; shows what the rest costs. */
#include "engine_variant.h"

#include <errno.h>
#include <stdlib.h>

static int null_open(struct np_engine *engine)
{
	engine->state = calloc(1, sizeof(struct engine_finished));
	return engine->state ? 0 : -ENOMEM;
}

static void null_close(struct np_engine *engine)
{
	free(engine->state);
}

static void null_submit(struct np_engine *engine, const struct np_io *ios, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		engine->slots[ios[i].slot].result = ios[i].bytes;
		engine_finished_add(engine->state, ios[i].slot);
	}
}

static int null_complete(struct np_engine *engine, unsigned *done, unsigned count, np_time deadline)
{
	(void)deadline;
	return (int)engine_finished_take(engine->state, done, count);
}

const struct engine_variant engine_null = {
	.name = "null",
	.depth_max = NP_ENGINE_DEPTH_MAX,
	.open = null_open,
	.close = null_close,
	.submit = null_submit,
	.complete = null_complete,
};
