// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* The files of a run, byte by byte. */
#include "../../src/ttcp/files/files.h"

#include "page.h"
#include "support/unit.h"

#define MS NP_MILLISECOND

/* A scratch directory, the working one while a test runs. */
static int enter(void **state)
{
	char *folder = strdup("/tmp/ttcp-files.XXXXXX");

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

static struct files files;
static struct options options;
static struct session session;
static FILE *errors;

static np_time clock_of(const struct session *s)
{
	(void)s;
	return INT64_C(1154730964371) * MS;
}

/* Opens the files that @given asks for, of a sender or a receiver, and starts the first run. */
static void start(enum options_task task, enum options_transport transport,
		  struct file_options given)
{
	static struct np_log log = {.program = "ttcp"};

	log.stream = errors;
	options = (struct options){
		.task = task,
		.place.transport = transport,
		.load.session = "N",
		.files = given,
	};
	session = (struct session){.options = &options, .log = &log, .clock = clock_of};
	files = (struct files){.run = 0};
	assert_int_equal(files_begin(&files, &session, 1, 1), 0);
	assert_int_equal(files_open(&files, 1, 1), 0);
}

TEST(file_names)
{
	static char longest[FILES_NAME + 1];
	static const np_time begun = INT64_C(1154730964371) * MS;
	const struct {
		const char *given;
		np_time begun;
		uint64_t run;
		unsigned which;
		const char *session; /* NULL: a receiver */
		const char *path, *folder;
	} rows[] = {
		{"", begun, 1, 0, NULL, "ttcp_seq_1154730964371.txt", ""},
		{"", begun, 2, FILES_BANDWIDTH, NULL, "ttcp_bw_1154730964371_2.txt", ""},
		{"", begun, 2, FILES_LOG, NULL, "ttcp_log_1154730964371.txt", ""},
		{"file", 0, 1, 0, NULL, "file", ""},
		{"file", 0, 2, 0, NULL, "file_2", ""},
		{"dir.d/file.txt", 0, 2, 1, NULL, "dir.d/file_2_s1.txt", ""},
		{"dir.d/file", 0, 2, 0, NULL, "dir.d/file_2", ""},
		{".hidden", 0, 2, 0, NULL, ".hidden_2", ""},
		{"send", 0, 1, 0, "TEST", "TEST_DATA/TEST_send_1.txt", "TEST_DATA/"},
		{"/var/tmp/d", 0, 12, 2, "one", "/var/tmp/one_d_12_s2.txt", ""},
		{longest, 0, 1, 0, NULL, NULL, ""},
		{longest + 30, 0, 1, 0, "0123456789", NULL, "0123456789_DATA/"},
	};
	char path[FILES_NAME], folder[FILES_NAME];

	memset(longest, 'x', FILES_NAME);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *name = rows[i].given;

		options = (struct options){
			.task = rows[i].session ? TASK_TRANSMIT : TASK_RECEIVE,
			.load.session = rows[i].session,
			.files = {.delay = name, .sequence = name, .bandwidth = name, .log = name},
		};
		session = (struct session){.options = &options, .begun = rows[i].begun};
		files = (struct files){.session = &session};
		assert_int_equal(files_name(&files, rows[i].run, rows[i].which, path, folder),
				 rows[i].path ? 0 : -ENAMETOOLONG);
		if (rows[i].path)
			assert_string_equal(path, rows[i].path);
		assert_string_equal(folder, rows[i].folder);
	}
}

