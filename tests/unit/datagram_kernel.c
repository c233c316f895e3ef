// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of datagram_kernel: the kernel's UDP counters, from text and from the kernel. */
#include "datagram_pair.h"
#include "src/lib/net/datagram_variant.h"
#include "support/unit.h"

TEST(columns_go_by_their_names)
{
	char text[] = "Ip: Forwarding InDatagrams\nIp: 1 99\n"
		      "Udp: RcvbufErrors InDatagrams New OutDatagrams SndbufErrors InCsumErrors\n"
		      "Udp: 1 22 7 333 4 18446744073709551610\n"
		      "UdpLite: InDatagrams\nUdpLite: 5\n";
	struct np_datagram_kernel counts = {.received = 1000};

	assert_int_equal(datagram_kernel_add_snmp(text, &counts), 0);
	assert_int_equal(counts.receive_buffer_errors, 1);
	assert_int_equal(counts.received, 1022);
	assert_int_equal(counts.sent, 333);
	assert_int_equal(counts.send_buffer_errors, 4);
	assert_int_equal(counts.checksum_errors, 18446744073709551610U);
}

TEST(ipv6_is_added)
{
	char text[] = "Ip6InReceives 7\nUdp6InDatagrams    \t5\nUdp6NoPorts\t3\n"
		      "Udp6RcvbufErrors 2\nUdpLite6InDatagrams 50\n";
	struct np_datagram_kernel counts = {.received = 10};

	assert_int_equal(datagram_kernel_add_snmp6(text, &counts), 0);
	assert_int_equal(counts.received, 15);
	assert_int_equal(counts.receive_buffer_errors, 2);
	assert_int_equal(counts.sent, 0);
}

TEST(other_text_has_no_data)
{
	struct unit_texts texts = {
		.rest = "|\n\n|Udp:|Udp: InDatagrams|Udp: InDatagrams\nUdp: many\n|Udp:\nUdp:\n|"
			"Udp6InDatagrams|Udp6InDatagrams x\nUdp6"};
	struct np_datagram_kernel counts;
	char text[sizeof(texts.text)];

	while (unit_next(&texts)) {
		memcpy(text, texts.text, sizeof(text));
		assert_int_equal(datagram_kernel_add_snmp(text, &counts), -ENODATA);
		memcpy(text, texts.text, sizeof(text));
		assert_int_equal(datagram_kernel_add_snmp6(text, &counts), -ENODATA);
	}
}

TEST(the_kernel_counts_what_we_do)
{
	DATAGRAM *from = open_one("plain", 100), *to = open_one("mmsg", 100);
	struct np_datagram_kernel before, after;

	assert_int_equal(np_datagram_kernel_counts(&before), 0);
	send_numbered(from, local_of(to), 100, 0, 50);
	take_numbered(to, ROOM, 100, 0, 50, from);
	assert_int_equal(np_datagram_kernel_counts(&after), 0);
	/* Others send here, too. */
	assert_true(after.sent >= before.sent + 50);
	assert_true(after.received >= before.received + 50);
}
