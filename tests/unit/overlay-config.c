// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * The configuration of an overlay node: what each element makes of it, its default and its limits,
 * notices, and what is refused: where, why, and what is right.
 *
 * Elements are written NAME(content). A row begins with where it is in an otherwise complete
 * document: P:document; T: in Public; A: in Adapter, all of it; L: in Adapter after the interfaces;
 * I: an interface's Type; U: in its UDPInterface, V: in its TCPInterface; G: in its
 * UDPMulticastInterface; N: in Node; D: in DTBuddyList; C: in its Coords; S: in SPT;
 * H: HashAttributes.
 */
#include "../../src/lib/overlay/config.h"

#include "page.h"
#include "support/unit.h"

#define ROOM	     ((size_t)3 << 20)
#define MS	     *NP_MILLISECOND

#define UDP(address) "UDPInterface(PhyAddr(INETV4AndOnePort(" address "))AddressRealm(lab))"
#define PAIR                                                                                       \
	"MulticastUnicastInterface(Unicast(" UDP(                                                  \
		"10.9.0.1:9001") ")"                                                               \
				 "Multicast(UDPMulticastInterface(AddressRealm(lab))))"
#define INTERFACE(type) "Interface(ID(if0)Type(" type "))"
#define BASE		"Interfaces(" INTERFACE(UDP("127.0.0.1:9001")) ")"
#define DT		"Node(DTBuddyList())"
#define LIST(name, n, addresses)                                                                   \
	"ConfiguredAddressList(Name(" name ")InterfaceAddressNum(" n ")" addresses ")"
#define AT(address) "InterfaceAddress(" address ")"
#define NUM(n)	    "ConfiguredAddressListNum(" n ")"

static const struct {
	char where;
	const char *before, *after;
} places[] = {
	/* Lines: 1 Public, 2 what is in it, 3 Adapter, 4 in that, 5 its end, 6 Node, 7 the end. */
	{'P', "", ""},
	{'T', "Public(\n", "\nAdapter(\n" BASE "\n)\n" DT "\n)"},
	{'H', "Public(\nHashAttributes(", ")\nAdapter(\n" BASE "\n)\n" DT "\n)"},
	{'A', "Public(\n\nAdapter(\n", "\n)\n" DT "\n)"},
	{'L', "Public(\n\nAdapter(\n" BASE, "\n)\n" DT "\n)"},
	{'I', "Public(\n\nAdapter(\nInterfaces(Interface(ID(if0)Type(", ")))\n)\n" DT "\n)"},
	{'U', "Public(\n\nAdapter(\nInterfaces(Interface(ID(if0)Type(UDPInterface(",
	 "))))\n)\n" DT "\n)"},
	{'V', "Public(\n\nAdapter(\nInterfaces(Interface(ID(if0)Type(TCPInterface(",
	 "))))\n)\n" DT "\n)"},
	{'G',
	 "Public(\n\nAdapter(\nInterfaces(Interface(ID(if0)Type(MulticastUnicastInterface(Unicast("
	 "UDPInterface())Multicast(UDPMulticastInterface(",
	 "))))))\n)\n" DT "\n)"},
	{'N', "Public(\n\nAdapter(\n" BASE "\n)\nNode(", ")\n)"},
	{'D', "Public(\n\nAdapter(\n" BASE "\n)\nNode(DTBuddyList(", "))\n)"},
	{'C', "Public(\n\nAdapter(\n" BASE "\n)\nNode(DTBuddyList(Coords(", ")))\n)"},
	{'S',
	 "Public(\nRouteRecordSize(2)\nAdapter(\nInterfaces(" INTERFACE(PAIR) ")\n)\nNode(SPT(",
	 "))\n)"},
};

/* What became of the latest document. */
static struct {
	struct overlay_config c;
	struct np_fault fault;
	int rc;
	char notices[4096];
} t;

/* Writes <name> for "name(", and </name> for its ")". */
static char *xml(const char *text)
{
	char *out = malloc(ROOM), *at = out;
	const char *open[64], *name = text;
	size_t lengths[64], depth = 0;

	assert_non_null(out);
	for (const char *c = text; *c; c++) {
		assert_true((size_t)(at - out) < ROOM - 512);
		if (*c == '(') {
			const size_t length = (size_t)(c - name);

			assert_true(depth < COUNT(open));
			open[depth] = name;
			lengths[depth++] = length;
			at += sprintf(at - length, "<%.*s>", (int)length, name) - (int)length;
		} else if (*c == ')') {
			depth--;
			at += sprintf(at, "</%.*s>", (int)lengths[depth], open[depth]);
		} else {
			*at++ = *c;
			if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
				   "0123456789",
				   *c))
				continue;
		}
		name = c + 1;
	}
	*at = '\0';
	return out;
}

static char *document(const char *row)
{
	char *compact = malloc(ROOM), *text;
	size_t i = 0;

	assert_true(compact && row[1] == ':');
	while (places[i].where != row[0])
		assert_true(++i < COUNT(places));
	snprintf(compact, ROOM, "%s%s%s", places[i].before, row + 2, places[i].after);
	text = xml(compact);
	free(compact);
	return text;
}

static void try_text(const char *text)
{
	FILE *out = fmemopen(t.notices, sizeof(t.notices), "w");
	const struct np_log log = {.program = "t", .stream = out};

	assert_non_null(out);
	overlay_config_free(&t.c);
	memset(&t.c, 0xff, sizeof(t.c)); /* nothing of it is to stay */
	memset(t.notices, 0, sizeof(t.notices));
	t.fault = (struct np_fault){};
	t.rc = overlay_config_parse(&t.c, "o.xml", text, strlen(text), &log, &t.fault);
	fclose(out);
	/* Each line without what all have before it. */
	for (char *at = t.notices; (at = strstr(at, "t: warning: o.xml:"));)
		memmove(at, at + 18, strlen(at + 18) + 1);
}

static void try_row(const char *row)
{
	char *text = document(row);

	try_text(text);
	free(text);
}

static void accepted(const char *row)
{
	try_row(row);
	if (t.rc)
		fail_msg("%d, %s: %s of %.300s", t.rc, t.fault.object, t.fault.reason, row);
}

static void refused(const char *row, int error, unsigned line, const char *reason)
{
	char object[32];

	try_row(row);
	snprintf(object, sizeof(object), "o.xml:%u", line);
	if (t.rc != error || (line && strcmp(t.fault.object, object) != 0) ||
	    !strstr(t.fault.reason, reason))
		fail_msg("%d, %s: %s of %.300s", t.rc, t.fault.object, t.fault.reason, row);
}

/* Figures of a configuration by name, and what they are unless an element says so (DTBuddyList). */
#define F(member, usual)                                                                           \
	{                                                                                          \
#member, offsetof(struct overlay_config, member),                                  \
			sizeof(((struct overlay_config *)NULL)->member), usual                     \
	}
