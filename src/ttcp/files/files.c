// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * files: names the files of a run, opens them, writes their rows, and closes them. The files of all
 * known runs are opened first: without privileges even root creates none in another user's
 * directory. Rows of messages take some tens of nanoseconds, since nothing is allocated and printf
 * is not used.
 */
#include "files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Descriptors that stay open until their runs, at most. */
#define EARLY_MAX 1024
#define BUFFER	  (1 << 16)

/* That of -d, which a sender has in place of -s. */
static bool is_delays(const struct files *f, unsigned which)
{
	return which < FILES_BANDWIDTH && f->session->options->task == TASK_TRANSMIT;
}

/* As typed, or "" for a default name; NULL: it is not asked for. */
static const char *given_name(const struct files *f, unsigned which)
{
	const struct file_options *o = &f->session->options->files;

	if (which >= FILES_BANDWIDTH)
		return which == FILES_LOG ? o->log : o->bandwidth;
	return is_delays(f, which) ? o->delay : o->sequence;
}

int files_name(const struct files *files, uint64_t run, unsigned which, char path[FILES_NAME],
	       char folder[FILES_NAME])
{
	const struct session *s = files->session;
	const char *session = is_delays(files, which) ? s->options->load.session : NULL;
	const char *kind = which == FILES_LOG ? "log" : which == FILES_BANDWIDTH ? "bw" : "seq";
	const char *name = given_name(files, which), *last, *extension;
	char initial[64], suffix[48] = "";
	int length, end = 0;

	if (!*name && !session) {
		snprintf(initial, sizeof(initial), "ttcp_%s_%" PRId64 ".txt", kind,
			 session_wall(s, s->begun) / NP_MILLISECOND);
		name = initial;
	}
	last = strrchr(name, '/');
	last = last ? last + 1 : name;
	/* With its dot; ".hidden" has none. */
	extension = session ? NULL : strrchr(last, '.');
	if (!extension || extension == last)
		extension = last + strlen(last);
	/* The log is of all runs. */
	if (session || (run > 1 && which != FILES_LOG))
		end = snprintf(suffix, sizeof(suffix), "_%" PRIu64, run);
	if (which && which < FILES_BANDWIDTH)
		snprintf(suffix + end, sizeof(suffix) - (size_t)end, "_s%u", which);
	*path = *folder = '\0';
	if (session && last == name &&
	    snprintf(folder, FILES_NAME, "%s_DATA/", session) >= FILES_NAME)
		return -ENAMETOOLONG;
	length = snprintf(path, FILES_NAME, "%s%.*s%s%s%.*s%s%s", folder, (int)(last - name), name,
			  session ? session : "", session ? "_" : "", (int)(extension - last), last,
			  suffix, session ? ".txt" : extension);
	return length < 0 || length >= FILES_NAME ? -ENAMETOOLONG : 0;
}

/* Logs why a file could not be opened or written, unless @rc is 0. Returns @rc. */
static int blame(const struct files *f, uint64_t run, unsigned which, int rc)
{
	char path[FILES_NAME], folder[FILES_NAME];

	if (!rc)
		return 0;
	(void)files_name(f, run, which, path, folder);
	np_log_error(f->session->log, *path ? path : NULL, "%s", np_output_reason(rc));
	return rc;
}

/*
 * Opens a file. What it has stays until there is a row or it is closed, and for good if no run
 * began by then. Returns 0, or -errno after a message.
 */
static int create(struct files *f, uint64_t run, unsigned which, struct recorder *recorder)
{
	const bool log = which == FILES_LOG;
	const struct np_output how = {.append = log, .heading = !log, .never_began = &f->forgotten};
	char path[FILES_NAME], folder[FILES_NAME];
	struct stat found;
	int rc = files_name(f, run, which, path, folder);

	if (!rc && *folder) {
		if (!mkdir(folder, 0777))
			f->made_folder = true;
		else if (errno != EEXIST)
			rc = -errno;
	}
	if (!rc)
		rc = np_output_stream(path, &how, &recorder->file);
	/* Asked now: without privileges its directory may not be searched. */
	recorder->keeps = !rc && !stat(path, &found) && S_ISREG(found.st_mode) && found.st_size;
	return blame(f, run, which, rc);
}

/* Returns 0 or -errno of the first failed write. */
static int close_recorder(struct recorder *recorder)
{
	const int rc = np_output_close(recorder->file);

	free(recorder->buffer);
	*recorder = (struct recorder){.file = NULL};
	return rc;
}

