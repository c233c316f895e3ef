// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* The limits of the configuration of an overlay node: what is just right, and just too much. */
#include "../../src/lib/overlay/config_take.h"
#include "../../src/lib/overlay/node.h"
#include "overlay_config_tried.h"
#include "support/unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NODE(inside) WHOLE("", BASE, "<Node>" inside "</Node>")
#define TOP(element) WHOLE("<" element ">%lld</" element ">", BASE, DT(""))
#define IN_DT(e)     NODE("<DTBuddyList><" e ">%lld</" e "></DTBuddyList>")
#define SPT(inside)                                                                                \
	WHOLE("<RouteRecordSize>2</RouteRecordSize>", INTERFACES(PAIR),                            \
	      "<Node><SPT>" inside "</SPT></Node>")
#define IN_SPT(e)   SPT("<" e ">%lld</" e ">")
#define IN(type, e) WHOLE("", INTERFACES("<" type "><" e ">%lld</" e "></" type ">"), DT(""))

/* Numbers: the least and the most that are taken. */
TEST(numbers)
{
	static const struct {
		const char *text;
		long long least, most;
	} cases[] = {
		{TOP("HopLimit"), 1, 255},
		{TOP("RouteRecordSize"), 0, 255},
		{TOP("ReadTimeout"), 0, 86400000},
		{WHOLE("<ReceiveBuffer><ReceiveBufferSize>%lld</ReceiveBufferSize></ReceiveBuffer>",
		       BASE, DT("")),
		 1, 1000000},
		{WHOLE("", "<MessageBufferSize>%lld</MessageBufferSize>" BASE, DT("")), 1, 1000000},
		{IN_DT("FastHeartbeatTime"), 1, 2000},
		{IN_DT("SlowHeartbeatTime"), 250, 9999},
		{IN_DT("TimeoutTime"), 2001, 86400000},
		{IN_DT("IAmHereTime"), 1, 86400000},
		{IN_DT("BuddyCacheSize"), 0, OVERLAY_CONTACTS_MAX},
		{IN_SPT("BeaconTime"), 1, 4999},
		{IN_SPT("NeighborTimeout"), 1001, 20000},
		{IN_SPT("AdjacencyTimeout"), 5000, 86400000},
		{IN_SPT("MsgMaxAge"), 1001, 20000},
		{IN_SPT("RootHistoryTimeout"), 5000, 86400000},
		{IN_SPT("RouteCacheTimeout"), 1, 86400000},
		{IN_SPT("JumpThreshold"), 0, 10000},
		{SPT("<Coords><RANDOM><base>%lld</base></RANDOM></Coords>"), 2, INT32_MAX},
		{SPT("<Coords><FIXED><coordinate>%lld</coordinate></FIXED></Coords>"), INT32_MIN,
		 INT32_MAX},
		{NODE("<DTBuddyList><Coords><RANDOM><base>%lld</base></RANDOM></Coords>"
		      "</DTBuddyList>"),
		 2, INT32_MAX},
		{NODE("<DTBuddyList><Coords><FIXED><coordinate>%lld,0</coordinate></FIXED></Coords>"
		      "</DTBuddyList>"),
		 INT32_MIN, INT32_MAX},
		{NODE("<DTBuddyList><Coords><RANDOM><frame>1,2147483647,%lld,1</frame></RANDOM>"
		      "</Coords></DTBuddyList>"),
		 1, INT32_MAX},
		{NODE("<DTBuddyList><Coords><RANDOM><frame>2147483647,1,1,%lld</frame></RANDOM>"
		      "</Coords></DTBuddyList>"),
		 1, INT32_MAX},
		{NODE("<DTBuddyList><Coords><RANDOM><frame>%lld,-5,3,2</frame></RANDOM></Coords>"
		      "</DTBuddyList>"),
		 INT32_MIN, INT32_MAX - 2},
		{NODE("<DTBuddyList><Coords><RANDOM><frame>-5,%lld,2,3</frame></RANDOM></Coords>"
		      "</DTBuddyList>"),
		 INT32_MIN, INT32_MAX - 2},
		{IN("UDPInterface", "MaximumPacketLength"), 512, 65507},
		{IN("TCPInterface", "MaximumPacketLength"), 512, 16777216},
		{IN("TCPInterface", "Timeout"), 1, 86400000},
		{IN("TCPInterface", "MaxIdleTime"), 1, 86400000},
		{IN("TCPInterface", "MaxBacklog"), 1, 65535},
		{WHOLE("", INTERFACES(UDP("10.0.0.1:%lld")), DT("")), 0, 65535},
		{NODE("<NONE><Neighbors>if0|1.2.3.4:%lld</Neighbors></NONE>"), 1, 65535},
		{NODE("<NONE><Neighbors>if0|0.0.0.%lld:1</Neighbors></NONE>"), 1, 255},
	};
	char text[4096];

	for (size_t i = 0; i < COUNT(cases); i++) {
		snprintf(text, sizeof(text), cases[i].text, cases[i].least);
		accepted(text);
		snprintf(text, sizeof(text), cases[i].text, cases[i].most);
		accepted(text);
		snprintf(text, sizeof(text), cases[i].text, cases[i].least - 1);
		refused(text, -EINVAL, "expected");
		snprintf(text, sizeof(text), cases[i].text, cases[i].most + 1);
		refused(text, -EINVAL, "expected");
	}
}

