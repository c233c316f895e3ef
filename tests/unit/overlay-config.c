// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* The configuration of an overlay node: every element and its default, notices, bounds. */
#include "overlay_config_tried.h"
#include "support/unit.h"

#include <netperf/xml.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MS(n)	     ((n)*NP_MILLISECOND)

static struct overlay_config parsed(const char *text, struct told *told)
{
	struct overlay_config config;
	const int rc = read_told(&config, text, told);

	if (rc)
		print_error("%s: %s\n", fault.object, fault.reason);
	assert_int_equal(rc, 0);
	return config;
}

/* What stands for an address and a port. */
static void is_endpoint(const struct np_address *address, const char *expected)
{
	char text[NP_ADDRESS_TEXT];

	assert_string_equal(strchr(np_address_format(address, text), '/') + 1, expected);
}

static void is_contact(const struct overlay_config *config, unsigned at, uint32_t ip, uint16_t port)
{
	uint32_t got_ip;
	uint16_t got_port;

	assert_true(at < config->contact_count);
	assert_true(overlay_address_get_ipv4(&config->contact[at], &got_ip, &got_port));
	assert_int_equal(got_ip, ip);
	assert_int_equal(got_port, port);
	assert_int_equal(config->contact[at].realm, config->interface[0].plan.realm);
}

static void defaults_of_buddies(const struct overlay_config *c)
{
	const struct overlay_interface *i = &c->interface[0];

	assert_true(c->node.hash == 0 && c->node.hop_limit == 255 && c->node.route_records == 0);
	assert_true(c->receive_buffer == 200 && c->read_timeout == 0 && c->message_buffer == 100);
	assert_int_equal(c->interface_count, 1);
	assert_string_equal(i->id, "0");
	assert_string_equal(i->realm, "public_internet");
	assert_true(i->active);
	assert_int_equal(i->kind, OVERLAY_UDP);
	is_endpoint(&i->plan.local, "0.0.0.0:0");
	assert_true(i->plan.any_port && i->plan.message_max == 8192 && i->plan.realm == 0xd283);
	assert_int_equal(c->node.protocol, OVERLAY_DT_BUDDIES);
	assert_true(c->node.heartbeat_fast == MS(250) && c->node.heartbeat_slow == MS(2000));
	assert_true(c->node.timeout == MS(10000) && c->node.rendezvous == MS(2000));
	assert_true(!c->node.any_neighbour && !c->node.buddy_cache && !c->coords.fixed);
	assert_true(!c->coords.corner.x && !c->coords.corner.y);
	assert_true(c->coords.width == 10000 && c->coords.height == 10000);
	assert_int_equal(c->contact_count, 0);
}

TEST(defaults)
{
	struct told told = {};
	struct overlay_config c =
		parsed("<Public><Adapter><Interfaces><Interface><Type><UDPInterface/></Type>"
		       "</Interface></Interfaces></Adapter><Node><DTBuddyList/></Node></Public>",
		       &told);

	defaults_of_buddies(&c);
	assert_int_equal(told.count, 0);
	overlay_config_free(&c);
}

TEST(the_template_says_the_defaults)
{
	struct told told = {};
	struct overlay_config c;
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	assert_int_equal(overlay_config_template(out), 0);
	fclose(out);
	c = parsed(text, &told);
	defaults_of_buddies(&c);
	assert_int_equal(told.count, 0);
	overlay_config_free(&c);
	free(text);
	out = fopen("/dev/full", "w");
	if (out) {
		assert_int_equal(overlay_config_template(out), -ENOSPC);
		fclose(out);
	}
}

