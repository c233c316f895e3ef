// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* config_hash: the hash of an overlay, of the elements that HashAttributes names. */
#include "config_take.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int overlay_take_hash(struct overlay_taker *t, const struct overlay_xml *root)
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
		t->config->hash = overlay_hash(text, bytes);
	free(text);
	return rc;
}
