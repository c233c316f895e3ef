// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * options_check: interprets flags and words: what to do, where, how often, with which files; and
 * which options go with which, and with which values; how many threads there are, and where.
 */
#include "options.h"

#include "../wire/message.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#define WINDOW_DEFAULT_MS 500
#define WINDOW_MAX_MS	  86400000

/* Parses a number among the words of an option. Returns -1 or 2. */
static int read_number(const struct np_log *log, const char *option, const char *text, uint64_t min,
		       uint64_t max, uint64_t *value)
{
	if (np_units_parse_count(text, min, max, value))
		return np_log_refuse(log, option,
				     "'%s' is not valid; expected a whole number, %llu to %llu",
				     text, (unsigned long long)min, (unsigned long long)max);
	return -1;
}

/* "-t -s host": the address was taken for the last word of another option. Returns 2. */
static int refuse_without_address(const struct options *o, const struct np_log *log)
{
	for (size_t i = 0; i < ttcp_options.count; i++) {
		const struct np_option *row = &ttcp_options.table[i];
		const struct np_option_words *words = (const void *)((const char *)o + row->offset);
		const char *last;

		if (row->kind != NP_OPTION_WORDS || words->count <= row->min)
			continue;
		last = words->word[words->count - 1];
		return np_log_refuse(log, "-t", "needs an address: -%s took '%s'; write -t %s",
				     row->lineage, last, last);
	}
	return np_log_refuse(log, "-t", "needs an address");
}

static int interpret_place(struct options *o, const struct np_log *log)
{
	const struct option_words *w = &o->words;
	const char *address = w->transmit.count ? w->transmit.word[0] : w->address;
	const char *group = w->multicast.count ? w->multicast.word[0] : NULL, *colon;
	uint64_t port;

	o->place.transport = w->overlay		  ? TRANSPORT_OVERLAY
			     : w->multicast.given ? TRANSPORT_MULTICAST
			     : w->udp		  ? TRANSPORT_UDP
						  : TRANSPORT_TCP;
	if (w->address && !w->transmit.given)
		return np_log_refuse(log, w->address, "an address goes with -t");
	if (w->address && w->transmit.count)
		return np_log_refuse(log, "-t", "has two addresses, %s and %s; give one",
				     w->transmit.word[0], w->address);
	if (address && !*address)
		return np_log_refuse(log, "-t", "needs an address");
	o->place.to = address;
	if (o->place.transport == TRANSPORT_OVERLAY) {
		o->place.properties = w->overlay_file ? w->overlay_file : OPTIONS_PROPERTIES;
		return -1;
	}
	/* The group is given with -m, or with -t, or not at all. */
	if (o->place.transport == TRANSPORT_MULTICAST) {
		if (group && address && strcmp(group, address))
			return np_log_refuse(log, "-m",
					     "names the group %s, but -t names %s; give one", group,
					     address);
		o->place.to = group ? group : address ? address : OPTIONS_GROUP;
	} else if (o->task == TASK_TRANSMIT && !address && !o->mesh.mesh) {
		return refuse_without_address(o, log);
	}
	/* The port in "10.0.0.2:5001", "box:5001", "[fd00::2]:5001", which must agree with -p. */
	address = o->place.to;
	colon = address ? strrchr(address, ':') : NULL;
	/* Without brackets an IPv6 address has no port. */
	if (!colon || (*address != '[' && strchr(address, ':') != colon) ||
	    (*address == '[' && colon[-1] != ']'))
		return -1;
	if (np_units_parse_count(colon + 1, 1, UINT16_MAX, &port))
		return np_log_refuse(log, address, "'%s' is not a port; expected 1 to %d",
				     colon + 1, UINT16_MAX);
	if (np_options_given(o->given, "port") && port != o->place.port)
		return np_log_refuse(log, "-p", "is %llu, but the address is %s; give one port",
				     (unsigned long long)o->place.port, address);
	o->place.port = port;
	return -1;
}

