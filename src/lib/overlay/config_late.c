// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* config_late: addresses that name interfaces, and the hash of elements, once all are read. */
#include "config_take.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS	     " \t\r\n"
#define ADDRESS_ROOM (OVERLAY_NAME + 32)
#define ADDRESS	     OVERLAY_ADDRESS_FORM

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
static const struct overlay_interface *interface_of(const struct overlay_config *config,
						    const char *name, bool by_realm)
{
	for (unsigned i = 0; i < config->interface_count; i++) {
		const struct overlay_interface *at = &config->interface[i];

		if (at->active && !strcmp(by_realm ? at->realm : at->id, name))
			return at;
	}
	return NULL;
}

static int append(struct overlay_taker *t, const struct np_xml *element,
		  struct overlay_address made)
{
	struct overlay_config *config = t->config;
	const unsigned count = config->contact_count;
	struct overlay_address *larger = config->contact;

	if (count - t->kept == OVERLAY_CONTACTS_MAX)
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
static int take_address(struct overlay_taker *t, const struct np_xml *element, char *text)
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
	if (overlay_take_endpoint(&endpoint, trim(sign + 1)) || !in->sin_addr.s_addr ||
	    !in->sin_port)
		return overlay_take_fault(
			t, element, -EINVAL,
			"\"%s\"; expected %s, with an address that is not 0.0.0.0 "
			"and a port from 1 to 65535",
			whole, ADDRESS);
	interface = interface_of(t->config, trim(text), kind == '%');
	if (!interface)
		return overlay_take_fault(t, element, -EINVAL,
					  "\"%s\": no active interface has the %s \"%s\"; expected "
					  "one of those in <Interfaces>",
					  whole, kind == '%' ? "realm" : "ID", trim(text));
	return append(t, element,
		      overlay_address_ipv4(ntohl(in->sin_addr.s_addr), ntohs(in->sin_port),
					   interface->plan.realm));
}

int overlay_take_list_address(struct overlay_taker *t, const struct np_xml *element)
{
	char text[ADDRESS_ROOM];
	const int rc = overlay_take_text(t, element, text, sizeof(text), ADDRESS);

	t->list.count++;
	return rc ? rc : take_address(t, element, text);
}

/* Keeps the list of that name, NULL: none, in the configuration; the others are only checked. */
static int take_lists(struct overlay_taker *t, const struct np_xml *adapter, const char *wanted,
		      bool *found)
{
	struct overlay_config *config = t->config;
	int rc = 0;

	for (const struct np_xml *at = adapter->child; !rc && at; at = at->next) {
		if (strcmp(at->name, "ConfiguredAddressList") != 0)
			continue;
		memset(&t->list, 0, sizeof(t->list));
		t->kept = config->contact_count;
		rc = overlay_take_children(t, at);
		if (!rc && t->list.number != t->list.count)
			rc = overlay_take_fault(
				t, at, -EINVAL,
				"InterfaceAddressNum is %u with %u <InterfaceAddress>; "
				"expected <InterfaceAddressNum>%u</InterfaceAddressNum>",
				t->list.number, t->list.count, t->list.count);
		if (rc)
			break;
		if (!wanted || strcmp(t->list.name, wanted) != 0) {
			config->contact_count = t->kept;
			overlay_take_notice(t, at, " \"%s\" has no effect here", t->list.name);
		} else if (*found) {
			rc = overlay_take_fault(t, at, -EINVAL,
						"second list of the Name \"%s\"; expected one",
						wanted);
		} else {
			*found = true;
		}
	}
	t->kept = 0;
	return rc;
}

