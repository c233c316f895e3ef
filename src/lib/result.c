// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* result: the columns of a result, and where the lost messages were lost. */
#include <netperf/result.h>

#define COLUMN(member) NP_COLUMN(struct np_result, member)

const struct np_column np_result_columns[] = {
	COLUMN(sent),
	COLUMN(received),
	COLUMN(lost),
	COLUMN(lost_sender_host),
	COLUMN(lost_path),
	COLUMN(lost_receiver_host),
	COLUMN(lost_unattributed),
	COLUMN(duplicates),
	COLUMN(reordered),
	COLUMN(late),
	COLUMN(damaged),
	{.name = NULL},
};

static uint64_t lower(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Both kernels told which packets they dropped: what neither did was lost on the way. */
static bool by_reasons(struct np_result *result, const struct np_drops_total *sender_host,
		       const struct np_drops_total *receiver_host)
{
	uint64_t way;

	if (!np_drops_way(result->lost.n, sender_host, receiver_host, &way))
		return false;
	result->lost_sender_host = NP_COUNT_EXACT(sender_host->packets);
	result->lost_path = NP_COUNT_EXACT(way);
	result->lost_receiver_host = NP_COUNT_EXACT(receiver_host->packets);
	result->lost_unattributed = NP_COUNT_EXACT(0);
	return true;
}

void np_result_attribute(struct np_result *result, const struct np_loss *loss,
			 const struct np_drops_total *sender_host,
			 const struct np_drops_total *receiver_host, bool doubtful)
{
	struct np_loss rest = {.unattributed = result->lost.n};
	enum np_known known;
	uint64_t sender;

	if (!doubtful && by_reasons(result, sender_host, receiver_host))
		return;
	if (loss)
		rest = *loss;
	known = rest.exact && result->lost.known == NP_EXACT ? NP_EXACT : NP_AT_LEAST;
	if (!doubtful && sender_host->known) {
		sender = lower(sender_host->packets, rest.path);
		rest.path -= sender;
		result->lost_sender_host = (struct np_count){
			.n = sender,
			.known = sender_host->exact ? known : NP_AT_LEAST,
		};
	}
	result->lost_path = (struct np_count){.n = rest.path, .known = known};
	result->lost_receiver_host = (struct np_count){.n = rest.host, .known = known};
	result->lost_unattributed = NP_COUNT_EXACT(rest.unattributed);
}
