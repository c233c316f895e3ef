// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* overlay-socket: an overlay as programs see it: opened by a file, or refused. */
#include "../net/overlay-opened.h"
#include "overlay_ends.h"
#include "support/unit.h"

/* What the file says, or leaves to be the default, holds. */
TEST(what_the_file_says_holds)
{
	static const struct {
		const char *protocol, *substrate, *node;
		np_time timeout;
	} cases[] = {
		{"DTBuddyList", "udp", "<TimeoutTime>7000</TimeoutTime>", 7 * NP_SECOND},
		{"DTBuddyList", "tcp", NULL, 10 * NP_SECOND},
		{"NONE", "tcp", NULL, 0},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct overlay_wanted wanted = {
			.protocol = cases[i].protocol,
			.substrate = cases[i].substrate,
			.top = "<OverlayID>Overlay_DT_Test</OverlayID>"
			       "<HashAttributes>/Public/OverlayID</HashAttributes>"
			       "<ReadTimeout>150</ReadTimeout>",
			.adapter = "<MessageBufferSize>77</MessageBufferSize>",
			.interface = "<MaximumPacketLength>5000</MaximumPacketLength>",
			.node = cases[i].node,
		};
		struct np_overlay *o = overlay_opened(&wanted, NULL);
		const struct np_overlay_info *info = np_overlay_info(o);
		const bool udp = !strcmp(cases[i].substrate, "udp");

		assert_string_equal(info->protocol, cases[i].protocol);
		assert_string_equal(info->substrate, cases[i].substrate);
		assert_true(np_address_port(&info->local) != 0);
		assert_int_equal(info->hash, 0x35eb719f);
		assert_int_equal(info->message_max, 5000);
		assert_in_range(info->payload_max_all, 4900, 4999);
		assert_in_range(info->payload_max_one, 4900, info->payload_max_all - 1);
		assert_int_equal(info->message_buffer, 77);
		assert_int_equal(info->timeout, cases[i].timeout);
		assert_int_equal(udp, info->drop_unit != NULL);
		assert_true(info->receive_granted > 0 && info->send_granted > 0);
		assert_non_null(info->stamps);
		np_overlay_free(o);
	}
}

static void refused(const struct overlay_wanted *wanted, int error, const char *line,
		    const char *reason)
{
	struct np_fault fault = {};
	struct np_overlay *o;

	assert_int_equal(overlay_try(&o, wanted, NULL, NULL, &fault), error);
	assert_null(o);
	assert_string_equal(strrchr(fault.object, ':'), line);
	if (!strstr(fault.reason, reason))
		fail_msg("%s, not %s", fault.reason, reason);
}

/* What only the opening sees is refused with its place, too. */
TEST(what_is_refused)
{
	struct overlay_wanted wanted = {.protocol = "NONE", .substrate = "udp"};
	struct np_overlay *first;
	struct np_fault fault;

	assert_int_equal(np_overlay_open_file(&first, "/nowhere/o.xml", NULL, NULL, &fault),
			 -ENOENT);
	assert_null(first);
	assert_string_equal(fault.object, "/nowhere/o.xml");
	assert_int_equal(np_address_parse(&wanted.local, "192.0.2.1:9001", 0, AF_UNSPEC), 0);
	refused(&wanted, -EADDRNOTAVAIL, ":3",
		"<Interface>: 192.0.2.1:9001: Cannot assign requested address");
	wanted.local = loopback(0);
	wanted.interface = "</UDPInterface></Type></Interface><Interface><ID>1</ID><Type>"
			   "<UDPInterface>";
	refused(&wanted, -EOPNOTSUPP, ":3", "<Interface>: a second active interface");
	/* It may be there, as long as it is switched off. */
	wanted.interface = "</UDPInterface></Type></Interface><Interface><ID>1</ID>"
			   "<Active>false</Active><Type><UDPInterface>";
	first = overlay_opened(&wanted, NULL);
	wanted = (struct overlay_wanted){.protocol = "NONE",
					 .substrate = "udp",
					 .local = np_overlay_info(first)->local,
					 .no_other_port = true};
	refused(&wanted, -EADDRINUSE, ":3", ": Address already in use");
	wanted.no_other_port = false;
	np_overlay_free(overlay_opened(&wanted, NULL));
	np_overlay_free(first);
	np_overlay_free(NULL);
}
