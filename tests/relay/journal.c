// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* journal: one line a decision, one line a forwarded datagram. */
#include "journal.h"

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

int journal_open(struct journal *journal, const char *decisions, const char *arrivals,
		 const char **object)
{
	int error = open_file(&journal->decisions, decisions, object);

	return error ? error : open_file(&journal->arrivals, arrivals, object);
}

static int flush(FILE *file)
{
	if (!file)
		return 0;
	errno = EIO;
	return fflush(file) || ferror(file) ? -errno : 0;
}

int journal_flush(struct journal *journal)
{
	int first = flush(journal->decisions), second = flush(journal->arrivals);

	return first ? first : second;
}

int journal_close(struct journal *journal)
{
	int error = journal_flush(journal);

	if (journal->decisions && fclose(journal->decisions) && !error)
		error = -errno;
	if (journal->arrivals && fclose(journal->arrivals) && !error)
		error = -errno;
	*journal = (struct journal){0};
	return error;
}

static void put_number(FILE *file, const struct item *item)
{
	if (item->has_number)
		fprintf(file, " %" PRIu64, item->number);
	else
		fputs(" -", file);
}

void journal_decision(struct journal *journal, const struct item *item,
		      const struct verdict *verdict)
{
	FILE *file = journal->decisions;

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

void journal_arrival(struct journal *journal, const struct item *item)
{
	FILE *file = journal->arrivals;
	const char *state = item->checksum_bad ? "bad" : item->damaged ? "damaged" : "right";

	if (!file)
		return;
	fprintf(file, "%u", item->flow->number);
	put_number(file, item);
	fprintf(file, " %s %s\n", state, item->copy ? "copy" : "first");
}
