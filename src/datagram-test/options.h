/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* options: what the user of datagram-test can ask for, and the checks that span options. */
#pragma once

#include <netperf/netperf.h>

/* What a packet is. */
struct packet_options {
	uint64_t packet_bytes;
	uint64_t process_bytes;
	const char *payload_text;
	bool random;
	uint64_t counted_bytes;	 /* at most, of each packet sent */
	uint64_t heard_bytes;	 /* at most, of each packet received */
	uint64_t shortest_bytes; /* equals packet_bytes unless sizes are random */
	unsigned sequence_width; /* index into 32, 64 */
};

struct listen_options {
	uint64_t buffer_packets;
	np_time give_up;     /* 0: never */
	uint64_t timeout_ms; /* the same */
	const char *log;
	uint64_t log_packets;
	const char *group;
	uint64_t sockets; /* and threads, on each local address */
	bool once;
	np_time wait; /* 0: no limit */
};

struct publish_options {
	uint64_t buffer_packets;
	const char *rate_text;	 /* a number, or "unlimited", which it is below 0, too */
	struct np_rate rate;	 /* as asked for; 0: unlimited */
	double rate_bytes_per_s; /* the same */
	uint64_t iterations;	 /* 0: unlimited */
	np_time duration;	 /* 0: unlimited */
	uint64_t duration_ms;	 /* the same, if it was given so */
	uint64_t burst;		 /* packets sent back to back; 0: those due within a moment */
	uint64_t seed;		 /* 0: random */
	bool polite, require_report;
	bool find; /* --find-rate: the rate is the highest to try, and there is a duration */
	double find_percent; /* of loss, at most */
};

struct socket_options {
	unsigned batch; /* index into np_datagram_variants */
	uint64_t batch_packets;
	struct np_socket_options asked;
	const char *allow;
};

struct options {
	const char *local;
	uint64_t port;
	struct np_option_list peers;
	struct packet_options packet;
	struct listen_options listen;
	struct publish_options publish;
	struct socket_options socket;
	struct np_mesh_options mesh;
	uint64_t report_packets;
	uint64_t tick_packets;
	unsigned drops; /* enum np_drops_mode */
	double max_loss_percent;
	unsigned provider;
	const char *socket_file; /* -options */
	bool usage;
	struct np_report_options report;
	const struct np_options_result *given; /* the run's */
};

extern const struct np_options datagram_test_options;

/* The rules that no single row can express: np_tool's check. */
int options_check(struct np_run *run);

/* The mean size of a packet sent: the bytes that count, and that the rate applies to. */
double options_mean_bytes(const struct packet_options *packet);
