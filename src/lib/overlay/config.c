// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * config: the elements of an overlay node's configuration, and what they ask of each other; one
 * with the defaults.
 */
#include "config.h"

#include <stdlib.h>

/* A message has to fit a datagram of IPv4; over TCP it may be as long as node.h takes. */
#define UDP_BYTES      512, 65507
#define TCP_BYTES      512, 1U << 24
#define PACKET_DEFAULT 8192
#define ANY	       "0.0.0.0:0"
#define GROUP	       "224.228.19.78:9472"
#define REALM	       "public_internet"

/* What is expected. */
#define ADDRESS_KIND "INETV4AndOnePort"
#define KINDS	     "UDPInterface, TCPInterface or MulticastUnicastInterface"
#define FIXES	     "<coordinate>x,y</coordinate>, of SPT <coordinate>number</coordinate>"
#define FRAMES	     "<base>number</base> or, but of SPT, <frame>x,y,width,height</frame>"
#define SYSTEMS	     "DTBuddyList, DTBroadcast, SPT or NONE"
#define COORDS	     "FIXED or RANDOM"

static int take_ipv4(struct overlay_taker *t, const struct np_xml *element)
{
	/* In the one or the other element, whose place it has. */
	const bool own = !strcmp(element->parent->name, "PhyAddr");
	struct np_address *to = own ? &t->interface.plan.local : &t->interface.plan.group;

	if (overlay_endpoint_parse(to, t->text))
		return taker_wrong(t, element, "\"%.60s\"; expected a.b.c.d:port, port 0 to 65535",
				   t->text);
	if (own || (np_address_is_multicast(to) && np_address_port(to)))
		return 0;
	return taker_wrong(t, element->parent,
			   "no multicast group; expected 224.0.0.0 to 239.255.255.255 and a port "
			   "from 1 to 65535");
}

static int take_device(struct overlay_taker *t, const struct np_xml *element)
{
	if (!strcmp(t->text, "none"))
		t->text[0] = '\0';
	if (strlen(t->text) >= IF_NAMESIZE)
		return taker_wrong(
			t, element,
			"\"%s\"; expected none or an interface's name of at most %d characters",
			t->text, IF_NAMESIZE - 1);
	memcpy(t->interface.plan.group_device, t->text, strlen(t->text) + 1);
	return 0;
}

/* The kind of the interface is the minimum of its row. */
static int set_kind(struct overlay_taker *t, const struct np_xml *element)
{
	const struct overlay_interface *made = &t->interface;

	t->interface.plan.kind = t->rule->min;
	if (made->plan.kind == OVERLAY_PAIR && strcmp(made->realm, made->group_realm) != 0)
		return taker_wrong(t, element,
				   "AddressRealm \"%s\" of Unicast and \"%s\" of Multicast; "
				   "expected the same in both",
				   made->realm, made->group_realm);
	return 0;
}

static int take_interface(struct overlay_taker *t, const struct np_xml *element)
{
	struct overlay_config *config = t->config;
	struct overlay_interface *made = &t->interface;
	int rc;

	*made = (struct overlay_interface){
		.id = "0",
		.active = true,
		.line = element->line,
		.realm = REALM,
		.group_realm = REALM,
		.plan = {.any_port = true,
			 .message_max = PACKET_DEFAULT,
			 .group_max = PACKET_DEFAULT,
			 .connect_timeout = 3000 * NP_MILLISECOND,
			 .idle_max = 10000 * NP_MILLISECOND,
			 .backlog = 50},
	};
	overlay_endpoint_parse(&made->plan.local, ANY);
	overlay_endpoint_parse(&made->plan.group, GROUP);
	rc = taker_children(t, element);
	if (rc)
		return rc;
	if (!np_xml_child(element, "Type"))
		return taker_wrong(t, element, "no <Type>; expected one with %s", KINDS);
	if (!np_address_port(&made->plan.local) && !made->plan.any_port)
		return taker_wrong(
			t, element,
			"its port is 0; expected a port in PhyAddr, or AllowRandomPhyAddrPort Yes");
	if (!made->active)
		return 0;
	if (config->interface.active)
		return taker_fault(t, element, -EOPNOTSUPP,
				   "a second active interface; expected <Active>false</Active> in "
				   "all but one");
	made->plan.realm = overlay_hash_realm(made->realm, made->plan.kind);
	config->interface = *made;
	return 0;
}

