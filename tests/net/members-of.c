// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * members-of TYPE FILE FILTER: what jq -r 'select(.type == "TYPE") | FILTER' prints of a file with
 * a record in each line, where FILTER has only members, as .lost_packets, .flows[0].bytes or
 * "\(.exact) \(.bytes)", and commas between those. Anything else, even a file that is no JSON, is
 * exit status 3 without output, and left to jq, which takes 25 ms to start in its version 1.6: the
 * tests ask some thousand times.
 */
#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *out; /* all of it, until it is complete */

static void leave_to_jq(void)
{
	exit(3);
}

/* As jq prints it; of a number that it would round, or print with an exponent, nothing. */
static void print_real(double value)
{
	char text[64];
	int digits = 1;

	do
		snprintf(text, sizeof(text), "%.*g", digits, value);
	while (strtod(text, NULL) != value && ++digits <= 17);
	if (strchr(text, 'e'))
		snprintf(text, sizeof(text), "%.*f", 0, value);
	if (strtod(text, NULL) != value || fabs(value) > 0x1p53)
		leave_to_jq();
	fputs(text, out);
}

static void print(const json_t *value)
{
	if (json_is_number(value) && fabs(json_number_value(value)) < 0x1p53)
		print_real(json_number_value(value));
	else if (json_is_string(value))
		fputs(json_string_value(value), out);
	else if (json_is_boolean(value))
		fputs(json_is_true(value) ? "true" : "false", out);
	else if (json_is_null(value))
		fputs("null", out);
	else
		leave_to_jq();
}

/* The member NAME or [NUMBER] of @from at @at, behind which @at is then. */
static const json_t *step(const json_t *from, const char **at)
{
	static json_t *none;
	char name[128];
	size_t length = 0;
	const json_t *member;

	none = none ? none : json_null();
	if (**at == '[') {
		char *end;
		unsigned long number = strtoul(*at + 1, &end, 10);

		if (!isdigit((unsigned char)(*at)[1]) || *end != ']' ||
		    (!json_is_array(from) && !json_is_null(from)))
			leave_to_jq();
		*at = end + 1;
		member = json_array_get(from, number);
		return member ? member : none;
	}
	while (isalnum((unsigned char)(*at)[length]) || (*at)[length] == '_')
		length++;
	if (!length || isdigit((unsigned char)**at) || length >= sizeof(name) ||
	    (!json_is_object(from) && !json_is_null(from)))
		leave_to_jq();
	memcpy(name, *at, length);
	name[length] = '\0';
	*at += length;
	member = json_object_get(from, name);
	return member ? member : none;
}

static void print_path(const json_t *record, const char **at)
{
	const json_t *value = record;

	if (**at != '.')
		leave_to_jq();
	while (**at == '.' || **at == '[') {
		if (**at == '.')
			++*at;
		value = step(value, at);
	}
	print(value);
}

static void print_text(const json_t *record, const char **at)
{
	for (++*at; **at != '"';) {
		if (**at == '\\' && (*at)[1] == '(') {
			*at += 2;
			print_path(record, at);
			if (**at != ')')
				leave_to_jq();
		} else if (**at == '\\' || !**at) {
			leave_to_jq();
		} else {
			fputc(**at, out);
		}
		++*at;
	}
	++*at;
}

static void print_record(const json_t *record, const char *filter)
{
	for (;;) {
		if (*filter == '"')
			print_text(record, &filter);
		else
			print_path(record, &filter);
		fputc('\n', out);
		if (*filter != ',')
			break;
		filter += 1 + strspn(filter + 1, " \t\n");
	}
	if (*filter)
		leave_to_jq();
}

int main(int argc, char *argv[])
{
	char *text = NULL, *line = NULL;
	size_t bytes = 0, room = 0;
	FILE *in = argc == 4 ? fopen(argv[2], "r") : NULL;

	out = open_memstream(&text, &bytes);
	if (!in || !out)
		leave_to_jq();
	while (getline(&line, &room, in) > 0) {
		json_t *record = json_loads(line, 0, NULL);
		const char *type = json_string_value(json_object_get(record, "type"));

		if (!record)
			leave_to_jq();
		if (type && !strcmp(type, argv[1]))
			print_record(record, argv[3]);
		json_decref(record);
	}
	if (ferror(in) || fclose(out))
		leave_to_jq();
	fputs(text, stdout);
	/* What was printed must not be printed again, because a sanitizer finds memory here. */
	fclose(in);
	free(line);
	free(text);
	return fflush(stdout) ? 3 : 0;
}
