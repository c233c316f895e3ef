// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* result: what follows from what a run measured. */
#include "run.h"

np_time result_elapsed(const struct result *result)
{
	return result->end > result->begin && result->begin > 0 ? result->end - result->begin : 0;
}

bool result_rate_known(const struct result *result)
{
	return result_elapsed(result) > 0 && !(result->intended && result->total.operations == 1);
}

struct tally result_recent(const struct result *result)
{
	return (struct tally){
		.bytes = result->total.bytes - result->mark.bytes,
		.operations = result->total.operations - result->mark.operations,
		.io_errors = result->failures.count - result->mark.io_errors,
		.errors_sectors = result->damage.total - result->mark.errors_sectors,
	};
}

void result_mark(struct result *result)
{
	result->mark = result->total;
	result->mark.io_errors = result->failures.count;
	result->mark.errors_sectors = result->damage.total;
	np_histogram_merge(result->latency, result->recent);
	np_histogram_clear(result->recent);
}

bool result_is_no_test_data(const struct result *result)
{
	return np_damage_is_no_test_data(&result->damage, result->checked_sectors,
					 result->passes + 1);
}

bool result_bad(const struct result *result, bool damage_counts)
{
	return result->failures.count > 0 || result->sync_error || result->engine_error ||
	       result->cut || result->replaced ||
	       (result->total.bytes == 0 && !result->interrupted) ||
	       (damage_counts && result->damage.total > 0);
}
