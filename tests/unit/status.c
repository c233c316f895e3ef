// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of status: what is drawn on a terminal and when, by a made-up clock, and its erasure.
 */
#include "src/lib/base/log.h"

#include "support/unit.h"

#include <fcntl.h>
#include <netperf/report.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>

#define LATER (1000000 * NP_SECOND) /* the line is due then */

static const struct np_status_figures packets = {
	.begun = LATER - 10 * NP_SECOND,
	.end = LATER + 50 * NP_SECOND,
	.bytes = 1250000000,
	.count = 900000,
	.unit = "packets",
	.fault = "lost",
	.faults = 3,
};
#define PACKETS "\r10 s, 50 s left: 1.00 Gbit/s, 900000 packets, lost 3"
/* As many blanks as that has columns, and for what the terminal shows of ^C. */
#define ERASED "\r                                                      \r"

/* Makes the terminal, whose name is @name, that of this process and its output. */
static void take_terminal(const char *name, unsigned short columns)
{
	const struct winsize size = {.ws_row = 24, .ws_col = columns};
	struct termios plain;
	int fd;

	setsid();
	fd = open(name, O_RDWR);
	tcgetattr(fd, &plain);
	cfmakeraw(&plain);
	tcsetattr(fd, TCSANOW, &plain);
	ioctl(fd, TIOCSWINSZ, &size);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
}

/* What @act writes to a terminal of its own. */
static void expect_drawn(unsigned short columns, void (*act)(struct np_status *),
			 const char *wanted)
{
	const int master = posix_openpt(O_RDWR | O_NOCTTY);
	struct np_status *status;
	char got[1024] = "";
	size_t bytes = 0;
	ssize_t n;
	pid_t child;

	assert_true(master >= 0 && !grantpt(master) && !unlockpt(master));
	child = fork();
	if (!child) {
		take_terminal(ptsname(master), columns);
		if (status_create(&status, STDERR_FILENO))
			_exit(1);
		act(status);
		_exit(0);
	}
	/* EIO: nobody has the other end any more. */
	while ((n = read(master, got + bytes, sizeof(got) - 1 - bytes)) > 0)
		bytes += (size_t)n;
	close(master);
	waitpid(child, NULL, 0);
	assert_string_equal(got, wanted);
}

static void draw_once(struct np_status *s)
{
	/* No sooner than a second after its creation, and than the line before. */
	np_status_show(s, np_clock_now() - NP_SECOND, &packets);
	np_status_show(s, LATER, &packets);
	np_status_show(s, LATER + NP_SECOND - 1, &packets);
}

TEST(a_line_a_second)
{
	expect_drawn(80, draw_once, PACKETS);
	/* A terminal that does not tell its width. */
	expect_drawn(0, draw_once, PACKETS);
}

TEST(a_narrow_terminal_keeps_its_last_column)
{
	expect_drawn(53, draw_once, PACKETS);
	/* No number is cut. */
	expect_drawn(52, draw_once, "\r10 s, 50 s left: 1.00 Gbit/s, 900000 packets");
	expect_drawn(20, draw_once, "\r10 s, 50 s left");
	expect_drawn(16, draw_once, "\r10 s, 50 s left");
	expect_drawn(15, draw_once, "\r10 s");
	expect_drawn(1, draw_once, "\r\r");
}

static void draw_in_less_room(struct np_status *s)
{
	const struct winsize size = {.ws_row = 24, .ws_col = 20};

	np_status_show(s, LATER, &packets);
	ioctl(STDERR_FILENO, TIOCSWINSZ, &size);
	np_status_show(s, LATER + NP_SECOND, &packets);
	np_status_erase(s);
}

TEST(a_terminal_that_became_narrower_keeps_its_last_column)
{
	expect_drawn(80, draw_in_less_room, PACKETS "\r11 s, 49 s left    \r                 \r");
}

static void draw_less(struct np_status *s)
{
	struct np_status_figures f = packets;

	np_status_show(s, LATER, &f);
	f.bytes += 125000;
	f.fault = NULL;
	f.end = NP_TIME_NEVER;
	f.rate_in_bytes = true;
	np_status_show(s, LATER + NP_SECOND, &f);
	/* Another run. */
	f.begun = LATER + NP_SECOND;
	f.count = f.bytes = 0;
	np_status_show(s, LATER + 2 * NP_SECOND, &f);
}

TEST(the_rate_is_that_of_the_last_second)
{
	expect_drawn(80, draw_less,
		     PACKETS "\r11 s: 0.12 MB/s, 900000 packets                       "
			     "\r1 s: 0.00 MB/s, 0 packets        ");
}

static void write_between(struct np_status *s)
{
	const struct np_log log = {.program = "p", .stream = stderr, .status = s};
	FILE *out;

	if (np_output_standard(STDOUT_FILENO, s, &out))
		return;
	np_status_show(s, LATER, &packets);
	np_log_info(&log, "hello");
	np_status_show(s, LATER + NP_SECOND, &packets);
	fputs("dots ...", out);
	fflush(out);
	/* Not within that line. */
	np_status_show(s, LATER + 2 * NP_SECOND, &packets);
	fputs(".\n", out);
	fflush(out);
	np_status_erase(s);
	status_free(s);
	np_output_close(out);
}

TEST(other_text_finds_it_erased)
{
	expect_drawn(80, write_between,
		     PACKETS ERASED "p: hello\n"
				    "\r11 s, 49 s left: 0 bit/s, 900000 packets, lost 3"
				    "\r                                                  \r"
				    "dots ....\n");
}

static void draw_in_background(struct np_status *s)
{
	const pid_t child = fork();

	if (!child) {
		setpgid(0, 0);
		draw_once(s);
		np_status_erase(s);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

TEST(nothing_in_the_background)
{
	expect_drawn(80, draw_in_background, "");
}

static void draw_stopped(struct np_status *s)
{
	tcflow(STDERR_FILENO, TCOOFF);
	draw_once(s);
	tcflow(STDERR_FILENO, TCOON);
}

TEST(a_stopped_terminal_is_not_waited_for)
{
	expect_drawn(80, draw_stopped, "");
}

TEST(none_is_allowed)
{
	np_status_show(NULL, LATER, &packets);
	np_status_erase(NULL);
	status_hide(NULL);
	status_release(NULL, true);
	status_free(NULL);
	assert_true(np_status_next(NULL) == NP_TIME_NEVER);
}
