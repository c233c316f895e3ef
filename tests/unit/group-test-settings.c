// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * File, properties and defaults; Java's names; what is said of bad lines.
 *
 * What only the open transport knows, and what it changes for the member.
 */
#include "../../src/group-test/config/plan.h"
#include "../../src/group-test/config/settings.h"
#include "support/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRED "num_msgs=20000\nmsg_size=1000\nnum_members=4\nnum_senders=2\n"
#define USER	 "transport=org.jgroups.tests.perf.transports.JGroupsTransport\n" REQUIRED

/* One application of two texts, and what was said meanwhile. */
struct trial {
	struct settings settings;
	struct np_fault fault;
	char *said;
	int rc;
};

static void apply(struct trial *t, const char *file, const char *properties)
{
	struct np_log log = {.program = "p"};
	struct np_fault fault;
	size_t length;

	log.stream = open_memstream(&t->said, &length);
	assert_non_null(log.stream);
	assert_int_equal(config_file_parse(&t->settings.file, "c.txt", file, strlen(file), &fault),
			 0);
	if (properties) {
		assert_int_equal(config_file_parse(&t->settings.properties, "p.txt", properties,
						   strlen(properties), &fault),
				 0);
	}
	t->rc = settings_apply(&t->settings, &log, &t->fault);
	fclose(log.stream);
}

static void end(struct trial *t)
{
	settings_free(&t->settings);
	free(t->said);
	*t = (struct trial){};
}

TEST(defaults)
{
	struct trial t = {};

	apply(&t, "transport=udp\n" REQUIRED, NULL);
	assert_int_equal(t.rc, 0);
	assert_string_equal(t.said, "");
	assert_int_equal(t.settings.group.num_msgs, 20000);
	assert_int_equal(t.settings.group.msg_size, 1000);
	assert_int_equal(t.settings.group.num_members, 4);
	assert_int_equal(t.settings.group.num_senders, 2);
	assert_int_equal(t.settings.log_interval, 2000);
	assert_string_equal(t.settings.transport.mcast_addr, "239.3.4.5");
	assert_int_equal(t.settings.transport.mcast_port, 7500);
	assert_int_equal(t.settings.transport.ttl, 1);
	assert_int_equal(t.settings.transport.start_port, 7800);
	assert_int_equal(t.settings.transport.receive_bytes, 0);
	assert_string_equal(t.settings.transport.overlay_file, "RunServerSocket.xml");
	assert_string_equal(t.settings.transport.overlay_group, "group-test");
	assert_null(t.settings.transport.cluster);
	assert_null(t.settings.transport.lineage);
	end(&t);
	apply(&t, "transport=udp\nnum_msgs=3\nmsg_size=0\nnum_members=1\nnum_senders=1\n", NULL);
	assert_int_equal(t.settings.log_interval, 1);
	end(&t);
}

TEST(properties_win_over_the_file)
{
	struct trial t = {};

	apply(&t, "mcast_addr=228.1.2.3\nmcast_port=1\nsrv_port=7777\nstart_port=7800\n" USER,
	      "mcast_port=45566\nttl=32\nrecv_buf_size=64k\ntransport=tcp\nnum_msgs=5\n");
	assert_int_equal(t.rc, 0);
	assert_string_equal(t.settings.transport.mcast_addr, "228.1.2.3");
	assert_int_equal(t.settings.transport.mcast_port, 45566);
	assert_int_equal(t.settings.transport.ttl, 32);
	assert_int_equal(t.settings.transport.receive_bytes, 65536);
	assert_int_equal(t.settings.transport.start_port, 7777);
	assert_string_equal(t.settings.transport.transport, "tcp");
	assert_int_equal(t.settings.group.num_msgs, 5);
	end(&t);
}

static void group_is(struct trial *t, const char *address, unsigned port, unsigned ttl)
{
	assert_int_equal(t->rc, 0);
	assert_string_equal(t->settings.transport.mcast_addr, address);
	assert_int_equal(t->settings.transport.mcast_port, port);
	assert_int_equal(t->settings.transport.ttl, ttl);
	end(t);
}

/* JGroups' own, unless somebody names others; Java's UdpTransport looks at no stack. */
TEST(what_a_udp_stack_leaves_out)
{
	struct trial t = {.settings.stack.transport = "udp"};

	apply(&t, USER, "send_buf_size=1\n");
	group_is(&t, "228.8.8.8", 7600, 8);
	t.settings.stack.transport = "udp";
	apply(&t, USER, "mcast_port=45588\n");
	group_is(&t, "228.8.8.8", 45588, 8);
	t.settings.stack.transport = "udp";
	apply(&t, USER "mcast_addr=228.1.2.3\n", "ttl=32\n");
	group_is(&t, "228.1.2.3", 7600, 32);
	t.settings.stack.transport = "udp";
	apply(&t, "transport=UdpTransport\n" REQUIRED, "mcast_port=45588\n");
	group_is(&t, "239.3.4.5", 45588, 1);
	apply(&t, USER, NULL);
	group_is(&t, "239.3.4.5", 7500, 1);
}

/* JGroupsTransport has its address from the stack; perf.Test's configuration came with localhost.
 */
