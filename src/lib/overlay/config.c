// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* config: reads the configuration of an overlay node, its outermost elements. */
#include "config.h"

#include "config_take.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MILLISECONDS_MAX 86400000
#define MESSAGES_MAX	 1000000
#define AT(member)	 offsetof(struct overlay_config, member)

/* Copies the text unchanged: blanks count in the hash. */
static int take_id(struct overlay_taker *t, const struct overlay_xml *element, void *id)
{
	char *copy;

	if (element->child)
		return overlay_take_fault(t, element, -EINVAL,
					  "holds the element <%.64s>; expected a name",
					  element->child->name);
	copy = strdup(element->text);
	if (!copy)
		return overlay_take_fault(t, element, -ENOMEM, "%s", strerror(ENOMEM));
	free(*(char **)id);
	*(char **)id = copy;
	return 0;
}

static int take_receive_buffer(struct overlay_taker *t, const struct overlay_xml *element,
			       void *config)
{
	static const struct overlay_rule rules[] = {
		{.name = "ReceiveBufferSize",
		 .form = OVERLAY_FORM_COUNT,
		 .offset = AT(receive_buffer),
		 .min = 1,
		 .max = MESSAGES_MAX},
		{},
	};

	return overlay_take_children(t, element, config, rules);
}

struct adapter {
	unsigned lists, message_buffer;
};

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
static int take_adapter(struct overlay_taker *t, const struct overlay_xml *element, void *config)
{
	static const struct overlay_rule rules[] = {
		{.name = "MessageBufferSize",
		 .form = OVERLAY_FORM_COUNT,
		 .offset = offsetof(struct adapter, message_buffer),
		 .min = 1,
		 .max = MESSAGES_MAX},
		{.name = "Interfaces", .form = OVERLAY_FORM_OTHER, .take = overlay_take_interfaces},
		{.name = "ConfiguredAddressListNum",
		 .form = OVERLAY_FORM_COUNT,
		 .offset = offsetof(struct adapter, lists),
		 .max = OVERLAY_LISTS_MAX},
		{.name = "ConfiguredAddressList",
		 .form = OVERLAY_FORM_OTHER,
		 .take = take_list,
		 .many = true},
		{},
	};
	struct adapter read = {.message_buffer = t->config->message_buffer};
	const int rc = overlay_take_children(t, element, &read, rules);

	(void)config;
	t->config->message_buffer = read.message_buffer;
	if (!rc && read.lists != t->list_count)
		return overlay_take_fault(t, element, -EINVAL,
					  "ConfiguredAddressListNum is %u with %u "
					  "<ConfiguredAddressList>; expected "
					  "<ConfiguredAddressListNum>%u</ConfiguredAddressListNum>",
					  read.lists, t->list_count, t->list_count);
	return rc;
}

static int take_security(struct overlay_taker *t, const struct overlay_xml *element, void *config)
{
	static const struct overlay_rule rules[] = {
		{.name = "SecurityLevel", .form = OVERLAY_FORM_WORD, .word = "plaintext"},
		{},
	};

	return overlay_take_children(t, element, config, rules);
}

static int take_enhanced(struct overlay_taker *t, const struct overlay_xml *element, void *config)
{
	static const struct overlay_rule rules[] = {
		{.name = "StartService", .form = OVERLAY_FORM_WORD, .word = "no"},
		{},
	};

	return overlay_take_children(t, element, config, rules);
}

static int take_services(struct overlay_taker *t, const struct overlay_xml *element, void *config)
{
	static const struct overlay_rule rules[] = {
		{.name = "EnhancedDelivery", .form = OVERLAY_FORM_OTHER, .take = take_enhanced},
		{},
	};

	return overlay_take_children(t, element, config, rules);
}

/* Such an element is read at the end, when everything that it may name is known. */
static int take_later(struct overlay_taker *t, const struct overlay_xml *element, void *config)
{
	(void)t;
	(void)element;
	(void)config;
	return 0;
}

static const struct overlay_rule public_rules[] = {
	{.name = "OverlayID", .form = OVERLAY_FORM_OTHER, .offset = AT(id), .take = take_id},
	{.name = "HashAttributes", .form = OVERLAY_FORM_OTHER, .take = take_later},
	{.name = "HopLimit",
	 .form = OVERLAY_FORM_COUNT,
	 .offset = AT(hop_limit),
	 .min = 1,
	 .max = 255},
	{.name = "RouteRecordSize",
	 .form = OVERLAY_FORM_COUNT,
	 .offset = AT(route_records),
	 .max = 255},
	{.name = "ReceiveBuffer", .form = OVERLAY_FORM_OTHER, .take = take_receive_buffer},
	{.name = "ReadTimeout",
	 .form = OVERLAY_FORM_TIME,
	 .offset = AT(read_timeout),
	 .max = MILLISECONDS_MAX},
	{.name = "Adapter", .form = OVERLAY_FORM_OTHER, .take = take_adapter},
	{.name = "Node", .form = OVERLAY_FORM_OTHER, .take = overlay_take_node},
	{.name = "OverlayServer", .form = OVERLAY_FORM_WORD, .word = "None"},
	{.name = "Security", .form = OVERLAY_FORM_OTHER, .take = take_security},
	{.name = "NetworkService", .form = OVERLAY_FORM_OTHER, .take = take_services},
	{},
};

/* What a protocol asks of the rest. */
static int check(struct overlay_taker *t, const struct overlay_xml *root)
{
	const struct overlay_config *config = t->config;
	const bool beacons = config->system == OVERLAY_SYSTEM_DT_BROADCAST ||
			     config->system == OVERLAY_SYSTEM_SPT;
	const struct overlay_xml *node = overlay_xml_child(root, "Node");
	bool pair = false;

	for (unsigned i = 0; i < config->interface_count; i++)
		pair = pair || (config->interface[i].active &&
				config->interface[i].kind == OVERLAY_INTERFACE_PAIR);
	if (beacons && !pair)
		return overlay_take_fault(t, node->child, -EINVAL,
					  "needs a multicast group; expected an active interface "
					  "of the Type MulticastUnicastInterface");
	if (config->system == OVERLAY_SYSTEM_SPT && !config->route_records)
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
	return rc ? rc : overlay_take_hash(t, root);
}

int overlay_config_parse(struct overlay_config *config, const char *file, const char *text,
			 size_t bytes, const struct overlay_config_notices *notices,
			 struct np_fault *fault)
{
	struct overlay_taker t = {
		.config = config, .file = file, .notices = notices, .fault = fault};
	struct overlay_xml *root;
	int rc;

	*config = (struct overlay_config){
		.hop_limit = 255, .receive_buffer = 200, .message_buffer = 100};
	config->id = strdup("");
	if (!config->id)
		return np_fault_errno(fault, -ENOMEM, file);
	rc = overlay_xml_parse(&root, file, text, bytes, fault);
	if (!rc)
		rc = take_root(&t, root);
	overlay_xml_free(root);
	return rc;
}

int overlay_config_read(struct overlay_config *config, const char *file,
			const struct overlay_config_notices *notices, struct np_fault *fault)
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
		rc = overlay_config_parse(config, file, text, bytes, notices, fault);
	if (in)
		fclose(in);
	free(text);
	return rc;
}

void overlay_config_free(struct overlay_config *config)
{
	free(config->id);
	free(config->contact);
	*config = (struct overlay_config){};
}
