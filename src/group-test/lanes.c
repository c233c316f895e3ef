// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* lanes: each thread pumps its lane when a message is due, and waits for room or for its moment. */
#include "lanes.h"

#include "wait.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>

struct lane {
	struct lanes *lanes;
	pthread_t thread;
	unsigned index;
};

struct lanes {
	struct lanes_plan plan;
	unsigned running;
	struct lane lane[];
};

/* Until the lane's moment, or until something changed; has the turn before and after. */
static void wait_for_moment(const struct lanes_plan *p, np_time due, np_time now)
{
	if (due <= now)
		due = NP_TIME_NEVER; /* only room or credit is wanting, and that comes by a turn */
	if (due == NP_TIME_NEVER || !p->busy_sleep) {
		turn_await(p->turn, due);
		return;
	}
	turn_return(p->turn);
	wait_spin(due);
	turn_take(p->turn);
}

/* One turn: as many messages as may go, at most a burst. */
static void send_some(const struct lanes_plan *p, unsigned index)
{
	np_time now = np_clock_now();
	unsigned sent = member_pump(p->member, index, LANES_BURST, now);
	np_time due = member_pump_due(p->member, index);

	if (member_deadline(p->member) < p->turn->asleep_until) {
		p->turn->asleep_until = now;
		(void)eventfd_write(p->wake, 1);
	}
	if (sent && due <= now) {
		turn_return(p->turn);
		turn_take(p->turn);
	} else {
		wait_for_moment(p, due, now);
	}
}

static void *run(void *context)
{
	const struct lane *lane = context;
	const struct lanes_plan *p = &lane->lanes->plan;

	wait_sharpen();
	turn_take(p->turn);
	while (!p->turn->over)
		send_some(p, lane->index);
	turn_return(p->turn);
	return NULL;
}

int lanes_start(struct lanes **lanes, const struct lanes_plan *plan)
{
	struct lanes *made = calloc(1, sizeof(*made) + plan->count * sizeof(*made->lane));
	int rc = 0;

	*lanes = NULL;
	if (!made)
		return -ENOMEM;
	made->plan = *plan;
	for (unsigned i = 0; !rc && i < plan->count; i++) {
		made->lane[i] = (struct lane){.lanes = made, .index = i};
		rc = pthread_create(&made->lane[i].thread, NULL, run, &made->lane[i]);
		made->running += !rc;
	}
	if (rc) {
		turn_take(plan->turn);
		plan->turn->over = true;
		turn_pass(plan->turn);
		lanes_join(made);
		return -rc;
	}
	*lanes = made;
	return 0;
}

void lanes_join(struct lanes *lanes)
{
	if (!lanes)
		return;
	for (unsigned i = 0; i < lanes->running; i++)
		pthread_join(lanes->lane[i].thread, NULL);
	free(lanes);
}
