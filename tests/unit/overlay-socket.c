// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* overlay-socket: an overlay as programs see it: room, counts, what is refused, own payloads. */
#include <arpa/inet.h>
#include <errno.h>
#include <netperf/field.h>
#include <netperf/overlay.h>
#include <netperf/wait.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define LIMIT (60 * NP_SECOND)

static struct np_address loopback(uint16_t port)
{
	struct np_address address;

	assert_int_equal(np_address_parse(&address, "127.0.0.1", port), 0);
	return address;
}

/* A node without a protocol on 127.0.0.1, with @count neighbours. */
static struct np_overlay_plan none(enum np_overlay_substrate substrate,
				   const struct np_address *contact, unsigned count)
{
	struct np_overlay_plan plan = np_overlay_plan_default(NP_OVERLAY_NONE, substrate);

	plan.local = loopback(0);
	plan.contact = contact;
	plan.contacts = count;
	return plan;
}

static struct np_overlay *opened(const struct np_overlay_plan *plan,
				 const struct np_overlay_listener *listener)
{
	struct np_overlay *overlay;
	struct np_fault fault = {};

	if (np_overlay_open(&overlay, plan, NULL, listener, &fault))
		fail_msg("%s: %s", fault.object, fault.reason);
	return overlay;
}

static void turn(struct np_overlay *o)
{
	while (np_overlay_turn(o, 64, np_clock_now()) > 0)
		;
}

static struct np_overlay_substrate_counts counts(struct np_overlay *o)
{
	struct np_overlay_stats stats;

	assert_int_equal(np_overlay_stats(o, &stats), 0);
	return stats.substrate;
}

static void two_without_a_protocol(enum np_overlay_substrate substrate)
{
	struct np_overlay_plan plan = none(substrate, NULL, 0);
	struct np_overlay *a = opened(&plan, NULL), *b;
	const struct np_address contact = np_overlay_info(a)->local;
	struct np_overlay_message message;
	struct np_overlay_logical to;
	struct np_overlay_stats stats;
	char text[NP_OVERLAY_LOGICAL_TEXT];

	plan = none(substrate, &contact, 1);
	b = opened(&plan, NULL);
	assert_int_equal(np_overlay_send_all(b, "x", 1), -ENOTCONN);
	np_overlay_join(a, np_clock_now());
	np_overlay_join(b, np_clock_now());
	assert_int_equal(np_overlay_send_all(b, "all", 3), 0);
	/* Its own, at once. */
	assert_int_equal(np_overlay_receive(b, &message, 0), 1);
	assert_true(message.own);
	assert_int_equal(message.hop_limit, 254);
	for (np_time end = np_clock_now() + LIMIT; np_clock_now() < end; turn(b)) {
		if (np_overlay_receive(a, &message, np_clock_now() + 10 * NP_MILLISECOND))
			break;
	}
	assert_int_equal(message.bytes, 3);
	assert_memory_equal(message.data, "all", 3);
	assert_false(message.own || message.unicast);
	assert_int_equal(message.hop_limit, 253);
	to = np_overlay_logical(b);
	assert_true(np_overlay_equal(&message.source, &to));
	assert_true(np_overlay_equal(&message.previous, &to));
	/* By the text of its address, and back. */
	np_overlay_format(&to, text);
	assert_int_equal(np_overlay_parse(a, text, &to), 0);
	assert_true(np_overlay_equal(&message.source, &to));
	assert_int_equal(np_overlay_send(a, &to, "one", 3), 0);
	for (np_time end = np_clock_now() + LIMIT; np_clock_now() < end; turn(a)) {
		if (np_overlay_receive(b, &message, np_clock_now() + 10 * NP_MILLISECOND))
			break;
	}
	assert_memory_equal(message.data, "one", 3);
	assert_true(message.unicast);
	assert_int_equal(np_overlay_stats(b, &stats), 0);
	assert_int_equal(stats.node.sent, 1);
	assert_int_equal(stats.node.delivered, 1);
	assert_int_equal(stats.substrate.sent.own, 1);
	assert_int_equal(stats.substrate.received, 1);
	np_overlay_free(a);
	np_overlay_free(b);
}

static void none_over_udp(void **state)
{
	(void)state;
	two_without_a_protocol(NP_OVERLAY_UDP);
}

static void none_over_tcp(void **state)
{
	(void)state;
	two_without_a_protocol(NP_OVERLAY_TCP);
}

/* A listener that takes connections and reads nothing until it is told to. */
static int deaf(struct np_address *address)
{
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), small = 4096;

	*address = loopback(0);
	assert_true(fd >= 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	assert_int_equal(bind(fd, &address->any, address->length), 0);
	assert_int_equal(listen(fd, 5), 0);
	assert_int_equal(getsockname(fd, &address->any, &address->length), 0);
	return fd;
}