/* A frame of 0,0 alone is none; one value more, or another one, is. */
TEST(small_frames)
{
#define FRAME(frame)                                                                               \
	NODE("<DTBuddyList><Coords><RANDOM><frame>" frame "</frame></RANDOM></Coords>"             \
	     "</DTBuddyList>")
	refused(FRAME("0,0,1,1"), -EINVAL, "expected more");
	accepted(FRAME("1,0,1,1"));
	accepted(FRAME("0,1,1,1"));
	accepted(FRAME("0,0,2,1"));
	accepted(FRAME("0,0,1,2"));
	refused(FRAME("0,0,2"), -EINVAL, "expected x,y,width,height");
	accepted(FRAME(" 1 ,\t0\n,1 , 1 "));
	refused(FRAME("1 1,0,1,1"), -EINVAL, "expected x,y,width,height");
	refused(FRAME("- 1,0,1,1"), -EINVAL, "expected x,y,width,height");
	accepted(NODE("<DTBuddyList><Coords><FIXED><coordinate>0,5</coordinate></FIXED></Coords>"
		      "</DTBuddyList>"));
#undef FRAME
}

/* Texts up to a length: names, words, numbers, values; of the name of a device, too. */
TEST(lengths)
{
	static const struct {
		const char *text;
		int most;
		const char *first;
	} cases[] = {
		{WHOLE("",
		       INTERFACES("<UDPInterface><AddressRealm>%s</AddressRealm></UDPInterface>"),
		       DT("")),
		 OVERLAY_NAME - 1, ""},
		{WHOLE("<HopLimit>%s</HopLimit>", BASE, DT("")), 255, "0000000000"},
		{WHOLE("",
		       INTERFACES("<MulticastUnicastInterface><Unicast><UDPInterface/></Unicast>"
				  "<Multicast><UDPMulticastInterface><NetworkInterface>%s"
				  "</NetworkInterface></UDPMulticastInterface></Multicast>"
				  "</MulticastUnicastInterface>"),
		       DT("")),
		 IF_NAMESIZE - 1, ""},
	};
	char text[4096], value[300];

	for (size_t i = 0; i < COUNT(cases); i++) {
		memset(value, cases[i].first[0] ? '0' : 'a', sizeof(value));
		value[cases[i].most - 1] = '1';
		value[cases[i].most] = '\0';
		snprintf(text, sizeof(text), cases[i].text, value);
		accepted(text);
		value[cases[i].most] = '1';
		value[cases[i].most + 1] = '\0';
		snprintf(text, sizeof(text), cases[i].text, value);
		refused(text, -EINVAL, "expected");
	}
}

