// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* status: draws a line that shows how a run gets on, and erases it before other text. */
#include "status.h"

#include <errno.h>
#include <inttypes.h>
#include <netperf/units.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PERIOD	    NP_SECOND
#define LINE	    160
#define COLUMNS	    80 /* of a terminal that does not tell */
#define COLUMNS_MAX (LINE - 1)
#define ECHOED	    2

struct np_status {
	int fd;
	pthread_mutex_t lock; /* of the terminal and what follows, but for @due */
	size_t drawn;	      /* columns of the line on the terminal */
	bool amid;	      /* other text ended within a line */
	_Atomic np_time due;
	/* What was shown last, also if it could not be drawn: the rate is that since then. */
	np_time begun, at;
	uint64_t bytes;
};

int status_create(struct np_status **status, int fd)
{
	struct np_status *s = calloc(1, sizeof(*s));

	*status = s;
	if (!s)
		return -ENOMEM;
	s->fd = fd;
	pthread_mutex_init(&s->lock, NULL);
	/* A short run shows its result only. */
	atomic_init(&s->due, np_clock_now() + PERIOD);
	return 0;
}

/*
 * A background process would disturb who has the terminal, or be stopped (SIGTTOU). One that flow
 * control has stopped would block.
 */
static bool has_terminal(const struct np_status *s)
{
	struct pollfd room = {.fd = s->fd, .events = POLLOUT};

	return tcgetpgrp(s->fd) == getpgrp() && poll(&room, 1, 0) == 1 && room.revents == POLLOUT;
}

/* One column stays free: text in the last one may begin another line. */
static size_t columns(const struct np_status *s)
{
	struct winsize size = {.ws_col = 0};
	size_t all = COLUMNS;

	if (!ioctl(s->fd, TIOCGWINSZ, &size) && size.ws_col)
		all = size.ws_col;
	return all - 1 < COLUMNS_MAX ? all - 1 : COLUMNS_MAX;
}

/*
 * Replaces the line by @text, padded with blanks, which any terminal has. If that fails, the line
 * is incomplete until the next one.
 */
static void draw(struct np_status *s, const char *text)
{
	const size_t room = columns(s), length = strnlen(text, room);
	/* The terminal may have become narrower since. */
	const size_t drawn = np_least(s->drawn, room), blanks = drawn > length ? drawn - length : 0;
	char line[2 * LINE + 3];
	const int bytes = snprintf(line, sizeof(line), "\r%.*s%*s%s", (int)length, text,
				   (int)blanks, "", length ? "" : "\r");

	if (has_terminal(s))
		(void)!write(s->fd, line, (size_t)bytes);
	/* The terminal may show ^C after it. */
	s->drawn = !length || length + ECHOED > room ? length : length + ECHOED;
}

void status_hide(struct np_status *status)
{
	if (!status)
		return;
	pthread_mutex_lock(&status->lock);
	if (status->drawn)
		draw(status, "");
}

void status_release(struct np_status *status, bool at_start)
{
	if (!status)
		return;
	status->amid = !at_start;
	pthread_mutex_unlock(&status->lock);
}

void np_status_erase(struct np_status *status)
{
	status_hide(status);
	if (status)
		pthread_mutex_unlock(&status->lock);
}

void status_free(struct np_status *status)
{
	if (!status)
		return;
	np_status_erase(status);
	pthread_mutex_destroy(&status->lock);
	free(status);
}

np_time np_status_next(const struct np_status *status)
{
	return status ? atomic_load_explicit(&status->due, memory_order_relaxed) : NP_TIME_NEVER;
}

static void format(char *text, const struct np_status_figures *f, np_time now, double rate)
{
	snprintf(text, LINE, "%.0f s", np_clock_seconds(now - f->begun));
	if (f->end < NP_TIME_NEVER)
		np_text_append(text, LINE, ", %.0f s left",
			       np_clock_seconds(f->end > now ? f->end - now : 0));
	np_text_append(text, LINE, ": %s, %" PRIu64 " %s",
		       np_rate_format(rate, f->rate_in_bytes).text, f->count, f->unit);
	if (f->fault)
		np_text_append(text, LINE, ", %s %" PRIu64, f->fault, f->faults);
}

void np_status_show(struct np_status *s, np_time now, const struct np_status_figures *f)
{
	char text[LINE];

	if (now < np_status_next(s))
		return;
	atomic_store_explicit(&s->due, now + PERIOD, memory_order_relaxed);
	/* Who holds the lock is writing, perhaps to a terminal that takes nothing. */
	if (pthread_mutex_trylock(&s->lock))
		return;
	if (f->begun != s->begun || f->bytes < s->bytes) {
		s->begun = s->at = f->begun;
		s->bytes = 0;
	}
	format(text, f, now, np_units_rate(f->bytes - s->bytes, now - s->at));
	s->at = now;
	s->bytes = f->bytes;
	if (!s->amid)
		draw(s, text);
	pthread_mutex_unlock(&s->lock);
}
