// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * session: opens what needs privileges, drops them, finds the target, exercises it, reports; or
 * reads several targets together over one link, each with a session of its own, and reports a row
 * for each and their sum.
 */
#include "session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define INDENT 12
#define MB     1e6
/* A tag of each run in flight is told from another's by the target alone. */
#define TARGETS_MAX 256

static void report_host_fault(const struct session *s, int error, uint64_t times)
{
	np_log_error(s->log, s->options->target.interface,
		     "this host takes no frame (%s, %" PRIu64
		     " times); gave up; check its queue, its packet filter and the peer's MTU",
		     error == -EAGAIN ? "EAGAIN" : "ENOBUFS", times);
}

/* Nobody answers for a target that was asked for. Returns 2, after that message. */
static int refuse_absent(const struct session *s, uint64_t slot)
{
	const struct target_options *o = &s->options->target;

	return np_log_refuse(s->log, o->interface,
			     "no answer from e%" PRIu64 ".%" PRIu64
			     "; 'aoe-exercise --list %s' shows who answers",
			     o->shelf, slot, o->interface);
}

int session_find_target(struct session *s)
{
	const struct target_options *o = &s->options->target;
	bool write = s->options->operation == OPERATION_WRITE;
	char who[TARGET_DESCRIPTION_BYTES];
	struct target answerers[DISCOVER_ONE_ROOM];
	const struct target *t = &s->target;
	struct np_drops_packets packets;
	struct np_link_stats stats = {0};
	int rc = discover(s->channel, (uint16_t)o->shelf, (uint8_t)o->slot,
			  write ? DISCOVER_ALL : DISCOVER_FIRST, answerers, DISCOVER_ONE_ROOM);

	/* That nobody answered says nothing of the target if nothing was sent. */
	if (!rc && !s->channel->sent && !np_link_stats(s->channel->link, &stats) &&
	    stats.send_refused) {
		report_host_fault(s, stats.refused_error, stats.send_refused);
		return 2;
	}
	if (!rc)
		return refuse_absent(s, o->slot);
	if (rc > 0) {
		s->target = answerers[0];
		if (guard_alone(s, answerers, (unsigned)rc))
			return 2;
		if (!discover_is_usable(&s->target))
			return np_log_refuse(s->log, s->target.name,
					     "answers without a usable configuration or address: "
					     "%s",
					     target_describe(&s->target, who));
		rc = discover_identities(s->channel, &s->target, 1);
		if (!rc)
			rc = s->target.identity_error;
	}
	switch (rc) {
	case 0: break;
	case -EINTR: return np_log_refuse(s->log, NULL, "interrupted before the run began");
	case -ETIMEDOUT:
		return np_log_refuse(s->log, s->target.name, "answers queries but not IDENTIFY");
	default: return np_log_refuse(s->log, o->interface, "%s", strerror(-rc));
	}
	if (limits_check(s))
		return 2;
	/* Counts what this host drops of this run's requests and of the answers to them. */
	packets = (struct np_drops_packets){
		.direction = NP_DROPS_IN,
		.protocol = NP_DROPS_AOE,
		.local_mac = np_link_info(s->channel->link)->mac,
		.peer_mac = t->mac,
		.socket = np_link_fd(s->channel->link),
		/* From the shelf at 2 to the tag, whose second byte tells questions from requests.
		 */
		.payload_offset = 2,
		.payload_bytes = 8,
		.payload_value = {(uint8_t)(t->shelf >> 8), (uint8_t)t->shelf, t->slot, NP_AOE_ATA,
				  (uint8_t)(s->channel->tags.run >> 24)},
		.payload_mask = {0xff, 0xff, 0xff, 0xff, TAGS_RUN >> 24, TAGS_QUESTION >> 16},
	};
	rc = np_drops_watch(s->run->drops, &packets);
	packets.direction = NP_DROPS_OUT;
	packets.socket = -1;
	if (rc >= 0)
		rc = np_drops_watch(s->run->drops, &packets);
	return rc < 0 ? np_log_refuse(s->log, "--drops", "%s", strerror(-rc)) : 0;
}

