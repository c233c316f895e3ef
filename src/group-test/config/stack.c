// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * stack: recognises a JGroups XML stack, and splits a stack that is given as one string as JGroups
 * does, where blanks are ignored everywhere. Takes the protocols one by one: the table of what they
 * mean here, and how properties, sizes and lists of hosts become values of our keys; lists all
 * others.
 */
#include "settings.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

enum stack_meaning { STACK_AS_IT_IS, STACK_BYTES, STACK_HOSTS };

/* Replaces "${name:default}" by the default, in place. False: it has none. */
static bool expand(char *value)
{
	char *to = value;

	for (const char *from = value; *from;) {
		const char *end = strchr(from, '}'), *colon = strchr(from, ':');

		if (strncmp(from, "${", 2)) {
			*to++ = *from++;
			continue;
		}
		if (!end || !colon || colon > end)
			return false;
		memmove(to, colon + 1, (size_t)(end - colon - 1));
		to += end - colon - 1;
		from = end + 1;
	}
	*to = '\0';
	return true;
}

/* JGroups' sizes are decimal: "64000", "640k", "5M", "20MB". */
static bool to_bytes(const char *value, char out[32])
{
	static const char *const units[] = {"b", NULL};
	const struct np_units_scale scale = {.thousand = 1000, .bare = 1, .units = units};
	double bytes, most = 1e9;

	switch (tolower((unsigned char)value[strspn(value, "0123456789.")])) {
	case 'k': most *= 1e3; break;
	case 'm': most *= 1e6; break;
	case 'g': most *= 1e9; break;
	case '\0': break;
	default: return false;
	}
	if (np_units_parse_scaled(value, &scale, 0, most, &bytes))
		return false;
	snprintf(out, 32, "%.0f", bytes);
	return true;
}

/* Turns "a[7800],b[7801]" into "a:7800,b:7801", in place, without blanks. */
static bool to_hosts(char *value)
{
	char *to = value;

	for (const char *from = value; *from; from++) {
		size_t digits = strspn(from + 1, "0123456789");

		if (*from == '[' && (!digits || from[1 + digits] != ']'))
			return false;
		if (*from == '[')
			*to++ = ':';
		else if (*from != ']' && !isspace((unsigned char)*from))
			*to++ = *from;
	}
	*to = '\0';
	return to > value;
}

/* JGroups also takes these words for an address, meaning "choose one". */
static bool is_choice(const char *value)
{
	return !strcasecmp(value, "GLOBAL") || !strcasecmp(value, "SITE_LOCAL") ||
	       !strcasecmp(value, "LINK_LOCAL") || !strcasecmp(value, "NON_LOOPBACK") ||
	       !strncasecmp(value, "match-", 6);
}

#define PACKAGE "org.jgroups.protocols."

/* Of equal keys the later row applies. */
static const struct row {
	const char *protocol, *attribute, *key;
	enum stack_meaning meaning;
} rows[] = {
	{"UDP", "bind_addr", "bind_addr", STACK_AS_IT_IS},
	{"UDP", "mcast_addr", "mcast_addr", STACK_AS_IT_IS},
	{"UDP", "mcast_port", "mcast_port", STACK_AS_IT_IS},
	{"UDP", "ip_ttl", "ttl", STACK_AS_IT_IS},
	{"UDP", "ucast_send_buf_size", "send_buf_size", STACK_BYTES},
	{"UDP", "mcast_send_buf_size", "send_buf_size", STACK_BYTES},
	{"UDP", "ucast_recv_buf_size", "recv_buf_size", STACK_BYTES},
	{"UDP", "mcast_recv_buf_size", "recv_buf_size", STACK_BYTES},
	{"TCP", "bind_addr", "bind_addr", STACK_AS_IT_IS},
	{"TCP", "start_port", "start_port", STACK_AS_IT_IS},
	{"TCP", "bind_port", "start_port", STACK_AS_IT_IS},
	{"TCP", "send_buf_size", "send_buf_size", STACK_BYTES},
	{"TCP", "recv_buf_size", "recv_buf_size", STACK_BYTES},
	{"TCPPING", "initial_hosts", "cluster", STACK_HOSTS},
};

