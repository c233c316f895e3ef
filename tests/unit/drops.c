// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of drops: adding, subtracting, naming and printing what a host dropped. */
#include "src/lib/drops/drops_variant.h"

#include "record_written.h"
#include "src/lib/base/record.h"
#include "support/unit.h"

#include <inttypes.h>
#include <netperf/result.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static void enter(struct np_drops_counts *counts, const char *reason, const char *place,
		  uint64_t packets)
{
	struct np_drops_entry entry = {.packets = packets};

	snprintf(entry.reason, sizeof(entry.reason), "%s", reason);
	snprintf(entry.place, sizeof(entry.place), "%s", place);
	drops_counts_enter(counts, &entry);
}

static struct np_drops_counts nothing(void)
{
	return (struct np_drops_counts){.known = true, .exact = true};
}

TEST(the_text_of_the_manual)
{
	struct np_drops_counts counts = nothing();
	char text[NP_DROPS_TEXT];

	enter(&counts, "SOCKET_RCVBUFF", "udp_queue_rcv_one_skb", 638);
	enter(&counts, "NETFILTER_DROP", "nft_do_chain", 1000);
	enter(&counts, "NETFILTER_DROP", "nft_do_chain", 417);
	assert_string_equal(np_drops_format(&counts, NULL, text),
			    "lost in this host: 638 socket buffer (SOCKET_RCVBUFF), 1417 packet "
			    "filter (NETFILTER_DROP, nft_do_chain)");
	assert_int_equal(counts.packets, 638 + 1417);
	counts.exact = false;
	assert_string_equal(np_drops_format(&counts, NULL, text),
			    "lost in this host: >= 638 socket buffer (SOCKET_RCVBUFF), 1417 "
			    "packet filter (NETFILTER_DROP, nft_do_chain)");
}

/* What the sender was told of it has sent again: dropped, but not lost. */
TEST(dropped_and_sent_again_is_not_called_lost)
{
	struct np_drops_counts counts = nothing();
	struct np_drops_total lost = {.known = true, .exact = true};
	char text[NP_DROPS_TEXT];

	assert_string_equal(np_drops_format(&counts, &lost, text), "lost in this host: 0");
	enter(&counts, "IP_OUTNOROUTES", "ip_output", 10);
	assert_string_equal(np_drops_format(&counts, &lost, text),
			    "dropped in this host: 10 no route (IP_OUTNOROUTES); lost of these: 0");
	lost = (struct np_drops_total){.known = true, .packets = 4};
	counts.exact = false;
	assert_string_equal(np_drops_format(&counts, &lost, text),
			    "dropped in this host: >= 10 no route (IP_OUTNOROUTES); lost of "
			    "these: >= 4");
	lost.packets = 10;
	assert_string_equal(np_drops_format(&counts, &lost, text),
			    "lost in this host: >= 10 no route (IP_OUTNOROUTES)");
	counts = (struct np_drops_counts){.why = "not permitted"};
	assert_string_equal(np_drops_format(&counts, &lost, text),
			    "lost in this host: unknown (not permitted)");
}

TEST(places_that_are_not_shown_are_one)
{
	struct np_drops_counts counts = nothing();
	char text[NP_DROPS_TEXT];

	enter(&counts, "SOCKET_RCVBUFF", "udp_queue_rcv_one_skb", 2);
	enter(&counts, "SOCKET_RCVBUFF", "udpv6_queue_rcv_one_skb", 3);
	enter(&counts, "65537", "0xffffffff81000000", 1);
	assert_int_equal(counts.entries, 3);
	assert_string_equal(np_drops_format(&counts, NULL, text),
			    "lost in this host: 5 socket buffer (SOCKET_RCVBUFF), 1 kernel (65537, "
			    "0xffffffff81000000)");
}

TEST(more_kinds_than_room)
{
	struct np_drops_counts counts = nothing(), before;
	char name[16];
	uint64_t sum = 0;

	for (unsigned i = 0; i < NP_DROPS_ENTRIES + 5; i++) {
		snprintf(name, sizeof(name), "R%u", i);
		enter(&counts, name, "", i + 1);
		sum += i + 1;
	}
	assert_int_equal(counts.entries, NP_DROPS_ENTRIES);
	assert_int_equal(counts.packets, sum);
	assert_int_equal(counts.others, 1 + 2 + 3 + 4 + 5);
	assert_string_equal(counts.entry[0].reason, "R28");
	before = counts;
	enter(&counts, "R28", "", 7);
	np_drops_since(&counts, &before);
	assert_int_equal(counts.packets, 7);
	assert_int_equal(counts.entries, 1);
	assert_int_equal(counts.others, 0);
}

