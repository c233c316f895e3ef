// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * overlay-node: one node by a configuration file, with commands on stdin, a line each: "all TEXT",
 * "to ADDRESS TEXT", "large ADDRESS BYTES", "nb", "stats", "leave". What happens is told on stdout
 * as the Python peers tell it: RECV, NEIGHBORS, events. usage: overlay-node FILE
 */
#include <errno.h>
#include <inttypes.h>
#include <netperf/clock.h>
#include <netperf/overlay.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_ROOM   8192
#define COMMAND_MAX 64 /* neighbours */

static bool joined = true;

static void deliver(void *context, const struct np_overlay_message *message)
{
	char source[NP_OVERLAY_LOGICAL_TEXT];

	(void)context;
	if (!message->own)
		printf("RECV src=%s hop=%u len=%zu data=%.*s\n",
		       np_overlay_format(&message->source, source), message->hop_limit,
		       message->bytes, message->bytes < 40 ? (int)message->bytes : 40,
		       (const char *)message->data);
}

static void event(void *context, const struct np_overlay_event *event)
{
	const char *name = np_overlay_event_name(event->kind);
	char warning[NP_OVERLAY_WARNING_TEXT];

	(void)context;
	joined = joined && event->kind != NP_OVERLAY_LEFT;
	if (name)
		printf("eventOccurred: %s\n", name);
	else
		printf("warning: %s\n", np_overlay_event_warning(event, warning));
}

/* The coordinates of the Delaunay triangulation; false: it has none. */
static bool point_of(const struct np_overlay_logical *logical, int *x, int *y)
{
	char text[NP_OVERLAY_LOGICAL_TEXT];

	return sscanf(np_overlay_format(logical, text), "%d,%d", x, y) == 2;
}

static int by_point(const void *a, const void *b)
{
	const struct np_overlay_neighbour *p = a, *q = b;
	int px = 0, py = 0, qx = 0, qy = 0;

	point_of(&p->logical, &px, &py);
	point_of(&q->logical, &qx, &qy);
	return px != qx ? (px > qx) - (px < qx) : (py > qy) - (py < qy);
}

static void print_neighbours(const struct np_overlay *o)
{
	struct np_overlay_neighbour at[COMMAND_MAX];
	unsigned count = np_overlay_neighbours(o, at, COMMAND_MAX);

	qsort(at, count, sizeof(at[0]), by_point);
	printf("NEIGHBORS [");
	for (unsigned i = 0; i < count && i < COMMAND_MAX; i++) {
		char text[NP_OVERLAY_LOGICAL_TEXT];
		int x, y;

		printf("%s", i ? ", " : "");
		if (!point_of(&at[i].logical, &x, &y))
			printf("%s", np_overlay_format(&at[i].logical, text));
		else
			printf("(%d, %d)", x, y);
	}
	printf("]\n");
}

static void print_stats(struct np_overlay *o)
{
	struct np_overlay_stats s;

	np_overlay_stats(o, &s);
	printf("STATS sent=%" PRIu64 " delivered=%" PRIu64 " malformed=%" PRIu64 " forged=%" PRIu64
	       " wrong_way=%" PRIu64 " own_sent=%" PRIu64 " no_room=%" PRIu64
	       " unreachable=%" PRIu64 " kernel=%" PRIu64 " error=%d\n",
	       s.node.sent, s.node.delivered, s.node.malformed, s.node.forged,
	       s.node.not_from_parent, s.substrate.sent.own,
	       s.substrate.no_room.own + s.substrate.no_room.forwarded,
	       s.substrate.unreachable.own + s.substrate.unreachable.forwarded,
	       s.substrate.kernel_dropped, s.substrate.last_error);
}

/* As soon as there is room. @to NULL: to all. */
static void send_text(struct np_overlay *o, const struct np_overlay_logical *to, const void *data,
		      size_t bytes)
{
	int rc;

	while ((rc = np_overlay_send(o, to, data, bytes)) == -EAGAIN) {
		np_overlay_wait(o, -1, NP_TIME_NEVER);
		np_overlay_turn(o, 64, np_clock_now());
	}
	if (rc)
		printf("ERROR %s\n", strerror(-rc));
}

static void command(struct np_overlay *o, char *line)
{
	char *rest = NULL;
	const char *word = strtok_r(line, " ", &rest);
	struct np_overlay_logical to;

	if (!word)
		return;
	if (!strcmp(word, "all")) {
		send_text(o, NULL, rest, strlen(rest));
	} else if (!strcmp(word, "nb")) {
		print_neighbours(o);
	} else if (!strcmp(word, "stats")) {
		print_stats(o);
	} else if (!strcmp(word, "leave")) {
		np_overlay_leave(o, np_clock_now());
	} else if (np_overlay_parse(o, strtok_r(NULL, " ", &rest), &to)) {
		printf("ERROR no address\n");
	} else if (!strcmp(word, "to")) {
		send_text(o, &to, rest, strlen(rest));
	} else if (!strcmp(word, "large")) {
		const size_t bytes = (size_t)atoi(rest);
		char *data = calloc(1, bytes + 1);

		if (!data)
			exit(1);
		memset(data, 'x', bytes);
		send_text(o, &to, data, bytes);
		free(data);
	}
}

/* Whole lines of what has come; false at its end. */
static bool commands(struct np_overlay *o)
{
	static char line[LINE_ROOM];
	static size_t filled;
	const ssize_t got = read(0, line + filled, sizeof(line) - 1 - filled);
	char *end;

	if (got <= 0)
		return false;
	filled += (size_t)got;
	line[filled] = '\0';
	while ((end = strchr(line, '\n'))) {
		*end = '\0';
		command(o, line);
		filled -= (size_t)(end + 1 - line);
		memmove(line, end + 1, filled + 1);
	}
	return true;
}

int main(int argc, char **argv)
{
	const struct np_overlay_listener listener = {NULL, deliver, event};
	const struct np_log log = {.program = "overlay-node", .stream = stderr};
	const struct np_overlay_options options = {.ip.tos = -1, .ip.ttl = -1, .log = &log};
	struct np_overlay *o;
	struct np_fault fault;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc != 2)
		return 2;
	if (np_overlay_open_file(&o, argv[1], &options, &listener, &fault))
		return np_log_refuse(&log, fault.object, "%s", fault.reason);
	np_overlay_join(o, np_clock_now());
	printf("joined\n");
	while (joined || !np_overlay_idle(o)) {
		struct pollfd fds[] = {{.fd = np_overlay_fd(o), .events = POLLIN},
				       {.fd = 0, .events = POLLIN}};
		int rc;

		np_wait_ready(fds, 2, np_overlay_deadline(o));
		if (fds[1].revents && !commands(o))
			break;
		do
			rc = np_overlay_turn(o, 64, np_clock_now());
		while (rc > 0);
		if (rc < 0) {
			printf("ERROR turn: %s\n", strerror(-rc));
			return 1;
		}
	}
	np_overlay_free(o);
	printf("left\n");
	return 0;
}