/* The transports of JGroups: which of ours replaces each, and whose rows apply. */
static const struct bottom {
	const char *protocol, *rows, *transport;
	const char *why; /* why there is no replacement */
} bottoms[] = {
	{"UDP", "UDP", "udp", NULL},
	{"TCP", "TCP", "tcp", NULL},
	{"TCP_NIO", "TCP", "tcp", NULL},
	{"TCP1_4", "TCP", "tcp", NULL},
	{"TUNNEL", NULL, NULL, "goes through a GossipRouter"},
	{"LOOPBACK", NULL, NULL, "sends nothing out of its process"},
	{"SHARED_LOOPBACK", NULL, NULL, "sends nothing out of its process"},
	{"JMS", NULL, NULL, "goes through a JMS broker: transport=mqtt takes its place"},
};

/* A stack whose protocols are taken one by one. */
struct taker {
	struct config_file *to;
	const char *transport;
	struct np_fault *fault;
	FILE *unused; /* "FD FLUSH UDP.loopback ..." */
	struct config_line at;
	int rc; /* the first error */
};

#define wrong(t, ...) ((t)->rc = config_line_wrong(&(t)->at, (t)->fault, __VA_ARGS__))

static const struct bottom *find_bottom(const char *name, size_t bytes)
{
	for (size_t i = 0; i < sizeof(bottoms) / sizeof(*bottoms); i++) {
		if (!strncmp(bottoms[i].protocol, name, bytes) && !bottoms[i].protocol[bytes])
			return &bottoms[i];
	}
	return NULL;
}

static void leave(struct taker *t, const char *protocol, const char *attribute)
{
	fprintf(t->unused, "%s%s%s%s", ftell(t->unused) ? " " : "", protocol, attribute ? "." : "",
		attribute ? attribute : "");
}

static const struct row *find(const char *protocol, const char *attribute)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!strcmp(rows[i].protocol, protocol) &&
		    (!attribute || !strcmp(rows[i].attribute, attribute)))
			return &rows[i];
	}
	return NULL;
}

static const char *value_of(const char **attributes, const char *name)
{
	for (; *attributes; attributes += 2) {
		if (!strcmp(attributes[0], name))
			return attributes[1];
	}
	return NULL;
}

/*
 * Stores the attribute under our own key, in its form. False: it has no meaning here, as
 * "NON_LOOPBACK" (choose one), or "${name}" without a default.
 */
static bool keep(struct taker *t, const struct row *row, const char **attributes)
{
	const char *given = value_of(attributes, row->attribute), *kept = NULL;
	char *value = strdup(given), bytes[32];

	if (value && expand(value) && *value && !is_choice(value)) {
		if (row->meaning == STACK_BYTES)
			kept = to_bytes(value, bytes) ? bytes : NULL;
		else if (row->meaning == STACK_AS_IT_IS || to_hosts(value))
			kept = value;
	}
	if (kept)
		t->rc = config_file_append(t->to, t->at, row->key, kept);
	else if (!value)
		t->rc = -ENOMEM;
	if (t->rc)
		np_fault_errno(t->fault, t->rc, t->at.file);
	free(value);
	return kept;
}