TEST(differences_add_up)
{
	struct np_drops_counts first = nothing(), second, sum = nothing();

	enter(&first, "A", "a", 5);
	enter(&first, "B", "b", 1);
	second = first;
	enter(&second, "B", "b", 10);
	enter(&second, "C", "c", 2);
	np_drops_since(&second, &first);
	assert_int_equal(second.packets, 12);
	assert_int_equal(second.entries, 2);
	assert_string_equal(second.entry[0].reason, "B");
	assert_int_equal(second.entry[0].packets, 10);
	np_drops_add(&sum, &first);
	np_drops_add(&sum, &second);
	assert_int_equal(sum.packets, 18);
	assert_true(sum.exact);
	second.exact = false;
	strcpy(second.doubt, "fragments were dropped");
	np_drops_add(&sum, &second);
	assert_false(sum.exact);
	assert_string_equal(sum.doubt, "fragments were dropped");
	np_drops_add(&sum, &(struct np_drops_counts){.why = "off"});
	assert_false(sum.known);
	assert_int_equal(sum.packets, 0);
	assert_string_equal(sum.why, "off");
}

/* How many of @lost packets the way lost by what the hosts dropped; -1: that is not known. */
static int64_t way_lost(uint64_t lost, const struct np_drops_total *here,
			const struct np_drops_total *there)
{
	struct np_result result = {.lost = NP_COUNT_EXACT(lost)};

	np_result_attribute(&result, NULL, here, there, false);
	return result.lost_path.known == NP_EXACT ? (int64_t)result.lost_path.n : -1;
}

/* What neither host dropped; also where both dropped at least so many, and that is all. */
TEST(what_the_way_lost)
{
	static const struct {
		uint64_t lost;
		struct np_drops_total here, there;
		int64_t way; /* -1: it is not known */
	} rows[] = {
		{12, {true, true, 5}, {true, true, 7}, 0},
		{20, {true, true, 5}, {true, true, 7}, 8},
		/* Duplicates were dropped, too: which, is not known. */
		{11, {true, true, 5}, {true, true, 7}, -1},
		{4, {true, true, 5}, {true, true, 7}, -1},
		{20, {true, true, 5}, {true, false, 7}, -1},
		{20, {true, true, 5}, {0}, -1},
		{12, {true, false, 5}, {true, true, 7}, 0},
		{12, {true, true, 7}, {true, false, 5}, 0},
		{12, {true, false, 5}, {true, false, 7}, 0},
		{13, {true, false, 5}, {true, false, 7}, -1},
		{11, {true, false, 5}, {true, false, 7}, -1},
		{12, {true, false, 5}, {0}, -1},
	};
	struct np_drops_total here, there = {true, true, 0};
	struct np_drops_counts counts = nothing();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_int_equal(way_lost(rows[i].lost, &rows[i].here, &rows[i].there),
				 rows[i].way);
	/* Copies for others may be among them: these are not at least so many. */
	enter(&counts, "NETFILTER_DROP", "nft_do_chain", 12);
	counts.exact = false;
	here = np_drops_total(&counts);
	assert_int_equal(way_lost(12, &here, &there), 0);
	counts.copies = true;
	here = np_drops_total(&counts);
	assert_true(here.known && !here.exact);
	assert_int_equal(way_lost(12, &here, &there), -1);
}

