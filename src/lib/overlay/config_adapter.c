// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* config_adapter: the interfaces of a configuration, and its lists of addresses. */
#include "config_take.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A message has to fit a datagram of IPv4; over TCP it may be as long as node.h takes. */
#define PACKET_MIN	 512
#define PACKET_MAX_UDP	 65507
#define PACKET_MAX_TCP	 (1U << 24)
#define PACKET_DEFAULT	 8192
#define MILLISECONDS_MAX 86400000
#define GROUP		 overlay_endpoint(0xe0e4134e, 9472) /* 224.228.19.78 */
#define REALM		 "public_internet"
#define ADDRESS_KIND	 "INETV4AndOnePort"
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

static const struct overlay_rule address_rules[] = {
	{.name = ADDRESS_KIND, .take = take_ipv4},
	{.name = "INETV4AndTwoPorts", FORM_REFUSED, .word = ADDRESS_KIND},
	{.name = "INETV6AndOnePort", FORM_REFUSED, .word = ADDRESS_KIND},
	{},
};

static int take_group_address(struct overlay_taker *t, const struct overlay_xml *element,
			      void *endpoint)
{
	const struct np_address *group = endpoint;
	const struct sockaddr_in *in = (const void *)&group->storage;
	const int rc = overlay_take_choice(t, element, endpoint, address_rules, ADDRESS_KIND);

	if (!rc && (!IN_MULTICAST(ntohl(in->sin_addr.s_addr)) || !in->sin_port))
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
static const struct overlay_rule udp_rules[] = {
	{.name = "PhyAddr",
	 .offset = AT(plan.local),
	 .inside = address_rules,
	 .word = ADDRESS_KIND},
	{.name = "AddressRealm", FORM_NAME, AT(realm)},
	{.name = "AllowRandomPhyAddrPort", FORM_BOOLEAN, AT(plan.any_port)},
	{.name = "MaximumPacketLength",
	 FORM_COUNT,
	 AT(plan.message_max),
	 PACKET_MIN,
	 PACKET_MAX_UDP},
	{.name = "StatName", FORM_UNUSED},
	{.name = "NetworkInterface", FORM_WORD, .word = "none"},
	{},
};

static const struct overlay_rule tcp_rules[] = {
	{.name = "MaximumPacketLength",
	 FORM_COUNT,
	 AT(plan.message_max),
	 PACKET_MIN,
	 PACKET_MAX_TCP},
	{.name = "Timeout", FORM_TIME, AT(plan.connect_timeout), 1, MILLISECONDS_MAX},
	{.name = "MaxIdleTime", FORM_TIME, AT(plan.idle_max), 1, MILLISECONDS_MAX},
	{.name = "MaxBacklog", FORM_COUNT, AT(plan.backlog), 1, 65535},
	{.inside = udp_rules},
};

static const struct overlay_rule group_rules[] = {
	{.name = "MulticastAddress", .offset = AT(plan.group), .take = take_group_address},
	{.name = "AddressRealm", FORM_NAME, AT(group_realm)},
	{.name = "AllowRandomPhyAddrPort", FORM_BOOLEAN, AT(group_port)},
	{.name = "MaximumPacketLength", FORM_COUNT, AT(plan.group_max), PACKET_MIN, PACKET_MAX_UDP},
	{.name = "StatName", FORM_UNUSED},
	{.name = "NetworkInterface", .offset = AT(plan.group_device), .take = take_device},
	{},
};

static const struct overlay_rule unicast_rules[] = {
	{.name = "UDPInterface", .inside = udp_rules},
	{.name = "TCPInterface", FORM_REFUSED, .word = "UDPInterface"},
	{},
};

static const struct overlay_rule multicast_rules[] = {
	{.name = "UDPMulticastInterface", .inside = group_rules},
	{},
};

static const struct overlay_rule pair_rules[] = {
	{.name = "Unicast", .inside = unicast_rules, .word = "UDPInterface"},
	{.name = "Multicast", .inside = multicast_rules, .word = "UDPMulticastInterface"},
	{},
};

static int take_pair(struct overlay_taker *t, const struct overlay_xml *element, void *interface)
{
	const struct overlay_interface *made = interface;
	const int rc = overlay_take_children(t, element, interface, pair_rules);

	if (!rc && strcmp(made->realm, made->group_realm) != 0)
		return overlay_take_fault(t, element, -EINVAL,
					  "AddressRealm \"%s\" of Unicast and \"%s\" of "
					  "Multicast; expected the same in both",
					  made->realm, made->group_realm);
	return rc;
}

static const struct overlay_rule type_rules[] = {
	{.name = "UDPInterface", .inside = udp_rules},
	{.name = "TCPInterface", .inside = tcp_rules},
	{.name = "MulticastUnicastInterface", .take = take_pair},
	{.name = "UDPMulticastInterface",
	 FORM_REFUSED,
	 .word = "MulticastUnicastInterface, which tells who sent a message"},
	{.name = "SSLInterface", FORM_REFUSED, .word = KINDS},
	{.name = "BluetoothInterface", FORM_REFUSED, .word = KINDS},
	{.name = "BluecoveInterface", FORM_REFUSED, .word = KINDS},
	{},
};

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
	const struct overlay_xml *type = overlay_xml_child(element, "Type");

	if (!type)
		return overlay_take_fault(t, element, -EINVAL, "no <Type>; expected one with %s",
					  KINDS);
	if (!np_address_port(&made->plan.local) && !made->plan.any_port)
		return overlay_take_fault(t, element, -EINVAL,
					  "its port is 0; expected a port in PhyAddr, or "
					  "AllowRandomPhyAddrPort Yes");
	for (unsigned i = 0; i < t->config->interface_count; i++)
		if (!strcmp(t->config->interface[i].id, made->id))
			return overlay_take_fault(t, element, -EINVAL,
						  "its ID \"%s\" is that of the interface on line "
						  "%u; expected another",
						  made->id, t->config->interface[i].line);
	if (!strcmp(type->child->name, "TCPInterface"))
		made->kind = OVERLAY_TCP;
	else if (!strcmp(type->child->name, "MulticastUnicastInterface"))
		made->kind = OVERLAY_PAIR;
	made->plan.realm = overlay_hash_realm(made->realm, made->kind);
	return 0;
}

