// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * config_take: takes elements by their rows; their texts; faults and notices with file and line;
 * and, once all are read, the addresses that name interfaces, and the hash of elements.
 */
#include "config.h"

#include <stdlib.h>
#include <strings.h>

#define BLANKS	     " \t\r\n"
#define VALUE_MAX    256
#define ADDRESS_ROOM (OVERLAY_NAME + 32)
#define ADDRESS	     OVERLAY_ADDRESS_FORM

/* Warns of that element, where anybody is warned. */
#define notice(t, element, format, ...)                                                            \
	do {                                                                                       \
		if ((t)->log)                                                                      \
			np_log_warning((t)->log, taker_place(t, element), "<%.64s>" format,        \
				       (element)->name, ##__VA_ARGS__);                            \
	} while (0)

static int take_text(struct overlay_taker *t, const struct np_xml *element, char *out, size_t room,
		     const char *expected)
{
	const char *at = element->text + strspn(element->text, BLANKS);
	size_t length = strlen(at);

	if (element->child)
		return taker_wrong(t, element, "holds the element <%.64s>; expected %s",
				   element->child->name, expected);
	while (length && strchr(BLANKS, at[length - 1]))
		length--;
	if (length >= room)
		return taker_wrong(t, element, "more than %zu characters; expected %s", room - 1,
				   expected);
	memcpy(out, at, length);
	out[length] = '\0';
	return 0;
}

static int take_name(struct overlay_taker *t, const struct np_xml *element, char out[OVERLAY_NAME])
{
	const int rc = take_text(t, element, out, OVERLAY_NAME, "a name");

	for (const char *c = out; !rc && *c; c++)
		if (*c < ' ' || *c > '~')
			return taker_wrong(t, element,
					   "expected a name of printable ASCII characters");
	return rc;
}

static int take_number(struct overlay_taker *t, const struct np_xml *element, void *at,
		       const struct overlay_rule *rule)
{
	const bool time = rule->form == FORM_TIME;
	const char *what = time ? "a number of milliseconds" : "a whole number";
	char text[VALUE_MAX] = "";
	uint64_t number = 0;
	const int rc = take_text(t, element, text, sizeof(text), what);

	if (rc)
		return rc;
	/* Decimal only: HyperCast knows no other numbers. */
	if (text[strspn(text, "0123456789")] ||
	    np_units_parse_count(text, rule->min, rule->max, &number))
		return taker_wrong(t, element, "\"%.60s\"; expected %s from %u to %u", text, what,
				   rule->min, rule->max);
	if (time)
		*(np_time *)at = (np_time)number * NP_MILLISECOND;
	else
		*(unsigned *)at = (unsigned)number;
	return 0;
}

static int take_boolean(struct overlay_taker *t, const struct np_xml *element, bool *value)
{
	static const char *const words[] = {"no", "yes", "false", "true"};
	char text[VALUE_MAX];
	const int rc = take_text(t, element, text, sizeof(text), "yes or no");

	for (unsigned i = 0; !rc && i < 4; i++)
		if (!strcasecmp(text, words[i])) {
			*value = i & 1;
			return 0;
		}
	return rc ? rc
		  : taker_wrong(t, element, "\"%.60s\"; expected yes or no, true or false", text);
}

static int take_word(struct overlay_taker *t, const struct np_xml *element, const char *word)
{
	char text[VALUE_MAX];
	int rc;

	/* <OverlayServer><None/></OverlayServer> says the same. */
	if (element->child && !element->child->next && !strcasecmp(element->child->name, word))
		return 0;
	rc = take_text(t, element, text, sizeof(text), word);
	if (!rc && strcasecmp(text, word))
		rc = taker_fault(t, element, -EOPNOTSUPP, "\"%.60s\" is not supported; expected %s",
				 text, word);
	return rc;
}

static int no_text(struct overlay_taker *t, const struct np_xml *element)
{
	const char *at = element->text + strspn(element->text, BLANKS);

	return *at ? taker_wrong(t, element, "holds the text \"%.60s\"; expected elements only", at)
		   : 0;
}

/* The row of the child @name of elements named @parent; NULL: there is none. */
static const struct overlay_rule *rule_of(const struct overlay_taker *t, const char *parent,
					  const char *name)
{
	for (const struct overlay_rule *rule = t->rules; rule->name; rule++) {
		size_t length;

		for (const char *in = rule->in; *in; in += length + (in[length] == '|')) {
			length = strcspn(in, "|");
			if (length == strlen(parent) && !strncmp(in, parent, length) &&
			    !strcmp(rule->name, name))
				return rule;
		}
	}
	return NULL;
}

static int take_choice(struct overlay_taker *t, const struct np_xml *element, const char *expected)
{
	const struct np_xml *child = element->child;
	const int rc = no_text(t, element);

	if (rc)
		return rc;
	if (!child)
		return taker_wrong(t, element, "is empty; expected %s", expected);
	if (!rule_of(t, element->name, child->name))
		return taker_fault(t, child, -EOPNOTSUPP, "not supported in <%.64s>; expected %s",
				   element->name, expected);
	if (child->next)
		return taker_wrong(t, child->next, "second element of <%.64s>; expected one, %s",
				   element->name, expected);
	return taker_children(t, element);
}

/* Numbers of 32 bits, as many as the rule says, to t->value; the others are 0. */
static int take_integers(struct overlay_taker *t, const struct np_xml *element,
			 const struct overlay_rule *rule)
{
	/* An address of SPT is one number. */
	const bool one = !rule->min && t->config->node.protocol == OVERLAY_SPT;
	const unsigned count = one ? 1 : rule->min ? rule->min : 2;
	const char *word = one ? "a number" : rule->word;
	char text[OVERLAY_NAME];
	const int rc = take_text(t, element, text, sizeof(text), word);

	memset(t->value, 0, sizeof(t->value));
	if (rc || (!strchr(text, '+') && !overlay_integers_parse(t->value, count, text)))
		return rc;
	return taker_wrong(t, element, "\"%s\"; expected %s%s", text, word,
			   rule->take ? ", of 32 bits with a sign" : "");
}

static int take_one(struct overlay_taker *t, const struct np_xml *element,
		    const struct overlay_rule *rule)
{
	void *const targets[] = {t->config, &t->interface, &t->list, t->text};
	char *at = (char *)targets[rule->target] + rule->offset;
	int rc = 0;

	switch (rule->form) {
	case FORM_ELEMENTS: rc = taker_children(t, element); break;
	case FORM_CHOICE: rc = take_choice(t, element, rule->word); break;
	case FORM_COUNT:
	case FORM_TIME: rc = take_number(t, element, at, rule); break;
	case FORM_BOOLEAN: rc = take_boolean(t, element, (bool *)at); break;
	case FORM_INTEGERS: rc = take_integers(t, element, rule); break;
	case FORM_NAME: rc = take_name(t, element, at); break;
	case FORM_VALUE: rc = take_text(t, element, at, OVERLAY_NAME, rule->word); break;
	case FORM_WORD: rc = take_word(t, element, rule->word); break;
	case FORM_TEXT: rc = element->child ? take_text(t, element, NULL, 0, rule->word) : 0; break;
	case FORM_OTHER: break;
	}
	t->rule = rule;
	return rc || !rule->take ? rc : rule->take(t, element);
}

int taker_children(struct overlay_taker *t, const struct np_xml *element)
{
	int rc = no_text(t, element);

	for (const struct np_xml *child = element->child; !rc && child; child = child->next) {
		const struct overlay_rule *rule = rule_of(t, element->name, child->name);
		const struct np_xml *first = np_xml_child(element, child->name);
		const char **at;

		if (!rule) {
			notice(t, child, " has no effect in <%.64s>", element->name);
			continue;
		}
		/* Neither xmlns nor those of a namespace. */
		at = child->attributes;
		while (*at && (!strcmp(*at, "xmlns") || strchr(*at, ':')))
			at += 2;
		if (*at)
			notice(t, child, ": its attributes are ignored");
		if (!rule->many && first != child)
			return taker_wrong(t, child, "given twice, first on line %u; expected once",
					   first->line);
		rc = take_one(t, child, rule);
	}
	return rc;
}

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

/* @text is overwritten. */
static int take_address(struct overlay_taker *t, const struct np_xml *element, char *text)
{
	struct overlay_config *config = t->config;
	const struct overlay_interface *interface = &config->interface;
	struct np_address endpoint;
	char whole[ADDRESS_ROOM], *sign, *name;
	bool by_realm;

	memcpy(whole, text, strlen(text) + 1);
	sign = strpbrk(text, "|%");
	if (!sign)
		return taker_wrong(t, element, "\"%s\"; expected %s", whole, ADDRESS);
	by_realm = *sign == '%';
	*sign = '\0';
	name = trim(text);
	if (overlay_endpoint_parse(&endpoint, trim(sign + 1)) ||
	    np_address_is_wildcard(&endpoint) || !np_address_port(&endpoint))
		return taker_wrong(t, element,
				   "\"%s\"; expected %s, with an address that is not 0.0.0.0 and a "
				   "port from 1 to 65535",
				   whole, ADDRESS);
	if (strcmp(by_realm ? interface->realm : interface->id, name))
		return taker_wrong(t, element,
				   "\"%s\": no active interface has the %s \"%s\"; expected one of "
				   "those in <Interfaces>",
				   whole, by_realm ? "realm" : "ID", name);
	if (config->node.contact_count - t->kept == OVERLAY_CONTACTS_MAX)
		return taker_fault(t, element, -E2BIG, "one too many; expected at most %d",
				   OVERLAY_CONTACTS_MAX);
	/* Of the list that is kept, and of another one that is only checked. */
	if (!config->contact)
		config->contact = calloc(2 * OVERLAY_CONTACTS_MAX, sizeof(*config->contact));
	if (!config->contact)
		return taker_fault(t, element, -ENOMEM, "%s", strerror(ENOMEM));
	config->contact[config->node.contact_count++] =
		overlay_address_of(&endpoint, interface->plan.realm);
	return 0;
}

int taker_list_address(struct overlay_taker *t, const struct np_xml *element)
{
	char text[ADDRESS_ROOM];
	const int rc = take_text(t, element, text, sizeof(text), ADDRESS);

	t->list.count++;
	return rc ? rc : take_address(t, element, text);
}

/*
 * Keeps the list of that name, NULL: none, in the configuration; the others are only checked.
 * HyperCast reads as many as ConfiguredAddressListNum says.
 */
static int take_lists(struct overlay_taker *t, const struct np_xml *adapter, const char *wanted,
		      bool *found)
{
	struct overlay_config *config = t->config;
	unsigned lists = 0;
	int rc = 0;

	for (const struct np_xml *at = adapter->child; !rc && at; at = at->next) {
		if (strcmp(at->name, "ConfiguredAddressList") != 0)
			continue;
		lists++;
		memset(&t->list, 0, sizeof(t->list));
		t->kept = config->node.contact_count;
		rc = taker_children(t, at);
		if (!rc && t->list.number != t->list.count)
			rc = taker_wrong(t, at,
					 "InterfaceAddressNum is %u with %u <InterfaceAddress>; "
					 "expected <InterfaceAddressNum>%u</InterfaceAddressNum>",
					 t->list.number, t->list.count, t->list.count);
		if (rc)
			break;
		if (!wanted || strcmp(t->list.name, wanted) != 0) {
			config->node.contact_count = t->kept;
			notice(t, at, " \"%s\" has no effect here", t->list.name);
		} else if (*found) {
			rc = taker_wrong(t, at, "second list of the Name \"%s\"; expected one",
					 wanted);
		} else {
			*found = true;
		}
	}
	t->kept = 0;
	if (rc || config->lists == lists)
		return rc;
	return taker_wrong(t, adapter,
			   "ConfiguredAddressListNum is %u with %u <ConfiguredAddressList>; "
			   "expected <ConfiguredAddressListNum>%u</ConfiguredAddressListNum>",
			   config->lists, lists, lists);
}

int taker_contacts(struct overlay_taker *t, const struct np_xml *root)
{
	const struct np_xml *node = np_xml_child(root, "Node")->child;
	const struct np_xml *named = np_xml_child(node, "BuddyListName");
	const struct np_xml *neighbours = np_xml_child(node, "Neighbors");
	const bool buddies =
		t->config->node.protocol == OVERLAY_DT_BUDDIES && t->config->static_buddies;
	char name[OVERLAY_NAME] = "DT_BUDDYLIST", text[ADDRESS_ROOM];
	const char *at = "";
	bool found = false;
	int rc = buddies && named ? take_name(t, named, name) : 0;

	if (!rc)
		rc = take_lists(t, np_xml_child(root, "Adapter"), buddies ? name : NULL, &found);
	if (!rc && buddies && named && !found)
		rc = taker_wrong(t, named,
				 "no <ConfiguredAddressList> has the Name \"%s\"; expected one, or "
				 "UsingStaticBuddyList false",
				 name);
	if (t->config->node.protocol == OVERLAY_NONE && neighbours)
		at = neighbours->text + strspn(neighbours->text, BLANKS);
	/* "if0|a.b.c.d:port;if0|a.b.c.d:port" */
	while (!rc && *at) {
		const size_t length = strcspn(at, ";");

		if (length >= sizeof(text))
			return taker_wrong(t, neighbours,
					   "an address of %zu characters; expected %s, separated "
					   "by semicolons",
					   length, ADDRESS);
		memcpy(text, at, length);
		text[length] = '\0';
		rc = take_address(t, neighbours, trim(text));
		at += length;
		at += *at == ';';
		at += strspn(at, BLANKS);
	}
	return rc;
}

#define PATHS_MAX  64
#define PATH_ROOM  256
#define HASHED_MAX 65536

/*
 * What stands for the element of that path in the hash, which must be the only one; blanks count as
 * they are in the file.
 */
static int value_of(struct overlay_taker *t, const struct np_xml *list, const char *path,
		    const char **value)
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
		rule = known ? rule_of(t, parent, name) : NULL;
		known = rule != NULL;
		memcpy(parent, name, length + 1);
		at = at ? np_xml_child(at, name) : NULL;
		for (const struct np_xml *more = at ? at->next : NULL; more; more = more->next)
			if (!strcmp(more->name, name))
				return taker_wrong(t, list,
						   "\"%.100s\": there are several <%.64s>; "
						   "expected an element that is there once",
						   path, name);
	}
	if (at && at->child && (at->mixed || at->child->next))
		return taker_wrong(
			t, at,
			"is in HashAttributes; expected a text, or one element without blanks or "
			"comments around it: <%.64s><%.64s>...</%.64s></%.64s>",
			at->name, at->child->name, at->child->name, at->name);
	/* Without one it is what HyperCast takes for it. */
	*value = rule ? rule->absent : NULL;
	if (at)
		*value = at->child ? at->child->name : at->text;
	if (!*value)
		return taker_wrong(t, list,
				   "\"%.100s\" is not in this file; expected paths of its "
				   "elements, /Public/OverlayID for one",
				   path);
	for (const char *c = *value; *c; c++)
		if (*c & 0x80)
			return taker_wrong(t, at ? at : list,
					   "is in HashAttributes; expected ASCII characters only, "
					   "for the hash of others is not known");
	return 0;
}

