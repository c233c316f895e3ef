// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* The hash of an overlay's configuration, and the limits of the document that it is. */
#include "overlay_config_tried.h"
#include "support/unit.h"

#include <netperf/xml.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint32_t hash_of(const char *text)
{
	struct overlay_config c;
	const int rc = read_text(&c, text);
	const uint32_t hash = c.node.hash;

	if (rc)
		fail_msg("%d, %s: %s of %.300s", rc, fault.object, fault.reason, text);
	overlay_config_free(&c);
	return hash;
}

/* An element that is absent has the hash of its default, and another one another hash. */
TEST(hashes)
{
	static const struct {
		const char *path, *before, *same, *other, *after;
	} cases[] = {
		{"/Public/OverlayID", "<OverlayID>", "", "a", "</OverlayID>"},
		{"/Public/HopLimit", "<HopLimit>", "255", "254", "</HopLimit>"},
		{"/Public/RouteRecordSize", "<RouteRecordSize>", "0", "00", "</RouteRecordSize>"},
		{"/Public/ReadTimeout", "<ReadTimeout>", "0", "5", "</ReadTimeout>"},
		{"/Public/ReceiveBuffer/ReceiveBufferSize", "<ReceiveBuffer><ReceiveBufferSize>",
		 "200", "201", "</ReceiveBufferSize></ReceiveBuffer>"},
		{"/Public/OverlayServer", "<OverlayServer>", "None", "none", "</OverlayServer>"},
		{"/Public/OverlayServer", "<OverlayServer>", "<None/>", "<none/>",
		 "</OverlayServer>"},
		{"/Public/Security/SecurityLevel", "<Security><SecurityLevel>", "plaintext",
		 "PlainText", "</SecurityLevel></Security>"},
		{"/Public/NetworkService/EnhancedDelivery/StartService",
		 "<NetworkService><EnhancedDelivery><StartService>", "no", "No",
		 "</StartService></EnhancedDelivery></NetworkService>"},
	};
	char text[4096];

	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *const values[] = {cases[i].same, cases[i].other};
		uint32_t absent;

		snprintf(text, sizeof(text),
			 WHOLE("<HashAttributes>%s</HashAttributes>", BASE, DT("")), cases[i].path);
		absent = hash_of(text);
		for (unsigned v = 0; v < 2; v++) {
			snprintf(text, sizeof(text),
				 WHOLE("<HashAttributes>%s</HashAttributes>%s%s%s", BASE, DT("")),
				 cases[i].path, cases[i].before, values[v], cases[i].after);
			assert_int_equal(hash_of(text) == absent, !v);
		}
	}
	assert_int_equal(hash_of(WHOLE("<HashAttributes>/Public/Adapter/MessageBufferSize"
				       "</HashAttributes>",
				       BASE, DT(""))),
			 hash_of(WHOLE("<HashAttributes>/Public/Adapter/MessageBufferSize"
				       "</HashAttributes>",
				       BASE "<MessageBufferSize>100</MessageBufferSize>", DT(""))));
	/* The order counts, and what several have. */
	assert_int_not_equal(
		hash_of(WHOLE("<HashAttributes>/Public/HopLimit,/Public/OverlayID</HashAttributes>",
			      BASE, DT(""))),
		hash_of(WHOLE("<HashAttributes>/Public/OverlayID,/Public/HopLimit</HashAttributes>",
			      BASE, DT(""))));
}

#define PATHS(top, paths) WHOLE(top "<HashAttributes>" paths "</HashAttributes>", BASE, DT(""))

