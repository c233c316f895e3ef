// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* config_take: takes elements by tables; their texts; faults and notices with file, line, element.
 */
#include "config_take.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netperf/units.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What is done with a tree of elements, whether or not there is expat to make one. */

/* Room for a colon, ten digits and the zero. */
#define LINE_ROOM 12

char *overlay_xml_place(const char *file, unsigned line, char out[OVERLAY_XML_PLACE])
{
	const size_t length = strlen(file), room = OVERLAY_XML_PLACE - LINE_ROOM;

	snprintf(out, OVERLAY_XML_PLACE, "%s:%u", file + (length > room ? length - room : 0), line);
	return out;
}

/* The depth is bounded by overlay_xml_parse. */
void overlay_xml_free(struct overlay_xml *root)
{
	while (root) {
		struct overlay_xml *next = root->next;

		overlay_xml_free(root->child);
		free(root->name);
		free(root->text);
		free(root);
		root = next;
	}
}

const struct overlay_xml *overlay_xml_child(const struct overlay_xml *element, const char *name)
{
	const struct overlay_xml *child = element->child;

	while (child && strcmp(child->name, name))
		child = child->next;
	return child;
}

#define BLANKS " \t\r\n"

/* Decimal only: HyperCast knows no other numbers. */
static int parse_count(const char *text, uint32_t min, uint32_t max, uint32_t *value)
{
	uint64_t read;
	int rc;

	if (!*text || text[strspn(text, "0123456789")])
		return -EINVAL;
	rc = np_units_parse_count(text, min, max, &read);
	if (!rc)
		*value = (uint32_t)read;
	return rc;
}

int overlay_parse_endpoint(const char *text, struct np_address *endpoint)
{
	const char *colon = strchr(text, ':');
	char host[INET_ADDRSTRLEN];
	struct in_addr ip;
	uint32_t port;
	int rc;

	if (!colon || (size_t)(colon - text) >= sizeof(host))
		return -EINVAL;
	memcpy(host, text, (size_t)(colon - text));
	host[colon - text] = '\0';
	if (inet_pton(AF_INET, host, &ip) != 1)
		return -EINVAL;
	rc = parse_count(colon + 1, 0, UINT16_MAX, &port);
	if (!rc)
		*endpoint = overlay_endpoint(ntohl(ip.s_addr), (uint16_t)port);
	return rc;
}

/* Returns what follows the number, or NULL with *@rc. */
static const char *integer(const char *text, int32_t *value, int *rc)
{
	const char *digits;
	uint32_t read;
	char copy[16];
	size_t length;
	bool minus;

	*rc = -EINVAL;
	text += strspn(text, BLANKS);
	minus = *text == '-';
	digits = text + minus;
	length = strspn(digits, "0123456789");
	if (length >= sizeof(copy))
		return NULL;
	memcpy(copy, digits, length);
	copy[length] = '\0';
	*rc = parse_count(copy, 0, (uint32_t)INT32_MAX + minus, &read);
	if (*rc)
		return NULL;
	*value = (int32_t)(minus ? -(int64_t)read : (int64_t)read);
	digits += length;
	return digits + strspn(digits, BLANKS);
}

int overlay_parse_integers(const char *text, int32_t *value, unsigned count)
{
	int rc = 0;

	for (unsigned i = 0; i < count; i++) {
		text = integer(text, &value[i], &rc);
		if (!text)
			return rc;
		if (*text++ != (i + 1 < count ? ',' : '\0'))
			return -EINVAL;
	}
	return 0;
}

#define VALUE_MAX 256

int overlay_take_fault(struct overlay_taker *t, const struct overlay_xml *element, int error,
		       const char *format, ...)
{
	char place[OVERLAY_XML_PLACE], reason[sizeof(t->fault->reason)];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	overlay_xml_place(t->file, element->line, place);
	return np_fault_set(t->fault, error, place, "<%.64s>: %s", element->name, reason);
}

void overlay_take_notice(struct overlay_taker *t, const struct overlay_xml *element,
			 const char *format, ...)
{
	char place[OVERLAY_XML_PLACE], text[sizeof(t->fault->reason)];
	va_list arguments;

	if (!t->log)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	overlay_xml_place(t->file, element->line, place);
	np_log_warning(t->log, place, "<%.64s>%s", element->name, text);
}

int overlay_take_text(struct overlay_taker *t, const struct overlay_xml *element, char *out,
		      size_t room, const char *expected)
{
	const char *at = element->text + strspn(element->text, BLANKS);
	size_t length = strlen(at);

	if (element->child)
		return overlay_take_fault(t, element, -EINVAL,
					  "holds the element <%.64s>; expected %s",
					  element->child->name, expected);
	while (length && strchr(BLANKS, at[length - 1]))
		length--;
	if (length >= room)
		return overlay_take_fault(t, element, -EINVAL,
					  "more than %zu characters; expected %s", room - 1,
					  expected);
	memcpy(out, at, length);
	out[length] = '\0';
	return 0;
}

int overlay_take_name(struct overlay_taker *t, const struct overlay_xml *element,
		      char out[OVERLAY_NAME])
{
	const int rc = overlay_take_text(t, element, out, OVERLAY_NAME, "a name");

	for (const char *c = out; !rc && *c; c++)
		if (*c < ' ' || *c > '~')
			return overlay_take_fault(t, element, -EINVAL,
						  "expected a name of printable ASCII characters");
	return rc;
}

