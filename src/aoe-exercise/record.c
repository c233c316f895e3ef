// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* record: the same figures as the text, as JSON under stable names, in plain units. */
#include "session.h"

#include <math.h>

struct np_record *record_target(const struct target *target)
{
	struct np_record *r = np_record_new("target");
	char name[TARGET_NAME_BYTES], mac[TARGET_MAC_BYTES];

	np_record_text(r, "target", target_name(target, name));
	np_record_count(r, "shelf", target->shelf);
	np_record_count(r, "slot", target->slot);
	np_record_text(r, "mac", target_mac(target->mac, mac));
	np_record_count(r, "firmware", target->firmware);
	np_record_count(r, "buffers_packets", target->buffer_count);
	np_record_count(r, "request_sectors", target->sector_count);
	np_record_flag(r, "ambiguous", target->ambiguous);
	if (target->identified) {
		np_record_count(r, "disk_sectors", target->identity.sectors);
		np_record_count(r, "disk_bytes", target->identity.sectors * NP_AOE_SECTOR_BYTES);
		np_record_text(r, "model", target->identity.model);
		np_record_text(r, "serial", target->identity.serial);
		np_record_text(r, "ata_firmware", target->identity.firmware);
	}
	return r;
}

struct np_record *record_start(const struct session *s)
{
	struct np_record *r = np_record_start(&aoe_exercise_options, s->options);

	np_record_text(r, "link", np_link_info(s->channel.link)->variant);
	np_record_text(r, "stamps", np_link_info(s->channel.link)->stamps);
	return r;
}

static void add_row(struct np_record *r, unsigned window, const struct tally *t, np_time from,
		    np_time to)
{
	char flow[24];

	snprintf(flow, sizeof(flow), "window %u", window);
	np_record_count(r, "window_packets", window);
	np_record_interval(
		r, &(struct np_interval_row){.from = from,
					     .to = to,
					     .flow = flow,
					     .unit = "packets",
					     .counts = {.sent = NP_COUNT_EXACT(t->sent),
							.received = NP_COUNT_EXACT(t->received),
							.lost = NP_COUNT_EXACT(t->lost),
							.duplicates = NP_COUNT_EXACT(t->duplicates),
							.late = NP_COUNT_EXACT(t->late)}});
}

struct np_record *record_interval(const struct session *s, const struct result *life,
				  const struct tally *now, np_time length)
{
	struct np_record *r = np_record_new("interval");

	add_row(r, life->window, now, life->row.at, life->row.at + length);
	np_schema_record(r, tally_columns, 0, now, "packets");
	np_record_rates(r, "packets", now->received, now->bytes, length, 1);
	if (s->options->operation == OPERATION_READ)
		np_record_count(r, "errors_sectors", life->damage.total - life->row.damaged);
	return r;
}

/* All figures of a complete exchange. */
static void add_result(struct np_record *r, const struct session *s, const struct result *result)
{
	const struct answer_error *e = &result->first_error;
	const struct tally *t = &result->tally;
	struct np_record *object;

	np_record_count(r, "window_packets", result->window);
	np_schema_record(r, tally_columns, TALLY_OF_CLIENT | TALLY_OF_RESULT, t, "packets");
	np_record_rates(r, "packets", t->received, t->bytes, result->elapsed,
			result_rate_known(result) ? 1 : (double)NAN);
	np_record_count(r, "lost_sender_host_packets", result->loss.sender_host);
	np_record_count(r, "lost_path_packets", result->loss.path);
	np_record_count(r, "lost_receiver_host_packets", result->loss.receiver_host);
	np_record_count(r, "lost_unattributed_packets", result->loss.unattributed);
	np_record_flag(r, "exact", result->loss.exact);
	if (t->lost)
		np_record_path(r, &result->path);
	np_record_drops(r, &result->host);
	np_record_histogram(r, "rtt_ns", result->rtt, true);
	np_record_histogram(r, "latency_intended_ns", result->paced, true);
	np_record_time(r, "behind_ns", result->worst_behind);
	if (s->options->operation == OPERATION_READ) {
		np_record_damage(r, &result->damage);
	} else {
		/* Whether the target was still the one examined, and what the checks cost. */
		object = np_record_object(r, "rechecks");
		np_record_count(object, "rounds", result->rechecks.rounds);
		np_record_count(object, "questions_packets", result->rechecks.questions);
		np_record_time(object, "held_ns", result->rechecks.held);
	}
	if (t->errors) {
		object = np_record_object(r, "first_error");
		np_record_count(object, "lba", e->lba);
		np_record_count(object, "aoe_error", e->aoe_error);
		np_record_count(object, "ata_status", e->ata_status);
		np_record_count(object, "ata_error", e->ata_error);
	}
	np_record_usage(r, &result->usage);
}

struct np_record *record_step(const struct session *s, const struct result *result)
{
	struct np_record *r = np_record_new("interval");

	add_row(r, result->window, &result->tally, 0, result->elapsed);
	add_result(r, s, result);
	return r;
}

const char *record_ending(enum ending ending)
{
	static const char *const names[] = {"done",	     "interrupted", "target-dead",
					    "host-refused",  "link-lost",   "two-targets",
					    "target-changed"};

	return names[ending];
}

struct np_record *record_summary(const struct session *s, const struct result *result,
				 int knee_window)
{
	struct np_record *r = np_record_new("summary"), *other;
	char mac[TARGET_MAC_BYTES];

	np_record_text(r, "operation", s->options->operation == OPERATION_WRITE ? "write" : "read");
	add_result(r, s, result);
	np_record_number(r, "loss_percent", np_loss_percent(result->tally.lost, result->tally.sent));
	np_record_count(r, "passes", result->passes);
	if (knee_window > 0)
		np_record_count(r, "knee_window_packets", (uint64_t)knee_window);
	if (result->other.answers) {
		other = np_record_object(r, "other_answerer");
		np_record_text(other, "mac", target_mac(result->other.mac, mac));
		np_record_count(other, "stray_packets", result->other.answers);
	}
	if (result->tally.refused && result->refused_error)
		np_record_error(r, "send_error", result->refused_error);
	np_record_text(r, "ending", record_ending(result->ending));
	np_record_flag(r, "interrupted", result->ending == ENDING_INTERRUPTED);
	return r;
}
