// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* config_interface: the interfaces of a configuration, their addresses and realms. */
#include "config_take.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A message has to fit a datagram of IPv4; over TCP it may be as long as node.h takes. */
#define PACKET_MIN	 512
#define PACKET_MAX_UDP	 65507
#define PACKET_MAX_TCP	 (1U << 24)
#define PACKET_DEFAULT	 8192
#define MILLISECONDS_MAX 86400000
#define GROUP_IP	 0xe0e4134eU /* 224.228.19.78 */
#define GROUP_PORT	 9472
#define REALM		 "public_internet"
#define KINDS		 "UDPInterface, TCPInterface or MulticastUnicastInterface"

static int take_ipv4(struct overlay_taker *t, const struct overlay_xml *element, void *endpoint)
{
	static const char expected[] = "a.b.c.d:port";
	char text[OVERLAY_NAME];
	int rc = overlay_take_text(t, element, text, sizeof(text), expected);

	if (!rc && overlay_parse_endpoint(text, endpoint))
		rc = overlay_take_fault(t, element, -EINVAL,
					"\"%.60s\"; expected %s, port 0 to 65535", text, expected);
	return rc;
}

static int take_address(struct overlay_taker *t, const struct overlay_xml *element, void *endpoint)
{
	static const char expected[] = "INETV4AndOnePort";
	static const struct overlay_rule rules[] = {
		{.name = expected, .form = OVERLAY_FORM_OTHER, .take = take_ipv4},
		{.name = "INETV4AndTwoPorts", .form = OVERLAY_FORM_REFUSED, .word = expected},
		{.name = "INETV6AndOnePort", .form = OVERLAY_FORM_REFUSED, .word = expected},
		{},
	};

	return overlay_take_choice(t, element, endpoint, rules, expected);
}

static int take_group_address(struct overlay_taker *t, const struct overlay_xml *element,
			      void *endpoint)
{
	const struct overlay_endpoint *group = endpoint;
	const int rc = take_address(t, element, endpoint);

	if (!rc && (group->ip >> 28 != 0xe || !group->port))
		return overlay_take_fault(t, element, -EINVAL,
					  "no multicast group; expected 224.0.0.0 to "
					  "239.255.255.255 and a port from 1 to 65535");
	return rc;
}

static int take_device(struct overlay_taker *t, const struct overlay_xml *element, void *device)
{
	char text[OVERLAY_NAME];
	const int rc = overlay_take_name(t, element, text);

	if (rc)
		return rc;
	if (!strcmp(text, "none"))
		text[0] = '\0';
	if (strlen(text) >= IF_NAMESIZE)
		return overlay_take_fault(t, element, -EINVAL,
					  "\"%s\"; expected none or an interface's name of at most "
					  "%d characters",
					  text, IF_NAMESIZE - 1);
	memcpy(device, text, strlen(text) + 1);
	return 0;
}

#define AT(member) offsetof(struct overlay_interface, member)
#define COMMON(packet_most)                                                                        \
	{.name = "PhyAddr",                                                                        \
	 .form = OVERLAY_FORM_OTHER,                                                               \
	 .offset = AT(address),                                                                    \
	 .take = take_address},                                                                    \
		{.name = "AddressRealm", .form = OVERLAY_FORM_NAME, .offset = AT(realm)},          \
		{.name = "AllowRandomPhyAddrPort",                                                 \
		 .form = OVERLAY_FORM_BOOLEAN,                                                     \
		 .offset = AT(random_port)},                                                       \
		{.name = "MaximumPacketLength",                                                    \
		 .form = OVERLAY_FORM_COUNT,                                                       \
		 .offset = AT(packet_max),                                                         \
		 .min = PACKET_MIN,                                                                \
		 .max = (packet_most)},                                                            \
		{.name = "StatName", .form = OVERLAY_FORM_UNUSED},                                 \
	{                                                                                          \
		.name = "NetworkInterface", .form = OVERLAY_FORM_WORD, .word = "none"              \
	}

static int take_udp(struct overlay_taker *t, const struct overlay_xml *element, void *interface)
{
	static const struct overlay_rule rules[] = {COMMON(PACKET_MAX_UDP), {}};

	return overlay_take_children(t, element, interface, rules);
}

