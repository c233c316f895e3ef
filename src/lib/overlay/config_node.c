// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* config_node: the protocol of a node and its times. */
#include "config_take.h"
#include "node.h"

#include <errno.h>
#include <string.h>

#define MILLISECONDS_MAX 86400000
#define SYSTEMS		 "DTBuddyList, DTBroadcast, SPT or NONE"
#define MS(n)		 ((n)*NP_MILLISECOND)

static int take_verification(struct overlay_taker *t, const struct overlay_xml *element,
			     void *any_neighbour)
{
	char text[OVERLAY_NAME];
	const int rc = overlay_take_name(t, element, text);

	if (rc)
		return rc;
	/* HyperCast offers the first spelling and compares with the second. */
	if (strcmp(text, "neighborcheck") && strcmp(text, "neighborCheck"))
		return overlay_take_fault(t, element, -EINVAL,
					  "\"%s\"; expected neighborcheck (a message must come by "
					  "the reverse path) or neighborCheck (from any neighbour)",
					  text);
	*(bool *)any_neighbour = !strcmp(text, "neighborCheck");
	return 0;
}

static int take_buddy_list(struct overlay_taker *t, const struct overlay_xml *element, void *unused)
{
	char name[OVERLAY_NAME];

	(void)unused;
	t->buddy_list = element;
	return overlay_take_name(t, element, name);
}

/* What is read of a Delaunay node before it is known whether the buddies learnt are used. */
struct dt_read {
	struct overlay_config_dt dt;
	bool static_buddies, dynamic_buddies;
};

#define AT(member) offsetof(struct dt_read, member)
#define TIME(member)                                                                               \
	.form = OVERLAY_FORM_TIME, .offset = (member), .min = 1, .max = MILLISECONDS_MAX
#define DELAUNAY                                                                                   \
	{.name = "FastHeartbeatTime", TIME(AT(dt.heartbeat_fast))},                                \
		{.name = "SlowHeartbeatTime", TIME(AT(dt.heartbeat_slow))},                        \
		{.name = "TimeoutTime", TIME(AT(dt.timeout))},                                     \
		{.name = "Verification",                                                           \
		 .form = OVERLAY_FORM_OTHER,                                                       \
		 .offset = AT(dt.any_neighbour),                                                   \
		 .take = take_verification},                                                       \
	{                                                                                          \
		.name = "Coords", .form = OVERLAY_FORM_OTHER, .offset = AT(dt.coords),             \
		.take = overlay_take_coords                                                        \
	}

static int take_delaunay(struct overlay_taker *t, const struct overlay_xml *element,
			 struct dt_read *read, const struct overlay_rule *rules)
{
	const int rc = overlay_take_children(t, element, read, rules);

	if (rc)
		return rc;
	if (read->dt.heartbeat_slow < read->dt.heartbeat_fast)
		return overlay_take_fault(t, element, -EINVAL,
					  "SlowHeartbeatTime %lld is less than FastHeartbeatTime "
					  "%lld; expected at least as much",
					  (long long)(read->dt.heartbeat_slow / NP_MILLISECOND),
					  (long long)(read->dt.heartbeat_fast / NP_MILLISECOND));
	if (read->dt.timeout <= read->dt.heartbeat_slow)
		return overlay_take_fault(t, element, -EINVAL,
					  "TimeoutTime %lld is not longer than SlowHeartbeatTime "
					  "%lld; expected more, or every neighbour times out",
					  (long long)(read->dt.timeout / NP_MILLISECOND),
					  (long long)(read->dt.heartbeat_slow / NP_MILLISECOND));
	t->config->dt = read->dt;
	return 0;
}

static int take_dt_buddies(struct overlay_taker *t, const struct overlay_xml *element, void *unused)
{
	static const struct overlay_rule rules[] = {
		DELAUNAY,
		{.name = "IAmHereTime", TIME(AT(dt.rendezvous))},
		{.name = "UsingStaticBuddyList",
		 .form = OVERLAY_FORM_BOOLEAN,
		 .offset = AT(static_buddies)},
		{.name = "UsingDynamicBuddyList",
		 .form = OVERLAY_FORM_BOOLEAN,
		 .offset = AT(dynamic_buddies)},
		{.name = "BuddyListName", .form = OVERLAY_FORM_OTHER, .take = take_buddy_list},
		{.name = "BuddyCacheSize",
		 .form = OVERLAY_FORM_COUNT,
		 .offset = AT(dt.buddy_cache),
		 .max = OVERLAY_CONTACTS_MAX},
		{.name = "CacheFile", .form = OVERLAY_FORM_UNUSED},
		{},
	};
	struct dt_read read = {
		.dt = {.coords = {.width = 10000, .height = 10000},
		       .heartbeat_fast = MS(250),
		       .heartbeat_slow = MS(2000),
		       .timeout = MS(10000),
		       .rendezvous = MS(2000),
		       .buddy_cache = 10},
		.static_buddies = true,
	};
	const int rc = take_delaunay(t, element, &read, rules);

	(void)unused;
	t->config->system = OVERLAY_SYSTEM_DT_BUDDIES;
	t->static_buddies = read.static_buddies;
	if (!read.dynamic_buddies)
		t->config->dt.buddy_cache = 0;
	return rc;
}