static int take_point(struct overlay_taker *t, const struct np_xml *element)
{
	/* An address of SPT is one number. */
	const bool one = t->config->node.protocol == OVERLAY_SPT;

	if (!t->value[0] && !t->value[1])
		return taker_wrong(t, element,
				   "%s means no address in HyperCast; expected another %s",
				   one ? "0" : "0,0", one ? "number" : "x,y");
	t->config->coords =
		(struct overlay_coords){.fixed = true, .point = {t->value[0], t->value[1]}};
	return 0;
}

/* A frame of one value would be 0 alone. */
static int take_base(struct overlay_taker *t, const struct np_xml *element)
{
	const bool one = t->config->node.protocol == OVERLAY_SPT;
	const uint32_t base = (uint32_t)t->value[0];

	if (t->value[0] < 2)
		return taker_wrong(t, element, "%d; expected a number from 2 up", t->value[0]);
	t->config->coords = (struct overlay_coords){.width = base, .height = one ? 1 : base};
	return 0;
}

static int take_frame(struct overlay_taker *t, const struct np_xml *element)
{
	const int32_t x = t->value[0], y = t->value[1], width = t->value[2], height = t->value[3];

	if (t->config->node.protocol == OVERLAY_SPT)
		return taker_fault(t, element, -EOPNOTSUPP,
				   "not supported in <RANDOM>; expected <base>number</base>");
	if (width < 1 || height < 1 || (int64_t)x + width - 1 > INT32_MAX ||
	    (int64_t)y + height - 1 > INT32_MAX)
		return taker_wrong(t, element,
				   "%d,%d,%d,%d; expected x,y,width,height with at least 1 of "
				   "each, all of it below 2147483648",
				   x, y, width, height);
	if (width == 1 && height == 1 && !x && !y)
		return taker_wrong(t, element,
				   "holds only 0,0, which means no address; expected more");
	t->config->coords = (struct overlay_coords){
		.corner = {x, y}, .width = (uint32_t)width, .height = (uint32_t)height};
	return 0;
}

static int take_verification(struct overlay_taker *t, const struct np_xml *element)
{
	t->config->node.any_neighbour = !strcmp(t->text, "neighborCheck");
	/* HyperCast offers the first spelling and compares with the second. */
	if (!strcmp(t->text, "neighborcheck") || t->config->node.any_neighbour)
		return 0;
	return taker_wrong(t, element,
			   "\"%s\"; expected neighborcheck (a message must come by the reverse "
			   "path) or neighborCheck (from any neighbour)",
			   t->text);
}

/* Times of which one must be at least, or with @more greater than, the other. */
static int check_times(struct overlay_taker *t, const struct np_xml *element)
{
	const struct overlay_plan *plan = &t->config->node;
	const struct {
		const char *name, *least, *why;
		np_time time, than;
		bool spanning, more;
	} orders[] = {
		{"SlowHeartbeatTime", "FastHeartbeatTime", "", plan->heartbeat_slow,
		 plan->heartbeat_fast, false, false},
		{"TimeoutTime", "SlowHeartbeatTime", ", or every neighbour times out",
		 plan->timeout, plan->heartbeat_slow, false, true},
		{"NeighborTimeout", "BeaconTime", ", or every neighbour times out", plan->timeout,
		 plan->rendezvous, true, true},
		{"AdjacencyTimeout", "NeighborTimeout", "", plan->adjacency_timeout, plan->timeout,
		 true, false},
		{"MsgMaxAge", "BeaconTime", ", or every root is lost", plan->age_max,
		 plan->rendezvous, true, true},
		{"RootHistoryTimeout", "MsgMaxAge", ", or lost roots come back", plan->root_history,
		 plan->age_max, true, false},
	};

	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		const bool more = orders[i].more;
		const np_time time = orders[i].time, than = orders[i].than;

		if (orders[i].spanning != (plan->protocol == OVERLAY_SPT) || time > than ||
		    (!more && time == than))
			continue;
		return taker_wrong(t, element, "%s %lld is %s %s %lld; expected %s%s",
				   orders[i].name, (long long)(time / NP_MILLISECOND),
				   more ? "not longer than" : "less than", orders[i].least,
				   (long long)(than / NP_MILLISECOND),
				   more ? "more" : "at least as much", orders[i].why);
	}
	return 0;
}

