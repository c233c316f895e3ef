// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* options_check: which options go with which. */
#include "options_check.h"

#include "../wire/message.h"

#include <netperf/datagram.h>
#include <string.h>

/* Whose option it is. */
enum {
	SENDER = 1 << TASK_TRANSMIT,
	RECEIVER = 1 << TASK_RECEIVE,
	MONITOR = 1 << TASK_MONITOR,
	CONVERT = 1 << TASK_DENSITY | 1 << TASK_SMOOTH,
	LISTENER = RECEIVER | MONITOR,
	NETWORK = SENDER | LISTENER,
	TCP = 1 << TRANSPORT_TCP,
	UDP = 1 << TRANSPORT_UDP,
	MULTICAST = 1 << TRANSPORT_MULTICAST,
	ANY = TCP | UDP | MULTICAST,
};

static const char *const whose[] = {
	[SENDER] = "goes with -t",
	[RECEIVER] = "goes with -r",
	[LISTENER] = "goes with -r or -monitor",
	[MONITOR] = "does not go with -t",
	[SENDER | RECEIVER] = "goes with -t or -r",
	[CONVERT] = "goes with -s2d or -smd",
};

static const char *const over[] = {
	[TCP] = "goes with TCP only",
	[UDP | MULTICAST] = "goes with -u or -m",
	[TCP | UDP] = "does not go with -m",
};

/* Options that are not for every task (others are for NETWORK) or not over everything. */
static const struct scope {
	const char *name;
	unsigned tasks;
	unsigned transports;
} scopes[] = {
	{"receive", LISTENER, ANY},
	{"monitor", MONITOR, ANY},
	{"density", CONVERT, ANY},
	{"smooth", CONVERT, ANY},
	{"lenient", CONVERT, ANY},
	{"plot", NETWORK | CONVERT, ANY},
	{"quiet", NETWORK | CONVERT, ANY},
	{"verbose", NETWORK | CONVERT, ANY},
	{"repeat", SENDER | RECEIVER, ANY},
	{"rate", SENDER, ANY},
	{"acks", SENDER, ANY},
	{"sequence", LISTENER, ANY},
	{"streams", SENDER, TCP | UDP},
	{"duration", SENDER, ANY},
	{"ping-pong", SENDER, TCP | UDP},
	{"session", SENDER, ANY},
	{"classic", SENDER | RECEIVER, TCP | UDP},
	{"stdin", SENDER, TCP},
	{"stdout", RECEIVER, TCP},
	{"no-copy", SENDER | RECEIVER, TCP},
	{"nodelay", NETWORK, TCP},
	{"congestion", NETWORK, TCP},
	{"batch", NETWORK, UDP | MULTICAST},
	{"once", LISTENER, ANY},
	{"wait", NETWORK, ANY},
	{"no-wait", SENDER, ANY},
};

/* What excludes each other, and why when that is not plain. */
static const struct clash {
	const char *one, *other, *why;
} clashes[] = {
	{"stdin", "acks", "the bytes carry no numbers"},
	{"stdin", "ping-pong", "the bytes carry no numbers"},
	{"stdin", "streams", "the bytes go in one stream"},
	{"stdin", "repeat", "stdin can be read once"},
	{"stdin", "no-copy", "the receiver is not told"},
	{"stdin", "classic", "the bytes are no messages"},
	{"stdin", "rate", "they go as they come"},
	{"stdin", "duration", "they go until stdin ends, or -n"},
	{"stdin", "interval", "they are no messages; look at the receiver"},
	{"stdin", "bandwidth", "they are no messages; look at the receiver"},
	{"stdin", "batch-size", "they are no messages"},
	{"stdout", "sequence", "the bytes carry no numbers"},
	{"stdout", "no-copy", "the bytes are wanted"},
	{"stdout", "repeat", "the bytes of many senders would follow each other"},
	{"classic", "acks", "a classic receiver does not answer"},
	{"classic", "ping-pong", "a classic receiver does not answer"},
	{"classic", "streams", "a classic receiver takes one"},
	{"classic", "sequence", "classic messages carry no numbers"},
	{"no-copy", "sequence", "what is dropped cannot be recorded"},
	{"no-copy", "acks", "what is dropped cannot be acknowledged"},
	{"no-copy", "bandwidth", "what is dropped cannot be recorded"},
	{"no-copy", "ping-pong", "what is dropped cannot be acknowledged"},
	{"ping-pong", "batch-size", "there is one message at a time"},
	{"once", "repeat", "how many senders shall it be?"},
};

