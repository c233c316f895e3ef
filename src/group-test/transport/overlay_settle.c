// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * overlay_settle: joins the overlay, and keeps this member silent until its node and those around
 * it agree who is whose neighbour: what is sent before reaches some nodes only. Then all that have
 * heard each other are in an overlay that is as good as stable.
 */
#include "overlay.h"

#include <netperf/log.h>

#define SETTLE_LEAST (2 * NP_SECOND) /* neighbours are to be found, and to find theirs */
#define SETTLE_ALONE (5 * NP_SECOND) /* nobody is there; others may come */
#define SETTLE_MOST  (20 * NP_SECOND)
/* Since the last neighbor came: parts of an overlay that meet change for a while. */
#define SETTLE_QUIET NP_SECOND

static bool is_settled(const struct transport *t, np_time took)
{
	const struct overlay_state *s = t->state;
	const unsigned neighbours = np_overlay_neighbours(s->overlay, NULL, 0);

	if (took >= SETTLE_MOST)
		return true;
	return took >= SETTLE_LEAST && np_overlay_stable(s->overlay) &&
	       took >= s->settling.changed - s->settling.joined + SETTLE_QUIET &&
	       (neighbours || s->alone || took >= SETTLE_ALONE);
}

void overlay_settle(struct transport *t, np_time now)
{
	struct overlay_state *s = t->state;
	const struct np_overlay_logical own = np_overlay_logical(s->overlay);
	char text[NP_OVERLAY_LOGICAL_TEXT];

	if (!s->settling.joined) {
		(void)np_overlay_join(s->overlay, now);
		s->settling.joined = now;
	}
	if (s->settling.over || !is_settled(t, now - s->settling.joined))
		return;
	s->settling.over = true;
	np_log_detail(s->log, "%s: %s after %.1f s, with %u neighbors; this node is %s", s->file,
		      np_overlay_stable(s->overlay) ? "stable" : "not yet stable",
		      np_clock_seconds(now - s->settling.joined),
		      np_overlay_neighbours(s->overlay, NULL, 0), np_overlay_format(&own, text));
}

/* Between these the node's own turns show. */
np_time overlay_settle_deadline(const struct transport *t)
{
	const struct overlay_settling *settling =
		&((const struct overlay_state *)t->state)->settling;
	const np_time now = np_clock_now();
	const np_time looks[] = {SETTLE_LEAST, settling->changed - settling->joined + SETTLE_QUIET,
				 SETTLE_ALONE, SETTLE_MOST};
	np_time next = NP_TIME_NEVER;

	if (!settling->joined)
		return 0;
	for (size_t i = 0; !settling->over && i < sizeof(looks) / sizeof(*looks); i++) {
		if (now < settling->joined + looks[i] && settling->joined + looks[i] < next)
			next = settling->joined + looks[i];
	}
	return next;
}

void overlay_on_event(void *context, const struct np_overlay_event *event)
{
	struct transport *t = context;
	struct overlay_state *s = t->state;
	const char *name = np_overlay_event_name(event->kind);
	char text[NP_OVERLAY_WARNING_TEXT];

	if (event->kind == NP_OVERLAY_NEIGHBOURHOOD) {
		s->settling.changed = np_clock_now();
		s->settling.over &= s->settling.begun;
	}
	if (name)
		np_log_detail(s->log, "%s: %s", s->file, name);
	if (*np_overlay_event_warning(event, text))
		np_log_warning(s->log, s->file, "%s", text);
}