void session_bound_windows(struct session *s)
{
	const struct np_cursor cursor = guard_cursor(s);

	s->sweep = s->options->traffic.sweep;
	if (sweep_bound(&s->sweep, cursor.pieces) && !s->sweep.automatic)
		np_log_info(s->log,
			    "%s: the region has %" PRIu64 " places of %" PRIu64
			    " sectors, one request each at a time: the window is %u at most",
			    s->target.name, cursor.pieces, s->options->traffic.sector_count,
			    s->sweep.to);
	s->window = s->sweep.from;
}

int session_examine(struct session *s)
{
	const int rc = examination_create(s);

	if (rc)
		return np_log_refuse(s->log, s->options->target.interface, "%s", strerror(-rc));
	return guard_remote(s);
}

void session_report_others(struct session *s, enum ending ending)
{
	const struct other_host *other = &s->target.other;
	char mac[TARGET_MAC_BYTES], why[EXAMINATION_TEXT];
	const char *name = s->target.name;

	if (ending == ENDING_CHANGED)
		np_log_error(s->log, name, "examined again, %s; stopped writing",
			     examination_explain(s->examination, s->examination->error, why));
	if (!other->answers)
		return;
	target_mac(other->mac, mac);
	if (ending == ENDING_OTHER_HOST)
		np_log_error(s->log, name, "%s answers for it, too; stopped writing", mac);
	else
		np_log_warning(s->log, name, "%s answered for it, too: %" PRIu64 " stray answers",
			       mac, other->answers);
}

static void drop_result(struct session *s)
{
	result_free(s->steps[s->step_count].result);
	s->steps[s->step_count].result = NULL;
}

int session_exchange(struct session *all, unsigned count, bool warm_up)
{
	const bool silent = warm_up || all->options->mesh.mesh;
	struct exchange *x = calloc(count, sizeof(*x));
	int rc = x ? 0 : -ENOMEM;

	for (unsigned i = 0; i < count && !rc; i++) {
		x[i].s = &all[i];
		x[i].warm_up = warm_up;
		x[i].observe = silent ? NULL : report_row;
		rc = result_create(&x[i].result);
		all[i].steps[all[i].step_count].result = x[i].result;
	}
	if (!warm_up)
		np_report_begun(all->run->report);
	if (!rc)
		rc = exchange_run(x, count);
	if (rc)
		np_log_error(all->log, all->options->target.interface, "%s", strerror(-rc));
	for (unsigned i = 0; i < count; i++) {
		struct other_host *others = &all[i].target.other;
		const struct other_host *other;

		if (rc) {
			drop_result(&all[i]);
			continue;
		}
		other = &x[i].result->other;
		if (!others->answers)
			memcpy(others->mac, other->mac, sizeof(other->mac));
		others->answers += other->answers;
	}
	free(x);
	return rc;
}

int session_warm_up(struct session *all, unsigned count)
{
	int status = 0;

	if (!all->options->traffic.warm_up)
		return 0;
	if (session_exchange(all, count, true))
		return 1;
	for (unsigned i = 0; i < count; i++) {
		const enum ending ending = all[i].steps[all[i].step_count].result->ending;

		if (!status && ending == ENDING_INTERRUPTED)
			status = np_log_refuse(all->log, NULL,
					       "interrupted before the measured run began");
		if (!status && ending >= ENDING_OTHER_HOST) {
			session_report_others(&all[i], ending);
			status = 1;
		}
		drop_result(&all[i]);
	}
	return status;
}

/*
 * Reads or writes all of @count targets, one window after the other if several are to be tried, or
 * up to the one that ends the run. Returns 0, or the exit status after a message.
 */
