// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * mesh: loads the target together with the other ranks, as steps of np_meet. Rank 0 reports: a line
 * and a record for each client, and what the target did.
 */
#include "session.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct mesh_run {
	struct np_meet meet; /* first: the steps get this one */
	struct session *s;
	struct options options; /* of this rank: its part of the region */
	struct np_log rank_log; /* with the rank in its lines */
	char program[64];
	int status; /* 2: this one cannot begin, 1: nor could it warm up */
	bool began; /* all have begun the measured run */
	uint8_t piece[CLIENT_BYTES];
	/* In rank 0 alone: */
	struct client *client; /* of each rank */
	bool *known;	       /* whether it is */
	struct client sum;     /* of those that began: what the target did */
	uint64_t shortest;     /* time of one */
};

/* Larger numbers are refused, so that no sum can overflow. */
#define VALUE_MAX (UINT64_C(1) << 50)

struct client client_of(const struct result *result)
{
	struct client client = {
		.began = 1,
		.ending = result->ending,
		.tally = result->tally,
		.is_test_data = !result_is_no_test_data(result),
		.elapsed = result->elapsed > 0 ? (uint64_t)result->elapsed : 0,
		.rated = result_rate_known(result),
	};

	np_histogram_figures(result->rtt, &client.rtt);
	return client;
}

void client_add(struct client *sum, const struct client *more)
{
	np_schema_add(tally_columns, &sum->tally, &more->tally);
	sum->began += more->began;
	sum->rated |= more->rated;
	sum->elapsed = more->elapsed > sum->elapsed ? more->elapsed : sum->elapsed;
	if (more->ending == ENDING_INTERRUPTED)
		sum->ending = ENDING_INTERRUPTED;
}

static void client_fields(struct np_field_list *list, struct client *client)
{
	uint64_t *value = (uint64_t *)client;

	for (size_t i = 0; i < CLIENT_BYTES / sizeof(*value); i++)
		NP_FIELD_NUMBER(list, value[i], 8, VALUE_MAX);
}

void client_pack(const struct client *client, void *piece)
{
	struct np_field_list list = {.out = piece};
	struct client copy = *client;

	client_fields(&list, &copy);
}

int client_unpack(struct client *c, const void *piece, size_t bytes)
{
	struct np_field_list list = {.in = {piece, bytes, bytes != CLIENT_BYTES}};
	const struct tally *t = &c->tally;
	bool sound;

	client_fields(&list, c);
	/* Whether these counts can be true. */
	sound = c->began <= 1 && c->rated <= 1 && c->is_test_data <= 1 &&
		c->ending <= ENDING_CHANGED &&
		t->sent == t->received + t->late + t->lost + t->outstanding &&
		t->errors <= t->received && t->retransmitted <= t->sent &&
		t->lost == t->lost_sender_host + t->lost_path + t->lost_receiver_host +
				   t->lost_unattributed &&
		c->rtt.count <= t->received && (!c->rated || c->elapsed);
	return !list.in.bad && sound ? 0 : -EBADMSG;
}

/* What a client's host dropped; not known if some of what is lost could not be attributed. */
static struct np_drops_total dropped(const struct client *client, uint64_t packets)
{
	const bool known = !client->tally.lost_unattributed;

	return (struct np_drops_total){.known = known, .exact = known, .packets = packets};
}

struct np_mesh_pair client_pair(const struct client *client, uint32_t rank)
{
	return (struct np_mesh_pair){
		.from = rank,
		.to = NP_MESH_OUTSIDE,
		.parts = NP_MESH_FROM | NP_MESH_TO,
		.exact = true,
		.sent = client->tally.sent - client->tally.outstanding,
		.received = client->tally.received + client->tally.late,
		.lost = client->tally.lost,
		.duplicates = client->tally.duplicates,
		.bytes = client->tally.bytes,
		.elapsed = client->rated ? (np_time)client->elapsed : 0,
		.last = client->rated ? (np_time)client->elapsed : 0,
		.delay = client->rtt,
		.dropped_from = dropped(client, client->tally.lost_sender_host),
		.dropped_to = dropped(client, client->tally.lost_receiver_host),
	};
}

#define MB     1e6
#define INDENT 12
/* Clients that failed, named one by one, at most. */
#define NAMED 8
/* Times that differ by less are the same. */
#define SAME_TIME 0.98

const char *client_fault(const struct options *o, const struct client *c)
{
	static const char *const endings[] = {
		[ENDING_TARGET_DEAD] = "no answer; gave up",
		[ENDING_HOST_REFUSES] = "its host takes no frame",
		[ENDING_LINK_LOST] = "its interface went down",
		[ENDING_OTHER_HOST] = "another host answers for the target",
		[ENDING_CHANGED] = "the target is not the one that was examined",
	};
	const bool reads = o->operation == OPERATION_READ;

	if (!c->began)
		return "its run did not begin";
	if (c->ending != ENDING_DONE && c->ending != ENDING_INTERRUPTED)
		return endings[c->ending];
	if (c->tally.errors)
		return "answers carried errors";
	return o->data.strict && reads && c->tally.damaged ? "data errors" : NULL;
}

