// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * mesh: meets the other ranks, loads the target together with them, and collects the results. Rank
 * 0 reports: a line and a record for each client, and what the target did.
 */
#include "session.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct mesh_run {
	struct session *s;
	const struct np_log *log; /* that of the session has the rank in its lines */
	struct options options;	  /* of this rank: its part of the region */
	struct np_log rank_log;
	char program[64];
	struct np_meet meet;
	struct result *result; /* NULL: its run did not begin */
	bool started;	       /* the start is reported */
	/* In rank 0 alone: */
	struct client *client; /* of each rank */
	bool *known;	       /* whether it is */
	struct client sum;     /* of those that began: what the target did */
	uint64_t shortest;     /* time of one */
	char target[TARGET_NAME_BYTES];
};

/* Larger numbers are refused, so that no sum can overflow. */
#define VALUE_MAX (UINT64_C(1) << 50)
#define VALUES	  (CLIENT_BYTES / sizeof(uint64_t))

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
	sum->is_test_data &= more->is_test_data;
	sum->elapsed = more->elapsed > sum->elapsed ? more->elapsed : sum->elapsed;
	if (more->ending == ENDING_INTERRUPTED)
		sum->ending = ENDING_INTERRUPTED;
}

void client_pack(const struct client *client, void *piece)
{
	uint64_t value[VALUES];

	memcpy(value, client, sizeof(value));
	for (size_t i = 0; i < VALUES; i++)
		value[i] = htobe64(value[i]);
	memcpy(piece, value, sizeof(value));
}

/* Whether the counts of a client can be true. */
static bool is_sound(const struct client *c)
{
	const struct tally *t = &c->tally;

	return c->began <= 1 && c->rated <= 1 && c->is_test_data <= 1 &&
	       c->ending <= ENDING_CHANGED &&
	       t->sent == t->received + t->late + t->lost + t->outstanding &&
	       t->errors <= t->received && t->retransmitted <= t->sent &&
	       t->lost == t->lost_sender_host + t->lost_path + t->lost_receiver_host +
				  t->lost_unattributed &&
	       c->rtt.count <= t->received && (!c->rated || c->elapsed);
}

int client_unpack(struct client *client, const void *piece, size_t bytes)
{
	uint64_t value[VALUES];

	if (bytes != sizeof(value))
		return -EBADMSG;
	memcpy(value, piece, sizeof(value));
	for (size_t i = 0; i < VALUES; i++) {
		value[i] = be64toh(value[i]);
		if (value[i] > VALUE_MAX)
			return -EBADMSG;
	}
	memcpy(client, value, sizeof(*client));
	return is_sound(client) ? 0 : -EBADMSG;
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

/* Adds up what began, and hands it to the library. Returns 0 or -errno. */
static int add_up(struct mesh_run *m)
{
	int rc = 0;

	m->shortest = UINT64_MAX;
	for (uint32_t i = 0; !rc && i < m->options.clients; i++) {
		const struct client *c = &m->client[i];
		const struct np_mesh_pair pair = client_pair(c, i);

		if (!m->known[i] || !c->began)
			continue;
		rc = np_mesh_add(m->meet.mesh, &pair);
		client_add(&m->sum, c);
		m->shortest = c->elapsed < m->shortest ? c->elapsed : m->shortest;
	}
	return rc ? rc : np_mesh_settle(m->meet.mesh);
}

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
	struct np_text p50 = {"-"}, p99 = {"-"};
	char share[64] = "", extras[REPORT_EXTRAS];

	if (c->rtt.count) {
		p50 = np_units_format_latency(c->rtt.p50);
		p99 = np_units_format_latency(c->rtt.p99);
	}
	if (o->layout == NP_REPORT_FULL)
		snprintf(share, sizeof(share), "  share %.2f %%  max %s",
			 np_loss_percent(c->tally.bytes, all),
			 np_units_format_latency(c->rtt.max).text);
	np_block_line(text, INDENT,
		      "%-17.17s %8s %9s %10" PRIu64 " %7" PRIu64 " %6.2f %7s %7s%s%s%s%s%s", name,
		      rates.bytes, rates.packets, c->tally.sent, c->tally.lost,
		      np_loss_percent(c->tally.lost, c->tally.sent), p50.text, p99.text, share,
		      report_extras(extra, sizeof(extra) / sizeof(*extra), extras),
		      c->ending == ENDING_INTERRUPTED ? "  interrupted" : "", fault ? "  " : "",
		      fault ? fault : "");
}