static int take_tcp(struct overlay_taker *t, const struct overlay_xml *element, void *interface)
{
	static const struct overlay_rule rules[] = {
		COMMON(PACKET_MAX_TCP),
		{.name = "Timeout",
		 .form = OVERLAY_FORM_TIME,
		 .offset = AT(connect_timeout),
		 .min = 1,
		 .max = MILLISECONDS_MAX},
		{.name = "MaxIdleTime",
		 .form = OVERLAY_FORM_TIME,
		 .offset = AT(idle_max),
		 .min = 1,
		 .max = MILLISECONDS_MAX},
		{.name = "MaxBacklog",
		 .form = OVERLAY_FORM_COUNT,
		 .offset = AT(backlog),
		 .min = 1,
		 .max = 65535},
		{},
	};

	((struct overlay_interface *)interface)->kind = OVERLAY_INTERFACE_TCP;
	return overlay_take_children(t, element, interface, rules);
}

#define GROUP(member) offsetof(struct overlay_group, member)

static int take_multicast(struct overlay_taker *t, const struct overlay_xml *element, void *group)
{
	static const struct overlay_rule rules[] = {
		{.name = "MulticastAddress",
		 .form = OVERLAY_FORM_OTHER,
		 .offset = GROUP(address),
		 .take = take_group_address},
		{.name = "AddressRealm", .form = OVERLAY_FORM_NAME, .offset = GROUP(realm)},
		{.name = "AllowRandomPhyAddrPort",
		 .form = OVERLAY_FORM_BOOLEAN,
		 .offset = GROUP(random_port)},
		{.name = "MaximumPacketLength",
		 .form = OVERLAY_FORM_COUNT,
		 .offset = GROUP(packet_max),
		 .min = PACKET_MIN,
		 .max = PACKET_MAX_UDP},
		{.name = "StatName", .form = OVERLAY_FORM_UNUSED},
		{.name = "NetworkInterface",
		 .form = OVERLAY_FORM_OTHER,
		 .offset = GROUP(network_interface),
		 .take = take_device},
		{},
	};

	return overlay_take_children(t, element, group, rules);
}

static int take_unicast_half(struct overlay_taker *t, const struct overlay_xml *element,
			     void *interface)
{
	static const char expected[] = "UDPInterface";
	static const struct overlay_rule rules[] = {
		{.name = expected, .form = OVERLAY_FORM_OTHER, .take = take_udp},
		{.name = "TCPInterface", .form = OVERLAY_FORM_REFUSED, .word = expected},
		{},
	};

	return overlay_take_choice(t, element, interface, rules, expected);
}

static int take_multicast_half(struct overlay_taker *t, const struct overlay_xml *element,
			       void *group)
{
	static const char expected[] = "UDPMulticastInterface";
	static const struct overlay_rule rules[] = {
		{.name = expected, .form = OVERLAY_FORM_OTHER, .take = take_multicast},
		{},
	};

	return overlay_take_choice(t, element, group, rules, expected);
}

static int take_pair(struct overlay_taker *t, const struct overlay_xml *element, void *interface)
{
	static const struct overlay_rule rules[] = {
		{.name = "Unicast", .form = OVERLAY_FORM_OTHER, .take = take_unicast_half},
		{.name = "Multicast",
		 .form = OVERLAY_FORM_OTHER,
		 .offset = AT(group),
		 .take = take_multicast_half},
		{},
	};
	struct overlay_interface *made = interface;
	int rc;

	made->kind = OVERLAY_INTERFACE_PAIR;
	made->group = (struct overlay_group){.address = {GROUP_IP, GROUP_PORT},
					     .realm = REALM,
					     .packet_max = PACKET_DEFAULT,
					     .random_port = true};
	rc = overlay_take_children(t, element, made, rules);
	if (!rc && strcmp(made->realm, made->group.realm))
		rc = overlay_take_fault(t, element, -EINVAL,
					"AddressRealm \"%s\" of Unicast and \"%s\" of Multicast; "
					"expected the same in both",
					made->realm, made->group.realm);
	return rc;
}