static const struct {
	const char *name;
	size_t offset, bytes;
	long long usual;
} figures[] = {
	F(node.protocol, OVERLAY_DT_BUDDIES),
	F(node.hash, 0),
	F(node.hop_limit, 255),
	F(node.route_records, 0),
	F(node.heartbeat_fast, 250 MS),
	F(node.heartbeat_slow, 2000 MS),
	F(node.timeout, 10000 MS),
	F(node.rendezvous, 2000 MS),
	F(node.adjacency_timeout, 0),
	F(node.age_max, 0),
	F(node.root_history, 0),
	F(node.route_cache, 0),
	F(node.jump_threshold, 0),
	F(node.any_neighbour, false),
	F(node.buddy_cache, 0),
	F(coords.fixed, false),
	F(coords.point.x, 0),
	F(coords.point.y, 0),
	F(coords.corner.x, 0),
	F(coords.corner.y, 0),
	F(coords.width, 10000),
	F(coords.height, 10000),
	F(message_buffer, 100),
	F(node.contact_count, 0),
	F(interface.active, true),
	F(interface.plan.kind, OVERLAY_UDP),
	F(interface.plan.any_port, true),
	F(interface.plan.realm, 0x7fd2),
	F(interface.plan.message_max, 8192),
	F(interface.plan.group_max, 8192),
	F(interface.plan.connect_timeout, 3000 MS),
	F(interface.plan.idle_max, 10000 MS),
	F(interface.plan.backlog, 50),
};

/* All that is not as usual: " name=value", times in milliseconds; then texts and addresses. */
static void describe(const struct overlay_config *c, char out[1024])
{
	const struct overlay_interface *i = &c->interface;
	size_t at = 0;

	out[0] = '\0';
	for (size_t f = 0; f < COUNT(figures); f++) {
		const void *where = (const char *)c + figures[f].offset;
		const bool is_time = figures[f].bytes == sizeof(np_time);
		const char *name = strrchr(figures[f].name, '.');
		const long long value = is_time			? *(const np_time *)where
					: figures[f].bytes == 4 ? *(const int32_t *)where
					: figures[f].bytes == 2 ? *(const uint16_t *)where
								: *(const bool *)where;

		if (value != figures[f].usual)
			at += (size_t)sprintf(out + at, " %s=%lld",
					      name ? name + 1 : figures[f].name,
					      is_time ? value / NP_MILLISECOND : value);
	}
#define TEXT(what, value, usual)                                                                   \
	if (strcmp(value, usual) != 0)                                                             \
	at += (size_t)sprintf(out + at, " " what "=%s", value)
	TEXT("id", i->id, "if0");
	TEXT("realm", i->realm, "lab");
	TEXT("device", i->plan.group_device, "");
	TEXT("local", np_address_literal(&i->plan.local).text, "127.0.0.1:9001");
	TEXT("group", np_address_literal(&i->plan.group).text, "224.228.19.78:9472");
	for (unsigned k = 0; k < c->node.contact_count && k < 3; k++) {
		const struct np_address to = overlay_address_endpoint(&c->contact[k]);

		assert_int_equal(c->contact[k].realm, i->plan.realm);
		TEXT("contact", np_address_literal(&to).text, "");
	}
}

