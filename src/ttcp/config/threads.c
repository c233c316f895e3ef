// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* threads: how many there are, and on which processors they run. */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

int threads_check(struct options *o)
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

		if (CPU_ISSET(i, &all) && !(after && CPU_ISSET(i + 1, &all)))
			np_text_append(list, sizeof(list), "%s%zu",
				       after   ? "-"
				       : *list ? ","
					       : "",
				       i);
	}
	return np_options_refuse(o->given, "affinity",
				 "is not valid; expected processors out of %s, as 0,2-3", list);
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
	unsigned left = o->threads.pin ? index % (unsigned)CPU_COUNT(&o->threads.on) : 0;
	unsigned processor = 0;
	cpu_set_t one;

	if (!o->threads.pin)
		return;
	while (!CPU_ISSET(processor, &o->threads.on) || left--)
		processor++;
	CPU_ZERO(&one);
	CPU_SET(processor, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		np_log_warning(log, "--affinity", "processor %u: %s", processor, strerror(errno));
}
