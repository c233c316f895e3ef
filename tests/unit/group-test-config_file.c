// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* group-test-config_file: the grammar of perf.Test's config.txt, and its faults by line. */
#include "../../src/group-test/config/config_file.h"

#include "group_config.h"
#include "support/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct config_file parsed(const char *text)
{
	struct config_file config;
	struct np_fault fault;

	assert_int_equal(config_file_parse(&config, "c.txt", text, strlen(text), &fault), 0);
	return config;
}

TEST(the_users_own_file)
{
	struct config_file config =
		parsed("transport=org.jgroups.tests.perf.transports.JGroupsTransport\n"
		       "#transport=org.jgroups.tests.perf.transports.UdpTransport\n"
		       "\n"
		       "# Number of messages a sender multicasts\n"
		       "    num_msgs=20000\n"
		       "\t\n"
		       "msg_size=1000\r\n"
		       "num_members=4");

	assert_int_equal(config.count, 4);
	is(&config, "transport", "org.jgroups.tests.perf.transports.JGroupsTransport", 1);
	is(&config, "num_msgs", "20000", 5);
	is(&config, "msg_size", "1000", 7);
	is(&config, "num_members", "4", 8);
	assert_null(config_file_find(&config, "#transport"));
	config_file_free(&config);
}

/* As a StringTokenizer with = for a delimiter cuts them. */
TEST(equals_signs_and_blanks)
{
	struct config_file config = parsed("\xef\xbb\xbf"
					   "A=b=c\n"
					   "Two==x\n"
					   "=lead=y\n"
					   "bind_addr = z\n"
					   "trail=v # no comment  \n"
					   "a=last\n"
					   "#=1\n");

	assert_int_equal(config.count, 6);
	is(&config, "a", "last", 6);
	is(&config, "two", "x", 2);
	is(&config, "lead", "y", 3);
	is(&config, "bind_addr ", " z", 4);
	is(&config, "trail", "v # no comment", 5);
	assert_string_equal(config.entry[0].value, "b");
	config_file_free(&config);
}

static void faulty(const char *text, size_t bytes, const char *object, const char *reason)
{
	struct config_file config;
	struct np_fault fault = {};

	assert_int_equal(config_file_parse(&config, "c.txt", text, bytes, &fault), -EINVAL);
	assert_string_equal(fault.object, object);
	assert_non_null(strstr(fault.reason, reason));
	config_file_free(&config);
}
#define FAULTY(text, object, reason) faulty(text, sizeof(text) - 1, object, reason)

/* As Java's reader takes them. */
TEST(lone_cr_line_ends)
{
	struct config_file config = parsed("a=1\r#b=2\r\r\nc=3\r\nd=4\r");

	assert_int_equal(config.count, 3);
	is(&config, "a", "1", 1);
	is(&config, "c", "3", 4);
	is(&config, "d", "4", 5);
	config_file_free(&config);
}

TEST(faults_name_the_line)
{
	FAULTY("a=1\n\nnum_msgs\n", "c.txt:3", "'num_msgs': expected KEY=VALUE");
	FAULTY("num_msgs=", "c.txt:1", "'num_msgs=': expected KEY=VALUE");
	FAULTY("===\n", "c.txt:1", "expected KEY=VALUE");
	FAULTY("a=1\n   # indented\n", "c.txt:2", "first column");
	FAULTY("a=1\nb=\0x\n", "c.txt:2", "NUL");
	FAULTY("#\0\n", "c.txt:1", "NUL");
	FAULTY("a=1\n \0 \n", "c.txt:2", "NUL");
}

TEST(nothing_is_nothing)
{
	struct config_file config = parsed("");

	assert_int_equal(config.count, 0);
	assert_null(config_file_find(&config, ""));
	config_file_free(&config);
	config = parsed("\n# only a comment");
	assert_int_equal(config.count, 0);
	config_file_free(&config);
	config_file_free(&config);
}

TEST(files_are_read_whole_or_refused)
{
	char path[] = "/tmp/netperf-config.XXXXXX", *text;
	FILE *file = fdopen(mkstemp(path), "w");
	struct np_fault fault = {};
	size_t bytes;

	assert_non_null(file);
	for (unsigned i = 0; i < CONFIG_FILE_BYTES_MAX; i++)
		fputc('\n', file);
	fflush(file);
	assert_int_equal(config_file_load(path, &text, &bytes, &fault), 0);
	assert_int_equal(bytes, CONFIG_FILE_BYTES_MAX);
	free(text);
	fputc('\n', file);
	fclose(file);
	assert_int_equal(config_file_load(path, &text, &bytes, &fault), -EFBIG);
	assert_null(text);
	assert_string_equal(fault.object, path);
	unlink(path);
	assert_int_equal(config_file_load(path, &text, &bytes, &fault), -ENOENT);
	assert_int_equal(config_file_load("/tmp", &text, &bytes, &fault), -EISDIR);
}