/*
 * The protocol is the minimum of its row. Begins with its own values; those that no protocol
 * decides may have been read.
 */
static int take_protocol(struct overlay_taker *t, const struct np_xml *element)
{
	static const struct overlay_coords coords[] = {
		[OVERLAY_DT_BUDDIES] = {.width = 10000, .height = 10000},
		[OVERLAY_DT_BROADCAST] = {.fixed = true, .point = {500, 500}},
		[OVERLAY_SPT] = {.width = 600, .height = 1},
	};
	struct overlay_config *config = t->config;
	struct overlay_plan plan = overlay_plan_default(t->rule->min);
	int rc;

	plan.hop_limit = config->node.hop_limit;
	plan.route_records = config->node.route_records;
	plan.buddy_cache = plan.protocol == OVERLAY_DT_BUDDIES ? 10 : 0;
	config->node = plan;
	config->coords = coords[plan.protocol];
	config->static_buddies = true;
	rc = taker_children(t, element);
	if (!config->dynamic_buddies)
		config->node.buddy_cache = 0;
	return rc || plan.protocol == OVERLAY_NONE ? rc : check_times(t, element);
}

/* The most milliseconds, and the most messages that may wait. */
#define DAY	     86400000
#define MESSAGES_MAX 1000000

/* Elements with the same children. */
#define IP_TYPES     "UDPInterface|TCPInterface"
#define DT_TYPES     "DTBuddyList|DTBroadcast"

#define AT(member)   .target = IN_CONFIG, .offset = offsetof(struct overlay_config, member)
#define CHECKED	     .target = IN_TEXT, .offset = 0 /* only: without effect here */
#define OF(member)   .target = IN_INTERFACE, .offset = offsetof(struct overlay_interface, member)
#define LIST(member) .target = IN_LIST, .offset = offsetof(struct overlay_list, member)

