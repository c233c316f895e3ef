// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* decimal-locale: a program in the locale of its environment; prints that locale's point, and
 * numbers by the library. */
#include <locale.h>
#include <netperf/units.h>
#include <stdio.h>

int main(void)
{
	char text[NP_DECIMAL_TEXT_MAX];

	if (!setlocale(LC_ALL, ""))
		return 1;
	printf("%s", localeconv()->decimal_point);
	printf(" %s", np_decimal(0.5F, NP_DECIMAL_FLOAT, text, sizeof(text)));
	printf(" %s", np_decimal(0.5F, NP_DECIMAL_FLOAT | NP_DECIMAL_PLAIN, text, sizeof(text)));
	printf(" %s\n", np_decimal_two(1234567.891, text, sizeof(text)));
	return 0;
}
