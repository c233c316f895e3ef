// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* histogram_record: adds a histogram as the object {min, mean, p50, ...}. */
#include <netperf/histogram.h>
#include <netperf/report.h>

/* @mean: with its fraction, or NULL: as in the figures. */
static void add_object(struct np_record *record, const char *name,
		       const struct np_histogram_figures *figures, const double *mean)
{
	struct np_record *object = np_record_object(record, name);

	np_record_time(object, "min", figures->min);
	if (mean)
		np_record_number(object, "mean", *mean);
	else
		np_record_time(object, "mean", figures->mean);
	np_record_time(object, "p50", figures->p50);
	np_record_time(object, "p90", figures->p90);
	np_record_time(object, "p99", figures->p99);
	np_record_time(object, "p999", figures->p999);
	np_record_time(object, "max", figures->max);
	np_record_count(object, "count", figures->count);
}

void np_record_histogram(struct np_record *record, const char *name,
			 const struct np_histogram *histogram)
{
	const double mean = np_histogram_mean(histogram);
	struct np_histogram_figures figures;

	np_histogram_figures(histogram, &figures);
	if (figures.count)
		add_object(record, name, &figures, &mean);
}

void np_record_figures(struct np_record *record, const char *name,
		       const struct np_histogram_figures *figures)
{
	if (figures->count)
		add_object(record, name, figures, NULL);
}
