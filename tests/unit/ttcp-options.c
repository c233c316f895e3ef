// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* What command lines of ttcp mean, and which are refused, with which words; more: tests/cli/ttcp.
 */
#include "../../src/ttcp/config/options.h"

#include "../../src/ttcp/wire/message.h"
#include "support/unit.h"

#define WORDS_MAX 16

struct run {
	struct options options;
	struct np_run run;
	char line[256];
	char *argv[WORDS_MAX];
	int argc;
	char *error;
	int status;
};

/* What the last line meant. */
static struct run run;

static void forget(void)
{
	np_options_result_free(&run.run.given);
	free(run.error);
	run = (struct run){.argc = 0};
}

/* Splits @line at blanks. */
static void read_line(const char *line)
{
	struct np_log log = {.program = "ttcp"};
	char *save = NULL, *word;
	size_t size;

	forget();
	run.run = (struct np_run){.options = &run.options, .log = &log};
	run.argv[run.argc++] = (char *)(uintptr_t) "ttcp";
	snprintf(run.line, sizeof(run.line), "%s", line);
	for (word = strtok_r(run.line, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		assert_in_range(run.argc, 0, WORDS_MAX - 2);
		run.argv[run.argc++] = word;
	}
	log.stream = open_memstream(&run.error, &size);
	assert_non_null(log.stream);
	run.status = np_options_read(&ttcp_options, run.argc, run.argv, &run.options,
				     &run.run.given, &log);
	if (run.status < 0)
		run.status = options_check(&run.run);
	fclose(log.stream);
}

static void accept_line(const char *line)
{
	read_line(line);
	if (run.status != -1)
		fail_msg("%s: %s", line, run.error);
}

static void refuse(const char *line, const char *words)
{
	read_line(line);
	if (run.status != 2 || !strstr(run.error, words))
		fail_msg("%s: status %d, '%s' instead of '%s'", line, run.status, run.error, words);
	assert_ptr_equal(strchr(run.error, '\n'), run.error + strlen(run.error) - 1);
}

TEST(defaults)
{
	const struct options *o = &run.options;

	accept_line("");
	assert_int_equal(o->task, TASK_RECEIVE);
	assert_int_equal(o->place.transport, TRANSPORT_TCP);
	assert_int_equal(o->place.port, 5001);
	assert_null(o->place.to);
	assert_int_equal(o->load.message_bytes, 512);
	assert_int_equal(o->load.messages, 1024);
	assert_int_equal(o->load.runs, 1);
	assert_int_equal(o->load.streams, 1);
	assert_true(options_rate_bits(&o->load, 1) == 0);
	assert_true(options_rate_bits(&o->load, 9) == 0);
	assert_string_equal(o->load.session, "TEST");
	assert_null(o->files.delay);
	assert_null(o->files.sequence);
	assert_null(o->files.bandwidth);
	assert_null(o->files.log);
	assert_true(o->files.window == 500 * NP_MILLISECOND);
	assert_int_equal(o->socket.asked.ip.tos, -1);
	assert_int_equal(o->socket.asked.ip.ttl, -1);
	assert_false(o->overrides);
	assert_int_equal(o->report.layout, NP_REPORT_DEFAULT);
}

/* Each line is of a sender over this to this. */
TEST(addresses)
{
	static const struct {
		const char *line, *to;
		enum options_transport transport;
	} lines[] = {
		{"-t host", "host", TRANSPORT_TCP},
		{"-t=host", "host", TRANSPORT_TCP},
		{"--transmit=host", "host", TRANSPORT_TCP},
		{"-t -u host", "host", TRANSPORT_UDP},
		{"-u -t host", "host", TRANSPORT_UDP},
		{"-t -n 5 host", "host", TRANSPORT_TCP},
		{"host -t", "host", TRANSPORT_TCP},
		{"-t -f -- host", "host", TRANSPORT_TCP},
		{"-t fd00::1", "fd00::1", TRANSPORT_TCP},
		{"-t -m", OPTIONS_GROUP, TRANSPORT_MULTICAST},
		{"-t -m 239.1.1.1", "239.1.1.1", TRANSPORT_MULTICAST},
		{"-t 239.1.1.1 -m", "239.1.1.1", TRANSPORT_MULTICAST},
		{"-t 239.1.1.1 -m 239.1.1.1", "239.1.1.1", TRANSPORT_MULTICAST},
		{"-u -m -t", OPTIONS_GROUP, TRANSPORT_MULTICAST},
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		accept_line(lines[i].line);
		assert_int_equal(run.options.task, TASK_TRANSMIT);
		assert_int_equal(run.options.place.transport, lines[i].transport);
		assert_string_equal(run.options.place.to, lines[i].to);
	}
}

TEST(wrong_addresses)
{
	refuse("-t -u", "-t: needs an address");
	refuse("-t=", "-t: '' is not valid; expected [ADDRESS]");
	refuse("-t -bw 100 host", "-t: needs an address: -bw took 'host'; write -t host");
	refuse("-t -c host", "-t: needs an address: -c took 'host'; write -t host");
	refuse("-t -R 100 host", "-t: needs an address: -R took 'host'; write -t host");
	refuse("-t -bw 100", "-t: needs an address");
	refuse("host", "host: an address goes with -t");
	refuse("-t a b c", "c: one operand too many");
	refuse("-t 239.1.1.1 -m 239.1.1.2",
	       "-m: names the group 239.1.1.2, but -t names 239.1.1.1");
}

TEST(runs_and_rates)
{
	static const struct {
		const char *line;
		uint64_t runs, rate[4]; /* of runs 1, 2, 3 and 1000 */
	} lines[] = {
		{"-t h -R 100", 1, {100, 100, 100, 100}},
		{"-t h -R 0", 1, {0, 0, 0, 0}},
		{"-t h -R 64k", 1, {64, 64, 64, 64}},
		{"-t h -R 1.5M", 1, {1500, 1500, 1500, 1500}},
		{"-t h -R 100Mbps", 1, {100000, 100000, 100000, 100000}},
		{"-t h -R 1Gbit 2G 1000M", 2, {1000000, 2000000, 2000000, 2000000}},
		{"-t h -c 5", 5, {0, 0, 0, 0}},
		{"-t h -c", 0, {0, 0, 0, 0}},
		{"-t h -R 100 300 100", 3, {100, 200, 300, 300}},
		{"-t h -R 100 250 100", 3, {100, 200, 250, 250}},
		{"-t h -R 100 100 1", 1, {100, 100, 100, 100}},
		{"-t h -R 100 300 100 -c 2", 2, {100, 200, 300, 300}},
		{"-t h -R 100 300 100 -c", 0, {100, 200, 300, 300}},
		{"-t h -R 1 4294967295 4294967295", 2, {1, UINT32_MAX, UINT32_MAX, UINT32_MAX}},
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		const struct load_options *load;
		accept_line(lines[i].line);
		load = &run.options.load;
		assert_int_equal(load->runs, lines[i].runs);
		for (uint64_t k = 1; k <= 3; k++)
			assert_true(options_rate_bits(load, k) ==
				    1000. * (double)lines[i].rate[k - 1]);
		assert_true(options_rate_bits(load, 1000) == 1000. * (double)lines[i].rate[3]);
	}
	refuse("-t h -R 0 200 10", "-R: '0 200 10' is not valid; expected START");
	refuse("-t h -R 200 100 10", "-R: '200 100 10' is not valid; expected START");
	refuse("-t h -R 100 200 0", "-R: '100 200 0' is not valid; expected START");
	refuse("-t h -R 1.5k", "-R: '1.5k' is not valid");
	refuse("-t h -R 4KB", "-R: '4KB' is not valid; expected whole kbps");
	refuse("-t h -R 5T", "-R: '5T' is not valid");
	refuse("-t h -R 1.5", "-R: '1.5' is not valid");
	refuse("-t h -R x", "-R: 'x' is not valid");
	refuse("-t h -c 0", "-c: '0' is not valid; expected a whole number, 1 to 4294967295");
	refuse("-t h -c x", "-c: 'x' is not valid");
}

TEST(files)
{
	const struct file_options *f = &run.options.files;

	accept_line("-r -s -f log -bw 100");
	assert_string_equal(f->sequence, "");
	assert_string_equal(f->log, "log");
	assert_string_equal(f->bandwidth, "");
	assert_true(f->window == 100 * NP_MILLISECOND);
	assert_true(run.options.words.bandwidth.given);
	assert_true(run.options.overrides);
	accept_line("-t h -bw 1 file -d delays --session one");
	assert_string_equal(f->bandwidth, "file");
	assert_string_equal(f->delay, "delays");
	assert_string_equal(run.options.load.session, "one");
	refuse("-bw", "-bw: needs MS [FILE] after it, 0 given");
	refuse("-bw 0", "-bw: '0' is not valid; expected a whole number, 1 to 86400000");
	refuse("-bw 0.5", "-bw: '0.5' is not valid");
	refuse("-t h -d", "-d: needs a value: FILE");
	refuse("-t h --session a/b",
	       "--session 'a/b': has characters that cannot be in a file name");
	refuse("-t h --session=", "--session '': not valid");
	refuse("-t h --session "
	       "0123456789012345678901234567890123456789012345678901234567890123",
	       ": at most 63 characters");
}

TEST(lengths)
{
	/* As they are, and raised, which is told. */
	static const char *const lines[] = {
		"-t h -l 40=40|-t h -l 1 --classic=1|-t h -l 1 --stdin=1|-r -l 1=1|"
		"-t h -u -l 65507=65507|-t h -l 67108864=67108864|-t h -l 64K=65536",
		"-t h -l 39=40|-t h -u -l 1=40|-t h -u -l 4 --classic=5"};

	for (size_t i = 0; i < 2; i++) {
		struct unit_texts texts = {.rest = lines[i]};

		while (unit_next(&texts)) {
			accept_line(texts.text);
			assert_int_equal(run.options.load.message_bytes,
					 strtoull(texts.value, NULL, 10));
			assert_int_equal(strstr(run.error, "raised to") != NULL, i);
		}
	}
	refuse("-t h -u -l 64K",
	       "-l '64K': is too long for a datagram; expected at most 65507 bytes");
	refuse("-t h -l 65M",
	       "-l '65M': out of range; expected bytes, with k, M, G or T, 1 to 64M");
	accept_line("-t h -u -l 4KB --tos ef");
	assert_int_equal(run.options.load.message_bytes, 4096);
	assert_int_equal(run.options.socket.asked.ip.tos, 184);
	refuse("-m -l 65508",
	       "-l '65508': is too long for a datagram; expected at most 65507 bytes");
	refuse("-t h -l 0", "-l '0': out of range");
	refuse("-t h -l 1x", "-l '1x': not valid");
}

/* The task, how many messages it is of, and whether "Overrides:" is to be printed. */
TEST(tasks)
{
	static const struct {
		enum options_task task;
		bool overrides;
		const char *lines;
	} rows[] = {
		{TASK_TRANSMIT, false,
		 "-t h=1024|-t 128.100.11.52 -u=1024|-t -m=1024|-t h --no-wait=1024|-t h "
		 "--stdin=0"},
		{TASK_TRANSMIT, true,
		 "-t h --duration 5=0|-t h --duration 5 -n 7=7|-t h --stdin -n 9=9|"
		 "-t h -n 1152921504606846976=1152921504606846976|-t h -n 10000=10000|"
		 "-t h -l 100=1024|-t h -R 5=1024|-t h -d f=1024|-t h -c=1024"},
		{TASK_RECEIVE, false, "-r=1024|-r --once --wait 3 --max-loss 1 --report full=1024"},
		{TASK_RECEIVE, true, "-r -p 5002=1024|-r -c 5=1024"},
		{TASK_MONITOR, false, "-monitor=1024|-r -monitor -m=1024|-monitor --once -u=1024"},
		{TASK_DENSITY, false, "-s2d 10 in=1024"},
		{TASK_SMOOTH, false, "-smd 10 r in=1024"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct unit_texts texts = {.rest = rows[i].lines};

		while (unit_next(&texts)) {
			accept_line(texts.text);
			assert_int_equal(run.options.task, rows[i].task);
			assert_int_equal(run.options.load.messages,
					 strtoull(texts.value, NULL, 10));
			assert_int_equal(run.options.overrides, rows[i].overrides);
		}
	}
	refuse("-t h -n 0", "-n '0': out of range");
	refuse("-t h -n -1", "-n: needs a value");
	refuse("-t h --duration 0", "--duration '0': out of range");
	refuse("-s2d 1 a -smd 1 r b", "give only one of -r, -t, -s2d and -smd");
	refuse("-t h -monitor", "-monitor: does not go with -t");
}

TEST(overlays)
{
	const struct place_options *place = &run.options.place;

	accept_line("-o");
	assert_int_equal(place->transport, TRANSPORT_OVERLAY);
	assert_null(place->to);
	assert_string_equal(place->properties, "RunServerSocket.xml");
	accept_line("-o -t 500,500 -prop x.xml -d delays -l 70000");
	assert_string_equal(place->to, "500,500");
	assert_string_equal(place->properties, "x.xml");
	assert_true(run.options.overrides);
	accept_line("-t -o -prop x.xml");
	assert_null(place->to);
	assert_false(run.options.overrides);
	accept_line("-o -monitor --no-wait");
	refuse("-o -u", "-u: does not go with -o");
	refuse("-o -m", "-m: does not go with -o");
	refuse("-o -p 9", "-p: does not go with -o");
	refuse("-o --bind 10.0.0.1", "--bind: does not go with -o");
	refuse("-o -t 5,5 -P 2", "-P: does not go with -o");
	refuse("-o -t 5,5 --classic", "--classic: does not go with -o");
	refuse("-o -t 5,5 --stdin", "--stdin: goes with TCP only");
	refuse("-o -t 5,5 --batch=gso", "--batch: goes with -u or -m");
	refuse("-o -t --ping-pong", "--ping-pong: needs a logical address");
	refuse("-r --no-wait", "--no-wait: goes with -t, or with -o");
}

TEST(conversions)
{
	const struct option_words *w = &run.options.words;

	accept_line("-s2d 10 in");
	assert_int_equal(w->interval, 10);
	assert_string_equal(w->density.word[1], "in");
	assert_int_equal(w->density.count, 2);
	accept_line("-smd 100 10.0.0.1:5001 in out --lenient --quiet");
	assert_int_equal(w->interval, 100);
	assert_string_equal(w->smooth.word[1], "10.0.0.1:5001");
	assert_string_equal(w->smooth.word[2], "in");
	assert_string_equal(w->smooth.word[3], "out");
	assert_true(w->lenient);
	refuse("-s2d 10", "-s2d: needs INTERVAL SEQUENCE [FILE] after it, 1 given");
	refuse("-s2d 0 in", "-s2d: '0' is not valid");
	refuse("-s2d x in", "-s2d: 'x' is not valid");
	refuse("-smd 10 r", "-smd: needs INTERVAL RECEIVER DELAYS [FILE] after it, 2 given");
	refuse("-smd -1 r in", "-smd: needs INTERVAL RECEIVER DELAYS [FILE] after it, 0 given");
	refuse("-s2d 10 in -u", "-u: does not go with -s2d or -smd");
	refuse("-s2d 10 in -n 5", "-n: does not go with -s2d or -smd");
	refuse("-smd 10 r in --json", "--json: does not go with -s2d or -smd");
	refuse("-r --lenient", "--lenient: goes with -s2d or -smd");
}