static int exercise(struct session *all, unsigned count)
{
	enum ending ending = ENDING_DONE;
	int status;

	np_capture_begin(all->channel->capture);
	np_report_hold(all->run->report, record_start(all));
	for (unsigned i = 0; i < count; i++) {
		report_start(&all[i]);
		session_bound_windows(&all[i]);
	}
	status = session_warm_up(all, count);
	while (!status && ending == ENDING_DONE &&
	       (all->window = sweep_next(&all->sweep, all->steps, all->step_count))) {
		if (session_exchange(all, count, false))
			return 1;
		ending = all->steps[all->step_count].result->ending;
		for (struct session *s = all; s < all + count; s++) {
			struct sweep_step *step = &s->steps[s->step_count];
			struct result *result = step->result;

			if (sweep_is_several(&s->sweep))
				report_step(s, result);
			s->errors |= result->tally.errors > 0;
			s->damage |= result->damage.total > 0;
			s->step_count++;
			step->window = s->window;
			if (result_rate_known(result))
				step->rate_bytes_per_s =
					np_units_rate(result->tally.bytes, result->elapsed);
			step->lost = result->tally.lost + result->tally.late;
			/* It is kept: what was recent of it is among its times. */
			np_histogram_free(result->recent);
			result->recent = NULL;
		}
	}
	return status;
}

/* Says what went wrong. Returns the exit status. */
static int conclude(struct session *s, const struct result *r)
{
	const enum ending ending =
		r->silence && r->ending == ENDING_INTERRUPTED ? ENDING_TARGET_DEAD : r->ending;
	const struct options *o = s->options;
	bool failed = ending != ENDING_DONE || s->errors;
	const char *name = s->target.name,
		   *hint = np_damage_hint(&r->damage, r->tally.bytes / NP_PATTERN_SECTOR_BYTES,
					  r->passes + 1);

	if (hint)
		np_log_info(s->log, "%s %s", name, hint);
	if (result_is_all_zero(r))
		np_log_warning(
			s->log, name,
			"only zeros came back: is its disk I/O disabled, or was it never written?");
	session_report_others(s, r->ending);
	if (r->tally.errors)
		np_log_error(s->log, name, "%" PRIu64 " packet%s answered with an error",
			     r->tally.errors, r->tally.errors == 1 ? " was" : "s were");
	/* The summary shows one step; faults of the others must be reported, too. */
	else if (s->errors)
		np_log_error(s->log, name, "answers carried errors at another window");
	if (s->damage && !r->damage.total)
		np_log_warning(s->log, name, "data errors at another window");
	switch (ending) {
	case ENDING_TARGET_DEAD:
		if (result_is_unanswered(&r->tally))
			np_log_error(s->log, name, "answered none of %" PRIu64 " packet%s",
				     r->tally.sent, np_plural(r->tally.sent));
		else if (r->silence)
			np_log_error(s->log, name, "stopped answering: nothing in the last %.1f s",
				     np_clock_seconds(r->silence));
		else
			np_log_error(s->log, name, "no answer for %.1f s; gave up",
				     np_clock_seconds(o->traffic.give_up));
		break;
	case ENDING_INTERRUPTED:
		failed = s->errors;
		if (r->tally.sent || !r->tally.refused)
			break;
		/* fallthrough */
	case ENDING_HOST_REFUSES:
		report_host_fault(s, r->refused_error, r->refused_calls);
		failed = true;
		break;
	case ENDING_LINK_LOST:
		np_log_error(s->log, o->target.interface, "%s in the middle of the run",
			     strerror(-r->link_error));
		break;
	case ENDING_DONE:
	case ENDING_OTHER_HOST:
	case ENDING_CHANGED: break; /* already reported */
	}
	if (failed || np_loss_exceeds(np_loss_percent(r->tally.lost, r->tally.sent),
				      o->traffic.max_loss_percent, name, s->log))
		return 1;
	if (!o->data.strict || !s->damage)
		return 0;
	np_log_error(s->log, name, "data errors, and --strict was given");
	return 1;
}

struct several {
	struct session *s;	/* of the program: its link, signals and outputs */
	struct options options; /* the same, with the first target */
	struct session session[TARGETS_MAX];
	struct client client[TARGETS_MAX];
	unsigned count;
	struct np_histogram *rtt; /* of all */
};