int files_begin(struct files *files, struct session *session, uint64_t runs, unsigned streams)
{
	struct rlimit limit;
	uint64_t most = EARLY_MAX, each;
	int rc = 0;

	files->session = session;
	/* Those of the first run at least; but half of the descriptors stay for sockets. */
	if (!getrlimit(RLIMIT_NOFILE, &limit))
		most = np_least(most, limit.rlim_cur / 2);
	each = (given_name(files, 0) ? streams : 0) + (given_name(files, FILES_BANDWIDTH) ? 1 : 0);
	if (each) {
		runs = np_least(runs, most / each);
		runs = runs ? runs : 1;
		files->file = calloc(runs + 1, sizeof(*files->file));
		if (!files->file)
			return np_log_refuse(session->log, NULL, "%s", strerror(ENOMEM));
		files->early_runs = runs;
	}
	for (uint64_t run = 1; run <= files->early_runs; run++)
		for (unsigned i = 0; i <= FILES_BANDWIDTH && !rc; i++)
			if ((i < streams || i == FILES_BANDWIDTH) && given_name(files, i))
				rc = create(files, run, i, &files->file[run - 1][i]);
	if (!rc && given_name(files, FILES_LOG)) {
		files->rows[FILES_LOG] = &files->log;
		rc = create(files, 1, FILES_LOG, &files->log);
	}
	return rc ? 2 : 0;
}

/* Opens one of the run unless it is open, and writes its heading. */
static int open_one(struct files *f, unsigned which)
{
	const uint64_t at = f->run <= f->early_runs ? f->run - 1 : f->early_runs;
	const char *heading = "# sequence#\treceived\tsent time\treceived time\tpseudo-delay\t"
			      "after reply\n";
	struct recorder *r;
	int rc = 0;

	if (!given_name(f, which) || f->rows[which])
		return 0;
	r = &f->file[at][which];
	if (!r->file)
		rc = create(f, f->run, which, r);
	if (rc)
		return rc;
	r->buffer = malloc(BUFFER);
	if (r->buffer)
		setvbuf(r->file, r->buffer, _IOFBF, BUFFER);
	if (is_delays(f, which)) {
		heading = "receiver\tsequence#\tsize(byte)\tsent\treceived\tacked\tRTT\tdelay\t"
			  "throuput(kbps)\n";
		fprintf(r->file, "%s\n",
			options_transports[f->session->options->place.transport].name);
	}
	fputs(which == FILES_BANDWIDTH ? "# end_ms\tpackets\tbytes\tkbps\n" : heading, r->file);
	/*
	 * Written at once, so that a full disk is noticed before the run; but not where that would
	 * destroy the results of an earlier run before this one has any.
	 */
	if (!r->keeps)
		rc = blame(f, f->run, which, np_output_flush(r->file));
	if (rc)
		(void)close_recorder(r);
	else
		f->rows[which] = r;
	return rc;
}

int files_open(struct files *files, uint64_t run, unsigned streams)
{
	int rc = 0;

	files->run = run;
	files->window = (struct window){.end = 0};
	for (unsigned i = 0; i < streams && !rc; i++)
		rc = open_one(files, i);
	if (!rc)
		rc = open_one(files, FILES_BANDWIDTH);
	return !rc ? 0 : run > 1 ? 1 : 2;
}

/* Room for a name and all numbers of a row. */
#define ROW_TEXT 1024

/* Puts a tab behind a field that is not the last. */
static char *put(char *end)
{
	*end++ = '\t';
	return end;
}

/* Times of others may have any value: no difference of them may overflow. */
static np_time minus(np_time a, np_time b)
{
	return (np_time)((uint64_t)a - (uint64_t)b);
}

/* Rounds down to whole milliseconds as Java's clock does, or leaves the nanoseconds. */
static np_time cut(np_time t, bool whole)
{
	const np_time rest = t % NP_MILLISECOND;

	return whole && rest ? minus(t, rest < 0 ? rest + NP_MILLISECOND : rest) : t;
}

/* A @row until @end, and its last field. */
static void write_row(struct recorder *recorder, const char *row, char *end, const char *last)
{
	end = stpcpy(end, last);
	*end++ = '\n';
	fwrite_unlocked(row, 1, (size_t)(end - row), recorder->file);
}

/* From 10 ms on in whole milliseconds, as in Java; below, to the nanosecond. */
void recorder_delay(struct recorder *recorder, const char *receiver, const struct message *ack,
		    np_time acked)
{
	const uint32_t size = ack->ack.data_size;
	const bool whole = acked - ack->time >= FIGURES_SHORT;
	const np_time rtt = cut(acked, whole) - cut(ack->time, whole);
	const np_time delay = cut(rtt / 2, whole);
	const float ms = (float)((double)delay / (double)NP_MILLISECOND);
	char row[ROW_TEXT], text[FIGURES_TEXT], *end = put(stpcpy(row, receiver));

	end = put(figures_put_count(ack->number, end));
	end = put(figures_put_count(size, end));
	end = put(figures_put_ms(cut(ack->time, whole), end));
	end = put(figures_put_ms(cut(ack->ack.received, whole), end));
	end = put(figures_put_ms(cut(acked, whole), end));
	end = put(figures_put_ms(rtt, end));
	end = put(figures_put_ms(delay, end));
	write_row(recorder, row, end, figures_print_float((float)((uint64_t)size * 8) / ms, text));
}

