// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* result: the columns of a result, and where the lost messages were lost. */
#include <netperf/result.h>
#include <netperf/units.h>

/*
 * Both kernels reported what they dropped: what neither did was lost on the path. That is known if
 * both totals are exact; or if they are lower bounds that add up to what was lost, so that nothing
 * is left. If they add up to more, duplicates or copies were among them.
 */
static bool by_reasons(struct np_result *result, const struct np_drops_total *sender_host,
		       const struct np_drops_total *receiver_host)
{
	const uint64_t lost = result->lost.n, here = sender_host->packets;
	uint64_t path;

	if (!sender_host->known || !receiver_host->known || here > lost ||
	    receiver_host->packets > lost - here)
		return false;
	path = lost - here - receiver_host->packets;
	if (path && !(sender_host->exact && receiver_host->exact))
		return false;
	result->lost_sender_host = NP_COUNT_EXACT(here);
	result->lost_path = NP_COUNT_EXACT(path);
	result->lost_receiver_host = NP_COUNT_EXACT(receiver_host->packets);
	result->lost_unattributed = NP_COUNT_EXACT(0);
	return true;
}

/*
 * The end is unknown, and more may be lost than is missed: each that the receiver's host dropped
 * is, unless copies came.
 */
static bool count_bound(struct np_result *result, const struct np_loss *loss,
			const struct np_drops_total *receiver_host)
{
	struct np_result *r = result;
	uint64_t rest;

	if (r->lost.known != NP_AT_LEAST || r->duplicates.n || !receiver_host->known ||
	    receiver_host->packets <= (loss ? loss->host : 0))
		return false;
	if (r->lost.n < receiver_host->packets)
		r->lost.n = receiver_host->packets;
	if (r->sent.known == NP_AT_LEAST && r->sent.n < r->received.n + r->lost.n)
		r->sent.n = r->received.n + r->lost.n;
	rest = r->lost.n - receiver_host->packets;
	r->lost_receiver_host = NP_COUNT_AT_LEAST(receiver_host->packets);
	r->lost_path = NP_COUNT_AT_LEAST(loss ? np_least(loss->path, rest) : 0);
	r->lost_unattributed = NP_COUNT_EXACT(rest - r->lost_path.n);
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
	if (count_bound(result, loss, receiver_host))
		return;
	if (loss)
		rest = *loss;
	known = (rest.exact || !result->lost.n) && result->lost.known == NP_EXACT ? NP_EXACT
										  : NP_AT_LEAST;
	if (!doubtful && sender_host->known) {
		sender = np_least(sender_host->packets, rest.path);
		rest.path -= sender;
		result->lost_sender_host = (struct np_count){
			.n = sender,
			.known = sender_host->exact || !result->lost.n ? known : NP_AT_LEAST,
		};
	}
	result->lost_path = (struct np_count){.n = rest.path, .known = known};
	result->lost_receiver_host = (struct np_count){.n = rest.host, .known = known};
	result->lost_unattributed = NP_COUNT_EXACT(rest.unattributed);
}
