// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* The files of a run, byte by byte. */
#include "../../src/ttcp/files/files.h"

#include "support/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MS NP_MILLISECOND

/* A scratch directory, the working one while a test runs. */
static int enter(void **state)
{
	char *folder = strdup("/tmp/ttcp-recorder.XXXXXX");

	*state = folder;
	return !folder || !mkdtemp(folder) || chdir(folder) ? -1 : 0;
}

static int leave(void **state)
{
	char *folder = *state;
	int rc = chdir("/") || rmdir(folder);

	free(folder);
	return rc ? -1 : 0;
}

ALL_TESTS_WITH(enter, leave)

/* Compares and removes. */
static void expect_file(const char *path, const char *want)
{
	static char text[4096];
	FILE *file = fopen(path, "r");
	size_t length;

	assert_non_null(file);
	length = fread(text, 1, sizeof(text) - 1, file);
	text[length] = '\0';
	fclose(file);
	assert_string_equal(text, want);
	assert_int_equal(unlink(path), 0);
}

static bool never_began;

/* Opens and starts one. */
static struct recorder *started(enum recorder_kind kind, const char *path, const char *mode)
{
	struct recorder *recorder;

	assert_int_equal(recorder_open(&recorder, kind, path, &never_began), 0);
	assert_int_equal(recorder_begin(recorder, mode), 0);
	return recorder;
}

TEST(delays)
{
	static const struct recorder_delay row[] = {
		{"400,400", 0, 512, INT64_C(1154730964371) * MS, INT64_C(1154731045938) * MS,
		 INT64_C(1154730964464) * MS},
		{"400,400", 1, 512, INT64_C(1154730964402) * MS + 999999,
		 INT64_C(1154731045954) * MS + 1, INT64_C(1154730964464) * MS},
		{"[fd00::2]:5001", UINT64_MAX, UINT32_MAX, 5, INT64_MIN, 5},
		{"10.9.0.2:5001", 3, 100, INT64_C(1154730964371123456),
		 INT64_C(1154730964371200000), INT64_C(1154730964371323456)},
	};
	struct recorder *recorder = started(RECORDER_DELAY, "d", "Overlay");

	assert_string_equal(recorder_path(recorder), "d");
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
		recorder_delay(recorder, &row[i]);
	assert_int_equal(recorder_close(recorder), 0);
	assert_int_equal(recorder_close(started(RECORDER_DELAY, "e", "TCP")), 0);
	expect_file("e", "TCP\nreceiver\tsequence#\tsize(byte)\tsent\treceived\tacked\t"
			 "RTT\tdelay\tthrouput(kbps)\n");
	expect_file("d", "Overlay\n"
			 "receiver\tsequence#\tsize(byte)\tsent\treceived\tacked\tRTT\tdelay\t"
			 "throuput(kbps)\n"
			 "400,400\t0\t512\t1154730964371\t1154731045938\t1154730964464\t93\t46\t"
			 "89.04348\n"
			 "400,400\t1\t512\t1154730964402\t1154731045954\t1154730964464\t62\t31\t"
			 "132.12903\n"
			 "[fd00::2]:5001\t18446744073709551615\t4294967295\t0.000005\t"
			 "-9223372036854.775808\t0.000005\t0\t0\tInfinity\n"
			 "10.9.0.2:5001\t3\t100\t1154730964371.123456\t1154730964371.2\t"
			 "1154730964371.323456\t0.2\t0.1\t8000.0\n");
}

TEST(sequences)
{
	const np_time first = INT64_C(1154730964371) * MS + 7;
	struct recorder *recorder = started(RECORDER_SEQUENCE, "s", NULL);

	recorder_sequence(recorder, 0, first - 31 * MS, first);
	recorder_sequence(recorder, 2, first + 500, first + 31 * MS);
	recorder_sequence(recorder, 1, INT64_MIN, first + 31 * MS + 250);
	assert_int_equal(recorder_close(recorder), 0);
	expect_file("s",
		    "# sequence#\treceived\tsent time\treceived time\tpseudo-delay\tafter reply\n"
		    "0\t1\t-31\t0\t31\t0\n"
		    "2\t1\t0.0005\t31\t30.9995\t0\n"
		    "1\t1\t8068641072483.775801\t31.00025\t-8068641072452.775551\t0\n");
}

