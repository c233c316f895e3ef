// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of decimal: texts that Java prints, plain ones, and that all read back. */
#include "support/unit.h"

#include <netperf/units.h>

#include <float.h>
#include <math.h>

/*
 * How a value is printed, of cases as "4e-1=0.4|nan=NaN": what is before a "=" is read by the C
 * library, which rounds correctly. @kind: as np_decimal() has it; TWO: by np_decimal_two().
 */
#define TWO 0x100
static void prints(unsigned kind, const char *cases)
{
	struct unit_texts texts = {.rest = cases};
	char text[NP_DECIMAL_TEXT_MAX];

	while (unit_next(&texts)) {
		const double value = kind & NP_DECIMAL_FLOAT ? (double)strtof(texts.text, NULL)
							     : strtod(texts.text, NULL);

		if (kind == TWO)
			np_decimal_two(value, text, sizeof(text));
		else
			np_decimal(value, kind, text,
				   kind & NP_DECIMAL_PLAIN ? sizeof(text) : NP_DECIMAL_TEXT);
		if (strcmp(text, texts.value) != 0)
			fail_msg("%s: %s instead of %s", texts.text, text, texts.value);
	}
}

TEST(floats_print_as_in_java)
{
	prints(NP_DECIMAL_FLOAT,
	       "1=1.0|0=0.0|-0=-0.0|0.666666687=0.6666667|1.33333337=1.3333334|"
	       "0.333333343=0.33333334|20=20.0|0.97788=0.97788|0.981354296=0.9813543|"
	       "2.3283298e-10=2.3283298E-10|100.60564=100.60564|0.001=0.001|0.0099=0.0099|"
	       "0.00099999=9.9999E-4|9999999=9999999.0|1e7=1.0E7|1.2e7=1.2E7|1234500=1234500.0|"
	       "16777216=1.6777216E7|3.40282347e38=3.4028235E38|1.17549435e-38=1.1754944E-38|"
	       "1e-45=1.4E-45|1.54742505e26=1.5474251E26|inf=Infinity|-inf=-Infinity|nan=NaN|"
	       "-nan=NaN|-1.5=-1.5");
}

TEST(doubles_print_as_in_java)
{
	prints(0, "-1e-6=-1.0E-6|0.123456=0.123456|1=1.0|0.30000000000000004=0.30000000000000004|"
		  "2e-3=0.002|1e23=1.0E23|2e23=2.0E23|4.9e-324=4.9E-324|"
		  "1.7976931348623157e308=1.7976931348623157E308|"
		  "2.2250738585072014e-308=2.2250738585072014E-308|0x1p-24=5.960464477539063E-8|"
		  "0x1p-44=5.684341886080802E-14|9007199254740993=9.007199254740992E15");
}

TEST(plain_ones_have_no_exponent)
{
	char text[NP_DECIMAL_TEXT_MAX];

	prints(NP_DECIMAL_FLOAT | NP_DECIMAL_PLAIN,
	       "135300.12=135300.12|17594.502=17594.502|819.2=819.2|0=0.0|-0=-0.0|"
	       "-1027.2007=-1027.2007|9999999=9999999.0|1e7=10000000.0|1.2e7=12000000.0|"
	       "16777217=16777216.0|0.001=0.001|0.00099999=0.00099999|"
	       "2.3283298E-10=0.00000000023283298|inf=Infinity|-inf=-Infinity|nan=NaN");
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
	char text[NP_DECIMAL_TEXT_MAX];

	/* 1.005 is a little less. */
	prints(TWO, "0=0|20=20|100=100|3172.09=3172.09|3.1=3.1|61.429=61.43|0.125=0.12|0.375=0.38|"
		    "1.005=1|0.999=1|0.005=0.01|-0.001=-0|-0=-0|-1795252108861.5=-1795252108861.5|"
		    "9007199254740992=9007199254740992|inf=\xE2\x88\x9E|-inf=-\xE2\x88\x9E|"
		    "nan=NaN|-nan=NaN");
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
	/* In floats the sums of the third and the fourth would be 1.0, and 8388610.0. */
	struct unit_texts cases = {
		.rest = "0=0|0.5=1|0.49999997=0|8388609=8388609|-0.5=0|-0.50000006=-1|1.5=2|"
			"-1.5=-1|2.4999998=2|102880.66=102881|2147483520=2147483520|"
			"2147483648=2147483647|1e20=2147483647|-2147483648=-2147483648|"
			"-inf=-2147483648|nan=0"};

	while (unit_next(&cases))
		assert_int_equal(np_decimal_round(strtof(cases.text, NULL)),
				 strtol(cases.value, NULL, 10));
}
