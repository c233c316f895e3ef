// SPDX-License-Identifier: GPL-2.0-or-later
/* histogram_record: a histogram as the {min, mean, p50, ...} object of a result. */
#include <netperf/histogram.h>
#include <netperf/report.h>

void np_record_histogram(struct np_record *record, const char *name,
			 const struct np_histogram *histogram)
{
	if (!np_histogram_count(histogram))
		return;

	struct np_record *object = np_record_object(record, name);

	np_record_time(object, "min", np_histogram_min(histogram));
	np_record_number(object, "mean", np_histogram_mean(histogram));
	np_record_time(object, "p50", np_histogram_percentile(histogram, 50));
	np_record_time(object, "p90", np_histogram_percentile(histogram, 90));
	np_record_time(object, "p99", np_histogram_percentile(histogram, 99));
	np_record_time(object, "p999", np_histogram_percentile(histogram, 99.9));
	np_record_time(object, "max", np_histogram_max(histogram));
	np_record_count(object, "count", np_histogram_count(histogram));
}