TEST(bandwidths)
{
	struct recorder *recorder = started(RECORDER_BANDWIDTH, "b", NULL);
	struct window_row row = {.end = 500 * MS,
				 .elapsed = 500 * MS,
				 .messages = 3,
				 .bytes = 3000,
				 .kilobits_per_s = 48};

	recorder_bandwidth(recorder, &row);
	row = (struct window_row){.end = 612500000, .kilobits_per_s = 0};
	recorder_bandwidth(recorder, &row);
	assert_int_equal(recorder_flush(recorder), 0);
	/* It is complete while it is still open. */
	expect_file("b", "# end_ms\tpackets\tbytes\tkbps\n500\t3\t3000\t48.0\n612.5\t0\t0\t0.0\n");
	assert_int_equal(recorder_close(recorder), 0);
}

TEST(logs)
{
	struct recorder *recorder;

	for (uint64_t run = 1; run <= 2; run++) {
		assert_int_equal(recorder_open(&recorder, RECORDER_LOG, "l", &never_began), 0);
		recorder_log(recorder, INT64_C(1154730964371) * MS, "TCP Transmit", run,
			     "one\ntwo\n");
		assert_int_equal(recorder_close(recorder), 0);
	}
	expect_file("l", "2006-08-04T22:36:04Z\tTCP Transmit\t1\tone\n"
			 "2006-08-04T22:36:04Z\tTCP Transmit\t1\ttwo\n"
			 "2006-08-04T22:36:04Z\tTCP Transmit\t2\tone\n"
			 "2006-08-04T22:36:04Z\tTCP Transmit\t2\ttwo\n");
}

TEST(failures)
{
	struct recorder *recorder = (void *)(uintptr_t)1;

	assert_int_equal(recorder_open(&recorder, RECORDER_LOG, "no/such/file", &never_began),
			 -ENOENT);
	assert_null(recorder);
	assert_int_equal(recorder_open(&recorder, RECORDER_LOG, "/", &never_began), -EISDIR);
	assert_int_equal(recorder_close(NULL), 0);
	if (access("/dev/full", W_OK))
		return;
	assert_int_equal(recorder_open(&recorder, RECORDER_SEQUENCE, "/dev/full", &never_began), 0);
	assert_int_equal(recorder_begin(recorder, NULL), -ENOSPC);
	assert_int_equal(recorder_close(recorder), -ENOSPC);
	assert_int_equal(recorder_open(&recorder, RECORDER_LOG, "/dev/full", &never_began), 0);
	recorder_log(recorder, 0, "m", 1, "text");
	assert_int_equal(recorder_flush(recorder), -ENOSPC);
	assert_int_equal(recorder_close(recorder), -ENOSPC);
}

/* What an earlier run left stays until there is a row; what was made for none goes. */
TEST(runs_that_never_began)
{
	struct recorder *recorder = started(RECORDER_SEQUENCE, "s", NULL);
	const char *const made[] = {"s", "l"};

	recorder_sequence(recorder, 0, 5, 5);
	assert_int_equal(recorder_close(recorder), 0);
	recorder = started(RECORDER_BANDWIDTH, "s", NULL);
	never_began = true;
	assert_int_equal(recorder_close(recorder), 0);
	expect_file("s",
		    "# sequence#\treceived\tsent time\treceived time\tpseudo-delay\tafter reply\n"
		    "0\t1\t0\t0\t0\t0\n");
	for (size_t i = 0; i < 2; i++) {
		never_began = false;
		if (i)
			assert_int_equal(
				recorder_open(&recorder, RECORDER_LOG, made[i], &never_began), 0);
		else
			recorder = started(RECORDER_SEQUENCE, made[i], NULL);
		never_began = true;
		assert_int_equal(recorder_close(recorder), 0);
		assert_int_equal(access(made[i], F_OK), -1);
	}
	never_began = false;
}
