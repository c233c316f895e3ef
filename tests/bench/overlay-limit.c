// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * overlay-limit: what an overlay costs beside a bare loop that receives and sends on. Each node is
 * a process on 127.0.0.1; the first sends 512 bytes as long as no more than WINDOW are on their
 * way, so that nothing is lost. First the overlay, then the bare loops with the very next hops that
 * the overlay has shown. Prints messages per second, and the processor time of a message at a node
 * that sends it on, for each copy.
 *
 * usage: overlay-limit udp|tcp chain|tree NODES SECONDS
 */
#include <err.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netperf/clock.h>
#include <netperf/overlay.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../net/overlay-opened.h"

#define NODES_MAX 16
#define WINDOW	  64
#define REST_US	  20 /* until the sender looks again */
#define PAYLOAD	  512
#define WIRE	  562 /* of the same payload in an overlay message to one node */
#define BASE_PORT 22000

struct tally {
	atomic_ulong received;
	_Atomic int64_t cpu_ns;
	atomic_uint children, child[NODES_MAX];
	atomic_bool settled, ended;
};

static struct shared {
	atomic_bool go, stop;
	struct tally node[NODES_MAX];
} * shared;
static bool tcp, tree;
static unsigned count;
static double seconds;
static unsigned self;
static struct np_address addresses[NODES_MAX];

static np_time cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * NP_SECOND + t.tv_nsec;
}

/* Of all that have to have it. */
static unsigned long arrived(void)
{
	unsigned long least = ~0UL;

	for (unsigned i = tree ? 1 : count - 1; i < count; i++) {
		const unsigned long got = atomic_load(&shared->node[i].received);

		least = got < least ? got : least;
	}
	return least;
}

/* The first node sends, until its time is up and all has arrived; messages per second. */
static double drive(int (*send_one)(void *context), void (*turn)(void *context), void *context)
{
	np_time from = np_clock_now(), end = from + (np_time)(seconds * 1e9);
	unsigned long sent = 0;

	atomic_store(&shared->go, true);
	while (np_clock_now() < end || arrived() < sent) {
		if (np_clock_now() > end + 20 * NP_SECOND)
			errx(1, "%lu of %lu messages arrive", arrived(), sent);
		if (np_clock_now() < end && sent - arrived() < WINDOW && !send_one(context))
			sent++;
		else
			turn(context);
	}
	end = np_clock_now();
	atomic_store(&shared->stop, true);
	return (double)sent * 1e9 / (double)(end - from);
}

/* The others: counts their own time between go and stop. */
static void follow(void (*turn)(void *context), void *context)
{
	np_time begun = 0;

	while (!atomic_load(&shared->stop)) {
		if (!begun && atomic_load(&shared->go))
			begun = cpu_now();
		turn(context);
	}
	atomic_store(&shared->node[self].cpu_ns, cpu_now() - begun);
}

/* The overlay. */
static const uint8_t payload[PAYLOAD];
static struct np_overlay_logical last;

static void deliver(void *context, const struct np_overlay_message *message)
{
	(void)context;
	if (!message->own)
		atomic_fetch_add(&shared->node[self].received, 1);
}

static void overlay_turn(void *context)
{
	struct np_overlay *o = context;
	const np_time soon = np_clock_now() + 5 * NP_MILLISECOND;

	np_overlay_wait(o, -1, soon);
	while (np_overlay_turn(o, 64, np_clock_now()) > 0)
		;
	atomic_store(&shared->node[self].settled, np_overlay_stable(o));
}

/* Of the sender, whom nobody tells when there is room in the window. */
static void overlay_rest(void *context)
{
	usleep(REST_US);
	np_overlay_turn(context, 64, np_clock_now());
}

static int overlay_send(void *context)
{
	return np_overlay_send(context, tree ? NULL : &last, payload, sizeof(payload));
}

static int32_t coordinate(unsigned node, bool y)
{
	if (!tree)
		return (int32_t)(node + 1) * 100;
	return (int32_t)(1 + (y ? (node * node + 3) * 6007 % 9967 : node * 7919 % 9973));
}

