// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * drops-time: what counting the kernel's drops costs, by clocks of its own: of a process that
 * counts, how often its BPF programs ran since "ready", and for how long by the kernel's clock,
 * which adds the reading of that clock; and the processor time of reading the counts.
 *
 * usage: drops-time programs PID <FIFO   "ready"; at the end of input lines of "NAME RUNS NS"
 *        drops-time readings COUNT       ns of processor time of one np_drops_update, and of one
 *                                        with an np_drops_count that names a place
 * Exit status 77: not possible here.
 */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <netperf/drops.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PROGRAMS_MAX 8

struct program {
	int fd;
	struct bpf_prog_info begin;
};

static int skip(const char *what, int status)
{
	printf("SKIP: kernel: %s: %s\n", what, strerror(-status));
	return 77;
}

/* Without libbpf, so that it can be built where there is none. */
static int ask(enum bpf_cmd command, union bpf_attr *about)
{
	return (int)syscall(SYS_bpf, command, about, sizeof(*about));
}

static void read_info(int fd, struct bpf_prog_info *info)
{
	union bpf_attr about = {
		.info = {.bpf_fd = (uint32_t)fd,
			 .info_len = sizeof(*info),
			 .info = (uintptr_t)info},
	};

	memset(info, 0, sizeof(*info));
	if (ask(BPF_OBJ_GET_INFO_BY_FD, &about))
		err(1, "BPF program");
}

/* The number of the BPF program that the descriptor of a process is of; 0: of none. */
static uint32_t number_of(const char *directory, const char *descriptor)
{
	char path[512], line[128];
	uint32_t number = 0;
	FILE *stream;

	snprintf(path, sizeof(path), "%s/%s", directory, descriptor);
	stream = fopen(path, "re");
	while (stream && !number && fgets(line, sizeof(line), stream))
		if (sscanf(line, "prog_id: %" SCNu32, &number) != 1)
			number = 0;
	if (stream)
		fclose(stream);
	return number;
}

/* Its links name the programs once more. */
static bool is_known(const struct program *program, size_t count, uint32_t number)
{
	for (size_t i = 0; i < count; i++)
		if (program[i].begin.id == number)
			return true;
	return false;
}

/* They stay while they are open here, so that they can be read when their process has ended. */
static size_t open_programs(const char *pid, struct program *program)
{
	char directory[64];
	struct dirent *entry;
	size_t count = 0;
	uint32_t number;
	DIR *list;

	snprintf(directory, sizeof(directory), "/proc/%s/fdinfo", pid);
	list = opendir(directory);
	if (!list)
		err(1, "%s", directory);
	while (count < PROGRAMS_MAX && (entry = readdir(list))) {
		number = number_of(directory, entry->d_name);
		if (!number || is_known(program, count, number))
			continue;
		program[count].fd =
			ask(BPF_PROG_GET_FD_BY_ID, &(union bpf_attr){.prog_id = number});
		if (program[count].fd < 0)
			err(1, "BPF program %" PRIu32, number);
		read_info(program[count].fd, &program[count].begin);
		count++;
	}
	closedir(list);
	return count;
}

static int programs(const char *pid)
{
	struct program program[PROGRAMS_MAX];
	union bpf_attr about = {.enable_stats = {.type = BPF_STATS_RUN_TIME}};
	size_t count;

	/* Until this process ends. */
	if (ask(BPF_ENABLE_STATS, &about) < 0)
		return skip("no times of BPF programs", -errno);
	count = open_programs(pid, program);
	if (!count)
		errx(1, "%s: has no BPF programs", pid);
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		;
	for (size_t i = 0; i < count; i++) {
		struct bpf_prog_info now;

		read_info(program[i].fd, &now);
		printf("%s %llu %llu\n", now.name, now.run_cnt - program[i].begin.run_cnt,
		       now.run_time_ns - program[i].begin.run_time_ns);
	}
	return 0;
}

static double processor_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The kernel drops what comes to a closed port. */
static void drop_one(const struct np_address *closed)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0 || sendto(fd, "drop", 4, 0, &closed->any, closed->length) != 4)
		err(1, "cannot send");
	close(fd);
}

static void read_often(struct np_drops *drops, int count)
{
	double begin = processor_ns();

	for (int i = 0; i < count; i++)
		(void)np_drops_update(drops);
	printf("%.0f ", (processor_ns() - begin) / count);
}

static void read_with_a_name(struct np_drops *drops)
{
	double begin = processor_ns();
	struct np_drops_counts counts;

	(void)np_drops_update(drops);
	np_drops_count(drops, NP_DROPS_ALL, NULL, &counts);
	printf("%.0f\n", processor_ns() - begin);
	if (!counts.packets)
		errx(1, "nothing was dropped");
}

static int readings(int count)
{
	struct np_address local;
	const struct np_drops_packets packets = {
		.protocol = NP_DROPS_UDP, .local = &local, .socket = -1};
	const struct np_log log = {.program = "SKIP: kernel", .stream = stdout};
	struct np_drops *drops;

	if (np_drops_begin(&drops, NP_DROPS_REQUIRE, &log) < 0)
		return 77;
	if (np_address_parse(&local, "127.0.0.1:9", 0, AF_UNSPEC) ||
	    np_drops_watch(drops, &packets) < 0)
		errx(1, "cannot watch");
	read_often(drops, count);
	drop_one(&local);
	read_with_a_name(drops);
	np_drops_free(drops);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "programs"))
		return programs(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "readings"))
		return readings(atoi(argv[2]));
	errx(2, "usage: drops-time programs PID | readings COUNT");
}
