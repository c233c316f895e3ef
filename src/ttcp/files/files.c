// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * files: names the files of a run, opens their recorders, and closes them. The files of all known
 * runs are opened first: without privileges even root creates none in another user's directory.
 */
#include "files.h"

#include <errno.h>
#include <inttypes.h>
#include <netperf/output.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Descriptors that stay open until their runs, at most. */
#define EARLY_MAX 1024

int names_file(const struct names_file *file, char out[NAMES_ROOM], char folder[NAMES_ROOM])
{
	char initial[64], run[24] = "", stream[16] = "";
	const char *session = file->session, *name = file->name, *last, *extension;
	int length = NAMES_ROOM;

	snprintf(initial, sizeof(initial), "ttcp_%s_%" PRId64 ".txt", file->kind,
		 file->begun / NP_MILLISECOND);
	if (!*name && !session)
		name = initial;
	last = strrchr(name, '/');
	last = last ? last + 1 : name;
	/* With its dot; ".hidden" has none. */
	extension = strrchr(last, '.');
	if (!extension || extension == last)
		extension = last + strlen(last);
	if (session || file->run > 1)
		snprintf(run, sizeof(run), "_%" PRIu64, file->run);
	if (file->stream)
		snprintf(stream, sizeof(stream), "_s%u", file->stream);
	*out = *folder = '\0';
	if (!session)
		length = snprintf(out, NAMES_ROOM, "%.*s%s%s%s", (int)(extension - name), name, run,
				  stream, extension);
	else if (last > name)
		length = snprintf(out, NAMES_ROOM, "%.*s%s_%s%s%s.txt", (int)(last - name), name,
				  session, last, run, stream);
	else if (snprintf(folder, NAMES_ROOM, "%s_DATA/", session) < NAMES_ROOM)
		length = snprintf(out, NAMES_ROOM, "%s%s_%s%s%s.txt", folder, session, name, run,
				  stream);
	return length < 0 || length >= NAMES_ROOM ? -ENAMETOOLONG : 0;
}

static bool sends(const struct files *f)
{
	return f->session->options->task == TASK_TRANSMIT;
}

static const char *given_name(const struct files *f, unsigned which)
{
	const struct file_options *given = &f->session->options->files;

	if (which >= FILES_BANDWIDTH)
		return which == FILES_LOG ? given->log : given->bandwidth;
	return sends(f) ? given->delay : given->sequence;
}

/* Writes the name to @path, and to @folder the directory that it needs, or "". */
static int name_file(const struct files *f, uint64_t run, unsigned which, char path[NAMES_ROOM],
		     char folder[NAMES_ROOM])
{
	const struct names_file file = {
		.name = given_name(f, which),
		.kind = which == FILES_LOG	   ? "log"
			: which == FILES_BANDWIDTH ? "bw"
						   : "seq",
		.begun = session_wall(f->session, f->session->begun),
		.run = run,
		.stream = which < FILES_BANDWIDTH ? which : 0,
		.session = which < FILES_BANDWIDTH && sends(f) ? f->session->options->load.session
							       : NULL,
	};

	return names_file(&file, path, folder);
}

static int refuse(const struct files *f, const char *path, int rc)
{
	if (rc)
		np_log_error(f->session->log, path && *path ? path : NULL, "%s",
			     np_output_reason(rc));
	return rc;
}

/* Returns 0, or -errno after a message. */
static int create(struct files *f, uint64_t run, unsigned which, struct recorder **recorder)
{
	const enum recorder_kind kind = which == FILES_LOG	   ? RECORDER_LOG
					: which == FILES_BANDWIDTH ? RECORDER_BANDWIDTH
					: sends(f)		   ? RECORDER_DELAY
								   : RECORDER_SEQUENCE;
	char path[NAMES_ROOM], folder[NAMES_ROOM];
	int rc = name_file(f, run, which, path, folder);

	if (!rc && *folder) {
		if (!mkdir(folder, 0777))
			f->made_folder = true;
		else if (errno != EEXIST)
			rc = -errno;
	}
	if (!rc)
		rc = recorder_open(recorder, kind, path, &f->forgotten);
	return refuse(f, path, rc);
}

/*
 * Of how many of @runs runs, with @each files, these may be open early: half of the descriptors
 * stay for sockets. At least of the first.
 */
static uint64_t count_early(uint64_t runs, uint64_t each)
{
	struct rlimit limit;

	if (runs > EARLY_MAX / each)
		runs = EARLY_MAX / each;
	if (runs <= 1 || getrlimit(RLIMIT_NOFILE, &limit))
		return 1;
	if (limit.rlim_cur / 2 < runs * each) {
		limit.rlim_cur = limit.rlim_max;
		if (setrlimit(RLIMIT_NOFILE, &limit))
			return 1;
	}
	if (runs > limit.rlim_cur / 2 / each)
		runs = limit.rlim_cur / 2 / each;
	return runs ? runs : 1;
}

