// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* damage: counts bad sectors by class and keeps the list of their runs. */
#include <netperf/pattern.h>

static bool covers(const struct np_damage_run *run, uint64_t lba)
{
	return lba >= run->lba && lba - run->lba < run->sectors;
}

/* Extends @run to include @lba if that is in it or next to it. */
static bool take_in(struct np_damage_run *run, uint64_t lba, enum np_pattern_class class,
		    uint64_t found)
{
	if (run->kind != class)
		return false;
	if (covers(run, lba))
		return true;
	if (lba == run->lba + run->sectors) {
		run->sectors++;
		return true;
	}
	if (lba + 1 == run->lba) {
		run->lba = lba;
		run->sectors++;
		run->found = found;
		return true;
	}
	return false;
}

/* Joins @grown with the run directly after or before it, if there is one. */
static void join_neighbour(struct np_damage *damage, struct np_damage_run *grown)
{
	for (size_t i = 0; i < damage->runs; i++) {
		struct np_damage_run *other = &damage->run[i];

		if (other == grown || other->kind != grown->kind)
			continue;

		const bool behind = grown->lba + grown->sectors == other->lba;
		const bool before = other->lba + other->sectors == grown->lba;

		if (!behind && !before)
			continue;
		grown->sectors += other->sectors;
		if (before) {
			grown->lba = other->lba;
			grown->found = other->found;
		}
		*other = damage->run[--damage->runs];
		return;
	}
}

static void list_new(struct np_damage *damage, const struct np_damage_run *run)
{
	if (damage->runs < NP_DAMAGE_RUNS) {
		damage->run[damage->runs++] = *run;
		return;
	}
	damage->run[NP_DAMAGE_RUNS] = *run;
	damage->runs_unlisted++;
}

void np_damage_add(struct np_damage *damage, uint64_t lba, enum np_pattern_class class,
		   uint64_t found)
{
	damage->total++;
	damage->sectors[class]++;

	for (size_t i = 0; i < damage->runs; i++) {
		const uint64_t sectors = damage->run[i].sectors;

		if (!take_in(&damage->run[i], lba, class, found))
			continue;
		if (damage->run[i].sectors != sectors)
			join_neighbour(damage, &damage->run[i]);
		return;
	}
	if (damage->runs_unlisted && take_in(&damage->run[NP_DAMAGE_RUNS], lba, class, found))
		return;
	list_new(damage, &(struct np_damage_run){lba, 1, found, class});
}

bool np_damage_is_no_test_data(const struct np_damage *damage, uint64_t checked, uint64_t passes)
{
	return damage->total > 0 &&
	       damage->sectors[NP_PATTERN_ALL_ZERO] + damage->sectors[NP_PATTERN_FOREIGN] ==
		       damage->total &&
	       checked - damage->total <= passes;
}
