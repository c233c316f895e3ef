// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * stack: recognises a JGroups XML stack, and splits a stack that is given as one string as JGroups
 * does; blanks are ignored everywhere.
 */
#include "stack.h"

#include "stack_protocols.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ATTRIBUTES_MAX 128

bool stack_is_xml(const char *text, size_t bytes)
{
	size_t at = bytes >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;

	while (at < bytes && isspace((unsigned char)text[at]))
		at++;
	return at < bytes && text[at] == '<';
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_.$", c));
}

bool stack_is_plain(const char *text)
{
	size_t word = 0;

	while (isspace((unsigned char)*text))
		text++;
	while (is_name(text[word]))
		word++;
	if (!word || !text[word] || text[word] == ':')
		return word && stack_take_knows(text, word);
	return text[word] == '(';
}

static char *without_blanks(const char *text)
{
	char *copy = strdup(text), *to = copy;

	if (!copy)
		return NULL;
	for (; *text; text++) {
		if (!isspace((unsigned char)*text))
			*to++ = *text;
	}
	*to = '\0';
	return copy;
}

/* Splits "a=b;c=d" into names and values, in place. */
static int split(struct stack_taker *t, const char *protocol, char *text, const char **attributes)
{
	size_t count = 0;

	while (*text) {
		size_t length = strcspn(text, ";");
		char *equal = memchr(text, '=', length);
		bool more = text[length];

		text[length] = '\0';
		if (length && (!equal || equal == text))
			return stack_take_fault(t,
						"%.60s(%.60s): expected NAME=VALUE, with ; between",
						protocol, text);
		if (count + 2 > ATTRIBUTES_MAX)
			return stack_take_fault(t, "%.60s: more than %d attributes", protocol,
						ATTRIBUTES_MAX / 2);
		if (length) {
			*equal = '\0';
			attributes[count++] = text;
			attributes[count++] = equal + 1;
		}
		text += length + more;
	}
	attributes[count] = NULL;
	return 0;
}

/* Takes one protocol and the colon after it; JGroups ignores anything else there, too. */
static int take_one(struct stack_taker *t, char **text)
{
	const char *attributes[ATTRIBUTES_MAX + 1];
	char *name = *text, *end = name, *inner = NULL;
	int rc = 0;

	while (is_name(*end))
		end++;
	if (end == name)
		return stack_take_fault(
			t, "'%.60s': expected PROTOCOL(NAME=VALUE;...), with : between", name);
	if (*end == '(') {
		*end = '\0';
		inner = end + 1;
		end = strchr(inner, ')');
		if (!end)
			return stack_take_fault(t, "%.60s(%.60s: the ) is missing", name, inner);
		*end++ = '\0';
	}
	*text = end + strcspn(end, ":");
	*text += **text == ':';
	*end = '\0';
	attributes[0] = NULL;
	if (inner)
		rc = split(t, name, inner, attributes);
	return rc ? rc : stack_take(t, name, attributes);
}

int stack_parse_plain(struct stack *stack, const char *name, const char *text,
		      struct np_fault *fault)
{
	struct stack_taker t;
	int rc = stack_take_begin(&t, stack, name, fault);
	char *copy = rc ? NULL : without_blanks(text), *rest = copy;

	if (!rc && !copy)
		t.rc = np_fault_errno(fault, -ENOMEM, name);
	while (!t.rc && rest && *rest)
		take_one(&t, &rest);
	free(copy);
	return stack_take_end(&t);
}

void stack_free(struct stack *stack)
{
	config_file_free(&stack->settings);
	free(stack->unused);
	*stack = (struct stack){};
}