/* Rows: the elements; what they make of the configuration; the notices. */
TEST(effects)
{
	static const struct {
		const char *row, *effect, *notices;
	} cases[] = {
		{"P:Public(Adapter(Interfaces(Interface(Type(UDPInterface()))))Node(DTBuddyList())"
		 ")",
		 " realm=53891 id=0 realm=public_internet local=0.0.0.0:0", ""},
		/* Every element of a node with buddies over TCP that is not at its default. */
		{"P:<?xml version=\"1.0\"?><!-- one --><Public xmlns:x=\"urn:x\" "
		 "x:at=\"1\">OverlayID(Overlay_DT_Test)"
		 "HashAttributes(/Public/OverlayID)HopLimit(9)RouteRecordSize( "
		 "2\n)ReceiveBuffer(ReceiveBufferSize(7))"
		 "ReadTimeout(1500)OverlayServer(None)Security(SecurityLevel(plaintext))"
		 "NetworkService(EnhancedDelivery(StartService(no)))Adapter(MessageBufferSize(1000)"
		 "Interfaces(Interface("
		 "ID(if1)PathPreferences(1,3)Active(TRUE)Type(TCPInterface(PhyAddr("
		 "INETV4AndOnePort(127.0.0.1:9002))"
		 "AddressRealm(lab)AllowRandomPhyAddrPort(No)MaximumPacketLength(200000)Timeout("
		 "1000)MaxIdleTime(20000)"
		 "MaxBacklog(51)))))" NUM("1") LIST(
			 "DT_BUDDYLIST", "2",
			 "Source(configuration)" AT("if1|127.0.0.1:9001") AT(
				 " lab % 127.0.0.1:9002 ")) ")Node(DTBuddyList(TimeoutTime(9000)"
							    "FastHeartbeatTime(200)"
							    "SlowHeartbeatTime(1000)"
							    "Verification(neighborCheck)"
							    "IAmHereTime(500)UsingDynamicBuddyList("
							    "true)UsingStaticBuddyList(true)"
							    "BuddyListName(DT_BUDDYLIST)"
							    "BuddyCacheSize(12)Coords(FIXED("
							    "coordinate(984,-4861)))))</Public>",
		 " hash=904622495 hop_limit=9 route_records=2 heartbeat_fast=200 "
		 "heartbeat_slow=1000 timeout=9000 rendezvous=500 any_neighbour=1 buddy_cache=12 "
		 "fixed=1 x=984 y=-4861 width=0 height=0 "
		 "message_buffer=1000 contact_count=2 kind=1 any_port=0 realm=32729 "
		 "message_max=200000 connect_timeout=1000 idle_max=20000 backlog=51 id=if1 "
		 "local=127.0.0.1:9002 contact=127.0.0.1:9001 contact=127.0.0.1:9002",
		 ""},
		{"V:", " kind=1 realm=53828 realm=public_internet local=0.0.0.0:0", ""},
		{"D:", "", ""},
		{"I:MulticastUnicastInterface()",
		 " kind=2 realm=39767 realm=public_internet local=0.0.0.0:0", ""},
		{"G:NetworkInterface(none)",
		 " kind=2 realm=39767 realm=public_internet local=0.0.0.0:0", ""},
		{"G:NetworkInterface(nonet)",
		 " kind=2 realm=39767 realm=public_internet device=nonet local=0.0.0.0:0", ""},
		{"G:MulticastAddress(INETV4AndOnePort(239.1.2.3:77))AllowRandomPhyAddrPort(no)"
		 "MaximumPacketLength(4096)"
		 "NetworkInterface(eth0)",
		 " kind=2 realm=39767 group_max=4096 realm=public_internet device=eth0 "
		 "local=0.0.0.0:0 group=239.1.2.3:77",
		 ""},
		{"P:Public(Adapter(Interfaces(" INTERFACE(PAIR) "))Node(DTBroadcast()))",
		 " protocol=1 rendezvous=250 fixed=1 x=500 y=500 width=0 height=0 kind=2 "
		 "realm=45027 local=10.9.0.1:9001",
		 ""},
		{"P:Public(Adapter(Interfaces(" INTERFACE(
			 PAIR) "))Node(DTBroadcast(BeaconTime(1000))))",
		 " protocol=1 rendezvous=1000 fixed=1 x=500 y=500 width=0 height=0 kind=2 "
		 "realm=45027 local=10.9.0.1:9001",
		 ""},
		{"S:",
		 " protocol=3 route_records=2 timeout=5000 rendezvous=1000 adjacency_timeout=20000 "
		 "age_max=5000 root_history=20000 route_cache=20000 jump_threshold=1 width=600 "
		 "height=1 kind=2 realm=45027 local=10.9.0.1:9001",
		 ""},
		{"S:BeaconTime(1)NeighborTimeout(2)AdjacencyTimeout(3)MsgMaxAge(4)"
		 "RootHistoryTimeout(5)RouteCacheTimeout(6)"
		 "JumpThreshold(0)TopologyPolicy(Cost)Coords(FIXED(coordinate(-5)))",
		 " protocol=3 route_records=2 timeout=2 rendezvous=1 adjacency_timeout=3 age_max=4 "
		 "root_history=5 route_cache=6 fixed=1 x=-5 width=0 height=0 kind=2 realm=45027 "
		 "local=10.9.0.1:9001",
		 ""},
		{"S:Coords(RANDOM(base(9)))",
		 " protocol=3 route_records=2 timeout=5000 rendezvous=1000 adjacency_timeout=20000 "
		 "age_max=5000 root_history=20000 route_cache=20000 jump_threshold=1 width=9 "
		 "height=1 kind=2 realm=45027 local=10.9.0.1:9001",
		 ""},
		{"N:NONE()", " protocol=2 width=0 height=0", ""},
		{"N:NONE(Neighbors( if0|127.0.0.1:9002;\n lab % 127.0.0.1:9003 ;))",
		 " protocol=2 width=0 height=0 contact_count=2 contact=127.0.0.1:9002 "
		 "contact=127.0.0.1:9003",
		 ""},
		{"C:RANDOM(frame(-10, 20,30,2147483627))", " x=-10 y=20 width=30 height=2147483627",
		 ""},
		{"C:RANDOM(base(77))", " width=77 height=77", ""},
		{"D:UsingDynamicBuddyList(yes)", " buddy_cache=10", ""},
		{"D:Verification(neighborcheck)", "", ""},
		/* Of two interfaces the first is not active; a list that is not used is said to be
		   so. */
		{"A:Interfaces(Interface(ID(a)Active(false)Type(UDPInterface()))\n" INTERFACE(
			 UDP("1.2.3.4:5")) ")",
		 " local=1.2.3.4:5", ""},
		{"P:Public(Adapter(" BASE NUM("1") LIST(
			 "DT_BUDDYLIST", "1",
			 AT("if0|1.2.3.4:5")) ")\nNode(DTBuddyList(UsingStaticBuddyList(false))))",
		 "", "1: <ConfiguredAddressList> \"DT_BUDDYLIST\" has no effect here\n"},
		{"L:" NUM("2") LIST("a", "1", AT("if0|1.2.3.4:1"))
			 LIST("a", "1", AT("if0|1.2.3.4:1")),
		 "",
		 "4: <ConfiguredAddressList> \"a\" has no effect here\n"
		 "4: <ConfiguredAddressList> \"a\" has no effect here\n"},
		{"D:UsingStaticBuddyList(no)BuddyListName(B)", "", ""},
		{"T:Log4J(\nDeep(er()))", "", "2: <Log4J> has no effect in <Public>\n"},
		{"D:\n\nHop(1)", "", "8: <Hop> has no effect in <DTBuddyList>\n"},
		{"U:StatName(X)", " realm=53891 realm=public_internet local=0.0.0.0:0",
		 "4: <StatName> has no effect in <UDPInterface>\n"},
		{"P:Public(Adapter(Interfaces(" INTERFACE(
			 PAIR) "))Node(DTBroadcast(IAmHereTime(3))))",
		 " protocol=1 rendezvous=250 fixed=1 x=500 y=500 width=0 height=0 kind=2 "
		 "realm=45027 local=10.9.0.1:9001",
		 "1: <IAmHereTime> has no effect in <DTBroadcast>\n"},
		/* Each once, in the order of the file. */
		{"P:Public(\nOverlayID(a)<HopLimit xmlns=\"c\" d:e=\"f\" "
		 "a=\"b\">9</HopLimit>Other()\nAdapter(" BASE ")Node(DTBuddyList("
		 "<CacheFile d=\"e\" >x</CacheFile>)))",
		 " hop_limit=9",
		 "2: <HopLimit>: its attributes are ignored\n"
		 "2: <Other> has no effect in <Public>\n"
		 "3: <CacheFile> has no effect in <DTBuddyList>\n"},
		/* The hash: what is absent counts by its default, and Node by its child. */
		{"T:OverlayID(Overlay_DT_Test)HashAttributes(/Public/OverlayID,/Public/Security/"
		 "SecurityLevel,/Public/Node)",
		 " hash=2081811455", ""},
		{"T:Security(SecurityLevel(plaintext))OverlayID(Overlay_<!-- "
		 "-->DT_<![CDATA[Test]]>)HashAttributes(/Public/OverlayID,/Public/Security/"
		 "SecurityLevel,/Public/Node)",
		 " hash=2081811455", ""},
		{"T:OverlayID(Overlay_DT_Test)HashAttributes()", "", ""},
		{"T:OverlayID(Overlay_DT_Test)", "", ""},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char effect[1024];

		accepted(cases[i].row);
		describe(&t.c, effect);
		assert_string_equal(effect, cases[i].effect);
		assert_string_equal(t.notices, cases[i].notices);
	}
}

