// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * group-test-transport_overlay: nodes of an overlay on loopback: silent until it is stable, then
 * one hears one; what their files cannot carry is refused.
 */
#include "group_transports.h"
#include "support/unit.h"

#define NODES 3

/* A file for each node; all call the first one's port. */
struct files {
	char folder[64];
	char name[NODES][96];
};

static const char text[] =
	"<Public><OverlayID>unit</OverlayID><HashAttributes>/Public/OverlayID</HashAttributes>\n"
	"<RouteRecordSize>2</RouteRecordSize>\n"
	"<Adapter><MessageBufferSize>%u</MessageBufferSize><Interfaces><Interface><ID>0</ID>\n"
	"<Type><%s><PhyAddr><INETV4AndOnePort>127.0.0.1:%u</INETV4AndOnePort></PhyAddr>\n"
	"<MaximumPacketLength>%u</MaximumPacketLength></%s></Type></Interface></Interfaces>\n"
	"<ConfiguredAddressListNum>1</ConfiguredAddressListNum><ConfiguredAddressList>\n"
	"<Name>all</Name><Source>configuration</Source>\n"
	"<InterfaceAddressNum>1</InterfaceAddressNum>\n"
	"<InterfaceAddress>0|127.0.0.1:%u</InterfaceAddress></ConfiguredAddressList></Adapter>\n"
	"<Node><DTBuddyList><IAmHereTime>100</IAmHereTime><BuddyListName>all</BuddyListName>\n"
	"<Coords><FIXED><coordinate>%u,%u</coordinate></FIXED></Coords></DTBuddyList></Node>\n"
	"</Public>\n";

/* What differs between tests. */
struct how {
	const char *interface;
	unsigned buffer, longest;
};

static void write_file(const char *name, const struct how *how, unsigned port, unsigned first,
		       unsigned index)
{
	FILE *file = fopen(name, "we");

	assert_non_null(file);
	fprintf(file, text, how->buffer, how->interface, port, how->longest, how->interface, first,
		100 + 300 * index, 100 + 170 * index * index);
	assert_int_equal(fclose(file), 0);
}

/* Ports of this process alone, as far as nobody else takes them meanwhile. */
static void write_files(struct files *files, const struct how *how)
{
	const unsigned first = 20000 + (unsigned)getpid() % 10000;

	snprintf(files->folder, sizeof(files->folder), "/tmp/netperf-unit.XXXXXX");
	assert_non_null(mkdtemp(files->folder));
	for (unsigned i = 0; i < NODES; i++) {
		snprintf(files->name[i], sizeof(files->name[i]), "%s/%u.xml", files->folder, i);
		write_file(files->name[i], how, i ? 0 : first, first, i);
	}
}

static void remove_files(const struct files *files)
{
	for (unsigned i = 0; i < NODES; i++)
		unlink(files->name[i]);
	rmdir(files->folder);
}

static struct transport_plan plan_of(const struct files *files, size_t data_bytes)
{
	static const struct np_log log = {.program = "unit"}; /* nothing is to be said */
	struct transport_plan plan = {
		.variant = "overlay",
		.overlay = {.file = files->name[0], .group = "unit", .log = &log},
	};

	parties_plan(&plan, NODES, data_bytes);
	return plan;
}

static bool all_may_speak(const struct parties *p)
{
	struct transport_slots slots;

	for (unsigned i = 0; i < p->count; i++) {
		if (!transport_reserve(p->party[i].transport, 1, &slots))
			return false;
	}
	return true;
}

static void open_nodes(struct parties *p, const struct files *files, struct transport_plan plan)
{
	for (unsigned i = 0; i < NODES; i++) {
		plan.overlay.file = files->name[i];
		assert_int_equal(parties_open(p, &plan), 0);
		assert_int_equal(transport_send(p->party[i].transport, NULL, "early", 5), -EAGAIN);
	}
	PARTIES_AWAIT(p, all_may_speak(p));
}

TEST(one_hears_one)
{
	PARTIES p = {};
	struct files files;

	write_files(&files, &(struct how){"UDPInterface", 100, 8192});
	open_nodes(&p, &files, plan_of(&files, 100));
	/* Where the others are is not known before they were heard. */
	assert_int_equal(transport_send(p.party[0].transport,
					&transport_info(p.party[1].transport)->self, "x", 1),
			 -ENOENT);
	parties_hello(&p, 1);
	PARTIES_AWAIT(&p, parties_idle(&p));
	for (unsigned i = 0; i < NODES; i++) {
		while (!p.party[i].hellos[1])
			parties_turn(&p);
		memset(p.party[i].hellos, 0, sizeof(p.party[i].hellos));
	}
	parties_one_hears_one(&p);
	remove_files(&files);
}

static void refused(const struct how *how, struct transport_plan plan, int error,
		    const char *reason)
{
	const struct transport_listener listener = {NULL, parties_deliver, parties_event};
	struct np_fault fault = {};
	struct files files;
	struct transport *t;

	write_files(&files, how);
	plan.overlay.file = files.name[0];
	assert_int_equal(transport_open(&t, &plan, &listener, &fault), error);
	assert_null(t);
	if (!strstr(fault.reason, reason))
		fail_msg("'%s' instead of '%s'", fault.reason, reason);
	remove_files(&files);
}

TEST(what_an_overlay_cannot_carry_is_refused)
{
	const struct how usual = {"UDPInterface", 100, 8192};
	struct files none = {.name = {"/nonexistent/RunServerSocket.xml"}};
	struct transport_plan plan = plan_of(&none, 8128);

	parties_refused(&plan, -ENOENT, none.name[0], "No such file or directory");
	plan.data_bytes = 8129;
	refused(&usual, plan, -EMSGSIZE, "a message has at most 8120 in this overlay");
	plan = plan_of(&none, 100);
	refused(&(struct how){"UDPInterface", 100, 1000}, plan, -EMSGSIZE,
		"MaximumPacketLength leaves 950 bytes for a message; at least 1014 are needed");
	plan.members = plan.senders = 101;
	refused(&usual, plan, -EINVAL,
		"MessageBufferSize of 100 messages has no room for one of each of 101 senders; "
		"expected at least 404");
}