/* Reads all that comes until @messages of @bytes, each behind a port, are there. */
static void read_messages(struct np_overlay *o, int fd, uint64_t messages, size_t bytes)
{
	const np_time end = np_clock_now() + LIMIT;
	uint64_t left = messages * (bytes + 2);
	static uint8_t data[65536];

	while (left) {
		const ssize_t got = recv(fd, data, sizeof(data), MSG_DONTWAIT);

		assert_true(np_clock_now() < end);
		assert_true(got > 0 || errno == EAGAIN);
		left -= got > 0 ? (uint64_t)got : 0;
		turn(o);
	}
	assert_int_equal(recv(fd, data, sizeof(data), MSG_DONTWAIT), -1);
	assert_int_equal(errno, EAGAIN);
}

static void a_sender_waits_for_room_and_loses_nothing(void **state)
{
	static const uint8_t payload[8000];
	const size_t overhead = 11 + 2 * 16 + 4 + 3; /* head, addresses, DATA, ROUTE */
	struct np_address address;
	const int listener = deaf(&address);
	const struct np_overlay_plan plan = none(NP_OVERLAY_TCP, &address, 1);
	struct np_overlay *o = opened(&plan, NULL);
	struct np_overlay_substrate_counts c;
	uint64_t sent = 0;
	int fd, rc, full = 0;

	(void)state;
	np_overlay_join(o, np_clock_now());
	/* Room comes and goes while the kernel takes some; then it stays away. */
	while (full < 50) {
		rc = np_overlay_send_all(o, payload, sizeof(payload));
		assert_true(!rc || rc == -EAGAIN);
		assert_true(!rc || !np_overlay_room(o, NULL));
		assert_true(!rc || counts(o).waiting.own >= 1);
		sent += !rc;
		full = rc ? full + 1 : 0;
		if (rc)
			np_overlay_wait(o, -1, np_clock_now() + 2 * NP_MILLISECOND);
		turn(o);
	}
	c = counts(o);
	assert_int_equal(c.sent.own + c.waiting.own, sent);
	assert_false(np_overlay_idle(o));
	fd = accept(listener, NULL, NULL);
	read_messages(o, fd, sent, sizeof(payload) + overhead);
	assert_true(np_overlay_room(o, NULL));
	c = counts(o);
	assert_int_equal(c.sent.own, sent);
	assert_int_equal(c.waiting.own + c.no_room.own + c.unreachable.own + c.refused.own, 0);
	assert_true(np_overlay_idle(o));
	close(fd);
	close(listener);
	np_overlay_free(o);
}

static void nobody_listens(void **state)
{
	struct np_address address;
	const int listener = deaf(&address);
	const struct np_overlay_plan plan = none(NP_OVERLAY_TCP, &address, 1);
	struct np_overlay *o = opened(&plan, NULL);
	const np_time end = np_clock_now() + LIMIT;
	struct np_overlay_substrate_counts c;

	(void)state;
	close(listener);
	np_overlay_join(o, np_clock_now());
	assert_int_equal(np_overlay_send_all(o, "x", 1), 0);
	do {
		np_overlay_wait(o, -1, np_clock_now() + 10 * NP_MILLISECOND);
		turn(o);
		c = counts(o);
		assert_true(np_clock_now() < end);
	} while (!c.unreachable.own);
	assert_int_equal(c.unreachable.own, 1);
	assert_int_equal(c.sent.own + c.waiting.own, 0);
	assert_int_equal(c.connect_failures, 1);
	assert_int_equal(c.last_error, -ECONNREFUSED);
	/* Others go on meanwhile: who cannot be reached takes no room from them. */
	assert_int_equal(np_overlay_send_all(o, "x", 1), 0);
	assert_true(np_overlay_room(o, NULL));
	np_overlay_free(o);
}