static int take_type(struct overlay_taker *t, const struct overlay_xml *element, void *interface)
{
	static const struct overlay_rule rules[] = {
		{.name = "UDPInterface", .form = OVERLAY_FORM_OTHER, .take = take_udp},
		{.name = "TCPInterface", .form = OVERLAY_FORM_OTHER, .take = take_tcp},
		{.name = "MulticastUnicastInterface",
		 .form = OVERLAY_FORM_OTHER,
		 .take = take_pair},
		{.name = "UDPMulticastInterface",
		 .form = OVERLAY_FORM_REFUSED,
		 .word = "MulticastUnicastInterface, which tells who sent a message"},
		{.name = "SSLInterface", .form = OVERLAY_FORM_REFUSED, .word = KINDS},
		{.name = "BluetoothInterface", .form = OVERLAY_FORM_REFUSED, .word = KINDS},
		{.name = "BluecoveInterface", .form = OVERLAY_FORM_REFUSED, .word = KINDS},
		{},
	};

	return overlay_take_choice(t, element, interface, rules, KINDS);
}

/* They choose among active interfaces; here a node has only one. */
static int check_preferences(struct overlay_taker *t, const struct overlay_xml *element,
			     void *unused)
{
	static const char expected[] = "two numbers, \"1,3\"";
	char text[OVERLAY_NAME];
	const int rc = overlay_take_text(t, element, text, sizeof(text), expected);
	int32_t read[2];

	(void)unused;
	if (!rc && overlay_parse_integers(text, read, 2))
		return overlay_take_fault(t, element, -EINVAL, "\"%s\"; expected %s", text,
					  expected);
	return rc;
}

static int check_interface(struct overlay_taker *t, const struct overlay_xml *element,
			   struct overlay_interface *made)
{
	static const char *const kinds[] = {"IPv4_UDP", "IPv4_TCP", "IPv4_UDPxIPv4_UDPMulticast"};

	if (!overlay_xml_child(element, "Type"))
		return overlay_take_fault(t, element, -EINVAL, "no <Type>; expected one with %s",
					  KINDS);
	if (!made->address.port && !made->random_port)
		return overlay_take_fault(t, element, -EINVAL,
					  "its port is 0; expected a port in PhyAddr, or "
					  "AllowRandomPhyAddrPort Yes");
	for (unsigned i = 0; i < t->config->interface_count; i++)
		if (!strcmp(t->config->interface[i].id, made->id))
			return overlay_take_fault(t, element, -EINVAL,
						  "its ID \"%s\" is that of the interface on line "
						  "%u; expected another",
						  made->id, t->config->interface[i].line);
	made->realm_hash = overlay_hash_realm(made->realm, kinds[made->kind]);
	return 0;
}

static int take_interface(struct overlay_taker *t, const struct overlay_xml *element, void *unused)
{
	static const struct overlay_rule rules[] = {
		{.name = "ID", .form = OVERLAY_FORM_NAME, .offset = AT(id)},
		{.name = "PathPreferences", .form = OVERLAY_FORM_OTHER, .take = check_preferences},
		{.name = "Active", .form = OVERLAY_FORM_BOOLEAN, .offset = AT(active)},
		{.name = "Type", .form = OVERLAY_FORM_OTHER, .take = take_type},
		{},
	};
	struct overlay_interface made = {
		.id = "0",
		.active = true,
		.realm = REALM,
		.random_port = true,
		.packet_max = PACKET_DEFAULT,
		.connect_timeout = 3000 * NP_MILLISECOND,
		.idle_max = 10000 * NP_MILLISECOND,
		.backlog = 50,
		.line = element->line,
	};
	int rc;

	(void)unused;
	if (t->config->interface_count == OVERLAY_INTERFACES_MAX)
		return overlay_take_fault(t, element, -E2BIG, "one too many; expected at most %d",
					  OVERLAY_INTERFACES_MAX);
	rc = overlay_take_children(t, element, &made, rules);
	if (!rc)
		rc = check_interface(t, element, &made);
	if (!rc)
		t->config->interface[t->config->interface_count++] = made;
	return rc;
}

int overlay_take_interfaces(struct overlay_taker *t, const struct overlay_xml *element,
			    void *config)
{
	static const struct overlay_rule rules[] = {
		{.name = "Interface",
		 .form = OVERLAY_FORM_OTHER,
		 .take = take_interface,
		 .many = true},
		{},
	};
	bool active = false;
	const int rc = overlay_take_children(t, element, config, rules);

	for (unsigned i = 0; i < t->config->interface_count; i++)
		active = active || t->config->interface[i].active;
	if (!rc && !active)
		return overlay_take_fault(
			t, element, -EINVAL,
			"no active interface; expected an <Interface> that is not "
			"<Active>false</Active>");
	return rc;
}
