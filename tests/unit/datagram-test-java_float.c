// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit tests of java_float: texts that Java prints, and that all read back. */
#include "src/datagram-test/java_float.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static void floats_print_as_in_java(void **state)
{
	(void)state;
	static const struct {
		float value;
		const char *text;
	} floats[] = {
		{1.0F, "1.0"},
		{0.0F, "0.0"},
		{-0.0F, "-0.0"},
		{4.0F / 6, "0.6666667"},
		{4.0F / 3, "1.3333334"},
		{7.0F / 21, "0.33333334"},
		{20.0F, "20.0"},
		{0.97788F, "0.97788"},
		{600000.0F / 611400, "0.9813543"},
		{100000.0F / 429492434632705.0F, "2.3283298E-10"},
		{100.60564F, "100.60564"},
		{0.001F, "0.001"},
		{0.0099F, "0.0099"},
		{0.00099999F, "9.9999E-4"},
		{9999999.0F, "9999999.0"},
		{1e7F, "1.0E7"},
		{1.2e7F, "1.2E7"},
		{1234500.0F, "1234500.0"},
		{16777216.0F, "1.6777216E7"},
		{FLT_MAX, "3.4028235E38"},
		{FLT_MIN, "1.1754944E-38"},
		{1e-45F, "1.4E-45"},
		{1.54742505e26F, "1.5474251E26"},
		{INFINITY, "Infinity"},
		{-INFINITY, "-Infinity"},
		{NAN, "NaN"},
		{-NAN, "NaN"},
		{-1.5F, "-1.5"},
	};
	char text[JAVA_FLOAT_TEXT];

	for (size_t i = 0; i < COUNT_OF(floats); i++)
		assert_string_equal(java_float(floats[i].value, text, sizeof(text)),
				    floats[i].text);
}

static void doubles_print_as_in_java(void **state)
{
	(void)state;
	static const struct {
		double value;
		const char *text;
	} doubles[] = {
		{-1 / 1e6, "-1.0E-6"},
		{123456 / 1e6, "0.123456"},
		{1000000 / 1e6, "1.0"},
		{0.1 + 0.2, "0.30000000000000004"},
		{2e-3, "0.002"},
		{1e23, "1.0E23"},
		{2e23, "2.0E23"},
		{4.9e-324, "4.9E-324"},
		{DBL_MAX, "1.7976931348623157E308"},
		{DBL_MIN, "2.2250738585072014E-308"},
		{0x1p-24, "5.960464477539063E-8"},
		{0x1p-44, "5.684341886080802E-14"},
		{9007199254740993.0, "9.007199254740992E15"},
	};
	char text[JAVA_FLOAT_TEXT];

	for (size_t i = 0; i < COUNT_OF(doubles); i++)
		assert_string_equal(java_double(doubles[i].value, text, sizeof(text)),
				    doubles[i].text);
}

static void all_read_back(void **state)
{
	(void)state;
	char text[JAVA_FLOAT_TEXT];
	uint64_t seed = 1;

	for (int i = 0; i < 200000; i++) {
		uint32_t bits;
		float single;
		double twice;

		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		bits = (uint32_t)(seed >> 32);
		memcpy(&single, &bits, sizeof(single));
		memcpy(&twice, &seed, sizeof(twice));
		java_float(single, text, sizeof(text));
		assert_true(strtof(text, NULL) == single || isnan(single));
		assert_non_null(isfinite(single) ? strchr(text, '.') : text);
		java_double(twice, text, sizeof(text));
		assert_true(strtod(text, NULL) == twice || isnan(twice));
	}
}

static void what_does_not_fit_is_cut(void **state)
{
	(void)state;
	char text[4];

	assert_string_equal(java_float(0.6666667F, text, sizeof(text)), "0.6");
	assert_string_equal(java_double(-INFINITY, text, sizeof(text)), "-In");
}

static void halves_round_up(void **state)
{
	(void)state;
	static const struct {
		float value;
		int32_t rounded;
	} values[] = {
		{0.0F, 0},
		{0.5F, 1},
		{-0.5F, 0},
		{-0.50000006F, -1},
		{1.5F, 2},
		{-1.5F, -1},
		{2.4999998F, 2},
		/* In floats the sum would be 1.0, and 8388610.0. */
		{0.49999997F, 0},
		{8388609.0F, 8388609},
		{102880.66F, 102881},
		{2147483520.0F, 2147483520},
		{2147483648.0F, INT32_MAX},
		{1e20F, INT32_MAX},
		{-2147483648.0F, INT32_MIN},
		{-INFINITY, INT32_MIN},
		{NAN, 0},
	};

	for (size_t i = 0; i < COUNT_OF(values); i++)
		assert_int_equal(java_round(values[i].value), values[i].rounded);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(floats_print_as_in_java),
		cmocka_unit_test(doubles_print_as_in_java),
		cmocka_unit_test(all_read_back),
		cmocka_unit_test(what_does_not_fit_is_cut),
		cmocka_unit_test(halves_round_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