static int interpret_load(struct options *o, const struct np_log *log)
{
	static const char *const bits[] = {"bit", "bps", NULL};
	const struct np_units_scale scale = {.thousand = 1000, .bare = 1000, .units = bits};
	const struct np_option_words *runs = &o->words.runs, *w = &o->words.rate;
	struct load_options *load = &o->load;
	uint64_t *kbps = load->rate_kbps;

	load->transacts = load->rr || load->crr;
	load->find = np_options_given(o->given, "find-rate");
	if (load->find && !load->duration)
		load->duration = NP_FIND_TRIAL;
	o->wait.no_wait |= load->find;
	if (o->mesh.mesh && !load->duration)
		load->duration = NP_MESH_DURATION;
	if ((load->duration || load->from_stdin) && !np_options_given(o->given, "count"))
		load->messages = 0;
	load->runs = 1;
	/* In kbps, the lineage's unit of a bare number. */
	for (unsigned i = 0; i < w->count; i++) {
		double rate;

		if (np_units_parse_scaled(w->word[i], &scale, 0, UINT32_MAX * 1000.0, &rate) ||
		    (uint64_t)(rate + 0.5) % 1000)
			return np_log_refuse(log, "-R",
					     "'%s' is not valid; expected whole kbps, 0 to %llu, "
					     "or bits a second with k, M, G or T",
					     w->word[i], (unsigned long long)UINT32_MAX);
		kbps[i] = (uint64_t)(rate + 0.5) / 1000;
	}
	if (w->count == 2)
		return np_log_refuse(log, "-R",
				     "'%s %s' lacks the increment; expected START END INCREMENT",
				     w->word[0], w->word[1]);
	if (w->count == 3 && (!kbps[0] || kbps[1] < kbps[0] || !kbps[2]))
		return np_log_refuse(log, "-R",
				     "'%s %s %s' is not valid; expected START and INCREMENT above "
				     "0, END not below START",
				     w->word[0], w->word[1], w->word[2]);
	if (w->count == 1)
		kbps[1] = kbps[0];
	/* A rising rate ends with the run that reaches END. */
	if (w->count == 3)
		load->runs = (kbps[1] - kbps[0] + kbps[2] - 1) / kbps[2] + 1;
	if (runs->given || load->clients || load->find)
		load->runs = 0;
	return runs->count ? read_number(log, "-c", runs->word[0], 1, UINT32_MAX, &load->runs) : -1;
}

/* The first optional word, "" for the default name, NULL when the option was not given. */
static const char *file_of(const struct np_option_words *words, unsigned at)
{
	if (!words->given)
		return NULL;
	return words->count > at ? words->word[at] : "";
}

/* Returns -1 or, after a message, 2. */
static int interpret(struct options *o, const struct np_log *log)
{
	/* "Overrides:" is printed if one of these was given. */
	static const char *const defaults[] = {
		"length", "count", "total",    "port",	    "repeat",  "rates",	   "rate",
		"acks",	  "log",   "sequence", "bandwidth", "streams", "duration", "session"};
	const struct option_words *w = &o->words;
	struct file_options *files = &o->files;
	uint64_t window_ms = WINDOW_DEFAULT_MS;

	if (w->receive + w->transmit.given + w->density.given + w->smooth.given > 1)
		return np_log_refuse(log, NULL, "give only one of -r, -t, -s2d and -smd");
	o->task = w->transmit.given || o->mesh.mesh ? TASK_TRANSMIT
		  : w->density.given		    ? TASK_DENSITY
		  : w->smooth.given		    ? TASK_SMOOTH
		  : w->monitor			    ? TASK_MONITOR
						    : TASK_RECEIVE;
	if (options_converts(o) && w->address)
		return np_log_refuse(
			log, w->address,
			"is one word too many; expected INTERVAL, the files to read, and FILE");
	if (options_converts(o)) {
		const bool smooth = w->smooth.given;

		return read_number(log, smooth ? "-smd" : "-s2d",
				   (smooth ? &w->smooth : &w->density)->word[0], 1,
				   UINT64_C(1) << 40, &o->words.interval);
	}
	for (size_t i = 0; i < sizeof(defaults) / sizeof(*defaults); i++)
		o->overrides |= np_options_given(o->given, defaults[i]);
	np_socket_settle(&o->socket.asked, o->given);
	if (interpret_place(o, log) >= 0 || interpret_load(o, log) >= 0)
		return 2;
	files->sequence = file_of(&w->sequence, 0);
	files->log = file_of(&w->log, 0);
	files->bandwidth = file_of(&w->bandwidth, 1);
	if (files->bandwidth &&
	    read_number(log, "-bw", w->bandwidth.word[0], 1, WINDOW_MAX_MS, &window_ms) >= 0)
		return 2;
	files->window = (np_time)window_ms * NP_MILLISECOND;
	return -1;
}