static void write_client(FILE *text, const struct mesh_run *m, uint32_t rank, uint64_t all)
{
	const struct client *c = &m->client[rank];
	const char *host = np_launch_host(m->meet.launch, rank);
	char name[32];

	snprintf(name, sizeof(name), "%6u %-10.10s", (unsigned)rank, host ? host : "unknown");
	if (!m->known[rank])
		np_block_line(text, INDENT, "%s %s", name,
			      np_launch_state_text(np_launch_state(m->meet.launch, rank)));
	else if (!c->began)
		np_block_line(text, INDENT, "%s %s", name, client_fault(&m->options, c));
	else
		client_write(text, &m->options, name, c, all, client_fault(&m->options, c));
}

static void write_text(const struct mesh_run *m)
{
	const struct client *sum = &m->sum;
	const struct np_mesh_pair *lossiest = np_mesh_lossiest(m->meet.mesh);
	const double fairness = np_mesh_fairness(m->meet.mesh);
	FILE *text = np_report_text(m->s->run->report);
	const struct report_rates rates =
		report_rates(&m->options, sum->rated, &sum->tally, (np_time)sum->elapsed);

	if (!text)
		return;
	fprintf(text, CLIENT_HEADING, "client host", rates.unit);
	for (uint32_t i = 0; i < m->options.clients; i++)
		write_client(text, m, i, sum->tally.bytes);
	np_block_line(text, INDENT, "%6s %-10s %8s %9s %10" PRIu64 " %7" PRIu64 " %6.2f", "total",
		      "", rates.bytes, rates.packets, sum->tally.sent, sum->tally.lost,
		      np_loss_percent(sum->tally.lost, sum->tally.sent));
	np_block_line(text, INDENT,
		      "The target %s %.2f MB for %u of %u clients, over %.3f s, the longest of "
		      "their times",
		      m->options.operation == OPERATION_WRITE ? "took" : "gave",
		      (double)sum->tally.bytes / MB, (unsigned)sum->began,
		      (unsigned)m->options.clients, np_clock_seconds((np_time)sum->elapsed));
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
	np_mesh_print_dropped(m->meet.mesh, m->meet.launch, text);
	fflush(text);
}

void client_record(struct np_record *r, const struct client *c)
{
	np_schema_record(r, tally_columns, TALLY_OF_ALL | TALLY_OF_CLIENT, &c->tally, "packets");
	np_schema_record(r, tally_columns, TALLY_PLACES, &c->tally, "packets");
	np_record_rates(r, "packets", c->tally.received, c->tally.bytes, (np_time)c->elapsed,
			c->rated ? 1 : (double)NAN);
	np_record_number(r, "loss_percent", np_loss_percent(c->tally.lost, c->tally.sent));
}

static void write_records(const struct mesh_run *m)
{
	struct np_report *report = m->s->run->report;
	const struct np_usage usage = np_usage_since(&m->meet.usage);
	const uint64_t all = m->sum.tally.bytes;
	struct np_drops_counts dropped;
	struct np_record *r;

	if (!np_report_wants_records(report))
		return;
	if (!m->started)
		np_report_write(report, record_start(m->s));
	for (uint32_t i = 0; i < m->options.clients; i++) {
		const struct client *c = &m->client[i];

		if (!m->known[i])
			continue;
		r = np_record_new("client");
		np_record_count(r, "rank", i);
		np_record_text(r, "host", np_launch_host(m->meet.launch, i));
		np_record_flag(r, "began", c->began);
		if (c->began) {
			client_record(r, c);
			np_record_number(r, "share_percent", np_loss_percent(c->tally.bytes, all));
			np_record_figures(r, "rtt_ns", &c->rtt);
			if (m->options.operation == OPERATION_READ && c->is_test_data)
				np_record_count(r, "errors_sectors", c->tally.damaged);
			np_record_text(r, "ending", record_ending((enum ending)c->ending));
			if (np_mesh_dropped(m->meet.mesh, i, &dropped))
				np_record_drops(r, &dropped);
		}
		np_report_write(report, r);
	}
	r = np_record_new("summary");
	np_record_text(r, "operation", m->options.operation == OPERATION_WRITE ? "write" : "read");
	client_record(r, &m->sum);
	np_record_count(r, "clients", m->sum.began);
	np_record_time(r, "elapsed_min_ns", (np_time)m->shortest);
	np_mesh_record(m->meet.mesh, m->meet.launch, r);
	np_record_usage(r, &usage);
	np_record_flag(r, "interrupted", m->sum.ending == ENDING_INTERRUPTED);
	np_report_write(report, r);
}