/* Takes those that were asked for from @found, in their order; each must be there. */
static int choose(struct several *m, const struct target *found, unsigned count)
{
	const struct target_options *o = &m->s->options->target;
	uint64_t slot = o->slot;
	struct session *one;

	for (const struct target *t = found; t < found + count; t++) {
		const bool again = t > found && t->shelf == t[-1].shelf && t->slot == t[-1].slot;
		unsigned n = 1;

		if (!o->all &&
		    (t->shelf != o->shelf || t->slot < o->slot || t->slot > o->slot_last))
			continue;
		if (again)
			continue;
		/* Those of one address follow one another. */
		while (n < DISCOVER_ONE_ROOM && t + n < found + count && t[n].shelf == t->shelf &&
		       t[n].slot == t->slot)
			n++;
		(void)guard_alone(m->s, t, n); /* it is only read */
		if (!o->all && t->slot != slot)
			return refuse_absent(m->s, slot);
		if (m->count == TARGETS_MAX)
			return np_log_refuse(m->s->log, o->interface,
					     "more than %u targets answer; name some of them",
					     TARGETS_MAX);
		slot = t->slot + 1u;
		if (!m->count) {
			m->options = *m->s->options;
			m->options.target.shelf = t->shelf;
			m->options.target.slot = t->slot;
		}
		one = &m->session[m->count++];
		*one = *m->s;
		one->options = &m->options;
		one->target = *t;
	}
	return !o->all && slot <= o->slot_last ? refuse_absent(m->s, slot) : 0;
}

static int find(struct several *m)
{
	struct target *found = calloc(LIST_TARGETS_MAX, sizeof(*found));
	const char *interface = m->s->options->target.interface;
	int rc = -ENOMEM, count, status;

	if (found)
		rc = discover(m->s->channel, NP_AOE_SHELF_ALL, NP_AOE_SLOT_ALL, DISCOVER_LIST,
			      found, LIST_TARGETS_MAX);
	count = rc;
	if (rc > 0)
		rc = discover_identities(m->s->channel, found, (unsigned)count);
	if (rc == -EINTR)
		status = np_log_refuse(m->s->log, NULL, "interrupted before the run began");
	else if (rc < 0)
		status = np_log_refuse(m->s->log, interface, "%s", strerror(-rc));
	else if (!count)
		status = np_log_refuse(m->s->log, interface, "no target answers here");
	else
		status = choose(m, found, (unsigned)count);
	free(found);
	for (unsigned i = 0; i < m->count && !status; i++) {
		const struct session *one = &m->session[i];

		if (!discover_is_usable(&one->target) || one->target.identity_error)
			status = np_log_refuse(m->s->log, one->target.name,
					       "answers queries but not IDENTIFY, or without a "
					       "usable configuration");
		else
			status = limits_check(one);
	}
	return status;
}

static void write_text(const struct several *m, const struct client *sum)
{
	const struct options *o = m->s->options;
	FILE *text = np_report_text(m->s->run->report);
	struct client total = *sum;

	if (!text)
		return;
	/* As in the rows: what a target without test data carries is no error. */
	total.is_test_data = 1;
	total.tally.damaged = 0;
	np_block_target_heading(text, "target", o->report.unit ? "MB/s" : "Mbit/s", "packets/s",
				"sent", "lost");
	for (unsigned i = 0; i < m->count; i++) {
		const struct client *one = &m->client[i];

		client_write(text, o, m->session[i].target.name, one, sum->tally.bytes,
			     client_fault(o, one));
		total.tally.damaged += one->is_test_data ? one->tally.damaged : 0;
	}
	client_write(text, o, "total", &total, sum->tally.bytes, NULL);
	for (unsigned i = 0; i < m->count; i++)
		report_paced(text, &m->session[i], m->session[i].steps->result);
	np_block_line(text, INDENT,
		      "read %.2f MB from %u target%s in %.3f s, the longest of their times",
		      (double)sum->tally.bytes / MB, m->count, np_plural(m->count),
		      np_clock_seconds((np_time)sum->elapsed));
}

