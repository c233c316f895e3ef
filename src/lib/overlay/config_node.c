// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* config_node: the protocol of a node, its times and its coordinates. */
#include "config_take.h"

#include <errno.h>
#include <string.h>

#define VALUE_MAX 64

static int integers(struct overlay_taker *t, const struct overlay_xml *element, int32_t *value,
		    unsigned count, const char *expected)
{
	char text[VALUE_MAX];
	int rc = overlay_take_text(t, element, text, sizeof(text), expected);

	if (!rc && overlay_parse_integers(text, value, count))
		rc = overlay_take_fault(t, element, -EINVAL,
					"\"%s\"; expected %s, of 32 bits with a sign", text,
					expected);
	return rc;
}

/* An address of SPT is one number. */
static bool one_number(const struct overlay_taker *t)
{
	return t->config->node.protocol == OVERLAY_SPT;
}

static int take_point(struct overlay_taker *t, const struct overlay_xml *element, void *coords)
{
	const bool one = one_number(t);
	int32_t value[2] = {0, 0};
	const int rc = integers(t, element, value, one ? 1 : 2, one ? "a number" : "x,y");

	if (rc)
		return rc;
	if (!value[0] && !value[1])
		return overlay_take_fault(t, element, -EINVAL,
					  "%s means no address in HyperCast; expected another %s",
					  one ? "0" : "0,0", one ? "number" : "x,y");
	*(struct overlay_coords *)coords =
		(struct overlay_coords){.fixed = true, .point = {value[0], value[1]}};
	return 0;
}

/* A frame of one value would be 0 alone. */
static int take_base(struct overlay_taker *t, const struct overlay_xml *element, void *coords)
{
	int32_t value;
	const int rc = integers(t, element, &value, 1, "a number from 2 up");

	if (rc)
		return rc;
	if (value < 2)
		return overlay_take_fault(t, element, -EINVAL, "%d; expected a number from 2 up",
					  value);
	*(struct overlay_coords *)coords = (struct overlay_coords){
		.width = (uint32_t)value, .height = one_number(t) ? 1 : (uint32_t)value};
	return 0;
}

static int take_frame(struct overlay_taker *t, const struct overlay_xml *element, void *coords)
{
	int32_t value[4];
	const int rc = integers(t, element, value, 4, "x,y,width,height");

	if (rc)
		return rc;
	if (value[2] < 1 || value[3] < 1 || (int64_t)value[0] + value[2] - 1 > INT32_MAX ||
	    (int64_t)value[1] + value[3] - 1 > INT32_MAX)
		return overlay_take_fault(t, element, -EINVAL,
					  "%d,%d,%d,%d; expected x,y,width,height with at least 1 "
					  "of each, all of it below 2147483648",
					  value[0], value[1], value[2], value[3]);
	if (value[2] == 1 && value[3] == 1 && !value[0] && !value[1])
		return overlay_take_fault(t, element, -EINVAL,
					  "holds only 0,0, which means no address; expected more");
	*(struct overlay_coords *)coords = (struct overlay_coords){.corner = {value[0], value[1]},
								   .width = (uint32_t)value[2],
								   .height = (uint32_t)value[3]};
	return 0;
}

#define COORDS "FIXED or RANDOM"

static const struct overlay_rule fixed_rules[] = {
	{.name = "coordinate", .take = take_point},
	{},
};

static const struct overlay_rule random_rules[] = {
	{.name = "base", .take = take_base},
	{.name = "frame", .take = take_frame},
	{},
};

static const struct overlay_rule coords_rules[] = {
	{.name = "FIXED", .inside = fixed_rules, .word = "<coordinate>x,y</coordinate>"},
	{.name = "RANDOM",
	 .inside = random_rules,
	 .word = "<base>number</base> or <frame>x,y,width,height</frame>"},
	{.name = "USE_GEO", .form = OVERLAY_FORM_REFUSED, .word = COORDS},
	{},
};

static const struct overlay_rule spt_random_rules[] = {
	{.name = "base", .take = take_base},
	{.name = "frame", .form = OVERLAY_FORM_REFUSED, .word = "<base>number</base>"},
	{},
};

