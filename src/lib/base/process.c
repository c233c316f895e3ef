// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* process: reads its use of the processor; drops all capabilities for good. */
#include <cap-ng.h>
#include <errno.h>
#include <netperf/process.h>
#include <netperf/report.h>
#include <sys/prctl.h>
#include <sys/resource.h>

/* The kernel may count in ticks of 10 ms. */
#define SHORTEST (100 * NP_MILLISECOND)

static np_time from_timeval(const struct timeval *time)
{
	return time->tv_sec * NP_SECOND + time->tv_usec * NP_MICROSECOND;
}

struct np_usage np_usage_now(void)
{
	struct rusage usage = {0};

	getrusage(RUSAGE_SELF, &usage);
	return (struct np_usage){
		.user = from_timeval(&usage.ru_utime),
		.system = from_timeval(&usage.ru_stime),
		.voluntary_switches = (uint64_t)usage.ru_nvcsw,
		.involuntary_switches = (uint64_t)usage.ru_nivcsw,
	};
}

struct np_usage np_usage_since(const struct np_usage *begin)
{
	struct np_usage usage = np_usage_now();

	usage.user -= begin->user;
	usage.system -= begin->system;
	usage.voluntary_switches -= begin->voluntary_switches;
	usage.involuntary_switches -= begin->involuntary_switches;
	return usage;
}

double np_usage_share(const struct np_usage *usage, np_time elapsed)
{
	if (elapsed < SHORTEST)
		return -1;
	return (double)(usage->user + usage->system) / (double)elapsed;
}

void np_record_usage(struct np_record *record, const struct np_usage *usage)
{
	struct np_record *cpu = np_record_object(record, "cpu");
	struct np_record *switches = np_record_object(record, "context_switches");

	np_record_time(cpu, "user_ns", usage->user);
	np_record_time(cpu, "system_ns", usage->system);
	np_record_count(switches, "voluntary", usage->voluntary_switches);
	np_record_count(switches, "involuntary", usage->involuntary_switches);
}

int np_privilege_drop(void)
{
	/*
	 * Done first, since it needs no privilege: after it even root regains nothing by an exec.
	 */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	capng_clear(CAPNG_SELECT_BOTH);
	/* Without CAP_SETPCAP the bounding set cannot be reduced, but grants nothing any more. */
	if (capng_apply(CAPNG_SELECT_BOTH) < 0 && capng_apply(CAPNG_SELECT_CAPS) < 0)
		return -EPERM;
	if (capng_get_caps_process() < 0 ||
	    capng_have_capabilities(CAPNG_SELECT_CAPS) != CAPNG_NONE)
		return -EPERM;
	return 0;
}
