// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * group-test-config_file: the grammar of perf.Test's config.txt, that of a stack in one string, and
 * their faults.
 */
#include "group_config.h"

#include <unistd.h>

#define LINES(text, lines) reads(SETTINGS_CONFIG, text, lines, NULL)

TEST(lines)
{
	/* The user's own file. */
	LINES("transport=org.jgroups.tests.perf.transports.JGroupsTransport\n"
	      "#transport=org.jgroups.tests.perf.transports.UdpTransport\n"
	      "\n"
	      "# Number of messages a sender multicasts\n"
	      "    num_msgs=20000\n"
	      "\t\n"
	      "msg_size=1000\r\n"
	      "num_members=4",
	      " transport=org.jgroups.tests.perf.transports.JGroupsTransport@1 num_msgs=20000@5"
	      " msg_size=1000@7 num_members=4@8");
	/* As a StringTokenizer with = for a delimiter cuts them. */
	LINES("\xef\xbb\xbf"
	      "A=b=c\nTwo==x\n=lead=y\nbind_addr = z\ntrail=v # no comment  \na=last\n#=1\n",
	      " a=b@1 two=x@2 lead=y@3 bind_addr = z@4 trail=v # no comment@5 a=last@6");
	/* As Java's reader takes ends of lines. */
	LINES("a=1\r#b=2\r\r\nc=3\r\nd=4\r", " a=1@1 c=3@4 d=4@5");
	LINES("", "");
	LINES("\n# only a comment", "");
}

TEST(faults_name_the_line)
{
#define FAULTY(text, object, reason) faulty(SETTINGS_CONFIG, text, sizeof(text) - 1, object, reason)
	FAULTY("a=1\n\nnum_msgs\n", "c.txt:3", "'num_msgs': expected KEY=VALUE");
	FAULTY("num_msgs=", "c.txt:1", "'num_msgs=': expected KEY=VALUE");
	FAULTY("===\n", "c.txt:1", "expected KEY=VALUE");
	FAULTY("a=1\n   # indented\n", "c.txt:2", "first column");
	FAULTY("a=1\nb=\0x\n", "c.txt:2", "NUL");
	FAULTY("#\0\n", "c.txt:1", "NUL");
	FAULTY("a=1\n \0 \n", "c.txt:2", "NUL");
}

static int load(const char *path, struct np_fault *fault)
{
	const struct options options = {.inputs = {path}};
	const struct np_log log = {.quiet = true};
	struct settings settings;
	const int rc = settings_load(&settings, &options, &log, fault);

	settings_free(&settings);
	return rc;
}

TEST(files_are_read_whole_or_refused)
{
	char path[] = "/tmp/netperf-config.XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");
	struct np_fault fault = {};

	assert_non_null(file);
	for (unsigned i = 0; i < CONFIG_FILE_BYTES_MAX; i++)
		fputc('\n', file);
	fflush(file);
	assert_int_equal(load(path, &fault), -EINVAL);
	assert_non_null(strstr(fault.reason, "transport is missing"));
	fputc('\n', file);
	fclose(file);
	assert_int_equal(load(path, &fault), -EFBIG);
	assert_string_equal(fault.object, path);
	unlink(path);
	assert_int_equal(load(path, &fault), -ENOENT);
	assert_int_equal(load("/tmp", &fault), -EISDIR);
}

#define PLAIN(text, lines, unused) reads(SETTINGS_STACK, text, lines, unused)

TEST(a_stack_in_a_string)
{
	PLAIN("UDP(mcast_addr=228.8.8.8; mcast_port=45566;ip_ttl=32;loopback="
	      "true):PING (timeout=2000;a=b=c) :FD_SOCK: pbcast.NAKACK()",
	      "udp: mcast_addr=228.8.8.8@1 mcast_port=45566@1 ttl=32@1",
	      "UDP.loopback PING FD_SOCK pbcast.NAKACK");
	PLAIN("org.jgroups.protocols.TCP(start_port=7900;send_buf_size=${s:1k}):"
	      "TCPPING(initial_hosts=${h:a[7900], b};port_range=2)",
	      "tcp: start_port=7900@1 send_buf_size=1000@1 cluster=a:7900,b@1",
	      "TCPPING.port_range");
	PLAIN("UDP:PING", "udp:", "PING");
}

TEST(what_a_text_is_by_its_begin)
{
	static const char *const plain[] = {" UDP", "TCP_NIO:FD", "my.Own_Protocol(a=b)"};
	static const char *const other[] = {
		"",	"udp.xml", "stack", "file:udp.xml", "http://host/udp.xml", "c:\\udp.xml",
		"./UDP"};

	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		assert_true(stack_is_plain(plain[i]));
	for (size_t i = 0; i < sizeof(other) / sizeof(*other); i++)
		assert_false(stack_is_plain(other[i]));
	assert_true(stack_is_xml("\xef\xbb\xbf \n<a", 7));
	assert_false(stack_is_xml("a=<", 3));
	assert_false(stack_is_xml("  ", 2));
	assert_false(stack_is_xml("", 0));
}

TEST(faults_of_a_stack_in_a_string)
{
	static const char *const cases[][2] = {
		{"UDP(mcast_addr", "UDP(mcast_addr: the ) is missing"},
		{"UDP(mcast_addr)", "UDP(mcast_addr): expected NAME=VALUE"},
		{"UDP(=1)", "expected NAME=VALUE"},
		{"UDP::FD", "':FD': expected PROTOCOL"},
		{"UDP:(a=b)", "'(a=b)': expected PROTOCOL"},
		{"TUNNEL:PING", "the transport TUNNEL goes through a GossipRouter"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		faulty(SETTINGS_STACK, cases[i][0], 0, "-props:1", cases[i][1]);
}