/* Returns 0, or -errno after a message. */
static int open_early(struct files *f, uint64_t runs, unsigned streams)
{
	const size_t rows = given_name(f, 0) ? streams : 0;
	const size_t each = rows + (given_name(f, FILES_BANDWIDTH) ? 1 : 0);
	int rc = 0;

	if (!each)
		return 0;
	runs = count_early(runs, each);
	f->early = calloc(runs, sizeof(*f->early));
	if (!f->early)
		return refuse(f, NULL, -ENOMEM);
	f->early_runs = runs;
	for (uint64_t run = 1; run <= runs && !rc; run++) {
		for (unsigned i = 0; i <= streams && !rc; i++) {
			const unsigned which = i < streams ? i : FILES_BANDWIDTH;

			if (given_name(f, which))
				rc = create(f, run, which, &f->early[run - 1][which]);
		}
	}
	return rc;
}

int files_begin(struct files *files, struct session *session, uint64_t runs, unsigned streams)
{
	int rc;

	files->session = session;
	rc = open_early(files, runs, streams);
	if (!rc && given_name(files, FILES_LOG))
		rc = create(files, 1, FILES_LOG, &files->rows[FILES_LOG]);
	return rc ? 2 : 0;
}

static int open_one(struct files *f, unsigned which)
{
	struct recorder **recorder = &f->rows[which];
	struct recorder **opened = f->run <= f->early_runs ? &f->early[f->run - 1][which] : NULL;
	const struct options *o = f->session->options;
	int rc = 0;

	if (!given_name(f, which) || *recorder)
		return 0;
	if (opened && *opened) {
		*recorder = *opened;
		*opened = NULL;
	} else {
		rc = create(f, f->run, which, recorder);
	}
	if (rc)
		return rc;
	rc = recorder_begin(*recorder, options_transport_name(o->place.transport));
	if (refuse(f, recorder_path(*recorder), rc)) {
		(void)recorder_close(*recorder);
		*recorder = NULL;
	}
	return rc;
}

int files_open(struct files *files, uint64_t run, unsigned streams)
{
	int rc = 0;

	files->run = run;
	files->window = (struct window){.length = files->session->options->files.window};
	for (unsigned i = 0; i < streams && !rc; i++)
		rc = open_one(files, i);
	if (!rc)
		rc = open_one(files, FILES_BANDWIDTH);
	return !rc ? 0 : run > 1 ? 1 : 2;
}

static void take_row(struct files *f, const struct window_row *row)
{
	if (f->rows[FILES_BANDWIDTH])
		recorder_bandwidth(f->rows[FILES_BANDWIDTH], row);
	if (f->session->options->task == TASK_MONITOR)
		console_window(&f->session->console, row);
}

static void take_rows(struct files *files, np_time now)
{
	struct window_row row;

	while (window_take(&files->window, now, &row))
		take_row(files, &row);
}

/* A file ends with the last message: empty windows are written when another message comes. */
void files_look(struct files *files, np_time now)
{
	if (files->session->options->task == TASK_MONITOR)
		take_rows(files, now);
}

void files_count(struct files *files, np_time now, uint64_t messages, uint64_t bytes)
{
	take_rows(files, now);
	window_add(&files->window, now, messages, bytes);
}

void files_flush(struct files *files)
{
	for (unsigned i = 0; i <= FILES_BANDWIDTH; i++)
		if (files->rows[i])
			(void)recorder_flush(files->rows[i]);
}

void files_log(struct files *files, const char *side, const char *text)
{
	const struct options *o = files->session->options;
	struct recorder *log = files->rows[FILES_LOG];
	char mode[64];

	if (!log)
		return;
	snprintf(mode, sizeof(mode), "%s %s", options_transport_name(o->place.transport), side);
	recorder_log(log, session_wall(files->session, np_clock_now()), mode, files->run, text);
	(void)recorder_flush(log);
}

void files_forget(struct files *files)
{
	files->forgotten = true;
}

static int close_one(struct files *f, struct recorder **recorder)
{
	char *path = *recorder ? strdup(recorder_path(*recorder)) : NULL;
	const int rc = recorder_close(*recorder);

	if (rc)
		np_log_error(f->session->log, path, "%s", strerror(-rc));
	free(path);
	*recorder = NULL;
	return rc ? 1 : 0;
}

int files_close_run(struct files *files)
{
	struct window_row row;
	int status = 0;

	if (!files->session)
		return 0;
	if (files->window.open && window_last(&files->window, &row))
		take_row(files, &row);
	files->window.open = false;
	for (unsigned i = 0; i <= FILES_BANDWIDTH; i++)
		status |= close_one(files, &files->rows[i]);
	return status;
}

int files_close(struct files *files, int status)
{
	const bool none = files->forgotten || status == 2;
	char path[NAMES_ROOM], folder[NAMES_ROOM];
	int failed;

	files->forgotten = none;
	failed = files_close_run(files);
	failed |= close_one(files, &files->rows[FILES_LOG]);
	/* Those of runs that never were. */
	files->forgotten = true;
	for (uint64_t run = 0; run < files->early_runs; run++)
		for (unsigned i = 0; i <= FILES_BANDWIDTH; i++)
			(void)recorder_close(files->early[run][i]);
	/* Not if somebody has put something in. */
	if (none && files->made_folder && !name_file(files, 1, 0, path, folder))
		(void)rmdir(folder);
	free(files->early);
	return status ? status : failed;
}
