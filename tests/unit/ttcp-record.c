// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* The records of senders and receivers, as JSON lines; sockets: tests/net/json-fields-ttcp. */
#include "../../src/ttcp/report/report.h"

#include "address_of.h"
#include "record_written.h"
#include "support/unit.h"

#define MS NP_MILLISECOND

static const struct np_flow_counts figures = {
	.sent = 1024,
	.sent_known = true,
	.received = 1000,
	.lost = 23,
	.duplicates = 2,
	.reordered = 3,
	.late = 1,
	.damaged = 4,
	.bytes = 500000,
	.first = 5,
	.last = 5 + 500 * MS,
	.elapsed = 500 * MS,
};
#define RECEIVED "'received_messages':1000,"
#define COUNTS                                                                                     \
	"'sent_messages':1024," RECEIVED "'lost_messages':23,'duplicates_messages':2,"             \
	"'reordered_messages':3,'late_messages':1,'stray_messages':0,"                             \
	"'damaged_messages':4,'unsent_messages':0,"
#define RATES                                                                                      \
	"'bytes':500000,'elapsed_ns':500000000,"                                                   \
	"'rate_bytes_per_s':1000000.0,'rate_messages_per_s':2000.0"

/* A receiver's with its delays, a sender's with none. */
TEST(intervals)
{
	const struct np_histogram_figures delays = {1, 2, 3, 4, 5, 6, 7, 8};

	expect_record(record_interval("receive", NULL, 2, 1500 * MS, &figures, &delays),
		      "{'type':'interval','side':'receive','run':2,'from_ns':1000000000,'to_"
		      "ns':1500000000," COUNTS RATES
		      ",'delay_ns':{'min':2,'mean':3,'p50':4,'p90':5,"
		      "'p99':6,'p999':7,'max':8,'count':1}}");
	expect_record(
		record_interval("transmit", NULL, 1, 1500 * MS, &figures, NULL),
		"{'type':'interval','side':'transmit','run':1,'from_ns':1000000000,"
		"'to_ns':1500000000,'sent_messages':1024,'bytes':500000,'elapsed_ns':500000000,"
		"'rate_bytes_per_s':1000000.0,'rate_messages_per_s':2048.0}");
}

/* Five messages came in four intervals of 100 ms; of one alone nothing is known. */
TEST(few)
{
	struct np_flow_counts five = {
		.received = 5, .bytes = 500, .head_bytes = 100, .elapsed = 400 * MS};
	const struct record_transmit one = {
		.run = 1, .figures = {.sent = 1, .head_bytes = 100, .bytes = 100, .elapsed = 7}};

	expect_record(
		record_interval("receive", NULL, 1, 0, &five, NULL),
		"{'type':'interval','side':'receive','run':1,'from_ns':-400000000,'to_ns':0,"
		"'sent_messages':0,'received_messages':5,'lost_messages':0,'duplicates_messages':0,"
		"'reordered_messages':0,'late_messages':0,'stray_messages':0,'damaged_messages':0,"
		"'unsent_messages':0,'bytes':500,'elapsed_ns':400000000,'rate_bytes_per_s':1000.0,"
		"'rate_messages_per_s':10.0}");
	expect_record(record_transmit("run", &one),
		      "{'type':'run','side':'transmit','run':1,'sent_messages':1,"
		      "'unsent_messages':0,'send_errors':0,'bytes':100,'elapsed_ns':7}");
}