static struct np_overlay *open_overlay(void)
{
	const struct np_overlay_listener listener = {.deliver = deliver};
	char node[300];
	const struct overlay_wanted wanted = {
		.protocol = "DTBuddyList",
		.substrate = tcp ? "tcp" : "udp",
		.local = addresses[self],
		.no_other_port = true,
		.contact = addresses,
		.contacts = 1,
		.adapter = "<MessageBufferSize>1000</MessageBufferSize>",
		.node = node,
	};
	struct np_overlay *o;

	snprintf(node, sizeof(node),
		 "<IAmHereTime>100</IAmHereTime><Coords><FIXED><coordinate>%d,%d</coordinate>"
		 "</FIXED></Coords>",
		 coordinate(self, false), coordinate(self, true));
	o = overlay_opened(&wanted, &listener);
	np_overlay_join(o, np_clock_now());
	return o;
}

/* All have been stable for a second, and have the neighbours that the shape has. */
static void settle(struct np_overlay *o)
{
	np_time since = np_clock_now();
	const np_time limit = since + 60 * NP_SECOND;

	while (np_clock_now() - since < NP_SECOND) {
		overlay_turn(o);
		for (unsigned i = 0; i < count; i++) {
			if (!atomic_load(&shared->node[i].settled))
				since = np_clock_now();
		}
		if (!np_overlay_neighbours(o, NULL, 0))
			since = np_clock_now();
		if (np_clock_now() > limit)
			errx(1, "the overlay does not settle");
	}
}

static unsigned number_of(const struct np_address *address)
{
	return np_address_port(address) - BASE_PORT;
}

/* Where it sends on what the first node sends. */
static void note_next_hops(const struct np_overlay *o)
{
	struct tally *t = &shared->node[self];
	struct np_overlay_neighbour at[NODES_MAX];
	struct np_overlay_logical root;
	unsigned n = 0;
	char text[NP_OVERLAY_LOGICAL_TEXT];

	snprintf(text, sizeof(text), "%d,%d", coordinate(0, false), coordinate(0, true));
	np_overlay_parse(o, text, &root);
	if (tree)
		n = np_overlay_children(o, &root, at, NODES_MAX);
	else if (self + 1 < count)
		n = np_overlay_parent(o, &last, at);
	for (unsigned i = 0; i < n; i++)
		atomic_store(&t->child[i], number_of(&at[i].address));
	atomic_store(&t->children, n);
}

static double run_overlay(void)
{
	struct np_overlay *o = open_overlay();
	char text[NP_OVERLAY_LOGICAL_TEXT];
	double rate = 0;

	snprintf(text, sizeof(text), "%d,%d", coordinate(count - 1, false),
		 coordinate(count - 1, true));
	np_overlay_parse(o, text, &last);
	if (self == 0) {
		settle(o);
		note_next_hops(o);
		rate = drive(overlay_send, overlay_rest, o);
	} else {
		follow(overlay_turn, o);
		note_next_hops(o);
		atomic_store(&shared->node[self].ended, true);
	}
	np_overlay_free(o);
	return rate;
}

/* The bare loop: one socket to receive from, one way to each next hop. */
struct bare {
	int in, out[NODES_MAX];
	uint8_t message[WIRE];
};

static int bare_send(void *context)
{
	struct bare *b = context;
	const struct tally *t = &shared->node[self];
	const unsigned children = atomic_load(&t->children);

	for (unsigned i = 0; i < children; i++) {
		if (send(b->out[i], b->message, sizeof(b->message), MSG_NOSIGNAL) !=
		    sizeof(b->message))
			err(1, "send");
	}
	return 0;
}

static void bare_turn(void *context)
{
	struct bare *b = context;
	const ssize_t got =
		self ? recv(b->in, b->message, sizeof(b->message), tcp ? MSG_WAITALL : 0)
		     : (usleep(REST_US), -1);

	if (got != sizeof(b->message))
		return;
	bare_send(b);
	atomic_fetch_add(&shared->node[self].received, 1);
}