/* The last of a list of neighbours may be as long as there is room for; the first, too. */
TEST(long_neighbours)
{
	char name[128], text[4096];

	for (int blanks = 0; blanks < 3; blanks++) {
		/* With the blanks that are cut off: ADDRESS_ROOM is 96. */
		const int fill = 95 - (int)strlen("if0|1.2.3.4:1") + (blanks == 2);

		snprintf(name, sizeof(name), "if0%*s|1.2.3.4:1", fill, "");
		snprintf(text, sizeof(text),
			 WHOLE("", BASE, "<Node><NONE><Neighbors>%s;%s</Neighbors></NONE></Node>"),
			 blanks == 1 ? "if0|1.2.3.5:1" : name, name);
		if (blanks < 2)
			accepted(text);
		else
			refused(text, -EINVAL, "an address of 96 characters");
	}
}

/* As many interfaces as there is room for; one of them has to be active, be it the last. */
TEST(interfaces)
{
	struct overlay_config c;
	struct text t;

	for (unsigned count = OVERLAY_INTERFACES_MAX; count < OVERLAY_INTERFACES_MAX + 2; count++) {
		begin(&t, "<Public><Adapter><Interfaces>");
		for (unsigned i = 0; i < count; i++)
			add(&t,
			    "<Interface><ID>%u</ID><Active>%s</Active><Type>%s</Type></"
			    "Interface>\n",
			    i, i == OVERLAY_INTERFACES_MAX - 1 ? "yes" : "no", PAIR);
		add(&t, "</Interfaces></Adapter><Node><DTBroadcast/></Node></Public>");
		if (count > OVERLAY_INTERFACES_MAX) {
			refused(t.data, -E2BIG, "expected at most 8");
		} else {
			assert_int_equal(read_text(&c, t.data), 0);
			assert_int_equal(c.interface_count, count);
			for (unsigned i = 0; i < count; i++) {
				assert_int_equal(c.interface[i].id[0], '0' + i);
				assert_int_equal(c.interface[i].line, 1 + i);
				assert_int_equal(c.interface[i].active, i + 1 == count);
			}
			overlay_config_free(&c);
		}
		free(t.data);
	}
	refused(WHOLE("",
		      "<Interfaces><Interface><Active>no</Active><Type><UDPInterface/></Type>"
		      "</Interface></Interfaces>",
		      DT("")),
		-EINVAL, "no active interface");
	/* An inactive pair is no group. */
	refused(WHOLE("",
		      "<Interfaces><Interface><ID>a</ID><Active>no</Active><Type>" PAIR
		      "</Type></Interface>" INTERFACE(UDP("1.2.3.4:5")) "</Interfaces>",
		      "<Node><DTBroadcast/></Node>"),
		-EINVAL, "needs a multicast group");
	accepted(WHOLE("",
		       INTERFACES("<UDPInterface><AllowRandomPhyAddrPort>no</"
				  "AllowRandomPhyAddrPort><PhyAddr><INETV4AndOnePort>1.2.3.4:5</"
				  "INETV4AndOnePort></PhyAddr></UDPInterface>"),
		       DT("")));
}

#define GROUP_ON(device)                                                                           \
	"<MulticastUnicastInterface><Multicast><UDPMulticastInterface><NetworkInterface>" device   \
	"</NetworkInterface></UDPMulticastInterface></Multicast></MulticastUnicastInterface>"
