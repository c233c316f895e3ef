// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* launch_warnings: a piece of its own behind the results, and rank 0's list of what is in these. */
#include "launch_warnings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* No piece of results begins with it: a rank's number is lower, and so is what a client tells. */
static const uint8_t mark[8] = {'w', 'a', 'r', 'n', 'i', 'n', 'g', 's'};

/* Different ones that are kept; further ones are printed as they come. */
#define LISTED 256

struct warning {
	char *program, *text;
	uint32_t rank;	/* the last one that has it */
	uint32_t ranks; /* how many have it */
};

struct warnings {
	const struct np_log *log;
	np_launch_take take;
	void *context;
	struct warning list[LISTED];
	size_t count;
};

int warnings_send(struct spoke *spoke, const struct np_log *log, np_time deadline)
{
	struct np_log_reason *kept = log ? log->reason : NULL;
	uint8_t piece[sizeof(mark) + NP_LOG_HELD];
	int rc;

	if (!kept || !kept->held_bytes)
		return 0;
	memcpy(piece, mark, sizeof(mark));
	memcpy(piece + sizeof(mark), kept->held, kept->held_bytes);
	rc = spoke_send(spoke, piece, sizeof(mark) + kept->held_bytes, deadline);
	if (!rc)
		kept->held_bytes = 0;
	return rc;
}

static void print(const struct warnings *w, const struct warning *warning)
{
	struct np_log log = {.stream = w->log->stream, .reason = w->log->reason};
	char who[64];

	log.program = warning->ranks == 1 && strstr(warning->program, ": rank ") ? warning->program
										 : w->log->program;
	snprintf(who, sizeof(who), "rank %u", (unsigned)warning->rank);
	if (warning->ranks > 1)
		snprintf(who, sizeof(who), "%u ranks", (unsigned)warning->ranks);
	np_log_warning(&log, log.program == warning->program ? NULL : who, "%s", warning->text);
}

static void add(struct warnings *w, uint32_t rank, const char *program, const char *text)
{
	const struct warning one = {(char *)program, (char *)text, rank, 1};
	size_t i = 0;

	while (i < w->count && strcmp(w->list[i].text, text) != 0)
		i++;
	if (i < w->count) {
		w->list[i].ranks += w->list[i].rank != rank;
		w->list[i].rank = rank;
		return;
	}
	if (w->count < LISTED) {
		struct warning kept = {strdup(program), strdup(text), rank, 1};

		if (kept.program && kept.text) {
			w->list[w->count++] = kept;
			return;
		}
		free(kept.program);
		free(kept.text);
	}
	print(w, &one);
}

/* Returns -EBADMSG for what is not strings in pairs. */
static int add_all(struct warnings *w, uint32_t rank, const char *held, size_t bytes)
{
	if (!bytes || held[bytes - 1])
		return -EBADMSG;
	for (size_t at = 0; at < bytes;) {
		const char *program = held + at, *text = program + strlen(program) + 1;

		if (text >= held + bytes)
			return -EBADMSG;
		at += strlen(program) + strlen(text) + 2;
		add(w, rank, program, text);
	}
	return 0;
}

static int take_piece(void *context, uint32_t rank, const void *piece, size_t bytes)
{
	struct warnings *w = context;

	if (bytes <= sizeof(mark) || memcmp(piece, mark, sizeof(mark)) != 0)
		return w->take(w->context, rank, piece, bytes);
	if (!w->log)
		return 0;
	return add_all(w, rank, (const char *)piece + sizeof(mark), bytes - sizeof(mark));
}

static void print_all(struct warnings *w)
{
	struct np_log_reason *kept = w->log->reason;

	if (kept) {
		if (kept->held_bytes)
			add_all(w, 0, kept->held, kept->held_bytes);
		kept->holds = false;
		kept->held_bytes = 0;
	}
	for (size_t i = 0; i < w->count; i++) {
		print(w, &w->list[i]);
		free(w->list[i].program);
		free(w->list[i].text);
	}
}

int warnings_collect(struct hub *hub, np_launch_take take, void *context, np_time deadline,
		     const struct np_log *log)
{
	struct warnings *w = calloc(1, sizeof(*w));
	int rc;

	if (!w)
		return -ENOMEM;
	*w = (struct warnings){.log = log, .take = take, .context = context};
	rc = hub_collect(hub, take_piece, w, deadline);
	if (log)
		print_all(w);
	free(w);
	return rc;
}