/* Accepts, reads a little, hangs up: what was not through is said anew, from its beginning. */
static void a_broken_connection_is_made_anew(void **state)
{
	struct np_address address;
	const int listener = deaf(&address);
	const struct np_overlay_plan plan = none(NP_OVERLAY_TCP, &address, 1);
	struct np_overlay *o = opened(&plan, NULL);
	const np_time end = np_clock_now() + LIMIT;
	static const uint8_t payload[8000];
	uint8_t head[3];
	int fd, rc;

	(void)state;
	np_overlay_join(o, np_clock_now());
	for (unsigned full = 0; full < 20; full += rc != 0) {
		rc = np_overlay_send_all(o, payload, sizeof(payload));
		np_overlay_wait(o, -1, np_clock_now() + NP_MILLISECOND);
		turn(o);
	}
	fd = accept(listener, NULL, NULL);
	close(fd);
	do {
		np_overlay_wait(o, -1, np_clock_now() + 10 * NP_MILLISECOND);
		turn(o);
		(void)np_overlay_send_all(o, payload, sizeof(payload));
		assert_true(np_clock_now() < end);
	} while (counts(o).connects < 2);
	fd = accept(listener, NULL, NULL);
	assert_int_equal(recv(fd, head, sizeof(head), MSG_WAITALL), 3);
	assert_int_equal(np_field_get16(head), np_address_port(&np_overlay_info(o)->local));
	assert_int_equal(head[2], 0xd0);
	close(fd);
	close(listener);
	np_overlay_free(o);
}

static void say(const struct np_address *to, const void *data, size_t bytes, int *fd)
{
	*fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(*fd, &to->any, to->length), 0);
	if (bytes)
		assert_int_equal(send(*fd, data, bytes, MSG_NOSIGNAL), bytes);
}

/* Whether the node has hung up. */
static bool hung_up(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_DONTWAIT) == 0 || errno == ECONNRESET;
}

static void strangers_cost_a_connection(void **state)
{
	static const char *const bad[] = {"\x10\x01\xff\xff", "GET / HTTP/1.0\r\n\r\n",
					  "\x10\x01\x22\xff\xff"};
	static const size_t lengths[] = {4, 18, 5};
	struct np_overlay_plan plan = none(NP_OVERLAY_TCP, NULL, 0);
	struct np_overlay *o;
	struct np_address to;
	const np_time end = np_clock_now() + LIMIT;
	int fd[3], silent;

	(void)state;
	plan.idle_max = 300 * NP_MILLISECOND;
	plan.message_max = 512;
	o = opened(&plan, NULL);
	to = np_overlay_info(o)->local;
	np_overlay_join(o, np_clock_now());
	say(&to, NULL, 0, &silent);
	for (unsigned i = 0; i < 3; i++)
		say(&to, bad[i], lengths[i], &fd[i]);
	while (!hung_up(fd[0]) || !hung_up(fd[1]) || !hung_up(fd[2]) || !hung_up(silent)) {
		np_overlay_wait(o, -1, np_clock_now() + 10 * NP_MILLISECOND);
		turn(o);
		assert_true(np_clock_now() < end);
	}
	assert_int_equal(counts(o).accepts, 4);
	assert_int_equal(counts(o).unreadable, 2);
	assert_int_equal(counts(o).oversize, 1);
	assert_int_equal(counts(o).turned_away, 1);
	assert_int_equal(counts(o).connections, 0);
	for (unsigned i = 0; i < 3; i++)
		close(fd[i]);
	close(silent);
	np_overlay_free(o);
}

/* What came and found no room in the kernel: with what was received it is all that was sent. */
static void drops_of_the_kernel_are_counted(void **state)
{
	const struct np_overlay_options small = {.receive_bytes = 4096, .tos = -1, .ttl = -1};
	struct np_overlay_plan plan = none(NP_OVERLAY_UDP, NULL, 0);
	static const uint8_t payload[1000];
	struct np_overlay_substrate_counts c;
	struct np_overlay *from, *to;
	struct np_address contact;
	struct np_fault fault = {};

	(void)state;
	assert_int_equal(np_overlay_open(&to, &plan, &small, NULL, &fault), 0);
	contact = np_overlay_info(to)->local;
	plan = none(NP_OVERLAY_UDP, &contact, 1);
	from = opened(&plan, NULL);
	np_overlay_join(from, np_clock_now());
	np_overlay_join(to, np_clock_now());
	for (unsigned i = 0; i < 500; i++) {
		while (np_overlay_send_all(from, payload, sizeof(payload)) == -EAGAIN)
			turn(from);
	}
	while (!np_overlay_idle(from))
		turn(from);
	turn(to);
	c = counts(to);
	assert_true(c.received >= 1);
	assert_true(c.kernel_dropped >= 1);
	assert_string_equal(np_overlay_info(to)->drop_unit, "packet");
	assert_int_equal(c.received + c.kernel_dropped, 500);
	assert_int_equal(counts(from).sent.own, 500);
	np_overlay_free(from);
	np_overlay_free(to);
}

