/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * units: numbers as people type and read them. Parsing accepts the whole text or fails: no sign
 * where none makes sense, no trailing words, no octal, no silent overflow. Returns 0, -EINVAL when
 * @text is malformed, -ERANGE when its value lies outside @min..@max (both included); *@value is
 * written on success only.
 */
#pragma once

#include <netperf/clock.h>

/* The ending of an English noun that follows this number: "" or "s". */
static inline const char *np_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

#define NP_CACHE_LINE 64 /* bytes */

/* The lower of two. */
static inline uint64_t np_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* A whole number in decimal, or in hexadecimal after 0x. */
int np_units_parse_count(const char *text, uint64_t min, uint64_t max, uint64_t *value);

/*
 * Bytes: a whole decimal number, optionally followed by k, M, G or T (powers of 1024) in either
 * case and by B or iB ("20480", "20k", "20480B", "1MiB").
 */
int np_units_parse_size(const char *text, uint64_t min, uint64_t max, uint64_t *value);

/*
 * A length of time in ns: a decimal number of seconds, or one followed by ns, us, ms, s or m ("10",
 * "0.25", ".5", "100us"). Rounded to the nearest ns.
 */
int np_units_parse_time(const char *text, np_time min, np_time max, np_time *value);

/* A finite decimal number ("12.5", "-3", "1e6"). */
int np_units_parse_number(const char *text, double min, double max, double *value);

/* How a number may be scaled. */
struct np_units_scale {
	unsigned int thousand;	  /* 1000 or 1024: the value of k; M is k times k, then G and T */
	double bare;		  /* the value of 1 without a suffix */
	const char *const *units; /* what may follow the letter; NULL-terminated */
};

/*
 * A decimal number, optionally followed by k, M, G or T and one of the units, all in either case:
 * "100", "1.5M", "4KB". @min and @max apply to the scaled value. @scale NULL: nothing may follow.
 */
int np_units_parse_scaled(const char *text, const struct np_units_scale *scale, double min,
			  double max, double *value);

/* What a rate counts; their words are "bit", "B", "pps" and "iops". */
enum np_rate_unit { NP_RATE_BITS, NP_RATE_BYTES, NP_RATE_PACKETS, NP_RATE_IOS };

struct np_rate {
	double per_s;
	enum np_rate_unit unit;
};

/* It in bytes a second; of packets or I/Os, @bytes each. */
static inline double np_rate_bytes(const struct np_rate *rate, double bytes)
{
	return rate->per_s * (rate->unit == NP_RATE_BITS    ? 1.0 / 8
			      : rate->unit == NP_RATE_BYTES ? 1
							    : bytes);
}

/*
 * A rate: a decimal number, optionally followed by k, M, G or T (powers of 1000) in either case and
 * by one of @units, which are such words, NULL-terminated; bit and B may also be bit/s,
 * bps, b/s, B/s and Bps ("100M", "100Mbit/s", "100Mbps", "12.5MB", "20kpps"). A bare number has the
 * first unit; if that is "", it is -EINVAL. @min and @max apply to the number per second, whatever
 * its unit.
 */
int np_units_parse_rate(const char *text, const char *const *units, double min, double max,
			struct np_rate *rate);

/* A number as text. As an argument, f(np_units_format_time(t).text), it lives until f returns. */
#define NP_TEXT 32
struct np_text {
	char text[NP_TEXT];
};

/* The text of a format and its arguments, as much as there is room for. */
__attribute__((format(printf, 1, 2))) struct np_text np_text_of(const char *format, ...);

/* Appends to the text @out, whose room is @room bytes, as much as there is room for. */
__attribute__((format(printf, 3, 4))) void np_text_append(char *out, size_t room,
							  const char *format, ...);

/* @t as np_units_parse_time reads it, in seconds with up to nine decimals ("10", "0.25"). */
struct np_text np_units_format_time(np_time t);

/* @t for people with a fitting unit and three digits: "85.2 us", "1.00 s". */
struct np_text np_units_format_latency(np_time t);

/* The name of a DSCP, 0 to 63 ("EF", "CS0", "AF41"), or its number where it has none. */
struct np_text np_units_format_dscp(unsigned dscp);

/* "998.2 Mbit/s", or "124.8 MB/s" if @bytes. */
struct np_text np_rate_format(double bytes_per_s, bool bytes);

/* @amount per second over @elapsed; 0 when @elapsed is not positive. */
double np_units_rate(uint64_t amount, np_time elapsed);

/*
 * Floating-point numbers as Java's programs print and round them, the same in every
 * locale. "NaN" (without a sign), "Infinity" and "-Infinity", except by np_decimal_two. Those that
 * print return @out, of @room bytes; a longer text is truncated.
 */

/* Room for np_decimal, for a float by NP_DECIMAL_PLAIN, and for any. */
#define NP_DECIMAL_TEXT	      32
#define NP_DECIMAL_PLAIN_TEXT 64
#define NP_DECIMAL_TEXT_MAX   352

#define NP_DECIMAL_FLOAT      1 /* @value is a float; else the digits are those of a double */
#define NP_DECIMAL_PLAIN      2 /* no exponent: "135300.12", "12000000.0", "0.00000000023283298" */

/*
 * The shortest digits that read back as the same number, with at least one decimal ("1.0",
 * "0.6666667", "-0.0"); outside 0.001 <= value < 10^7 with an exponent ("2.3283298E-10"). @how: the
 * flags above. Source: Float.toString and Double.toString of JDK 19 and later.
 */
char *np_decimal(double value, unsigned how, char *out, size_t room);

/*
 * At most two decimals, without trailing zeros and without grouping: "3172.09", "3.1", "20", "-0"
 * for -0.001; halves of the binary value round to the even digit ("0.12" for 0.125). Infinity is
 * its sign and U+221E in UTF-8. Source: java.text.DecimalFormat with at most two fraction digits.
 */
char *np_decimal_two(double value, char *out, size_t room);

/*
 * floor(value + 1/2), exactly; 0 for NaN, the nearest int32 for values out of range. Source:
 * Math.round(float).
 */
int32_t np_decimal_round(float value);