/* The least and the most of numbers. */
TEST(numbers)
{
	static const struct {
		const char *row;
		long long least, most;
	} cases[] = {
		{"T:HopLimit(%lld)", 1, 255},
		{"T:RouteRecordSize(%lld)", 0, 255},
		{"T:ReadTimeout(%lld)", 0, 86400000},
		{"T:ReceiveBuffer(ReceiveBufferSize(%lld))", 1, 1000000},
		{"L:MessageBufferSize(%lld)", 1, 1000000},
		{"D:FastHeartbeatTime(%lld)", 1, 2000},
		{"D:SlowHeartbeatTime(%lld)", 250, 9999},
		{"D:TimeoutTime(%lld)", 2001, 86400000},
		{"D:IAmHereTime(%lld)", 1, 86400000},
		{"D:BuddyCacheSize(%lld)", 0, OVERLAY_CONTACTS_MAX},
		{"S:BeaconTime(%lld)", 1, 4999},
		{"S:NeighborTimeout(%lld)", 1001, 20000},
		{"S:AdjacencyTimeout(%lld)", 5000, 86400000},
		{"S:MsgMaxAge(%lld)", 1001, 20000},
		{"S:RootHistoryTimeout(%lld)", 5000, 86400000},
		{"S:RouteCacheTimeout(%lld)", 1, 86400000},
		{"S:JumpThreshold(%lld)", 0, 10000},
		{"S:Coords(RANDOM(base(%lld)))", 2, INT32_MAX},
		{"S:Coords(FIXED(coordinate(%lld)))", INT32_MIN, INT32_MAX},
		{"C:RANDOM(base(%lld))", 2, INT32_MAX},
		{"C:FIXED(coordinate(%lld,0))", INT32_MIN, INT32_MAX},
		{"C:RANDOM(frame(1,2147483647,%lld,1))", 1, INT32_MAX},
		{"C:RANDOM(frame(2147483647,1,1,%lld))", 1, INT32_MAX},
		{"C:RANDOM(frame(%lld,-5,3,2))", INT32_MIN, INT32_MAX - 2},
		{"C:RANDOM(frame(-5,%lld,2,3))", INT32_MIN, INT32_MAX - 2},
		{"U:MaximumPacketLength(%lld)", 512, 65507},
		{"V:MaximumPacketLength(%lld)", 512, 16777216},
		{"V:Timeout(%lld)", 1, 86400000},
		{"V:MaxIdleTime(%lld)", 1, 86400000},
		{"V:MaxBacklog(%lld)", 1, 65535},
		{"U:PhyAddr(INETV4AndOnePort(10.0.0.1:%lld))", 0, 65535},
		{"N:NONE(Neighbors(if0|1.2.3.4:%lld))", 1, 65535},
		{"N:NONE(Neighbors(if0|0.0.0.%lld:1))", 1, 255},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const long long least = cases[i].least, most = cases[i].most;
		const long long values[] = {least, most, least - 1, most + 1};

		for (unsigned v = 0; v < 4; v++) {
			char row[128];

			snprintf(row, sizeof(row), cases[i].row, values[v]);
			if (v < 2)
				accepted(row);
			else
				refused(row, -EINVAL, 0, "expected");
		}
	}
}

/* A list of the numbers from 1 to @count, each in @format, between @before and @after. */
static char *many(const char *before, const char *format, unsigned count, const char *after)
{
	char *text = malloc(ROOM);
	size_t at;

	assert_non_null(text);
	at = (size_t)sprintf(text, "%s", before);
	for (unsigned i = 1; i <= count; i++)
		at += (size_t)snprintf(text + at, ROOM - at, format, i, i);
	snprintf(text + at, ROOM - at, "%s", after);
	return text;
}

#define CLOSE "</a></a></a></a>"

/* How many of a thing are taken, and what is said of one more: rows as in many(). */
TEST(as_many_as)
{
	static const struct {
		const char *before, *format;
		unsigned most;
		const char *after;
		int error;
		const char *reason;
	} cases[] = {
		{"N:NONE(Neighbors(", "if0|10.0.0.1:%u;", OVERLAY_CONTACTS_MAX, "))", -E2BIG,
		 "one too many; expected at most 4096"},
		{"L:" NUM("3") LIST("DT_BUDDYLIST", "1", AT("if0|1.2.3.4:5"))
			 LIST("a", "1", AT("if0|1.2.3.4:5")) "ConfiguredAddressList(Name(b)"
							     "InterfaceAddressNum(4096)",
		 AT("if0|1.2.3.4:%u"), OVERLAY_CONTACTS_MAX, ")", -E2BIG,
		 "one too many; expected at most 4096"},
		{"L:" NUM("16"), LIST("n%u", "1", AT("if0|1.2.3.4:%u")), OVERLAY_LISTS_MAX, "",
		 -EINVAL, "ConfiguredAddressListNum is 16 with 17"},
		{"H:/Public/HopLimit", ",/Public/HopLimit", 63, "", -E2BIG, "at most 64 paths of"},
		/* What is before the last value: /Public/HopLimit=255&/Public/OverlayID= */
		{"T:HashAttributes(/Public/HopLimit,/Public/OverlayID)OverlayID(", "a", 65536 - 20,
		 ")", -E2BIG, "over 65536 bytes"},
		{"T:", "<a>", 15, CLOSE CLOSE CLOSE "</a></a></a>", -E2BIG, "at most 16 levels"},
		/* Public, Adapter, Interfaces, Interface, ID, Type, UDPInterface, PhyAddr,
		 * INETV4AndOnePort, AddressRealm, Node, DTBuddyList */
		{"T:", "<a/>", NP_XML_ELEMENTS_MAX - 12, "", -E2BIG, "at most 20000"},
		{"U:AddressRealm(", "a", OVERLAY_NAME - 1, ")", -EINVAL, "expected a name"},
		{"T:HopLimit(", "0", 254, "1)", -EINVAL, "expected a whole number"},
		{"G:NetworkInterface(", "a", IF_NAMESIZE - 1, ")", -EINVAL,
		 "of at most 15 characters"},
		/* With the blanks that are cut off: there is room for 95 characters, of each
		   address. */
		{"N:NONE(Neighbors(if0|1.2.3.5:1;if0", " ", 82, "|1.2.3.4:1))", -EINVAL,
		 "an address of 96 characters"},
		{"N:NONE(Neighbors(if0", " ", 82, "|1.2.3.4:1;if0|1.2.3.5:1))", -EINVAL,
		 "an address of 96 characters"},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		for (unsigned more = 0; more < 2; more++) {
			char *row = many(cases[i].before, cases[i].format, cases[i].most + more,
					 cases[i].after);

			if (more)
				refused(row, cases[i].error, 0, cases[i].reason);
			else
				accepted(row);
			free(row);
		}
	}
}

