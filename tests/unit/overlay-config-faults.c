// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* What is wrong in the configuration of an overlay node: file, line, element, and what is right. */
#include "../../src/lib/overlay/config.h"
#include "overlay_config.h"
#include "support/unit.h"

#include <errno.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct refusal {
	const char *text;
	int error;
	unsigned line;
	const char *element, *expected;
};

static void refused(const struct refusal *r, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct overlay_config c;
		struct np_fault fault = {};
		char object[32];
		const int rc = overlay_config_parse(&c, "o.xml", r[i].text, strlen(r[i].text), NULL,
						    &fault);

		overlay_config_free(&c);
		snprintf(object, sizeof(object), "o.xml:%u", r[i].line);
		if (rc != r[i].error || strcmp(fault.object, object) ||
		    strncmp(fault.reason, r[i].element, strlen(r[i].element)) ||
		    !strstr(fault.reason, r[i].expected))
			fail_msg("case %zu: %d, %s: %s", i, rc, fault.object, fault.reason);
	}
}

#define NODE(inside) WHOLE("", BASE, "<Node>" inside "</Node>")

TEST(not_supported)
{
	static const char systems[] = "expected DTBuddyList, DTBroadcast, SPT or NONE";
	static const char kinds[] = "expected UDPInterface, TCPInterface or MulticastUnicastIn";
	static const struct refusal cases[] = {
		{NODE("<DTServer/>"), -EOPNOTSUPP, 6, "<DTServer>: not supported", systems},
		{NODE("<HC/>"), -EOPNOTSUPP, 6, "<HC>: not supported", systems},
		{NODE("<Pastry/>"), -EOPNOTSUPP, 6, "<Pastry>: not supported", systems},
		{NODE("<CT/>"), -EOPNOTSUPP, 6, "<CT>: not supported", systems},
		{NODE("<BC/>"), -EOPNOTSUPP, 6, "<BC>: not supported", systems},
		{NODE("<BC_Container/>"), -EOPNOTSUPP, 6, "<BC_Container>: not", systems},
		{NODE("<CSA_Container/>"), -EOPNOTSUPP, 6, "<CSA_Container>: not", systems},
		{NODE("<Chord/>"), -EINVAL, 6, "<Chord>: unknown in <Node>", systems},
		{WHOLE("", INTERFACES("<SSLInterface/>"), DT("")), -EOPNOTSUPP, 4, "<SSLInt",
		 kinds},
		{WHOLE("", INTERFACES("<UDPMulticastInterface/>"), DT("")), -EOPNOTSUPP, 4,
		 "<UDPMulticastInterface>", "expected MulticastUnicastInterface"},
		{WHOLE("", INTERFACES("<BluetoothInterface/>"), DT("")), -EOPNOTSUPP, 4, "<Blue",
		 kinds},
		{WHOLE("", INTERFACES("<SCTPInterface/>"), DT("")), -EINVAL, 4, "<SCTP", kinds},
		{WHOLE("",
		       INTERFACES("<UDPInterface><PhyAddr><INETV6AndOnePort/></PhyAddr></"
				  "UDPInterface>"),
		       DT("")),
		 -EOPNOTSUPP, 4, "<INETV6AndOnePort>", "expected INETV4AndOnePort"},
		{WHOLE("<Security>\n<SecurityLevel>privacy</SecurityLevel></Security>", BASE,
		       DT("")),
		 -EOPNOTSUPP, 3, "<SecurityLevel>: \"privacy\"", "expected plaintext"},
		{WHOLE("<NetworkService><EnhancedDelivery><StartService>yes</StartService>"
		       "</EnhancedDelivery></NetworkService>",
		       BASE, DT("")),
		 -EOPNOTSUPP, 2, "<StartService>: \"yes\"", "expected no"},
		{WHOLE("<OverlayServer>HTTP</OverlayServer>", BASE, DT("")), -EOPNOTSUPP, 2,
		 "<OverlayServer>: \"HTTP\"", "expected None"},
		{NODE("<DTBuddyList><Coords><USE_GEO/></Coords></DTBuddyList>"), -EOPNOTSUPP, 6,
		 "<USE_GEO>", "expected FIXED or RANDOM"},
	};

	refused(cases, COUNT(cases));
}