/* What no row of the table can check: outputs, networks, the session's name, who answers. */
static int check_values(const struct options *o, const struct np_log *log)
{
	const char *json = o->report.json, *csv = o->report.csv, *name = o->load.session;
	struct np_address_networks *networks = NULL;
	int rc;

	if (o->load.to_stdout && ((json && !strcmp(json, "-")) || (csv && !strcmp(csv, "-"))))
		return np_log_refuse(
			log, "--stdout",
			"writes the received data to stdout; name a file for JSON or CSV");
	rc = np_socket_allowed(&networks, o->place.allow, log);
	np_address_networks_free(networks);
	if (rc)
		return rc;
	if (strlen(name) >= MESSAGE_SESSION_MAX)
		return np_options_refuse(o->given, "session", "at most %d characters",
					 MESSAGE_SESSION_MAX - 1);
	for (; *name; name++) {
		if (*name < ' ' || *name > '~' || *name == '/')
			return np_options_refuse(o->given, "session",
						 "has characters that cannot be in a file name; "
						 "expected printable ASCII without a slash");
	}
	if (o->place.source_port + o->load.streams - 1 > UINT16_MAX)
		return np_options_refuse(o->given, "source-port",
					 "leaves no ports for %u streams; expected at most %u",
					 (unsigned)o->load.streams,
					 (unsigned)(UINT16_MAX + 1 - o->load.streams));
	return -1;
}

int threads_parse(const char *text, const cpu_set_t *all, cpu_set_t *set)
{
	CPU_ZERO(set);
	for (;; text++) {
		char *end = NULL;
		unsigned long first, last;

		if (!isdigit((unsigned char)*text))
			return -EINVAL;
		first = last = strtoul(text, &end, 10);
		if (*end == '-' && isdigit((unsigned char)end[1]))
			last = strtoul(end + 1, &end, 10);
		if (first > last || last >= CPU_SETSIZE)
			return -EINVAL;
		for (; first <= last; first++) {
			if (!CPU_ISSET(first, all))
				return -EINVAL;
			CPU_SET(first, set);
		}
		if (!*end)
			return 0;
		if (*end != ',')
			return -EINVAL;
		text = end;
	}
}

/* Reads --affinity. Returns -1 or, after a message, 2. */
static int check_threads(struct options *o)
{
	char list[1024] = "";
	cpu_set_t all;

	/* More processors than a set has room for: where to run is the kernel's choice. */
	if (sched_getaffinity(0, sizeof(all), &all))
		CPU_ZERO(&all);
	o->threads.on = all;
	if (o->place.transport == TRANSPORT_UDP && o->threads.most &&
	    (o->place.reverse || o->place.no_reverse))
		return np_options_refuse(o->given, "threads",
					 "is of who sends over UDP: one thread receives");
	if (!o->threads.pin || !threads_parse(o->threads.pin, &all, &o->threads.on))
		return -1;
	for (size_t i = 0; i < CPU_SETSIZE; i++) {
		const bool after = i && CPU_ISSET(i - 1, &all);
		const char *const mark = after ? "-" : *list ? "," : "";

		if (CPU_ISSET(i, &all) && !(after && CPU_ISSET(i + 1, &all)))
			np_text_append(list, sizeof(list), "%s%zu", mark, i);
	}
	return np_options_refuse(o->given, "affinity",
				 "is not valid; expected processors out of %s, as 0,2-3", list);
}

/* Raises a message to the minimum size, and says so. */
static int check_length(struct options *o, const struct np_log *log)
{
	const bool tcp = o->place.transport == TRANSPORT_TCP;
	const bool raw = o->load.classic || o->load.from_stdin;
	const uint64_t least = !raw ? MESSAGE_HEADER_BYTES : tcp ? 1 : MESSAGE_CLASSIC_BYTES_MIN;

	if (o->load.transacts) {
		o->load.message_bytes = o->load.request_bytes;
		return -1;
	}
	/* What an overlay takes is in its configuration. */
	if (!tcp && o->place.transport != TRANSPORT_OVERLAY &&
	    o->load.message_bytes > NP_DATAGRAM_BYTES_MAX)
		return np_options_refuse(o->given, "length",
					 "is too long for a datagram; expected at most %d bytes",
					 NP_DATAGRAM_BYTES_MAX);
	if (o->task != TASK_TRANSMIT || o->load.message_bytes >= least)
		return -1;
	np_log_info(log, "-l %llu: raised to %llu, the minimum here",
		    (unsigned long long)o->load.message_bytes, (unsigned long long)least);
	o->load.message_bytes = least;
	return -1;
}

