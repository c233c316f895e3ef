// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * launch: finds this process's place in a run by its launcher, and rank 0 by that one's text; names
 * the ranks that are missing and why, and the reasons of failures.
 */
#include "launch_state.h"

#include "../base/late.h"
#include "config.h"

#include <inttypes.h>
#include <netperf/field.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

void launch_discard(struct np_launch *launch)
{
	if (launch->place.rank)
		launch_channel_close(&launch->channel);
	else
		hub_close(launch);
	free(launch->state);
	buffer_free(&launch->blobs);
}

static int open_hub(struct np_launch *launch, const struct np_address *local)
{
	char secret[WIRE_SECRET + 1];
	struct np_address own;
	uint64_t random[2];
	int rc;

	if (local)
		own = *local;
	else if ((rc = np_address_of_this_host(&own, AF_UNSPEC, 0)) != 0)
		return rc;
	np_address_set_port(&own, 0);
	own.name[0] = '\0';
	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return -EIO;
	snprintf(secret, sizeof(secret), "%016" PRIx64 "%016" PRIx64, random[0], random[1]);
	memcpy(launch->join.secret, secret, WIRE_SECRET);
	rc = hub_open(launch, &own);
	if (rc || launch->place.size == 1)
		return rc;
	launch->port = np_address_port(&np_stream_info(launch->listener)->local);
	snprintf(launch->place.text, LAUNCH_TEXT_MAX, "%.200s %s",
		 np_address_literal(&np_stream_info(launch->listener)->local).text, secret);
	return launch_pmix.publish(&launch->place);
}

static int open_spoke(struct np_launch *launch, np_time deadline, int other_fd)
{
	struct pollfd other = {.fd = other_fd, .events = POLLIN};
	char *secret;
	struct np_address first;
	int rc;

	do {
		rc = launch_pmix.lookup(&launch->place);
		if (rc == -EAGAIN && np_clock_now() >= deadline)
			rc = -ETIMEDOUT;
		if (rc == -EAGAIN &&
		    np_wait_ready(&other, 1, np_clock_now() + 20 * NP_MILLISECOND) > 0)
			rc = -ECANCELED;
	} while (rc == -EAGAIN);
	/* Rank 0 hangs: the launcher would wait for it, and no other rank finds it either. */
	launch->hub_silent = rc == -ETIMEDOUT;
	if (rc)
		return rc;
	/* "ADDR:PORT SECRET", as open_hub writes it. */
	secret = strchr(launch->place.text, ' ');
	if (!secret || strlen(secret + 1) != WIRE_SECRET)
		return -EIO;
	*secret++ = '\0';
	memcpy(launch->join.secret, secret, WIRE_SECRET);
	if (np_address_parse(&first, launch->place.text, 0, AF_UNSPEC))
		return -EIO;
	launch->port = np_address_port(&first);
	return spoke_open(launch, &first, deadline, other_fd);
}

int launch_open(struct np_launch **launch, const struct np_launch *plan,
		const struct np_address *local, np_time deadline, int other_fd)
{
	struct np_launch *l;
	int rc;

	*launch = NULL;
	if (!launch_pmix.open)
		return -EOPNOTSUPP;
	l = malloc(sizeof(*l));
	if (!l)
		return -ENOMEM;
	*l = *plan;
	l->epoll = -1;
	rc = launch_pmix.open(&l->place, deadline);
	if (rc) {
		free(l);
		return rc;
	}
	np_field_put32(l->join.rank, l->place.rank);
	np_field_put32(l->join.size, l->place.size);
	gethostname(l->join.host, WIRE_NAME - 1);
	if (l->place.rank >= l->place.size || l->place.size > NP_MESH_RANKS_MAX)
		rc = -ERANGE;
	else
		rc = l->place.rank ? open_spoke(l, deadline, other_fd) : open_hub(l, local);
	if (rc)
		launch_close(l);
	else
		*launch = l;
	return rc;
}