#define TOP(inside) WHOLE(inside, BASE, DT(""))

TEST(wrong_values)
{
	static const char ms[] = "expected a number of milliseconds from 1 to 86400000";
	static const struct refusal cases[] = {
		{TOP("<HopLimit>0</HopLimit>"), -EINVAL, 2, "<HopLimit>: \"0\"",
		 "expected a whole number from 1 to 255"},
		{TOP("<HopLimit>0x10</HopLimit>"), -EINVAL, 2, "<HopLimit>", "whole number"},
		{TOP("<HopLimit/>"), -EINVAL, 2, "<HopLimit>: \"\"", "whole number"},
		{TOP("\n<HopLimit>\n<a/></HopLimit>"), -EINVAL, 3,
		 "<HopLimit>: holds the element <a>", "expected a whole number"},
		{TOP("<HopLimit>2</HopLimit>\n<HopLimit>2</HopLimit>"), -EINVAL, 3,
		 "<HopLimit>: given twice, first on line 2", "expected once"},
		{TOP("<ReadTimeout>1s</ReadTimeout>"), -EINVAL, 2, "<ReadTimeout>: \"1s\"",
		 "milliseconds from 0"},
		{TOP("<OverlayID><a/></OverlayID>"), -EINVAL, 2, "<OverlayID>", "expected a name"},
		{NODE("<DTBuddyList>\n<TimeoutTime>12x</TimeoutTime></DTBuddyList>"), -EINVAL, 7,
		 "<TimeoutTime>: \"12x\"", ms},
		{NODE("<DTBuddyList><TimeoutTime>2000</TimeoutTime></DTBuddyList>"), -EINVAL, 6,
		 "<DTBuddyList>: TimeoutTime 2000", "expected more"},
		{NODE("<DTBuddyList><FastHeartbeatTime>2001</FastHeartbeatTime></DTBuddyList>"),
		 -EINVAL, 6, "<DTBuddyList>: SlowHeartbeatTime 2000", "expected at least as much"},
		{NODE("<DTBuddyList>text</DTBuddyList>"), -EINVAL, 6,
		 "<DTBuddyList>: holds the text \"text\"", "expected elements only"},
		{NODE("<NONE/>\n<SPT/>"), -EINVAL, 7, "<SPT>: second element of <Node>",
		 "expected one"},
		{NODE(""), -EINVAL, 6, "<Node>: is empty", "expected DTBuddyList"},
		{WHOLE("", BASE, ""), -EINVAL, 1, "<Public>: no <Node>", "expected one"},
		{"<Public><Node><NONE/></Node></Public>", -EINVAL, 1, "<Public>: no <Adapter>",
		 "exp"},
		{WHOLE("", "", DT("")), -EINVAL, 3, "<Adapter>: no <Interfaces>", "expected them"},
		{NODE("<DTBroadcast/>"), -EINVAL, 6, "<DTBroadcast>: needs a multicast group",
		 "expected an active interface of the Type MulticastUnicastInterface"},
		{NODE("<SPT/>"), -EINVAL, 6, "<SPT>: needs a multicast group", "expected"},
		{WHOLE("", INTERFACES(PAIR), "<Node><SPT/></Node>"), -EINVAL, 6,
		 "<SPT>: messages go", "expected <RouteRecordSize>2</RouteRecordSize>"},
	};

	refused(cases, COUNT(cases));
}