static void write_records(const struct several *m, const struct client *sum)
{
	struct np_report *report = m->s->run->report;
	const struct np_usage *usage = &m->session->steps->result->usage;
	struct np_record *r;

	if (!np_report_wants_records(report))
		return;
	for (unsigned i = 0; i < m->count; i++) {
		r = np_record_new("result");
		np_record_text(r, "target", m->session[i].target.name);
		client_record(r, &m->client[i]);
		np_record_flag(r, "exact", m->session[i].steps->result->loss_exact);
		np_record_histogram(r, "rtt_ns", m->session[i].steps->result->rtt, true);
		report_paced_record(r, m->session[i].steps->result);
		np_record_damage(r, &m->session[i].steps->result->damage);
		np_record_text(r, "ending", ending_names[m->client[i].ending]);
		np_report_write(report, r);
	}
	r = np_record_new("summary");
	np_record_text(r, "operation", "read");
	np_record_count(r, "targets", m->count);
	client_record(r, sum);
	np_record_histogram(r, "rtt_ns", m->rtt, true);
	np_record_count(r, "errors_sectors", sum->tally.damaged);
	np_record_usage(r, usage);
	np_record_flag(r, "interrupted", sum->ending == ENDING_INTERRUPTED);
	np_report_write(report, r);
}

/* Returns the exit status. */
static int read_several(struct session *s)
{
	struct several *m = calloc(1, sizeof(*m));
	struct client sum = {0};
	int status;

	if (!m || np_histogram_create(&m->rtt)) {
		free(m);
		return np_log_refuse(s->log, NULL, "%s", strerror(ENOMEM));
	}
	m->s = s;
	status = find(m);
	/* Without any there is nothing to read or to report. */
	if (!status && m->count)
		status = exercise(m->session, m->count);
	if (status || !m->count)
		goto no_result;
	for (unsigned i = 0; i < m->count; i++) {
		m->client[i] = client_of(m->session[i].steps->result);
		client_add(&sum, &m->client[i]);
		np_histogram_merge(m->rtt, m->session[i].steps->result->rtt);
	}
	np_histogram_figures(m->rtt, &sum.rtt);
	if (sum.ending == ENDING_INTERRUPTED && !sum.tally.sent) {
		status = np_log_refuse(s->log, NULL, "interrupted before the measured run began");
		goto no_result;
	}
	write_text(m, &sum);
	write_records(m, &sum);
	for (unsigned i = 0; i < m->count; i++)
		status |= conclude(&m->session[i], m->session[i].steps->result);

no_result:
	for (unsigned i = 0; i < m->count; i++)
		result_free(m->session[i].steps->result);
	np_histogram_free(m->rtt);
	free(m);
	return status;
}

static int list_targets(struct session *s)
{
	struct target *targets = calloc(LIST_TARGETS_MAX, sizeof(*targets));
	FILE *text = np_report_text(s->run->report);
	int count = -ENOMEM;

	if (targets)
		count = discover(s->channel, NP_AOE_SHELF_ALL, NP_AOE_SLOT_ALL, DISCOVER_LIST,
				 targets, LIST_TARGETS_MAX);
	/* A signal ends the queries; targets that answered by then are listed. */
	if (count > 0)
		(void)discover_identities(s->channel, targets, (unsigned)count);
	else
		np_log_error(s->log, s->options->target.list, "%s",
			     count == -EINTR ? "interrupted"
			     : count	     ? strerror(-count)
					     : "no target answers here");
	if (text && count > 0)
		fprintf(text, "%-10s %-17s %4s %4s %4s %9s  model\n", "target", "mac", "fw", "bufs",
			"req", "MB");
	for (int i = 0; i < count; i++) {
		const struct target *t = &targets[i];
		char mac[TARGET_MAC_BYTES], size[24] = "unknown";
		struct np_record *r = np_record_new("target");

		np_record_text(r, "target", t->name);
		np_record_count(r, "shelf", t->shelf);
		np_record_count(r, "slot", t->slot);
		np_record_text(r, "mac", target_mac(t->mac, mac));
		np_record_count(r, "firmware", t->firmware);
		np_record_count(r, "buffers_packets", t->buffer_count);
		np_record_count(r, "request_sectors", t->sector_count);
		np_record_flag(r, "ambiguous", t->ambiguous);
		if (t->identified) {
			np_record_count(r, "disk_sectors", t->identity.sectors);
			np_record_count(r, "disk_bytes", t->identity.sectors * NP_AOE_SECTOR_BYTES);
			np_record_text(r, "model", t->identity.model);
			np_record_text(r, "serial", t->identity.serial);
			np_record_text(r, "ata_firmware", t->identity.firmware);
		}
		np_report_write(s->run->report, r);
		if (!text)
			continue;
		if (t->identified)
			snprintf(size, sizeof(size), "%.1f",
				 (double)t->identity.sectors * NP_AOE_SECTOR_BYTES / MB);
		fprintf(text, "%-10s %s %4.4x %4u %4u %9s  %s%s\n", t->name,
			target_mac(t->mac, mac), t->firmware, t->buffer_count, t->sector_count,
			size, t->identified ? t->identity.model : "unknown",
			t->ambiguous ? " (several answer for it)" : "");
	}
	free(targets);
	return count > 0 ? 0 : 2;
}

