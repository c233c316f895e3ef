// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * process: makes sure that standard descriptors are open, and that neither a file size limit nor a
 * reader that went away kills the process; reads its use of the processor.
 */
#include <errno.h>
#include <fcntl.h>
#include <netperf/process.h>
#include <netperf/report.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

int np_process_begin(void)
{
	/*
	 * open() returns the lowest free number. Opened for the opposite direction, its use still
	 * fails.
	 */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			return -errno;
	}
	if (signal(SIGXFSZ, SIG_IGN) == SIG_ERR || signal(SIGPIPE, SIG_IGN) == SIG_ERR)
		return -errno;
	return 0;
}

const char *np_process_reason(int error, char text[NP_PROCESS_REASON_BYTES])
{
	snprintf(text, NP_PROCESS_REASON_BYTES, "/dev/null: %s, and a standard stream is closed",
		 strerror(-error));
	return text;
}

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
	struct np_usage now = np_usage_now();

	return (struct np_usage){
		.user = now.user - begin->user,
		.system = now.system - begin->system,
		.voluntary_switches = now.voluntary_switches - begin->voluntary_switches,
		.involuntary_switches = now.involuntary_switches - begin->involuntary_switches,
	};
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