static const struct overlay_rule rules[] = {
	{"Public", "OverlayID", FORM_TEXT, .word = "a name", .absent = ""},
	{"Public", "HashAttributes", .form = FORM_OTHER},
	{"Public", "HopLimit", FORM_COUNT, AT(node.hop_limit), 1, 255, "255"},
	{"Public", "RouteRecordSize", FORM_COUNT, AT(node.route_records), 0, 255, "0"},
	{"Public", "ReceiveBuffer", .form = FORM_ELEMENTS},
	{"Public", "ReadTimeout", FORM_TIME, CHECKED, 0, DAY, "0"},
	{"Public", "Adapter", .form = FORM_ELEMENTS},
	{"Public", "Node", FORM_CHOICE, .word = SYSTEMS},
	{"Public", "OverlayServer", FORM_WORD, .word = "None", .absent = "None"},
	{"Public", "Security", .form = FORM_ELEMENTS},
	{"Public", "NetworkService", .form = FORM_ELEMENTS},
	{"ReceiveBuffer", "ReceiveBufferSize", FORM_COUNT, CHECKED, 1, MESSAGES_MAX, "200"},
	{"Security", "SecurityLevel", FORM_WORD, .word = "plaintext", .absent = "plaintext"},
	{"NetworkService", "EnhancedDelivery", .form = FORM_ELEMENTS},
	{"EnhancedDelivery", "StartService", FORM_WORD, .word = "no", .absent = "no"},

	{"Adapter", "MessageBufferSize", FORM_COUNT, AT(message_buffer), 1, MESSAGES_MAX, "100"},
	{"Adapter", "Interfaces", .form = FORM_ELEMENTS},
	{"Adapter", "ConfiguredAddressListNum", FORM_COUNT, AT(lists), 0, OVERLAY_LISTS_MAX},
	{"Adapter", "ConfiguredAddressList", FORM_OTHER, .many = true},
	{"Interfaces", "Interface", FORM_OTHER, .take = take_interface, .many = true},
	{"Interface", "ID", FORM_NAME, OF(id)},
	/* They choose among active interfaces; here a node has only one. */
	{"Interface", "PathPreferences", FORM_INTEGERS, .min = 2, .word = "two numbers, \"1,3\""},
	{"Interface", "Active", FORM_BOOLEAN, OF(active)},
	{"Interface", "Type", FORM_CHOICE, .word = KINDS},
	{"Type", "UDPInterface", FORM_ELEMENTS, .min = OVERLAY_UDP, .take = set_kind},
	{"Type", "TCPInterface", FORM_ELEMENTS, .min = OVERLAY_TCP, .take = set_kind},
	{"Type", "MulticastUnicastInterface", FORM_ELEMENTS, .min = OVERLAY_PAIR, .take = set_kind},
	{"UDPInterface", "MaximumPacketLength", FORM_COUNT, OF(plan.message_max), UDP_BYTES},
	{"TCPInterface", "MaximumPacketLength", FORM_COUNT, OF(plan.message_max), TCP_BYTES},
	{"TCPInterface", "Timeout", FORM_TIME, OF(plan.connect_timeout), 1, DAY},
	{"TCPInterface", "MaxIdleTime", FORM_TIME, OF(plan.idle_max), 1, DAY},
	{"TCPInterface", "MaxBacklog", FORM_COUNT, OF(plan.backlog), 1, 65535},
	{IP_TYPES, "PhyAddr", FORM_CHOICE, .word = ADDRESS_KIND},
	{IP_TYPES, "AddressRealm", FORM_NAME, OF(realm)},
	{IP_TYPES, "AllowRandomPhyAddrPort", FORM_BOOLEAN, OF(plan.any_port)},
	{IP_TYPES, "NetworkInterface", FORM_WORD, .word = "none"},
	{"MulticastUnicastInterface", "Unicast", FORM_CHOICE, .word = "UDPInterface"},
	{"MulticastUnicastInterface", "Multicast", FORM_CHOICE, .word = "UDPMulticastInterface"},
	{"Unicast", "UDPInterface", .form = FORM_ELEMENTS},
	{"Multicast", "UDPMulticastInterface", .form = FORM_ELEMENTS},
	{"UDPMulticastInterface", "MulticastAddress", FORM_CHOICE, .word = ADDRESS_KIND},
	{"UDPMulticastInterface", "AddressRealm", FORM_NAME, OF(group_realm)},
	{"UDPMulticastInterface", "AllowRandomPhyAddrPort", FORM_BOOLEAN, CHECKED},
	{"UDPMulticastInterface", "MaximumPacketLength", FORM_COUNT, OF(plan.group_max), UDP_BYTES},
	{"UDPMulticastInterface", "NetworkInterface", FORM_NAME, IN_TEXT, .take = take_device},
	{"PhyAddr|MulticastAddress", ADDRESS_KIND, FORM_VALUE, IN_TEXT, .word = "a.b.c.d:port",
	 .take = take_ipv4},
	{"ConfiguredAddressList", "Name", FORM_NAME, LIST(name)},
	{"ConfiguredAddressList", "Source", FORM_WORD, .word = "configuration"},
	{"ConfiguredAddressList", "InterfaceAddressNum", FORM_COUNT, LIST(number), 0,
	 OVERLAY_CONTACTS_MAX},
	{"ConfiguredAddressList", "InterfaceAddress", FORM_OTHER, .take = taker_list_address,
	 .many = true},

	{"Node", "DTBuddyList", FORM_OTHER, .min = OVERLAY_DT_BUDDIES, .take = take_protocol},
	{"Node", "DTBroadcast", FORM_OTHER, .min = OVERLAY_DT_BROADCAST, .take = take_protocol},
	{"Node", "SPT", FORM_OTHER, .min = OVERLAY_SPT, .take = take_protocol},
	{"Node", "NONE", FORM_OTHER, .min = OVERLAY_NONE, .take = take_protocol},
	{"DTBuddyList", "IAmHereTime", FORM_TIME, AT(node.rendezvous), 1, DAY},
	{"DTBuddyList", "UsingStaticBuddyList", FORM_BOOLEAN, AT(static_buddies)},
	{"DTBuddyList", "UsingDynamicBuddyList", FORM_BOOLEAN, AT(dynamic_buddies)},
	{"DTBuddyList", "BuddyListName", FORM_NAME, LIST(name)},
	{"DTBuddyList", "BuddyCacheSize", FORM_COUNT, AT(node.buddy_cache), 0,
	 OVERLAY_CONTACTS_MAX},
	{DT_TYPES, "FastHeartbeatTime", FORM_TIME, AT(node.heartbeat_fast), 1, DAY},
	{DT_TYPES, "SlowHeartbeatTime", FORM_TIME, AT(node.heartbeat_slow), 1, DAY},
	{DT_TYPES, "TimeoutTime", FORM_TIME, AT(node.timeout), 1, DAY},
	{DT_TYPES, "Verification", FORM_NAME, IN_TEXT, .take = take_verification},
	{"SPT", "NeighborTimeout", FORM_TIME, AT(node.timeout), 1, DAY},
	{"SPT", "AdjacencyTimeout", FORM_TIME, AT(node.adjacency_timeout), 1, DAY},
	{"SPT", "MsgMaxAge", FORM_TIME, AT(node.age_max), 1, DAY},
	{"SPT", "RootHistoryTimeout", FORM_TIME, AT(node.root_history), 1, DAY},
	{"SPT", "RouteCacheTimeout", FORM_TIME, AT(node.route_cache), 1, DAY},
	{"SPT", "JumpThreshold", FORM_COUNT, AT(node.jump_threshold), 0, 10000},
	{"SPT", "TopologyPolicy", FORM_WORD, .word = "Cost"},
	{"DTBroadcast|SPT", "BeaconTime", FORM_TIME, AT(node.rendezvous), 1, DAY},
	{"DTBuddyList|DTBroadcast|SPT", "Coords", FORM_CHOICE, .word = COORDS},
	{"Coords", "FIXED", FORM_CHOICE, .word = FIXES},
	{"Coords", "RANDOM", FORM_CHOICE, .word = FRAMES},
	{"FIXED", "coordinate", FORM_INTEGERS, .word = "x,y", .take = take_point},
	{"RANDOM", "base", FORM_INTEGERS, .min = 1, .word = "a number from 2 up",
	 .take = take_base},
	{"RANDOM", "frame", FORM_INTEGERS, .min = 4, .word = "x,y,width,height",
	 .take = take_frame},
	{"NONE", "Neighbors", FORM_TEXT, .word = OVERLAY_ADDRESS_FORM "; ..."},
	{},
};

