// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * kernel-hides: whether this machine's kernel hid what a counter of drops should have seen, by
 * counters that have nothing in common with the library's, until its stdin ends.
 *
 * Says "ready", and for each byte that it reads "unseen N missed N", since then: softirqs of the
 * network for which the kernel ran no tracing program; and how often it did not run one, of
 * anybody's, because that was running. Exit status 77 without permission.
 */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CPUS = 1024, PROGRAMS = 512, POLL_MS = 20 };

static int events[CPUS];
static long cpus;
static struct {
	uint32_t id;
	uint64_t first, last;
} programs[PROGRAMS];
static unsigned program_count;

static void skip(const char *what)
{
	printf("SKIP: kernel: %s: %s\n", what, strerror(errno));
	exit(77);
}

static uint64_t softirq_event(void)
{
	static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing",
					     "/mnt"};
	uint64_t id;

	/* Seen by this process alone. */
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		skip("mount namespace");
	(void)mount("tracefs", "/mnt", "tracefs", 0, NULL);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		char name[100];
		FILE *file;
		bool found;

		snprintf(name, sizeof(name), "%s/events/irq/softirq_entry/id", places[i]);
		file = fopen(name, "r");
		if (!file)
			continue;
		found = fscanf(file, "%" SCNu64, &id) == 1;
		fclose(file);
		if (found)
			return id;
	}
	skip("tracefs");
	return 0;
}

static int bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

/*
 * An event whose program says no counts nothing, unless the kernel does not run the program: as one
 * does not that was seen, for softirqs that interrupt a certain task.
 */
static void open_events(void)
{
	struct bpf_insn no[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K},
				{.code = BPF_JMP | BPF_EXIT}};
	union bpf_attr load = {.prog_type = BPF_PROG_TYPE_TRACEPOINT,
			       .insns = (uintptr_t)no,
			       .insn_cnt = sizeof(no) / sizeof(*no),
			       .license = (uintptr_t) "GPL"};
	struct perf_event_attr what = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(what), .config = softirq_event()};
	int program = bpf(BPF_PROG_LOAD, &load);

	if (program < 0)
		skip("BPF_PROG_LOAD");
	cpus = sysconf(_SC_NPROCESSORS_CONF);
	if (cpus > CPUS)
		errx(2, "%ld processors", cpus);
	for (int i = 0; i < cpus; i++) {
		events[i] =
			(int)syscall(SYS_perf_event_open, &what, -1, i, -1, PERF_FLAG_FD_CLOEXEC);
		if (events[i] < 0)
			skip("perf_event_open");
		/* NET_TX and NET_RX, in the order of /proc/softirqs. */
		if (ioctl(events[i], PERF_EVENT_IOC_SET_FILTER, "vec == 2 || vec == 3"))
			err(2, "filter");
		/* It is run for all events of the tracepoint. */
		if (!i && ioctl(events[i], PERF_EVENT_IOC_SET_BPF, program))
			err(2, "PERF_EVENT_IOC_SET_BPF");
	}
}

/* What one that comes later missed, it missed since. */
static void note(uint32_t id, uint64_t missed, bool before)
{
	unsigned i = 0;

	while (i < program_count && programs[i].id != id)
		i++;
	if (i == PROGRAMS)
		return;
	if (i == program_count) {
		program_count++;
		programs[i].id = id;
		programs[i].first = before ? missed : 0;
	}
	programs[i].last = missed;
}

/* A program that has gone keeps what was last seen of it. */
static void look_at_programs(bool before)
{
	union bpf_attr next = {0};

	while (!bpf(BPF_PROG_GET_NEXT_ID, &next)) {
		struct bpf_prog_info info = {0};
		union bpf_attr open = {.prog_id = next.next_id}, ask;
		int fd = bpf(BPF_PROG_GET_FD_BY_ID, &open);

		if (fd >= 0) {
			memset(&ask, 0, sizeof(ask));
			ask.info.bpf_fd = (uint32_t)fd;
			ask.info.info_len = sizeof(info);
			ask.info.info = (uintptr_t)&info;
			if (!bpf(BPF_OBJ_GET_INFO_BY_FD, &ask))
				note(next.next_id, info.recursion_misses, before);
			close(fd);
		}
		next.start_id = next.next_id;
	}
}

static void say(void)
{
	uint64_t missed = 0, unseen = 0, one;

	for (int i = 0; i < cpus; i++) {
		if (read(events[i], &one, sizeof(one)) != sizeof(one))
			err(2, "perf event");
		unseen += one;
	}
	for (unsigned i = 0; i < program_count; i++)
		missed += programs[i].last - programs[i].first;
	printf("unseen %" PRIu64 " missed %" PRIu64 "\n", unseen, missed);
	fflush(stdout);
}

int main(void)
{
	struct pollfd input = {.fd = 0, .events = POLLIN};
	char byte;

	open_events();
	look_at_programs(true);
	puts("ready");
	fflush(stdout);
	for (;;) {
		if (!poll(&input, 1, POLL_MS)) {
			look_at_programs(false);
			continue;
		}
		if (read(0, &byte, 1) != 1)
			return 0;
		look_at_programs(false);
		say();
	}
}