#define GROUP_AT(address)                                                                          \
	WHOLE("",                                                                                  \
	      INTERFACES("<MulticastUnicastInterface><Unicast><UDPInterface/></Unicast>"           \
			 "<Multicast><UDPMulticastInterface><MulticastAddress><"                   \
			 "INETV4AndOnePort>" address                                               \
			 "</INETV4AndOnePort></MulticastAddress></UDPMulticastInterface>"          \
			 "</Multicast></MulticastUnicastInterface>"),                              \
	      DT(""))

/* What the connections of an interface are without elements of their own. */
TEST(defaults)
{
	struct overlay_config c;

	assert_int_equal(read_text(&c, WHOLE("", INTERFACES("<TCPInterface/>"), DT(""))), 0);
	assert_int_equal(c.interface[0].kind, OVERLAY_TCP);
	assert_true(c.interface[0].plan.connect_timeout == 3 * NP_SECOND);
	assert_true(c.interface[0].plan.idle_max == 10 * NP_SECOND);
	assert_int_equal(c.interface[0].plan.backlog, 50);
	overlay_config_free(&c);
	assert_int_equal(read_text(&c, WHOLE("", INTERFACES(GROUP_ON("none")), DT(""))), 0);
	assert_string_equal(c.interface[0].plan.group_device, "");
	overlay_config_free(&c);
	assert_int_equal(read_text(&c, WHOLE("", INTERFACES(GROUP_ON("nonet")), DT(""))), 0);
	assert_string_equal(c.interface[0].plan.group_device, "nonet");
	overlay_config_free(&c);
}

TEST(groups)
{
	accepted(GROUP_AT("224.0.0.0:1"));
	accepted(GROUP_AT("239.255.255.255:65535"));
	refused(GROUP_AT("223.255.255.255:1"), -EINVAL, "no multicast group");
	refused(GROUP_AT("240.0.0.0:1"), -EINVAL, "no multicast group");
	refused(GROUP_AT("224.0.0.1:0"), -EINVAL, "no multicast group");
	accepted(WHOLE("", INTERFACES("<MulticastUnicastInterface/>"), DT("")));
}

/* All addresses of a long list are kept, in their order. */
TEST(addresses)
{
	struct overlay_config c;
	struct text t;

	for (unsigned count = OVERLAY_CONTACTS_MAX; count < OVERLAY_CONTACTS_MAX + 2; count++) {
		begin(&t, "<Public><Adapter>" BASE "</Adapter><Node><NONE><Neighbors>");
		for (unsigned i = 0; i < count; i++)
			add(&t, "%sif0|10.0.%u.%u:%u", i ? ";" : "", i >> 8, i & 0xff, 1 + i);
		add(&t, "</Neighbors></NONE></Node></Public>");
		if (count > OVERLAY_CONTACTS_MAX) {
			refused(t.data, -E2BIG, "expected at most 4096");
		} else {
			assert_int_equal(read_text(&c, t.data), 0);
			assert_int_equal(c.contact_count, count);
			for (unsigned i = 0; i < count; i++) {
				uint32_t ip;
				uint16_t port;

				assert_true(overlay_address_get_ipv4(&c.contact[i], &ip, &port));
				assert_int_equal(ip, 0x0a000000 + i);
				assert_int_equal(port, 1 + i);
				assert_int_equal(c.contact[i].realm, c.interface[0].plan.realm);
			}
			overlay_config_free(&c);
		}
		free(t.data);
	}
}

#define LIST(name, address)                                                                        \
	"<ConfiguredAddressList><Name>" name "</Name><InterfaceAddressNum>1</InterfaceAddressNum>" \
	"<InterfaceAddress>" address "</InterfaceAddress></ConfiguredAddressList>"

