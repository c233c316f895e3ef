// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* group-test-stack: what is read from XML stacks of both generations, what is not, what is none. */
#include "group_config.h"

#define XML(text, lines, unused) reads(SETTINGS_PROPS, text, lines, unused)

TEST(stacks_of_all_generations)
{
	/* As fc-fast.xml of JGroups 2.2: of both kinds of buffers the later, multicast one counts.
	 */
	XML(" <!-- fast -->\n"
	    "<config>\n"
	    "  <UDP mcast_send_buf_size=\"32000\" mcast_port=\"45566\"\n"
	    "       ucast_recv_buf_size=\"64000\" mcast_addr=\"228.8.8.8\"\n"
	    "       mcast_recv_buf_size=\"80000\" ucast_send_buf_size=\"48000\"\n"
	    "       loopback=\"true\" ip_ttl=\"32\"/>\n"
	    "  <PING timeout=\"2000\"/>\n"
	    "  <FD_SOCK/>\n"
	    "</config>\n",
	    "udp: mcast_addr=228.8.8.8@3 mcast_port=45566@3 ttl=32@3 send_buf_size=48000@3 "
	    "send_buf_size=32000@3 recv_buf_size=64000@3 recv_buf_size=80000@3",
	    "UDP.loopback PING FD_SOCK");
	XML("<?xml version=\"1.0\"?>\n"
	    "<config xmlns=\"urn:org:jgroups\">\n"
	    "  <TCP bind_port=\"7801\" recv_buf_size=\"${tcp.recv:20M}\" send_buf_size=\"640K\"\n"
	    "       bind_addr=\"NON_LOOPBACK\"/>\n"
	    "  <TCPPING initial_hosts=\"${hosts:a[7800], b[7801]}\" port_range=\"1\"/>\n"
	    "  <NAKACK><inner/></NAKACK>\n"
	    "</config>",
	    "tcp: start_port=7801@3 send_buf_size=640000@3 recv_buf_size=20000000@3 "
	    "cluster=a:7800,b:7801@5",
	    "TCP.bind_addr TCPPING.port_range NAKACK");
	/* As tcp-nio.xml of 3.0.16, and tcp1_4.xml of 2.2.7. */
	XML("<config><TCP_NIO bind_port=\"7800\" reader_threads=\"3\"/>"
	    "<TCPPING initial_hosts=\"a[7800],a[7801]\"/></config>",
	    "tcp: start_port=7800@1 cluster=a:7800,a:7801@1", "TCP_NIO.reader_threads");
	XML("<config><TCP1_4 start_port=\"7801\" bind_addr=\"localhost\"/></config>",
	    "tcp: bind_addr=localhost@1 start_port=7801@1", NULL);
	XML("\xef\xbb\xbf \n<config/>", "", NULL);
}

TEST(what_means_nothing_is_unused)
{
	XML("<config><UDP bind_addr=\"${jgroups.bind_addr}\" mcast_port=\"${x\" ip_ttl=\"\""
	    " mcast_recv_buf_size=\"5 apples\" ucast_recv_buf_size=\"1e30\"/>"
	    "<TCPPING initial_hosts=\"a[b]\"/></config>",
	    "udp:",
	    "UDP.bind_addr UDP.mcast_port UDP.ip_ttl UDP.ucast_recv_buf_size "
	    "UDP.mcast_recv_buf_size TCPPING.initial_hosts");
}

TEST(faults_name_the_line)
{
	static const struct {
		const char *text, *object, *reason;
	} cases[] = {
		{"<config>\n<TUNNEL router_port='12001'/></config>", "s.xml:2",
		 "the transport TUNNEL goes through a GossipRouter; expected"},
		{"<config><LOOPBACK/></config>", "s.xml:1", "the transport LOOPBACK"},
		{"<config>\n<UDP", "s.xml:2", "unclosed token"},
		{"<config>\n</confi>", "s.xml:2", "mismatched tag"},
		{"\n<UDP/>", "s.xml:2", "expected <config>"},
		{"\n<html><br></html>", "s.xml:2", "expected <config>"},
		{"<!DOCTYPE config [<!ENTITY a \"x\">]><config>&a;</config>", "s.xml:1",
		 "has a document type; expected a stack without one"},
		{"<config a='&b;'/>", "s.xml:1", "undefined entity"},
		/* Malformed text is said first. */
		{"<config><LOOPBACK/>\n<a></config>", "s.xml:2", "mismatched tag"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		faulty(SETTINGS_PROPS, cases[i].text, strlen(cases[i].text), cases[i].object,
		       cases[i].reason);
}
