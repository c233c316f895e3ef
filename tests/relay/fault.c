// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* fault: parses a fault as typed on the command line. */
#include "plan.h"

#include <netperf/units.h>
#include <string.h>

#define WORD_BYTES 64
#define TIME_MAX   (60 * NP_SECOND)

const char fault_help[] =
	"KIND[:KEY=VALUE]..., KIND drop, duplicate, reorder, delay or damage; whom: port=PORT, "
	"least=BYTES, most=BYTES of payload; which of them, flow by flow: every=N, first=N, "
	"after=N [for=TIME], at=N,N-N,..., chance=P, else all; how: by=N later ones (reorder, "
	"duplicate), copies=N, time=TIME (delay), byte=N and checksum=right|bad (damage)";

static const struct {
	const char *name;
	enum fault_kind kind;
} kinds[] = {
	{"drop", FAULT_DROP},	{"duplicate", FAULT_DUPLICATE}, {"reorder", FAULT_REORDER},
	{"delay", FAULT_DELAY}, {"damage", FAULT_DAMAGE},
};

static const struct {
	const char *name;
	enum fault_choice choice;
	uint64_t min;
} choices[] = {
	{"every", CHOICE_EVERY, 1},
	{"first", CHOICE_FIRST, 1},
	{"after", CHOICE_AFTER, 0},
};

/* Copies @text up to @end, or to its own end when that is NULL; false when it is too long. */
static bool copy_word(char word[WORD_BYTES], const char *text, const char *end)
{
	size_t length = end ? (size_t)(end - text) : strlen(text);

	if (length >= WORD_BYTES)
		return false;
	memcpy(word, text, length);
	word[length] = '\0';
	return true;
}

static const char *parse_range(struct fault *fault, char *word)
{
	struct fault_range *range = &fault->range[fault->range_count];
	char *dash = strchr(word, '-');

	if (fault->range_count == PLAN_RANGES)
		return "at: too many positions";
	if (dash)
		*dash = '\0';
	if (np_units_parse_count(word, 1, UINT64_MAX, &range->first))
		return "at: not a position from 1 on";
	range->last = range->first;
	if (dash && np_units_parse_count(dash + 1, range->first, UINT64_MAX, &range->last))
		return "at: not a range of positions";
	fault->range_count++;
	return NULL;
}

static const char *parse_ranges(struct fault *fault, const char *value)
{
	const char *wrong = NULL;

	while (value && !wrong) {
		const char *comma = strchr(value, ',');
		char word[WORD_BYTES];

		wrong = copy_word(word, value, comma) ? parse_range(fault, word)
						      : "at: not a position";
		value = comma ? comma + 1 : NULL;
	}
	return wrong;
}

static const char *choose(struct fault *fault, enum fault_choice choice)
{
	if (fault->choice != CHOICE_ALL)
		return "every, first, after, at and chance exclude each other";
	fault->choice = choice;
	return NULL;
}

/* Parses the keys that choose datagrams; false when @key is none of them. */
static bool parse_choice(struct fault *fault, const char *key, const char *value,
			 const char **wrong)
{
	for (unsigned i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		if (strcmp(key, choices[i].name) != 0)
			continue;
		*wrong = choose(fault, choices[i].choice);
		if (np_units_parse_count(value, choices[i].min, UINT64_MAX, &fault->number))
			*wrong = "every, first, after: not a number of datagrams";
		return true;
	}
	if (!strcmp(key, "chance")) {
		*wrong = choose(fault, CHOICE_CHANCE);
		if (np_units_parse_number(value, 0, 1, &fault->chance))
			*wrong = "chance: not a number from 0 to 1";
	} else if (!strcmp(key, "for")) {
		if (np_units_parse_time(value, 1, TIME_MAX, &fault->lasting))
			*wrong = "for: not a time up to a minute";
	} else {
		return false;
	}
	return true;
}

static const char *parse_number(const char *value, uint64_t max, uint64_t *number)
{
	return np_units_parse_count(value, 0, max, number) ? "a number is out of range" : NULL;
}