/* Every element of a node with buddies over TCP that is not at its default. */
TEST(dt_over_tcp)
{
	struct told told = {};
	struct overlay_config c = parsed(
		"<?xml version=\"1.0\"?><!-- one --><Public xmlns:x=\"urn:x\" x:at=\"1\">"
		"<OverlayID>Overlay_DT_Test</OverlayID>"
		"<HashAttributes>/Public/OverlayID</HashAttributes>"
		"<HopLimit>9</HopLimit><RouteRecordSize> 2\n</RouteRecordSize>"
		"<ReceiveBuffer><ReceiveBufferSize>7</ReceiveBufferSize></ReceiveBuffer>"
		"<ReadTimeout>1500</ReadTimeout><OverlayServer>None</OverlayServer>"
		"<Security><SecurityLevel>plaintext</SecurityLevel></Security><NetworkService>"
		"<EnhancedDelivery><StartService>no</StartService></EnhancedDelivery>"
		"</NetworkService>"
		"<Adapter><MessageBufferSize>1000</MessageBufferSize><Interfaces><Interface>"
		"<ID>if0</ID><PathPreferences>1,3</PathPreferences><Active>TRUE</Active><Type>"
		"<TCPInterface><PhyAddr><INETV4AndOnePort>127.0.0.1:9002</INETV4AndOnePort>"
		"</PhyAddr><AddressRealm>lab</AddressRealm>"
		"<AllowRandomPhyAddrPort>No</AllowRandomPhyAddrPort>"
		"<MaximumPacketLength>200000</MaximumPacketLength><Timeout>1000</Timeout>"
		"<MaxIdleTime>20000</MaxIdleTime><MaxBacklog>51</MaxBacklog></TCPInterface></Type>"
		"</Interface></Interfaces>" BUDDIES "</Adapter>"
		"<Node><DTBuddyList><TimeoutTime>9000</TimeoutTime>"
		"<FastHeartbeatTime>200</FastHeartbeatTime>"
		"<SlowHeartbeatTime>1000</SlowHeartbeatTime>"
		"<Verification>neighborCheck</Verification><IAmHereTime>500</IAmHereTime>"
		"<UsingDynamicBuddyList>true</UsingDynamicBuddyList>"
		"<UsingStaticBuddyList>true</UsingStaticBuddyList>"
		"<BuddyListName>DT_BUDDYLIST</BuddyListName><BuddyCacheSize>12</BuddyCacheSize>"
		"<Coords><FIXED><coordinate>984,-4861</coordinate></FIXED></Coords>"
		"</DTBuddyList></Node></Public>",
		&told);
	const struct overlay_interface *i = &c.interface[0];

	assert_int_equal(told.count, 0);
	assert_int_equal(c.node.hash, 0x35eb719f);
	assert_true(c.node.hop_limit == 9 && c.node.route_records == 2 && c.receive_buffer == 7);
	assert_true(c.read_timeout == MS(1500) && c.message_buffer == 1000);
	assert_string_equal(i->id, "if0");
	assert_true(i->active && i->line == 2);
	assert_true(i->kind == OVERLAY_TCP && i->plan.realm == 0x7fd9);
	is_endpoint(&i->plan.local, "127.0.0.1:9002");
	assert_false(i->plan.any_port);
	assert_true(i->plan.message_max == 200000 && i->plan.connect_timeout == MS(1000));
	assert_true(i->plan.idle_max == MS(20000) && i->plan.backlog == 51);
	assert_true(c.node.timeout == MS(9000) && c.node.heartbeat_fast == MS(200));
	assert_true(c.node.heartbeat_slow == MS(1000) && c.node.rendezvous == MS(500));
	assert_true(c.node.any_neighbour && c.node.buddy_cache == 12 && c.coords.fixed);
	assert_true(c.coords.point.x == 984 && c.coords.point.y == -4861);
	assert_int_equal(c.contact_count, 2);
	is_contact(&c, 0, 0x7f000001, 9001);
	is_contact(&c, 1, 0x7f000001, 9002);
	overlay_config_free(&c);
}

