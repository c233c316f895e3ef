// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* attribution: divides the loss of a run. */
#include "attribution.h"

struct np_result attribution_receive(const struct record_receive *result)
{
	const struct np_flow_counts *f = &result->figures;
	const bool whole = f->sent_known && !f->missed_before;
	struct np_result r = {
		.sent = whole ? NP_COUNT_EXACT(f->sent) : NP_COUNT_AT_LEAST(f->sent),
		.received = NP_COUNT_EXACT(f->received),
		.lost = whole ? NP_COUNT_EXACT(f->lost) : NP_COUNT_AT_LEAST(f->lost),
		.duplicates = NP_COUNT_EXACT(f->duplicates),
		.reordered = NP_COUNT_EXACT(f->reordered),
		.late = NP_COUNT_EXACT(f->late),
		.damaged = NP_COUNT_EXACT(f->damaged + f->stray),
	};

	np_result_attribute(&r, &result->loss.where, &result->hosts.sender, &result->hosts.receiver,
			    result->hosts.doubtful);
	return r;
}

static struct np_result count(const struct record_transmit *sent,
			      const struct message_report *report)
{
	return (struct np_result){
		.sent = NP_COUNT_EXACT(sent->messages),
		.received = NP_COUNT_EXACT(report->received),
		.lost = report->exact ? NP_COUNT_EXACT(report->lost)
				      : NP_COUNT_AT_LEAST(report->lost),
		.duplicates = NP_COUNT_EXACT(report->duplicates),
		.reordered = NP_COUNT_EXACT(report->reordered),
		.late = NP_COUNT_EXACT(report->late),
		.damaged = NP_COUNT_EXACT(report->damaged),
	};
}

/*
 * What a receiver's socket dropped may be copies of what came, or ENDs: then its account is no
 * proof.
 */
struct np_result attribution_report(const struct record_transmit *sent,
				    const struct receivers_receiver *receiver)
{
	const struct message_report *report = &receiver->report;
	const struct hosts hosts = record_hosts(receiver, sent->group, &sent->lost_here);
	struct np_loss_drops drops = {.least = report->host_drops,
				      .upmost = report->host_drops_most};
	struct np_result r = count(sent, report);
	struct np_loss loss = {.unattributed = report->lost, .exact = !report->lost};

	if (report->drop_unit != MESSAGE_DROPS_UNKNOWN) {
		drops.most = np_loss_most(record_drop_unit(report->drop_unit),
					  sent->receivers->message_bytes);
		drops.others = report->duplicates ? drops.upmost : 0;
		loss = np_loss_attribute(report->lost, &drops);
	}
	np_result_attribute(&r, &loss, &hosts.sender, &hosts.receiver, hosts.doubtful);
	return r;
}

void attribution_record(struct np_record *record, const struct np_result *result, bool counted)
{
	const struct np_count *sender = &result->lost_sender_host;

	if (sender->known)
		np_record_count(record, "lost_sender_host_messages", sender->n);
	np_record_count(record, "lost_path_messages", result->lost_path.n);
	np_record_count(record, "lost_receiver_host_messages", result->lost_receiver_host.n);
	np_record_count(record, "lost_unattributed_messages", result->lost_unattributed.n);
	np_record_flag(record, "exact",
		       counted && sender->known != NP_AT_LEAST &&
			       result->lost_path.known == NP_EXACT &&
			       result->lost_receiver_host.known == NP_EXACT);
}
