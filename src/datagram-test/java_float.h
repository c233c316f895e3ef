/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * java_float: floating-point numbers as Java prints and rounds them: the shortest digits that
 * read back as the same number, at least one behind the point ("1.0", "0.6666667"); outside
 * 0.001 <= |x| < 10^7 with an exponent ("2.3283298E-10"). "NaN", "Infinity", "-Infinity". The
 * same in every locale. Source: Float.toString, Double.toString and Math.round of JDK 19 and
 * later; earlier ones sometimes print a digit more.
 */
#ifndef JAVA_FLOAT_H
#define JAVA_FLOAT_H

#include <stddef.h>
#include <stdint.h>

/* Room for any of them. */
#define JAVA_FLOAT_TEXT 32

/* Return @out, of @room bytes; what does not fit is cut. */
char *java_float(float value, char *out, size_t room);
char *java_double(double value, char *out, size_t room);

/* floor(value + 1/2), exactly; 0 for NaN, the nearest int32 for what is beyond. */
int32_t java_round(float value);

#endif
