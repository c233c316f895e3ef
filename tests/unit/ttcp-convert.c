// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* From sequence and delay files to density and smoothed delay; files that are damaged. */
#include "../../src/ttcp/files/convert.h"

#include "page.h"
#include "support/unit.h"

static struct convert c;

/* @receiver NULL: a sequence file. */
static int read_text(const char *text, const char *receiver)
{
	FILE *file = fmemopen((char *)(uintptr_t)text, strlen(text), "r");
	int rc;

	assert_non_null(file);
	c = (struct convert){.receiver = receiver};
	rc = convert_read(&c, file);
	fclose(file);
	return rc;
}

static void expect_output(const char *text, const char *receiver, uint64_t interval,
			  const char *want)
{
	struct page *page = page_open();

	assert_int_equal(read_text(text, receiver), 0);
	convert_write(&c, interval, page->out);
	page_expect(page, want);
	free(c.row);
}

#define SEQUENCE_HEAD "# sequence#\treceived\tsent time\treceived time\tpseudo-delay\tafter reply\n"
#define ROW(number)   #number "\t1\t-0.5\t0\t0.5\t0\n"

TEST(densities)
{
	expect_output(SEQUENCE_HEAD ROW(0) ROW(1) ROW(2) ROW(3), NULL, 2,
		      "# first\tdensity\n0\t1.0\n2\t1.0\n");
	/* Out of order, doubled, gaps, an empty window, a narrow last one. */
	expect_output(SEQUENCE_HEAD ROW(3) ROW(1) ROW(1) ROW(0) ROW(13) ROW(12), NULL, 4,
		      "# first\tdensity\n0\t0.75\n4\t0.0\n8\t0.0\n12\t1.0\n");
	expect_output(ROW(2), NULL, 10, "# first\tdensity\n0\t0.3333333333333333\n");
	expect_output(ROW(0), NULL, UINT64_C(1) << 40, "# first\tdensity\n0\t1.0\n");
	expect_output("", NULL, 10, "# first\tdensity\n");
	expect_output("0   1  31 0 -31   0\r\n\n", NULL, 10, "# first\tdensity\n0\t1.0\n");
}

/* Files of which @rows are read until one is not. */
struct damage {
	const char *text;
	uint64_t line, rows;
	const char *reason;
};

static void expect_damage(const struct damage *files, size_t count, const char *receiver)
{
	for (const struct damage *file = files; file < files + count; file++) {
		/* An empty buffer is none to fmemopen. */
		assert_int_equal(read_text(*file->text ? file->text : "#\n", receiver), -EBADMSG);
		assert_string_equal(c.reason, file->reason);
		if (*file->text)
			assert_int_equal(c.line, file->line);
		assert_int_equal(c.count, file->rows);
		free(c.row);
	}
}

/* More of them, and of delays, are in tests/cli/ttcp. */
TEST(damaged_sequences)
{
	static const struct damage files[] = {
		{ROW(0) ROW(1) "2\t1\t0\t0\t0\n", 3, 2, "a row has six words"},
		{ROW(0) "\n1\t0\t0\t0\t0\t0\n", 3, 1, "received is 1 in each row"},
		{"x\t1\t0\t0\t0\t0\n", 1, 0, "a number is malformed or too large"},
		{"-1\t1\t0\t0\t0\t0\n", 1, 0, "a number is malformed or too large"},
		{"9223372036854775808\t1\t0\t0\t0\t0\n", 1, 0,
		 "a number is malformed or too large"},
		{"4294967296\t1\t0\t0\t0\t0\n", 1, 0, "its number is far from all before it"},
		{ROW(5) "4294967301\t1\t0\t0\t0\t0\n", 2, 1,
		 "its number is far from all before it"},
		{"0\t1\t0\t0\t0\t0\t0\n", 1, 0, "a row has six words"},
		{"0 1 2 3 4 5 6 7 8 9 10 11 12\n", 1, 0, "it has too many words"},
		{"0\t1\t0.0000001\t0\t0\t0\n", 1, 0, "a time is malformed"},
		{"0\t1\t.5\t0\t0\t0\n", 1, 0, "a time is malformed or too large"},
		{"0\t1\t5.\t0\t0\t0\n", 1, 0, "a time is malformed"},
		{"0\t1\t--5\t0\t0\t0\n", 1, 0, "a time is malformed or too large"},
		{"0\t1\t0x5\t0\t0\t0\n", 1, 0, "a time is malformed or too large"},
		{"0x1\t1\t0\t0\t0\t0\n", 1, 0, "a number is malformed or too large"},
		{"0\t1\t9999999999999\t0\t0\t0\n", 1, 0, "a time is malformed or too large"},
	};

	expect_damage(files, COUNT(files), NULL);
}

