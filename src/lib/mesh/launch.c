// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* launch: finds this process's place in a run by a launcher's variant, and rank 0 by its text. */
#include <netperf/launch.h>

#include "launch_hub.h"
#include "launch_spoke.h"
#include "launch_variant.h"
#include "launch_warnings.h"

#include <errno.h>
#include <netperf/wait.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* Rank 0 decides at its own deadline; a rank whose deadline is earlier waits this much longer. */
#define GRACE (10 * NP_SECOND)

const char *const np_launchers[] = {"auto", "pmix", "null", NULL};

static const struct launch_variant *const variants[] = {
	&launch_pmix_variant,
	&launch_null_variant,
	NULL,
};

static const uint32_t first_rank;

struct np_launch {
	const struct launch_variant *variant;
	struct launch_place place;
	char host[WIRE_NAME];
	struct hub *hub; /* rank 0; else: */
	struct spoke spoke;
	const struct np_log *log;
	bool canceled; /* a barrier was: nobody knows which one the others are at */
};

static const struct launch_variant *variant_of(const char *name)
{
	if (!name || !strcmp(name, "auto"))
		return variants[0];
	for (const struct launch_variant *const *variant = variants; *variant; variant++) {
		if (!strcmp(name, (*variant)->name))
			return *variant;
	}
	return NULL;
}