TEST(dt_broadcast)
{
	struct told told = {};
	struct overlay_config c = parsed(
		WHOLE("", INTERFACES(PAIR),
		      "<Node><DTBroadcast><BeaconTime>1000</BeaconTime></DTBroadcast></Node>"),
		&told);
	const struct overlay_interface *i = &c.interface[0];

	assert_int_equal(c.node.protocol, OVERLAY_DT_BROADCAST);
	assert_true(c.node.rendezvous == MS(1000) && c.coords.fixed);
	assert_true(c.coords.point.x == 500 && c.coords.point.y == 500);
	assert_int_equal(i->kind, OVERLAY_PAIR);
	is_endpoint(&i->plan.local, "10.9.0.1:9001");
	is_endpoint(&i->plan.group, "224.228.19.78:9472");
	assert_int_equal(i->plan.group_max, 8192);
	assert_string_equal(i->group_realm, "lab");
	assert_string_equal(i->plan.group_device, "");
	overlay_config_free(&c);

	c = parsed(
		WHOLE("",
		      INTERFACES(
			      "<MulticastUnicastInterface><Multicast><UDPMulticastInterface>"
			      "<MulticastAddress><INETV4AndOnePort>239.1.2.3:77</INETV4AndOnePort>"
			      "</MulticastAddress><AllowRandomPhyAddrPort>no"
			      "</AllowRandomPhyAddrPort><MaximumPacketLength>4096"
			      "</MaximumPacketLength><NetworkInterface>eth0</NetworkInterface>"
			      "</UDPMulticastInterface></Multicast><Unicast><UDPInterface>"
			      "<NetworkInterface>none</NetworkInterface></UDPInterface></Unicast>"
			      "</MulticastUnicastInterface>"),
		      "<Node><DTBroadcast/></Node>"),
		&told);
	assert_int_equal(c.node.rendezvous, MS(250));
	is_endpoint(&i->plan.group, "239.1.2.3:77");
	assert_int_equal(i->plan.group_max, 4096);
	assert_string_equal(i->plan.group_device, "eth0");
	assert_int_equal(told.count, 0);
	overlay_config_free(&c);
}

TEST(spanning_tree)
{
	struct told told = {};
	struct overlay_config c =
		parsed(WHOLE("<RouteRecordSize>2</RouteRecordSize>", INTERFACES(PAIR),
			     "<Node><SPT><BeaconTime>1</BeaconTime><NeighborTimeout>2"
			     "</NeighborTimeout><AdjacencyTimeout>3</AdjacencyTimeout><MsgMaxAge>4"
			     "</MsgMaxAge><RootHistoryTimeout>5</RootHistoryTimeout>"
			     "<RouteCacheTimeout>6</RouteCacheTimeout><JumpThreshold>0"
			     "</JumpThreshold><TopologyPolicy>Cost</TopologyPolicy>"
			     "<Coords><FIXED><coordinate>-5</coordinate></FIXED></Coords></SPT>"
			     "</Node>"),
		       &told);
	const struct overlay_plan *s = &c.node;

	assert_int_equal(c.node.protocol, OVERLAY_SPT);
	assert_true(s->rendezvous == MS(1) && s->timeout == MS(2));
	assert_true(s->adjacency_timeout == MS(3) && s->age_max == MS(4));
	assert_true(s->root_history == MS(5) && s->route_cache == MS(6) && !s->jump_threshold);
	assert_true(c.coords.fixed && c.coords.point.x == -5 && !c.coords.point.y);
	overlay_config_free(&c);
	c = parsed(WHOLE("<RouteRecordSize>2</RouteRecordSize>", INTERFACES(PAIR),
			 "<Node><SPT/></Node>"),
		   &told);
	assert_true(s->rendezvous == MS(1000) && s->timeout == MS(5000));
	assert_true(s->adjacency_timeout == MS(20000) && s->age_max == MS(5000));
	assert_true(s->root_history == MS(20000) && s->route_cache == MS(20000));
	assert_true(s->jump_threshold == 1 && !c.coords.fixed && c.coords.width == 600);
	overlay_config_free(&c);
	c = parsed(
		WHOLE("<RouteRecordSize>1</RouteRecordSize>", INTERFACES(PAIR),
		      "<Node><SPT><Coords><RANDOM><base>9</base></RANDOM></Coords></SPT></Node>"),
		&told);
	assert_true(!c.coords.fixed && c.coords.width == 9 && c.coords.height == 1);
	assert_int_equal(told.count, 0);
	overlay_config_free(&c);
}

