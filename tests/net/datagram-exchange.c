// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * datagram-exchange: one end of an exchange of numbered UDP packets, for tests between namespaces.
 * send: sends COUNT packets of BYTES to TO. receive: says "ready", takes packets until SIGTERM and
 * then as long as there are any. Either prints its figures as key=value on one line.
 *
 * usage: datagram-exchange send VARIANT LOCAL TO BYTES COUNT
 *        datagram-exchange receive VARIANT LOCAL GROUP|- BYTES
 */
#include <err.h>
#include <errno.h>
#include <netperf/datagram.h>
#include <netperf/socket.h>
#include <netperf/units.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BATCH	  128
#define LONGEST_S 150
#define QUIET	  (300 * NP_MILLISECOND)

static volatile sig_atomic_t told_to_end;

static void end_soon(int number)
{
	told_to_end = number;
}

static struct np_address address_of(const char *text)
{
	struct np_address_list list = {0};
	struct np_address address;

	if (np_address_list_parse(&list, text, 9999, AF_UNSPEC) || list.count != 1)
		errx(2, "%s: not an address", text);
	address = list.item[0];
	np_address_list_clear(&list);
	return address;
}

static uint64_t number_of(const char *text)
{
	uint64_t number;

	if (np_units_parse_count(text, 1, 1000000, &number))
		errx(2, "%s: not a number", text);
	return number;
}

static void print_figures(struct np_datagram *datagram, unsigned wrong)
{
	const struct np_datagram_info *info = np_datagram_info(datagram);
	struct np_datagram_stats stats;

	np_datagram_stats(datagram, &stats);
	printf("variant=%s gso=%d sent=%lu refused=%lu errors=%lu icmp=%lu received=%lu "
	       "dropped=%lu "
	       "wrong=%u calls=%lu detail=%s\n",
	       info->variant, info->gso, stats.sent, stats.send_refused, stats.send_errors,
	       stats.icmp_errors, stats.received, stats.dropped, wrong,
	       stats.send_calls + stats.receive_calls, info->detail ? info->detail : "none");
}

static void send_all(struct np_datagram *datagram, const struct np_address *to, size_t bytes,
		     uint64_t count)
{
	uint64_t number = 0;
	int sent;

	while (number < count) {
		unsigned turn = count - number < BATCH ? (unsigned)(count - number) : BATCH;

		for (unsigned i = 0; i < turn; i++) {
			uint64_t mine = number + i;

			memset(np_datagram_slot(datagram, i), (int)mine, bytes);
			memcpy(np_datagram_slot(datagram, i), &mine, sizeof(mine));
		}
		sent = np_datagram_send(datagram, to, 0, turn, bytes, true);
		if (sent < 0)
			errx(1, "send: %s", strerror(-sent));
		number += (unsigned)sent;
		np_clock_sleep_until(np_clock_now() + NP_MILLISECOND);
	}
}

/* Every packet in order, its bytes as sent. */
static unsigned receive_all(struct np_datagram *datagram, size_t bytes)
{
	struct np_packet packets[BATCH];
	uint64_t wanted = 0, number;
	unsigned wrong = 0;
	int ended, got;

	for (;;) {
		ended = told_to_end;
		if (np_datagram_wait(datagram, -1, np_clock_now() + QUIET) != 1) {
			if (ended)
				return wrong;
			continue;
		}
		got = np_datagram_receive(datagram, packets, BATCH);
		if (got < 0)
			errx(1, "receive: %s", strerror(-got));
		for (int i = 0; i < got; i++, wanted++) {
			memcpy(&number, packets[i].data, sizeof(number));
			wrong += number != wanted || packets[i].length != bytes ||
				 packets[i].data[bytes - 1] != (uint8_t)number;
		}
	}
}

int main(int argc, char **argv)
{
	bool sender = argc == 7 && !strcmp(argv[1], "send");
	struct np_datagram_options options = {
		.batch = BATCH, .ip.tos = -1, .ip.ttl = 4, .reuse = true};
	struct np_address local, other;
	struct np_datagram *datagram;
	unsigned wrong = 0;
	int error;

	if (!sender && !(argc == 6 && !strcmp(argv[1], "receive")))
		errx(2, "usage: datagram-exchange send|receive VARIANT LOCAL TO|GROUP "
			"BYTES [COUNT]");
	local = address_of(argv[3]);
	options.variant = argv[2];
	options.local = &local;
	options.packet_bytes = number_of(argv[5]);
	options.receive_bytes = 4 << 20;
	if (strcmp(argv[4], "-")) {
		other = address_of(argv[4]);
		options.group = sender ? NULL : &other;
	}
	error = np_datagram_open(&datagram, &options);
	if (error)
		errx(1, "open: %s", strerror(-error));
	if (sender) {
		send_all(datagram, &other, options.packet_bytes, number_of(argv[6]));
	} else {
		signal(SIGTERM, end_soon);
		alarm(LONGEST_S); /* by itself: timeout(1) would send SIGCONT, too */
		puts("ready");
		fflush(stdout);
		wrong = receive_all(datagram, options.packet_bytes);
	}
	print_figures(datagram, wrong);
	np_datagram_free(datagram);
	return 0;
}