TEST(delays)
{
	static const struct {
		const char *receiver;
		uint64_t number;
		uint32_t size;
		np_time sent, received, acked;
	} row[] = {
		{"400,400", 0, 512, INT64_C(1154730964371) * MS, INT64_C(1154731045938) * MS,
		 INT64_C(1154730964464) * MS},
		{"400,400", 1, 512, INT64_C(1154730964402) * MS + 999999,
		 INT64_C(1154731045954) * MS + 1, INT64_C(1154730964464) * MS},
		{"[fd00::2]:5001", UINT64_MAX, UINT32_MAX, 5, INT64_MIN, 5},
		{"10.9.0.2:5001", 3, 100, INT64_C(1154730964371123456),
		 INT64_C(1154730964371200000), INT64_C(1154730964371323456)},
		/* From 10 ms on whole ones, cut. */
		{"w", 4, 512, 5 * MS, 5 * MS, 16 * MS - 1},
		{"n", 5, 512, 5 * MS, 5 * MS, 15 * MS - 1},
	};

	start(TASK_TRANSMIT, TRANSPORT_OVERLAY, (struct file_options){.delay = "./d"});
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		const struct message ack = {
			.number = row[i].number,
			.time = row[i].sent,
			.ack = {row[i].received, row[i].size},
		};

		recorder_delay(files.rows[0], row[i].receiver, &ack, row[i].acked);
	}
	assert_int_equal(files_close(&files, 0), 0);
	start(TASK_TRANSMIT, TRANSPORT_TCP, (struct file_options){.delay = "./e"});
	assert_int_equal(files_close(&files, 0), 0);
	expect_file("N_e_1.txt", "TCP\nreceiver\tsequence#\tsize(byte)\tsent\treceived\tacked\t"
				 "RTT\tdelay\tthrouput(kbps)\n");
	expect_file("N_d_1.txt",
		    "Overlay\n"
		    "receiver\tsequence#\tsize(byte)\tsent\treceived\tacked\tRTT\tdelay\t"
		    "throuput(kbps)\n"
		    "400,400\t0\t512\t1154730964371\t1154731045938\t1154730964464\t93\t46\t"
		    "89.04348\n"
		    "400,400\t1\t512\t1154730964402\t1154731045954\t1154730964464\t62\t31\t"
		    "132.12903\n"
		    "[fd00::2]:5001\t18446744073709551615\t4294967295\t0.000005\t"
		    "-9223372036854.775808\t0.000005\t0\t0\tInfinity\n"
		    "10.9.0.2:5001\t3\t100\t1154730964371.123456\t1154730964371.2\t"
		    "1154730964371.323456\t0.2\t0.1\t8000.0\n"
		    "w\t4\t512\t5\t5\t15\t10\t5\t819.2\n"
		    "n\t5\t512\t5\t5\t14.999999\t9.999999\t4.999999\t819.20013\n");
}

TEST(sequences)
{
	const np_time first = INT64_C(1154730964371) * MS + 7;

	start(TASK_RECEIVE, TRANSPORT_UDP, (struct file_options){.sequence = "s"});
	recorder_sequence(files.rows[0], 0, first - 31 * MS, first);
	recorder_sequence(files.rows[0], 2, first + 500, first + 31 * MS);
	recorder_sequence(files.rows[0], 1, INT64_MIN, first + 31 * MS + 250);
	assert_int_equal(files_close(&files, 0), 0);
	expect_file("s",
		    "# sequence#\treceived\tsent time\treceived time\tpseudo-delay\tafter reply\n"
		    "0\t1\t-31\t0\t31\t0\n"
		    "2\t1\t0.0005\t31\t30.9995\t0\n"
		    "1\t1\t8068641072483.775801\t31.00025\t-8068641072452.775551\t0\n");
}

TEST(bandwidths)
{
	const np_time begin = 7 * NP_SECOND;

	start(TASK_RECEIVE, TRANSPORT_UDP,
	      (struct file_options){.bandwidth = "b", .window = 500 * MS});
	files_count(&files, begin, 1, 1000);
	files_count(&files, begin + 499 * MS, 2, 2000);
	files_count(&files, begin + 612 * MS + 500000, 0, 0);
	files_flush(&files);
	/* It is complete while it is still open. */
	expect_file("b", "# end_ms\tpackets\tbytes\tkbps\n500\t3\t3000\t48.0\n");
	assert_int_equal(files_close(&files, 0), 0);
	start(TASK_RECEIVE, TRANSPORT_UDP,
	      (struct file_options){.bandwidth = "b", .window = 500 * MS});
	files_count(&files, begin, 1, 1000);
	files_count(&files, begin + 1012 * MS + 500000, 1, 500);
	assert_int_equal(files_close(&files, 0), 0);
	expect_file("b", "# end_ms\tpackets\tbytes\tkbps\n500\t1\t1000\t16.0\n"
			 "1000\t0\t0\t0.0\n1012.5\t1\t500\t8.0\n");
}

/* The rate of the last row of the file "b", which is removed. */
static double last_rate(void)
{
	double rate = -1;
	char line[200];
	FILE *file = fopen("b", "r");

	assert_int_equal(files_close(&files, 0), 0);
	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		rate = strtod(strrchr(line, '\t') + 1, NULL);
	fclose(file);
	assert_int_equal(unlink("b"), 0);
	return rate;
}

