// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * resume: --resume: what an earlier verified-write was, which this one must be, too, and how far it
 * came, by its JSON; and whether the disk agrees, by samples. A verification code alone does not
 * tell the pass: seed 5 in pass 1 is seed 6 in pass 0.
 */
#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

#define LINE_BYTES   (1 << 20)
#define SAMPLES	     16
#define SAMPLE_BYTES (UINT64_C(64) << 10)
#define SECTOR	     NP_PATTERN_SECTOR_BYTES
/*
 * Without its summary nobody knows how many more passes it made. Few make so many, and the seed of
 * another run is that near with 2^-16.
 */
#define LATER_PASSES (UINT64_C(1) << 24)

/* A number, which is text from 2^53 on, or a flag. */
static bool number_of(const json_t *object, const char *name, uint64_t *value)
{
	const json_t *member = json_object_get(object, name);
	const char *text = json_string_value(member);

	*value = json_is_true(member) ? 1 : (uint64_t)json_integer_value(member);
	if (json_is_integer(member))
		return json_integer_value(member) >= 0;
	return json_is_boolean(member) ||
	       (text && !np_units_parse_count(text, 0, UINT64_MAX, value));
}

static const char *text_of(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? text : "";
}

/* Returns what is wrong with @record, or NULL. */
static const char *take_record(struct resume *resume, json_t *record)
{
	const char *type = text_of(record, "type");
	const json_t *options = json_object_get(record, "options");
	const json_t *position = json_object_get(record, "position");
	uint64_t schema, failed;

	if (!resume->start) {
		if (strcmp(type, "start") || strcmp(text_of(record, "program"), "disk-exercise"))
			return "is not the start of a run of disk-exercise";
		if (!number_of(record, "schema", &schema) || schema != NP_RECORD_SCHEMA)
			return "is of another version's records";
		if (strcmp(text_of(options, "operation"), "verified-write"))
			return "starts a run that was no verified-write";
		if (json_object_get(record, "targets"))
			return "starts a run of several disks, which cannot be resumed";
		if (strchr(text_of(options, "chunk_size_bytes"), ','))
			return "starts a run with several chunk sizes, which cannot be resumed";
		resume->start = json_incref(record);
	} else if (!strcmp(type, "io")) {
		return NULL;
	} else if (strcmp(type, "interval") && strcmp(type, "summary")) {
		return "is no record of the run that the first line starts";
	}
	if (!number_of(position, "passes", &resume->position.passes) ||
	    !number_of(position, "chunks", &resume->position.chunks))
		return "does not say how far the run came";
	if (strcmp(type, "summary"))
		return NULL;
	if (!number_of(record, "io_errors", &failed))
		return "is a damaged summary";
	/* After a failed chunk others were written. */
	resume->exact = !failed;
	return NULL;
}

int resume_parse(struct resume *resume, FILE *in, struct np_fault *fault)
{
	char *line = malloc(LINE_BYTES), where[32] = "its records";
	const char *wrong = NULL;
	uint64_t passes;

	if (!line)
		return np_fault_errno(fault, -ENOMEM, where);
	for (unsigned number = 1; !wrong && fgets(line, LINE_BYTES, in); number++) {
		const size_t length = strlen(line);
		json_t *record;

		if ((!length || line[length - 1] != '\n') && feof(in))
			break;
		record = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
		wrong = json_is_object(record) ? take_record(resume, record) : "is no JSON object";
		json_decref(record);
		if (wrong)
			snprintf(where, sizeof(where), "line %u", number);
	}
	if (!wrong && ferror(in))
		wrong = "cannot be read";
	else if (!wrong && !resume->start)
		wrong = "are missing";
	else if (!wrong &&
		 number_of(json_object_get(resume->start, "options"), "passes", &passes) &&
		 passes && resume->position.passes >= passes)
		wrong = "are of a run that completed its passes";
	free(line);
	return wrong ? np_fault_set(fault, -EBADMSG, where, "%s", wrong) : 0;
}

/* Whether that run wrote the same chunks of the same disk in the same order. Returns 0 or 2. */
static int compare(const struct run *run)
{
	const struct np_disk_geometry *geometry = np_disk_geometry(run->disk);
	const struct options *options = &run->options;
	const json_t *given = json_object_get(run->resume.start, "options");
	const json_t *target = json_object_get(run->resume.start, "target");
	const struct {
		const json_t *object;
		const char *name;
		uint64_t number;
		const char *text; /* NULL: it is a number */
	} facts[] = {
		{target, "block_device", geometry->block_device, NULL},
		{target, "bytes", geometry->bytes, NULL},
		{target, "region_offset_bytes", run->cursor.begin, NULL},
		{target, "region_bytes", run->cursor.length, NULL},
		{given, "chunk_size_bytes", options->chunk_bytes, NULL},
		{given, "random", options->random, NULL},
		{given, "seed", options->seed, NULL},
		{target, "model", 0, geometry->model},
		{target, "serial", 0, geometry->serial},
		/* A disk is known by its serial number; what has none, by its name. */
		{target, "path", 0,
		 geometry->block_device && geometry->serial[0] ? text_of(target, "path")
							       : options->path},
	};

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		const char *name = facts[i].name, *text = facts[i].text;
		const char *was = text_of(facts[i].object, name);
		uint64_t number;

		if (text && strcmp(was, text))
			return np_log_refuse(run->tool->log, "--resume",
					     "%s: %s was '%s', and is '%s' now", options->resume,
					     name, was, text);
		if (text)
			continue;
		if (!number_of(facts[i].object, name, &number))
			return np_log_refuse(run->tool->log, "--resume", "%s: line 1 has no %s",
					     options->resume, name);
		if (number != facts[i].number)
			return np_log_refuse(run->tool->log, "--resume",
					     "%s: %s was %" PRIu64 ", and is %" PRIu64 " now",
					     options->resume, name, number, facts[i].number);
	}
	return 0;
}

