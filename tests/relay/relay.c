// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* relay: one thread serves both lanes, and sleeps when neither has anything to do. */
#include "relay.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <netperf/clock.h>
#include <string.h>

static int failed(const struct relay *relay, const char *object, int error)
{
	np_log_error(relay->log, object, "%s", strerror(-error));
	return error;
}

static int open_link(struct relay *relay, unsigned which)
{
	const struct options *options = relay->options;
	const char *interface = options->interface[which];
	struct np_link_options wanted = {
		.variant = np_link_variants[options->link],
		.frame_bytes = 65600,
		.batch = LANE_BATCH,
		.receive_bytes = options->receive_bytes,
	};
	int error = np_link_open(&relay->link[which], interface, &wanted);

	if (!error)
		error = interface_read(interface, &relay->begin[which]);
	return error ? failed(relay, interface, error) : 0;
}

static int open_lane(struct relay *relay, unsigned way)
{
	const struct options *options = relay->options;
	struct lane *lane = &relay->lane[way];
	int error;

	relay->setting[way] = (struct lane_setting){
		.plan = options->plan[way],
		.number_at = (unsigned)options->number_at,
		.number_bytes = (unsigned)options->number_bytes,
		.hold_limit = options->hold_limit,
		.delay_slots = (unsigned)options->delay_slots,
		.frame_max = np_link_info(relay->link[way])->mtu + ETH_HLEN,
	};
	lane->in = relay->link[way];
	lane->out = relay->link[!way];
	lane->log_file = &relay->log_file;
	lane->next_flow = &relay->next_flow;
	error = lane_create(lane, &relay->setting[way]);
	return error ? failed(relay, NULL, error) : 0;
}

static int open_files(struct relay *relay)
{
	const struct np_report_options truth = {.json = relay->options->truth};
	const char *object = NULL;
	int error;

	if (np_report_begin(&relay->report, &truth, relay->log))
		return -EIO;
	error = log_file_open(&relay->log_file, relay->options->log, relay->options->arrivals,
			      &object);
	return error ? failed(relay, object, error) : 0;
}

int relay_open(struct relay *relay, const struct options *options, const struct np_log *log)
{
	int error;

	relay->options = options;
	relay->log = log;
	relay->next_flow = 1;
	error = np_signals_open(&relay->signals);
	if (!error)
		error = np_signals_start(relay->signals);
	if (error)
		return failed(relay, "signals", error);
	error = open_files(relay);
	for (unsigned i = 0; i < WAYS && !error; i++)
		error = open_link(relay, i);
	for (unsigned i = 0; i < WAYS && !error; i++)
		error = open_lane(relay, i);
	return error;
}

void relay_close(struct relay *relay)
{
	for (unsigned i = 0; i < WAYS; i++) {
		lane_clear(&relay->lane[i]);
		np_link_free(relay->link[i]);
	}
	np_signals_free(relay->signals);
}

static int look(struct relay *relay, unsigned way, struct truth *truth)
{
	const struct options *options = relay->options;
	struct interface_counts in, out;
	int error = np_link_stats(relay->link[way], &truth->in);

	truth->lane = &relay->lane[way];
	truth->from = options->interface[way];
	truth->to = options->interface[!way];
	if (!error)
		error = np_link_stats(relay->link[!way], &truth->out);
	if (!error)
		error = interface_read(truth->from, &in);
	if (!error)
		error = interface_read(truth->to, &out);
	if (error)
		return failed(relay, truth->from, error);
	truth->interface_dropped = in.receive_dropped - relay->begin[way].receive_dropped;
	truth->interface_unaccounted =
		(uint32_t)(truth->out.sent - (out.sent - relay->begin[!way].sent));
	return 0;
}

/* True when the truth was written and is valid. */
static bool tell(struct relay *relay, const char *type)
{
	struct truth truths[WAYS];
	bool good = true;

	for (unsigned i = 0; i < WAYS; i++)
		if (look(relay, i, &truths[i]))
			return false;
	for (unsigned i = 0; i < WAYS; i++) {
		const char *why = truth_void(&truths[i]);

		if (why)
			np_log_warning(relay->log, truths[i].from, "%s", why);
		good = good && !why;
	}
	return !truth_write(relay->report, type, truths) && !log_file_flush(&relay->log_file) &&
	       good;
}

static int wait_for_work(struct relay *relay)
{
	np_time next = lane_next(&relay->lane[AB]), other = lane_next(&relay->lane[BA]);
	struct pollfd fds[] = {
		{.fd = np_link_fd(relay->link[AB]), .events = POLLIN},
		{.fd = np_link_fd(relay->link[BA]), .events = POLLIN},
		{.fd = np_signals_fd(relay->signals), .events = POLLIN},
	};
	int ready;

	if (other < next)
		next = other;
	ready = np_wait_ready(fds, 3, next);
	return ready < 0 ? ready : fds[2].revents != 0;
}

/* Serves both lanes until neither has a frame; after a few rounds at most, checks for signals. */
static int turn_lanes(struct relay *relay)
{
	for (unsigned round = 0; round < LANE_BATCH; round++) {
		int taken[WAYS];

		for (unsigned i = 0; i < WAYS; i++) {
			taken[i] = lane_turn(&relay->lane[i], np_clock_now());
			if (taken[i] < 0)
				return failed(relay, relay->options->interface[i], taken[i]);
		}
		if (taken[AB] < LANE_BATCH / 2 && taken[BA] < LANE_BATCH / 2)
			break;
	}
	return 0;
}

int relay_run(struct relay *relay)
{
	unsigned came = 0;
	int error = 0;

	while (!error && !(came & NP_SIGNALS_STOP)) {
		int waited = wait_for_work(relay);

		came = waited > 0 ? np_signals_take(relay->signals) : 0;
		error = waited < 0 ? failed(relay, NULL, waited) : turn_lanes(relay);
		if (came & NP_SIGNALS_REPORT)
			tell(relay, "interval");
	}
	return error;
}

bool relay_finish(struct relay *relay)
{
	bool good;
	int error;

	for (unsigned i = 0; i < WAYS; i++)
		lane_leave(&relay->lane[i]);
	good = tell(relay, "summary");
	error = log_file_close(&relay->log_file);
	if (error)
		failed(relay, "--log, --arrivals", error);
	if (np_report_end(relay->report, 0, relay->log) || error)
		good = false;
	return good;
}
