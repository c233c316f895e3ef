// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* log_file: writes a line for each decision, and for each forwarded datagram. */
#include "log_file.h"

#include <errno.h>
#include <inttypes.h>

#define BUFFER_BYTES (1 << 20)

static int open_file(FILE **file, const char *path, const char **object)
{
	if (!path)
		return 0;
	*object = path;
	*file = fopen(path, "we");
	if (!*file)
		return -errno;
	setvbuf(*file, NULL, _IOFBF, BUFFER_BYTES);
	return 0;
}

int log_file_open(struct log_file *log_file, const char *decisions, const char *arrivals,
		  const char **object)
{
	int error = open_file(&log_file->decisions, decisions, object);

	return error ? error : open_file(&log_file->arrivals, arrivals, object);
}

static int flush(FILE *file)
{
	if (!file)
		return 0;
	errno = EIO;
	return fflush(file) || ferror(file) ? -errno : 0;
}

int log_file_flush(struct log_file *log_file)
{
	int first = flush(log_file->decisions), second = flush(log_file->arrivals);

	return first ? first : second;
}

int log_file_close(struct log_file *log_file)
{
	int error = log_file_flush(log_file);

	if (log_file->decisions && fclose(log_file->decisions) && !error)
		error = -errno;
	if (log_file->arrivals && fclose(log_file->arrivals) && !error)
		error = -errno;
	*log_file = (struct log_file){0};
	return error;
}

static void put_number(FILE *file, const struct item *item)
{
	if (item->has_number)
		fprintf(file, " %" PRIu64, item->number);
	else
		fputs(" -", file);
}

void log_file_decision(struct log_file *log_file, const struct item *item,
		       const struct verdict *verdict)
{
	FILE *file = log_file->decisions;

	if (!file)
		return;
	fprintf(file, "%u %" PRIu64, item->flow->number, item->position);
	put_number(file, item);
	fputs(verdict->drop ? " drop" : " pass", file);
	if (item->damaged)
		fprintf(file, ",damage=%s", item->checksum_bad ? "bad" : "right");
	if (verdict->hold_by)
		fprintf(file, ",hold=%u", verdict->hold_by);
	if (verdict->copies)
		fprintf(file, ",copies=%u", verdict->copies);
	if (verdict->copies_by)
		fprintf(file, "@%u", verdict->copies_by);
	if (verdict->delay)
		fprintf(file, ",delay=%" PRId64, verdict->delay);
	fputc('\n', file);
}

void log_file_arrival(struct log_file *log_file, const struct item *item)
{
	FILE *file = log_file->arrivals;
	const char *state = item->checksum_bad ? "bad" : item->damaged ? "damaged" : "right";

	if (!file)
		return;
	fprintf(file, "%u", item->flow->number);
	put_number(file, item);
	fprintf(file, " %s %s\n", state, item->copy ? "copy" : "first");
}