/* Parses the keys for address, size and effect. */
static const char *parse_other(struct fault *fault, const char *key, const char *value)
{
	uint64_t number = 0;
	const char *wrong = NULL;

	if (!strcmp(key, "time"))
		return np_units_parse_time(value, 1, TIME_MAX, &fault->time)
			       ? "time: not a time up to a minute"
			       : NULL;
	if (!strcmp(key, "checksum")) {
		fault->checksum_bad = !strcmp(value, "bad");
		return fault->checksum_bad || !strcmp(value, "right") ? NULL
								      : "checksum: right or bad";
	}
	wrong = parse_number(value, strcmp(key, "by") ? UINT16_MAX : 1024, &number);
	if (!strcmp(key, "port"))
		fault->port = (uint16_t)number;
	else if (!strcmp(key, "least"))
		fault->least = number;
	else if (!strcmp(key, "most"))
		fault->most = number;
	else if (!strcmp(key, "by"))
		fault->by = (unsigned)number;
	else if (!strcmp(key, "copies"))
		fault->copies = (unsigned)number;
	else if (!strcmp(key, "byte"))
		fault->byte = number;
	else
		wrong = "no such key";
	return wrong;
}

static const char *parse_key(struct fault *fault, const char *text, const char *end)
{
	const char *equals = strchr(text, '='), *wrong = NULL;
	char key[WORD_BYTES], value[WORD_BYTES];

	if (!equals || (end && equals > end) || !copy_word(key, text, equals))
		return "not KEY=VALUE";
	if (!strcmp(key, "at")) {
		char list[WORD_BYTES * 16];
		size_t length = end ? (size_t)(end - equals) : strlen(equals);

		if (length > sizeof(list))
			return "at: too long";
		memcpy(list, equals + 1, length - 1);
		list[length - 1] = '\0';
		wrong = choose(fault, CHOICE_AT);
		return wrong ? wrong : parse_ranges(fault, list);
	}
	if (!copy_word(value, equals + 1, end))
		return "a value is too long";
	if (parse_choice(fault, key, value, &wrong))
		return wrong;
	return parse_other(fault, key, value);
}

static const char *parse_kind(struct fault *fault, const char *text, const char *end)
{
	char word[WORD_BYTES];

	if (!copy_word(word, text, end))
		return "no such kind of fault";
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(word, kinds[i].name)) {
			fault->kind = kinds[i].kind;
			return NULL;
		}
	return "no such kind of fault";
}

/* Refuses a fault that would have no effect. */
static const char *check(const struct fault *fault)
{
	if (fault->kind == FAULT_REORDER && fault->by == 0)
		return "reorder needs by=N";
	if (fault->kind == FAULT_DELAY && fault->time == 0)
		return "delay needs time=TIME";
	if (fault->by && fault->kind != FAULT_REORDER && fault->kind != FAULT_DUPLICATE)
		return "by: is for reorder and duplicate";
	if (fault->time && fault->kind != FAULT_DELAY)
		return "time: is for delay";
	if (fault->kind == FAULT_DUPLICATE ? fault->copies == 0 || fault->copies > 16
					   : fault->copies != 1)
		return "copies: 1 to 16, for duplicate";
	if ((fault->checksum_bad || fault->byte != SIZE_MAX) && fault->kind != FAULT_DAMAGE)
		return "byte and checksum are for damage";
	if (fault->lasting != NP_TIME_NEVER && fault->choice != CHOICE_AFTER)
		return "for: goes with after=N";
	return NULL;
}

const char *fault_parse(struct fault *fault, const char *text)
{
	const char *end = strchr(text, ':'), *wrong;

	*fault = (struct fault){
		.most = SIZE_MAX, .lasting = NP_TIME_NEVER, .byte = SIZE_MAX, .copies = 1};
	wrong = parse_kind(fault, text, end);
	while (!wrong && end) {
		text = end + 1;
		end = strchr(text, ':');
		wrong = parse_key(fault, text, end);
	}
	return wrong ? wrong : check(fault);
}