int launch_expected_rank(uint32_t *rank)
{
	return launch_pmix.expect ? launch_pmix.expect(rank) : -EOPNOTSUPP;
}

int launch_barrier(struct np_launch *launch, np_time deadline, int other_fd)
{
	int rc;

	if (launch->canceled)
		return -ECANCELED;
	if (launch->ranks)
		rc = hub_barrier(launch, deadline, other_fd);
	else if (!(rc = spoke_enter(launch)))
		rc = spoke_await_release(launch, deadline, other_fd);
	launch->canceled = rc == -ECANCELED;
	launch_pmix.leave(&launch->place);
	return rc;
}

int launch_set_blob(struct np_launch *launch, const void *blob, size_t bytes)
{
	if (bytes > LAUNCH_BLOB_MAX)
		return -E2BIG;
	return launch->ranks ? hub_set_blob(launch, 0, blob, bytes)
			     : spoke_message(launch, WIRE_BLOB, blob, bytes);
}

/* The warnings of all ranks, which rank 0 prints after the results, equal ones once. */

/* Different ones that are kept; further ones are printed as they come. */
#define LISTED 256

struct warning {
	char *program; /* owned, and @text after it */
	const char *text;
	uint32_t rank;	/* the last one that has it */
	uint32_t ranks; /* how many have it */
};

struct launch_warnings {
	struct warning list[LISTED];
	size_t count;
};

static void print_warning(const struct np_log *own, const struct warning *warning)
{
	struct np_log log = {.stream = own->stream, .reason = own->reason};
	char who[64];

	log.program = warning->ranks == 1 && strstr(warning->program, ": rank ") ? warning->program
										 : own->program;
	snprintf(who, sizeof(who), "rank %u", (unsigned)warning->rank);
	if (warning->ranks > 1)
		snprintf(who, sizeof(who), "%u ranks", (unsigned)warning->ranks);
	np_log_warning(&log, log.program == warning->program ? NULL : who, "%s", warning->text);
}

bool launch_warned(struct np_launch *launch, uint32_t rank, const char *held, size_t bytes)
{
	struct launch_warnings *w = launch->warnings;
	const char *const end = held + bytes, *text, *next;

	if (!bytes || end[-1])
		return false;
	for (const char *program = held; program < end; program = next) {
		struct warning *same = w->list;

		text = program + strlen(program) + 1;
		if (text == end)
			return false;
		next = text + strlen(text) + 1;
		if (!launch->log)
			continue;
		while (same < w->list + w->count && (!same->text || strcmp(same->text, text)))
			same++;
		if (same < w->list + w->count) {
			same->ranks += same->rank != rank;
			same->rank = rank;
			continue;
		}
		struct warning one = {(char *)program, text, rank, 1};
		char *copy = w->count < LISTED ? malloc((size_t)(next - program)) : NULL;

		if (!copy) {
			print_warning(launch->log, &one);
			continue;
		}
		one.text = copy + (text - program);
		one.program = memcpy(copy, program, (size_t)(next - program));
		w->list[w->count++] = one;
	}
	return true;
}

int launch_collect(struct np_launch *launch, launch_take take, void *context, np_time deadline)
{
	struct np_log_reason *kept = launch->log ? launch->log->reason : NULL;
	struct launch_warnings warnings = {.count = 0};
	int rc = 0;

	if (launch->canceled)
		return -ECANCELED;
	if (!launch->ranks && kept && kept->held_bytes)
		rc = spoke_message(launch, WIRE_WARNINGS, kept->held, kept->held_bytes);
	launch->warnings = &warnings;
	launch->take = take;
	launch->context = context;
	if (!rc)
		rc = launch_barrier(launch, deadline, -1);
	launch->take = NULL;
	if (launch->ranks && kept) {
		(void)launch_warned(launch, 0, kept->held, kept->held_bytes);
		kept->holds = false;
	}
	/* If rank 0 has not got them, they are this rank's to print. */
	if (kept && (launch->ranks || !rc))
		kept->held_bytes = 0;
	for (size_t i = 0; i < warnings.count; i++) {
		print_warning(launch->log, &warnings.list[i]);
		free(warnings.list[i].program);
	}
	return rc;
}

