// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* launch_null: a run of one rank, this process, without a launcher. */
#include "launch_variant.h"

#include <errno.h>

static int null_expect(uint32_t *rank)
{
	*rank = 0;
	return 0;
}

static int null_open(struct launch_place *place)
{
	place->rank = 0;
	place->size = 1;
	return 0;
}

static int null_publish(struct launch_place *place, const char *text)
{
	(void)place;
	(void)text;
	return 0;
}

static int null_lookup(struct launch_place *place, char text[LAUNCH_TEXT_MAX])
{
	(void)place;
	text[0] = '\0';
	return -EIO;
}

static void null_end(struct launch_place *place, const uint32_t *ranks, size_t count)
{
	(void)place;
	(void)ranks;
	(void)count;
}

static void null_close(struct launch_place *place)
{
	(void)place;
}

const struct launch_variant launch_null_variant = {
	.name = "null",
	.expect = null_expect,
	.open = null_open,
	.publish = null_publish,
	.lookup = null_lookup,
	.end = null_end,
	.close = null_close,
};
