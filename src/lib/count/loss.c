// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* loss: attributes missing packets to the way or to this host. */
#include <netperf/loss.h>
#include <stdio.h>
#include <stdlib.h>

#define SEGMENTS_MAX 128   /* of one buffer: UDP_MAX_SEGMENTS */
#define DATAGRAM_MAX 65507 /* bytes, of UDP over IPv4 */

static uint64_t lower(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void np_loss_drops_full(struct np_loss_drops *drops, uint64_t dropped, uint64_t full,
			uint64_t damaged)
{
	drops->least = dropped - lower(dropped, damaged);
	drops->upmost = lower(dropped, full);
	/* The counters are read one after the other, so they may be inconsistent. */
	if (drops->upmost < drops->least)
		drops->upmost = drops->least;
}

uint64_t np_loss_most(const char *unit, size_t shortest)
{
	if (unit[0] == 'p' || shortest >= DATAGRAM_MAX)
		return 1;
	return lower(DATAGRAM_MAX / (shortest ? shortest : 1), SEGMENTS_MAX);
}

void np_loss_add(struct np_loss *sum, const struct np_loss *more)
{
	sum->path += more->path;
	sum->host += more->host;
	sum->unattributed += more->unattributed;
	sum->exact &= more->exact;
}

double np_loss_percent(uint64_t lost, uint64_t sent)
{
	return sent ? 100.0 * (double)lost / (double)sent : 0;
}

bool np_loss_exceeds(double percent, double most, const char *object, const struct np_log *log)
{
	char loss[32];

	if (percent <= most)
		return false;
	snprintf(loss, sizeof(loss), "%.4g", percent);
	/* Rounded, it can look like the limit. */
	if (strtod(loss, NULL) <= most)
		snprintf(loss, sizeof(loss), "%.15g", percent);
	np_log_error(log, object, "%s %% lost, more than --max-loss %g", loss, most);
	return true;
}

struct np_loss np_loss_attribute(uint64_t missing, const struct np_loss_drops *drops)
{
	const bool sure = drops->most == 1 && drops->least == drops->upmost && !drops->others;
	const uint64_t least = drops->least - lower(drops->least, drops->others);
	struct np_loss loss = {.exact = !drops->upmost || (sure && drops->upmost <= missing)};

	loss.host = lower(least, missing);
	if (drops->upmost <= missing / drops->most)
		loss.path = missing - drops->upmost * drops->most;
	loss.unattributed = missing - loss.host - loss.path;
	return loss;
}
