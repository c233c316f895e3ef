// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * overlay-exchange: several overlay nodes of one process, each with its own sockets on 127.0.0.1,
 * in one loop: they join, everyone sends to all and to each, large ones where the substrate takes
 * them; one dies, comes back, a stranger sends rubbish meanwhile. Each payload must come exactly
 * once wherever it belongs. usage: overlay-exchange udp|tcp|pair|spt|none NODES
 */
#include <errno.h>
#include <inttypes.h>
#include <netperf/clock.h>
#include <netperf/overlay.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "overlay-opened.h"
#include "overlay-stranger.h"

#define NODES_MAX  16
#define LIMIT	   (120 * NP_SECOND) /* of one wait; a quiet machine needs a few seconds */
#define LARGE	   70000
#define FIRST_PORT 21000

struct member {
	struct np_overlay *overlay; /* NULL: dead */
	unsigned number;
	unsigned got[NODES_MAX]; /* payloads of this round, by sender */
	unsigned own, wrong;
	unsigned told[8];
};

static struct member members[NODES_MAX];
static unsigned count, round_number;
static size_t round_bytes;
static const struct kind {
	const char *name, *protocol, *substrate;
} kinds[] = {
	{"udp", "DTBuddyList", "udp"},	 {"tcp", "DTBuddyList", "tcp"},
	{"pair", "DTBroadcast", "pair"}, {"spt", "SPT", "pair"},
	{"none", "NONE", "udp"},
};
static const struct kind *kind;
static bool spanning, none, tcp;
static struct np_address addresses[NODES_MAX];
static struct stranger stranger;
static uint8_t large[LARGE];

static void must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "round %u: %s\n", round_number, what);
	for (unsigned i = 0; i < count; i++) {
		struct np_overlay_stats s;

		if (!members[i].overlay || np_overlay_stats(members[i].overlay, &s))
			continue;
		fprintf(stderr, "%u: stable %d neighbours %u own %u wrong %u got", i,
			np_overlay_stable(members[i].overlay),
			np_overlay_neighbours(members[i].overlay, NULL, 0), members[i].own,
			members[i].wrong);
		for (unsigned j = 0; j < count; j++)
			fprintf(stderr, " %u", members[i].got[j]);
		fprintf(stderr,
			"; malformed %" PRIu64 " forged %" PRIu64 " by wrong way %" PRIu64
			" looped %" PRIu64 " no room %" PRIu64 " unreachable %" PRIu64
			" refused %" PRIu64 " kernel %" PRIu64 "\n",
			s.node.malformed, s.node.forged, s.node.not_from_parent, s.node.looped,
			s.substrate.no_room.forwarded, s.substrate.unreachable.own,
			s.substrate.refused.own, s.substrate.kernel_dropped);
	}
	exit(1);
}

/* What a payload says: its sender and round; the rest follows from them. */
static uint8_t fill_of(unsigned sender, size_t at)
{
	return (uint8_t)(sender * 31 + round_number * 7 + at);
}

static void deliver(void *context, const struct np_overlay_message *message)
{
	struct member *m = context;
	const uint8_t *data = message->data;
	const unsigned sender = message->bytes ? data[0] : NODES_MAX;

	if (message->own) {
		m->own++;
		return;
	}
	/* A late one of an earlier round counts as wrong, too: there is none. */
	if (sender >= count || message->bytes != round_bytes || data[1] != (uint8_t)round_number) {
		m->wrong++;
		return;
	}
	for (size_t i = 2; i < message->bytes; i++)
		m->wrong += data[i] != fill_of(sender, i);
	m->got[sender]++;
}

static void event(void *context, const struct np_overlay_event *event)
{
	struct member *m = context;

	m->told[event->kind]++;
}

#define IN_EXCHANGE                                                                                \
	"<OverlayID>exchange</OverlayID><HashAttributes>/Public/OverlayID</HashAttributes>"
/* All nodes stand still while this process does: a long time-out, for a loaded machine. */
#define DELAUNAY                                                                                   \
	"<FastHeartbeatTime>100</FastHeartbeatTime><SlowHeartbeatTime>500</SlowHeartbeatTime>"     \
	"<TimeoutTime>15000</TimeoutTime>"
#define COORDINATES "<Coords><FIXED><coordinate>%u"
#define END	    "</coordinate></FIXED></Coords>"