/* The answer that nobody is there is counted, and does not keep the descriptor readable. */
static void nobody_at_a_datagrams_end(void **state)
{
	struct np_overlay_plan plan = none(NP_OVERLAY_UDP, NULL, 0);
	struct np_overlay *gone = opened(&plan, NULL), *o;
	const struct np_address contact = np_overlay_info(gone)->local;
	const np_time end = np_clock_now() + LIMIT;
	struct pollfd fd = {.events = POLLIN};

	(void)state;
	np_overlay_free(gone);
	plan = none(NP_OVERLAY_UDP, &contact, 1);
	o = opened(&plan, NULL);
	fd.fd = np_overlay_fd(o);
	np_overlay_join(o, np_clock_now());
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(np_overlay_send_all(o, "x", 1), 0);
	do
		turn(o);
	while (np_wait_ready(&fd, 1, 0) && np_clock_now() < end);
	assert_int_equal(np_wait_ready(&fd, 1, 0), 0);
	assert_int_equal(counts(o).sent.own, 3);
	assert_true(counts(o).icmp_errors >= 1);
	np_overlay_free(o);
}

struct heard {
	struct np_overlay *overlay;
	unsigned own, sent;
};

/* Sends from inside of a delivery. */
static void answer(void *context, const struct np_overlay_message *message)
{
	struct heard *heard = context;

	heard->own += message->own;
	if (heard->sent++ < 3)
		assert_int_equal(np_overlay_send_all(heard->overlay, "again", 5), 0);
}

static void sends_within_a_delivery(void **state)
{
	struct np_address contacts[2] = {loopback(11), loopback(12)};
	const struct np_overlay_plan plan = none(NP_OVERLAY_NULL, contacts, 2);
	struct heard heard = {0};
	const struct np_overlay_listener listener = {.context = &heard, .deliver = answer};
	struct np_overlay_stats stats;

	(void)state;
	heard.overlay = opened(&plan, &listener);
	np_overlay_join(heard.overlay, np_clock_now());
	assert_int_equal(np_overlay_send_all(heard.overlay, "x", 1), 0);
	assert_int_equal(heard.own, 4);
	assert_int_equal(np_overlay_stats(heard.overlay, &stats), 0);
	assert_int_equal(stats.node.sent, 4);
	assert_int_equal(stats.substrate.sent.own, 8);
	assert_int_equal(stats.substrate.sent.forwarded, 0);
	np_overlay_free(heard.overlay);
}

static void payloads_wait_up_to_the_bound(void **state)
{
	struct np_overlay_plan plan = none(NP_OVERLAY_NULL, NULL, 0);
	struct np_overlay_message message;
	struct np_overlay_stats stats;
	struct np_overlay *o;

	(void)state;
	plan.receive_buffer = 2;
	o = opened(&plan, NULL);
	np_overlay_join(o, np_clock_now());
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(np_overlay_send_all(o, "x", 1), 0);
	assert_int_equal(np_overlay_stats(o, &stats), 0);
	assert_int_equal(stats.node.undelivered, 1);
	assert_int_equal(np_overlay_receive(o, &message, 0), 1);
	assert_int_equal(np_overlay_receive(o, &message, 0), 1);
	assert_int_equal(np_overlay_receive(o, &message, 0), 0);
	np_overlay_free(o);
}

static void texts(void **state)
{
	struct np_overlay_plan plan =
		np_overlay_plan_default(NP_OVERLAY_DT_BUDDIES, NP_OVERLAY_NULL);
	char text[NP_OVERLAY_LOGICAL_TEXT], warning[NP_OVERLAY_WARNING_TEXT];
	struct np_overlay_event event = {.kind = NP_OVERLAY_TWIN, .address = loopback(9001)};
	struct np_overlay_logical logical;
	int32_t x, y;
	struct np_overlay *o;

	(void)state;
	plan.local = loopback(1);
	plan.x = 984;
	plan.y = 4861;
	o = opened(&plan, NULL);
	logical = np_overlay_logical(o);
	assert_string_equal(np_overlay_format(&logical, text), "984,4861");
	assert_int_equal(np_overlay_parse(o, "984, 4861", &event.node[0]), 0);
	assert_true(np_overlay_equal(&logical, &event.node[0]));
	assert_true(np_overlay_point(&logical, &x, &y));
	assert_int_equal(y, 4861);
	assert_int_equal(np_overlay_parse(o, "984", &logical), -EINVAL);
	assert_int_equal(np_overlay_parse(o, "0,0", &logical), -ERANGE);
	assert_int_equal(np_overlay_parse(o, "127.0.0.1:9001", &logical), -EINVAL);
	assert_string_equal(np_overlay_event_name(NP_OVERLAY_STABLE),
			    "hypercast.events.NODE_ISSTABLE");
	assert_string_equal(np_overlay_event_name(NP_OVERLAY_NEIGHBOURHOOD),
			    "hypercast.events.NODE_NEIGHBORHOODCHANGED");
	assert_string_equal(np_overlay_event_name(NP_OVERLAY_ADDRESS),
			    "hypercast.events.NODE_LOGICALADDRESSCHANGED");
	assert_string_equal(np_overlay_event_name(NP_OVERLAY_LEFT),
			    "hypercast.events.NODE_LEAVEOVERLAY");
	assert_null(np_overlay_event_name(NP_OVERLAY_TWIN));
	assert_non_null(strstr(np_overlay_event_warning(&event, warning),
			       "127.0.0.1:9001 has this node's logical address 984,4861"));
	np_overlay_free(o);
}