TEST(an_address_that_java_does_not_read)
{
	struct trial t = {.settings.stack.transport = "udp"};

	apply(&t, "bind_addr=localhost\n" USER, "ttl=1\n");
	assert_int_equal(t.rc, 0);
	assert_null(t.settings.transport.bind_addr);
	assert_non_null(strstr(t.said, "p: c.txt:1: bind_addr has no effect: with JGroupsTransport "
				       "only that of the stack or the option -bind_addr\n"));
	end(&t);
	t.settings.stack.transport = "udp";
	apply(&t, "bind_addr=localhost\n" USER, "bind_addr=10.9.0.1\n");
	assert_string_equal(t.settings.transport.bind_addr, "10.9.0.1");
	end(&t);
	apply(&t, "bind_addr=localhost\n" USER, NULL);
	assert_string_equal(t.settings.transport.bind_addr, "localhost");
	end(&t);
	t.settings.stack.transport = "udp";
	apply(&t, "bind_addr=localhost\ntransport=UdpTransport\n" REQUIRED, "ttl=1\n");
	assert_string_equal(t.settings.transport.bind_addr, "localhost");
	end(&t);
}

static void class_is(const char *class, const char *transport, const char *said)
{
	struct trial t = {};
	char text[400];

	snprintf(text, sizeof(text), "transport=%s\n" REQUIRED, class);
	apply(&t, text, NULL);
	assert_int_equal(t.rc, 0);
	assert_string_equal(t.settings.transport.transport, transport);
	assert_string_equal(t.said, said);
	end(&t);
}

TEST(javas_names)
{
	struct trial t = {.settings.stack.transport = "tcp"};

	class_is("org.jgroups.tests.perf.transports.UdpTransport", "udp", "");
	class_is("TcpTransport", "tcp", "");
	class_is("org.jgroups.tests.perf.transports.JGroupsTransport", "udp",
		 "p: JGroupsTransport means udp here\n");
	class_is("org.jgroups.tests.perf.transports.JGroupsClusterTransport", "tcp",
		 "p: JGroupsClusterTransport means tcp here\n");
	class_is("org.jgroups.tests.perf.transports.JmsTransport", "mqtt",
		 "p: JmsTransport means mqtt here\n");
	class_is("null", "null", "");
	/* A stack with TCP at its bottom. */
	apply(&t, USER, "");
	assert_string_equal(t.settings.transport.transport, "tcp");
	assert_string_equal(t.settings.transport.lineage, "JGroupsTransport");
	assert_true(settings_is_jgroups(&t.settings));
	end(&t);
}

TEST(what_has_no_effect_is_said)
{
	struct trial t = {};

	apply(&t, USER "jmx=false\nmcast_adr=1\nbind_addr =x\nname=A\n", NULL);
	assert_int_equal(t.rc, 0);
	assert_string_equal(t.said,
			    "p: c.txt:6: jmx has no effect: there is no JMX here\n"
			    "p: warning: c.txt:7: unknown key 'mcast_adr', ignored\n"
			    "p: warning: c.txt:8: unknown key 'bind_addr ', ignored; there must be "
			    "no blank before the =\n"
			    "p: JGroupsTransport means udp here\n"
			    "p: name has no effect: members are known by their addresses\n");
	end(&t);
}

static void refused(const char *file, const char *object, const char *reason)
{
	struct trial t = {};

	apply(&t, file, NULL);
	assert_int_equal(t.rc, -EINVAL);
	assert_string_equal(t.fault.object, object);
	assert_string_equal(t.fault.reason, reason);
	end(&t);
}

TEST(bad_values)
{
	refused("num_msgs=abc\n" USER, "c.txt:1",
		"num_msgs 'abc': not valid; expected a whole number, 1 to 2147483647");
	refused(USER "num_msgs=2147483648\n", "c.txt:6",
		"num_msgs '2147483648': out of range; expected a whole number, 1 to 2147483647");
	refused(USER "msg_size=-1", "c.txt:6",
		"msg_size '-1': not valid; expected bytes, with k, M, G or T, 0 to 16777216");
	refused(USER "dump_transport_stats=1", "c.txt:6",
		"dump_transport_stats '1': not valid; expected true or false");
	refused(USER "num_senders=5\n", "c.txt:6",
		"num_senders '5': more than num_members; expected 1 to 4");
	refused(USER "transport=Tcp\n", "c.txt:6",
		"transport 'Tcp': no such transport; expected udp, tcp, mqtt, overlay, null, or a "
		"class "
		"of perf.Test");
}

TEST(missing_keys)
{
	struct trial t = {.settings.duration = true};

	refused(REQUIRED, "c.txt",
		"transport is missing; expected a line transport=udp, tcp, mqtt or overlay");
	refused("transport=udp\nmsg_size=1\nnum_members=4\nnum_senders=2\n", "c.txt",
		"num_msgs is missing; expected a line num_msgs=..., a whole number, 1 to "
		"2147483647");
	refused("transport=udp\nnum_msgs=1\nmsg_size=1\nnum_senders=2\n", "c.txt",
		"num_members is missing; expected a line num_members=..., a whole number, 1 to "
		"256");
	apply(&t, "transport=udp\nmsg_size=1\nnum_members=4\nnum_senders=2\n", NULL);
	assert_int_equal(t.rc, 0);
	assert_int_equal(t.settings.group.num_msgs, 0);
	end(&t);
}

TEST(faults_of_other_rooms)
{
	struct trial t = {};
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
	end(&t);
}

static struct member_limits complete(np_time outage)
{
	const struct options options = {.group.protocol = PROTOCOL_NATIVE};
	const struct settings settings = {};
	const struct transport_info info = {.lossy = true, .window_bytes = 1000, .outage = outage};
	struct plan plan = {.member = {.senders = 1, .limits = member_limits_default(NP_SECOND)},
			    .transport = {.data_bytes = 100}};
	struct np_fault fault;

	assert_int_equal(plan_complete(&plan, &options, &settings, &info, &fault), 0);
	assert_true(plan.member.credit);
	return plan.member.limits;
}

/* Who is silent may be alive, behind a dead one, until the overlay has found another way. */
TEST(who_may_be_cut_off_is_waited_for_longer)
{
	const struct member_limits as_ever = member_limits_default(NP_SECOND);
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
