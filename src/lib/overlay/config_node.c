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
	{.name = "FIXED", .word = "<coordinate>x,y</coordinate>", .inside = fixed_rules},
	{.name = "RANDOM",
	 .word = "<base>number</base> or <frame>x,y,width,height</frame>",
	 .inside = random_rules},
	{.name = "USE_GEO", FORM_REFUSED, .word = COORDS},
	{},
};

static const struct overlay_rule spt_random_rules[] = {
	{.name = "base", .take = take_base},
	{.name = "frame", FORM_REFUSED, .word = "<base>number</base>"},
	{},
};

static const struct overlay_rule spt_coords_rules[] = {
	{.name = "FIXED", .word = "<coordinate>number</coordinate>", .inside = fixed_rules},
	{.name = "RANDOM", .word = "<base>number</base>", .inside = spt_random_rules},
	{.name = "USE_GEO", FORM_REFUSED, .word = COORDS},
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

static const struct overlay_rule delaunay_rules[] = {
	{.name = "FastHeartbeatTime", FORM_TIME, AT(node.heartbeat_fast), 1, MILLISECONDS_MAX},
	{.name = "SlowHeartbeatTime", FORM_TIME, AT(node.heartbeat_slow), 1, MILLISECONDS_MAX},
	{.name = "TimeoutTime", FORM_TIME, AT(node.timeout), 1, MILLISECONDS_MAX},
	{.name = "Verification", .offset = AT(node.any_neighbour), .take = take_verification},
	{.name = "Coords", .offset = AT(coords), .inside = coords_rules, .word = COORDS},
	{},
};

static const struct overlay_rule buddies_rules[] = {
	{.name = "IAmHereTime", FORM_TIME, AT(node.rendezvous), 1, MILLISECONDS_MAX},
	{.name = "UsingStaticBuddyList", FORM_BOOLEAN, AT(static_buddies)},
	{.name = "UsingDynamicBuddyList", FORM_BOOLEAN, AT(dynamic_buddies)},
	{.name = "BuddyListName", .take = take_buddy_list},
	{.name = "BuddyCacheSize", FORM_COUNT, AT(node.buddy_cache), 0, OVERLAY_CONTACTS_MAX},
	{.name = "CacheFile", FORM_UNUSED},
	{.inside = delaunay_rules},
};

static const struct overlay_rule broadcast_rules[] = {
	{.name = "BeaconTime", FORM_TIME, AT(node.rendezvous), 1, MILLISECONDS_MAX},
	{.name = "IAmHereTime", FORM_UNUSED},
	{.name = "UsingStaticBuddyList", FORM_UNUSED},
	{.name = "UsingDynamicBuddyList", FORM_UNUSED},
	{.name = "BuddyListName", FORM_UNUSED},
	{.name = "BuddyCacheSize", FORM_UNUSED},
	{.name = "CacheFile", FORM_UNUSED},
	{.inside = delaunay_rules},
};

static const struct overlay_rule spt_rules[] = {
	{.name = "BeaconTime", FORM_TIME, AT(node.rendezvous), 1, MILLISECONDS_MAX},
	{.name = "NeighborTimeout", FORM_TIME, AT(node.timeout), 1, MILLISECONDS_MAX},
	{.name = "AdjacencyTimeout", FORM_TIME, AT(node.adjacency_timeout), 1, MILLISECONDS_MAX},
	{.name = "MsgMaxAge", FORM_TIME, AT(node.age_max), 1, MILLISECONDS_MAX},
	{.name = "RootHistoryTimeout", FORM_TIME, AT(node.root_history), 1, MILLISECONDS_MAX},
	{.name = "RouteCacheTimeout", FORM_TIME, AT(node.route_cache), 1, MILLISECONDS_MAX},
	{.name = "JumpThreshold", FORM_COUNT, AT(node.jump_threshold), 0, 10000},
	{.name = "TopologyPolicy", FORM_WORD, .word = "Cost"},
	{.name = "Coords", .offset = AT(coords), .inside = spt_coords_rules, .word = COORDS},
	{},
};

static int take_neighbours(struct overlay_taker *t, const struct overlay_xml *element, void *unused)
{
	(void)unused;
	t->neighbours = element;
	return 0;
}

static const struct overlay_rule none_rules[] = {
	{.name = "Neighbors", .take = take_neighbours},
	{},
};

/* Times of which one must be at least, or with @more greater than, the other. */
static int check_times(struct overlay_taker *t, const struct overlay_xml *element)
{
	const struct overlay_plan *plan = &t->config->node;
	const struct {
		const char *name, *least, *why;
		np_time time, than;
		bool spanning, more;
	} orders[] = {
		{"SlowHeartbeatTime", "FastHeartbeatTime", "", plan->heartbeat_slow,
		 plan->heartbeat_fast, false, false},
		{"TimeoutTime", "SlowHeartbeatTime", ", or every neighbour times out",
		 plan->timeout, plan->heartbeat_slow, false, true},
		{"NeighborTimeout", "BeaconTime", ", or every neighbour times out", plan->timeout,
		 plan->rendezvous, true, true},
		{"AdjacencyTimeout", "NeighborTimeout", "", plan->adjacency_timeout, plan->timeout,
		 true, false},
		{"MsgMaxAge", "BeaconTime", ", or every root is lost", plan->age_max,
		 plan->rendezvous, true, true},
		{"RootHistoryTimeout", "MsgMaxAge", ", or lost roots come back", plan->root_history,
		 plan->age_max, true, false},
	};

	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		const bool more = orders[i].more;
		const np_time time = orders[i].time, than = orders[i].than;

		if (orders[i].spanning != (plan->protocol == OVERLAY_SPT) || time > than ||
		    (!more && time == than))
			continue;
		return overlay_take_fault(
			t, element, -EINVAL, "%s %lld is %s %s %lld; expected %s%s", orders[i].name,
			(long long)(time / NP_MILLISECOND), more ? "not longer than" : "less than",
			orders[i].least, (long long)(than / NP_MILLISECOND),
			more ? "more" : "at least as much", orders[i].why);
	}
	return 0;
}