uint32_t launch_missing(const struct np_launch *launch)
{
	uint32_t missing = 0;

	for (uint32_t i = 0; i < launch->place.size; i++)
		missing += launch->state[i] != LAUNCH_HERE;
	return missing;
}

const char *launch_host(const struct np_launch *launch, uint32_t rank)
{
	if (launch && rank == launch->place.rank)
		return launch->join.host;
	if (!launch || !launch->ranks || !launch->ranks[rank].host[0])
		return NULL;
	return launch->ranks[rank].host;
}

bool launch_hangs(const struct np_launch *launch, uint32_t rank)
{
	if (!launch->ranks || !launch->state)
		return !rank && launch->hub_silent;
	return launch->state[rank] == LAUNCH_SILENT || launch->state[rank] == LAUNCH_ABSENT;
}

void launch_close(struct np_launch *launch)
{
	if (!launch)
		return;
	if (launch->place.size > 1)
		launch_pmix.end(launch);
	launch_discard(launch);
	launch_pmix.close(&launch->place);
	free(launch);
}

const char *launch_state_text(enum launch_state state)
{
	static const char *const texts[] = {
		[LAUNCH_ABSENT] = "never started",
		[LAUNCH_GONE] = "died",
		[LAUNCH_SILENT] = "does not answer",
		[LAUNCH_OTHER] = "runs another program or version",
		[LAUNCH_WRONG] = "sent what cannot be understood",
	};

	return texts[state];
}

char *launch_describe_missing(const struct np_launch *launch, char *text, size_t room)
{
	char *all = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&all, &bytes);

	text[0] = '\0';
	if (!out)
		return text;
	for (enum launch_state state = LAUNCH_ABSENT; state <= LAUNCH_WRONG; state++) {
		uint32_t count = 0, put = 0;

		for (uint32_t i = 0; i < launch->place.size; i++)
			count += launch->state[i] == state;
		if (!count)
			continue;
		fprintf(out, "%srank%s ", ftell(out) ? "; " : "", np_plural(count));
		for (uint32_t i = 0; i < launch->place.size; i++) {
			const char *host = launch_host(launch, i);

			if (launch->state[i] != state)
				continue;
			fputs(put++ ? ", " : "", out);
			fprintf(out, host ? "%u (%s)" : "%u", i, host);
		}
		fprintf(out, ": %s", launch_state_text(state));
	}
	if (!fclose(out) && (size_t)snprintf(text, room, "%s", all) >= room && room > 4)
		memcpy(text + room - 4, "...", 4);
	free(all);
	return text;
}

const char *launch_reason(int error)
{
	static const struct {
		int error;
		const char *text;
	} reasons[] = {
		{EOPNOTSUPP, "built without libpmix: start each program by hand, or build with "
			     "libpmix (./configure)"},
		{EPROTONOSUPPORT, LATE_LACKS(LIBPMIX_SONAME, "libpmix2") ", or start each program "
									 "by hand"},
		{ENOENT, "no launcher has started this process; start it by mpirun -n N, or by "
			 "srun --mpi=pmix -n N"},
		{ESTALE, "rank 0 has gone on without this rank, or refused its version"},
		{ECONNRESET, "rank 0 has died"},
		{ECONNREFUSED,
		 "rank 0 has died before this rank found it, or is not reached from here by "
		 "its address; see --interface"},
		{ETIMEDOUT, "rank 0 does not answer"},
		{ETIME, "the launcher does not answer"},
		{ECANCELED, "interrupted"},
		{EIO, "PMIx failed"},
		{EBADMSG, "rank 0 sent what cannot be understood"},
		{E2BIG, "too much data for the other ranks"},
		{ERANGE, "more ranks than supported"},
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		if (reasons[i].error == -error)
			return reasons[i].text;
	}
	return strerror(-error);
}