/* What is wrong: where, why, and what is right. */
TEST(refusals)
{
	static const char systems[] = "expected DTBuddyList, DTBroadcast, SPT or NONE";
	static const struct {
		const char *row;
		int error;
		unsigned line;
		const char *reason, *expected; /* the latter's text is anywhere in it */
	} cases[] = {
		{"N:DTServer()", -EOPNOTSUPP, 6, "<DTServer>: not supported", systems},
		{"N:HC()", -EOPNOTSUPP, 6, "<HC>: not supported", systems},
		{"N:Pastry()", -EOPNOTSUPP, 6, "<Pastry>: not supported", systems},
		{"N:CT()", -EOPNOTSUPP, 6, "<CT>: not supported", systems},
		{"N:BC()", -EOPNOTSUPP, 6, "<BC>: not supported", systems},
		{"N:BC_Container()", -EOPNOTSUPP, 6, "<BC_Container>: not supported", systems},
		{"N:CSA_Container()", -EOPNOTSUPP, 6, "<CSA_Container>: not supported", systems},
		{"N:Chord()", -EOPNOTSUPP, 6, "<Chord>: not supported in <Node>", systems},
		{"I:SSLInterface()", -EOPNOTSUPP, 4, "<SSLInterface>: not",
		 "expected UDPInterface, TCPInterface or Mul"},
		{"I:BluetoothInterface()", -EOPNOTSUPP, 4, "<Bluetooth",
		 "expected UDPInterface, TCPInterface or Mul"},
		{"I:UDPMulticastInterface()", -EOPNOTSUPP, 4, "<UDPMulticastInterface>",
		 "or MulticastUnicastInterface"},
		{"I:SCTPInterface()", -EOPNOTSUPP, 4, "<SCTPInterface>: not",
		 "expected UDPInterface, TCPInterface or Mul"},
		{"U:PhyAddr(INETV6AndOnePort())", -EOPNOTSUPP, 4, "<INETV6AndOnePort>",
		 "expected INETV4AndOnePort"},
		{"T:Security(\nSecurityLevel(privacy))", -EOPNOTSUPP, 3,
		 "<SecurityLevel>: \"privacy\"", "expected plaintext"},
		{"T:NetworkService(EnhancedDelivery(StartService(yes)))", -EOPNOTSUPP, 2,
		 "<StartService>: \"yes\"", "expected no"},
		{"T:OverlayServer(HTTP)", -EOPNOTSUPP, 2, "<OverlayServer>: \"HTTP\"",
		 "expected None"},
		{"T:OverlayServer(HTTP())", -EINVAL, 2, "<OverlayServer>: holds the element <HTTP>",
		 ""},
		{"T:OverlayServer(None()None())", -EINVAL, 2,
		 "<OverlayServer>: holds the element <None>", ""},
		{"T:HopLimit(0)", -EINVAL, 2, "<HopLimit>: \"0\"",
		 "expected a whole number from 1 to 255"},
		{"T:HopLimit(0x10)", -EINVAL, 2, "<HopLimit>: \"0x10\"", "whole number"},
		{"T:HopLimit()", -EINVAL, 2, "<HopLimit>: \"\"", "whole number"},
		{"T:\nHopLimit(\na())", -EINVAL, 3, "<HopLimit>: holds the element <a>",
		 "expected a whole number"},
		{"T:HopLimit(2)\nHopLimit(2)", -EINVAL, 3,
		 "<HopLimit>: given twice, first on line 2", "expected once"},
		{"T:ReadTimeout(1s)", -EINVAL, 2, "<ReadTimeout>: \"1s\"",
		 "expected a number of milliseconds from 0 to"},
		{"T:OverlayID(a())", -EINVAL, 2, "<OverlayID>: holds", "expected a name"},
		{"D:\nTimeoutTime(12x)", -EINVAL, 7, "<TimeoutTime>: \"12x\"",
		 "milliseconds from 1 to 86400000"},
		{"D:TimeoutTime(2000)", -EINVAL, 6,
		 "<DTBuddyList>: TimeoutTime 2000 is not longer than SlowHeartbeatTime 2000",
		 "expected more"},
		{"D:FastHeartbeatTime(2001)", -EINVAL, 6,
		 "<DTBuddyList>: SlowHeartbeatTime 2000 is less than", "expected at least as much"},
		{"D:text", -EINVAL, 6, "<DTBuddyList>: holds the text \"text\"",
		 "expected elements only"},
		{"D:UsingDynamicBuddyList(y)", -EINVAL, 6, "<UsingDynamicBuddyList>: \"y\"",
		 "expected yes or no"},
		{"D:UsingDynamicBuddyList(1)", -EINVAL, 6, "", "expected yes or no"},
		{"D:UsingDynamicBuddyList()", -EINVAL, 6, "", "expected yes or no"},
		{"D:UsingDynamicBuddyList(yes no)", -EINVAL, 6, "", "expected yes or no"},
		{"D:UsingDynamicBuddyList(yes())", -EINVAL, 6, "", "expected yes or no"},
		{"D:Verification(Neighborcheck)", -EINVAL, 6, "<Verification>: \"Neighborcheck\"",
		 "expected neighborcheck"},
		{"D:BuddyListName(L)", -EINVAL, 6,
		 "<BuddyListName>: no <ConfiguredAddressList> has the Name \"L\"", "expected one"},
		{"D:UsingStaticBuddyList(no)BuddyListName(B())", -EINVAL, 6,
		 "<BuddyListName>: holds", "expected a name"},
		{"N:NONE()\nSPT()", -EINVAL, 7, "<SPT>: second element of <Node>", "expected one"},
		{"N:", -EINVAL, 6, "<Node>: is empty", "expected DTBuddyList"},
		{"P:Public(\nAdapter(" BASE "))", -EINVAL, 1, "<Public>: no <Node>",
		 "expected one"},
		{"P:Public(Node(NONE()))", -EINVAL, 1, "<Public>: no <Adapter>", "expected"},
		{"A:", -EINVAL, 3, "<Adapter>: no active interface", "expected an <Interface>"},
		{"N:DTBroadcast()", -EINVAL, 6, "<DTBroadcast>: needs a multicast group",
		 "an active interface of the Type MulticastUnicastInterface"},
		{"N:SPT()", -EINVAL, 6, "<SPT>: needs a multicast group", "expected"},
		{"P:Public(Adapter(Interfaces(" INTERFACE(PAIR) "))Node(SPT()))", -EINVAL, 1,
		 "<SPT>: messages go", "expected <RouteRecordSize>2</RouteRecordSize>"},
		/* Times with which a spanning tree never settles. */
		{"N:\nSPT(BeaconTime(5000))", -EINVAL, 7,
		 "<SPT>: NeighborTimeout 5000 is not longer than BeaconTime 5000", "expected more"},
		{"N:\nSPT(AdjacencyTimeout(4999))", -EINVAL, 7,
		 "<SPT>: AdjacencyTimeout 4999 is less than NeighborTimeout 5000", "as much"},
		{"N:\nSPT(MsgMaxAge(1000))", -EINVAL, 7,
		 "<SPT>: MsgMaxAge 1000 is not longer than BeaconTime 1000", "every root is lost"},
		{"N:\nSPT(RootHistoryTimeout(4999))", -EINVAL, 7,
		 "<SPT>: RootHistoryTimeout 4999 is less than MsgMaxAge 5000", "come back"},
		{"N:\nSPT(TopologyPolicy(Hops))", -EOPNOTSUPP, 7, "<TopologyPolicy>",
		 "expected Cost"},
		{"C:USE_GEO()", -EOPNOTSUPP, 6, "<USE_GEO>", "expected FIXED or RANDOM"},
		{"C:FIXED(coordinate(0,0))", -EINVAL, 6, "<coordinate>: 0,0 means no address",
		 "expected another x,y"},
		{"C:FIXED(coordinate(500))", -EINVAL, 6, "<coordinate>: \"500\"", "expected x,y"},
		{"C:FIXED(coordinate(1,2,3))", -EINVAL, 6, "<coordinate>: \"1,2,3\"",
		 "expected x,y"},
		{"C:FIXED(coordinate(1,2.5))", -EINVAL, 6, "<coordinate>: \"1,2.5\"",
		 "expected x,y"},
		{"C:FIXED(x(1))", -EOPNOTSUPP, 6, "<x>: not supported in <FIXED>",
		 "expected <coordinate>x,y</coordinate>"},
		{"C:RANDOM(frame(1,1,0,5))", -EINVAL, 6, "<frame>: 1,1,0,5", "at least 1"},
		{"C:RANDOM(frame(2147483647,1,2,5))", -EINVAL, 6, "<frame>", "below 2147483648"},
		{"C:RANDOM(frame(0,0,1,1))", -EINVAL, 6, "<frame>: holds only 0,0",
		 "expected more"},
		{"C:RANDOM(frame(0,0,2))", -EINVAL, 6, "<frame>: \"0,0,2\"",
		 "expected x,y,width,height"},
		{"C:RANDOM(frame(1 1,0,1,1))", -EINVAL, 6, "<frame>", "expected x,y,width,height"},
		{"C:RANDOM(frame(- 1,0,1,1))", -EINVAL, 6, "<frame>", "expected x,y,width,height"},
		{"C:RANDOM(base(1))", -EINVAL, 6, "<base>: 1", "from 2 up"},
		{"C:RANDOM()", -EINVAL, 6, "<RANDOM>: is empty", "expected <base>"},
		{"S:Coords(FIXED(coordinate(0)))", -EINVAL, 6, "<coordinate>: 0 means",
		 "expected another number"},
		{"S:Coords(RANDOM(frame(1,2,3,4)))", -EOPNOTSUPP, 6, "<frame>",
		 "expected <base>number</base>"},
		/* Lists of addresses, and neighbours: by the ID, and by the realm, each only with
		   its sign. */
		{"L:" NUM("1") LIST("a", "1", "\n" AT("127.0.0.1:1")), -EINVAL, 5,
		 "<InterfaceAddress>: \"127.0.0.1:1\"", "expected " OVERLAY_ADDRESS_FORM},
		{"L:" NUM("1") LIST("a", "1", AT("if0|localhost:1")), -EINVAL, 4,
		 "<InterfaceAddress>", "expected " OVERLAY_ADDRESS_FORM},
		{"L:" NUM("1") LIST("a", "1", AT("if1|1.2.3.4:7")), -EINVAL, 4,
		 "<InterfaceAddress>: \"if1|1.2.3.4:7\": no active interface has the ID \"if1\"",
		 "expected one of those in <Interfaces>"},
		{"L:" NUM("1") LIST("a", "1", AT("if0 % 1.2.3.4:7")), -EINVAL, 4,
		 "<InterfaceAddress>", "no active interface has the realm \"if0\""},
		{"L:" NUM("1") LIST("a", "1", AT("if0|1.2.3.4:0")), -EINVAL, 4,
		 "<InterfaceAddress>", "a port from 1"},
		{"L:" NUM("1") LIST("a", "2", AT("if0|1.2.3.4:7")), -EINVAL, 4,
		 "<ConfiguredAddressList>",
		 "expected <InterfaceAddressNum>1</InterfaceAddressNum>"},
		{"L:" LIST("a", "0", ""), -EINVAL, 3,
		 "<Adapter>: ConfiguredAddressListNum is 0 with 1",
		 "expected <ConfiguredAddressListNum>1</"},
		{"L:" NUM("2") LIST("DT_BUDDYLIST", "0", "") "\n" LIST("DT_BUDDYLIST", "0", ""),
		 -EINVAL, 5, "<ConfiguredAddressList>: second list", "expected one"},
		{"L:" NUM("2") LIST("DT_BUDDYLIST", "1", AT("if0|1.2.3.4:1"))
			 LIST("b", "1", AT("if1|1.2.3.4:1")),
		 -EINVAL, 4, "<InterfaceAddress>", "has the ID \"if1\""},
		{"L:" NUM("1") "ConfiguredAddressList(Source(server))", -EOPNOTSUPP, 4,
		 "<Source>: \"server\"", "expected configuration"},
		{"N:NONE(Neighbors(if0|1.2.3.4))", -EINVAL, 6, "<Neighbors>: \"if0|1.2.3.4\"",
		 "expected " OVERLAY_ADDRESS_FORM},
		{"N:NONE(Neighbors(if0|1.2.3.4:1;;if0|1.2.3.4:2))", -EINVAL, 6, "<Neighbors>: \"\"",
		 "expected " OVERLAY_ADDRESS_FORM},
		{"N:NONE(Neighbors(a()))", -EINVAL, 6, "<Neighbors>: holds the element <a>",
		 "expected " OVERLAY_ADDRESS_FORM},
		{"N:NONE(Neighbors(lab|1.2.3.4:1))", -EINVAL, 6, "<Neighbors>", "the ID \"lab\""},
		{"N:NONE(Neighbors(if0%1.2.3.4:1))", -EINVAL, 6, "<Neighbors>",
		 "the realm \"if0\""},
		/* Interfaces. */
		{"U:AllowRandomPhyAddrPort(No)", -EINVAL, 4, "<Interface>: its port is 0",
		 "expected a port in PhyAddr"},
		{"U:NetworkInterface(eth0)", -EOPNOTSUPP, 4, "<NetworkInterface>: \"eth0\"",
		 "expected none"},
		{"U:AddressRealm(l\xc3\xa4)", -EINVAL, 4, "<AddressRealm>",
		 "expected a name of printable ASCII"},
		{"U:AddressRealm(a\x7f)", -EINVAL, 4, "<AddressRealm>", "printable ASCII"},
		{"U:AddressRealm(a\nb)", -EINVAL, 4, "<AddressRealm>", "printable ASCII"},
		{"A:Interfaces(Interface())", -EINVAL, 4, "<Interface>: no <Type>",
		 "expected one with UDPInterface"},
		{"A:Interfaces(" INTERFACE("UDPInterface()") "\n" INTERFACE("UDPInterface()") ")",
		 -EOPNOTSUPP, 5, "<Interface>: a second active interface",
		 "expected <Active>false</Active> in all but one"},
		{"A:Interfaces(Interface(Active(no)Type(UDPInterface())))", -EINVAL, 4,
		 "<Interfaces>: no active interface", "expected an <Interface>"},
		/* An inactive pair is no group. */
		{"P:Public(Adapter(Interfaces(Interface(ID(a)Active(no)Type(" PAIR
		 "))" INTERFACE(UDP("1.2.3.4:5")) "))Node(DTBroadcast()))",
		 -EINVAL, 1, "<DTBroadcast>: needs a multicast group", ""},
		{"I:MulticastUnicastInterface(Unicast(" UDP("1.2.3.4:5") "))", -EINVAL, 4,
		 "<MulticastUnicastInterface>: AddressRealm \"lab\"", "expected the same in both"},
		{"A:Interfaces(Interface(PathPreferences(1)))", -EINVAL, 4,
		 "<PathPreferences>: \"1\"", "expected two numbers"},
		{"G:MulticastAddress(INETV4AndOnePort(223.255.255.255:1))", -EINVAL, 4,
		 "<MulticastAddress>: no multicast group", "expected 224.0.0.0 to"},
		{"G:MulticastAddress(INETV4AndOnePort(240.0.0.0:1))", -EINVAL, 4,
		 "<MulticastAddress>: no multicast group", ""},
		{"G:MulticastAddress(INETV4AndOnePort(224.0.0.1:0))", -EINVAL, 4,
		 "<MulticastAddress>: no multicast group", ""},
		/* Paths and texts that have no hash. */
		{"H:OverlayID", -EINVAL, 2, "<HashAttributes>: \"OverlayID\"",
		 "expected paths as /Public/OverlayID, separated by commas alone"},
		{"H:/Public/OverlayID, /Public/Node", -EINVAL, 2, "<HashAttributes>: holds blanks",
		 "expected paths as"},
		{"H:/Public/OverlayID,", -EINVAL, 2, "<HashAttributes>: \"\"", "expected paths as"},
		{"H:,/Public/OverlayID", -EINVAL, 2, "<HashAttributes>: \"\"", "expected paths as"},
		{"H:/Public//OverlayID", -EINVAL, 2, "<HashAttributes>", "expected paths as"},
		{"H:/Public/", -EINVAL, 2, "<HashAttributes>", "expected paths as"},
		{"H:/Public", -EINVAL, 2, "<HashAttributes>", "expected paths as"},
		{"H:/Public/OverlayID/", -EINVAL, 2, "<HashAttributes>", "expected paths as"},
		{"H:/Public/OverlayID,,/Public/HopLimit", -EINVAL, 2, "<HashAttributes>",
		 "expected paths as"},
		{"H:/Public/Nothing", -EINVAL, 2,
		 "<HashAttributes>: \"/Public/Nothing\" is not in this file",
		 "expected paths of its"},
		{"H:<a/>", -EINVAL, 2, "<HashAttributes>: holds elements", ""},
		{"H:/Public/\xc3\xa4", -EINVAL, 2, "<HashAttributes>", "expected ASCII"},
		{"H:/Public/Adapter/Interfaces/Interface/Type/UDPInterface", -EINVAL, 4,
		 "<UDPInterface>: is in HashAttributes", "expected a text, or one element"},
		{"P:Public(HashAttributes(/Public/Node)Adapter(" BASE ")\nNode( NONE()))", -EINVAL,
		 2, "<Node>: is in HashAttributes", "<Node><NONE>...</NONE></Node>"},
		{"T:OverlayID(\xc3\xa4)\nHashAttributes(/Public/OverlayID)", -EINVAL, 2,
		 "<OverlayID>: is in HashAttributes", "expected ASCII"},
		{"T:b()a()c()a()HashAttributes(/Public/a)", -EINVAL, 2, "",
		 "there are several <a>"},
		{"T:a(b()c())HashAttributes(/Public/a)", -EINVAL, 2, "<a>", "or one element"},
		{"T:a(b()<!-- -->)HashAttributes(/Public/a)", -EINVAL, 2, "<a>", "or one element"},
		{"T:a(<?x?>b())HashAttributes(/Public/a)", -EINVAL, 2, "<a>", "or one element"},
		{"T:a(b()c)HashAttributes(/Public/a)", -EINVAL, 2, "<a>", "or one element"},
		{"T:a(\x7f\xc2\x80)HashAttributes(/Public/a)", -EINVAL, 2, "<a>", "expected ASCII"},
		/* Not our XML. */
		{"P:", -EINVAL, 1, "no element found", ""},
		{"P:<Public>\n<Node>\n</Public>", -EINVAL, 3, "mismatched tag", ""},
		{"P:config()", -EINVAL, 1, "<config>: no configuration", "expected <Public>"},
		{"P:\n<!DOCTYPE Public [<!ENTITY a SYSTEM \"/etc/passwd\">]>Public(&a;)", -EINVAL,
		 2, "a document type", "expected a configuration without one"},
		{"P:Public(\nOverlayID(&a;))", -EINVAL, 2, "undefined entity", ""},
		{"T:text", -EINVAL, 1, "<Public>: holds the text \"text", ""},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		refused(cases[i].row, cases[i].error, cases[i].line, cases[i].reason);
		refused(cases[i].row, cases[i].error, cases[i].line, cases[i].expected);
	}
}

