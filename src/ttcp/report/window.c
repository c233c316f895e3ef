// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* window: splits time into windows of one length. */
#include "window.h"

#include "figures.h"

void window_start(struct window *window, np_time length)
{
	*window = (struct window){.length = length};
}

void window_add(struct window *window, np_time now, uint64_t messages, uint64_t bytes)
{
	if (!window->open) {
		window->open = true;
		window->first = now;
		window->last = now;
		window->end = now + window->length;
	}
	if (!window->messages && now > window->first)
		window->before = window->last;
	if (now > window->last)
		window->last = now;
	window->messages += messages;
	window->bytes += bytes;
}

/* @span: the time that its messages took. */
static void close_window(struct window *window, np_time elapsed, np_time span,
			 struct window_row *row)
{
	*row = (struct window_row){
		.end = window->end - window->length + elapsed - window->first,
		.elapsed = elapsed,
		.messages = window->messages,
		.bytes = window->bytes,
		.kilobits_per_s = figures_rate(window->bytes, span).kilobits_per_s,
	};
	window->end += window->length;
	window->messages = 0;
	window->bytes = 0;
}

bool window_take(struct window *window, np_time now, struct window_row *row)
{
	if (!window->open || now < window->end)
		return false;
	close_window(window, window->length, window->length, row);
	return true;
}

bool window_last(struct window *window, struct window_row *row)
{
	const np_time elapsed = window->last - (window->end - window->length);
	np_time span = window->before ? window->last - window->before : elapsed;

	if (!span || span > window->length)
		span = window->length;
	if (!window->open || !window->messages)
		return false;
	window->open = false;
	close_window(window, elapsed, span, row);
	return true;
}
