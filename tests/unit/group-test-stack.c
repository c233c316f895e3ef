// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* group-test-stack: what is read from stacks of both generations, what is not, and what is none. */
#include "../../src/group-test/config/stack.h"
#include "group_config.h"
#include "support/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct stack parsed(const char *text)
{
	struct stack stack;
	struct np_fault fault;

	assert_true(stack_is_xml(text, strlen(text)));
	assert_int_equal(stack_parse(&stack, "s.xml", text, strlen(text), &fault), 0);
	return stack;
}

/* As fc-fast.xml of JGroups 2.2: of both kinds of buffers the multicast one counts. */
TEST(a_udp_stack_of_2_2)
{
	struct stack stack =
		parsed(" <!-- fast -->\n"
		       "<config>\n"
		       "  <UDP mcast_send_buf_size=\"32000\" mcast_port=\"45566\"\n"
		       "       ucast_recv_buf_size=\"64000\" mcast_addr=\"228.8.8.8\"\n"
		       "       mcast_recv_buf_size=\"80000\" ucast_send_buf_size=\"48000\"\n"
		       "       loopback=\"true\" ip_ttl=\"32\"/>\n"
		       "  <PING timeout=\"2000\"/>\n"
		       "  <FD_SOCK/>\n"
		       "</config>\n");

	assert_string_equal(stack.transport, "udp");
	is(&stack.settings, "mcast_addr", "228.8.8.8", 3);
	is(&stack.settings, "mcast_port", "45566", 3);
	is(&stack.settings, "ttl", "32", 3);
	is(&stack.settings, "send_buf_size", "32000", 3);
	is(&stack.settings, "recv_buf_size", "80000", 3);
	assert_string_equal(stack.unused, "UDP.loopback PING FD_SOCK");
	stack_free(&stack);
}

TEST(a_tcp_stack_of_3_0)
{
	struct stack stack =
		parsed("<?xml version=\"1.0\"?>\n"
		       "<config xmlns=\"urn:org:jgroups\">\n"
		       "  <TCP bind_port=\"7801\" recv_buf_size=\"${tcp.recv:20M}\" "
		       "send_buf_size=\"640K\"\n"
		       "       bind_addr=\"NON_LOOPBACK\"/>\n"
		       "  <TCPPING initial_hosts=\"${hosts:a[7800], b[7801]}\" port_range=\"1\"/>\n"
		       "  <NAKACK><inner/></NAKACK>\n"
		       "</config>");

	assert_string_equal(stack.transport, "tcp");
	is(&stack.settings, "start_port", "7801", 3);
	is(&stack.settings, "recv_buf_size", "20000000", 3);
	is(&stack.settings, "send_buf_size", "640000", 3);
	is(&stack.settings, "cluster", "a:7800,a:7801,b:7801,b:7802", 5);
	assert_null(config_file_find(&stack.settings, "bind_addr"));
	assert_string_equal(stack.unused, "TCP.bind_addr NAKACK");
	stack_free(&stack);
}

/* As tcp-nio.xml of 3.0.16, and tcp1_4.xml of 2.2.7. */
TEST(other_transports_over_tcp)
{
	struct stack stack = parsed("<config><TCP_NIO bind_port=\"7800\" reader_threads=\"3\"/>"
				    "<TCPPING initial_hosts=\"a[7800],a[7801]\"/></config>");

	assert_string_equal(stack.transport, "tcp");
	is(&stack.settings, "start_port", "7800", 1);
	is(&stack.settings, "cluster", "a:7800,a:7801,a:7802", 1);
	assert_string_equal(stack.unused, "TCP_NIO.reader_threads");
	stack_free(&stack);
	stack = parsed("<config><TCP1_4 start_port=\"7801\" bind_addr=\"localhost\"/></config>");
	assert_string_equal(stack.transport, "tcp");
	is(&stack.settings, "start_port", "7801", 1);
	is(&stack.settings, "bind_addr", "localhost", 1);
	stack_free(&stack);
}

/* The members that a list of hosts and a port_range name. */
static void hosts_are(const char *hosts, const char *range, const char *cluster)
{
	char text[200];
	struct stack stack;

	snprintf(text, sizeof(text), "<config><TCPPING initial_hosts=\"%s\" %s/></config>", hosts,
		 range);
	stack = parsed(text);
	is(&stack.settings, "cluster", cluster, 1);
	stack_free(&stack);
}

TEST(ports_behind_each_host)
{
	hosts_are("a[7800]", "", "a:7800,a:7801");
	hosts_are("a[7800]", "port_range=\"0\"", "a:7800");
	hosts_are("a[7800]", "port_range=\"${range:3}\"", "a:7800,a:7801,a:7802,a:7803");
	hosts_are("a[7800],ab[7801],a[7802]", "port_range=\"2\"",
		  "a:7800,a:7801,a:7802,ab:7801,ab:7802,ab:7803,a:7803,a:7804");
	hosts_are("a[65534],b", "port_range=\"5\"", "a:65534,a:65535,b");
	hosts_are("a[7800],a[7801]", "port_range=\"300\"", "a:7800,a:7801");
	hosts_are("a[7800]", "port_range=\"x\"", "a:7800");
	hosts_are(",", "", ",");
}

static struct stack plain(const char *text)
{
	struct stack stack;
	struct np_fault fault;

	assert_true(stack_is_plain(text));
	assert_int_equal(stack_parse_plain(&stack, "-props", text, &fault), 0);
	return stack;
}