static int take_interface(struct overlay_taker *t, const struct overlay_xml *element, void *unused)
{
	static const struct overlay_rule rules[] = {
		{.name = "ID", FORM_NAME, AT(id)},
		{.name = "PathPreferences", .take = check_preferences},
		{.name = "Active", FORM_BOOLEAN, AT(active)},
		{.name = "Type", .word = KINDS, .inside = type_rules},
		{},
	};
	struct overlay_interface made = {
		.id = "0",
		.active = true,
		.line = element->line,
		.realm = REALM,
		.group_realm = REALM,
		.plan = {.local = overlay_endpoint(0, 0),
			 .any_port = true,
			 .message_max = PACKET_DEFAULT,
			 .group = GROUP,
			 .group_max = PACKET_DEFAULT,
			 .connect_timeout = 3000 * NP_MILLISECOND,
			 .idle_max = 10000 * NP_MILLISECOND,
			 .backlog = 50},
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

static int take_interfaces(struct overlay_taker *t, const struct overlay_xml *element, void *config)
{
	static const struct overlay_rule rules[] = {
		{.name = "Interface", .take = take_interface, .many = true},
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

static int take_list(struct overlay_taker *t, const struct overlay_xml *element, void *unused)
{
	(void)unused;
	if (t->list_count == OVERLAY_LISTS_MAX)
		return overlay_take_fault(t, element, -E2BIG, "one too many; expected at most %d",
					  OVERLAY_LISTS_MAX);
	t->list[t->list_count++] = element;
	return 0;
}

/* HyperCast reads as many lists as ConfiguredAddressListNum says. */
int overlay_take_adapter(struct overlay_taker *t, const struct overlay_xml *element, void *config)
{
	static const struct overlay_rule rules[] = {
		{.name = "MessageBufferSize",
		 FORM_COUNT,
		 offsetof(struct overlay_config, message_buffer),
		 1,
		 OVERLAY_MESSAGES_MAX},
		{.name = "Interfaces", .take = take_interfaces},
		{.name = "ConfiguredAddressListNum",
		 FORM_COUNT,
		 offsetof(struct overlay_config, lists),
		 0,
		 OVERLAY_LISTS_MAX},
		{.name = "ConfiguredAddressList", .take = take_list, .many = true},
		{},
	};
	const int rc = overlay_take_children(t, element, config, rules);
	const unsigned said = t->config->lists;

	if (!rc && said != t->list_count)
		return overlay_take_fault(t, element, -EINVAL,
					  "ConfiguredAddressListNum is %u with %u "
					  "<ConfiguredAddressList>; expected "
					  "<ConfiguredAddressListNum>%u</ConfiguredAddressListNum>",
					  said, t->list_count, t->list_count);
	return rc;
}

#define BLANKS	     " \t\r\n"
#define ADDRESS_ROOM (OVERLAY_NAME + 32)
#define ADDRESS	     "interface ID|a.b.c.d:port or realm % a.b.c.d:port"
#define DEFAULT_LIST "DT_BUDDYLIST"

/* Cuts off the blanks at both ends. */
static char *trim(char *text)
{
	char *end;

	text += strspn(text, BLANKS);
	for (end = text + strlen(text); end > text && strchr(BLANKS, end[-1]); end--)
		;
	*end = '\0';
	return text;
}

/* Finds an active interface by its ID, or by its realm. */
static const struct overlay_interface *find(const struct overlay_config *config, const char *name,
					    bool by_realm)
{
	for (unsigned i = 0; i < config->interface_count; i++) {
		const struct overlay_interface *at = &config->interface[i];

		if (at->active && !strcmp(by_realm ? at->realm : at->id, name))
			return at;
	}
	return NULL;
}

static int append(struct overlay_taker *t, const struct overlay_xml *element,
		  struct overlay_address made)
{
	struct overlay_config *config = t->config;
	const unsigned count = config->contact_count;
	struct overlay_address *larger = config->contact;

	if (count == OVERLAY_CONTACTS_MAX)
		return overlay_take_fault(t, element, -E2BIG, "one too many; expected at most %d",
					  OVERLAY_CONTACTS_MAX);
	/* Doubled when the count is a power of two. */
	if (!(count & (count - 1)))
		larger = realloc(larger, (count ? 2 * count : 1) * sizeof(*larger));
	if (!larger)
		return overlay_take_fault(t, element, -ENOMEM, "%s", strerror(ENOMEM));
	config->contact = larger;
	config->contact[config->contact_count++] = made;
	return 0;
}

/* @text is overwritten. */
static int take_address(struct overlay_taker *t, const struct overlay_xml *element, char *text)
{
	const struct overlay_interface *interface;
	const struct sockaddr_in *in;
	struct np_address endpoint;
	char whole[ADDRESS_ROOM], *sign, kind;

	memcpy(whole, text, strlen(text) + 1);
	sign = strpbrk(text, "|%");
	if (!sign)
		return overlay_take_fault(t, element, -EINVAL, "\"%s\"; expected %s", whole,
					  ADDRESS);
	kind = *sign;
	*sign = '\0';
	in = (const void *)&endpoint.storage;
	if (overlay_parse_endpoint(trim(sign + 1), &endpoint) || !in->sin_addr.s_addr ||
	    !in->sin_port)
		return overlay_take_fault(
			t, element, -EINVAL,
			"\"%s\"; expected %s, with an address that is not 0.0.0.0 "
			"and a port from 1 to 65535",
			whole, ADDRESS);
	interface = find(t->config, trim(text), kind == '%');
	if (!interface)
		return overlay_take_fault(t, element, -EINVAL,
					  "\"%s\": no active interface has the %s \"%s\"; expected "
					  "one of those in <Interfaces>",
					  whole, kind == '%' ? "realm" : "ID", trim(text));
	return append(t, element,
		      overlay_address_ipv4(ntohl(in->sin_addr.s_addr), ntohs(in->sin_port),
					   interface->plan.realm));
}

static int take_list_address(struct overlay_taker *t, const struct overlay_xml *element,
			     void *count)
{
	char text[ADDRESS_ROOM];
	const int rc = overlay_take_text(t, element, text, sizeof(text), ADDRESS);

	++*(unsigned *)count;
	return rc ? rc : take_address(t, element, text);
}

struct list {
	unsigned count; /* addresses of it */
	unsigned number;
	char name[OVERLAY_NAME];
};

static int read_list(struct overlay_taker *t, const struct overlay_xml *element, struct list *list)
{
	static const struct overlay_rule rules[] = {
		{.name = "Name", FORM_NAME, offsetof(struct list, name)},
		{.name = "Source", FORM_WORD, .word = "configuration"},
		{.name = "InterfaceAddressNum",
		 FORM_COUNT,
		 offsetof(struct list, number),
		 0,
		 OVERLAY_CONTACTS_MAX},
		{.name = "InterfaceAddress",
		 .offset = offsetof(struct list, count),
		 .take = take_list_address,
		 .many = true},
		{},
	};
	int rc;

	*list = (struct list){};
	rc = overlay_take_children(t, element, list, rules);
	if (!rc && list->number != list->count)
		rc = overlay_take_fault(t, element, -EINVAL,
					"InterfaceAddressNum is %u with %u <InterfaceAddress>; "
					"expected <InterfaceAddressNum>%u</InterfaceAddressNum>",
					list->number, list->count, list->count);
	return rc;
}

/* Keeps the list of that name in the configuration; the others are only checked. */
static int take_lists(struct overlay_taker *t, const char *wanted, bool *found)
{
	struct overlay_config *config = t->config;
	struct overlay_address *kept = NULL;
	unsigned kept_count = 0;
	struct list list;
	int rc = 0;

	for (unsigned i = 0; !rc && i < t->list_count; i++) {
		rc = read_list(t, t->list[i], &list);
		if (!rc && wanted && !strcmp(list.name, wanted) && *found)
			rc = overlay_take_fault(t, t->list[i], -EINVAL,
						"second list of the Name \"%s\"; expected one",
						wanted);
		if (!rc && wanted && !strcmp(list.name, wanted)) {
			*found = true;
			kept = config->contact;
			kept_count = config->contact_count;
		} else {
			if (!rc)
				overlay_take_notice(t, t->list[i], " \"%s\" has no effect here",
						    list.name);
			free(config->contact);
		}
		config->contact = NULL;
		config->contact_count = 0;
	}
	config->contact = kept;
	config->contact_count = kept_count;
	return rc;
}

static int take_buddies(struct overlay_taker *t)
{
	char name[OVERLAY_NAME] = DEFAULT_LIST;
	bool found = false;
	int rc = t->buddy_list ? overlay_take_name(t, t->buddy_list, name) : 0;

	if (!rc)
		rc = take_lists(t, t->config->static_buddies ? name : NULL, &found);
	if (!rc && t->config->static_buddies && t->buddy_list && !found)
		rc = overlay_take_fault(t, t->buddy_list, -EINVAL,
					"no <ConfiguredAddressList> has the Name \"%s\"; expected "
					"one, or UsingStaticBuddyList false",
					name);
	return rc;
}

/* "if0|a.b.c.d:port;if0|a.b.c.d:port" */
static int take_neighbours(struct overlay_taker *t)
{
	const struct overlay_xml *element = t->neighbours;
	char text[ADDRESS_ROOM];
	int rc = 0;

	if (element->child)
		return overlay_take_text(t, element, text, sizeof(text), ADDRESS "; ...");
	for (const char *at = element->text + strspn(element->text, BLANKS); !rc && *at;) {
		const size_t length = strcspn(at, ";");

		if (length >= sizeof(text))
			return overlay_take_fault(t, element, -EINVAL,
						  "an address of %zu characters; expected %s, "
						  "separated by semicolons",
						  length, ADDRESS);
		memcpy(text, at, length);
		text[length] = '\0';
		rc = take_address(t, element, trim(text));
		at += length;
		at += *at == ';';
		at += strspn(at, BLANKS);
	}
	return rc;
}

int overlay_take_contacts(struct overlay_taker *t)
{
	bool found = false;
	int rc;

	if (t->config->node.protocol == OVERLAY_DT_BUDDIES)
		return take_buddies(t);
	rc = take_lists(t, NULL, &found);
	if (!rc && t->neighbours)
		rc = take_neighbours(t);
	return rc;
}