/* Names the ranks that are missing, and the clients that failed. Returns whether there are any. */
static bool name_failed(const struct mesh_run *m)
{
	char missing[1024], what[64];
	uint32_t failed = 0;

	if (np_launch_missing(m->meet.launch))
		np_log_error(m->log, "mesh", "%s",
			     np_launch_describe_missing(m->meet.launch, missing, sizeof(missing)));
	for (uint32_t i = 0; i < m->options.clients; i++) {
		const char *fault = m->known[i] ? client_fault(&m->options, &m->client[i]) : NULL;

		if (!fault || failed++ >= NAMED)
			continue;
		snprintf(what, sizeof(what), "rank %u", (unsigned)i);
		np_log_error(m->log, what, "%s", fault);
	}
	if (failed > NAMED)
		np_log_error(m->log, "mesh", "%u more clients failed", (unsigned)(failed - NAMED));
	return failed || np_launch_missing(m->meet.launch);
}

static int mesh_report(struct mesh_run *m)
{
	const int rc = add_up(m);
	const double loss = np_loss_percent(m->sum.tally.lost, m->sum.tally.sent);
	bool failed;

	if (rc) {
		np_log_error(m->log, "mesh", "%s", strerror(-rc));
		return 1;
	}
	if (!m->sum.began) {
		name_failed(m);
		return 2;
	}
	write_text(m);
	write_records(m);
	failed = name_failed(m);
	if (m->result && result_is_all_zero(m->result))
		np_log_warning(m->log, m->options.target.interface,
			       "only zeros came back: is the target's disk I/O disabled, or was it "
			       "never written?");
	failed |= np_loss_exceeds(loss, m->options.traffic.max_loss_percent, "mesh", m->log);
	return failed ? 1 : 0;
}

/* From here on the session is that of one client of several. */
static int join(struct mesh_run *m)
{
	struct np_meet *meet = &m->meet;
	int rc;

	meet->run = m->s->run;
	meet->options = &m->options.mesh;
	if (np_mesh_address(meet->options, AF_UNSPEC, &meet->local, m->log))
		return -EADDRNOTAVAIL;
	rc = np_meet_join(meet);
	if (rc)
		return rc;
	m->options.clients = np_launch_size(meet->launch);
	m->options.mesh.rank = np_launch_rank(meet->launch);
	snprintf(m->program, sizeof(m->program), "%s: rank %u", m->log->program,
		 (unsigned)m->options.mesh.rank);
	m->rank_log = *m->log;
	m->rank_log.program = m->program;
	m->s->log = &m->rank_log;
	m->s->options = &m->options;
	return np_meet_all(meet);
}

/* Each rank writes a part of its own of the region; these are equal. Returns 0 or 2. */
static int take_part(struct mesh_run *m)
{
	struct data_options *data = &m->options.data;
	const uint64_t disk = m->s->target.identity.sectors * NP_AOE_SECTOR_BYTES;
	const uint64_t bytes = data->size_bytes ? data->size_bytes : disk - data->offset_bytes;
	const uint64_t request = m->options.traffic.sector_count * NP_AOE_SECTOR_BYTES;
	const uint64_t part = bytes / m->options.clients / request * request;

	if (!part)
		return np_log_refuse(
			m->s->log, data->size_bytes ? "--size" : "--mesh",
			"a region of %" PRIu64
			" bytes is too small for %u clients, which need at least %" PRIu64,
			bytes, (unsigned)m->options.clients, request * m->options.clients);
	data->offset_bytes += part * m->options.mesh.rank;
	data->size_bytes = part;
	return 0;
}

/* All begin together, without a rank that cannot. Returns 0, or -errno of the launch. */
static int load(struct mesh_run *m)
{
	const bool write = m->options.operation == OPERATION_WRITE;
	int status = session_find_target(m->s), rc;

	if (!status && write)
		status = take_part(m);
	if (!status && write)
		status = session_examine(m->s);
	if (!status) {
		session_bound_windows(m->s);
		if (!m->options.mesh.rank)
			report_start(m->s, true);
		m->started = true;
	}
	rc = np_meet_all(&m->meet);
	if (!rc && !status)
		status = session_warm_up(m->s, 1);
	if (!rc)
		rc = np_meet_all(&m->meet);
	m->meet.usage = np_usage_now();
	m->meet.begun = np_clock_now();
	if (!rc && !status && !session_exchange(m->s, 1, false)) {
		m->result = m->s->steps->result;
		session_report_others(m->s, m->result->ending);
	}
	return rc;
}