int session_open(struct np_run *run)
{
	struct session *s = run->state;
	const struct options *o = run->options;
	int status = 0;

	s->run = run;
	s->options = o;
	s->log = run->log;
	/* None is claimed yet: the descriptor 0 is not ours to close. */
	s->channel = &s->own;
	s->own.tags.claim = -1;
	if (o->operation == OPERATION_WRITE)
		status = guard_local(s);
	if (!status)
		status = channel_open(s->channel, o, s->log);
	if (!status && np_drops_begin(&run->drops, (enum np_drops_mode)o->drops, s->log) < 0)
		status = 2;
	return status;
}

int session_work(struct np_run *run)
{
	struct session *s = run->state;
	const struct options *o = s->options;
	FILE *text = np_report_text(run->report);
	const struct result *result;
	int window = 0, knee, status;

	s->channel->signals = run->signals;
	if (o->target.list)
		return list_targets(s);
	if (o->mesh.mesh)
		return mesh_run(s);
	if (o->target.several)
		return read_several(s);
	status = session_find_target(s);
	if (!status && o->operation == OPERATION_WRITE)
		status = session_examine(s);
	if (!status)
		status = exercise(s, 1);
	if (status)
		return status;
	/* What is summarised is the knee, or the step that ended the run early, or the last one. */
	result = s->steps[s->step_count - 1].result;
	knee = sweep_knee(s->steps, s->step_count);
	for (size_t i = 0; i < s->step_count; i++) {
		if (result_held_by_rate(s->steps[i].result, o->traffic.rate_packets_per_s))
			knee = SWEEP_HELD_BACK;
	}
	if (result->ending != ENDING_DONE)
		knee = SWEEP_CUT_SHORT;
	if (knee >= 0)
		result = s->steps[knee].result;
	if (result->ending == ENDING_INTERRUPTED && s->step_count == 1 && !result->tally.sent &&
	    !result->tally.refused) {
		session_report_others(s, result->ending);
		return np_log_refuse(s->log, NULL, "interrupted before the measured run began");
	}
	if (o->report.layout == NP_REPORT_ORIGINAL || !sweep_is_several(&s->sweep))
		text = NULL;
	if (text && knee == SWEEP_CUT_SHORT)
		fprintf(text, "knee: unknown, the sweep was cut short at window %u\n",
			s->steps[s->step_count - 1].window);
	else if (text && knee == SWEEP_HELD_BACK)
		fputs("knee: unknown, --rate held windows back\n", text);
	else if (text && knee < 0)
		fprintf(text, "knee: none, every window lost packets\n");
	else if (text)
		np_block_line(text, INDENT,
			      "knee: window %u, the smallest of %zu within 3 %% of the best rate "
			      "without loss",
			      s->steps[knee].window, s->step_count);
	if (knee >= 0 && sweep_is_several(&s->sweep))
		window = (int)s->steps[knee].window;
	report_summary(s, result, window);
	return conclude(s, result);
}

/* A result that could not be written fails the run. */
int session_close(struct np_run *run, int status)
{
	struct session *s = run->state;
	int rc = channel_close(s->channel, status != 2);

	if (rc) {
		np_log_error(s->log, s->options->target.capture, "%s", strerror(-rc));
		status = status ? status : 1;
	}
	for (size_t i = 0; i < s->step_count; i++)
		result_free(s->steps[i].result);
	examination_free(s->examination);
	return status;
}