static void start(unsigned number)
{
	const struct np_overlay_listener listener = {&members[number], deliver, event};
	const unsigned x = 1 + number * 7919 % 9973, y = 1 + (number * number + 3) * 6007 % 9967;
	char node[500] = "";
	const struct overlay_wanted wanted = {
		.protocol = kind->protocol,
		.substrate = kind->substrate,
		.local = addresses[number],
		.no_other_port = true,
		.contact = addresses,
		/* Of NONE all are neighbours; itself is among them, and ignores what it hears so.
		 */
		.contacts = !strcmp(kind->substrate, "pair") ? 0
			    : count < 2 || none		     ? count
							     : 2,
		.top = spanning ? IN_EXCHANGE "<RouteRecordSize>2</RouteRecordSize>" : IN_EXCHANGE,
		.adapter = "<MessageBufferSize>500</MessageBufferSize>",
		.interface = tcp ? "<MaximumPacketLength>200000</MaximumPacketLength>" : NULL,
		.node = node,
	};

	if (spanning)
		snprintf(node, sizeof(node),
			 "<BeaconTime>200</BeaconTime><NeighborTimeout>15000</NeighborTimeout>"
			 "<MsgMaxAge>15000</MsgMaxAge><AdjacencyTimeout>60000</AdjacencyTimeout>"
			 "<RootHistoryTimeout>60000</RootHistoryTimeout>" COORDINATES END,
			 x);
	else if (!none)
		snprintf(node, sizeof(node), DELAUNAY "<%s>200</%s>" COORDINATES ",%u" END,
			 strcmp(kind->name, "pair") ? "IAmHereTime" : "BeaconTime",
			 strcmp(kind->name, "pair") ? "IAmHereTime" : "BeaconTime", x, y);
	members[number].overlay = overlay_opened(&wanted, &listener);
	np_overlay_join(members[number].overlay, np_clock_now());
}

/* All nodes take turns until nothing is left to do, then sleep until one has. */
static void run_once(void)
{
	struct pollfd fds[NODES_MAX];
	np_time deadline = np_clock_now() + 20 * NP_MILLISECOND;

	for (unsigned i = 0; i < count; i++) {
		np_time own;

		fds[i] = (struct pollfd){.fd = -1, .events = POLLIN};
		if (!members[i].overlay)
			continue;
		must(np_overlay_turn(members[i].overlay, 64, np_clock_now()) >= 0, "a turn fails");
		fds[i].fd = np_overlay_fd(members[i].overlay);
		own = np_overlay_deadline(members[i].overlay);
		if (own < deadline)
			deadline = own;
	}
	if (stranger.active)
		stranger_annoy(&stranger);
	np_wait_ready(fds, count, deadline);
}

static bool all_stable(void)
{
	for (unsigned i = 0; i < count; i++) {
		if (members[i].overlay && !spanning && !np_overlay_stable(members[i].overlay))
			return false;
	}
	return true;
}

/* In how many does the walk over neighbours end that begins at the first living node? */
static unsigned reached(void)
{
	bool seen[NODES_MAX] = {false};
	unsigned stack[NODES_MAX * NODES_MAX], depth = 0, found = 0;

	for (unsigned i = 0; i < count && !depth; i++) {
		if (members[i].overlay)
			stack[depth++] = i;
	}
	while (depth) {
		struct np_overlay_neighbour at[NODES_MAX];
		const unsigned i = stack[--depth];
		unsigned n;

		if (seen[i])
			continue;
		seen[i] = true;
		found++;
		n = np_overlay_neighbours(members[i].overlay, at, NODES_MAX);
		for (unsigned k = 0; k < n && k < NODES_MAX; k++) {
			for (unsigned j = 0; j < count; j++) {
				if (np_address_equal(&addresses[j], &at[k].address) &&
				    members[j].overlay && !seen[j] && depth < NODES_MAX * NODES_MAX)
					stack[depth++] = j;
			}
		}
	}
	return found;
}

static unsigned living(void)
{
	unsigned alive = 0;

	for (unsigned i = 0; i < count; i++)
		alive += members[i].overlay != NULL;
	return alive;
}

/* No neighbour is dead, all are stable, and all are connected. */
static bool settled(void)
{
	for (unsigned i = 0; i < count; i++) {
		struct np_overlay_neighbour at[NODES_MAX];
		unsigned n;

		if (!members[i].overlay)
			continue;
		n = np_overlay_neighbours(members[i].overlay, at, NODES_MAX);
		for (unsigned k = 0; k < n && k < NODES_MAX; k++) {
			for (unsigned j = 0; j < count; j++) {
				if (!members[j].overlay &&
				    np_address_equal(&addresses[j], &at[k].address))
					return false;
			}
		}
	}
	return all_stable() && reached() == living();
}

static void until(bool (*holds)(void), const char *what)
{
	const np_time end = np_clock_now() + LIMIT;

	while (!holds()) {
		must(np_clock_now() < end, what);
		run_once();
	}
}

/* A second in which nothing changes, in the nodes' own time. */
static void settle(void)
{
	np_time quiet = np_clock_now();

	until(settled, "the nodes do not settle");
	while (np_clock_now() - quiet < NP_SECOND) {
		run_once();
		if (!settled()) {
			until(settled, "the nodes do not stay settled");
			quiet = np_clock_now();
		}
	}
}

static void begin_round(size_t bytes)
{
	round_number++;
	round_bytes = bytes;
	for (unsigned i = 0; i < count; i++) {
		memset(members[i].got, 0, sizeof(members[i].got));
		members[i].own = members[i].wrong = 0;
	}
}