TEST(long_lines)
{
	static char text[2 * CONVERT_LINE];

	memset(text, '7', sizeof(text) - 1);
	assert_int_equal(read_text(text, NULL), -EBADMSG);
	assert_string_equal(c.reason, "it is too long");
	free(c.row);
	/* The longest one that is right. */
	memset(text, ' ', CONVERT_LINE - 1);
	memcpy(text, "0 1 0 0 0 0", 11);
	text[CONVERT_LINE - 1] = '\n';
	text[CONVERT_LINE] = '\0';
	assert_int_equal(read_text(text, NULL), 0);
	assert_int_equal(c.count, 1);
	free(c.row);
}

#define HEAD                                                                                       \
	"TCP\nreceiver\tsequence#\tsize(byte)\tsent\treceived\tacked\tRTT\tdelay\tthrouput(kbps)"  \
	"\n"

/* The file of HyperCast's readme is in tests/cli/ttcp. */
TEST(smoothed)
{
	static const char mixed[] =
		HEAD "10.9.0.2:5001\t0\t100\t1000\t0\t1000.5\t0.5\t0.25\t3200.0\n"
		     "10.9.0.3:5001\t0\t100\t1000\t0\t1020\t20\t10\t80.0\n"
		     "[fd00::2]:5001\t0\t100\t1000\t0\t1000\t0\t0\tInfinity\n"
		     "10.9.0.2:5001\t2\t100\t1025\t0\t1045\t20\t10\t80.0\n"
		     "10.9.0.2:5001\t1\t100\t1009.999999\t0\t1010.999999\t1\t"
		     "0.5\t1600.0\n"
		     "10.9.0.2:5001\t3\t100\t999\t0\t1005\t6\t3\t266.6\n";

	expect_output(mixed, "10.9.0.2:5001", 10,
		      "# start_ms\tcount\tmean_delay\n-10\t1\t3.0\n0\t2\t0.375\n20\t1\t10.0\n");
	expect_output(mixed, "10.9.0.3", 1, "# start_ms\tcount\tmean_delay\n0\t1\t10.0\n");
	expect_output(mixed, "fd00::2", 1, "# start_ms\tcount\tmean_delay\n0\t1\t0.0\n");
	expect_output(mixed, "[fd00::2]", 1, "# start_ms\tcount\tmean_delay\n0\t1\t0.0\n");
	expect_output(mixed, "[fd00::2]:5001", 1, "# start_ms\tcount\tmean_delay\n0\t1\t0.0\n");
	expect_output(mixed, "10.9.0", 1, "# start_ms\tcount\tmean_delay\n");
	expect_output(mixed, "", 1, "# start_ms\tcount\tmean_delay\n");
	expect_output(HEAD, "x", 1, "# start_ms\tcount\tmean_delay\n");
}

TEST(damaged_delays)
{
	static const struct damage files[] = {
		{"", 0, 0, "a delay file begins with Overlay, TCP, UDP or Multicast"},
		{"Ethernet\n", 1, 0, "a delay file begins with Overlay, TCP, UDP or Multicast"},
		{"TCP UDP\n", 1, 0, "a delay file begins with Overlay, TCP, UDP or Multicast"},
		{"TCP\n", 1, 0, "the names of nine columns are missing"},
		{"TCP\nreceiver a b\n", 2, 0, "the names of nine columns are missing"},
		{HEAD "r\t0\t1\t5\t5\t5\t0\t0\n", 3, 0, "a row has nine words"},
		{HEAD "r\t0\t1\t5\t5\t6\t1\t0\t0\nr\t0\t1\t5\t5\t6\t2\t1\t0\n", 4, 1,
		 "RTT is not acked - sent"},
		{HEAD "r\t0\t4294967296\t5\t5\t5\t0\t0\t0\n", 3, 0,
		 "a number is malformed or too large"},
		{HEAD "r\t0\t1\t5\t5\tx\t0\t0\t0\n", 3, 0, "a time is malformed or too large"},
		{HEAD "r\t0\t1\t-4398046511104\t5\t4398046511104\t5\t5\t0\n", 3, 0,
		 "RTT is not acked - sent"},
		{HEAD "r\t0\t1\t0\t5\t4398046511104\t4398046511104\t-4398046511104\t0\n", 3, 0,
		 "delay is not half of RTT"},
		{HEAD "r\t0\t1\t5\t5\t6\t1\t0\t0\nr\t0\t1\t5", 4, 1, "it is cut off"},
	};

	expect_damage(files, COUNT(files), "r");
}