/* What is just right: words in either case, blanks around, the first and the last of a range. */
TEST(just_right)
{
	struct unit_texts rows = {
		.rest = "D:UsingDynamicBuddyList(yes)|D:UsingDynamicBuddyList(NO)|"
			"D:UsingDynamicBuddyList(True)|D:UsingDynamicBuddyList(fALSE)|"
			"D:UsingDynamicBuddyList( yes\n)|T:OverlayServer(NONE())|"
			"U:AddressRealm(a ~!z)|C:FIXED(coordinate(0,5))|C:RANDOM(frame(1,0,1,1))|"
			"C:RANDOM(frame(0,1,1,1))|C:RANDOM(frame(0,0,2,1))|"
			"C:RANDOM(frame(0,0,1,2))|C:RANDOM(frame( 1 ,\t0\n,1 , 1 ))|"
			"G:MulticastAddress(INETV4AndOnePort(224.0.0.0:1))|"
			"G:MulticastAddress(INETV4AndOnePort(239.255.255.255:65535))|"
			"U:AllowRandomPhyAddrPort(no)PhyAddr(INETV4AndOnePort(1.2.3.4:5))|"
			"N:NONE(Neighbors( ))|T:a()b()HashAttributes(/Public/a)|"
			"T:a(b())HashAttributes(/Public/a)|T:a(b(c))HashAttributes(/Public/a/b)|"
			"T:a(\x7f)HashAttributes(/Public/a)|T:<!-- text --><?text?>|"
			"U:PhyAddr(INETV4AndOnePort(255.255.255.255:1))|"
			"U:PhyAddr(INETV4AndOnePort( \t0.0.0.0:0\r\n))"};
	struct unit_texts no_endpoints = {
		.rest = "255.255.255.2555:1|1.2.3.4:1x|1.2.3.4 :1|1.2.3:1|:1|1.2.3.4:|1.2.3.4:-1|"
			"127.0.0.1|1111111111111111111111111111111111111111111111111111:1|"
			"1.2.3.4:1:1|10.0.0.1a:80|1.2.3.4:80..80|1.2.3.4:80..0080|1.2.3.4..4:80|"
			"0::ffff:1.2.3.4|*:80|1.2.3.4:1 1.2.3.4:2"};

	while (unit_next(&rows))
		accepted(rows.text);
	accepted("N:NONE(Neighbors(lab%1.2.3.4:1;if0|1.2.3.4:1))");
	while (unit_next(&no_endpoints)) {
		char row[192];

		snprintf(row, sizeof(row), "U:PhyAddr(INETV4AndOnePort(%s))", no_endpoints.text);
		refused(row, -EINVAL, 4, "expected a.b.c.d:port, port 0 to 65535");
	}
}