/* 4 Mbit/s to the end, wherever in a window that comes. */
TEST(last_windows)
{
	const struct file_options given = {.bandwidth = "b", .window = 100 * MS};
	const np_time each = 1024000;

	for (uint64_t count = 2; count < 2000; count += 13) {
		double rate;

		start(TASK_RECEIVE, TRANSPORT_UDP, given);
		for (uint64_t i = 0; i < count; i++)
			files_count(&files, 7 * MS + (np_time)i * each, 1, 512);
		rate = last_rate();
		/* n messages of the first window alone span n - 1 of their times; from 10 ms on
		   the time is rounded to whole ones. */
		if ((np_time)count * each > 200 * MS)
			assert_true(rate > 3800 && rate < 4200);
	}
	/* Behind a pause no more than a window's length; one alone has no time of its own. */
	start(TASK_RECEIVE, TRANSPORT_UDP, given);
	files_count(&files, MS, 1, 512);
	files_count(&files, 1000 * MS + 1, 1, 512);
	assert_true(last_rate() > 40.9);
	start(TASK_RECEIVE, TRANSPORT_UDP, given);
	files_count(&files, MS, 1, 512);
	assert_true(last_rate() < 41);
}

TEST(logs)
{
	for (uint64_t run = 1; run <= 2; run++) {
		start(TASK_TRANSMIT, TRANSPORT_TCP, (struct file_options){.log = "l"});
		files.run = run;
		files_log(&files, "Transmit", "one\ntwo\n");
		assert_int_equal(files_close(&files, 0), 0);
	}
	expect_file("l", "2006-08-04T22:36:04Z\tTCP Transmit\t1\tone\n"
			 "2006-08-04T22:36:04Z\tTCP Transmit\t1\ttwo\n"
			 "2006-08-04T22:36:04Z\tTCP Transmit\t2\tone\n"
			 "2006-08-04T22:36:04Z\tTCP Transmit\t2\ttwo\n");
}

TEST(failures)
{
	struct page *page = page_open();

	errors = page->out;
	start(TASK_RECEIVE, TRANSPORT_UDP, (struct file_options){0});
	assert_int_equal(files_close(&files, 0), 0);
	options.files.log = "no/such/file";
	assert_int_equal(files_begin(&files, &session, 1, 1), 2);
	assert_int_equal(files_close(&files, 2), 2);
	if (!access("/dev/full", W_OK)) {
		files = (struct files){.run = 0};
		options.files = (struct file_options){.sequence = "/dev/full"};
		assert_int_equal(files_begin(&files, &session, 1, 1), 0);
		assert_int_equal(files_open(&files, 1, 1), 2);
		assert_null(files.rows[0]);
		assert_int_equal(files_close(&files, 2), 2);
		start(TASK_RECEIVE, TRANSPORT_UDP, (struct file_options){.log = "/dev/full"});
		files_log(&files, "Receive", "text");
		assert_int_equal(files_close(&files, 0), 1);
	}
	errors = NULL;
	page_expect(page, access("/dev/full", W_OK)
				  ? "ttcp: no/such/file: No such file or directory\n"
				  : "ttcp: no/such/file: No such file or directory\n"
				    "ttcp: /dev/full: No space left on device\n"
				    "ttcp: /dev/full: No space left on device\n");
}

/* What an earlier run left stays until there is a row; what was made for none goes. */
TEST(runs_that_never_began)
{
	const struct file_options given = {.sequence = "s", .log = "l"};

	start(TASK_RECEIVE, TRANSPORT_UDP, given);
	assert_int_equal(files_close(&files, 2), 2);
	assert_int_equal(access("s", F_OK), -1);
	assert_int_equal(access("l", F_OK), -1);
	start(TASK_RECEIVE, TRANSPORT_UDP, given);
	recorder_sequence(files.rows[0], 0, 5, 5);
	assert_int_equal(files_close(&files, 0), 0);
	start(TASK_RECEIVE, TRANSPORT_UDP, given);
	assert_int_equal(files_close_run(&files, true), 0);
	assert_int_equal(files_close(&files, 0), 0);
	expect_file("s",
		    "# sequence#\treceived\tsent time\treceived time\tpseudo-delay\tafter reply\n"
		    "0\t1\t0\t0\t0\t0\n");
	expect_file("l", "");
}