TEST(none_with_neighbours)
{
	struct told told = {};
	struct overlay_config c =
		parsed(WHOLE("", BASE,
			     "<Node><NONE><Neighbors> if0|127.0.0.1:9002;\n lab % 127.0.0.1:9003 ;"
			     "</Neighbors></NONE></Node>"),
		       &told);

	assert_int_equal(c.node.protocol, OVERLAY_NONE);
	assert_int_equal(c.contact_count, 2);
	is_contact(&c, 0, 0x7f000001, 9002);
	is_contact(&c, 1, 0x7f000001, 9003);
	overlay_config_free(&c);
	c = parsed(WHOLE("", BASE, "<Node><NONE/></Node>"), &told);
	assert_int_equal(c.contact_count, 0);
	assert_int_equal(told.count, 0);
	overlay_config_free(&c);
}

TEST(random_coordinates)
{
	struct told told = {};
	struct overlay_config c = parsed(
		WHOLE("", BASE,
		      DT("<Coords><RANDOM><frame>-10, 20,30,2147483627</frame></RANDOM></Coords>")),
		&told);

	assert_true(!c.coords.fixed && c.coords.corner.x == -10);
	assert_true(c.coords.corner.y == 20 && c.coords.width == 30);
	assert_int_equal(c.coords.height, 2147483627);
	overlay_config_free(&c);
	c = parsed(WHOLE("", BASE, DT("<Coords><RANDOM><base>77</base></RANDOM></Coords>")), &told);
	assert_true(!c.coords.fixed && c.coords.width == 77 && c.coords.height == 77);
	overlay_config_free(&c);
}

/* Two interfaces, one of them inactive: its ID is none that an address may name. */
TEST(several_interfaces)
{
	struct told told = {};
	struct overlay_config c =
		parsed(WHOLE("",
			     "<Interfaces><Interface><ID>a</ID><Active>false</Active><Type>"
			     "<UDPInterface/></Type></Interface>\n" INTERFACE(
				     UDP("1.2.3.4:5")) "</Interfaces>",
			     DT("")),
		       &told);

	assert_true(c.interface_count == 2 && !c.interface[0].active && c.interface[1].active);
	assert_true(c.interface[0].line == 4 && c.interface[1].line == 5);
	overlay_config_free(&c);
}

TEST(static_buddies_off)
{
	struct told told = {};
	struct overlay_config c = parsed(
		WHOLE("", BASE BUDDIES, DT("<UsingStaticBuddyList>false</UsingStaticBuddyList>")),
		&told);

	assert_int_equal(c.contact_count, 0);
	assert_int_equal(told.count, 1);
	assert_non_null(strstr(told.line[0], "o.xml:4: <ConfiguredAddressList> \"DT_BUDDYLIST\""));
	overlay_config_free(&c);
}

TEST(hash_of_several)
{
	static const struct {
		const char *top;
		uint32_t hash;
	} cases[] = {
		/* SecurityLevel is absent, and its default counts; Node counts by its child. */
		{"<OverlayID>Overlay_DT_Test</OverlayID><HashAttributes>/Public/OverlayID,/Public/"
		 "Security/SecurityLevel,/Public/Node</HashAttributes>",
		 0x7c15ebff},
		{"<Security><SecurityLevel>plaintext</SecurityLevel></Security><OverlayID>"
		 "Overlay_<!-- -->DT_<![CDATA[Test]]></OverlayID><HashAttributes>/Public/OverlayID,"
		 "/Public/Security/SecurityLevel,/Public/Node</HashAttributes>",
		 0x7c15ebff},
		{"<OverlayID>Overlay_DT_Test</OverlayID><HashAttributes/>", 0},
		{"<OverlayID>Overlay_DT_Test</OverlayID>", 0},
	};
	struct told told = {};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[2048];
		struct overlay_config c;

		snprintf(text, sizeof(text), WHOLE("%s", BASE, DT("")), cases[i].top);
		c = parsed(text, &told);
		assert_int_equal(c.node.hash, cases[i].hash);
		overlay_config_free(&c);
	}
	assert_int_equal(told.count, 0);
}