static int take_root(struct overlay_taker *t, const struct np_xml *root)
{
	static const char *const wanted[] = {"Adapter", "Node"};
	const struct overlay_config *config = t->config;
	const struct np_xml *node, *at;
	bool pair, spanning;
	int rc;

	if (strcmp(root->name, "Public"))
		return taker_wrong(t, root, "no configuration of an overlay; expected <Public>");
	rc = taker_children(t, root);
	for (unsigned i = 0; !rc && i < 2; i++)
		if (!np_xml_child(root, wanted[i]))
			return taker_wrong(t, root, "no <%s>; expected one", wanted[i]);
	if (!rc && !config->interface.active) {
		node = np_xml_child(root, "Adapter");
		at = np_xml_child(node, "Interfaces");
		return taker_wrong(t, at ? at : node,
				   "no active interface; expected an <Interface> that is not "
				   "<Active>false</Active>");
	}
	if (!rc)
		rc = taker_contacts(t, root);
	if (rc)
		return rc;
	/* What a protocol asks of the rest. */
	spanning = config->node.protocol == OVERLAY_SPT;
	pair = config->interface.plan.kind == OVERLAY_PAIR;
	node = np_xml_child(root, "Node");
	if (!pair && (spanning || config->node.protocol == OVERLAY_DT_BROADCAST))
		return taker_wrong(t, node->child,
				   "needs a multicast group; expected an active interface of the "
				   "Type MulticastUnicastInterface");
	if (spanning && !config->node.route_records)
		return taker_wrong(t, node->child,
				   "messages go in circles when RouteRecordSize is 0; expected "
				   "<RouteRecordSize>2</RouteRecordSize> in <Public>");
	return taker_hash(t, root);
}

int overlay_config_parse(struct overlay_config *config, const char *file, const char *text,
			 size_t bytes, const struct np_log *log, struct np_fault *fault)
{
	static const struct np_xml_kind kind = {
		.doctype = "a document type; expected a configuration without one",
	};
	struct overlay_taker t = {
		.config = config, .file = file, .log = log, .fault = fault, .rules = rules};
	struct np_xml *root;
	int rc;

	*config = (struct overlay_config){.node.hop_limit = 255, .message_buffer = 100};
	rc = np_xml_parse(&root, &kind, file, text, bytes, fault);
	if (!rc)
		rc = take_root(&t, root);
	np_xml_free(root);
	return rc;
}