static int bare_socket(void)
{
	const struct timeval limit = {.tv_usec = 100000};
	const int fd = socket(AF_INET, (tcp ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC, 0), on = 1;

	if (fd < 0)
		err(1, "socket");
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (tcp)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return fd;
}

static double run_bare(void)
{
	struct tally *t = &shared->node[self];
	const unsigned children = atomic_load(&t->children);
	struct bare b = {.in = bare_socket()};
	double rate = 0;
	int listener = b.in;

	if (bind(b.in, &addresses[self].any, addresses[self].length) ||
	    (tcp && listen(b.in, NODES_MAX)))
		err(1, "bind");
	atomic_store(&t->settled, true);
	for (unsigned i = 0; i < count; i++) {
		while (!atomic_load(&shared->node[i].settled))
			usleep(1000);
	}
	for (unsigned i = 0; i < children; i++) {
		const struct np_address *to = &addresses[atomic_load(&t->child[i])];

		b.out[i] = bare_socket();
		if (connect(b.out[i], &to->any, to->length))
			err(1, "connect");
	}
	if (tcp && self) {
		do
			b.in = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		while (b.in < 0 && errno == EAGAIN && !atomic_load(&shared->stop));
		setsockopt(b.in, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){.tv_usec = 100000},
			   sizeof(struct timeval));
	}
	if (self == 0)
		rate = drive(bare_send, bare_turn, &b);
	else
		follow(bare_turn, &b);
	return rate;
}

/* One phase in processes of its own; prints its figures. */
static void phase(const char *name, double (*run)(void))
{
	int status, wrong = 0;

	atomic_store(&shared->go, false);
	atomic_store(&shared->stop, false);
	for (unsigned i = 0; i < count; i++) {
		atomic_store(&shared->node[i].received, 0);
		atomic_store(&shared->node[i].settled, false);
	}
	fflush(stdout);
	for (self = 0; self < count; self++) {
		if (fork())
			continue;
		const double rate = run();

		if (!self)
			printf("%s_rate=%.0f ", name, rate);
		fflush(stdout);
		_exit(0);
	}
	while (wait(&status) > 0) {
		if (status && !wrong++)
			atomic_store(&shared->stop, true);
	}
	if (wrong)
		exit(1);
}

/* Of the nodes that send on: a copy's processor time. */
static double forward_ns(void)
{
	double ns = 0, copies = 0;

	for (unsigned i = 1; i < count; i++) {
		const struct tally *t = &shared->node[i];
		const unsigned children = atomic_load(&t->children);
		const unsigned long each = tree ? atomic_load(&t->received)
						: atomic_load(&shared->node[count - 1].received);

		if (!children)
			continue;
		ns += (double)atomic_load(&t->cpu_ns);
		copies += (double)each * children;
	}
	return copies > 0 ? ns / copies : 0;
}

int main(int argc, char **argv)
{
	double ours;

	if (argc != 5)
		errx(2, "usage: overlay-limit udp|tcp chain|tree NODES SECONDS");
	tcp = !strcmp(argv[1], "tcp");
	tree = !strcmp(argv[2], "tree");
	count = (unsigned)atoi(argv[3]);
	seconds = atof(argv[4]);
	if (count < 2 || count > NODES_MAX)
		errx(2, "2 to %d nodes", NODES_MAX);
	for (unsigned i = 0; i < count; i++) {
		if (np_address_parse(&addresses[i], "127.0.0.1", (uint16_t)(BASE_PORT + i),
				     AF_UNSPEC))
			errx(2, "address");
	}
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		err(2, "mmap");
	phase("overlay", run_overlay);
	ours = forward_ns();
	phase("bare", run_bare);
	printf("overlay_ns=%.0f bare_ns=%.0f\n", ours, forward_ns());
	return 0;
}
