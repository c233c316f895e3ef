// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* config: reads the configuration of an overlay node, its outermost elements and its hash. */
#include "config.h"

#include "config_take.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MILLISECONDS_MAX 86400000
#define AT(member)	 offsetof(struct overlay_config, member)

/* Its text is not stored: HashAttributes names it if it is to count. */
static int check_id(struct overlay_taker *t, const struct overlay_xml *element, void *config)
{
	(void)config;
	return element->child ? overlay_take_fault(t, element, -EINVAL,
						   "holds the element <%.64s>; expected a name",
						   element->child->name)
			      : 0;
}

/* Such an element is read at the end, when everything that it may name is known. */
static int take_later(struct overlay_taker *t, const struct overlay_xml *element, void *config)
{
	(void)t;
	(void)element;
	(void)config;
	return 0;
}

static const struct overlay_rule receive_buffer_rules[] = {
	{.name = "ReceiveBufferSize", FORM_COUNT, AT(receive_buffer), 1, OVERLAY_MESSAGES_MAX},
	{},
};

static const struct overlay_rule security_rules[] = {
	{.name = "SecurityLevel", FORM_WORD, .word = "plaintext"},
	{},
};

static const struct overlay_rule enhanced_rules[] = {
	{.name = "StartService", FORM_WORD, .word = "no"},
	{},
};

static const struct overlay_rule service_rules[] = {
	{.name = "EnhancedDelivery", .inside = enhanced_rules},
	{},
};

static const struct overlay_rule public_rules[] = {
	{.name = "OverlayID", .take = check_id},
	{.name = "HashAttributes", .take = take_later},
	{.name = "HopLimit", FORM_COUNT, AT(node.hop_limit), 1, 255},
	{.name = "RouteRecordSize", FORM_COUNT, AT(node.route_records), 0, 255},
	{.name = "ReceiveBuffer", .inside = receive_buffer_rules},
	{.name = "ReadTimeout", FORM_TIME, AT(read_timeout), 0, MILLISECONDS_MAX},
	{.name = "Adapter", .take = overlay_take_adapter},
	{.name = "Node", .take = overlay_take_node},
	{.name = "OverlayServer", FORM_WORD, .word = "None"},
	{.name = "Security", .inside = security_rules},
	{.name = "NetworkService", .inside = service_rules},
	{},
};

#define PATHS_MAX  64
#define PATH_ROOM  256
#define HASHED_MAX 65536

/* The text that HyperCast uses for an absent element. */
static const char *absent(const char *path)
{
	static const char *const defaults[][2] = {
		{"/Public/OverlayID", ""},
		{"/Public/HopLimit", "255"},
		{"/Public/RouteRecordSize", "0"},
		{"/Public/ReadTimeout", "0"},
		{"/Public/ReceiveBuffer/ReceiveBufferSize", "200"},
		{"/Public/Adapter/MessageBufferSize", "100"},
		{"/Public/OverlayServer", "None"},
		{"/Public/Security/SecurityLevel", "plaintext"},
		{"/Public/NetworkService/EnhancedDelivery/StartService", "no"},
	};

	for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++)
		if (!strcmp(path, defaults[i][0]))
			return defaults[i][1];
	return NULL;
}

/* The element of that path, NULL when there is none; -EINVAL: there are several. */
static int find(struct overlay_taker *t, const struct overlay_xml *list, const char *path,
		const struct overlay_xml **found)
{
	const struct overlay_xml *at = list->parent;
	const char *step = path + strlen("/Public");
	char name[PATH_ROOM];

	while (at && *step == '/') {
		const size_t length = strcspn(++step, "/");

		memcpy(name, step, length);
		name[length] = '\0';
		step += length;
		at = overlay_xml_child(at, name);
		for (const struct overlay_xml *more = at ? at->next : NULL; more; more = more->next)
			if (!strcmp(more->name, name))
				return overlay_take_fault(t, list, -EINVAL,
							  "\"%.100s\": there are several "
							  "<%.64s>; expected an element that is "
							  "there once",
							  path, name);
	}
	*found = at;
	return 0;
}