static void refused(const struct np_overlay_plan *plan, int error, const char *reason)
{
	struct np_overlay *overlay;
	struct np_fault fault = {};

	assert_int_equal(np_overlay_open(&overlay, plan, NULL, NULL, &fault), error);
	assert_null(overlay);
	if (!strstr(fault.reason, reason) && !strstr(fault.object, reason))
		fail_msg("%s: %s, not %s", fault.object, fault.reason, reason);
}

static void what_is_refused(void **state)
{
	struct np_address other = loopback(0);
	struct np_overlay_plan plan = none(NP_OVERLAY_UDP, &other, 1);
	struct np_overlay *first;

	(void)state;
	refused(&plan, -EINVAL, "expected an IPv4 address and a port");
	plan.contacts = 0;
	plan.message_max = 65508;
	refused(&plan, -EINVAL, "512 to 65507");
	plan.message_max = 8192;
	plan.hop_limit = 0;
	refused(&plan, -EINVAL, "hop limit");
	plan.hop_limit = 255;
	plan.protocol = NP_OVERLAY_DT_BROADCAST;
	refused(&plan, -EINVAL, "multicast group");
	plan.protocol = NP_OVERLAY_SPT;
	refused(&plan, -EINVAL, "route records");
	plan = none(NP_OVERLAY_UDP, NULL, 0);
	first = opened(&plan, NULL);
	plan.local = np_overlay_info(first)->local;
	plan.any_port = false;
	refused(&plan, -EADDRINUSE, "127.0.0.1");
	plan.any_port = true;
	np_overlay_free(opened(&plan, NULL));
	np_overlay_free(first);
	np_overlay_free(NULL);
}

static void a_file_that_is_not_there(void **state)
{
	struct np_overlay *overlay;
	struct np_fault fault = {};

	(void)state;
	assert_int_equal(np_overlay_open_file(&overlay, "/nowhere/o.xml", NULL, NULL, &fault),
			 -ENOENT);
	assert_null(overlay);
	assert_string_equal(fault.object, "/nowhere/o.xml");
}

/* The template opens as it stands; a build without expat says what is missing. */
static void the_template(void **state)
{
	char name[] = "/tmp/netperf-overlay.XXXXXX";
	const int fd = mkstemp(name);
	FILE *out = fdopen(fd, "w");
	struct np_overlay *overlay;
	struct np_fault fault = {};
	int rc;

	(void)state;
	assert_non_null(out);
	assert_int_equal(np_overlay_print_template(out), 0);
	fclose(out);
	rc = np_overlay_open_file(&overlay, name, NULL, NULL, &fault);
	unlink(name);
	if (rc == -ENOPKG) {
		assert_non_null(strstr(fault.reason, "built without expat"));
		return;
	}
	if (rc)
		fail_msg("%s: %s", fault.object, fault.reason);
	assert_string_equal(np_overlay_info(overlay)->protocol, "DTBuddyList");
	assert_string_equal(np_overlay_info(overlay)->substrate, "udp");
	assert_true(np_overlay_info(overlay)->read_timeout == NP_TIME_NEVER);
	np_overlay_free(overlay);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none_over_udp),
		cmocka_unit_test(none_over_tcp),
		cmocka_unit_test(a_sender_waits_for_room_and_loses_nothing),
		cmocka_unit_test(nobody_listens),
		cmocka_unit_test(a_broken_connection_is_made_anew),
		cmocka_unit_test(strangers_cost_a_connection),
		cmocka_unit_test(drops_of_the_kernel_are_counted),
		cmocka_unit_test(nobody_at_a_datagrams_end),
		cmocka_unit_test(sends_within_a_delivery),
		cmocka_unit_test(payloads_wait_up_to_the_bound),
		cmocka_unit_test(texts),
		cmocka_unit_test(what_is_refused),
		cmocka_unit_test(a_file_that_is_not_there),
		cmocka_unit_test(the_template),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
