// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* files: opens the recorders of a run under their names, and closes them. */
#include "files.h"

#include "../config/names.h"
#include "plot.h"

#include <errno.h>
#include <fcntl.h>
#include <netperf/gnuplot.h>
#include <netperf/output.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX_ROOM 16

struct file_names {
	char path[NAMES_ROOM + SUFFIX_ROOM];
	char folder[NAMES_ROOM];
};

static int name_file(const struct session *s, const struct opener_request *request,
		     struct file_names *names)
{
	static const char *const kinds[] = {"delay", "seq", "bw"};
	const struct options *o = s->options;
	const char *const given[] = {o->files.delay, o->files.sequence, o->files.bandwidth};
	const struct names_file file = {
		.name = given[request->kind],
		.kind = kinds[request->kind],
		.begun = session_wall(s, s->begun),
		.run = request->run,
		.stream = request->stream,
	};

	*names->folder = *names->path = '\0';
	if (!file.name)
		return -EINVAL;
	if (request->kind != OPENER_DELAY)
		return names_file(&file, names->path, NAMES_ROOM);
	return names_delay_file(o->load.session, &file, names->path, names->folder, NAMES_ROOM);
}

static void name_part(struct file_names *names, unsigned part)
{
	static const char *const suffixes[] = {
		[OPENER_FILE] = "",
		[OPENER_SCRIPT] = ".gnuplot",
		[OPENER_PICTURE] = ".png",
	};

	strncat(names->path, suffixes[part], SUFFIX_ROOM - 1);
}

static int create(struct file_names *names, unsigned part, int *fd, uint32_t *made)
{
	bool file = false, folder;
	const struct np_output how = {.keep = part == OPENER_FILE, .made = &file};
	int rc;

	name_part(names, part);
	folder = *names->folder && mkdir(names->folder, 0777) == 0;
	if (*names->folder && !folder && errno != EEXIST)
		return -errno;
	rc = np_output_open(names->path, &how, fd);
	if (rc && folder)
		rmdir(names->folder);
	*made = (file ? OPENER_MADE_FILE : 0) | (folder ? OPENER_MADE_FOLDER : 0);
	return rc;
}

int files_create(struct session *session, const struct opener_request *request, int *fd,
		 uint32_t *made)
{
	struct file_names names;
	int rc = name_file(session, request, &names);

	*fd = -1;
	*made = 0;
	return rc ? rc : create(&names, request->part, fd, made);
}

int files_probe(struct session *session, const struct opener_request *request)
{
	struct file_names names;
	int rc = name_file(session, request, &names);

	if (rc)
		return rc;
	name_part(&names, request->part);
	return np_output_probe(names.path);
}

