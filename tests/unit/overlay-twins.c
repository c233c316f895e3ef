// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Nodes to which their users gave the same coordinates: all but one move, and all come together. */
#include "support/overlay_network.h"
#include "support/unit.h"

#define SEEDS 60
/* As long as a node waits for one that is silent; nearly all are right then. */
#define SOON	(10 * NP_SECOND)
#define LATE	1 /* in so many of a hundred networks it may last longer, up to LIMIT */
#define LIMIT	(60 * NP_SECOND)
#define AT	((struct overlay_point){400, 270})
#define P(x, y) ((struct overlay_point){x, y})

struct crowd {
	enum overlay_protocol protocol;
	unsigned count;
	bool all;      /* all are buddies, as in a list that all share; else only the first one */
	np_time span;  /* within so long after the one before it each joins; 0: all at once */
	uint64_t seed; /* of all nodes; 0: each has its own */
};

static struct overlay_plan plan_of(const struct crowd *c, struct overlay_point at)
{
	struct overlay_plan plan = overlay_plan_default(c->protocol);

	plan.fixed = true;
	plan.coordinates = at;
	plan.seed = c->seed;
	return plan;
}

/* The nodes of a crowd, all at one place. */
static void join(struct network *n, const struct crowd *c, struct overlay_point at)
{
	const struct overlay_plan plan = plan_of(c, at);

	for (unsigned i = 0; i < c->count; i++) {
		network_start(network_add(n), &plan, c->all ? c->count : 1);
		if (c->span)
			network_run(n, n->now + (np_time)network_draw(n, (uint64_t)c->span));
	}
}

/* Every one hears the others; true when they do so soon. */
static bool gather(struct network *n)
{
	const np_time took = network_settle(n, 1, LIMIT);

	network_must(n, took >= 0, "duplicates for too long");
	network_multicast(n, &n->station[n->count - 1]);
	network_unicast(n, &n->station[0], &n->station[n->count - 1]);
	return took <= SOON;
}

/* How many do not soon. */
static unsigned gather_seeds(struct crowd c)
{
	unsigned late = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct network *n = network_new(seed, c.count);

		join(n, &c, AT);
		late += !gather(n);
		network_free(n);
	}
	return late;
}

/* At once, and one after the other; asking the first one, or anyone of them. */
static void gather_all(enum overlay_protocol protocol, uint64_t node_seed)
{
	static const np_time spans[] = {0, NP_SECOND / 2, 5 * NP_SECOND, 30 * NP_SECOND};
	unsigned late = 0, networks = 0;

	for (unsigned i = 0; i < 4; i++) {
		for (unsigned count = 2; count <= 5; count++) {
			late += gather_seeds(
				(struct crowd){protocol, count, false, spans[i], node_seed});
			late += gather_seeds(
				(struct crowd){protocol, count, true, spans[i], node_seed});
			networks += 2 * SEEDS;
		}
	}
	assert_in_range(late, 0, networks * LATE / 100);
}

TEST(buddies)
{
	gather_all(OVERLAY_DT_BUDDIES, 0);
}

TEST(broadcast)
{
	gather_all(OVERLAY_DT_BROADCAST, 0);
}

/* Nodes whose random numbers start alike. */
TEST(same_seed)
{
	gather_all(OVERLAY_DT_BUDDIES, 7);
}

/* More than there are places beside the first one. */
TEST(many)
{
	gather_seeds((struct crowd){OVERLAY_DT_BUDDIES, 24, false, 0, 0});
	gather_seeds((struct crowd){OVERLAY_DT_BUDDIES, 24, true, NP_SECOND, 7});
}

/* Who has neighbours that know it stays where its user wants it, whoever comes there. */
TEST(known_stays)
{
	const struct crowd known = {OVERLAY_DT_BUDDIES, 1, false, 0, 0};
	const struct crowd later = {OVERLAY_DT_BUDDIES, 3, false, NP_SECOND, 0};

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct network *n = network_new(seed, 6);

		join(n, &known, P(10, 20));
		join(n, &known, P(900, 50));
		join(n, &known, AT);
		gather(n);
		network_run(n, n->now + (np_time)network_draw(n, 30 * NP_SECOND));
		join(n, &later, AT);
		gather(n);
		network_must(n, overlay_point_equal(network_point(&n->station[2]), AT),
			     "the first one moved");
		network_free(n);
	}
}

/* Two that are known for long, each in a network of its own; these become one. */
TEST(two_known)
{
	const struct crowd one = {OVERLAY_DT_BUDDIES, 1, false, 0, 0};
	const struct crowd any = {OVERLAY_DT_BUDDIES, 2, true, 0, 0};

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct network *n = network_new(seed, 6);
		const struct overlay_plan left = plan_of(&any, P(10, 20));
		const struct overlay_plan right = plan_of(&any, P(900, 50));

		/* Two buddies, one on each side. */
		network_start(network_add(n), &left, 2);
		network_start(network_add(n), &right, 2);
		for (unsigned i = 2; i < 6; i++) {
			const struct overlay_point at =
				i < 4 ? AT : P(100 * (int32_t)i, 700 + (int32_t)i);
			const struct overlay_plan plan = plan_of(&one, at);

			network_start(network_add(n), &plan, 2);
		}
		for (unsigned i = 0; i < n->count; i++)
			n->station[i].side = i % 2;
		network_must(n, network_settle(n, 2, LIMIT) >= 0, "two sides");
		network_run(n, n->now + 20 * NP_SECOND);
		for (unsigned i = 0; i < n->count; i++)
			n->station[i].side = 0;
		gather(n);
		network_free(n);
	}
}