#define COORDS(inside)	 NODE("<DTBuddyList><Coords>" inside "</Coords></DTBuddyList>")
#define FIXED(point)	 COORDS("<FIXED><coordinate>" point "</coordinate></FIXED>")
#define FRAME(frame)	 COORDS("<RANDOM><frame>" frame "</frame></RANDOM>")

#define SPT_TIMES(times) NODE("\n<SPT>" times "</SPT>")

/* Times of the spanning tree with which it never settles. */
TEST(wrong_spanning_times)
{
	static const struct refusal cases[] = {
		{SPT_TIMES("<BeaconTime>5000</BeaconTime>"), -EINVAL, 7,
		 "<SPT>: NeighborTimeout 5000 is not longer than BeaconTime 5000", "expected more"},
		{SPT_TIMES("<AdjacencyTimeout>4999</AdjacencyTimeout>"), -EINVAL, 7,
		 "<SPT>: AdjacencyTimeout 4999 is less than NeighborTimeout 5000",
		 "expected at least as much"},
		{SPT_TIMES("<MsgMaxAge>1000</MsgMaxAge>"), -EINVAL, 7,
		 "<SPT>: MsgMaxAge 1000 is not longer than BeaconTime 1000", "every root is lost"},
		{SPT_TIMES("<RootHistoryTimeout>4999</RootHistoryTimeout>"), -EINVAL, 7,
		 "<SPT>: RootHistoryTimeout 4999 is less than MsgMaxAge 5000", "come back"},
		{SPT_TIMES("<TopologyPolicy>Hops</TopologyPolicy>"), -EOPNOTSUPP, 7,
		 "<TopologyPolicy>", "expected Cost"},
	};

	refused(cases, COUNT(cases));
}

TEST(wrong_coordinates)
{
	static const struct refusal cases[] = {
		{FIXED("0,0"), -EINVAL, 6, "<coordinate>: 0,0 means no address",
		 "expected another"},
		{FIXED("500"), -EINVAL, 6, "<coordinate>: \"500\"", "expected x,y"},
		{FIXED("1,2,3"), -EINVAL, 6, "<coordinate>: \"1,2,3\"", "expected x,y"},
		{FIXED("1,2.5"), -EINVAL, 6, "<coordinate>", "expected x,y"},
		{FRAME("1,1,0,5"), -EINVAL, 6, "<frame>: 1,1,0,5", "at least 1"},
		{FRAME("2147483647,1,2,5"), -EINVAL, 6, "<frame>", "below 2147483648"},
		{FRAME("0,0,1,1"), -EINVAL, 6, "<frame>: holds only 0,0", "expected more"},
		{COORDS("<RANDOM><base>1</base></RANDOM>"), -EINVAL, 6, "<base>: 1", "from 2 up"},
		{COORDS("<RANDOM/>"), -EINVAL, 6, "<RANDOM>: is empty", "expected <base>"},
		{COORDS("<FIXED><x>1</x></FIXED>"), -EINVAL, 6, "<x>: unknown in <FIXED>",
		 "expected <coordinate>x,y</coordinate>"},
		{NODE("<SPT><Coords><FIXED><coordinate>0</coordinate></FIXED></Coords></SPT>"),
		 -EINVAL, 6, "<coordinate>: 0 means", "expected another number"},
		{NODE("<SPT><Coords><RANDOM><frame>1,2,3,4</frame></RANDOM></Coords></SPT>"),
		 -EOPNOTSUPP, 6, "<frame>", "expected <base>number</base>"},
	};

	refused(cases, COUNT(cases));
}

#define LISTS(inside) WHOLE("", BASE inside, DT(""))
#define NUM(n)	      "<ConfiguredAddressListNum>" n "</ConfiguredAddressListNum>"
#define LIST(n, addresses)                                                                         \
	"<ConfiguredAddressList><Name>DT_BUDDYLIST</Name><InterfaceAddressNum>" n                  \
	"</InterfaceAddressNum>" addresses "</ConfiguredAddressList>"