/* Takes a protocol of t->line with its attributes: names and values in turn, NULL at the end. */
static int take(struct taker *t, const char *name, const char **attributes)
{
	const struct bottom *bottom;
	const char *mine;

	if (!strncmp(name, PACKAGE, strlen(PACKAGE)))
		name += strlen(PACKAGE);
	bottom = find_bottom(name, strlen(name));
	if (bottom && bottom->why)
		return wrong(t, "the transport %s %s; expected a stack with UDP, TCP or TCP_NIO",
			     name, bottom->why);
	if (bottom)
		t->transport = bottom->transport;
	/* The rows of a protocol, under its own name or another's. */
	mine = bottom ? bottom->rows : name;
	if (!find(mine, NULL)) {
		leave(t, name, NULL);
		return 0;
	}
	for (size_t i = 0; !t->rc && i < sizeof(rows) / sizeof(*rows); i++) {
		if (!strcmp(rows[i].protocol, mine) && value_of(attributes, rows[i].attribute) &&
		    !keep(t, &rows[i], attributes))
			leave(t, name, rows[i].attribute);
	}
	for (; *attributes; attributes += 2) {
		if (!find(mine, attributes[0]))
			leave(t, name, attributes[0]);
	}
	return t->rc;
}

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
		return word && find_bottom(text, word);
	return text[word] == '(';
}

/* Takes one protocol and the colon after it; JGroups ignores anything else there, too. */
static int take_one(struct taker *t, char **text)
{
	const char *attributes[ATTRIBUTES_MAX + 1] = {NULL};
	char *name = *text, *end = name, *inner = NULL, *pair, *value;
	size_t count = 0;

	while (is_name(*end))
		end++;
	if (end == name)
		return wrong(t, "'%.60s': expected PROTOCOL(NAME=VALUE;...), with : between", name);
	if (*end == '(') {
		*end = '\0';
		inner = end + 1;
		end = strchr(inner, ')');
		if (!end)
			return wrong(t, "%.60s(%.60s: the ) is missing", name, inner);
		*end++ = '\0';
	}
	*text = end + strcspn(end, ":");
	*text += **text == ':';
	*end = '\0';
	/* Splits "a=b;c=d" into names and values, in place. */
	while ((pair = strsep(&inner, ";"))) {
		if (!*pair)
			continue;
		value = strchr(pair, '=');
		if (!value || value == pair)
			return wrong(t, "%.60s(%.60s): expected NAME=VALUE, with ; between", name,
				     pair);
		if (count + 2 > ATTRIBUTES_MAX)
			return wrong(t, "%.60s: more than %d attributes", name, ATTRIBUTES_MAX / 2);
		*value = '\0';
		attributes[count++] = pair;
		attributes[count++] = value + 1;
	}
	return take(t, name, attributes);
}

static void take_plain(struct taker *t, const char *text)
{
	char *copy = strdup(text), *to = copy;

	if (!copy) {
		t->rc = np_fault_errno(t->fault, -ENOMEM, t->at.file);
		return;
	}
	for (; *text; text++) {
		if (!isspace((unsigned char)*text))
			*to++ = *text;
	}
	*to = '\0';
	for (to = copy; !t->rc && *to;)
		take_one(t, &to);
	free(copy);
}

int stack_read(struct config_file *to, const char **transport, const char *name, const char *text,
	       size_t bytes, const struct np_log *log, struct np_fault *fault)
{
	static const struct np_xml_kind kind = {
		.root = "config",
		.wrong_root = "is not a JGroups stack; expected <config> with a protocol in each "
			      "element",
		.doctype = "has a document type; expected a stack without one",
	};
	struct taker t = {.to = to, .fault = fault, .at = {.file = name, .line = 1}};
	struct np_xml *root = NULL;
	char *unused = NULL;
	size_t length;

	t.unused = open_memstream(&unused, &length);
	if (!t.unused)
		return np_fault_errno(fault, -ENOMEM, name);
	if (bytes)
		t.rc = np_xml_parse(&root, &kind, name, text, bytes, fault);
	else
		take_plain(&t, text);
	for (const struct np_xml *at = root ? root->child : NULL; !t.rc && at; at = at->next) {
		t.at.line = at->line;
		take(&t, at->name, at->attributes);
	}
	np_xml_free(root);
	*transport = t.transport;
	if (fclose(t.unused) && !t.rc)
		t.rc = np_fault_errno(fault, -ENOMEM, name);
	if (!t.rc && *unused)
		np_log_info(log, "%s: not used: %s", name, unused);
	free(unused);
	return t.rc;
}