static int take_number(struct overlay_taker *t, const struct overlay_xml *element, void *at,
		       const struct overlay_rule *rule)
{
	const bool time = rule->form == FORM_TIME;
	const char *what = time ? "a number of milliseconds" : "a whole number";
	char text[VALUE_MAX] = "";
	uint32_t number;
	int rc = overlay_take_text(t, element, text, sizeof(text), what);

	if (rc)
		return rc;
	rc = parse_count(text, rule->min, rule->max, &number);
	if (rc)
		return overlay_take_fault(t, element, -EINVAL,
					  "\"%.60s\"; expected %s from %u to %u", text, what,
					  rule->min, rule->max);
	if (time)
		*(np_time *)at = (np_time)number * NP_MILLISECOND;
	else
		*(unsigned *)at = number;
	return 0;
}

static int take_boolean(struct overlay_taker *t, const struct overlay_xml *element, bool *value)
{
	static const char *const words[] = {"no", "yes", "false", "true"};
	char text[VALUE_MAX];
	const int rc = overlay_take_text(t, element, text, sizeof(text), "yes or no");

	for (unsigned i = 0; !rc && i < 4; i++)
		if (!strcasecmp(text, words[i])) {
			*value = i & 1;
			return 0;
		}
	return rc ? rc
		  : overlay_take_fault(t, element, -EINVAL,
				       "\"%.60s\"; expected yes or no, true or false", text);
}

static int take_word(struct overlay_taker *t, const struct overlay_xml *element, const char *word)
{
	char text[VALUE_MAX];
	int rc;

	/* <OverlayServer><None/></OverlayServer> says the same. */
	if (element->child && !element->child->next && !strcasecmp(element->child->name, word))
		return 0;
	rc = overlay_take_text(t, element, text, sizeof(text), word);
	if (!rc && strcasecmp(text, word))
		rc = overlay_take_fault(t, element, -EOPNOTSUPP,
					"\"%.60s\" is not supported; expected %s", text, word);
	return rc;
}

static int take_one(struct overlay_taker *t, const struct overlay_xml *element, void *target,
		    const struct overlay_rule *rule)
{
	char *at = (char *)target + rule->offset;

	switch (rule->form) {
	case FORM_COUNT:
	case FORM_TIME: return take_number(t, element, at, rule);
	case FORM_BOOLEAN: return take_boolean(t, element, (bool *)at);
	case FORM_NAME: return overlay_take_name(t, element, at);
	case FORM_WORD: return take_word(t, element, rule->word);
	case FORM_UNUSED: overlay_take_notice(t, element, " has no effect here"); return 0;
	case FORM_REFUSED:
		return overlay_take_fault(t, element, -EOPNOTSUPP, "not supported; expected %s",
					  rule->word);
	case FORM_OTHER: break;
	}
	if (rule->take)
		return rule->take(t, element, at);
	return rule->word ? overlay_take_choice(t, element, at, rule->inside, rule->word)
			  : overlay_take_children(t, element, at, rule->inside);
}

static const struct overlay_rule *rule_of(const struct overlay_rule *rules, const char *name)
{
	while (rules && (!rules->name || strcmp(rules->name, name) != 0))
		rules = rules->name ? rules + 1 : rules->inside;
	return rules;
}

static int take_child(struct overlay_taker *t, const struct overlay_xml *child, void *target,
		      const struct overlay_rule *rules)
{
	const struct overlay_rule *rule = rule_of(rules, child->name);
	const struct overlay_xml *first;

	if (!rule) {
		overlay_take_notice(t, child, " is no element of <%.64s>: ignored",
				    child->parent->name);
		return 0;
	}
	if (child->attribute)
		overlay_take_notice(t, child, ": its attributes are ignored");
	first = overlay_xml_child(child->parent, child->name);
	if (!rule->many && first && first != child)
		return overlay_take_fault(t, child, -EINVAL,
					  "given twice, first on line %u; expected once",
					  first->line);
	return take_one(t, child, target, rule);
}

static int no_text(struct overlay_taker *t, const struct overlay_xml *element)
{
	const char *at = element->text + strspn(element->text, BLANKS);

	return *at ? overlay_take_fault(t, element, -EINVAL,
					"holds the text \"%.60s\"; expected elements only", at)
		   : 0;
}

int overlay_take_children(struct overlay_taker *t, const struct overlay_xml *element, void *target,
			  const struct overlay_rule *rules)
{
	int rc = no_text(t, element);

	for (const struct overlay_xml *child = element->child; !rc && child; child = child->next)
		rc = take_child(t, child, target, rules);
	return rc;
}

int overlay_take_choice(struct overlay_taker *t, const struct overlay_xml *element, void *target,
			const struct overlay_rule *rules, const char *expected)
{
	const struct overlay_xml *child = element->child;
	const int rc = no_text(t, element);

	if (rc)
		return rc;
	if (!child)
		return overlay_take_fault(t, element, -EINVAL, "is empty; expected %s", expected);
	if (!rule_of(rules, child->name))
		return overlay_take_fault(t, child, -EINVAL, "unknown in <%.64s>; expected %s",
					  element->name, expected);
	if (child->next)
		return overlay_take_fault(t, child->next, -EINVAL,
					  "second element of <%.64s>; expected one, %s",
					  element->name, expected);
	return take_child(t, child, target, rules);
}