void client_write(FILE *text, const struct options *o, const char *name, const struct client *c,
		  uint64_t all, const char *fault)
{
	const struct report_rates rates = report_rates(o, c->rated, &c->tally, (np_time)c->elapsed);
	const struct report_extra extra[] = {
		{c->tally.retransmitted, "resent"},
		{c->tally.late, "late"},
		{c->tally.outstanding, "outstanding"},
		{c->tally.duplicates, "duplicates"},
		{c->tally.stray, "stray"},
		{c->tally.errors, "errors"},
		{c->is_test_data ? c->tally.damaged : 0, "data errors"},
	};
	char share[64] = "", extras[REPORT_EXTRAS], rest[REPORT_EXTRAS + 200];

	if (o->report.layout == NP_REPORT_FULL)
		snprintf(share, sizeof(share), "  share %.2f %%  max %s",
			 np_loss_percent(c->tally.bytes, all),
			 np_units_format_latency(c->rtt.max).text);
	snprintf(rest, sizeof(rest), "%s%s%s%s%s", share,
		 report_extras(extra, sizeof(extra) / sizeof(*extra), extras),
		 c->ending == ENDING_INTERRUPTED ? "  interrupted" : "", fault ? "  " : "",
		 fault ? fault : "");
	np_block_target(text, &(struct np_block_target){
				      .name = name,
				      .rate = rates.bytes,
				      .per_s = rates.packets,
				      .count = c->tally.sent,
				      .lost = c->tally.lost,
				      .delay = c->rtt,
				      .rest = rest,
			      });
}

static void write_text(const struct mesh_run *m)
{
	const struct client *sum = &m->sum;
	const struct np_mesh_pair *lossiest = np_mesh_lossiest(m->meet.mesh);
	const double fairness = np_mesh_fairness(m->meet.mesh);
	FILE *text = m->meet.text;
	const struct report_rates rates =
		report_rates(&m->options, sum->rated, &sum->tally, (np_time)sum->elapsed);

	if (!text)
		return;
	np_block_target_heading(text, "client host", rates.unit, "packets/s", "sent", "lost");
	for (uint32_t i = 0; i < m->meet.plan.ranks; i++) {
		const struct client *c = &m->client[i];
		const char *host = np_meet_host(&m->meet, i);
		const char *fault = client_fault(&m->options, c);
		const char *missing = np_meet_missing(&m->meet, i);
		char name[32];

		snprintf(name, sizeof(name), "%6u %-10.10s", (unsigned)i, host ? host : "unknown");
		if (!m->known[i])
			fault = missing ? missing : "present";
		if (m->known[i] && c->began)
			client_write(text, &m->options, name, c, sum->tally.bytes, fault);
		else
			np_block_line(text, INDENT, "%s %s", name, fault);
	}
	np_block_line(text, INDENT, "%6s %-10s %8s %9s %10" PRIu64 " %7" PRIu64 " %6.2f", "total",
		      "", rates.bytes, rates.packets, sum->tally.sent, sum->tally.lost,
		      np_loss_percent(sum->tally.lost, sum->tally.sent));
	np_block_line(text, INDENT,
		      "The target %s %.2f MB for %u of %u clients, over %.3f s, the longest of "
		      "their times",
		      m->options.operation == OPERATION_WRITE ? "took" : "gave",
		      (double)sum->tally.bytes / MB, (unsigned)sum->began,
		      (unsigned)m->meet.plan.ranks, np_clock_seconds((np_time)sum->elapsed));
	if ((double)m->shortest < SAME_TIME * (double)sum->elapsed)
		np_block_line(text, INDENT,
			      "Not all ran all the time: the shortest time is %.3f s, and the "
			      "total is an average",
			      np_clock_seconds((np_time)m->shortest));
	if (fairness >= 0)
		fprintf(text, "Fairness %.4f (Jain's index of the clients' rates; 1: all equal)\n",
			fairness);
	if (lossiest)
		fprintf(text, "Worst loss: client %u, %.4f %%\n", (unsigned)lossiest->from,
			np_mesh_loss(lossiest));
	np_mesh_print_dropped(m->meet.mesh, text);
	fflush(text);
}