TEST(a_stack_in_a_string)
{
	struct stack stack = plain("UDP(mcast_addr=228.8.8.8; mcast_port=45566;ip_ttl=32;loopback="
				   "true):PING (timeout=2000;a=b=c) :FD_SOCK: pbcast.NAKACK()");

	assert_string_equal(stack.transport, "udp");
	is(&stack.settings, "mcast_addr", "228.8.8.8", 1);
	is(&stack.settings, "mcast_port", "45566", 1);
	is(&stack.settings, "ttl", "32", 1);
	assert_string_equal(stack.unused, "UDP.loopback PING FD_SOCK pbcast.NAKACK");
	stack_free(&stack);
	stack = plain("org.jgroups.protocols.TCP(start_port=7900;send_buf_size=${s:1k}):"
		      "TCPPING(initial_hosts=${h:a[7900]};port_range=2)");
	assert_string_equal(stack.transport, "tcp");
	is(&stack.settings, "start_port", "7900", 1);
	is(&stack.settings, "send_buf_size", "1000", 1);
	is(&stack.settings, "cluster", "a:7900,a:7901,a:7902", 1);
	assert_string_equal(stack.unused, "");
	stack_free(&stack);
	stack = plain("UDP:PING");
	assert_string_equal(stack.transport, "udp");
	assert_string_equal(stack.unused, "PING");
	stack_free(&stack);
}

TEST(a_string_is_known_by_its_begin)
{
	assert_true(stack_is_plain(" UDP"));
	assert_true(stack_is_plain("TCP_NIO:FD"));
	assert_true(stack_is_plain("my.Own_Protocol(a=b)"));
	assert_false(stack_is_plain(""));
	assert_false(stack_is_plain("udp.xml"));
	assert_false(stack_is_plain("stack"));
	assert_false(stack_is_plain("file:udp.xml"));
	assert_false(stack_is_plain("http://host/udp.xml"));
	assert_false(stack_is_plain("c:\\udp.xml"));
	assert_false(stack_is_plain("./UDP"));
}

TEST(what_means_nothing_is_unused)
{
	struct stack stack =
		parsed("<config><UDP bind_addr=\"${jgroups.bind_addr}\""
		       " mcast_port=\"${x\" ip_ttl=\"\" mcast_recv_buf_size=\"5 apples\""
		       " ucast_recv_buf_size=\"1e30\"/>"
		       "<TCPPING initial_hosts=\"a[b]\"/></config>");

	assert_int_equal(stack.settings.count, 0);
	assert_string_equal(stack.unused, "UDP.bind_addr UDP.mcast_port UDP.ip_ttl "
					  "UDP.ucast_recv_buf_size UDP.mcast_recv_buf_size "
					  "TCPPING.initial_hosts");
	stack_free(&stack);
	stack = parsed("<config/>");
	assert_null(stack.transport);
	assert_string_equal(stack.unused, "");
	stack_free(&stack);
	stack_free(&stack);
}

static void faulty(const char *text, const char *object, const char *reason)
{
	struct stack stack;
	struct np_fault fault = {};

	assert_int_equal(stack_parse(&stack, "s.xml", text, strlen(text), &fault), -EINVAL);
	assert_string_equal(fault.object, object);
	assert_non_null(strstr(fault.reason, reason));
	stack_free(&stack);
}

static void faulty_plain(const char *text, const char *reason)
{
	struct stack stack;
	struct np_fault fault = {};

	assert_int_equal(stack_parse_plain(&stack, "-props", text, &fault), -EINVAL);
	assert_string_equal(fault.object, "-props:1");
	assert_non_null(strstr(fault.reason, reason));
	stack_free(&stack);
}

TEST(faults_of_a_string)
{
	faulty_plain("UDP(mcast_addr", "UDP(mcast_addr: the ) is missing");
	faulty_plain("UDP(mcast_addr)", "UDP(mcast_addr): expected NAME=VALUE");
	faulty_plain("UDP(=1)", "expected NAME=VALUE");
	faulty_plain("UDP::FD", "':FD': expected PROTOCOL");
	faulty_plain("UDP:(a=b)", "'(a=b)': expected PROTOCOL");
	faulty_plain("TUNNEL:PING", "the transport TUNNEL goes through a GossipRouter");
}

TEST(faults_name_the_line)
{
	faulty("<config>\n<TUNNEL router_port='12001'/></config>", "s.xml:2",
	       "the transport TUNNEL goes through a GossipRouter; expected");
	faulty("<config><LOOPBACK/></config>", "s.xml:1", "the transport LOOPBACK");
	faulty("<config>\n<UDP", "s.xml:2", "unclosed token");
	faulty("<config>\n</confi>", "s.xml:2", "mismatched tag");
	faulty("\n<UDP/>", "s.xml:2", "expected <config>");
	faulty("<!DOCTYPE config [<!ENTITY a \"x\">]><config>&a;</config>", "s.xml:1",
	       "document type");
	faulty("<config a='&b;'/>", "s.xml:1", "undefined entity");
	faulty("", "s.xml:1", "no element found");
}

TEST(xml_is_known_by_its_first_byte)
{
	assert_true(stack_is_xml("\xef\xbb\xbf \n<a", 7));
	assert_false(stack_is_xml("a=<", 3));
	assert_false(stack_is_xml("  ", 2));
	assert_false(stack_is_xml("", 0));
}