/* "ADDR:PORT SECRET", the secret in hexadecimal digits. */
static void write_text(char text[LAUNCH_TEXT_MAX], const struct np_address *at,
		       const uint8_t *secret)
{
	static const char digits[] = "0123456789abcdef";
	char address[NP_ADDRESS_TEXT];
	size_t end;

	np_address_format(at, address);
	end = strlen(address) - 1;
	memcpy(text, address + 1, end); /* without the slash before a literal address */
	text[end++] = ' ';
	for (unsigned i = 0; i < WIRE_SECRET; i++) {
		text[end++] = digits[secret[i] >> 4];
		text[end++] = digits[secret[i] & 15];
	}
	text[end] = '\0';
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int read_text(char text[LAUNCH_TEXT_MAX], struct np_address *at, uint8_t *secret)
{
	char *hex = strchr(text, ' ');

	if (!hex || strlen(hex + 1) != 2 * WIRE_SECRET)
		return -EIO;
	*hex++ = '\0';
	for (unsigned i = 0; i < WIRE_SECRET; i++) {
		const int high = digit(hex[2 * i]), low = digit(hex[2 * i + 1]);

		if (high < 0 || low < 0)
			return -EIO;
		secret[i] = (uint8_t)(high << 4 | low);
	}
	return np_address_parse(at, text, 0) ? -EIO : 0;
}

static int open_hub(struct np_launch *launch, const struct np_launch_plan *plan)
{
	struct hub_plan how = {
		.size = launch->place.size,
		.program = plan->program,
		.host = launch->host,
		.allow = plan->allow,
		.blob = plan->blob,
		.blob_bytes = plan->blob_bytes,
	};
	char text[LAUNCH_TEXT_MAX];
	struct np_address own;
	int rc;

	if (plan->local)
		own = *plan->local;
	else if ((rc = np_address_of_this_host(&own, 0)) != 0)
		return rc;
	np_address_set_port(&own, 0);
	own.name[0] = '\0';
	how.local = &own;
	if (getrandom(how.secret, sizeof(how.secret), 0) != sizeof(how.secret))
		return -EIO;
	rc = hub_open(&launch->hub, &how);
	if (rc || how.size == 1)
		return rc;
	write_text(text, hub_address(launch->hub), how.secret);
	return launch->variant->publish(&launch->place, text);
}

/* Sleeps a little between two questions. */
static int pause_lookup(const struct np_launch_plan *plan)
{
	struct pollfd other = {.fd = plan->other_fd, .events = POLLIN};

	if (np_clock_now() >= plan->deadline)
		return -ETIMEDOUT;
	return np_wait_ready(&other, 1, np_clock_now() + 20 * NP_MILLISECOND) > 0 ? -ECANCELED : 0;
}

static int open_spoke(struct np_launch *launch, const struct np_launch_plan *plan)
{
	struct wire_join join = {
		.rank = launch->place.rank,
		.size = launch->place.size,
		.blob = plan->blob,
		.blob_bytes = plan->blob_bytes,
	};
	char text[LAUNCH_TEXT_MAX];
	struct np_address first;
	int rc;

	memcpy(join.program, plan->program, strnlen(plan->program, WIRE_NAME - 1));
	memcpy(join.host, launch->host, WIRE_NAME);
	do {
		rc = launch->variant->lookup(&launch->place, text);
		if (rc == -EAGAIN && (rc = pause_lookup(plan)) == 0)
			rc = -EAGAIN;
	} while (rc == -EAGAIN);
	/* Rank 0 hangs: the launcher would wait for it, and no other rank finds it either. */
	if (rc == -ETIMEDOUT)
		launch->variant->end(&launch->place, &first_rank, 1);
	if (!rc)
		rc = read_text(text, &first, join.secret);
	return rc ? rc : spoke_open(&launch->spoke, &first, &join, plan->deadline, plan->other_fd);
}

static int open_place(struct np_launch *launch, const struct np_launch_plan *plan)
{
	int rc = launch->variant->open(&launch->place);

	if (rc)
		return rc;
	if (launch->place.rank >= launch->place.size || launch->place.size > NP_LAUNCH_RANKS_MAX)
		rc = -ERANGE;
	else
		rc = launch->place.rank ? open_spoke(launch, plan) : open_hub(launch, plan);
	if (rc) {
		hub_free(launch->hub);
		launch->variant->close(&launch->place);
	}
	return rc;
}

int np_launch_open(struct np_launch **launch, const struct np_launch_plan *plan)
{
	const struct launch_variant *variant = variant_of(plan->launcher);
	struct np_launch *l;
	int rc;

	*launch = NULL;
	if (!variant)
		return -EINVAL;
	if (plan->blob_bytes > NP_LAUNCH_BLOB_MAX)
		return -E2BIG;
	l = calloc(1, sizeof(*l));
	if (!l)
		return -ENOMEM;
	l->variant = variant;
	l->log = plan->log;
	gethostname(l->host, sizeof(l->host) - 1);
	rc = open_place(l, plan);
	if (rc)
		free(l);
	else
		*launch = l;
	return rc;
}

int np_launch_expected_rank(const char *launcher, uint32_t *rank)
{
	const struct launch_variant *variant = variant_of(launcher);

	return variant ? variant->expect(rank) : -EINVAL;
}

uint32_t np_launch_rank(const struct np_launch *launch)
{
	return launch->place.rank;
}

uint32_t np_launch_size(const struct np_launch *launch)
{
	return launch->place.size;
}

uint64_t np_launch_not_allowed(const struct np_launch *launch)
{
	return launch->hub ? hub_not_allowed(launch->hub) : 0;
}

static np_time later(np_time deadline)
{
	return deadline > NP_TIME_NEVER - GRACE ? deadline : deadline + GRACE;
}

int np_launch_barrier(struct np_launch *launch, np_time deadline, int other_fd)
{
	int rc;

	if (launch->canceled)
		return -ECANCELED;
	if (launch->hub) {
		rc = hub_barrier(launch->hub, deadline, other_fd);
	} else {
		rc = spoke_enter(&launch->spoke);
		if (!rc)
			rc = spoke_await_release(&launch->spoke, later(deadline), other_fd);
	}
	launch->canceled = rc == -ECANCELED;
	if (launch->variant->leave)
		launch->variant->leave(&launch->place);
	return rc;
}

int np_launch_set_blob(struct np_launch *launch, const void *blob, size_t bytes)
{
	if (bytes > NP_LAUNCH_BLOB_MAX)
		return -E2BIG;
	return launch->hub ? hub_set_blob(launch->hub, 0, blob, bytes)
			   : spoke_set_blob(&launch->spoke, blob, bytes);
}

int np_launch_fetch(struct np_launch *launch, const uint32_t *ranks, size_t count, np_time deadline)
{
	for (size_t i = 0; i < count; i++) {
		if (ranks[i] >= launch->place.size)
			return -EINVAL;
	}
	return launch->hub ? 0 : spoke_fetch(&launch->spoke, ranks, count, deadline);
}

const void *np_launch_blob(const struct np_launch *launch, uint32_t rank, size_t *bytes)
{
	const struct hub_rank *known;

	if (!launch->hub)
		return spoke_blob(&launch->spoke, rank, bytes);
	if (rank >= launch->place.size)
		return NULL;
	known = &hub_ranks(launch->hub)[rank];
	if (!known->blob)
		return NULL;
	if (bytes)
		*bytes = known->blob_bytes;
	return known->blob;
}

int np_launch_send(struct np_launch *launch, const void *piece, size_t bytes, np_time deadline)
{
	if (launch->hub || !bytes || bytes > NP_LAUNCH_PIECE_MAX)
		return -EINVAL;
	return spoke_send(&launch->spoke, piece, bytes, later(deadline));
}

int np_launch_collect(struct np_launch *launch, np_launch_take take, void *context,
		      np_time deadline)
{
	int rc;

	if (launch->canceled)
		return -ECANCELED;
	if (launch->hub)
		return warnings_collect(launch->hub, take, context, deadline, launch->log);
	rc = warnings_send(&launch->spoke, launch->log, later(deadline));
	if (!rc)
		rc = spoke_finish(&launch->spoke);
	return rc ? rc : spoke_await_finished(&launch->spoke, later(deadline));
}

enum np_launch_state np_launch_state(const struct np_launch *launch, uint32_t rank)
{
	if (launch->hub)
		return hub_ranks(launch->hub)[rank].state;
	return (enum np_launch_state)launch->spoke.state[rank];
}

uint32_t np_launch_missing(const struct np_launch *launch)
{
	uint32_t missing = 0;

	for (uint32_t i = 0; i < launch->place.size; i++)
		missing += np_launch_state(launch, i) != NP_LAUNCH_HERE;
	return missing;
}

const char *np_launch_host(const struct np_launch *launch, uint32_t rank)
{
	if (rank == launch->place.rank)
		return launch->host;
	if (!launch->hub || !hub_ranks(launch->hub)[rank].host[0])
		return NULL;
	return hub_ranks(launch->hub)[rank].host;
}

/*
 * The launcher waits for a rank that hangs, even after all others have ended. A rank that never
 * joined may hang, too.
 */
static void end_silent(struct np_launch *launch)
{
	const struct hub_rank *ranks = hub_ranks(launch->hub);
	uint32_t *silent = malloc(launch->place.size * sizeof(*silent));
	size_t count = 0;

	for (uint32_t i = 1; silent && i < launch->place.size; i++) {
		if (ranks[i].state == NP_LAUNCH_SILENT || ranks[i].state == NP_LAUNCH_ABSENT)
			silent[count++] = i;
	}
	if (count)
		launch->variant->end(&launch->place, silent, count);
	free(silent);
}

void np_launch_close(struct np_launch *launch)
{
	if (!launch)
		return;
	if (launch->hub)
		end_silent(launch);
	else if (launch->spoke.hub_silent)
		launch->variant->end(&launch->place, &first_rank, 1);
	hub_free(launch->hub);
	spoke_close(&launch->spoke);
	launch->variant->close(&launch->place);
	free(launch);
}
