// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* overlay_trials: waits for overlays, and runs a simulation for each seed. */
#include "overlay_trials.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SEEDS 60

const double trial_loss[TRIAL_PARTS] = {0.01, 0.1, 0.3};

void trial_settle(struct network *network, struct trial *trial, np_time beat, unsigned sides)
{
	const np_time took = network_settle(network, sides, trial->beats * beat);

	network_must(network, took >= 0, trial->name);
	if (took > trial->worst)
		trial->worst = took;
}

struct station *trial_station(struct network *network, unsigned first)
{
	while (true) {
		struct station *s =
			&network->station[first + network_draw(network, network->count - first)];

		if (s->node)
			return s;
	}
}

void trial_pause(struct network *network, unsigned count)
{
	network_run(network,
		    network->now + (np_time)network_draw(network, (uint64_t)(NP_SECOND / count)));
}

void trial_lose(struct network *network, const struct station *spared,
		void (*how)(struct station *))
{
	const unsigned count = network->count / 4;

	for (unsigned i = 0; i < count; i++) {
		struct station *s = trial_station(network, 0);

		if (s != spared)
			how(s);
	}
}

void trial_heal(struct network *network)
{
	for (unsigned i = 0; i < network->count; i++)
		network->station[i].side = 0;
}

static unsigned nodes_of(uint64_t seed)
{
	if (seed % 1000 == 0)
		return 1000;
	return seed % 50 == 0 ? 200 : 3 + (unsigned)(seed * 7919 % 40);
}

static void simulate(const struct trials *t, uint64_t first, uint64_t runs, unsigned nodes)
{
	for (uint64_t seed = first; seed < first + runs; seed++)
		t->simulate(seed, nodes ? nodes : nodes_of(seed));
	printf("%" PRIu64 " overlays\n", runs);
	for (unsigned i = 0; i < t->count; i++)
		printf("%-34s %6.2f s, limit %3u %s\n", t->trial[i].name,
		       (double)t->trial[i].worst / 1e9, t->trial[i].beats, t->beat);
}

static void by_seeds(void **state)
{
	const char *more = getenv("CHAOS_RUNS");

	simulate(*state, 1, more ? 20 * strtoull(more, NULL, 10) : SEEDS, 0);
}

static void a_thousand_nodes(void **state)
{
	simulate(*state, 1, 1, 1000);
}

static uint64_t number(int argc, char **argv, int at, uint64_t otherwise)
{
	return argc > at ? strtoull(argv[at], NULL, 10) : otherwise;
}

int trials_main(int argc, char **argv, const struct trials *trials)
{
	void *all = (void *)trials;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(by_seeds, all),
		cmocka_unit_test_prestate(a_thousand_nodes, all),
	};
	const struct CMUnitTest few[] = {tests[0]};
	const char *is_long = getenv("LONG");

	if (argc > 1) {
		simulate(trials, number(argc, argv, 1, 1), number(argc, argv, 2, 1),
			 (unsigned)number(argc, argv, 3, 0));
		return 0;
	}
	if (is_long && !strcmp(is_long, "true"))
		return cmocka_run_group_tests(tests, NULL, NULL);
	return cmocka_run_group_tests(few, NULL, NULL);
}