/* Begins with the protocol's own values; those that no protocol decides may have been read. */
static int take_protocol(struct overlay_taker *t, const struct overlay_xml *element, void *unused)
{
	static const struct {
		const char *name;
		const struct overlay_rule *rules;
		struct overlay_coords coords;
		enum overlay_protocol protocol;
	} protocols[] = {
		{"DTBuddyList",
		 buddies_rules,
		 {.width = 10000, .height = 10000},
		 OVERLAY_DT_BUDDIES},
		{"DTBroadcast",
		 broadcast_rules,
		 {.fixed = true, .point = {500, 500}},
		 OVERLAY_DT_BROADCAST},
		{"SPT", spt_rules, {.width = 600, .height = 1}, OVERLAY_SPT},
		{"NONE", none_rules, {.fixed = false}, OVERLAY_NONE},
	};
	struct overlay_config *config = t->config;
	struct overlay_plan plan;
	unsigned i = 0;
	int rc;

	(void)unused;
	while (strcmp(protocols[i].name, element->name) != 0)
		i++;
	plan = overlay_plan_default(protocols[i].protocol);
	plan.hop_limit = config->node.hop_limit;
	plan.route_records = config->node.route_records;
	plan.buddy_cache = plan.protocol == OVERLAY_DT_BUDDIES ? 10 : 0;
	config->node = plan;
	config->coords = protocols[i].coords;
	config->static_buddies = true;
	rc = overlay_take_children(t, element, config, protocols[i].rules);
	if (!config->dynamic_buddies)
		config->node.buddy_cache = 0;
	return rc || plan.protocol == OVERLAY_NONE ? rc : check_times(t, element);
}

int overlay_take_node(struct overlay_taker *t, const struct overlay_xml *element, void *config)
{
	static const struct overlay_rule rules[] = {
		{.name = "DTBuddyList", .take = take_protocol},
		{.name = "DTBroadcast", .take = take_protocol},
		{.name = "SPT", .take = take_protocol},
		{.name = "NONE", .take = take_protocol},
		{.name = "DTServer", FORM_REFUSED, .word = SYSTEMS},
		{.name = "HC", FORM_REFUSED, .word = SYSTEMS},
		{.name = "Pastry", FORM_REFUSED, .word = SYSTEMS},
		{.name = "CT", FORM_REFUSED, .word = SYSTEMS},
		{.name = "BC", FORM_REFUSED, .word = SYSTEMS},
		{.name = "BC_Container", FORM_REFUSED, .word = SYSTEMS},
		{.name = "CSA_Container", FORM_REFUSED, .word = SYSTEMS},
		{},
	};

	return overlay_take_choice(t, element, config, rules, SYSTEMS);
}
