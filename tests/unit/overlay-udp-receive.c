// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* overlay-udp-receive: datagrams that come to a node and to its group, how much it asks the kernel
 * to hold of them, and by which port they come. */
#include "overlay_udp.h"

/* What is longer than a message may be is dropped and counted; not more than asked in a turn. */
static void receiving(void **state)
{
	struct end e;
	struct overlay_substrate *s = &e.substrate;

	(void)state;
	open_end(&e);
	hear(&e, 2000);
	hear(&e, 2001);
	hear(&e, 7);
	assert_int_equal(s->face->turn(s, 2, np_clock_now()), 1);
	assert_int_equal(e.taken, 1);
	assert_int_equal(e.bytes, 2000);
	assert_int_equal(s->counts.oversize, 1);
	assert_int_equal(s->face->turn(s, 2, np_clock_now()), 0);
	assert_int_equal(e.taken, 2);
	assert_int_equal(e.bytes, 7);
	assert_true(overlay_address_equal(&e.from, &e.peer));
	assert_int_equal(s->counts.received, 2);
	assert_int_equal(s->counts.received_bytes, 2007);
	assert_int_equal(s->counts.oversize, 1);
	for (unsigned i = 0; i < BATCH + 1; i++)
		hear(&e, 1);
	assert_int_equal(s->face->turn(s, 1000, np_clock_now()), 1);
	assert_int_equal(e.taken, 2 + BATCH);
	assert_int_equal(s->face->turn(s, 1000, np_clock_now()), 0);
	assert_int_equal(e.taken, 3 + BATCH);
	close_end(&e);
}

static long long asked_by(const struct overlay_substrate_plan *plan)
{
	struct end e;

	asked = 0;
	open_plan(&e, plan);
	close_end(&e);
	return asked;
}

/* The kernel is asked to hold the messages that may wait, of the longest kind, up to 4 MiB. */
static void receive_buffers(void **state)
{
	struct overlay_substrate_plan plan = plan_of();
	const size_t each = 2000 + 1024;
	const unsigned most = (4 << 20) / 3024;
	long long few, many;

	(void)state;
	plan.options.receive_bytes = 100000;
	few = asked_by(&plan);
	assert_in_range(few, 100000, 200000);
	plan.options.receive_bytes = 100 * each;
	few = asked_by(&plan);
	plan.options.receive_bytes = 0;
	plan.message_buffer = 100;
	assert_int_equal(asked_by(&plan), few);
	plan.message_buffer = most;
	many = asked_by(&plan);
	plan.options.receive_bytes = most * each;
	assert_int_equal(asked_by(&plan), many);
	plan.options.receive_bytes = 4 << 20;
	many = asked_by(&plan);
	plan.options.receive_bytes = 0;
	plan.message_buffer = most + 1;
	assert_int_equal(asked_by(&plan), many);
	plan.message_buffer = 1000000;
	assert_int_equal(asked_by(&plan), many);
}

/* A port in use is another one, where that is allowed. */
static void ports(void **state)
{
	struct overlay_substrate_plan plan = plan_of();
	struct overlay_substrate second = {0};
	struct end e;

	(void)state;
	open_end(&e);
	plan.local = e.substrate.local;
	assert_int_equal(overlay_substrate_open(&second, NP_OVERLAY_UDP, &plan), -EADDRINUSE);
	overlay_substrate_close(&second);
	second = (struct overlay_substrate){0};
	plan.any_port = true;
	assert_int_equal(overlay_substrate_open(&second, NP_OVERLAY_UDP, &plan), 0);
	assert_int_not_equal(np_address_port(&second.local), np_address_port(&e.substrate.local));
	overlay_substrate_close(&second);
	close_end(&e);
}

