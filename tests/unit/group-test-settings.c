// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * File, properties and defaults; Java's names; what is said of bad lines.
 *
 * What only the open transport knows, and what it changes for the member.
 */
#include "../../src/group-test/config/settings.h"
#include "group_config.h"

#include <inttypes.h>

#define NUMBERS "num_msgs=20000\nmsg_size=1000\nnum_members=4\nnum_senders=2\n"
#define USER	"transport=org.jgroups.tests.perf.transports.JGroupsTransport\n" NUMBERS
#define STACK	"UDP(mcast_send_buf_size=1)"

/* @props: lines, or a stack in a string; NULL: none. What is said is that of the application. */
static void apply(struct trial *t, const char *file, const char *props)
{
	struct np_log log = {.program = "p"};
	size_t length;

	read_text(t, SETTINGS_CONFIG, file, strlen(file));
	if (props)
		read_text(t, stack_is_plain(props) ? SETTINGS_STACK : SETTINGS_PROPS, props,
			  strlen(props));
	assert_int_equal(t->rc, 0);
	free(t->said);
	log.stream = open_memstream(&t->said, &length);
	assert_non_null(log.stream);
	t->rc = settings_apply(&t->settings, &log, &t->fault);
	fclose(log.stream);
}

/* The transport, its group's address, port and ttl, own address, first port and receive buffer. */
TEST(where_what_counts_comes_from)
{
	static const struct {
		const char *file, *props, *is;
	} cases[] = {
		{"transport=udp\n" NUMBERS, NULL, "udp 239.3.4.5 7500 1 - 7800 0"},
		/* Properties win over the file. */
		{"mcast_addr=228.1.2.3\nmcast_port=1\nsrv_port=7777\nstart_port=7800\n" USER,
		 "mcast_port=45566\nttl=32\nrecv_buf_size=64k\ntransport=tcp\nnum_msgs=5\n",
		 "tcp 228.1.2.3 45566 32 - 7777 65536"},
		/*
		 * What a stack of UDP leaves out has JGroups' own, unless somebody names others;
		 * Java's UdpTransport looks at no stack.
		 */
		{USER, STACK, "udp 228.8.8.8 7600 8 - 7800 0"},
		{USER, "UDP(mcast_port=45588)", "udp 228.8.8.8 45588 8 - 7800 0"},
		{USER "mcast_addr=228.1.2.3\n", "UDP(ip_ttl=32)", "udp 228.1.2.3 7600 32 - 7800 0"},
		{"transport=UdpTransport\n" NUMBERS, "UDP(mcast_port=45588)",
		 "udp 239.3.4.5 45588 1 - 7800 0"},
		{USER, NULL, "udp 239.3.4.5 7500 1 - 7800 0"},
		/* JGroupsTransport has its own address from the stack alone, if there is one. */
		{"bind_addr=localhost\n" USER, STACK, "udp 228.8.8.8 7600 8 - 7800 0"},
		{"bind_addr=localhost\n" USER, "UDP(bind_addr=10.9.0.1)",
		 "udp 228.8.8.8 7600 8 10.9.0.1 7800 0"},
		{"bind_addr=localhost\n" USER, NULL, "udp 239.3.4.5 7500 1 localhost 7800 0"},
		{"bind_addr=localhost\ntransport=UdpTransport\n" NUMBERS, STACK,
		 "udp 239.3.4.5 7500 1 localhost 7800 0"},
		{USER, "TCP:PING", "tcp 228.8.8.8 7600 8 - 7800 0"},
	};
	char is[200];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		TRIAL t = {};
		const struct settings *at = &t.settings;

		apply(&t, cases[i].file, cases[i].props);
		assert_int_equal(t.rc, 0);
		snprintf(is, sizeof(is), "%s %s %" PRIu64 " %" PRIu64 " %s %u %zu",
			 at->transport.variant, at->mcast_addr, at->mcast_port, at->ttl,
			 at->bind_addr ? at->bind_addr : "-", at->transport.tcp.first_port,
			 at->transport.receive_bytes);
		assert_string_equal(is, cases[i].is);
	}
}

TEST(defaults)
{
	TRIAL t = {};

	apply(&t, "transport=udp\n" NUMBERS, NULL);
	assert_string_equal(t.said, "");
	assert_int_equal(t.settings.member.messages, 20000);
	assert_int_equal(t.settings.member.payload, 1000);
	assert_int_equal(t.settings.member.members, 4);
	assert_int_equal(t.settings.member.senders, 2);
	assert_int_equal(t.settings.member.log_interval, 2000);
	assert_string_equal(t.settings.transport.overlay.file, "RunServerSocket.xml");
	assert_string_equal(t.settings.transport.overlay.group, "group-test");
	assert_null(t.settings.cluster);
	assert_null(t.settings.lineage);
	end_trial(&t);
	apply(&t, "transport=udp\nnum_msgs=3\nmsg_size=0\nnum_members=1\nnum_senders=1\n", NULL);
	assert_int_equal(t.settings.member.log_interval, 1);
	end_trial(&t);
	t.settings.member.duration = NP_SECOND;
	apply(&t, "transport=udp\nmsg_size=1\nnum_members=4\nnum_senders=2\n", NULL);
	assert_int_equal(t.rc, 0);
	assert_int_equal(t.settings.member.messages, 0);
}

