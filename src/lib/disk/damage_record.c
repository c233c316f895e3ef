// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* damage_record: adds bad sectors to a record. */
#include <netperf/pattern.h>
#include <netperf/report.h>

static void record_run(struct np_record *record, const struct np_damage_run *run)
{
	np_record_count(record, "lba", run->lba);
	np_record_count(record, "sectors", run->sectors);
	np_record_text(record, "class", np_pattern_class_name(run->kind));
	np_record_count(record, "found", run->found);
}

void np_record_damage(struct np_record *record, const struct np_damage *damage)
{
	np_record_count(record, "errors_sectors", damage->total);

	struct np_record *errors = np_record_object(record, "errors");

	for (int class = NP_PATTERN_GOOD + 1; class < NP_PATTERN_CLASSES; class ++)
		np_record_count(errors, np_pattern_class_name((enum np_pattern_class) class),
				damage->sectors[class]);
	for (size_t i = 0; i < damage->runs; i++)
		record_run(np_record_append(record, "damage"), &damage->run[i]);
	if (damage->runs_unlisted)
		np_record_count(record, "damage_unlisted", damage->runs_unlisted);
}
