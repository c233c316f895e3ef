// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * units: parses and formats numbers, sizes and times, the same in every locale; finds the shortest
 * sufficient digits of a number and lays them out as Java does, or plainly.
 */
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <netperf/units.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit time_units[] = {
	{"", NP_SECOND},	{"ns", 1},	  {"us", NP_MICROSECOND},
	{"ms", NP_MILLISECOND}, {"s", NP_SECOND}, {"m", 60 * NP_SECOND},
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const char letters[] = "kmgt";

/* The factor of the suffix; 0 when it is none. */
static double factor_of(const char *suffix, const struct np_units_scale *scale)
{
	const char *letter = *suffix ? strchr(letters, tolower((unsigned char)*suffix)) : NULL;
	const char *rest = suffix + (letter != NULL), *const *unit = scale->units;
	double factor = 1;

	if (!*suffix)
		return scale->bare;
	for (const char *l = letters; letter && l <= letter; l++)
		factor *= scale->thousand;
	while (*unit && strcasecmp(rest, *unit))
		unit++;
	return !*rest || *unit ? factor : 0;
}

/* @scale: what may follow the digits; NULL: nothing, and they may be hexadecimal. */
static int parse_whole(const char *text, const struct np_units_scale *scale, uint64_t min,
		       uint64_t max, uint64_t *value)
{
	const bool hexadecimal = !scale && text[0] == '0' && tolower((unsigned char)text[1]) == 'x';
	uint64_t parsed, factor;
	bool overflow;
	char *end;

	/* strtoull also accepts blanks and a sign. */
	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	parsed = strtoull(text, &end, hexadecimal ? 16 : 10);
	overflow = errno == ERANGE;
	factor = scale ? (uint64_t)factor_of(end, scale) : !*end;
	if (!factor || !strcasecmp(end, "iB"))
		return -EINVAL;
	overflow |= __builtin_mul_overflow(parsed, factor, &parsed);
	if (overflow || parsed < min || parsed > max)
		return -ERANGE;
	*value = parsed;
	return 0;
}

int np_units_parse_count(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	return parse_whole(text, NULL, min, max, value);
}

int np_units_parse_size(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	static const char *const units[] = {"B", "iB", NULL};
	const struct np_units_scale scale = {.thousand = 1024, .bare = 1, .units = units};

	return parse_whole(text, &scale, min, max, value);
}

/* strtod(3) in the C locale. */
static double read_decimal(const char *text, char **end)
{
	/* In glibc and musl this locale is static: nothing is allocated, and it cannot fail. */
	locale_t c = newlocale(LC_ALL_MASK, "C", NULL);
	const double value = strtod_l(text, end, c);

	freelocale(c);
	return value;
}

int np_units_parse_time(const char *text, np_time min, np_time max, np_time *value)
{
	const char *unit = text + strspn(text, "0123456789.");
	uint64_t ns, factor = 0;
	double rest = 0;
	bool overflow;
	char *end;

	for (size_t i = 0; i < COUNT_OF(time_units); i++)
		factor += strcmp(unit, time_units[i].name) ? 0 : time_units[i].factor;
	errno = 0;
	ns = strtoull(text, &end, 10);
	overflow = errno == ERANGE;
	if (*end == '.')
		rest = read_decimal(end, &end);
	if (!factor || unit == text || end != unit)
		return -EINVAL;
	overflow |= __builtin_mul_overflow(ns, factor, &ns) || ns > INT64_MAX;
	/* Rounded to the nearest ns. */
	ns += (uint64_t)(rest * (double)factor + 0.5);
	if (overflow || ns > INT64_MAX || (np_time)ns < min || (np_time)ns > max)
		return -ERANGE;
	*value = (np_time)ns;
	return 0;
}

int np_units_parse_scaled(const char *text, const struct np_units_scale *scale, double min,
			  double max, double *value)
{
	/* strtod also accepts blanks, "nan", "inf" and hexadecimal. */
	const char *suffix = text + strspn(text, "0123456789.eE+-");
	const double factor = scale ? factor_of(suffix, scale) : !*suffix;
	char *end;
	const double parsed = factor * read_decimal(text, &end);

	if (factor <= 0 || suffix == text || end != suffix || *text == '+')
		return -EINVAL;
	if (!isfinite(parsed) || parsed < min || parsed > max)
		return -ERANGE;
	*value = parsed;
	return 0;
}

int np_units_parse_number(const char *text, double min, double max, double *value)
{
	return np_units_parse_scaled(text, NULL, min, max, value);
}

struct np_text np_text_of(const char *format, ...)
{
	struct np_text out;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(out.text, NP_TEXT, format, arguments);
	va_end(arguments);
	return out;
}

void np_text_append(char *out, size_t room, const char *format, ...)
{
	const size_t used = strlen(out);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(out + used, room - used, format, arguments);
	va_end(arguments);
}

static uint64_t magnitude(np_time t)
{
	return t < 0 ? -(uint64_t)t : (uint64_t)t;
}

/* Removes the zeros after the last decimal, and a point without decimals. */
static char *strip(char *text)
{
	char *end = text + strlen(text);

	while (strchr(text, '.') && strchr("0.", end[-1]))
		*--end = '\0';
	return text;
}

struct np_text np_units_format_time(np_time t)
{
	const unsigned long long size = magnitude(t);
	struct np_text out =
		np_text_of("%s%llu.%09llu", t < 0 ? "-" : "", size / NP_SECOND, size % NP_SECOND);

	strip(out.text);
	return out;
}

struct np_text np_units_format_latency(np_time t)
{
	static const char *const units[] = {"us", "ms", "s"};
	static const unsigned powers[] = {100, 10, 1};
	const char *sign = t < 0 ? "-" : "";
	const uint64_t size = magnitude(t);
	uint64_t step = 10, digits = (size + 5) / 10;
	int i = 0;

	if (size < 1000)
		return np_text_of("%s%u ns", sign, (unsigned)size);
	/* Fewer decimals, then a larger unit, while three digits are too few: 999.5 us is "1.00
	 * ms". */
	for (; digits >= 1000 && i < 8; i++) {
		step *= 10;
		digits = (size + step / 2) / step;
	}
	if (i % 3 == 2)
		return np_text_of("%s%" PRIu64 " %s", sign, digits, units[i / 3]);
	return np_text_of("%s%" PRIu64 ".%0*" PRIu64 " %s", sign, digits / powers[i % 3], 2 - i % 3,
			  digits % powers[i % 3], units[i / 3]);
}

struct np_text np_rate_format(double bytes_per_s, bool bytes)
{
	static const char prefixes[] = " kMGT";
	double value = bytes ? bytes_per_s / 1e6 : bytes_per_s * 8;
	size_t power = 0;

	/* 999.96 would be printed as 1000.0. */
	while (!bytes && value >= 999.95 && prefixes[power + 1]) {
		value /= 1000;
		power++;
	}
	if (bytes)
		return np_text_of("%.*f MB/s", value < 100 ? 2 : 1, value);
	if (power)
		return np_text_of("%.*f %cbit/s", value < 100 ? 2 : 1, value, prefixes[power]);
	return np_text_of("%.0f bit/s", value);
}

double np_units_rate(uint64_t amount, np_time elapsed)
{
	return elapsed > 0 ? (double)amount / np_clock_seconds(elapsed) : 0.0;
}

static const char *const rate_units[] = {"bit", "B", "pps", "iops"};

int np_units_parse_rate(const char *text, const char *const *units, double min, double max,
			struct np_rate *rate)
{
	static const struct {
		const char *word;
		enum np_rate_unit unit;
	} words[] = {
		{"bit", NP_RATE_BITS},	{"bit/s", NP_RATE_BITS},  {"bps", NP_RATE_BITS},
		{"b/s", NP_RATE_BITS},	{"B", NP_RATE_BYTES},	  {"B/s", NP_RATE_BYTES},
		{"Bps", NP_RATE_BYTES}, {"pps", NP_RATE_PACKETS}, {"iops", NP_RATE_IOS},
	};
	const char *word = text + strspn(text, "0123456789.");
	const char *typed[] = {word + (*word && strchr("kKmMgGtT", *word)), NULL};
	const struct np_units_scale scale = {.thousand = 1000, .bare = 1, .units = typed};
	size_t i = 0;

	word = *typed;
	if (!*word)
		word = *units;
	while (i < COUNT_OF(words) && strcmp(word, words[i].word))
		i++;
	while (i < COUNT_OF(words) && *units && strcmp(*units, rate_units[words[i].unit]))
		units++;
	if (i == COUNT_OF(words) || !*units)
		return -EINVAL;
	rate->unit = words[i].unit;
	return np_units_parse_scaled(text, &scale, min, max, &rate->per_s);
}

#define FLOAT_DIGITS  9	 /* enough for any float, */
#define DOUBLE_DIGITS 17 /* for any double */

/*
 * Whether @count digits read back as @value, which is positive; stores them and their exponent:
 * @digits * 10^@exponent. Just above a power of two the gap below is half as wide: there the
 * nearest digits may miss the value, and the next higher ones do not.
 */
static bool enough(double value, bool is_float, int count, uint64_t *digits, int *exponent)
{
	char text[48];
	const char *at = text;

	snprintf(text, sizeof(text), "%.*e", count - 1, value);
	*digits = 0;
	for (; *at != 'e'; at++) {
		if (isdigit((unsigned char)*at))
			*digits = *digits * 10 + (uint64_t)(*at - '0');
	}
	*exponent = (int)strtol(at + 1, NULL, 10) - count + 1;
	for (int i = 0; i < 2; i++, ++*digits) {
		/* Without a decimal point the locale does not matter. */
		snprintf(text, sizeof(text), "%" PRIu64 "e%d", *digits, *exponent);
		if (is_float ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value)
			return true;
	}
	return false;
}

char *np_decimal(double value, unsigned how, char *out, size_t room)
{
	const char *sign = signbit(value) && !isnan(value) ? "-" : "";
	const bool is_float = how & NP_DECIMAL_FLOAT;
	const int most = is_float ? FLOAT_DIGITS : DOUBLE_DIGITS;
	/* 0.d1d2d3... * 10^point. Java never prints fewer than two digits: 4.9E-324, not 5E-324. */
	char digits[DOUBLE_DIGITS + 8] = "0", text[NP_DECIMAL_TEXT_MAX], *at = text;
	int point = 1, count = 2, exponent = 0, length = 1, last;
	uint64_t number;

	if (!isfinite(value)) {
		snprintf(out, room, "%s%s", sign, isnan(value) ? "NaN" : "Infinity");
		return out;
	}
	if (value != 0) {
		while (!enough(fabs(value), is_float, count, &number, &exponent) && count < most)
			count++;
		length = snprintf(digits, sizeof(digits), "%" PRIu64, number);
		point = length + exponent;
		exponent = 0;
	}
	while (length > 1 && digits[length - 1] == '0')
		length--;
	if (!(how & NP_DECIMAL_PLAIN) && (point > 7 || point < -2)) {
		exponent = point - 1;
		point = 1;
	}
	/* From the first digit, or the one before the point, to the last, or the one after it. */
	last = length > point ? length - 1 : point;
	for (int place = point < 1 ? point - 1 : 0; place <= last; place++) {
		*at++ = place < 0 || place >= length ? '0' : digits[place];
		if (place == point - 1)
			*at++ = '.';
	}
	*at = '\0';
	snprintf(out, room, exponent ? "%s%sE%d" : "%s%s", sign, text, exponent);
	return out;
}

char *np_decimal_two(double value, char *out, size_t room)
{
	char text[NP_DECIMAL_TEXT_MAX];
	int length, whole;

	if (!isfinite(value)) {
		snprintf(out, room, "%s", isnan(value) ? "NaN" : value < 0 ? "-\u221E" : "\u221E");
		return out;
	}
	length = snprintf(text, sizeof(text), "%.2f", value);
	whole = (int)strspn(text, "-0123456789"); /* the locale's decimal point follows */
	text[whole] = '.';
	memmove(text + whole + 1, text + length - 2, 3);
	snprintf(out, room, "%s", strip(text));
	return out;
}

int32_t np_decimal_round(float value)
{
	if (isnan(value))
		return 0;

	/* Exact: a float has 24 bits, so the sum has at most 32 here, or no fraction. */
	const double sum = (double)value + 0.5;

	if (sum >= INT32_MAX)
		return INT32_MAX;
	if (sum <= INT32_MIN)
		return INT32_MIN;
	return (int32_t)sum - (sum < (int32_t)sum); /* round down */
}