/* Paths and texts that have no hash. */
TEST(no_hashes)
{
	static const char form[] = "expected paths as /Public/OverlayID";
	char path[300], text[4096];
	struct text t;

	refused(PATHS("", "/Public/"), -EINVAL, form);
	refused(PATHS("", "/Public"), -EINVAL, form);
	refused(PATHS("", "/Public/OverlayID/"), -EINVAL, form);
	refused(PATHS("", ",/Public/OverlayID"), -EINVAL, form);
	refused(PATHS("", "/Public/OverlayID,,/Public/HopLimit"), -EINVAL, form);
	refused(PATHS("", "<a/>"), -EINVAL, "holds elements");
	refused(PATHS("", "/Public/\xc3\xa4"), -EINVAL, "expected ASCII");
	refused(PATHS("<a/><a/>", "/Public/a"), -EINVAL, "there are several <a>");
	refused(PATHS("<b/><a/><c/><a/>", "/Public/a"), -EINVAL, "there are several <a>");
	accepted(PATHS("<a/><b/>", "/Public/a"));
	accepted(PATHS("<a><b/></a>", "/Public/a"));
	accepted(PATHS("<a><b>c</b></a>", "/Public/a/b"));
	refused(PATHS("<a><b/><c/></a>", "/Public/a"), -EINVAL, "or one element");
	refused(PATHS("<a><b/><!-- --></a>", "/Public/a"), -EINVAL, "or one element");
	refused(PATHS("<a><?x?><b/></a>", "/Public/a"), -EINVAL, "or one element");
	refused(PATHS("<a><b/>c</a>", "/Public/a"), -EINVAL, "or one element");
	refused(PATHS("<a>\x7f\xc2\x80</a>", "/Public/a"), -EINVAL, "expected ASCII");
	accepted(PATHS("<a>\x7f</a>", "/Public/a"));
	/* So many paths, of such a length, of so many bytes in all. */
	for (unsigned more = 0; more < 2; more++) {
		memset(path, 'a', sizeof(path));
		path[255 + more - strlen("/Public/")] = '\0';
		snprintf(text, sizeof(text), PATHS("<%s/>", "/Public/%s"), path, path);
		if (more)
			refused(text, -E2BIG, "at most 255 characters");
		else
			accepted(text);
		begin(&t, "<Public><HashAttributes>/Public/HopLimit");
		add_many(&t, ",/Public/HopLimit", 63 + more);
		add(&t, "</HashAttributes><Adapter>" BASE "</Adapter>" DT("") "</Public>");
		if (more)
			refused(t.data, -E2BIG, "at most 64 paths");
		else
			accepted(t.data);
		free(t.data);
		/* What is before the last value: /Public/HopLimit=255&/Public/OverlayID= */
		begin(&t, "<Public><HashAttributes>/Public/HopLimit,/Public/OverlayID"
			  "</HashAttributes><OverlayID>");
		add_many(&t, "a", 65536 - strlen("/Public/HopLimit=255") + more);
		add(&t, "</OverlayID><Adapter>" BASE "</Adapter>" DT("") "</Public>");
		if (more)
			refused(t.data, -E2BIG, "over 65536 bytes");
		else
			accepted(t.data);
		free(t.data);
	}
}

/* The bounds of documents. */
TEST(documents)
{
	struct overlay_config c;
	struct text t;

	for (unsigned more = 0; more < 2; more++) {
		begin(&t, "<Public><Adapter>" BASE "</Adapter>" DT(""));
		add_many(&t, "<a>", 15 + more);
		add_many(&t, "</a>", 15 + more);
		add(&t, "<a/></Public>");
		if (more)
			refused(t.data, -E2BIG, "at most 16 levels");
		else
			accepted(t.data);
		free(t.data);
		begin(&t, WHOLE("", BASE, DT("")));
		/* Public, Adapter, Interfaces, Interface, ID, Type, UDPInterface, PhyAddr,
		 * INETV4AndOnePort, AddressRealm, Node, DTBuddyList */
		t.length -= strlen("</Public>");
		add_many(&t, "<a/>", NP_XML_ELEMENTS_MAX - 12 + more);
		add(&t, "</Public>");
		if (more)
			refused(t.data, -E2BIG, "at most 20000");
		else
			accepted(t.data);
		free(t.data);
		begin(&t, WHOLE("", BASE, DT("")));
		add(&t, "%*s", (int)(NP_XML_BYTES_MAX - t.length + more), "");
		assert_int_equal(t.length, NP_XML_BYTES_MAX + more);
		if (more)
			refused(t.data, -E2BIG, "at most 1 MiB");
		else
			accepted(t.data);
		free(t.data);
	}
	/* Attributes that mean nothing are none. */
	assert_int_equal(read_text(&c, "<Public xmlns=\"a\" xmlns:b=\"c\" b:d=\"e\"><Adapter>" BASE
				       "</Adapter>" DT("") "</Public>"),
			 0);
	overlay_config_free(&c);
	refused(WHOLE("text", BASE, DT("")), -EINVAL, "holds the text \"text");
	accepted(WHOLE("<!-- text --><?text?>", BASE, DT("")));
}

/* The same bounds of a file. */
TEST(files)
{
	char name[] = "/tmp/overlay-config-XXXXXX";
	const int fd = mkstemp(name);
	FILE *out = fdopen(fd, "w");
	struct overlay_config c;

	assert_non_null(out);
	fprintf(out, "%-*s", (int)NP_XML_BYTES_MAX, WHOLE("", BASE, DT("")));
	fflush(out);
	assert_int_equal(overlay_config_read(&c, name, NULL, &fault), 0);
	overlay_config_free(&c);
	fputc(' ', out);
	fclose(out);
	assert_int_equal(overlay_config_read(&c, name, NULL, &fault), -E2BIG);
	overlay_config_free(&c);
	remove(name);
}
