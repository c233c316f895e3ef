// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* overlay_trials: waits for overlays, and runs a simulation for each seed. */
#include "overlay_trials.h"

#include <stdio.h>
#include <stdlib.h>

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

uint64_t trials_run(int argc, char **argv, void (*simulate)(uint64_t seed, unsigned nodes),
		    const struct trial *trial, unsigned trials, const char *beat)
{
	const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	const uint64_t runs = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	const unsigned nodes = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;

	for (uint64_t seed = first; seed < first + runs; seed++)
		simulate(seed, nodes ? nodes : nodes_of(seed));
	for (unsigned i = 0; i < trials; i++)
		printf("%-34s %6.2f s, limit %3u %s\n", trial[i].name, (double)trial[i].worst / 1e9,
		       trial[i].beats, beat);
	return runs;
}
