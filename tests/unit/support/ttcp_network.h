/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * ttcp_network: a sender and its receivers on a made-up network and a made-up clock. The network
 * loses, doubles, delays and damages by its own random numbers, and keeps its own books of what
 * came; ends die and stop when a test says so. Time goes on in steps of a millisecond.
 */
#pragma once

#include "ttcp_end.h"

#define NETWORK_RECEIVERS 4
#define NETWORK_LANES	  4
#define NETWORK_MESSAGES  1024 /* of a stream, at most */

struct packet {
	struct packet *next;
	np_time at;
	int from, to; /* receivers by number; -1: the sender; -2: an outsider */
	unsigned lane;
	bool by_group;
	size_t bytes;
	uint8_t data[MESSAGE_CONTROL_MAX];
};

/* What the network's own books say of a run at one receiver. */
struct book {
	uint8_t came[NETWORK_LANES][NETWORK_MESSAGES]; /* how often each did, intact */
	bool finished;
	struct np_flow_counts figures; /* the receiver's own */
	struct message_report report;
};

struct receiving_host {
	struct end end;
	struct receiver *machine;
	struct np_address address;
	bool there;
	np_time look_at, ended;
	np_time begun; /* the run that the book is of */
	struct book book;
};

struct sending_host {
	struct end end;
	struct sender *machine;
	struct sender_plan plan;
	struct np_address lane[NETWORK_LANES];
	bool heard;
	np_time ended;
	uint64_t run;
	double rate_bits;
};

struct network {
	np_time now;
	uint64_t random;
	double loss, twice, late, damage; /* parts of 1, of each packet */
	bool streams;			  /* as TCP: whole, in order, none lost */
	bool cut;			  /* nothing comes anywhere */
	np_time delay;
	np_time each,
		free; /* of a narrow way: a packet takes so long, and when it has room again */
	unsigned receivers;
	struct sending_host sender;
	struct receiving_host receiver[NETWORK_RECEIVERS];
	struct packet *first; /* under way, by the time of their arrival */
	struct np_address outsider;
};

uint64_t network_draw(struct network *n, uint64_t below);

/* An outsider's, or in the sender's name, to receiver @to; or to the sender, from receiver @from.
 */
void network_forge(struct network *n, int from, int to, const void *data, size_t bytes);
void network_step(struct network *n);

/* To the end of all, which is to come within @limit. */
void network_finish(struct network *n, np_time limit);
void receiving_start(struct network *n, unsigned index, const struct receiver_plan *plan);

/* What most tests begin with: datagrams, one a millisecond, 200 unless it is said. */
#define PLAN(...)                                                                                  \
	((struct sender_plan){.datagrams = true, .no_wait = true, .id = 0x12345678, ##__VA_ARGS__})

/* A network, until the next one is made, of a sender and its receivers. */
struct network *network_of(const struct sender_plan *sender, unsigned receivers, uint64_t seed);

/* What came by the network's books: different ones, and copies. */
uint64_t book_different(const struct book *book);
uint64_t book_copies(const struct book *book);

/* The receiver's figures are the network's, right to the message. */
void network_counts(const struct network *n, unsigned receiver, uint64_t sent);

/* What the sender knows of a receiver; NULL: nothing. */
const struct receivers_receiver *network_knows(const struct network *n, unsigned receiver);

/* And the sender was told of them so. */
void network_reports(const struct network *n, unsigned receiver);