static const struct overlay_rule spt_coords_rules[] = {
	{.name = "FIXED", .inside = fixed_rules, .word = "<coordinate>number</coordinate>"},
	{.name = "RANDOM", .inside = spt_random_rules, .word = "<base>number</base>"},
	{.name = "USE_GEO", .form = OVERLAY_FORM_REFUSED, .word = COORDS},
	{},
};

#define MILLISECONDS_MAX 86400000
#define SYSTEMS		 "DTBuddyList, DTBroadcast, SPT or NONE"

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

#define AT(member) offsetof(struct overlay_config, member)
#define TIME(member)                                                                               \
	.form = OVERLAY_FORM_TIME, .offset = (member), .min = 1, .max = MILLISECONDS_MAX
#define DELAUNAY                                                                                   \
	{.name = "FastHeartbeatTime", TIME(AT(node.heartbeat_fast))},                              \
		{.name = "SlowHeartbeatTime", TIME(AT(node.heartbeat_slow))},                      \
		{.name = "TimeoutTime", TIME(AT(node.timeout))},                                   \
		{.name = "Verification",                                                           \
		 .offset = AT(node.any_neighbour),                                                 \
		 .take = take_verification},                                                       \
	{                                                                                          \
		.name = "Coords", .offset = AT(coords), .inside = coords_rules, .word = COORDS     \
	}

/* Begins with the protocol's own values; those that no protocol decides may have been read. */
static void begin(struct overlay_config *config, enum overlay_protocol protocol,
		  struct overlay_coords coords)
{
	struct overlay_plan plan = overlay_plan_default(protocol);

	plan.hop_limit = config->node.hop_limit;
	plan.route_records = config->node.route_records;
	config->node = plan;
	config->coords = coords;
}

static int take_delaunay(struct overlay_taker *t, const struct overlay_xml *element,
			 const struct overlay_rule *rules)
{
	const struct overlay_plan *plan = &t->config->node;
	const int rc = overlay_take_children(t, element, t->config, rules);

	if (rc)
		return rc;
	if (plan->heartbeat_slow < plan->heartbeat_fast)
		return overlay_take_fault(t, element, -EINVAL,
					  "SlowHeartbeatTime %lld is less than FastHeartbeatTime "
					  "%lld; expected at least as much",
					  (long long)(plan->heartbeat_slow / NP_MILLISECOND),
					  (long long)(plan->heartbeat_fast / NP_MILLISECOND));
	if (plan->timeout <= plan->heartbeat_slow)
		return overlay_take_fault(t, element, -EINVAL,
					  "TimeoutTime %lld is not longer than SlowHeartbeatTime "
					  "%lld; expected more, or every neighbour times out",
					  (long long)(plan->timeout / NP_MILLISECOND),
					  (long long)(plan->heartbeat_slow / NP_MILLISECOND));
	return 0;
}

static int take_dt_buddies(struct overlay_taker *t, const struct overlay_xml *element, void *unused)
{
	static const struct overlay_rule rules[] = {
		DELAUNAY,
		{.name = "IAmHereTime", TIME(AT(node.rendezvous))},
		{.name = "UsingStaticBuddyList",
		 .form = OVERLAY_FORM_BOOLEAN,
		 .offset = AT(static_buddies)},
		{.name = "UsingDynamicBuddyList",
		 .form = OVERLAY_FORM_BOOLEAN,
		 .offset = AT(dynamic_buddies)},
		{.name = "BuddyListName", .take = take_buddy_list},
		{.name = "BuddyCacheSize",
		 .form = OVERLAY_FORM_COUNT,
		 .offset = AT(node.buddy_cache),
		 .max = OVERLAY_CONTACTS_MAX},
		{.name = "CacheFile", .form = OVERLAY_FORM_UNUSED},
		{},
	};
	const struct overlay_coords coords = {.width = 10000, .height = 10000};
	int rc;

	(void)unused;
	begin(t->config, OVERLAY_DT_BUDDIES, coords);
	t->config->static_buddies = true;
	t->config->node.buddy_cache = 10;
	rc = take_delaunay(t, element, rules);
	if (!t->config->dynamic_buddies)
		t->config->node.buddy_cache = 0;
	return rc;
}

