// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* options_check: which options go with which, and with which values. */
#include "options_check.h"

#include "../wire/message.h"

#include <netperf/address.h>
#include <netperf/datagram.h>
#include <string.h>

/* What is to be done, over what, and whether it leaves files: what the scopes are about. */
static unsigned modes_of(const struct options *o)
{
	const struct file_options *f = &o->files;
	unsigned modes = MODE_OF_TASK(o->task);

	if (!options_converts(o))
		modes |= MODE_OVER(o->place.transport);
	if (f->delay || f->sequence || f->bandwidth)
		modes |= MODE_RECORDS;
	if (o->convert.output)
		modes |= MODE_CONVERTED_FILE;
	if (o->mesh.mesh)
		modes |= MODE_MESH;
	return modes;
}

static int check_session(const struct options *o, const struct np_log *log)
{
	const char *name = o->load.session;
	const size_t length = strlen(name);

	if (length >= MESSAGE_SESSION_MAX)
		return np_options_refuse(&ttcp_options, &o->parsed, log, "session",
					 "at most %d characters", MESSAGE_SESSION_MAX - 1);
	for (size_t i = 0; i < length; i++) {
		if (name[i] < ' ' || name[i] > '~' || name[i] == '/')
			return np_options_refuse(&ttcp_options, &o->parsed, log, "session",
						 "has characters that cannot be in a file name; "
						 "expected printable ASCII without a slash");
	}
	return -1;
}

static bool to_stdout(const char *file)
{
	return file && !strcmp(file, "-");
}

static int check_outputs(const struct options *o, const struct np_log *log)
{
	if (o->load.to_stdout && (to_stdout(o->report.json) || to_stdout(o->report.csv)))
		return np_log_refuse(
			log, "--stdout",
			"writes the received data to stdout; name a file for JSON or CSV");
	return -1;
}

static int check_allow(const struct options *o, const struct np_log *log)
{
	struct np_address_networks *networks = NULL;
	const int rc = o->place.allow ? np_address_networks_parse(&networks, o->place.allow) : 0;

	np_address_networks_free(networks);
	if (rc)
		return np_log_refuse(log, "--allow",
				     "'%s' is not valid; expected networks such as "
				     "10.1.0.0/16,fd00::/64",
				     o->place.allow);
	return -1;
}

/* Of many receivers each would have to answer. */
static int check_ping_pong(const struct options *o, const struct np_log *log)
{
	if (o->load.ping_pong && o->place.transport == TRANSPORT_OVERLAY && !o->place.to)
		return np_log_refuse(log, "--ping-pong",
				     "needs a logical address after -t: one receiver must answer");
	return -1;
}

/* Raises a message to the minimum size, and says so. */
static int check_length(struct options *o, const struct np_log *log)
{
	const bool tcp = o->place.transport == TRANSPORT_TCP;
	const bool raw = o->load.classic || o->load.from_stdin;
	const uint64_t least = !raw ? MESSAGE_HEADER_BYTES : tcp ? 1 : MESSAGE_CLASSIC_BYTES_MIN;

	/* What an overlay takes is in its configuration. */
	if (!tcp && o->place.transport != TRANSPORT_OVERLAY &&
	    o->load.message_bytes > NP_DATAGRAM_BYTES_MAX)
		return np_options_refuse(&ttcp_options, &o->parsed, log, "length",
					 "is too long for a datagram; expected at most %d bytes",
					 NP_DATAGRAM_BYTES_MAX);
	if (o->task != TASK_TRANSMIT || o->load.message_bytes >= least)
		return -1;
	np_log_info(log, "-l %llu: raised to %llu, the minimum here",
		    (unsigned long long)o->load.message_bytes, (unsigned long long)least);
	o->load.message_bytes = least;
	return -1;
}

/* What names one partner, or would be written by each rank. */
static const char *const not_in_a_mesh[] = {
	"density",  "smooth",	 "receive", "transmit", "multicast", "overlay",
	"monitor",  "port",	 "bind",    "repeat",	"acks",	     "log",
	"sequence", "bandwidth", "stdin",   "stdout",	"classic",   "wait",
	"once",	    "no-wait",	 "report",  "csv",	"interval",  "require-report",
};

/* Why, where that is not plain. */
static const char *why_not_in_a_mesh(const char *name)
{
	if (!strcmp(name, "csv"))
		return ": its rows are intervals; --json has the pairs";
	if (!strcmp(name, "interval"))
		return ": results are collected after the run";
	return "";
}

static int check_mesh(struct options *o, const struct np_log *log)
{
	int rc;

	if (!o->mesh.mesh)
		return -1;
	for (size_t i = 0; i < sizeof(not_in_a_mesh) / sizeof(*not_in_a_mesh); i++) {
		if (options_given(o, not_in_a_mesh[i]))
			return np_options_refuse(&ttcp_options, &o->parsed, log, not_in_a_mesh[i],
						 "does not go with --mesh%s",
						 why_not_in_a_mesh(not_in_a_mesh[i]));
	}
	if (o->place.transport == TRANSPORT_TCP && options_given(o, "drops"))
		return np_options_refuse(&ttcp_options, &o->parsed, log, "drops",
					 "goes with -u in a mesh: TCP repairs its losses");
	if (o->load.rate_kbps[2])
		return np_log_refuse(log, "-R", "has one value with --mesh");
	if (!strcmp(np_datagram_variants[o->socket.batch], "null"))
		return np_log_refuse(
			log, "--batch",
			"null does not go with --mesh: no rank would receive anything");
	rc = np_launch_expected_rank(NULL, &o->mesh_rank);
	if (rc)
		return np_log_refuse(log, "--mesh", "%s", np_launch_reason(rc));
	if (o->mesh_rank)
		o->report.json = NULL;
	return -1;
}

static void settle_rate(struct load_options *load)
{
	const struct np_rate *rate = &load->rate;
	const double factor = rate->unit == NP_RATE_PACKETS ? 8 * (double)load->message_bytes
			      : rate->unit == NP_RATE_BYTES ? 8
							    : 1;

	if (rate->per_s > 0)
		load->rate_bits = rate->per_s * factor;
}

int options_check(struct options *o, const struct np_log *log)
{
	int status = check_mesh(o, log);

	if (status < 0)
		status = np_options_check(&ttcp_options, &o->parsed, modes_of(o), log);
	if (status < 0)
		status = check_outputs(o, log);
	if (status < 0)
		status = check_allow(o, log);
	if (status < 0)
		status = check_session(o, log);
	if (status < 0)
		status = check_ping_pong(o, log);
	if (status < 0)
		status = check_length(o, log);
	settle_rate(&o->load);
	return status;
}
