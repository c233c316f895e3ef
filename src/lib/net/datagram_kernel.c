// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* datagram_kernel: reads the UDP counters of this network namespace. */
#include "../base/sysfs.h"
#include "datagram_variant.h"

#include <errno.h>
#include <netperf/units.h>
#include <string.h>

#define SNMP_BYTES 32768
#define BLANKS	   " \t"

struct field {
	const char *name;
	size_t offset;
};

static const struct field fields[] = {
	{"InDatagrams", offsetof(struct np_datagram_kernel, received)},
	{"OutDatagrams", offsetof(struct np_datagram_kernel, sent)},
	{"RcvbufErrors", offsetof(struct np_datagram_kernel, receive_buffer_errors)},
	{"MemErrors", offsetof(struct np_datagram_kernel, receive_buffer_errors)},
	{"SndbufErrors", offsetof(struct np_datagram_kernel, send_buffer_errors)},
	{"InCsumErrors", offsetof(struct np_datagram_kernel, checksum_errors)},
};

/* True when @name is a known counter and @value a number. */
static bool add(struct np_datagram_kernel *counts, const char *name, const char *value)
{
	uint64_t number;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (strcmp(fields[i].name, name))
			continue;
		if (np_units_parse_count(value, 0, UINT64_MAX, &number))
			return false;
		*(uint64_t *)(void *)((char *)counts + fields[i].offset) += number;
		return true;
	}
	return false;
}

static int add_lines(char *names, char *values, struct np_datagram_kernel *counts)
{
	char *name_rest, *value_rest;
	char *name = strtok_r(names, BLANKS, &name_rest);
	char *value = strtok_r(values, BLANKS, &value_rest);
	int error = -ENODATA;

	for (; name && value;
	     name = strtok_r(NULL, BLANKS, &name_rest), value = strtok_r(NULL, BLANKS, &value_rest))
		if (add(counts, name, value))
			error = 0;
	return error;
}

int datagram_kernel_add_snmp(char *text, struct np_datagram_kernel *counts)
{
	static const char key[] = "Udp:";
	char *rest, *names = NULL;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (strncmp(line, key, strlen(key)))
			continue;
		if (names)
			return add_lines(names, line + strlen(key), counts);
		names = line + strlen(key);
	}
	return -ENODATA;
}

int datagram_kernel_add_snmp6(char *text, struct np_datagram_kernel *counts)
{
	static const char key[] = "Udp6";
	int error = -ENODATA;
	char *rest;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *value_rest;
		const char *name = strtok_r(line, BLANKS, &value_rest);
		const char *value = strtok_r(NULL, BLANKS, &value_rest);

		if (name && value && !strncmp(name, key, strlen(key)) &&
		    add(counts, name + strlen(key), value))
			error = 0;
	}
	return error;
}

int np_datagram_kernel_counts(struct np_datagram_kernel *counts)
{
	char text[SNMP_BYTES];
	ssize_t got;
	int error;

	memset(counts, 0, sizeof(*counts));
	/* thread-self: another thread may be in another namespace. */
	got = sysfs_read_text("/proc/thread-self/net/snmp", text, sizeof(text));
	error = got < 0 ? (int)got : datagram_kernel_add_snmp(text, counts);
	if (error)
		return error;
	got = sysfs_read_text("/proc/thread-self/net/snmp6", text, sizeof(text));
	if (got == -ENOENT) /* no IPv6 here */
		return 0;
	return got < 0 ? (int)got : datagram_kernel_add_snmp6(text, counts);
}