static int take_client(void *context, uint32_t rank, const void *piece, size_t bytes)
{
	struct mesh_run *m = context;
	int rc;

	if (np_mesh_is_dropped(piece, bytes))
		return np_mesh_take(m->meet.mesh, rank, piece, bytes);
	rc = m->known[rank] ? -EBADMSG : client_unpack(&m->client[rank], piece, bytes);
	m->known[rank] |= !rc;
	return rc;
}

/* Sends what this rank measured and what its host dropped to rank 0, or makes room for all there.
 */
static int submit(struct mesh_run *m, np_time deadline)
{
	const struct client own = m->result ? client_of(m->result) : (struct client){0};
	const bool drops = m->result && m->options.drops != NP_DROPS_OFF;
	/* The fairness and the extreme clients are those of a mesh with one end outside. */
	const struct np_mesh_plan plan = {.ranks = m->options.clients};
	const struct np_mesh_words words = {
		.unit = "packets", .delay = "rtt", .outside = m->target};
	uint8_t piece[CLIENT_BYTES], dropped[NP_MESH_DROPPED_BYTES];
	int rc;

	if (np_launch_rank(m->meet.launch)) {
		client_pack(&own, piece);
		rc = np_launch_send(m->meet.launch, piece, sizeof(piece), deadline);
		if (rc || !drops)
			return rc;
		return np_launch_send(m->meet.launch, dropped,
				      np_mesh_pack_dropped(&m->result->host, dropped), deadline);
	}
	m->client = calloc(m->options.clients, sizeof(*m->client));
	m->known = calloc(m->options.clients, sizeof(*m->known));
	snprintf(m->target, sizeof(m->target), "e%u.%u", (unsigned)m->options.target.shelf,
		 (unsigned)m->options.target.slot);
	rc = m->client && m->known ? np_mesh_create(&m->meet.mesh, &plan, &words) : -ENOMEM;
	if (rc)
		return rc;
	m->client[0] = own;
	m->known[0] = true;
	return drops ? np_mesh_add_dropped(m->meet.mesh, 0, &m->result->host) : 0;
}

/* Sends the result to rank 0 or, in rank 0, receives those of the others. Returns 0 or -errno. */
static int gather(struct mesh_run *m)
{
	const np_time deadline = np_clock_now() + m->options.mesh.limit;
	int rc = submit(m, deadline);

	if (!rc)
		rc = np_launch_collect(m->meet.launch, take_client, m, deadline);
	return rc ? np_meet_fault(&m->meet, rc) : 0;
}

int mesh_run(struct session *s)
{
	struct mesh_run m = {.s = s, .log = s->log, .options = *s->options};
	const struct options *asked = s->options;
	const struct traffic_options *t = &m.options.traffic;
	FILE *text = np_report_text(s->run->report);
	int status = 2, rc = join(&m);
	np_time end;

	if (rc)
		goto close;
	rc = load(&m);
	if (rc && !m.result)
		goto close;
	/*
	 * Waits until all others have ended, too. Nobody may take longer than this; before it
	 * writes, a client may ask the target for its identity again.
	 */
	end = m.meet.begun + t->duration + 2 * t->timeout + m.options.mesh.limit;
	if (m.options.operation == OPERATION_WRITE)
		end += t->give_up;
	if (!rc && (rc = np_launch_barrier(m.meet.launch, end, -1)))
		np_meet_fault(&m.meet, rc);
	if (!rc)
		rc = gather(&m);
	if (!rc) {
		status = np_launch_rank(m.meet.launch) ? 0 : mesh_report(&m);
		goto close;
	}
	/* Rank 0 is gone: this rank's own results must not be lost. */
	status = 1;
	if (text && m.result)
		fprintf(text, "rank %u by itself:\n", (unsigned)np_launch_rank(m.meet.launch));
	if (m.result)
		report_summary(s, m.result, 0);
close:
	np_report_settle(s->run->report, status, s->log);
	np_launch_close(m.meet.launch);
	np_mesh_free(m.meet.mesh);
	result_free(m.result);
	free(m.client);
	free(m.known);
	/* Those of the rank live as long as this run. */
	s->log = m.log;
	s->options = asked;
	return status;
}