char *options_title(const struct np_option *row, char out[OPTIONS_TITLE])
{
	snprintf(out, OPTIONS_TITLE, row->lineage ? "-%s" : "--%s",
		 row->lineage ? row->lineage : row->name);
	return out;
}

const struct np_option *options_row(const char *name)
{
	const struct np_option *row = ttcp_options.table;

	while (strcmp(row->name, name))
		row++;
	return row;
}

static struct scope scope_of(const char *name)
{
	for (size_t i = 0; i < sizeof(scopes) / sizeof(*scopes); i++) {
		if (!strcmp(scopes[i].name, name))
			return scopes[i];
	}
	return (struct scope){name, NETWORK, ANY};
}

/* @row was given: does it belong to what is to be done? */
static int check_scope(const struct options *o, const struct np_option *row,
		       const struct np_log *log)
{
	const struct scope scope = scope_of(row->name);
	char title[OPTIONS_TITLE];

	options_title(row, title);
	if (!(scope.tasks & 1u << o->task)) {
		if (options_converts(o))
			return np_log_refuse(log, title, "does not go with -s2d or -smd");
		return np_log_refuse(log, title, "%s", whose[scope.tasks]);
	}
	if (!options_converts(o) && !(scope.transports & 1u << o->place.transport))
		return np_log_refuse(log, title, "%s", over[scope.transports]);
	return -1;
}

static int check_scopes(const struct options *o, const struct np_log *log)
{
	for (size_t i = 0; i < ttcp_options.count; i++) {
		if (o->parsed.given[i] && check_scope(o, &ttcp_options.table[i], log) >= 0)
			return 2;
	}
	return -1;
}

static int check_clashes(const struct options *o, const struct np_log *log)
{
	char one[OPTIONS_TITLE], other[OPTIONS_TITLE];

	for (size_t i = 0; i < sizeof(clashes) / sizeof(*clashes); i++) {
		const struct clash *clash = &clashes[i];

		if (options_given(o, clash->one) && options_given(o, clash->other))
			return np_log_refuse(log, options_title(options_row(clash->one), one),
					     "does not go with %s: %s",
					     options_title(options_row(clash->other), other),
					     clash->why);
	}
	return -1;
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
						 "printable ASCII without a slash, please");
	}
	return -1;
}

static bool to_stdout(const char *file)
{
	return file && !strcmp(file, "-");
}

static int check_outputs(const struct options *o, const struct np_log *log)
{
	const struct file_options *f = &o->files;
	const bool files = f->delay || f->sequence || f->bandwidth || o->convert.output;

	if (f->plot && !files)
		return np_log_refuse(log, "--plot",
				     options_converts(o) ? "needs an output file"
							 : "needs -d, -s or -bw");
	if (o->load.to_stdout && (to_stdout(o->report.json) || to_stdout(o->report.csv)))
		return np_log_refuse(log, "--stdout",
				     "carries what is received; name a file for JSON or CSV");
	return -1;
}

/* A message is raised to what it must hold; the user is told. */
static int check_length(struct options *o, const struct np_log *log)
{
	const bool tcp = o->place.transport == TRANSPORT_TCP;
	const bool raw = o->load.classic || o->load.from_stdin;
	const uint64_t least = !raw ? MESSAGE_HEADER_BYTES : tcp ? 1 : MESSAGE_CLASSIC_BYTES_MIN;

	if (!tcp && o->load.message_bytes > NP_DATAGRAM_BYTES_MAX)
		return np_options_refuse(&ttcp_options, &o->parsed, log, "length",
					 "a datagram has at most %d bytes", NP_DATAGRAM_BYTES_MAX);
	if (o->task != TASK_TRANSMIT || o->load.message_bytes >= least)
		return -1;
	np_log_info(log, "-l %llu: raised to %llu, the least that a message has here",
		    (unsigned long long)o->load.message_bytes, (unsigned long long)least);
	o->load.message_bytes = least;
	return -1;
}

int options_check(struct options *o, const struct np_log *log)
{
	int status = check_scopes(o, log);

	if (status < 0)
		status = check_clashes(o, log);
	if (status < 0)
		status = check_outputs(o, log);
	if (status < 0)
		status = check_session(o, log);
	if (status < 0)
		status = check_length(o, log);
	return status;
}