int resume_begin(struct run *run)
{
	struct options *options = &run->options;
	const struct np_log *log = run->tool->log;
	struct resume *resume = &run->resume;
	struct np_cursor *cursor = &run->cursor;
	FILE *in = fopen(options->resume, "re");
	struct np_fault fault;
	uint64_t seed;
	int rc;

	if (!in)
		return np_log_refuse(log, "--resume", "%s: %s", options->resume, strerror(errno));
	rc = resume_parse(resume, in, &fault);
	fclose(in);
	if (rc)
		return np_log_refuse(log, "--resume", "%s: %s %s", options->resume, fault.object,
				     fault.reason);
	if (!np_options_given(&run->tool->given, "seed") &&
	    number_of(json_object_get(resume->start, "options"), "seed", &seed) &&
	    seed <= INT64_MAX)
		options->seed = seed;
	if (compare(run))
		return 2;
	if (resume->position.chunks >= cursor->pieces ||
	    resume->position.passes > INT64_MAX / cursor->pieces)
		return np_log_refuse(log, "--resume",
				     "%s: is damaged: pass %" PRIu64 ", chunk %" PRIu64
				     " of %" PRIu64,
				     options->resume, resume->position.passes,
				     resume->position.chunks, cursor->pieces);
	if (options->passes && resume->position.passes >= options->passes)
		return np_options_refuse(&run->tool->given, "passes",
					 "%" PRIu64 " were completed by %s",
					 resume->position.passes, options->resume);
	cursor->passes = resume->position.passes;
	cursor->next = resume->position.chunks;
	run->first_pass = cursor->passes;
	np_log_info(log, "going on after %" PRIu64 " of %" PRIu64 " chunks in pass %" PRIu64,
		    cursor->next, cursor->pieces, cursor->passes + 1);
	return 0;
}

int resume_sample(struct run *run)
{
	const uint64_t pieces = run->cursor.pieces;
	const uint64_t end = run->cursor.passes * pieces + run->cursor.next;
	/* In random order the chunks of the pass before may have been written again. */
	const uint64_t last = run->cursor.next ? run->cursor.next : np_least(end, pieces);
	const uint64_t samples = np_least(last, SAMPLES);
	const uint64_t most = SAMPLE_BYTES - SAMPLE_BYTES % run->step_bytes;
	uint8_t *data = np_engine_buffer(run->engine, 0);
	struct np_pattern pattern = run->pattern;
	struct np_cursor cursor = run->cursor;
	struct result *result = &run->result;

	/* Of each of these chunks, or of its end, each sector: passes may meet in it. */
	for (uint64_t i = 0; i < samples; i++) {
		const uint64_t number = end - 1 - i * (last / samples);
		const uint64_t expected = run->options.seed + number / pieces;
		struct np_extent extent;
		uint64_t bytes;
		ssize_t got;

		cursor.passes = number / pieces;
		cursor.next = number % pieces;
		extent = np_cursor_peek(&cursor);
		bytes = most ? np_least(extent.length, most) : run->step_bytes;
		extent.offset += extent.length - bytes;
		got = pread(np_disk_fd(run->disk), data, bytes, (off_t)extent.offset);
		if (got != (ssize_t)bytes)
			return np_log_refuse(run->tool->log, run->options.path,
					     "read at offset %" PRIu64 ": %s", extent.offset,
					     strerror(got < 0 ? errno : ENODATA));
		for (uint64_t at = 0; at < bytes; at += SECTOR) {
			const uint64_t lba = (extent.offset + at) / SECTOR;
			const uint64_t seed = np_pattern_seed(data + at, lba);
			const bool later = !run->resume.exact && seed - expected < LATER_PASSES;

			pattern.seed = later ? seed : expected;
			if (np_pattern_check(&pattern, data + at, lba, 1, &result->damage))
				dump_bad(&run->exercise->dump, &pattern, data + at, lba, 1);
			result->checked_sectors++;
		}
	}
	result->total.errors_sectors = result->damage.total;
	if (samples && result->damage.total == result->checked_sectors)
		return np_log_refuse(run->tool->log, "--resume",
				     "%s: nothing of what that run wrote is on %s",
				     run->options.resume, run->options.path);
	return 0;
}
