// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* config_take: takes elements by their rows; their texts; faults and notices with file and line. */
#include "config_take.h"

#include <errno.h>
#include <netperf/units.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BLANKS	  " \t\r\n"

#define VALUE_MAX 256

int overlay_take_fault(struct overlay_taker *t, const struct np_xml *element, int error,
		       const char *format, ...)
{
	char place[NP_XML_PLACE], reason[sizeof(t->fault->reason)];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	np_xml_place(t->file, element->line, place);
	return np_fault_set(t->fault, error, place, "<%.64s>: %s", element->name, reason);
}

void overlay_take_notice(struct overlay_taker *t, const struct np_xml *element, const char *format,
			 ...)
{
	char place[NP_XML_PLACE], text[sizeof(t->fault->reason)];
	va_list arguments;

	if (!t->log)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	np_xml_place(t->file, element->line, place);
	np_log_warning(t->log, place, "<%.64s>%s", element->name, text);
}

int overlay_take_endpoint(struct np_address *endpoint, const char *text)
{
	/* Neither IPv6, which may hold an IPv4 address, nor a range, be it of one port. */
	if (text[strspn(text, "0123456789.:")] || strstr(text, ".."))
		return -EINVAL;
	return overlay_endpoint_parse(endpoint, text);
}

int overlay_take_text(struct overlay_taker *t, const struct np_xml *element, char *out, size_t room,
		      const char *expected)
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

int overlay_take_name(struct overlay_taker *t, const struct np_xml *element, char out[OVERLAY_NAME])
{
	const int rc = overlay_take_text(t, element, out, OVERLAY_NAME, "a name");

	for (const char *c = out; !rc && *c; c++)
		if (*c < ' ' || *c > '~')
			return overlay_take_fault(t, element, -EINVAL,
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
	const int rc = overlay_take_text(t, element, text, sizeof(text), what);

	if (rc)
		return rc;
	/* Decimal only: HyperCast knows no other numbers. */
	if (text[strspn(text, "0123456789")] ||
	    np_units_parse_count(text, rule->min, rule->max, &number))
		return overlay_take_fault(t, element, -EINVAL,
					  "\"%.60s\"; expected %s from %u to %u", text, what,
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

static int take_word(struct overlay_taker *t, const struct np_xml *element, const char *word)
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

static int no_text(struct overlay_taker *t, const struct np_xml *element)
{
	const char *at = element->text + strspn(element->text, BLANKS);

	return *at ? overlay_take_fault(t, element, -EINVAL,
					"holds the text \"%.60s\"; expected elements only", at)
		   : 0;
}

static int take_choice(struct overlay_taker *t, const struct np_xml *element, const char *expected)
{
	const struct np_xml *child = element->child;
	const int rc = no_text(t, element);

	if (rc)
		return rc;
	if (!child)
		return overlay_take_fault(t, element, -EINVAL, "is empty; expected %s", expected);
	if (!overlay_rule_of(t, element->name, child->name))
		return overlay_take_fault(t, child, -EINVAL, "unknown in <%.64s>; expected %s",
					  element->name, expected);
	if (child->next)
		return overlay_take_fault(t, child->next, -EINVAL,
					  "second element of <%.64s>; expected one, %s",
					  element->name, expected);
	return overlay_take_children(t, element);
}

static int take_one(struct overlay_taker *t, const struct np_xml *element,
		    const struct overlay_rule *rule)
{
	void *const targets[] = {t->config, &t->interface, &t->list};
	char *at = (char *)targets[rule->target] + rule->offset;
	int rc = 0;

	switch (rule->form) {
	case FORM_ELEMENTS: rc = overlay_take_children(t, element); break;
	case FORM_CHOICE: rc = take_choice(t, element, rule->word); break;
	case FORM_COUNT:
	case FORM_TIME: return take_number(t, element, at, rule);
	case FORM_BOOLEAN: return take_boolean(t, element, (bool *)at);
	case FORM_NAME: return overlay_take_name(t, element, at);
	case FORM_WORD: return take_word(t, element, rule->word);
	case FORM_TEXT:
		return element->child ? overlay_take_text(t, element, NULL, 0, rule->word) : 0;
	case FORM_UNUSED: overlay_take_notice(t, element, " has no effect here"); return 0;
	case FORM_REFUSED:
		return overlay_take_fault(t, element, -EOPNOTSUPP, "not supported; expected %s",
					  rule->word);
	case FORM_IN:
	case FORM_LATER:
	case FORM_OTHER: break;
	}
	t->rule = rule;
	return rc || !rule->take ? rc : rule->take(t, element);
}

const struct overlay_rule *overlay_rule_of(const struct overlay_taker *t, const char *parent,
					   const char *name)
{
	const int only = t->config->node.protocol == OVERLAY_SPT ? SPT_ONLY : DT_ONLY;
	bool inside = false;

	for (const struct overlay_rule *rule = t->rules; rule->name; rule++) {
		if (rule->form == FORM_IN)
			inside =
				!strcmp(rule->name, parent) || (inside && rule[-1].form == FORM_IN);
		else if (inside && !strcmp(rule->name, name) &&
			 (rule->only == ALL || (int)rule->only == only))
			return rule;
	}
	return NULL;
}

/* One that is neither xmlns nor of a namespace. */
static bool has_attribute(const struct np_xml *element)
{
	for (const char **at = element->attributes; *at; at += 2)
		if (strcmp(*at, "xmlns") && !strchr(*at, ':'))
			return true;
	return false;
}

int overlay_take_children(struct overlay_taker *t, const struct np_xml *element)
{
	int rc = no_text(t, element);

	for (const struct np_xml *child = element->child; !rc && child; child = child->next) {
		const struct overlay_rule *rule = overlay_rule_of(t, element->name, child->name);
		const struct np_xml *first = np_xml_child(element, child->name);

		if (!rule) {
			overlay_take_notice(t, child, " is no element of <%.64s>: ignored",
					    element->name);
			continue;
		}
		if (has_attribute(child))
			overlay_take_notice(t, child, ": its attributes are ignored");
		if (!rule->many && first != child)
			return overlay_take_fault(t, child, -EINVAL,
						  "given twice, first on line %u; expected once",
						  first->line);
		rc = take_one(t, child, rule);
	}
	return rc;
}