void client_record(struct np_record *r, const struct client *c)
{
	np_schema_record(r, tally_columns, TALLY_OF_ALL | TALLY_OF_CLIENT | TALLY_PLACES, &c->tally,
			 "packets");
	np_record_rates(r, "packets", c->tally.received, c->tally.bytes, (np_time)c->elapsed,
			c->rated ? 1 : (double)NAN);
	np_record_number(r, "loss_percent", np_loss_percent(c->tally.lost, c->tally.sent));
}

static void write_records(const struct mesh_run *m)
{
	struct np_report *report = m->s->run->report;
	const struct np_usage usage = np_usage_since(&m->meet.usage);
	const uint64_t all = m->sum.tally.bytes;
	const struct np_drops_counts *dropped;
	struct np_record *r;

	if (!np_report_wants_records(report))
		return;
	for (uint32_t i = 0; i < m->meet.plan.ranks; i++) {
		const struct client *c = &m->client[i];

		if (!m->known[i])
			continue;
		r = np_record_new("client");
		np_record_count(r, "rank", i);
		np_record_text(r, "host", np_meet_host(&m->meet, i));
		np_record_flag(r, "began", c->began);
		if (c->began) {
			client_record(r, c);
			np_record_number(r, "share_percent", np_loss_percent(c->tally.bytes, all));
			np_record_figures(r, "rtt_ns", &c->rtt);
			if (m->options.operation == OPERATION_READ && c->is_test_data)
				np_record_count(r, "errors_sectors", c->tally.damaged);
			np_record_text(r, "ending", ending_names[c->ending]);
			dropped = np_mesh_dropped(m->meet.mesh, i);
			if (dropped)
				np_record_drops(r, dropped);
		}
		np_report_write(report, r);
	}
	r = np_record_new("summary");
	np_record_text(r, "operation", m->options.operation == OPERATION_WRITE ? "write" : "read");
	client_record(r, &m->sum);
	np_record_count(r, "clients", m->sum.began);
	np_record_time(r, "elapsed_min_ns", (np_time)m->shortest);
	np_mesh_record(m->meet.mesh, r);
	np_record_usage(r, &usage);
	np_record_flag(r, "interrupted", m->sum.ending == ENDING_INTERRUPTED);
	np_report_write(report, r);
}

/* Names the ranks that are missing, and the clients that failed. Returns whether there are any. */
static bool name_failed(const struct mesh_run *m)
{
	const struct np_log *log = m->meet.run->log;
	const bool missing = np_meet_name_missing(&m->meet);
	uint32_t failed = 0;
	char what[64];

	for (uint32_t i = 0; i < m->meet.plan.ranks; i++) {
		const char *fault = m->known[i] ? client_fault(&m->options, &m->client[i]) : NULL;

		if (!fault || failed++ >= NAMED)
			continue;
		snprintf(what, sizeof(what), "rank %u", (unsigned)i);
		np_log_error(log, what, "%s", fault);
	}
	if (failed > NAMED)
		np_log_error(log, "mesh", "%u more clients failed", (unsigned)(failed - NAMED));
	return failed || missing;
}

/* np_meet's step. */
static int report(struct np_meet *meet, bool alone)
{
	struct mesh_run *m = (struct mesh_run *)meet;
	const struct np_log *log = meet->run->log;
	const double loss = np_loss_percent(m->sum.tally.lost, m->sum.tally.sent);
	bool failed;

	if (alone && meet->text && m->s->steps->result)
		fprintf(meet->text, "rank %u by itself:\n", (unsigned)meet->rank);
	if (alone && m->s->steps->result)
		report_summary(m->s, m->s->steps->result, 0);
	if (alone)
		return 1;
	if (!m->sum.began) {
		name_failed(m);
		return 2;
	}
	write_text(m);
	write_records(m);
	failed = name_failed(m);
	if (m->s->steps->result && result_is_all_zero(m->s->steps->result))
		np_log_warning(log, m->options.target.interface,
			       "only zeros came back: is the target's disk I/O disabled, or was it "
			       "never written?");
	failed |= np_loss_exceeds(loss, m->options.traffic.max_loss_percent, "mesh", log);
	return failed ? 1 : 0;
}

/*
 * From here on the session is that of one client of several; its log says which. A rank that cannot
 * begin stays with the others all the same.
 */