int overlay_config_read(struct overlay_config *config, const char *file, const struct np_log *log,
			struct np_fault *fault)
{
	const size_t room = NP_XML_BYTES_MAX + 1;
	FILE *in = fopen(file, "re");
	char *text = malloc(room);
	int rc = in && text ? 0 : -errno;
	size_t bytes;

	*config = (struct overlay_config){};
	if (!rc) {
		bytes = fread(text, 1, room, in);
		rc = ferror(in) ? -errno : 0;
	}
	if (rc)
		rc = np_fault_errno(fault, rc, file);
	else
		rc = overlay_config_parse(config, file, text, bytes, log, fault);
	if (in)
		fclose(in);
	free(text);
	return rc;
}

void overlay_config_free(struct overlay_config *config)
{
	free(config->contact);
	*config = (struct overlay_config){};
}

/* A configuration to start from, which shows the defaults. */
static const char template[] =
	"<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
	"<!-- The configuration of one node of a HyperCast 4 overlay. Every value is the default:\n"
	"     an element may be left out. Times are in milliseconds. Each node has a file of its\n"
	"     own; OverlayID, HashAttributes and AddressRealm are the same in all of them. -->\n"
	"<Public>\n"
	"  <!-- The name of the overlay. It keeps overlays apart only if HashAttributes names it:\n"
	"       <HashAttributes>/Public/OverlayID</HashAttributes>, paths between commas. -->\n"
	"  <OverlayID></OverlayID>\n"
	"  <HashAttributes></HashAttributes>\n"
	"  <!-- Most hops of a message, 1 to 255. -->\n"
	"  <HopLimit>255</HopLimit>\n"
	"  <!-- How many of its latest hops a message remembers, 0 to 255. 2 is advised: no\n"
	"       message goes in circles then. SPT needs it. -->\n"
	"  <RouteRecordSize>0</RouteRecordSize>\n"
	"  <!-- Messages that wait for the program; how long it waits for one, 0: for ever. -->\n"
	"  <ReceiveBuffer><ReceiveBufferSize>200</ReceiveBufferSize></ReceiveBuffer>\n"
	"  <ReadTimeout>0</ReadTimeout>\n"
	"  <Adapter>\n"
	"    <!-- Messages that wait, to be read and to be sent; 1000 to measure with. -->\n"
	"    <MessageBufferSize>100</MessageBufferSize>\n"
	"    <Interfaces>\n"
	"      <Interface>\n"
	"        <!-- A name for the address lists below. PathPreferences choose among active\n"
	"             interfaces, and a node has one. -->\n"
	"        <ID>0</ID>\n"
	"        <PathPreferences>-1,-1</PathPreferences>\n"
	"        <Active>true</Active>\n"
	"        <Type>\n"
	"          <!-- UDPInterface or TCPInterface, or for DTBroadcast and SPT:\n"
	"               <MulticastUnicastInterface>\n"
	"                 <Unicast><UDPInterface>... as below ...</UDPInterface></Unicast>\n"
	"                 <Multicast><UDPMulticastInterface>\n"
	"                   <MulticastAddress>\n"
	"                     <INETV4AndOnePort>224.228.19.78:9472</INETV4AndOnePort>\n"
	"                   </MulticastAddress>\n"
	"                   <AddressRealm>public_internet</AddressRealm>\n"
	"                   <NetworkInterface>none</NetworkInterface>\n"
	"                 </UDPMulticastInterface></Multicast>\n"
	"               </MulticastUnicastInterface> -->\n"
	"          <UDPInterface>\n"
	"            <!-- Where others reach this node: give the address of one of its interfaces\n"
	"                 and a port. 0.0.0.0 looks for an address, port 0 takes any. -->\n"
	"            <PhyAddr><INETV4AndOnePort>0.0.0.0:0</INETV4AndOnePort></PhyAddr>\n"
	"            <!-- Nodes reach each other within one realm only. -->\n"
	"            <AddressRealm>public_internet</AddressRealm>\n"
	"            <!-- Yes: takes any other port if that one is in use. -->\n"
	"            <AllowRandomPhyAddrPort>Yes</AllowRandomPhyAddrPort>\n"
	"            <!-- Bytes of the longest message: 512 to 65507, over TCP to 16777216. -->\n"
	"            <MaximumPacketLength>8192</MaximumPacketLength>\n"
	"            <!-- TCPInterface only: to connect, and until it is closed when idle.\n"
	"            <Timeout>3000</Timeout>\n"
	"            <MaxIdleTime>10000</MaxIdleTime>\n"
	"            <MaxBacklog>50</MaxBacklog> -->\n"
	"          </UDPInterface>\n"
	"        </Type>\n"
	"      </Interface>\n"
	"    </Interfaces>\n"
	"    <!-- Lists of addresses, and how many there are. The buddies of DTBuddyList:\n"
	"    <ConfiguredAddressListNum>1</ConfiguredAddressListNum>\n"
	"    <ConfiguredAddressList>\n"
	"      <Name>DT_BUDDYLIST</Name>\n"
	"      <Source>configuration</Source>\n"
	"      <InterfaceAddressNum>2</InterfaceAddressNum>\n"
	"      <InterfaceAddress>0|192.0.2.1:8888</InterfaceAddress>\n"
	"      <InterfaceAddress>public_internet % 192.0.2.2:8888</InterfaceAddress>\n"
	"    </ConfiguredAddressList> -->\n"
	"    <ConfiguredAddressListNum>0</ConfiguredAddressListNum>\n"
	"  </Adapter>\n"
	"  <!-- DTBuddyList, DTBroadcast, SPT or NONE. -->\n"
	"  <Node><DTBuddyList>\n"
	"    <!-- Between two heartbeats while neighbours change, and when they agree. -->\n"
	"    <FastHeartbeatTime>250</FastHeartbeatTime>\n"
	"    <SlowHeartbeatTime>2000</SlowHeartbeatTime>\n"
	"    <!-- A neighbour that is silent for longer is dead. -->\n"
	"    <TimeoutTime>10000</TimeoutTime>\n"
	"    <!-- Between two calls to a buddy. DTBroadcast has BeaconTime, 250, instead. -->\n"
	"    <IAmHereTime>2000</IAmHereTime>\n"
	"    <!-- Which messages are forwarded: neighborcheck means those by the reverse path,\n"
	"         neighborCheck those of any neighbour (both spellings are HyperCast's). -->\n"
	"    <Verification>neighborcheck</Verification>\n"
	"    <!-- Whom a node asks that joins: the list above; neighbours that fell silent. -->\n"
	"    <UsingStaticBuddyList>true</UsingStaticBuddyList>\n"
	"    <UsingDynamicBuddyList>false</UsingDynamicBuddyList>\n"
	"    <!-- <BuddyListName>DT_BUDDYLIST</BuddyListName> -->\n"
	"    <BuddyCacheSize>10</BuddyCacheSize>\n"
	"    <!-- The logical address. A node that others send to has a fixed one, not 0,0:\n"
	"         <Coords><FIXED><coordinate>500,500</coordinate></FIXED></Coords>\n"
	"         RANDOM has <base>N</base>, from 0 to N-1, or <frame>x,y,width,height</frame>.\n"
	"         No two nodes may have the same, no four may lie on one circle: one moves. -->\n"
	"    <Coords><RANDOM><base>10000</base></RANDOM></Coords>\n"
	"  </DTBuddyList></Node>\n"
	"  <!-- SPT: <Node><SPT>\n"
	"         <BeaconTime>1000</BeaconTime>\n"
	"         <NeighborTimeout>5000</NeighborTimeout>\n"
	"         <AdjacencyTimeout>20000</AdjacencyTimeout>\n"
	"         <MsgMaxAge>5000</MsgMaxAge>\n"
	"         <RootHistoryTimeout>20000</RootHistoryTimeout>\n"
	"         <RouteCacheTimeout>20000</RouteCacheTimeout>\n"
	"         <JumpThreshold>1</JumpThreshold>\n"
	"         <TopologyPolicy>Cost</TopologyPolicy>\n"
	"         <Coords><RANDOM><base>600</base></RANDOM></Coords>\n"
	"       </SPT></Node>\n"
	"       NONE, without a protocol: <Node><NONE>\n"
	"         <Neighbors>0|192.0.2.1:8888;0|192.0.2.2:8888</Neighbors>\n"
	"       </NONE></Node> -->\n"
	"</Public>\n";

int np_overlay_print_template(FILE *out)
{
	return fputs(template, out) < 0 || fflush(out) ? -errno : 0;
}
