// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* overlay-file: an overlay opened by a file: its values apply, and what is impossible is
 * refused with file, line, element and what would be right. */
#include "overlay_config.h"

#include <errno.h>
#include <netperf/overlay.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char name[] = "/tmp/netperf-overlay.XXXXXX";

static int opened(const char *text, struct np_overlay **overlay, struct np_fault *fault)
{
	FILE *out;
	int rc;

	strcpy(name, "/tmp/netperf-overlay.XXXXXX");
	out = fdopen(mkstemp(name), "w");
	assert_non_null(out);
	assert_true(fputs(text, out) >= 0);
	assert_int_equal(fclose(out), 0);
	*fault = (struct np_fault){};
	rc = np_overlay_open_file(overlay, name, NULL, NULL, fault);
	unlink(name);
	return rc;
}

static struct np_overlay *good(const char *text)
{
	struct np_overlay *overlay;
	struct np_fault fault;

	if (opened(text, &overlay, &fault))
		fail_msg("%s: %s", fault.object, fault.reason);
	return overlay;
}

/* @place: ":LINE" behind the file's name. */
static void bad(const char *text, int error, const char *place, const char *reason)
{
	struct np_overlay *overlay;
	struct np_fault fault;

	assert_int_equal(opened(text, &overlay, &fault), error);
	assert_null(overlay);
	assert_int_equal(strncmp(fault.object, name, strlen(name)), 0);
	assert_string_equal(fault.object + strlen(name), place);
	if (!strstr(fault.reason, reason))
		fail_msg("%s, not %s", fault.reason, reason);
}

#define HERE UDP("127.0.0.1:0")
#define TCP                                                                                        \
	"<TCPInterface><PhyAddr><INETV4AndOnePort>127.0.0.1:0</INETV4AndOnePort></PhyAddr>"        \
	"<AddressRealm>lab</AddressRealm>"                                                         \
	"<MaximumPacketLength>200000</MaximumPacketLength></TCPInterface>"

static void what_the_file_says_holds(void **state)
{
	struct np_overlay *o = good(WHOLE("<OverlayID>Overlay_DT_Test</OverlayID>"
					  "<HashAttributes>/Public/OverlayID</HashAttributes>"
					  "<ReadTimeout>150</ReadTimeout>"
					  "<ReceiveBuffer><ReceiveBufferSize>1</ReceiveBufferSize>"
					  "</ReceiveBuffer><HopLimit>9</HopLimit>",
					  INTERFACES(TCP),
					  DT("<Coords><FIXED><coordinate>500,500</coordinate>"
					     "</FIXED></Coords>")));
	const struct np_overlay_info *info = np_overlay_info(o);
	const struct np_overlay_logical self = np_overlay_logical(o);
	struct np_overlay_message message;
	struct np_overlay_stats stats;
	char text[NP_OVERLAY_LOGICAL_TEXT];
	const np_time before = np_clock_now();

	(void)state;
	assert_string_equal(info->protocol, "DTBuddyList");
	assert_string_equal(info->substrate, "tcp");
	assert_int_equal(info->hash, 0x35eb719f);
	assert_int_equal(info->message_max, 200000);
	assert_true(info->payload_max_all > 199000);
	assert_true(info->read_timeout == 150 * NP_MILLISECOND);
	assert_true(np_address_port(&info->local) != 0);
	assert_string_equal(np_overlay_format(&self, text), "500,500");
	np_overlay_join(o, before);
	/* ReadTimeout ends a wait without end. */
	assert_int_equal(np_overlay_receive(o, &message, NP_TIME_NEVER), 0);
	assert_true(np_clock_now() - before >= 150 * NP_MILLISECOND);
	/* One payload waits, the second finds no room. */
	assert_int_equal(np_overlay_send_all(o, "x", 1), 0);
	assert_int_equal(np_overlay_send(o, &self, "y", 1), 0);
	assert_int_equal(np_overlay_stats(o, &stats), 0);
	assert_int_equal(stats.node.undelivered, 1);
	assert_int_equal(np_overlay_receive(o, &message, 0), 1);
	assert_int_equal(message.hop_limit, 8);
	np_overlay_free(o);
}

static void every_protocol_opens(void **state)
{
	static const struct {
		const char *text, *protocol;
	} rows[] = {
		{WHOLE("", INTERFACES(HERE), DT("")), "DTBuddyList"},
		{WHOLE("", INTERFACES(HERE), "<Node><NONE/></Node>"), "NONE"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct np_overlay *o = good(rows[i].text);

		assert_string_equal(np_overlay_info(o)->protocol, rows[i].protocol);
		np_overlay_free(o);
	}
}

static void what_is_refused(void **state)
{
	(void)state;
	bad(WHOLE("",
		  "<Interfaces>" INTERFACE(HERE) "\n<Interface><ID>if1</ID><Type>" HERE
						 "</Type></Interface></Interfaces>",
		  DT("")),
	    -EOPNOTSUPP, ":5", "<Interface>: a second active interface");
	bad(WHOLE("", INTERFACES(UDP("192.0.2.1:9001")), DT("")), -EADDRNOTAVAIL, ":4",
	    "<Interface>: 192.0.2.1:9001: Cannot assign requested address");
	bad(WHOLE("", INTERFACES(HERE), "<Node><DTServer/></Node>"), -EOPNOTSUPP, ":6",
	    "<DTServer>");
	bad(WHOLE("", INTERFACES(HERE), "<Node><SPT/></Node>"), -EINVAL, ":6", "<SPT>");
}

/* The other of two active ones may be there, as long as it is switched off. */
static void an_interface_switched_off(void **state)
{
	(void)state;
	np_overlay_free(good(
		WHOLE("",
		      "<Interfaces>" INTERFACE(
			      HERE) "\n<Interface><ID>if1</ID><Active>false</Active><Type>" HERE
				    "</Type></Interface></Interfaces>",
		      DT(""))));
}

static void a_port_in_use(void **state)
{
	struct np_overlay *first = good(WHOLE("", INTERFACES(HERE), DT("")));
	const unsigned port = np_address_port(&np_overlay_info(first)->local);
	char text[1000];
	static const char *const form =
		"<Public><Adapter><Interfaces>\n<Interface><Type><UDPInterface><PhyAddr>"
		"<INETV4AndOnePort>127.0.0.1:%u</INETV4AndOnePort></PhyAddr>"
		"<AllowRandomPhyAddrPort>%s</AllowRandomPhyAddrPort></UDPInterface></Type>"
		"</Interface></Interfaces></Adapter>" DT("") "</Public>";

	(void)state;
	snprintf(text, sizeof(text), form, port, "No");
	bad(text, -EADDRINUSE, ":2", ": Address already in use");
	snprintf(text, sizeof(text), form, port, "Yes");
	np_overlay_free(good(text));
	np_overlay_free(first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_file_says_holds),
		cmocka_unit_test(every_protocol_opens),
		cmocka_unit_test(what_is_refused),
		cmocka_unit_test(an_interface_switched_off),
		cmocka_unit_test(a_port_in_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
