// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of decimal: texts that Java prints, plain ones, and that all read back. */
#include "support/unit.h"

#include <netperf/units.h>

#include <float.h>
#include <math.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

TEST(floats_print_as_in_java)
{
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
	char text[NP_DECIMAL_TEXT];

	for (size_t i = 0; i < COUNT_OF(floats); i++)
		assert_string_equal(
			np_decimal(floats[i].value, NP_DECIMAL_FLOAT, text, sizeof(text)),
			floats[i].text);
}

TEST(doubles_print_as_in_java)
{
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
	char text[NP_DECIMAL_TEXT];

	for (size_t i = 0; i < COUNT_OF(doubles); i++)
		assert_string_equal(np_decimal(doubles[i].value, 0, text, sizeof(text)),
				    doubles[i].text);
}

TEST(plain_ones_have_no_exponent)
{
	static const struct {
		float value;
		const char *text;
	} floats[] = {
		{135300.12F, "135300.12"},
		{17594.502F, "17594.502"},
		{819.2F, "819.2"},
		{0.0F, "0.0"},
		{-0.0F, "-0.0"},
		{-1027.2007F, "-1027.2007"},
		{9999999.0F, "9999999.0"},
		{1e7F, "10000000.0"},
		{1.2e7F, "12000000.0"},
		{16777217.0F, "16777216.0"},
		{0.001F, "0.001"},
		{0.00099999F, "0.00099999"},
		{2.3283298E-10F, "0.00000000023283298"},
		{INFINITY, "Infinity"},
		{-INFINITY, "-Infinity"},
		{NAN, "NaN"},
	};
	char text[NP_DECIMAL_TEXT_MAX];

	for (size_t i = 0; i < COUNT_OF(floats); i++)
		assert_string_equal(np_decimal(floats[i].value, NP_DECIMAL_FLOAT | NP_DECIMAL_PLAIN,
					       text, sizeof(text)),
				    floats[i].text);
	assert_string_equal(np_decimal(71.77734375, NP_DECIMAL_PLAIN, text, sizeof(text)),
			    "71.77734375");
	assert_string_equal(np_decimal(1e23, NP_DECIMAL_PLAIN, text, sizeof(text)),
			    "100000000000000000000000.0");
	assert_int_equal(strlen(np_decimal(-FLT_MAX, NP_DECIMAL_FLOAT | NP_DECIMAL_PLAIN, text,
					   sizeof(text))),
			 1 + 39 + 2);
	assert_int_equal(strlen(np_decimal(-DBL_MAX, NP_DECIMAL_PLAIN, text, sizeof(text))),
			 1 + 309 + 2);
	assert_int_equal(strlen(np_decimal(-4.9e-324, NP_DECIMAL_PLAIN, text, sizeof(text))),
			 3 + 323 + 2);
}

TEST(two_decimals_at_most)
{
	static const struct {
		double value;
		const char *text;
	} doubles[] = {
		{0, "0"},
		{20, "20"},
		{100, "100"},
		{3172.09, "3172.09"},
		{3.1, "3.1"},
		{61.429, "61.43"},
		{0.125, "0.12"},
		{0.375, "0.38"},
		{1.005, "1"}, /* is a little less */
		{0.999, "1"},
		{0.005, "0.01"},
		{-0.001, "-0"},
		{-0.0, "-0"},
		{-1795252108861.5, "-1795252108861.5"},
		{9007199254740992.0, "9007199254740992"},
		{INFINITY, "\xE2\x88\x9E"},
		{-INFINITY, "-\xE2\x88\x9E"},
		{NAN, "NaN"},
		{-NAN, "NaN"},
	};
	char text[NP_DECIMAL_TEXT_MAX];

	for (size_t i = 0; i < COUNT_OF(doubles); i++)
		assert_string_equal(np_decimal_two(doubles[i].value, text, sizeof(text)),
				    doubles[i].text);
	assert_int_equal(strlen(np_decimal_two(-DBL_MAX, text, sizeof(text))), 1 + 309);
}

TEST(all_read_back)
{
	char text[NP_DECIMAL_TEXT], plain[NP_DECIMAL_PLAIN_TEXT], twice_plain[NP_DECIMAL_TEXT_MAX];
	/* make check-all has more of them. */
	const int numbers = getenv("LONG") ? 200000 : 50000;
	uint64_t seed = 1;

	for (int i = 0; i < numbers; i++) {
		uint32_t bits;
		float single;
		double twice;

		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		bits = (uint32_t)(seed >> 32);
		memcpy(&single, &bits, sizeof(single));
		memcpy(&twice, &seed, sizeof(twice));
		np_decimal(single, NP_DECIMAL_FLOAT, text, sizeof(text));
		assert_true(strtof(text, NULL) == single || isnan(single));
		assert_non_null(isfinite(single) ? strchr(text, '.') : text);
		np_decimal(twice, 0, text, sizeof(text));
		assert_true(strtod(text, NULL) == twice || isnan(twice));
		if (i % 8)
			continue;
		np_decimal(single, NP_DECIMAL_FLOAT | NP_DECIMAL_PLAIN, plain, sizeof(plain));
		assert_true(strtof(plain, NULL) == single || isnan(single));
		np_decimal(twice, NP_DECIMAL_PLAIN, twice_plain, sizeof(twice_plain));
		assert_true(strtod(twice_plain, NULL) == twice || isnan(twice));
		assert_false(isfinite(twice) && strchr(twice_plain, 'E'));
	}
}

TEST(what_does_not_fit_is_cut)
{
	char text[4];

	assert_string_equal(np_decimal(0.6666667F, NP_DECIMAL_FLOAT, text, sizeof(text)), "0.6");
	assert_string_equal(np_decimal(-INFINITY, 0, text, sizeof(text)), "-In");
	assert_string_equal(np_decimal(1e23, NP_DECIMAL_PLAIN, text, sizeof(text)), "100");
	assert_string_equal(np_decimal_two(31.25, text, sizeof(text)), "31.");
	np_decimal_two(1, NULL, 0);
}

TEST(halves_round_up)
{
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
		assert_int_equal(np_decimal_round(values[i].value), values[i].rounded);
}