static int take_dt_broadcast(struct overlay_taker *t, const struct overlay_xml *element,
			     void *unused)
{
	static const struct overlay_rule rules[] = {
		DELAUNAY,
		{.name = "BeaconTime", TIME(AT(dt.rendezvous))},
		{.name = "IAmHereTime", .form = OVERLAY_FORM_UNUSED},
		{.name = "UsingStaticBuddyList", .form = OVERLAY_FORM_UNUSED},
		{.name = "UsingDynamicBuddyList", .form = OVERLAY_FORM_UNUSED},
		{.name = "BuddyListName", .form = OVERLAY_FORM_UNUSED},
		{.name = "BuddyCacheSize", .form = OVERLAY_FORM_UNUSED},
		{.name = "CacheFile", .form = OVERLAY_FORM_UNUSED},
		{},
	};
	struct dt_read read = {
		.dt = {.coords = {.fixed = true, .point = {500, 500}},
		       .heartbeat_fast = MS(250),
		       .heartbeat_slow = MS(2000),
		       .timeout = MS(10000),
		       .rendezvous = MS(250)},
	};

	(void)unused;
	t->config->system = OVERLAY_SYSTEM_DT_BROADCAST;
	return take_delaunay(t, element, &read, rules);
}

/* SPT: the time @name must be at least, or with @more greater than, the time @least. */
struct spt_order {
	const char *name, *least;
	np_time time, than;
	bool more;
	const char *why;
};

static int check_spt(struct overlay_taker *t, const struct overlay_xml *element,
		     const struct overlay_config_spt *spt)
{
	const struct spt_order orders[] = {
		{"NeighborTimeout", "BeaconTime", spt->neighbour_timeout, spt->beacon, true,
		 ", or every neighbour times out"},
		{"AdjacencyTimeout", "NeighborTimeout", spt->adjacency_timeout,
		 spt->neighbour_timeout, false, ""},
		{"MsgMaxAge", "BeaconTime", spt->message_age_max, spt->beacon, true,
		 ", or every root is lost"},
		{"RootHistoryTimeout", "MsgMaxAge", spt->root_history, spt->message_age_max, false,
		 ", or lost roots come back"},
	};

	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		const struct spt_order *o = &orders[i];

		if (o->time > o->than || (!o->more && o->time == o->than))
			continue;
		return overlay_take_fault(t, element, -EINVAL,
					  "%s %lld is %s %s %lld; expected %s%s", o->name,
					  (long long)(o->time / NP_MILLISECOND),
					  o->more ? "not longer than" : "less than", o->least,
					  (long long)(o->than / NP_MILLISECOND),
					  o->more ? "more" : "at least as much", o->why);
	}
	return 0;
}

#define SPT(member) offsetof(struct overlay_config_spt, member)

static int take_spt(struct overlay_taker *t, const struct overlay_xml *element, void *unused)
{
	static const struct overlay_rule rules[] = {
		{.name = "BeaconTime", TIME(SPT(beacon))},
		{.name = "NeighborTimeout", TIME(SPT(neighbour_timeout))},
		{.name = "AdjacencyTimeout", TIME(SPT(adjacency_timeout))},
		{.name = "MsgMaxAge", TIME(SPT(message_age_max))},
		{.name = "RootHistoryTimeout", TIME(SPT(root_history))},
		{.name = "RouteCacheTimeout", TIME(SPT(route_cache))},
		{.name = "JumpThreshold",
		 .form = OVERLAY_FORM_COUNT,
		 .offset = SPT(jump_threshold),
		 .max = 10000},
		{.name = "TopologyPolicy", .form = OVERLAY_FORM_WORD, .word = "Cost"},
		{.name = "Coords",
		 .form = OVERLAY_FORM_OTHER,
		 .offset = SPT(coords),
		 .take = overlay_take_coords_spt},
		{},
	};

	int rc;

	(void)unused;
	t->config->system = OVERLAY_SYSTEM_SPT;
	t->config->spt = (struct overlay_config_spt){
		.coords = {.width = 600, .height = 1},
		.beacon = MS(1000),
		.neighbour_timeout = MS(5000),
		.adjacency_timeout = MS(20000),
		.message_age_max = MS(5000),
		.root_history = MS(20000),
		.route_cache = MS(20000),
		.jump_threshold = 1,
	};
	rc = overlay_take_children(t, element, &t->config->spt, rules);
	return rc ? rc : check_spt(t, element, &t->config->spt);
}

static int take_neighbours(struct overlay_taker *t, const struct overlay_xml *element, void *unused)
{
	(void)unused;
	t->neighbours = element;
	return 0;
}

static int take_none(struct overlay_taker *t, const struct overlay_xml *element, void *unused)
{
	static const struct overlay_rule rules[] = {
		{.name = "Neighbors", .form = OVERLAY_FORM_OTHER, .take = take_neighbours},
		{},
	};

	t->config->system = OVERLAY_SYSTEM_NONE;
	return overlay_take_children(t, element, unused, rules);
}

int overlay_take_node(struct overlay_taker *t, const struct overlay_xml *element, void *config)
{
#define REFUSED(system)                                                                            \
	{                                                                                          \
		.name = (system), .form = OVERLAY_FORM_REFUSED, .word = SYSTEMS                    \
	}
	static const struct overlay_rule rules[] = {
		{.name = "DTBuddyList", .form = OVERLAY_FORM_OTHER, .take = take_dt_buddies},
		{.name = "DTBroadcast", .form = OVERLAY_FORM_OTHER, .take = take_dt_broadcast},
		{.name = "SPT", .form = OVERLAY_FORM_OTHER, .take = take_spt},
		{.name = "NONE", .form = OVERLAY_FORM_OTHER, .take = take_none},
		REFUSED("DTServer"),
		REFUSED("HC"),
		REFUSED("Pastry"),
		REFUSED("CT"),
		REFUSED("BC"),
		REFUSED("BC_Container"),
		REFUSED("CSA_Container"),
		{},
	};

	return overlay_take_choice(t, element, config, rules, SYSTEMS);
}