TEST(javas_names)
{
#define ROOM "org.jgroups.tests.perf.transports."
	static const struct {
		const char *class, *transport, *said;
	} cases[] = {
		{ROOM "UdpTransport", "udp", ""},
		{"TcpTransport", "tcp", ""},
		{ROOM "JGroupsTransport", "udp", "p: JGroupsTransport means udp here\n"},
		{ROOM "JGroupsClusterTransport", "tcp",
		 "p: JGroupsClusterTransport means tcp here\n"},
		{ROOM "JmsTransport", "mqtt", "p: JmsTransport means mqtt here\n"},
		{"null", "null", ""},
	};
	char text[400];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		TRIAL t = {};

		snprintf(text, sizeof(text), "transport=%s\n" NUMBERS, cases[i].class);
		apply(&t, text, NULL);
		assert_int_equal(t.rc, 0);
		assert_string_equal(t.settings.transport.variant, cases[i].transport);
		assert_string_equal(t.said, cases[i].said);
	}
}

TEST(what_has_no_effect_is_said)
{
	TRIAL t = {};

	apply(&t, USER "jmx=false\nmcast_adr=1\nbind_addr =x\nname=A\n", NULL);
	assert_string_equal(t.said,
			    "p: c.txt:6: jmx has no effect: there is no JMX here\n"
			    "p: warning: c.txt:7: unknown key 'mcast_adr', ignored\n"
			    "p: warning: c.txt:8: unknown key 'bind_addr ', ignored; there must be "
			    "no blank before the =\n"
			    "p: JGroupsTransport means udp here\n"
			    "p: name has no effect: members are known by their addresses\n");
	end_trial(&t);
	apply(&t, "bind_addr=localhost\n" USER, STACK);
	assert_non_null(strstr(t.said, "p: c.txt:1: bind_addr has no effect: with JGroupsTransport "
				       "only that of the stack or the option -bind_addr\n"));
}

TEST(what_is_refused)
{
	static const char *const cases[][3] = {
		{"num_msgs=abc\n" USER, "c.txt:1",
		 "num_msgs 'abc': not valid; expected a whole number, 1 to 2147483647"},
		{USER "num_msgs=2147483648\n", "c.txt:6",
		 "num_msgs '2147483648': out of range; expected a whole number, 1 to 2147483647"},
		{USER "msg_size=-1", "c.txt:6",
		 "msg_size '-1': not valid; expected bytes, with k, M, G or T, 0 to 16M"},
		{USER "dump_transport_stats=1", "c.txt:6",
		 "dump_transport_stats '1': not valid; expected true or false"},
		{USER "num_senders=5\n", "c.txt:6",
		 "num_senders '5': more than num_members; expected 1 to 4"},
		{USER "transport=Tcp\n", "c.txt:6",
		 "transport 'Tcp': no such transport; expected udp, tcp, mqtt, overlay, null, or "
		 "a class of perf.Test"},
		{NUMBERS, "c.txt",
		 "transport is missing; expected a line transport=udp, tcp, mqtt or overlay"},
		{"transport=udp\nmsg_size=1\nnum_members=4\nnum_senders=2\n", "c.txt",
		 "num_msgs is missing; expected a line num_msgs=..., a whole number, 1 to "
		 "2147483647"},
		{"transport=udp\nnum_msgs=1\nmsg_size=1\nnum_senders=2\n", "c.txt",
		 "num_members is missing; expected a line num_members=..., a whole number, 1 to "
		 "256"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		TRIAL t = {};

		apply(&t, cases[i][0], NULL);
		assert_int_equal(t.rc, -EINVAL);
		assert_string_equal(t.fault.object, cases[i][1]);
		assert_string_equal(t.fault.reason, cases[i][2]);
	}
}

TEST(faults_of_other_rooms)
{
	TRIAL t = {};
	struct np_fault fault;

	apply(&t, USER "cluster=a\n", "mcast_addr=1.2.3.4\n");
	assert_int_equal(settings_wrong(&t.settings, &fault, "mcast_addr", "bad %d", 1), -EINVAL);
	assert_string_equal(fault.object, "p.txt:1");
	assert_string_equal(fault.reason, "mcast_addr '1.2.3.4': bad 1");
	settings_wrong(&t.settings, &fault, "cluster", "bad");
	assert_string_equal(fault.object, "c.txt:6");
	settings_wrong(&t.settings, &fault, "broker", "is missing");
	assert_string_equal(fault.object, "c.txt");
	assert_string_equal(fault.reason, "broker: is missing");
}

static struct member_limits complete(np_time outage)
{
	const struct options options = {};
	struct settings settings = {.member = {.senders = 1, .limits = member_limits(NP_SECOND, 0)},
				    .transport = {.data_bytes = 100}};
	const struct transport_info info = {.lossy = true, .window_bytes = 1000, .outage = outage};
	struct np_fault fault;

	assert_int_equal(plan_complete(&settings, &options, &info, &fault), 0);
	assert_true(settings.member.credit);
	return settings.member.limits;
}

/* Who is silent may be alive, behind a dead one, until the overlay has found another way. */
TEST(who_may_be_cut_off_is_waited_for_longer)
{
	const struct member_limits as_ever = member_limits(NP_SECOND, 0);
	struct member_limits limits = complete(0);

	assert_memory_equal(&limits, &as_ever, sizeof(limits));
	limits = complete(10 * NP_SECOND);
	assert_int_equal(limits.join, as_ever.join);
	assert_int_equal(limits.settle, as_ever.settle);
	assert_int_equal(limits.silent, as_ever.silent + 10 * NP_SECOND);
	assert_int_equal(limits.ready, as_ever.ready + 10 * NP_SECOND);
	assert_int_equal(limits.grant, as_ever.grant + 10 * NP_SECOND);
	assert_int_equal(limits.report, as_ever.report + 10 * NP_SECOND);
	assert_int_equal(limits.linger, as_ever.linger + 2 * NP_SECOND);
	limits = complete(NP_SECOND);
	assert_int_equal(limits.linger, as_ever.linger + NP_SECOND);
}
