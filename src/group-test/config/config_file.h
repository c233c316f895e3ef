/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * config_file: the lines of config.txt and of properties files: KEY=VALUE as perf.Test reads them.
 * A line whose first character is # is a comment, blank lines are skipped, and leading and trailing
 * blanks are ignored; repeated = count as one, the key is in lower case, the value ends at the next
 * =; a line without a value is an error (the original aborts). Nothing else is trimmed, and there
 * are no other comments.
 *
 * Pure but for config_file_load and config_file_example. settings.h knows which keys exist.
 */
#pragma once

#include <limits.h>
#include <netperf/netperf.h>

/* The longest file that is read; a longer one is an error. */
#define CONFIG_FILE_BYTES_MAX (1u << 20)

struct config_line {
	char *key, *value;
	const char *file; /* its name, for error messages; not owned */
	unsigned line;	  /* from 1 on */
};

/* The lines of all files, in the order of reading: of equal keys the last one applies. */
struct config_file {
	struct config_line *entry;
	size_t count;
};

/*
 * Parses @bytes of @text (NULs are an error; a leading byte-order mark is skipped), and appends its
 * lines. Returns 0, -EINVAL with @fault ("NAME:LINE", what is wrong and what would be right), or
 * -ENOMEM. Call config_file_free in any case; the lines before the error are kept.
 */
int config_file_parse(struct config_file *config, const char *name, const char *text, size_t bytes,
		      struct np_fault *fault);

/* Appends the line @at with copies of @key and @value; returns 0 or -ENOMEM. */
int config_file_append(struct config_file *config, struct config_line at, const char *key,
		       const char *value);

/* "NAME:LINE", the object of an error, until the end of the block. */
#define config_line_place(at) np_xml_place((at)->file, (at)->line, (char[NP_XML_PLACE]){})

/* Sets the fault of that line: a format and its arguments. -EINVAL. */
#define config_line_wrong(at, fault, ...)                                                          \
	np_fault_set(fault, -EINVAL, config_line_place(at), __VA_ARGS__)

/*
 * Reads a whole file for config_file_parse or stack_read; the caller frees *@text in any case.
 * Returns 0, or -errno with @fault.
 */
int config_file_load(const char *path, char **text, size_t *bytes, struct np_fault *fault);

/* The last entry of @key, or NULL. */
const struct config_line *config_file_find(const struct config_file *config, const char *key);

void config_file_free(struct config_file *config);

/*
 * The path to read for @name. If it has no directory, does not exist in the current one, and is the
 * name of an example, that is the example: its path is written to @room and logged. Returns @room,
 * else @name.
 */
const char *config_file_example(const char *name, char room[PATH_MAX], const struct np_log *log);

/*
 * stack.c: reads addresses, ports and buffer sizes from a JGroups stack, either XML (fc-fast.xml,
 * udp.xml, tcp.xml) or a plain string; all else in it is logged as unused.
 *
 * These are read, in the spellings of all versions: of UDP mcast_addr, mcast_port, ip_ttl,
 * bind_addr, mcast_send_buf_size, mcast_recv_buf_size (else ucast_); of TCP, TCP_NIO and TCP1_4
 * bind_addr, bind_port (start_port), send_buf_size, recv_buf_size; of TCPPING initial_hosts
 * ("a[7800],b[7800]"). "${name:default}" stands for its default, "20M" for 20000000. Another
 * transport is an error; so is, in XML, a document type or an entity.
 */

/* True for XML: the first byte that is not blank is a <. */
bool stack_is_xml(const char *text, size_t bytes);

/*
 * True if @text itself is a stack, "UDP(mcast_port=45566;ip_ttl=32):PING:FD": it starts with a word
 * and a parenthesis, or with the name of a transport.
 */
bool stack_is_plain(const char *text);

/*
 * Appends what XML of @bytes, 0: a plain string, says, under our own keys: mcast_addr, ttl ...;
 * *@transport: "udp" or "tcp" by its bottom protocol; NULL: neither. Returns 0, or -EINVAL,
 * -ENOMEM, and for XML -E2BIG with @fault ("NAME:LINE"). @name is not copied. Call
 * config_file_free in any case.
 */
int stack_read(struct config_file *to, const char **transport, const char *name, const char *text,
	       size_t bytes, const struct np_log *log, struct np_fault *fault);