static int prepare(struct np_meet *meet)
{
	struct mesh_run *m = (struct mesh_run *)meet;
	struct session *s = m->s;
	struct data_options *data = &m->options.data;
	const uint64_t request = m->options.traffic.sector_count * NP_AOE_SECTOR_BYTES;
	uint64_t bytes, part;

	m->options.clients = meet->plan.ranks;
	m->options.mesh.rank = meet->rank;
	snprintf(m->program, sizeof(m->program), "%s: rank %u", meet->run->log->program,
		 (unsigned)meet->rank);
	m->rank_log = *meet->run->log;
	m->rank_log.program = m->program;
	s->log = &m->rank_log;
	s->options = &m->options;
	if (!meet->rank)
		np_report_hold(s->run->report, record_start(s));
	m->status = session_find_target(s);
	/* Each rank writes a part of its own of the region; these are equal. */
	bytes = s->target.identity.sectors * NP_AOE_SECTOR_BYTES - data->offset_bytes;
	bytes = data->size_bytes ? data->size_bytes : bytes;
	part = bytes / meet->plan.ranks / request * request;
	if (!m->status && m->options.operation == OPERATION_WRITE && !part) {
		m->status = np_log_refuse(
			s->log, data->size_bytes ? "--size" : "--mesh",
			"a region of %" PRIu64
			" bytes is too small for %u clients, which need at least %" PRIu64,
			bytes, (unsigned)meet->plan.ranks, request * meet->plan.ranks);
	} else if (!m->status && m->options.operation == OPERATION_WRITE) {
		data->offset_bytes += part * meet->rank;
		data->size_bytes = part;
		m->status = session_examine(s);
	}
	if (m->status)
		return 0;
	session_bound_windows(s);
	if (!meet->rank)
		report_start(s);
	return 0;
}

/* All begin together after the warm-up, without a rank that cannot. */
static int load(struct np_meet *meet)
{
	struct mesh_run *m = (struct mesh_run *)meet;
	const struct traffic_options *t = &m->options.traffic;
	int rc;

	if (!m->status)
		m->status = session_warm_up(m->s, 1);
	rc = np_meet_all(meet);
	if (rc)
		return rc;
	m->began = true;
	meet->usage = np_usage_now();
	meet->begun = np_clock_now();
	if (!m->status && !session_exchange(m->s, 1, false))
		session_report_others(m->s, m->s->steps->result->ending);
	/*
	 * Nobody may take longer than this; before it writes, a client may ask the target for its
	 * identity again.
	 */
	meet->deadline = meet->begun + t->duration + 2 * t->timeout + m->options.mesh.limit;
	if (m->options.operation == OPERATION_WRITE)
		meet->deadline += t->give_up;
	return 0;
}

/* In rank 0: of a client that began, adds it up. Returns 0 or -errno. */
static int add_client(struct mesh_run *m, uint32_t rank, const struct client *c)
{
	const struct np_mesh_pair pair = client_pair(c, rank);

	m->client[rank] = *c;
	m->known[rank] = true;
	if (!c->began)
		return 0;
	client_add(&m->sum, c);
	m->shortest = c->elapsed < m->shortest ? c->elapsed : m->shortest;
	return np_mesh_add(m->meet.mesh, &pair);
}

static int take(struct np_meet *meet, uint32_t rank, const void *piece, size_t bytes)
{
	struct mesh_run *m = (struct mesh_run *)meet;
	struct client client;

	if (m->known[rank] || client_unpack(&client, piece, bytes))
		return -EBADMSG;
	return add_client(m, rank, &client);
}

static int measure(struct np_meet *meet)
{
	struct mesh_run *m = (struct mesh_run *)meet;
	const struct client own =
		m->s->steps->result ? client_of(m->s->steps->result) : (struct client){0};
	int rc = 0;

	if (meet->rank) {
		client_pack(&own, m->piece);
		meet->piece = m->piece;
		meet->piece_bytes = sizeof(m->piece);
	} else {
		m->client = calloc(meet->plan.ranks, sizeof(*m->client));
		m->known = calloc(meet->plan.ranks, sizeof(*m->known));
		rc = m->client && m->known ? add_client(m, 0, &own) : -ENOMEM;
	}
	if (rc || !m->s->steps->result || m->options.drops == NP_DROPS_OFF)
		return rc;
	return np_mesh_add_dropped(meet->mesh, meet->rank, &m->s->steps->result->host);
}

int mesh_run(struct session *s)
{
	static const struct np_meet_steps steps = {
		.connect = prepare,
		.send = load,
		.measure = measure,
		.take = take,
		.report = report,
	};
	const struct options *asked = s->options;
	const struct target_options *target = &asked->target;
	struct mesh_run m = {
		.s = s,
		.options = *asked,
		.shortest = UINT64_MAX,
		.meet =
			{
				.run = s->run,
				.options = &asked->mesh,
				.steps = &steps,
				.words = {.unit = "packets",
					  .delay = "rtt",
					  .outside = s->target.name},
				.text = np_report_text(s->run->report),
			},
	};
	int status;

	snprintf(s->target.name, sizeof(s->target.name), "e%u.%u", (unsigned)target->shelf,
		 (unsigned)target->slot);
	status = np_meet_run(&m.meet);
	result_free(s->steps->result);
	free(m.client);
	free(m.known);
	/* Those of the rank live as long as this run. */
	s->log = s->run->log;
	s->options = asked;
	return m.began ? status : 2;
}