/* A group's messages have their sender's address before them, which counts for nothing else. */
static void group(void **state)
{
	struct end e = {.substrate = {.context = &e, .take = take}};
	struct overlay_substrate *s = &e.substrate;
	struct overlay_substrate_plan plan = plan_of();
	const struct sockaddr_in *self = (const void *)&s->local.storage;
	static uint8_t data[2001];
	struct overlay_address own;
	struct pollfd poll;
	struct in_addr lo = {.s_addr = htonl(INADDR_LOOPBACK)};
	int fd;

	(void)state;
	plan.group = parsed("239.255.77.66", (uint16_t)(20000 + getpid() % 10000));
	plan.group_device = "lo";
	plan.group_max = 1500;
	plan.options.ttl = 3;
	plan.options.receive_bytes = 4096;
	hops = by = 0;
	if (overlay_substrate_open(s, NP_OVERLAY_PAIR, &plan)) {
		overlay_substrate_close(s);
		skip(); /* no multicast on the loopback interface here */
	}
	refuse(0, 0);
	assert_int_equal(hops, 3);
	assert_int_equal(by, if_nametoindex("lo"));
	own = overlay_address_ipv4(ntohl(self->sin_addr.s_addr), ntohs(self->sin_port), REALM);
	assert_int_equal(s->face->send(s, NULL, data, 1501, OVERLAY_PROTOCOL), -EMSGSIZE);
	assert_int_equal(s->counts.refused.protocol, 1);
	for (unsigned i = 1; i <= 2; i++) {
		assert_int_equal(s->face->send(s, NULL, data, i == 1 ? 1500 : 1, OVERLAY_PROTOCOL),
				 0);
		poll = overlay_substrate_poll(s);
		assert_int_equal(np_wait_ready(&poll, 1, np_clock_now() + LIMIT), 1);
		s->face->turn(s, 64, np_clock_now());
		assert_int_equal(e.taken, i);
		assert_int_equal(e.bytes, i == 1 ? 1500 : 1);
		assert_true(overlay_address_equal(&e.from, &own));
	}
	assert_int_equal(s->counts.sent.protocol, 2);
	assert_int_equal(s->counts.received_bytes, 1501 + 12);
	/* Too short for an address and a message. */
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_int_equal(setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &lo, sizeof(lo)), 0);
	memcpy(data, "\x0a\x01\x02\x03\x23\x28", 6);
	for (size_t bytes = 5; bytes <= 7; bytes++) {
		assert_int_equal(sendto(fd, data, bytes, 0, &plan.group.any, plan.group.length),
				 bytes);
		assert_int_equal(np_wait_ready(&poll, 1, np_clock_now() + LIMIT), 1);
		s->face->turn(s, 64, np_clock_now());
	}
	assert_int_equal(s->counts.unreadable, 2);
	assert_int_equal(s->counts.received, 5);
	assert_int_equal(e.taken, 3);
	assert_int_equal(e.bytes, 1);
	own = overlay_address_ipv4(0x0a010203, 9000, REALM);
	assert_true(overlay_address_equal(&e.from, &own));
	/* What finds its socket full is counted there, too. */
	for (unsigned i = 0; i < 500; i++)
		assert_int_equal(sendto(fd, data, 1000, 0, &plan.group.any, plan.group.length),
				 1000);
	while (s->face->turn(s, 64, np_clock_now()) > 0)
		;
	assert_int_equal(s->face->count(s), 0);
	assert_true(s->counts.kernel_dropped > 0);
	assert_int_equal(s->counts.received + s->counts.kernel_dropped, 505);
	close(fd);
	overlay_substrate_close(s);
}

/* Several nodes of a host may be in one group. */
static void group_shared(void **state)
{
	struct end e[2];
	struct overlay_substrate_plan plan = plan_of();
	int rc[2];

	(void)state;
	plan.group = parsed("239.255.77.66", (uint16_t)(20000 + getpid() % 10000));
	plan.group_device = "lo";
	plan.group_max = 1500;
	for (unsigned i = 0; i < 2; i++) {
		e[i] = (struct end){.substrate = {.context = &e[i], .take = take}};
		rc[i] = overlay_substrate_open(&e[i].substrate, NP_OVERLAY_PAIR, &plan);
	}
	for (unsigned i = 0; i < 2; i++)
		overlay_substrate_close(&e[i].substrate);
	if (rc[0])
		skip(); /* no multicast on the loopback interface here */
	assert_int_equal(rc[1], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(receiving),	cmocka_unit_test(receive_buffers),
		cmocka_unit_test(ports),	cmocka_unit_test(group),
		cmocka_unit_test(group_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
