/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* ttcp_console_scene: a console that prints to memory, for the tests of its text. */
#ifndef TTCP_CONSOLE_SCENE_H
#define TTCP_CONSOLE_SCENE_H

#include "../../../src/ttcp/report/console.h"
#include "../page.h"

#define MS NP_MILLISECOND

/* As options of a command line would have it. */
struct scene {
	struct options options;
	struct console console;
	struct receivers receivers;
	struct page *page;
};

/* Has a page, no receivers and the options of HyperCast's examples, to be changed before begin().
 */
void open_scene(struct scene *scene, enum options_task task, enum options_transport transport);

/* Prints what stands before the first run, and its beginning. */
void begin(struct scene *scene);

/* @want is all that was printed. Ends the scene. */
void expect(struct scene *scene, const char *want);

/* A sender's result: what the console counted, @acks after @rtt_sum ms in all. */
void transmitted(struct scene *scene, uint64_t bytes, np_time ms, uint64_t acks, np_time rtt_sum);

#endif