#define ADDRESS(text)	"\n<InterfaceAddress>" text "</InterfaceAddress>"
#define NEIGHBOUR(text) NODE("<NONE><Neighbors>" text "</Neighbors></NONE>")

TEST(wrong_addresses)
{
	static const char form[] = "expected interface ID|a.b.c.d:port or realm % a.b.c.d:port";
	static const struct refusal cases[] = {
		{LISTS(NUM("1") LIST("1", ADDRESS("127.0.0.1:1"))), -EINVAL, 5,
		 "<InterfaceAddress>: \"127.0.0.1:1\"", form},
		{LISTS(NUM("1") LIST("1", ADDRESS("if0|localhost:1"))), -EINVAL, 5, "<Inter", form},
		{LISTS(NUM("1") LIST("1", ADDRESS("if1|1.2.3.4:7"))), -EINVAL, 5,
		 "<InterfaceAddress>: \"if1|1.2.3.4:7\": no active interface has the ID \"if1\"",
		 "expected one of those in <Interfaces>"},
		{LISTS(NUM("1") LIST("1", ADDRESS("if0 % 1.2.3.4:7"))), -EINVAL, 5,
		 "<InterfaceAddr", "no active interface has the realm \"if0\""},
		{LISTS(NUM("1") LIST("2", ADDRESS("if0|1.2.3.4:7"))), -EINVAL, 4,
		 "<ConfiguredAddressList>",
		 "expected <InterfaceAddressNum>1</InterfaceAddressNum>"},
		{LISTS(LIST("0", "")), -EINVAL, 3,
		 "<Adapter>: ConfiguredAddressListNum is 0 with 1",
		 "expected <ConfiguredAddressListNum>1</ConfiguredAddressListNum>"},
		{LISTS(NUM("2") LIST("0", "") "\n" LIST("0", "")), -EINVAL, 5,
		 "<ConfiguredAddressList>: second list", "expected one"},
		{LISTS(NUM("1") "<ConfiguredAddressList><Source>server</Source></"
				"ConfiguredAddressList>"),
		 -EOPNOTSUPP, 4, "<Source>: \"server\"", "expected configuration"},
		{NODE("<DTBuddyList><BuddyListName>L</BuddyListName></DTBuddyList>"), -EINVAL, 6,
		 "<BuddyListName>: no <ConfiguredAddressList> has the Name \"L\"", "expected one"},
		{NEIGHBOUR("if0|1.2.3.4"), -EINVAL, 6, "<Neighbors>: \"if0|1.2.3.4\"", form},
		{NEIGHBOUR("if0|1.2.3.4:1;;if0|1.2.3.4:2"), -EINVAL, 6, "<Neighbors>: \"\"", form},
		{NEIGHBOUR("<a/>"), -EINVAL, 6, "<Neighbors>: holds the element <a>", form},
	};

	refused(cases, COUNT(cases));
}

#define FACE(inside)   WHOLE("", INTERFACES("<UDPInterface>" inside "</UDPInterface>"), DT(""))
#define PHYSICAL(text) FACE("<PhyAddr><INETV4AndOnePort>" text "</INETV4AndOnePort></PhyAddr>")