/* Each list may be of as many addresses, whatever is kept of the ones before it. */
TEST(long_lists)
{
	struct overlay_config c;
	struct text t;

	for (unsigned more = 0; more < 2; more++) {
		const unsigned counts[] = {OVERLAY_CONTACTS_MAX, OVERLAY_CONTACTS_MAX + more, 1};

		begin(&t, "<Public><Adapter>" BASE
			  "<ConfiguredAddressListNum>3</ConfiguredAddressListNum>");
		for (unsigned i = 0; i < COUNT(counts); i++) {
			add(&t,
			    "<ConfiguredAddressList><Name>%s</Name>"
			    "<InterfaceAddressNum>%u</InterfaceAddressNum>",
			    i ? "other" : "DT_BUDDYLIST",
			    counts[i] < OVERLAY_CONTACTS_MAX ? counts[i] : OVERLAY_CONTACTS_MAX);
			add_many(&t, "<InterfaceAddress>if0|1.2.3.4:5</InterfaceAddress>",
				 counts[i]);
			add(&t, "</ConfiguredAddressList>");
		}
		add(&t, "</Adapter>" DT("") "</Public>");
		if (more) {
			refused(t.data, -E2BIG, "expected at most 4096");
		} else {
			assert_int_equal(read_text(&c, t.data), 0);
			assert_int_equal(c.contact_count, OVERLAY_CONTACTS_MAX);
			overlay_config_free(&c);
		}
		free(t.data);
	}
}

/* Of many lists that of the buddies, wherever it is, is kept; each is checked. */
TEST(lists)
{
	struct overlay_config c;
	struct text t;

	for (unsigned count = OVERLAY_LISTS_MAX; count < OVERLAY_LISTS_MAX + 2; count++) {
		begin(&t, "<Public><Adapter>" BASE);
		add(&t, "<ConfiguredAddressListNum>%u</ConfiguredAddressListNum>",
		    count > OVERLAY_LISTS_MAX ? OVERLAY_LISTS_MAX : count);
		for (unsigned i = 0; i < count; i++)
			add(&t, LIST("%s", "if0|1.2.3.4:%u"), i == 3 ? "B" : "other", 1 + i);
		add(&t,
		    "</Adapter><Node><DTBuddyList><BuddyListName>B</BuddyListName></DTBuddyList>"
		    "</Node></Public>");
		if (count > OVERLAY_LISTS_MAX) {
			refused(t.data, -E2BIG, "expected at most 16");
		} else {
			uint32_t ip;
			uint16_t port;

			assert_int_equal(read_text(&c, t.data), 0);
			assert_int_equal(c.contact_count, 1);
			assert_true(overlay_address_get_ipv4(&c.contact[0], &ip, &port));
			assert_int_equal(port, 4);
			overlay_config_free(&c);
		}
		free(t.data);
	}
#define TWO "<ConfiguredAddressListNum>2</ConfiguredAddressListNum>"
	accepted(WHOLE("", BASE TWO LIST("a", "if0|1.2.3.4:1") LIST("a", "if0|1.2.3.4:1"), DT("")));
	refused(WHOLE("", BASE TWO LIST("a", "if0|1.2.3.4:0") LIST("b", "if0|1.2.3.4:1"), DT("")),
		-EINVAL, "a port from 1");
	refused(WHOLE("", BASE TWO LIST("DT_BUDDYLIST", "if0|1.2.3.4:1") LIST("b", "if1|1.2.3.4:1"),
		      DT("")),
		-EINVAL, "no active interface has the ID \"if1\"");
	/* One that is not used need not be there; a name that is no name is told in any case. */
	accepted(NODE("<DTBuddyList><UsingStaticBuddyList>no</UsingStaticBuddyList>"
		      "<BuddyListName>B</BuddyListName></DTBuddyList>"));
	accepted(NODE("<DTBuddyList/>"));
	refused(NODE("<DTBuddyList><UsingStaticBuddyList>no</UsingStaticBuddyList>"
		     "<BuddyListName><B/></BuddyListName></DTBuddyList>"),
		-EINVAL, "expected a name");
	/* By the ID, and by the realm; each only with its sign. */
	accepted(NODE("<NONE><Neighbors>lab%1.2.3.4:1;if0|1.2.3.4:1</Neighbors></NONE>"));
	refused(NODE("<NONE><Neighbors>lab|1.2.3.4:1</Neighbors></NONE>"), -EINVAL,
		"the ID \"lab\"");
	refused(NODE("<NONE><Neighbors>if0%1.2.3.4:1</Neighbors></NONE>"), -EINVAL,
		"the realm \"if0\"");
	accepted(NODE("<NONE><Neighbors> </Neighbors></NONE>"));
}