TEST(receive)
{
	struct record_receive result = {
		.run = 1,
		.where = {20, 3, 0, true},
		.report = {.counts = figures,
			   .drop_unit = MESSAGE_DROPS_PACKETS,
			   .drops.least = 3,
			   .drops.upmost = 5,
			   .delays = {1000, 101, 102, 103, 104, 105, 106, 107},
			   .clock = {.known = true, .offset = 100, .bound = 2}},
	};

	expect_record(
		record_receive("summary", &result),
		"{'type':'summary','side':'receive','run':1," COUNTS
		"'missed_before_messages':0,'end_known':true," RATES
		",'lost_path_messages':20,'lost_receiver_host_messages':3,"
		"'lost_unattributed_messages':0,'exact':false,'drop_unit':'packet',"
		"'dropped_by_host':{'rcvbuf':3,'rcvbuf_most':5},'delay_raw_ns':{'min':101,"
		"'mean':102,'p50':103,'p90':104,'p99':105,'p999':106,'max':107,'count':1000},"
		"'clock_offset_ns':100,'delay_bound_ns':2,'delay_ns':{'min':1,'mean':2,'p50':3,"
		"'p90':4,'p99':5,'p999':6,'max':7,'count':1000}}");
	/* What is not known is absent. */
	result.where = (struct np_loss){.unattributed = 23};
	result.report.drop_unit = MESSAGE_DROPS_UNKNOWN;
	result.report.clock.known = false;
	result.report.delays.count = 0;
	result.report.counts.sent_known = false;
	result.report.counts.missed_before = 6;
	expect_record(record_receive("run", &result),
		      "{'type':'run','side':'receive','run':1," COUNTS
		      "'missed_before_messages':6,'end_known':false," RATES
		      ",'lost_path_messages':0,'lost_receiver_host_messages':0,"
		      "'lost_unattributed_messages':23,'exact':false}");
	result.raw = true;
	expect_record(record_receive("summary", &result),
		      "{'type':'summary','side':'receive','run':1," RECEIVED RATES "}");
}

TEST(transmit)
{
	const struct np_address one = address_of("10.9.0.1:5001"),
				two = address_of("10.9.0.2:5001");
	const struct record_transmit result = {
		.run = 3,
		.figures = {.sent = 1024, .bytes = 500000, .elapsed = 500 * MS, .unsent = 1},
		.rate_bits = 8000000,
		.behind = 7,
		.send_errors = 2,
		.refusals = {true, 3, 2},
	};
	struct record_transmit with_acks = {.run = 0};
	struct receivers receivers = {.count = 0};
	struct receivers_receiver *receiver;

	expect_record(
		record_transmit("run", &result),
		"{'type':'run','side':'transmit','run':3,'sent_messages':1024,'unsent_messages':1,"
		"'send_errors':2,'bytes':500000,'elapsed_ns':500000000,"
		"'rate_bytes_per_s':1000000.0,'rate_messages_per_s':2048.0,'asked_rate_bytes_per_s'"
		":1000000.0,'behind_ns':7,"
		"'dropped_by_host':{'sndbuf':3,'sndbuf_retried':2}}");
	assert_int_equal(np_histogram_create(&receivers.rtt), 0);
	receiver = receivers_at(&receivers, &one);
	receiver->ready = true;
	receivers_ack(&receivers, receiver, 0, 1, 251);
	receiver->reported = true;
	receiver->report = (struct message_report){.exact = true,
						   .drop_unit = MESSAGE_DROPS_BUFFERS,
						   .drops.least = 9,
						   .drops.upmost = 10,
						   .counts = {.received = 1,
							      .missed_before = 7,
							      .bytes = 512,
							      .head_bytes = 512,
							      .elapsed = 1000 * MS}};
	receiver = receivers_at(&receivers, &two);
	receiver->ready = true;
	receiver->joined_late = true;
	with_acks.receivers = &receivers;
	expect_record(
		record_transmit("summary", &with_acks),
		"{'type':'summary','side':'transmit','run':0,'sent_messages':0,'unsent_messages':0,"
		"'send_errors':0,'bytes':0,'elapsed_ns':0,'rate_bytes_per_s':0.0,"
		"'rate_messages_per_s':0.0,'acks':1,'rtt_ns':{'min':250,'mean':250.0,'p50':250,"
		"'p90':250,'p99':250,'p999':250,'max':250,'count':1,'buckets':[{'from_ns':192,"
		"'count':1}]},'receivers':[{'receiver':'10.9.0.1:5001','reported':true,"
		"'joined_late':false,'acks':1,'status':'complete','received_messages':1,"
		"'lost_messages':0,'lost_path_messages':0,'lost_receiver_host_messages':0,"
		"'lost_unattributed_messages':0,'exact':true,'duplicates_messages':0,"
		"'reordered_messages':0,'late_messages':0,'damaged_messages':0,"
		"'missed_before_messages':7,'drop_unit':'buffer','dropped_by_host':{'rcvbuf':9,"
		"'rcvbuf_most':10},'bytes':512,'elapsed_ns':1000000000},{'receiver':'10.9.0.2:5001'"
		","
		"'reported':false,'joined_late':true,'acks':0}]}");
	receivers_forget(&receivers);
	np_histogram_free(receivers.rtt);
}