static const uint8_t *payload_of(unsigned sender)
{
	for (size_t i = 2; i < round_bytes; i++)
		large[i] = fill_of(sender, i);
	large[0] = (uint8_t)sender;
	large[1] = (uint8_t)round_number;
	return large;
}

/* Sends as soon as there is room. */
static void send_it(unsigned from, const struct np_overlay_logical *to)
{
	const np_time end = np_clock_now() + LIMIT;
	struct np_overlay *o = members[from].overlay;
	int rc;

	for (;;) {
		const uint8_t *data = payload_of(from);

		rc = np_overlay_send(o, to, data, round_bytes);
		if (rc != -EAGAIN)
			break;
		must(np_clock_now() < end, "there is no room");
		run_once();
	}
	must(!rc, "a payload is refused");
}

static unsigned wanted;

static bool all_got(void)
{
	for (unsigned i = 0; i < count; i++) {
		for (unsigned j = 0; j < count && members[i].overlay; j++) {
			if (members[j].overlay && i != j && members[i].got[j] < wanted)
				return false;
		}
	}
	return true;
}

/* And not once more, for so long. */
static void expect_got(unsigned each, unsigned own)
{
	const np_time more = 300 * NP_MILLISECOND;
	np_time end;

	wanted = each;
	until(all_got, "a payload is missing");
	for (end = np_clock_now() + more; np_clock_now() < end;)
		run_once();
	for (unsigned i = 0; i < count; i++) {
		if (!members[i].overlay)
			continue;
		must(!members[i].wrong, "a payload is not what was sent");
		must(members[i].own == own, "own payloads are not told once");
		for (unsigned j = 0; j < count; j++)
			must(members[i].got[j] == (i != j && members[j].overlay ? each : 0),
			     "a payload came twice, or to the wrong node");
	}
}

static void round_of_multicasts(size_t bytes, unsigned each)
{
	begin_round(bytes);
	for (unsigned k = 0; k < each; k++) {
		for (unsigned i = 0; i < count; i++) {
			if (members[i].overlay)
				send_it(i, NULL);
		}
		run_once();
	}
	expect_got(each, each);
}

static void round_of_unicasts(size_t bytes)
{
	begin_round(bytes);
	for (unsigned i = 0; i < count; i++) {
		for (unsigned j = 0; j < count; j++) {
			struct np_overlay_logical to;

			if (i == j || !members[i].overlay || !members[j].overlay)
				continue;
			to = np_overlay_logical(members[j].overlay);
			send_it(i, &to);
			run_once();
		}
	}
	expect_got(1, 0);
}

static void rounds(void)
{
	round_of_multicasts(2, 1);
	round_of_multicasts(512, 20);
	round_of_unicasts(512);
	if (tcp) {
		round_of_multicasts(LARGE, 2);
		round_of_unicasts(LARGE);
	}
}

/* One goes without a word, as by SIGKILL. */
static void kill_one(unsigned number)
{
	np_overlay_free(members[number].overlay);
	members[number].overlay = NULL;
}

static bool all_idle(void)
{
	for (unsigned i = 0; i < count; i++) {
		if (members[i].overlay && !np_overlay_idle(members[i].overlay))
			return false;
	}
	return true;
}

static void leave_all(void)
{
	for (unsigned i = 0; i < count; i++) {
		np_overlay_leave(members[i].overlay, np_clock_now());
		must(members[i].told[NP_OVERLAY_LEFT] == 1, "leaving is not told");
		must(np_overlay_send(members[i].overlay, NULL, large, 2) == -ENOTCONN,
		     "a node outside sends");
	}
	until(all_idle, "what was sent does not leave");
	for (unsigned i = 0; i < count; i++)
		kill_one(i);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!strcmp(argv[1], kinds[i].name))
			kind = &kinds[i];
	}
	if (!kind)
		return 2;
	spanning = !strcmp(kind->name, "spt");
	none = !strcmp(kind->name, "none");
	tcp = !strcmp(kind->name, "tcp");
	count = (unsigned)atoi(argv[2]);
	if (count < 1 || count > NODES_MAX)
		return 2;
	for (unsigned i = 0; i < count; i++) {
		char text[40];

		snprintf(text, sizeof(text), "127.0.0.1:%u", FIRST_PORT + i);
		np_address_parse(&addresses[i], text, 0, AF_UNSPEC);
	}
	/* The first buddy is dead before anybody comes. */
	for (unsigned i = count - 1; i < count && (i || count < 3 || none); i--)
		start(i);
	settle();
	if (!members[0].overlay)
		start(0);
	settle();
	rounds();
	if (count > 3 && !none) {
		kill_one(0);
		settle();
		rounds();
		start(0);
		settle();
		rounds();
	}
	stranger_open(&stranger, tcp, addresses, count);
	rounds();
	round_of_multicasts(512, 200);
	stranger_close(&stranger);
	settle();
	rounds();
	leave_all();
	printf("%s, %u nodes: every payload once\n", argv[1], count);
	return 0;
}