TEST(what_the_sender_was_told_is_not_lost)
{
	static const struct {
		struct np_drops_total dropped;
		uint64_t told, unsure;
		struct np_drops_total rest;
	} rows[] = {
		{{true, true, 10}, 4, 0, {true, true, 6}},
		{{true, true, 10}, 10, 3, {true, true, 0}},
		{{true, true, 10}, 4, 5, {true, false, 1}},
		{{true, true, 10}, 11, 0, {true, false, 0}},
		{{0}, 1, 1, {0}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct np_drops_total rest =
			np_drops_unreported(&rows[i].dropped, rows[i].told, rows[i].unsure);

		assert_int_equal(rest.known, rows[i].rest.known);
		assert_int_equal(rest.exact, rows[i].rest.exact);
		assert_int_equal(rest.packets, rows[i].rest.packets);
	}
}

/* Of what a record has of @counts. */
static void expect_dropped(const struct np_drops_counts *counts, const char *text)
{
	struct np_record *record = np_record_new("summary");

	np_record_drops(record, counts);
	expect_json(json_incref(json_object_get(record->json, "dropped_by_host")), text);
	np_record_free(record);
}

TEST(a_record_has_all_kinds)
{
	struct np_drops_counts counts = nothing();

	expect_dropped(&counts, "{'reasons':[],'exact':true}");
	enter(&counts, "QDISC_DROP", "tbf_enqueue", 4);
	counts.entry[0].direction = NP_DROPS_OUT;
	expect_dropped(&counts, "{'reasons':[{'reason':'QDISC_DROP','place':'tbf_enqueue','"
				"direction':'out','packets':4}],'exact':true}");
	expect_dropped(&(struct np_drops_counts){.why = "not permitted"},
		       "{'reasons_unknown':'not permitted'}");
}

TEST(rules_are_as_asked)
{
	struct np_address local, any;
	struct np_drops_packets packets = {.socket = -1, .local = &local};
	struct drops_rule rule;

	assert_int_equal(np_address_parse(&local, "10.9.0.1:258", 0, AF_UNSPEC), 0);
	assert_int_equal(np_address_parse(&any, "[::]:1", 0, AF_UNSPEC), 0);
	packets.payload_bytes = 2;
	packets.payload_value[0] = 0xff;
	packets.payload_mask[0] = 0x0f;
	assert_int_equal(drops_rule_of(&rule, &packets), 0);
	assert_int_equal(rule.flags, DROPS_ANY_PEER);
	assert_memory_equal(rule.local.byte, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\x09\0\1", 16);
	assert_memory_equal(&rule.local_port, "\1\2", 2);
	assert_int_equal(rule.payload_value[0], 0x0f);
	packets.local = &any;
	packets.peer = &local;
	packets.direction = NP_DROPS_OUT;
	assert_int_equal(drops_rule_of(&rule, &packets), 0);
	assert_int_equal(rule.flags, DROPS_ANY_LOCAL);
	assert_int_equal(rule.out, 1);
	packets.payload_bytes = 9;
	assert_int_equal(drops_rule_of(&rule, &packets), -EINVAL);
	packets.payload_bytes = 0;
	packets.local = NULL;
	assert_int_equal(drops_rule_of(&rule, &packets), -EINVAL);
	packets.protocol = NP_DROPS_AOE;
	assert_int_equal(drops_rule_of(&rule, &packets), 0);
	assert_int_equal(rule.flags, DROPS_ANY_LOCAL | DROPS_ANY_PEER);
}

TEST(what_is_not_counted_says_so)
{
	const struct np_drops_packets packets = {.protocol = NP_DROPS_AOE, .socket = -1};
	const struct np_log log = {.program = "test", .stream = stderr};
	static struct np_drops_counts counts;
	struct np_drops *drops;

	assert_int_equal(np_drops_begin(&drops, NP_DROPS_OFF, &log), 0);
	assert_string_equal(np_drops_why(drops), "--drops=off");
	np_drops_count(drops, -ENOSPC, NULL, &counts);
	assert_string_equal(counts.why, "not watched");
	assert_int_equal(np_drops_watch(drops, &packets), 0);
	assert_int_equal(np_drops_update(drops), 0);
	np_drops_count(drops, NP_DROPS_ALL, NULL, &counts);
	assert_false(counts.known);
	assert_string_equal(counts.why, "--drops=off");
	np_drops_free(drops);
	np_drops_free(NULL);
	assert_int_equal(np_drops_watch(NULL, &packets), -EBADF);
	assert_int_equal(np_drops_update(NULL), 0);
	np_drops_count(NULL, NP_DROPS_ALL, NULL, &counts);
	assert_false(counts.known);
	assert_string_equal(counts.why, "not watched");
}

TEST(a_mark_is_how_data_starts)
{
	struct np_drops_packets packets = {.payload_offset = 3};

	np_drops_mark(&packets, "abcde", 5);
	assert_int_equal(packets.payload_offset, 0);
	assert_int_equal(packets.payload_bytes, 5);
	assert_memory_equal(packets.payload_value, "abcde\0\0", 8);
	assert_memory_equal(packets.payload_mask, "\xff\xff\xff\xff\xff\0\0", 8);
}

/* A variant that counts a packet an update, and is not meant for two threads. */
static atomic_int inside;

static int slow_update(struct np_drops *drops)
{
	const int others = atomic_fetch_add(&inside, 1);
	const uint64_t packets = drops->seen[0].packets;

	sched_yield();
	drops->seen[0].packets = packets + 1;
	drops->seen_count = 1;
	drops->doubts[DROPS_MISSED] = packets + 1;
	atomic_fetch_sub(&inside, 1);
	return others ? -EBUSY : 0;
}

static void one_name(const struct np_drops *drops, const struct drops_key *key,
		     struct np_drops_entry *entry)
{
	(void)drops;
	(void)key;
	strcpy(entry->reason, "R");
}

static const struct drops_variant slow = {.update = slow_update, .name_kind = one_name};

#define UPDATES 500

static void *update_and_count(void *argument)
{
	struct np_drops_counts counts;
	uint64_t wrong = 0;

	for (int i = 0; i < UPDATES; i++) {
		char doubt[NP_DROPS_WHY];

		wrong += np_drops_update(argument) != 0;
		np_drops_count(argument, 0, NULL, &counts);
		snprintf(doubt, sizeof(doubt),
			 "the kernel dropped faster than it reported: %" PRIu64 " missed",
			 counts.packets);
		wrong += strcmp(counts.doubt, doubt) != 0;
	}
	return (void *)(uintptr_t)wrong;
}

TEST(threads_share_the_counts)
{
	static struct np_drops drops = {
		.variant = &slow, .sockets = true, .lock = PTHREAD_MUTEX_INITIALIZER, .rules = 1};
	pthread_t other;
	void *wrong;

	assert_int_equal(pthread_create(&other, NULL, update_and_count, &drops), 0);
	assert_null(update_and_count(&drops));
	assert_int_equal(pthread_join(other, &wrong), 0);
	assert_null(wrong);
	assert_int_equal(drops.seen[0].packets, 2 * UPDATES);
}