TEST(notices)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{WHOLE("<Log4J>\n<Deep><er/></Deep></Log4J>", BASE, DT("")),
		 "o.xml:2: <Log4J> is no element of <Public>"},
		{WHOLE("", BASE, DT("\n\n<Hop>1</Hop>")), "o.xml:8: <Hop> is no element of <DTBu"},
		{WHOLE("", INTERFACES("<UDPInterface><StatName>X</StatName></UDPInterface>"),
		       DT("")),
		 "o.xml:4: <StatName> has no effect here"},
		{WHOLE("", INTERFACES(PAIR),
		       "<Node><DTBroadcast><IAmHereTime>3</IAmHereTime></DTBroadcast></Node>"),
		 "o.xml:6: <IAmHereTime> has no effect here"},
		{WHOLE("", BASE BUDDIES, "<Node><NONE/></Node>"),
		 "o.xml:4: <ConfiguredAddressList> \"DT_BUDDYLIST\" has no effect here"},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct told told = {};
		struct overlay_config c = parsed(cases[i].text, &told);

		assert_int_equal(told.count, 1);
		assert_int_equal(strncmp(told.line[0], cases[i].says, strlen(cases[i].says)), 0);
		overlay_config_free(&c);
	}
}

/* A text that arrives in many pieces, and a name of a file that is longer than a fault's room. */
TEST(long_texts)
{
	struct overlay_config c;
	static const char path[] = "/Public/OverlayID=";
	char file[401], text[8192], id[sizeof(path) + 5000];
	int rc;

	memset(id, '\n', sizeof(id) - 1);
	id[sizeof(id) - 1] = '\0';
	memcpy(id, path, sizeof(path) - 1);
	snprintf(text, sizeof(text),
		 WHOLE("<OverlayID>%s</OverlayID><HashAttributes>/Public/OverlayID"
		       "</HashAttributes>",
		       BASE, DT("")),
		 id + sizeof(path) - 1);
	rc = overlay_config_parse(&c, "o.xml", text, strlen(text), NULL, &fault);
	assert_int_equal(rc, 0);
	assert_int_equal(c.node.hash, overlay_hash(id, sizeof(id) - 1));
	overlay_config_free(&c);
	memset(file, 'f', 400);
	file[400] = '\0';
	rc = overlay_config_parse(&c, file, "<Public/>", 9, NULL, &fault);
	assert_int_equal(rc, -EINVAL);
	assert_string_equal(fault.object + strlen(fault.object) - 3, "f:1");
	overlay_config_free(&c);
}

TEST(from_a_file)
{
	static const char text[] = WHOLE("", BASE, "<Node><NONE/></Node>");
	char name[] = "/tmp/overlay-config-XXXXXX";
	struct overlay_config c;
	int fd = mkstemp(name);
	FILE *out = fdopen(fd, "w");

	assert_non_null(out);
	fputs(text, out);
	fclose(out);
	assert_int_equal(overlay_config_read(&c, name, NULL, &fault), 0);
	assert_int_equal(c.node.protocol, OVERLAY_NONE);
	overlay_config_free(&c);
	remove(name);
	assert_int_equal(overlay_config_read(&c, name, NULL, &fault), -ENOENT);
	assert_string_equal(fault.object, name);
	overlay_config_free(&c);
	assert_int_equal(overlay_config_read(&c, "/", NULL, &fault), -EISDIR);
	overlay_config_free(&c);
}

/* Each notice once, in the order of the file. */
TEST(notices_in_order)
{
	static const char text[] = WHOLE("<OverlayID xmlns=\"c\" d:e=\"f\">a</OverlayID><HopLimit "
					 "xmlns=\"c\" d:e=\"f\" a=\"b\">9</HopLimit><Other/>",
					 BASE, DT("<CacheFile d=\"e\" >x</CacheFile>"));
	struct told told = {};
	struct overlay_config c;

	assert_int_equal(read_told(&c, text, &told), 0);
	assert_int_equal(told.count, 4);
	assert_string_equal(told.line[0], "o.xml:2: <HopLimit>: its attributes are ignored");
	assert_string_equal(told.line[1], "o.xml:2: <Other> is no element of <Public>: ignored");
	assert_string_equal(told.line[2], "o.xml:6: <CacheFile>: its attributes are ignored");
	assert_string_equal(told.line[3], "o.xml:6: <CacheFile> has no effect here");
	assert_int_equal(c.node.hop_limit, 9);
	overlay_config_free(&c);
}
