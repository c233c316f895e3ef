// SPDX-License-Identifier: GPL-2.0-or-later
/* socket: the rows of --tos, --ttl and --device in a program's table, and what they come to. */
#include <netperf/socket.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct values {
	char line[64]; /* what device points into */
	bool before;
	struct np_socket_options asked;
};

static const struct np_option here[] = {
	{.name = "before", .offset = offsetof(struct values, before), .help = ""},
	NP_SOCKET_MARKS(offsetof(struct values, asked), 0, "; or none"),
	NP_SOCKET_DEVICE(offsetof(struct values, asked), "; wins"),
};
static const struct np_option out_of_here[] = {
	NP_SOCKET_DEVICE(offsetof(struct values, asked), ""),
	NP_SOCKET_MARKS(offsetof(struct values, asked), 1, ""),
};
static const struct np_options stay = {.program = "stay", .table = here, .count = 4};
static const struct np_options leave = {.program = "leave", .table = out_of_here, .count = 3};

/* Splits @line at blanks. Returns what np_options_parse did. */
static int read_line(const struct np_options *options, const char *line, struct values *values)
{
	char *argv[8], *save = NULL;
	struct np_options_result result;
	int argc = 0, rc;

	memset(values, 0xA5, sizeof(*values));
	snprintf(values->line, sizeof(values->line), "%s", line);
	for (char *word = strtok_r(values->line, " ", &save); word;
	     word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	rc = np_options_parse(options, argc, argv, values, &result);
	if (!rc)
		np_socket_settle(&values->asked, options, &result);
	np_options_result_free(&result);
	return rc;
}

static void test_nothing_asked(void **state)
{
	const struct np_options *const both[] = {&stay, &leave};
	struct values values;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(read_line(both[i], "p", &values), 0);
		assert_int_equal(values.asked.tos, -1);
		assert_int_equal(values.asked.ttl, -1);
		assert_null(values.asked.device);
	}
}

static void test_each_alone(void **state)
{
	struct values values;

	(void)state;
	assert_int_equal(read_line(&stay, "p --tos 0", &values), 0);
	assert_int_equal(values.asked.tos, 0);
	assert_int_equal(values.asked.ttl, -1);
	assert_int_equal(read_line(&stay, "p --ttl 0", &values), 0);
	assert_int_equal(values.asked.tos, -1);
	assert_int_equal(values.asked.ttl, 0);
	assert_int_equal(read_line(&leave, "p --device eth0", &values), 0);
	assert_int_equal(values.asked.tos, -1);
	assert_int_equal(values.asked.ttl, -1);
	assert_string_equal(values.asked.device, "eth0");
}

static void test_all_and_their_ends(void **state)
{
	struct values values;

	(void)state;
	assert_int_equal(read_line(&leave, "p --ttl 255 --tos 255 --device lo", &values), 0);
	assert_int_equal(values.asked.tos, 255);
	assert_int_equal(values.asked.ttl, 255);
	assert_int_equal(read_line(&leave, "p --ttl 1", &values), 0);
	assert_int_equal(values.asked.ttl, 1);
	assert_true(read_line(&leave, "p --ttl 0", &values) < 0);
	assert_true(read_line(&leave, "p --ttl 256", &values) < 0);
	assert_true(read_line(&stay, "p --ttl 256", &values) < 0);
	assert_true(read_line(&leave, "p --tos 256", &values) < 0);
	assert_true(read_line(&leave, "p --device=", &values) < 0);
}

static void test_help(void **state)
{
	(void)state;
	assert_string_equal(here[2].help, "hops that packets sent may take; or none");
	assert_string_equal(here[3].help, "send and receive by this interface only; wins");
	assert_string_equal(out_of_here[0].help, "send and receive by this interface only");
	assert_string_equal(out_of_here[2].help, "hops that packets sent may take");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_asked),
		cmocka_unit_test(test_each_alone),
		cmocka_unit_test(test_all_and_their_ends),
		cmocka_unit_test(test_help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
