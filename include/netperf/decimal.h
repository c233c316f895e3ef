/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * decimal: floating-point numbers as Java's programs print and round them, the same in every
 * locale. "NaN" (without a sign), "Infinity" and "-Infinity", except by np_decimal_two.
 *
 * All functions are pure and thread-safe. Those that print return @out, of @room bytes; a longer
 * text is truncated.
 */
#ifndef NETPERF_DECIMAL_H
#define NETPERF_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

#include <netperf/bits/begin.h>

/* Room for np_decimal_float and np_decimal_double, for np_decimal_plain_float, and for any. */
#define NP_DECIMAL_TEXT	      32
#define NP_DECIMAL_PLAIN_TEXT 64
#define NP_DECIMAL_TEXT_MAX   352

/*
 * The shortest digits that read back as the same number, with at least one decimal ("1.0",
 * "0.6666667", "-0.0"); outside 0.001 <=
 * value
 *  < 10^7 with an exponent ("2.3283298E-10"). Source: Float.toString and Double.toString of JDK 19
 *  and later; earlier versions sometimes print one digit more.
 */
char *np_decimal_float(float value, char *out, size_t room);
char *np_decimal_double(double value, char *out, size_t room);

/* The same digits without an exponent: "135300.12", "12000000.0", "0.00000000023283298". */
char *np_decimal_plain_float(float value, char *out, size_t room);
char *np_decimal_plain_double(double value, char *out, size_t room);

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

#include <netperf/bits/end.h>
#endif