static int hash_path(struct overlay_taker *t, const struct np_xml *list, const char *path)
{
	const char *value = "";
	int rc;

	for (const char *c = path; *c; c++)
		if (*c & 0x80)
			return taker_wrong(t, list, "\"%.100s\"; expected ASCII characters only",
					   path);
	if (strncmp(path, "/Public/", 8) || !path[8] || strstr(path, "//") ||
	    path[strlen(path) - 1] == '/')
		return taker_wrong(t, list,
				   "\"%.100s\"; expected paths as /Public/OverlayID, separated by "
				   "commas alone",
				   path);
	rc = value_of(t, list, path, &value);
	if (rc || !value)
		return rc;
	if (t->hashed + strlen(value) > HASHED_MAX)
		return taker_fault(t, list, -E2BIG, "over %d bytes; expected less in all",
				   HASHED_MAX);
	for (unsigned i = 0; i < 4; i++) {
		const char *part[] = {t->hashed ? "&" : "", path, "=", value};
		const size_t bytes = strlen(part[i]);

		t->config->node.hash = overlay_hash(t->config->node.hash, part[i], bytes);
		t->hashed += bytes;
	}
	return 0;
}

int taker_hash(struct overlay_taker *t, const struct np_xml *root)
{
	const struct np_xml *list = np_xml_child(root, "HashAttributes");
	const char *at = list ? list->text : "";
	char path[PATH_ROOM];
	int rc = 0;

	if (list && (list->child || at[strcspn(at, BLANKS)]))
		return taker_wrong(
			t, list,
			"holds %s; expected paths as /Public/OverlayID, separated by commas alone",
			list->child ? "elements" : "blanks");
	for (unsigned i = 0; !rc && *at; i++) {
		const size_t length = strcspn(at, ",");

		if (i == PATHS_MAX || length >= sizeof(path))
			return taker_fault(
				t, list, -E2BIG,
				"expected at most %d paths of at most %d characters each",
				PATHS_MAX, PATH_ROOM - 1);
		memcpy(path, at, length);
		path[length] = '\0';
		rc = hash_path(t, list, path);
		at += length;
		if (!rc && *at == ',' && !*++at)
			rc = hash_path(t, list, "");
	}
	return rc;
}