/* Words in either case; a name from blank to tilde. */
TEST(words)
{
	static const char *const good[] = {"yes", "NO", "True", "fALSE", " yes\n"};
	static const char *const bad[] = {"y", "1", "", "yes no", "<yes/>"};
	char text[2048];

	for (size_t i = 0; i < COUNT(good); i++) {
		snprintf(text, sizeof(text),
			 NODE("<DTBuddyList><UsingDynamicBuddyList>%s</UsingDynamicBuddyList>"
			      "</DTBuddyList>"),
			 good[i]);
		accepted(text);
	}
	for (size_t i = 0; i < COUNT(bad); i++) {
		snprintf(text, sizeof(text),
			 NODE("<DTBuddyList><UsingDynamicBuddyList>%s</UsingDynamicBuddyList>"
			      "</DTBuddyList>"),
			 bad[i]);
		refused(text, -EINVAL, "expected yes or no");
	}
	accepted(WHOLE("<OverlayServer><NONE/></OverlayServer>", BASE, DT("")));
	refused(WHOLE("<OverlayServer><None/><None/></OverlayServer>", BASE, DT("")), -EINVAL,
		"holds the element <None>");
	refused(WHOLE("<OverlayServer><HTTP/></OverlayServer>", BASE, DT("")), -EINVAL,
		"holds the element <HTTP>");
	accepted(WHOLE(
		"", INTERFACES("<UDPInterface><AddressRealm>a ~!z</AddressRealm></UDPInterface>"),
		DT("")));
	refused(WHOLE("",
		      INTERFACES("<UDPInterface><AddressRealm>a\x7f</AddressRealm></UDPInterface>"),
		      DT("")),
		-EINVAL, "printable ASCII");
	refused(WHOLE("",
		      INTERFACES("<UDPInterface><AddressRealm>a\nb</AddressRealm></UDPInterface>"),
		      DT("")),
		-EINVAL, "printable ASCII");
	accepted(NODE("<DTBuddyList><Verification>neighborcheck</Verification></DTBuddyList>"));
	refused(NODE("<DTBuddyList><Verification>Neighborcheck</Verification></DTBuddyList>"),
		-EINVAL, "expected neighborcheck");
}

/* What is no address with a port. */
TEST(endpoints)
{
	static const char *const bad[] = {"255.255.255.2555:1",
					  "1.2.3.4:1x",
					  "1.2.3.4 :1",
					  "1.2.3:1",
					  ":1",
					  "1.2.3.4:",
					  "1.2.3.4:-1",
					  "1111111111111111111111111111111111111111111111111111:1",
					  "1.2.3.4:1:1",
					  "10.0.0.1a:80",
					  "1.2.3.4:80..80",
					  "1.2.3.4:80..0080",
					  "1.2.3.4..4:80",
					  "0::ffff:1.2.3.4",
					  "*:80",
					  "1.2.3.4:1 1.2.3.4:2"};
	char text[2048];

	accepted(WHOLE("", INTERFACES(UDP("255.255.255.255:1")), DT("")));
	accepted(WHOLE("", INTERFACES(UDP(" \t0.0.0.0:0\r\n")), DT("")));
	for (size_t i = 0; i < COUNT(bad); i++) {
		snprintf(text, sizeof(text), WHOLE("", INTERFACES(UDP("%s")), DT("")), bad[i]);
		refused(text, -EINVAL, "expected a.b.c.d:port");
	}
}