static int check_mesh(struct options *o, const struct np_log *log)
{
	static const struct np_option_clash others[] = {
		/* What names one partner, or would be written by each rank. */
		{"density smooth receive transmit multicast overlay monitor port bind "
		 "repeat acks sequence bandwidth stdin stdout classic wait once "
		 "no-wait report source-port warm-up reverse bidir clients "
		 "latency-under-load rr crr threads affinity find-rate require-report",
		 NULL, NULL},
		{0},
	};

	if (!o->mesh.mesh)
		return -1;
	if (o->place.transport == TRANSPORT_TCP && np_options_given(o->given, "drops"))
		return np_options_refuse(o->given, "drops",
					 "goes with -u in a mesh: TCP repairs its losses");
	if (o->load.rate_kbps[2])
		return np_log_refuse(log, "-R", "has one value with --mesh");
	if (!strcmp(np_datagram_variants[o->socket.batch], "null"))
		return np_log_refuse(
			log, "--batch",
			"null does not go with --mesh: no rank would receive anything");
	return np_mesh_check(&o->mesh, &o->report, o->given, others);
}

int options_check(struct np_run *run)
{
	struct options *o = run->options;
	struct load_options *load = &o->load;
	const struct np_log *log = run->log;
	unsigned modes; /* what is to be done, and over what: what the scopes are about */
	double slowest; /* bit/s */
	int rc;

	o->given = &run->given;
	if (o->words.print_config) {
		rc = np_overlay_print_template(stdout);
		if (rc)
			np_log_error(log, "stdout", "%s", np_output_reason(rc));
		return rc ? 1 : 0;
	}
	if (interpret(o, log) >= 0 || check_mesh(o, log) >= 0)
		return 2;
	modes = MODE_OF_TASK(o->task) | (options_converts(o) ? 0 : MODE_OVER(o->place.transport)) |
		(o->mesh.mesh ? MODE_MESH : 0) |
		(load->rate.per_s > 0 || load->rate_kbps[0] ? MODE_PACED : 0) |
		(o->place.reverse ? MODE_REVERSE : 0) | (o->place.to ? MODE_ADDRESSED : 0) |
		(load->transacts ? MODE_TRANSACTIONS : 0);
	if (np_options_check(o->given, modes) >= 0 || check_values(o, log) >= 0 ||
	    check_threads(o) >= 0 || check_length(o, log) >= 0)
		return 2;
	if (load->total_bytes)
		load->messages = (load->total_bytes - 1) / load->message_bytes / load->streams + 1;
	/* From here on it is a receiver that makes the connection. */
	if (o->place.reverse)
		o->task = TASK_RECEIVE;
	o->wait.max_rate_bits = 8 * np_rate_bytes(&o->wait.max_rate, 0);
	load->rate_bits = 8 * np_rate_bytes(&load->rate, (double)load->message_bytes);
	slowest = load->rate_bits > 0 ? load->rate_bits : 1000 * (double)load->rate_kbps[0];
	/* Up to 80 KiB of each stream, which count as sent, wait for it. */
	if (o->socket.pacing == PACING_KERNEL && slowest < 1e7 * (double)load->streams)
		return np_options_refuse(o->given, "pacing",
					 "paces streams of 10M or more; give "
					 "--pacing=user for slower ones");
	np_options_warn_slow(o->given, load->rate_bits / 8 / (double)load->message_bytes,
			     "message");
	return np_options_check_burst(o->given, slowest / 8 / (double)load->message_bytes,
				      load->burst, load->duration);
}

unsigned threads_count(const struct options *o, unsigned streams)
{
	const unsigned processors = (unsigned)CPU_COUNT(&o->threads.on);
	unsigned most = (unsigned)o->threads.most;

	/*
	 * Who serves many senders, or is one of many ranks, has a thread for each. The segmented
	 * datagrams of one thread are as many as one receives.
	 */
	if (o->place.served || o->mesh.mesh || (!most && o->place.transport != TRANSPORT_TCP))
		most = 1;
	else if (!most)
		most = processors ? processors : 1;
	return most < streams ? most : streams;
}

void threads_pin(const struct options *o, unsigned index, const struct np_log *log)
{
	const unsigned count = (unsigned)CPU_COUNT(&o->threads.on);
	unsigned processor = 0, left;
	cpu_set_t one;

	if (!o->threads.pin)
		return;
	left = (o->threads.first + index) % count;
	while (!CPU_ISSET(processor, &o->threads.on) || left--)
		processor++;
	CPU_ZERO(&one);
	CPU_SET(processor, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		np_log_warning(log, "--affinity", "processor %u: %s", processor, strerror(errno));
}