void recorder_sequence(struct recorder *recorder, uint64_t number, np_time sent, np_time received)
{
	char row[ROW_TEXT], *end = put(stpcpy(figures_put_count(number, row), "\t1"));

	if (!recorder->first)
		recorder->first = received;
	end = put(figures_put_ms(minus(sent, recorder->first), end));
	end = put(figures_put_ms(minus(received, recorder->first), end));
	end = put(figures_put_ms(minus(received, sent), end));
	write_row(recorder, row, end, "0");
}

/*
 * Writes the current window, which ended @elapsed after its start, and begins the next one. @span:
 * the time that its messages took.
 */
static void end_window(struct files *f, np_time elapsed, np_time span)
{
	const np_time length = f->session->options->files.window;
	struct window *w = &f->window;
	const np_time end = w->end - length + elapsed - w->first;
	const struct figures_rate rate = figures_rate(w->bytes, span);
	char row[ROW_TEXT], ms[FIGURES_TEXT], *at;

	*figures_put_ms(end, ms) = '\0';
	at = put(stpcpy(row, ms));
	at = put(figures_put_count(w->messages, at));
	at = put(figures_put_count(w->bytes, at));
	if (f->rows[FILES_BANDWIDTH])
		write_row(f->rows[FILES_BANDWIDTH], row, at, rate.kilobits_per_s);
	if (f->session->options->task == TASK_MONITOR)
		console_say(&f->session->console,
			    "%s ms: %" PRIu64 " packets, %" PRIu64 " bytes, %s Kbps\n", ms,
			    w->messages, w->bytes, rate.kilobits_per_s);
	w->end += length;
	w->messages = 0;
	w->bytes = 0;
}

void files_look(struct files *files, np_time now)
{
	const np_time length = files->session->options->files.window;

	while (files->window.end && now >= files->window.end)
		end_window(files, length, length);
}

void files_count(struct files *files, np_time now, uint64_t messages, uint64_t bytes)
{
	struct window *w = &files->window;

	files_look(files, now);
	if (!w->end)
		*w = (struct window){
			.first = now,
			.end = now + files->session->options->files.window,
			.last = now,
		};
	if (!w->messages && now > w->first)
		w->before = w->last;
	if (now > w->last)
		w->last = now;
	w->messages += messages;
	w->bytes += bytes;
}

void files_flush(struct files *files)
{
	for (unsigned i = 0; i <= FILES_BANDWIDTH; i++)
		if (files->rows[i])
			(void)np_output_flush(files->rows[i]->file);
}

void files_log(struct files *files, const char *side, const char *text)
{
	const struct session *s = files->session;
	const time_t seconds = session_wall(s, session_now(s)) / NP_SECOND;
	const char *transport = options_transports[s->options->place.transport].name;
	char date[40];
	struct tm tm;

	if (!files->log.file)
		return;
	if (!gmtime_r(&seconds, &tm) || !strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &tm))
		snprintf(date, sizeof(date), "unknown");
	while (*text) {
		const size_t length = strcspn(text, "\n");

		fprintf(files->log.file, "%s\t%s %s\t%" PRIu64 "\t%.*s\n", date, transport, side,
			files->run, (int)length, text);
		text += length + (text[length] == '\n');
	}
	(void)np_output_flush(files->log.file);
}

static int close_one(struct files *f, unsigned which)
{
	struct recorder *recorder = f->rows[which];

	f->rows[which] = NULL;
	return recorder && blame(f, f->run, which, close_recorder(recorder));
}

int files_close_run(struct files *files, bool never_began)
{
	struct window *w = &files->window;
	np_time elapsed, span, length;
	int status = 0;

	files->forgotten |= never_began;
	if (!files->session)
		return 0;
	/*
	 * The last window ends with the last message. Its rate is over the time since the last
	 * message before the window, at most a window's length: otherwise a message right after the
	 * start of the window would have an arbitrary rate.
	 */
	length = files->session->options->files.window;
	elapsed = w->last - (w->end - length);
	span = w->before ? w->last - w->before : elapsed;
	if (w->end && w->messages)
		end_window(files, elapsed, !span || span > length ? length : span);
	w->end = 0;
	for (unsigned i = 0; i <= FILES_BANDWIDTH; i++)
		status |= close_one(files, i);
	return status;
}

int files_close(struct files *files, int status)
{
	int failed = files_close_run(files, status == 2);
	const bool none = files->forgotten;
	char path[FILES_NAME], folder[FILES_NAME];

	failed |= close_one(files, FILES_LOG);
	/* Those of runs that never were. */
	files->forgotten = true;
	for (uint64_t run = 0; run < files->early_runs; run++)
		for (unsigned i = 0; i <= FILES_BANDWIDTH; i++)
			(void)close_recorder(&files->file[run][i]);
	/* Not if somebody has put something in. */
	if (none && files->made_folder && !files_name(files, 1, 0, path, folder))
		(void)rmdir(folder);
	free(files->file);
	return status ? status : failed;
}