static uint32_t hash_of(const char *row)
{
	accepted(row);
	return t.c.node.hash;
}

/* An element that is absent has the hash of its default, and another value another hash. */
TEST(hashes)
{
	static const struct {
		const char *path, *absent, *same, *other;
	} cases[] = {
		{"/Public/OverlayID", "", "OverlayID()", "OverlayID(a)"},
		{"/Public/HopLimit", "", "HopLimit(255)", "HopLimit(254)"},
		{"/Public/RouteRecordSize", "", "RouteRecordSize(0)", "RouteRecordSize(00)"},
		{"/Public/ReadTimeout", "", "ReadTimeout(0)", "ReadTimeout(5)"},
		{"/Public/ReceiveBuffer/ReceiveBufferSize", "",
		 "ReceiveBuffer(ReceiveBufferSize(200))", "ReceiveBuffer(ReceiveBufferSize(201))"},
		{"/Public/OverlayServer", "", "OverlayServer(None)", "OverlayServer(none)"},
		{"/Public/OverlayServer", "", "OverlayServer(None())", "OverlayServer(none())"},
		{"/Public/Security/SecurityLevel", "", "Security(SecurityLevel(plaintext))",
		 "Security(SecurityLevel(PlainText))"},
		{"/Public/NetworkService/EnhancedDelivery/StartService", "",
		 "NetworkService(EnhancedDelivery(StartService(no)))",
		 "NetworkService(EnhancedDelivery(StartService(No)))"},
	};
	char rows[3][256];

	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *const in[] = {cases[i].absent, cases[i].same, cases[i].other};

		for (unsigned k = 0; k < 3; k++)
			snprintf(rows[k], sizeof(rows[k]), "T:HashAttributes(%s)%s", cases[i].path,
				 in[k]);
		assert_int_equal(hash_of(rows[0]), hash_of(rows[1]));
		assert_int_not_equal(hash_of(rows[0]), hash_of(rows[2]));
	}