/* What stands for an element in the hash; blanks count as they are in the file. */
static int value_of(struct overlay_taker *t, const struct overlay_xml *list, const char *path,
		    const char **value)
{
	const struct overlay_xml *at = NULL;
	const int rc = find(t, list, path, &at);

	if (rc)
		return rc;
	if (at && at->child && (at->mixed || at->child->next))
		return overlay_take_fault(t, at, -EINVAL,
					  "is in HashAttributes; expected a text, or one element "
					  "without blanks or comments around it: "
					  "<%.64s><%.64s>...</%.64s></%.64s>",
					  at->name, at->child->name, at->child->name, at->name);
	if (!at)
		*value = absent(path);
	else
		*value = at->child ? at->child->name : at->text;
	if (!*value) {
		overlay_take_fault(t, list, -EINVAL,
				   "\"%.100s\" is not in this file; expected paths of its "
				   "elements, /Public/OverlayID for one",
				   path);
		return -EINVAL;
	}
	for (const char *c = *value; *c; c++)
		if (*c & 0x80)
			return overlay_take_fault(t, at ? at : list, -EINVAL,
						  "is in HashAttributes; expected ASCII characters "
						  "only, for the hash of others is not known");
	return 0;
}

static int print_path(struct overlay_taker *t, const struct overlay_xml *list, const char *path,
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
	if (!rc && ftell(out) + (long)strlen(value) > HASHED_MAX)
		rc = overlay_take_fault(t, list, -E2BIG, "over %d bytes; expected less in all",
					HASHED_MAX);
	if (!rc)
		fprintf(out, "%s%s=%s", ftell(out) ? "&" : "", path, value);
	return rc;
}

static int print_paths(struct overlay_taker *t, const struct overlay_xml *list, FILE *out)
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

static int take_hash(struct overlay_taker *t, const struct overlay_xml *root)
{
	const struct overlay_xml *list = overlay_xml_child(root, "HashAttributes");
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

/* What a protocol asks of the rest. */
static int check(struct overlay_taker *t, const struct overlay_xml *root)
{
	const struct overlay_config *config = t->config;
	const bool spanning = config->node.protocol == OVERLAY_SPT;
	const bool beacons = spanning || config->node.protocol == OVERLAY_DT_BROADCAST;
	const struct overlay_xml *node = overlay_xml_child(root, "Node");
	bool pair = false;

	for (unsigned i = 0; i < config->interface_count; i++)
		pair = pair ||
		       (config->interface[i].active && config->interface[i].kind == OVERLAY_PAIR);
	if (beacons && !pair)
		return overlay_take_fault(t, node->child, -EINVAL,
					  "needs a multicast group; expected an active interface "
					  "of the Type MulticastUnicastInterface");
	if (spanning && !config->node.route_records)
		return overlay_take_fault(t, node->child, -EINVAL,
					  "messages go in circles when RouteRecordSize is 0; "
					  "expected <RouteRecordSize>2</RouteRecordSize> in "
					  "<Public>");
	return 0;
}

static int take_root(struct overlay_taker *t, const struct overlay_xml *root)
{
	static const char *const wanted[] = {"Adapter", "Node"};
	int rc;

	if (strcmp(root->name, "Public"))
		return overlay_take_fault(t, root, -EINVAL,
					  "no configuration of an overlay; expected <Public>");
	rc = overlay_take_children(t, root, t->config, public_rules);
	for (unsigned i = 0; !rc && i < 2; i++)
		if (!overlay_xml_child(root, wanted[i]))
			return overlay_take_fault(t, root, -EINVAL, "no <%s>; expected one",
						  wanted[i]);
	if (!rc && !t->config->interface_count)
		return overlay_take_fault(t, overlay_xml_child(root, "Adapter"), -EINVAL,
					  "no <Interfaces>; expected them with an <Interface>");
	if (!rc)
		rc = overlay_take_contacts(t);
	if (!rc)
		rc = check(t, root);
	return rc ? rc : take_hash(t, root);
}

int overlay_config_parse(struct overlay_config *config, const char *file, const char *text,
			 size_t bytes, const struct np_log *log, struct np_fault *fault)
{
	struct overlay_taker t = {.config = config, .file = file, .log = log, .fault = fault};
	struct overlay_xml *root;
	int rc;

	*config = (struct overlay_config){
		.node.hop_limit = 255, .receive_buffer = 200, .message_buffer = 100};
	rc = overlay_xml_parse(&root, file, text, bytes, fault);
	if (!rc)
		rc = take_root(&t, root);
	overlay_xml_free(root);
	return rc;
}

int overlay_config_read(struct overlay_config *config, const char *file, const struct np_log *log,
			struct np_fault *fault)
{
	const size_t room = OVERLAY_XML_BYTES_MAX + 1;
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