/* "if0|a.b.c.d:port;if0|a.b.c.d:port" */
static int take_neighbours(struct overlay_taker *t, const struct np_xml *element)
{
	char text[ADDRESS_ROOM];
	int rc = 0;

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

int overlay_take_contacts(struct overlay_taker *t, const struct np_xml *root)
{
	const struct np_xml *node = np_xml_child(root, "Node")->child;
	const struct np_xml *named = np_xml_child(node, "BuddyListName");
	const struct np_xml *neighbours = np_xml_child(node, "Neighbors");
	const bool buddies =
		t->config->node.protocol == OVERLAY_DT_BUDDIES && t->config->static_buddies;
	char name[OVERLAY_NAME] = "DT_BUDDYLIST";
	bool found = false;
	int rc = buddies && named ? overlay_take_name(t, named, name) : 0;

	if (!rc)
		rc = take_lists(t, np_xml_child(root, "Adapter"), buddies ? name : NULL, &found);
	if (!rc && buddies && named && !found)
		rc = overlay_take_fault(t, named, -EINVAL,
					"no <ConfiguredAddressList> has the Name \"%s\"; expected "
					"one, or UsingStaticBuddyList false",
					name);
	if (!rc && t->config->node.protocol == OVERLAY_NONE && neighbours)
		rc = take_neighbours(t, neighbours);
	return rc;
}

#define PATHS_MAX  64
#define PATH_ROOM  256
#define HASHED_MAX 65536

/*
 * The element of that path, NULL when there is none, and what HyperCast takes for it then; -EINVAL:
 * there are several.
 */
static int find(struct overlay_taker *t, const struct np_xml *list, const char *path,
		const struct np_xml **found, const char **absent)
{
	const struct np_xml *at = list->parent;
	const struct overlay_rule *rule = NULL;
	const char *step = path + strlen("/Public");
	char name[PATH_ROOM], parent[PATH_ROOM] = "Public";
	bool known = true;

	while (*step == '/') {
		const size_t length = strcspn(++step, "/");

		memcpy(name, step, length);
		name[length] = '\0';
		step += length;
		rule = known ? overlay_rule_of(t, parent, name) : NULL;
		known = rule != NULL;
		memcpy(parent, name, length + 1);
		at = at ? np_xml_child(at, name) : NULL;
		for (const struct np_xml *more = at ? at->next : NULL; more; more = more->next)
			if (!strcmp(more->name, name))
				return overlay_take_fault(t, list, -EINVAL,
							  "\"%.100s\": there are several "
							  "<%.64s>; expected an element that is "
							  "there once",
							  path, name);
	}
	*found = at;
	*absent = rule ? rule->absent : NULL;
	return 0;
}

/* What stands for an element in the hash; blanks count as they are in the file. */
static int value_of(struct overlay_taker *t, const struct np_xml *list, const char *path,
		    const char **value)
{
	const struct np_xml *at = NULL;
	const int rc = find(t, list, path, &at, value);

	if (rc)
		return rc;
	if (at && at->child && (at->mixed || at->child->next))
		return overlay_take_fault(t, at, -EINVAL,
					  "is in HashAttributes; expected a text, or one element "
					  "without blanks or comments around it: "
					  "<%.64s><%.64s>...</%.64s></%.64s>",
					  at->name, at->child->name, at->child->name, at->name);
	if (at)
		*value = at->child ? at->child->name : at->text;
	if (!*value)
		return overlay_take_fault(t, list, -EINVAL,
					  "\"%.100s\" is not in this file; expected paths of its "
					  "elements, /Public/OverlayID for one",
					  path);
	for (const char *c = *value; *c; c++)
		if (*c & 0x80)
			return overlay_take_fault(t, at ? at : list, -EINVAL,
						  "is in HashAttributes; expected ASCII characters "
						  "only, for the hash of others is not known");
	return 0;
}

static int print_path(struct overlay_taker *t, const struct np_xml *list, const char *path,
		      FILE *out)
{
	const char *value = "";
	int rc;

	for (const char *c = path; *c; c++)
		if (*c & 0x80)
			return overlay_take_fault(t, list, -EINVAL,
						  "\"%.100s\"; expected ASCII characters only",
						  path);
	if (strncmp(path, "/Public/", 8) || !path[8] || strstr(path, "//") ||
	    path[strlen(path) - 1] == '/')
		return overlay_take_fault(t, list, -EINVAL,
					  "\"%.100s\"; expected paths as /Public/OverlayID, "
					  "separated by commas alone",
					  path);
	rc = value_of(t, list, path, &value);
	if (rc || !value)
		return rc;
	if (ftell(out) + (long)strlen(value) > HASHED_MAX)
		return overlay_take_fault(t, list, -E2BIG, "over %d bytes; expected less in all",
					  HASHED_MAX);
	fprintf(out, "%s%s=%s", ftell(out) ? "&" : "", path, value);
	return 0;
}

static int print_paths(struct overlay_taker *t, const struct np_xml *list, FILE *out)
{
	const char *at = list->text;
	char path[PATH_ROOM];
	int rc = 0;

	for (unsigned i = 0; !rc && *at; i++) {
		const size_t length = strcspn(at, ",");

		if (i == PATHS_MAX || length >= sizeof(path))
			return overlay_take_fault(t, list, -E2BIG,
						  "expected at most %d paths of at most %d "
						  "characters each",
						  PATHS_MAX, PATH_ROOM - 1);
		memcpy(path, at, length);
		path[length] = '\0';
		rc = print_path(t, list, path, out);
		at += length;
		if (!rc && *at == ',' && !*++at)
			rc = print_path(t, list, "", out);
	}
	return rc;
}

int overlay_take_hash(struct overlay_taker *t, const struct np_xml *root)
{
	const struct np_xml *list = np_xml_child(root, "HashAttributes");
	char *text = NULL;
	size_t bytes = 0;
	FILE *out;
	int rc;

	if (!list)
		return 0;
	if (list->child || list->text[strcspn(list->text, " \t\r\n")])
		return overlay_take_fault(t, list, -EINVAL,
					  "holds %s; expected paths as /Public/OverlayID, "
					  "separated by commas alone",
					  list->child ? "elements" : "blanks");
	out = open_memstream(&text, &bytes);
	if (!out)
		return overlay_take_fault(t, list, -errno, "%s", strerror(errno));
	rc = print_paths(t, list, out);
	if (fclose(out) && !rc)
		rc = overlay_take_fault(t, list, -ENOMEM, "%s", strerror(ENOMEM));
	if (!rc)
		t->config->node.hash = overlay_hash(text, bytes);
	free(text);
	return rc;
}
