// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* config_contacts: the lists of addresses of a configuration: of the buddies, of the neighbours. */
#include "config_take.h"
#include "node.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	struct overlay_endpoint endpoint;
	char whole[ADDRESS_ROOM], *sign, kind;

	memcpy(whole, text, strlen(text) + 1);
	sign = strpbrk(text, "|%");
	if (!sign)
		return overlay_take_fault(t, element, -EINVAL, "\"%s\"; expected %s", whole,
					  ADDRESS);
	kind = *sign;
	*sign = '\0';
	if (overlay_parse_endpoint(trim(sign + 1), &endpoint) || !endpoint.ip || !endpoint.port)
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
		      overlay_address_ipv4(endpoint.ip, endpoint.port, interface->realm_hash));
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

static int take_list(struct overlay_taker *t, const struct overlay_xml *element, struct list *list)
{
	static const struct overlay_rule rules[] = {
		{.name = "Name", .form = OVERLAY_FORM_NAME, .offset = offsetof(struct list, name)},
		{.name = "Source", .form = OVERLAY_FORM_WORD, .word = "configuration"},
		{.name = "InterfaceAddressNum",
		 .form = OVERLAY_FORM_COUNT,
		 .offset = offsetof(struct list, number),
		 .max = OVERLAY_CONTACTS_MAX},
		{.name = "InterfaceAddress",
		 .form = OVERLAY_FORM_OTHER,
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
		rc = take_list(t, t->list[i], &list);
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
		rc = take_lists(t, t->static_buddies ? name : NULL, &found);
	if (!rc && t->static_buddies && t->buddy_list && !found)
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

	if (t->config->system == OVERLAY_SYSTEM_DT_BUDDIES)
		return take_buddies(t);
	rc = take_lists(t, NULL, &found);
	if (!rc && t->neighbours)
		rc = take_neighbours(t);
	return rc;
}