int files_unmake(struct session *session, const struct opener_request *request)
{
	struct file_names names;
	int rc = name_file(session, request, &names), fd;

	if (!rc && (request->unmake & OPENER_MADE_FILE)) {
		fd = open(names.path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		rc = fd < 0 ? -errno : np_output_unmake(fd, names.path);
		if (fd >= 0)
			close(fd);
	}
	/* Not if somebody has put something in. */
	if (!rc && (request->unmake & OPENER_MADE_FOLDER) && *names.folder && rmdir(names.folder))
		rc = -errno;
	return rc;
}

/* Creates the file by the process that may. Returns the descriptor, or -errno. */
static int make(struct files *f, enum opener_kind kind, unsigned stream, struct file_names *names)
{
	const struct opener_request request = {.kind = kind, .stream = stream, .run = f->run};
	int rc = name_file(f->session, &request, names), fd = -1;

	f->named[kind][stream] = f->run;
	if (!rc && f->session->opener)
		return opener_ask(f->session->opener, &request, &f->made[kind][stream]);
	if (!rc)
		rc = create(names, OPENER_FILE, &fd, &f->made[kind][stream]);
	return rc ? rc : fd;
}

/* A plot is written after the run: whether it can be is asked before. Leaves the name at fault. */
static int probe_plot(struct files *f, enum opener_kind kind, unsigned stream,
		      struct file_names *names)
{
	const size_t length = strlen(names->path);
	struct opener_request request = {
		.kind = kind, .stream = stream, .run = f->run, .probe = true};
	int rc = 0;

	if (!f->session->options->files.plot)
		return 0;
	if (!np_gnuplot_nameable(names->path))
		return -EINVAL;
	for (request.part = OPENER_SCRIPT; !rc && request.part < OPENER_PARTS; request.part++) {
		names->path[length] = '\0';
		name_part(names, request.part);
		rc = f->session->opener ? opener_tell(f->session->opener, &request)
					: files_probe(f->session, &request);
	}
	return rc;
}

static int open_delay(struct files *f, unsigned stream, struct file_names *names)
{
	int fd = make(f, OPENER_DELAY, stream, names), rc;

	if (fd < 0)
		return fd;
	rc = recorder_open_delay(&f->delay[stream], fd, names->path,
				 options_transport_name(f->session->options->place.transport));
	return rc ? rc : probe_plot(f, OPENER_DELAY, stream, names);
}

static int open_sequence(struct files *f, unsigned stream, struct file_names *names)
{
	int fd = make(f, OPENER_SEQUENCE, stream, names);
	int rc = fd < 0 ? fd : recorder_open_sequence(&f->sequence[stream], fd, names->path);

	return rc ? rc : probe_plot(f, OPENER_SEQUENCE, stream, names);
}

static int open_bandwidth(struct files *f, struct file_names *names)
{
	int fd = make(f, OPENER_BANDWIDTH, 0, names);
	int rc = fd < 0 ? fd : recorder_open_bandwidth(&f->bandwidth, fd, names->path);

	return rc ? rc : probe_plot(f, OPENER_BANDWIDTH, 0, names);
}

/* One log serves all runs. */
static int open_log(struct files *f, struct file_names *names)
{
	const struct names_file file = {
		.name = f->session->options->files.log,
		.kind = "log",
		.begun = session_wall(f->session, f->session->begun),
		.run = 1,
	};
	int rc;

	rc = names_file(&file, names->path, NAMES_ROOM);
	return rc ? rc : recorder_open_log(&f->log, names->path);
}

static int open_all(struct files *f, unsigned streams, struct file_names *names)
{
	const struct file_options *wanted = &f->session->options->files;
	bool transmit = f->session->options->task == TASK_TRANSMIT;
	int rc = 0;

	for (unsigned i = 0; i < streams && !rc; i++) {
		if (transmit && wanted->delay && !f->delay[i])
			rc = open_delay(f, i, names);
		if (!transmit && wanted->sequence && !f->sequence[i])
			rc = open_sequence(f, i, names);
	}
	if (!rc && wanted->bandwidth && !f->bandwidth)
		rc = open_bandwidth(f, names);
	if (!rc && wanted->log && !f->log)
		rc = open_log(f, names);
	return rc;
}

int files_open(struct files *files, struct session *session, uint64_t run, unsigned streams)
{
	struct file_names *names = calloc(1, sizeof(*names));
	int rc;

	files->session = session;
	files->run = run;
	window_start(&files->window, session->options->files.window);
	rc = names ? open_all(files, streams, names) : -ENOMEM;
	if (rc)
		np_log_error(session->log, names && *names->path ? names->path : NULL, "%s",
			     np_output_reason(rc));
	free(names);
	return !rc ? 0 : run > 1 ? 1 : 2;
}

static void take_row(struct files *f, const struct window_row *row)
{
	if (f->bandwidth)
		recorder_bandwidth(f->bandwidth, row);
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
	for (unsigned i = 0; i < MESSAGE_STREAMS_MAX; i++) {
		if (files->delay[i])
			(void)recorder_flush(files->delay[i]);
		if (files->sequence[i])
			(void)recorder_flush(files->sequence[i]);
	}
	if (files->bandwidth)
		(void)recorder_flush(files->bandwidth);
}

void files_log(struct files *files, const char *side, const char *text)
{
	const struct options *o = files->session->options;
	char mode[64];

	if (!files->log)
		return;
	snprintf(mode, sizeof(mode), "%s %s", options_transport_name(o->place.transport), side);
	recorder_log(files->log, session_wall(files->session, np_clock_now()), mode, files->run,
		     text);
	(void)recorder_flush(files->log);
}

/* How a plot reads its data. */
struct source {
	struct opener *opener;
	struct opener_request request;
};

static int open_part(void *context, enum plot_part part, int *fd)
{
	struct source *source = context;
	uint32_t made;
	int rc;

	source->request.part = part == PLOT_SCRIPT ? OPENER_SCRIPT : OPENER_PICTURE;
	rc = opener_ask(source->opener, &source->request, &made);
	*fd = rc;
	return rc < 0 ? rc : 0;
}

static int close_and_plot(struct files *f, struct recorder *recorder, enum opener_kind kind,
			  unsigned stream)
{
	struct source source = {
		.opener = f->session->opener,
		.request = {.kind = kind, .stream = stream, .run = f->named[kind][stream]},
	};
	const struct plot_opener by = {open_part, &source};

	return plot_close(recorder, source.opener ? &by : NULL, f->session->log);
}

/* NULL is allowed. */
static int close_told(struct recorder *recorder, const struct np_log *log)
{
	char *path = recorder ? strdup(recorder_path(recorder)) : NULL;
	int rc = recorder_close(recorder);

	if (rc)
		np_log_error(log, path, "%s", strerror(-rc));
	free(path);
	return rc;
}

static void close_one(struct files *f, struct recorder **recorder, enum opener_kind kind,
		      unsigned stream, int *status)
{
	int rc = f->session->options->files.plot && !f->forgotten
			 ? close_and_plot(f, *recorder, kind, stream)
			 : close_told(*recorder, f->session->log);

	*recorder = NULL;
	if (rc)
		*status = 1;
}

static void forget_one(struct files *f, struct recorder *recorder, enum opener_kind kind,
		       unsigned stream)
{
	const struct opener_request request = {.kind = kind,
					       .stream = stream,
					       .unmake = f->made[kind][stream],
					       .run = f->named[kind][stream]};

	if (!recorder)
		return;
	recorder_forget(recorder, request.unmake & OPENER_MADE_FILE);
	if (!request.unmake)
		return;
	/* One that cannot be removed is empty at least. */
	(void)(f->session->opener ? opener_tell(f->session->opener, &request)
				  : files_unmake(f->session, &request));
	f->made[kind][stream] = 0;
}

void files_forget(struct files *files)
{
	files->forgotten = true;
	/* The folder was made for the first one. */
	for (unsigned i = MESSAGE_STREAMS_MAX; i-- > 0;) {
		forget_one(files, files->delay[i], OPENER_DELAY, i);
		forget_one(files, files->sequence[i], OPENER_SEQUENCE, i);
	}
	forget_one(files, files->bandwidth, OPENER_BANDWIDTH, 0);
	if (files->log)
		recorder_unmake_log(files->log);
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
	for (unsigned i = 0; i < MESSAGE_STREAMS_MAX; i++) {
		close_one(files, &files->delay[i], OPENER_DELAY, i, &status);
		close_one(files, &files->sequence[i], OPENER_SEQUENCE, i, &status);
	}
	close_one(files, &files->bandwidth, OPENER_BANDWIDTH, 0, &status);
	return status;
}

int files_close(struct files *files)
{
	int status = files_close_run(files);

	if (files->log && close_told(files->log, files->session->log))
		status = 1;
	files->log = NULL;
	return status;
}