TEST(wrong_interfaces)
{
	static const char form[] = "expected a.b.c.d:port, port 0 to 65535";
	static const struct refusal cases[] = {
		{PHYSICAL("127.0.0.1"), -EINVAL, 4, "<INETV4AndOnePort>: \"127.0.0.1\"", form},
		{FACE("<AllowRandomPhyAddrPort>No</AllowRandomPhyAddrPort>"), -EINVAL, 4,
		 "<Interface>: its port is 0", "expected a port in PhyAddr"},
		{FACE("<NetworkInterface>eth0</NetworkInterface>"), -EOPNOTSUPP, 4,
		 "<NetworkInterface>: \"eth0\"", "expected none"},
		{FACE("<AddressRealm>l\xc3\xa4"
		      "b</AddressRealm>"),
		 -EINVAL, 4, "<AddressRealm>", "expected a name of printable ASCII"},
		{WHOLE("", "<Interfaces><Interface/></Interfaces>", DT("")), -EINVAL, 4,
		 "<Interface>: no <Type>", "expected one with UDPInterface"},
		{WHOLE("",
		       "<Interfaces>" INTERFACE("<UDPInterface/>") "\n" INTERFACE(
			       "<UDPInterface/>") "</Interfaces>",
		       DT("")),
		 -EINVAL, 5, "<Interface>: its ID \"if0\" is that of the interface on line 4",
		 "exp"},
		{WHOLE("",
		       INTERFACES("<MulticastUnicastInterface><Unicast>" UDP(
			       "1.2.3.4:5") "</Unicast></MulticastUnicastInterface>"),
		       DT("")),
		 -EINVAL, 4, "<MulticastUnicastInterface>: AddressRealm \"lab\"",
		 "expected the same in both"},
		{WHOLE("",
		       "<Interfaces><Interface><PathPreferences>1</PathPreferences></Interface></"
		       "Interfaces>",
		       DT("")),
		 -EINVAL, 4, "<PathPreferences>: \"1\"", "expected two numbers"},
	};

	refused(cases, COUNT(cases));
}

#define HASH(paths) TOP("<HashAttributes>" paths "</HashAttributes>")

TEST(wrong_hash_attributes)
{
	static const char form[] = "expected paths as /Public/OverlayID, separated by commas alone";
	static const struct refusal cases[] = {
		{HASH("OverlayID"), -EINVAL, 2, "<HashAttributes>: \"OverlayID\"", form},
		{HASH("/Public/OverlayID, /Public/Node"), -EINVAL, 2, "<HashAttributes>: holds bl",
		 form},
		{HASH("/Public/OverlayID,"), -EINVAL, 2, "<HashAttributes>: \"\"", form},
		{HASH("/Public//OverlayID"), -EINVAL, 2, "<HashAttributes>", form},
		{HASH("/Public/Nothing"), -EINVAL, 2,
		 "<HashAttributes>: \"/Public/Nothing\" is not in this file",
		 "expected paths of its"},
		{WHOLE("<HashAttributes>/Public/Node</HashAttributes>", BASE,
		       "<Node> <NONE/></Node>"),
		 -EINVAL, 6, "<Node>: is in HashAttributes", "<Node><NONE>...</NONE></Node>"},
		{HASH("/Public/Adapter/Interfaces/Interface/Type/UDPInterface"), -EINVAL, 4,
		 "<UDPInterface>: is in HashAttributes", "expected a text, or one element"},
		{TOP("<OverlayID>\xc3\xa4</OverlayID>\n<HashAttributes>/Public/OverlayID"
		     "</HashAttributes>"),
		 -EINVAL, 2, "<OverlayID>: is in HashAttributes", "expected ASCII"},
	};

	refused(cases, COUNT(cases));
}

#define TEN(a) a a a a a a a a a a

TEST(not_our_xml)
{
	static const struct refusal cases[] = {
		{"", -EINVAL, 1, "no element found", ""},
		{"<Public>\n<Node>\n</Public>", -EINVAL, 3, "mismatched tag", ""},
		{"<config/>", -EINVAL, 1, "<config>: no configuration", "expected <Public>"},
		{"\n<!DOCTYPE Public [<!ENTITY a SYSTEM \"/etc/passwd\">]><Public>&a;</Public>",
		 -EINVAL, 2, "a document type", "expected a configuration without one"},
		{"<Public>\n<OverlayID>&a;</OverlayID></Public>", -EINVAL, 2, "undefined entity",
		 ""},
		{"<Public>" TEN("<a>") "\n" TEN("<a>"), -E2BIG, 2, "elements nested",
		 "expected at"},
	};

	refused(cases, COUNT(cases));
}