#define BUFFER                                                                                     \
	"P:Public(HashAttributes(/Public/Adapter/MessageBufferSize)Adapter(" BASE "%s)" DT ")"
	snprintf(rows[0], sizeof(rows[0]), BUFFER, "");
	snprintf(rows[1], sizeof(rows[1]), BUFFER, "MessageBufferSize(100)");
	assert_int_equal(hash_of(rows[0]), hash_of(rows[1]));
	/* The order counts, and what several have. */
	assert_int_not_equal(hash_of("H:/Public/HopLimit,/Public/OverlayID"),
			     hash_of("H:/Public/OverlayID,/Public/HopLimit"));
}

/* The template holds the defaults, and a stream that fails is told. */
TEST(template)
{
	struct page *page = page_open();
	char effect[1024];
	FILE *full;

	assert_int_equal(np_overlay_print_template(page->out), 0);
	assert_int_equal(fflush(page->out), 0);
	try_text(page->text);
	page_close(page);
	assert_int_equal(t.rc, 0);
	describe(&t.c, effect);
	assert_string_equal(effect, " realm=53891 id=0 realm=public_internet local=0.0.0.0:0");
	assert_string_equal(t.notices, "");
	full = fopen("/dev/full", "w");
	if (full) {
		assert_int_equal(np_overlay_print_template(full), -ENOSPC);
		fclose(full);
	}
}

/* All addresses of a long list are kept, in their order, also behind lists that are not used. */
TEST(long_lists)
{
	char *row = many("P:Public(Adapter(" BASE NUM("2")
				 LIST("a", "1", AT("if0|1.2.3.4:5")) "ConfiguredAddressList(Name(B)"
								     "InterfaceAddressNum(4096)",
			 AT("if0|10.0.0.1:%u"), OVERLAY_CONTACTS_MAX,
			 "))Node(DTBuddyList(BuddyListName(B))))");

	accepted(row);
	free(row);
	assert_int_equal(t.c.node.contact_count, OVERLAY_CONTACTS_MAX);
	for (unsigned i = 0; i < OVERLAY_CONTACTS_MAX; i++) {
		const struct overlay_address wanted =
			overlay_address_ipv4(0x0a000001, (uint16_t)(i + 1), 0x7fd2);

		assert_true(overlay_address_equal(&t.c.contact[i], &wanted));
	}
}

/* A text that arrives in many pieces, and a name of a file that is longer than a fault's room. */
TEST(long_texts)
{
	static const char path[] = "/Public/OverlayID=";
	char *row = many("T:HashAttributes(/Public/OverlayID)OverlayID(", "\n", 5000, ")");
	char file[401], id[sizeof(path) + 5000];

	memset(id, '\n', sizeof(id));
	memcpy(id, path, sizeof(path) - 1);
	assert_int_equal(hash_of(row), overlay_hash(0, id, sizeof(id) - 1));
	free(row);
	memset(file, 'f', 400);
	file[400] = '\0';
	assert_int_equal(overlay_config_parse(&t.c, file, "<Public/>", 9, NULL, &t.fault), -EINVAL);
	assert_string_equal(t.fault.object + strlen(t.fault.object) - 3, "f:1");
	overlay_config_free(&t.c);
}

/* From a file, of as many bytes as may be, and of one more. */
TEST(files)
{
	char name[] = "/tmp/overlay-config-XXXXXX", *text = document("N:NONE()");
	FILE *out = fdopen(mkstemp(name), "w");

	assert_non_null(out);
	fprintf(out, "%-*s", (int)NP_XML_BYTES_MAX, text);
	text = realloc(text, NP_XML_BYTES_MAX + 2);
	assert_non_null(text);
	sprintf(text + strlen(text), "%*s", (int)(NP_XML_BYTES_MAX + 1 - strlen(text)), "");
	try_text(text);
	assert_int_equal(t.rc, -E2BIG);
	assert_non_null(strstr(t.fault.reason, "at most 1 MiB"));
	free(text);
	for (unsigned more = 0; more < 2; more++) {
		fflush(out);
		assert_int_equal(overlay_config_read(&t.c, name, NULL, &t.fault),
				 more ? -E2BIG : 0);
		assert_true(more || t.c.node.protocol == OVERLAY_NONE);
		overlay_config_free(&t.c);
		fputc(' ', out);
	}
	fclose(out);
	remove(name);
	assert_int_equal(overlay_config_read(&t.c, name, NULL, &t.fault), -ENOENT);
	assert_string_equal(t.fault.object, name);
	overlay_config_free(&t.c);
	assert_int_equal(overlay_config_read(&t.c, "/", NULL, &t.fault), -EISDIR);
	overlay_config_free(&t.c);
}
