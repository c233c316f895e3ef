// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* console_time: local time with as many digits as java.sql.Timestamp prints. */
#include "console_time.h"

#include <stdio.h>
#include <time.h>

char *console_time(np_time realtime, char out[CONSOLE_TIME_TEXT])
{
	time_t seconds = realtime / NP_SECOND;
	int fraction = (int)(realtime % NP_SECOND / NP_MILLISECOND), digits = 3;
	struct tm local = {0};
	size_t length;

	localtime_r(&seconds, &local);
	length = strftime(out, CONSOLE_TIME_TEXT, "%Y-%m-%d %H:%M:%S", &local);
	for (; digits > 1 && fraction % 10 == 0; digits--)
		fraction /= 10;
	snprintf(out + length, CONSOLE_TIME_TEXT - length, ".%0*d", digits, fraction);
	return out;
}