static int take_dt_broadcast(struct overlay_taker *t, const struct overlay_xml *element,
			     void *unused)
{
	static const struct overlay_rule rules[] = {
		DELAUNAY,
		{.name = "BeaconTime", TIME(AT(node.rendezvous))},
		{.name = "IAmHereTime", .form = OVERLAY_FORM_UNUSED},
		{.name = "UsingStaticBuddyList", .form = OVERLAY_FORM_UNUSED},
		{.name = "UsingDynamicBuddyList", .form = OVERLAY_FORM_UNUSED},
		{.name = "BuddyListName", .form = OVERLAY_FORM_UNUSED},
		{.name = "BuddyCacheSize", .form = OVERLAY_FORM_UNUSED},
		{.name = "CacheFile", .form = OVERLAY_FORM_UNUSED},
		{},
	};
	const struct overlay_coords coords = {.fixed = true, .point = {500, 500}};

	(void)unused;
	begin(t->config, OVERLAY_DT_BROADCAST, coords);
	return take_delaunay(t, element, rules);
}

/* SPT: the time @name must be at least, or with @more greater than, the time @least. */
struct spt_order {
	const char *name, *least;
	np_time time, than;
	bool more;
	const char *why;
};

static int check_spt(struct overlay_taker *t, const struct overlay_xml *element,
		     const struct overlay_plan *spt)
{
	const struct spt_order orders[] = {
		{"NeighborTimeout", "BeaconTime", spt->timeout, spt->rendezvous, true,
		 ", or every neighbour times out"},
		{"AdjacencyTimeout", "NeighborTimeout", spt->adjacency_timeout, spt->timeout, false,
		 ""},
		{"MsgMaxAge", "BeaconTime", spt->age_max, spt->rendezvous, true,
		 ", or every root is lost"},
		{"RootHistoryTimeout", "MsgMaxAge", spt->root_history, spt->age_max, false,
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

static int take_spt(struct overlay_taker *t, const struct overlay_xml *element, void *unused)
{
	static const struct overlay_rule rules[] = {
		{.name = "BeaconTime", TIME(AT(node.rendezvous))},
		{.name = "NeighborTimeout", TIME(AT(node.timeout))},
		{.name = "AdjacencyTimeout", TIME(AT(node.adjacency_timeout))},
		{.name = "MsgMaxAge", TIME(AT(node.age_max))},
		{.name = "RootHistoryTimeout", TIME(AT(node.root_history))},
		{.name = "RouteCacheTimeout", TIME(AT(node.route_cache))},
		{.name = "JumpThreshold",
		 .form = OVERLAY_FORM_COUNT,
		 .offset = AT(node.jump_threshold),
		 .max = 10000},
		{.name = "TopologyPolicy", .form = OVERLAY_FORM_WORD, .word = "Cost"},
		{.name = "Coords",
		 .offset = AT(coords),
		 .inside = spt_coords_rules,
		 .word = COORDS},
		{},
	};

	const struct overlay_coords coords = {.width = 600, .height = 1};
	int rc;

	(void)unused;
	begin(t->config, OVERLAY_SPT, coords);
	rc = overlay_take_children(t, element, t->config, rules);
	return rc ? rc : check_spt(t, element, &t->config->node);
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
		{.name = "Neighbors", .take = take_neighbours},
		{},
	};

	begin(t->config, OVERLAY_NONE, (struct overlay_coords){0});
	return overlay_take_children(t, element, unused, rules);
}

int overlay_take_node(struct overlay_taker *t, const struct overlay_xml *element, void *config)
{
#define REFUSED(system)                                                                            \
	{                                                                                          \
		.name = (system), .form = OVERLAY_FORM_REFUSED, .word = SYSTEMS                    \
	}
	static const struct overlay_rule rules[] = {
		{.name = "DTBuddyList", .take = take_dt_buddies},
		{.name = "DTBroadcast", .take = take_dt_broadcast},
		{.name = "SPT", .take = take_spt},
		{.name = "NONE", .take = take_none},
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
