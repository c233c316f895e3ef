// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* ttcp_console_scene: opens a console on memory and compares what it printed. */
#include "ttcp_console_scene.h"

void open_scene(struct scene *scene, enum options_task task, enum options_transport transport)
{
	*scene = (struct scene){
		.options = {.task = task,
			    .place = {.transport = transport, .to = "128.100.11.52", .port = 5001},
			    .load = {.message_bytes = 512, .messages = 1024},
			    .files = {.window = 500 * MS}},
	};
	scene->page = page_open();
	assert_int_equal(receivers_create(&scene->receivers), 0);
}

void begin(struct scene *scene)
{
	console_init(&scene->console, scene->page->out, &scene->options);
	console_begin(&scene->console, &scene->options);
	console_run(&scene->console, &scene->options, 1);
}

void expect(struct scene *scene, const char *want)
{
	page_expect(scene->page, want);
	receivers_free(&scene->receivers);
}

void transmitted(struct scene *scene, uint64_t bytes, np_time ms, uint64_t acks, np_time rtt_sum)
{
	scene->receivers.acks = acks;
	scene->receivers.rtt_sum = (__int128)rtt_sum * MS;
	console_transmitted(&scene->console,
			    &(struct record_transmit){.messages = scene->console.counted,
						      .bytes = bytes,
						      .span = ms * MS,
						      .acks_wanted = acks,
						      .receivers = &scene->receivers});
}
