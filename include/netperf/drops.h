/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * drops: the packets of a run that this host dropped, by the kernel's own reason and the place in
 * it: its tracepoint skb:kfree_skb, read by a BPF program. "This host" is the network namespace of
 * the caller: interfaces, packet filters, queueing disciplines, backlog and sockets in it.
 *
 * Variants: "bpf" (Linux 5.17 or later with BTF; CAP_BPF and CAP_PERFMON, or root; built with
 * libbpf and clang), and "null", which counts nothing and says why. Packets are counted, not
 * buffers: a segmented buffer (GSO, GRO) counts for its segments. Copies for other sockets (packet
 * sockets, other members of a group), copies that a bridge, a mirror or a filter makes of packets,
 * and frames for other hosts are not counted; where a bridge sends out several copies, of which one
 * may be the peer's, counts are not exact.
 *
 * Exact means: nothing is missing. Two ways in which a kernel drops without telling are noticed,
 * and counts since the first watch are then not exact: a drop within the handling of another one,
 * and softirqs that handled packets, of anybody, and passed no tracepoint: a kernel was seen to do
 * that while they interrupted a certain task.
 *
 * The order of use: np_drops_open before np_privilege_drop, np_drops_watch for each kind of packet
 * as soon as its addresses are known (no privilege needed), at any later time np_drops_update, then
 * np_drops_count as often as wanted. One thread at a time.
 */
#ifndef NETPERF_DROPS_H
#define NETPERF_DROPS_H

#include <netperf/address.h>
#include <netperf/log.h>
#include <netperf/options.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

struct np_drops;

/* The values of --drops, and their words, NULL-terminated: "auto", "off", "require". */
enum np_drops_mode { NP_DROPS_AUTO, NP_DROPS_OFF, NP_DROPS_REQUIRE };
extern const char *const np_drops_modes[];

/* The row of --drops. @at: offset of an unsigned, an enum np_drops_mode. */
#define NP_DROPS_OPTION(at)                                                                        \
	NP_OPTION_ROW("drops", 0, NULL, NP_OPTION_CHOICE, "DROPS", "auto", NULL, 0, 0,             \
		      np_drops_modes, at,                                                          \
		      "count what this host drops by the kernel's reasons: auto: where permitted")

struct np_drops_info {
	const char *variant; /* "bpf" or "null" */
	/* Why nothing is counted, such as "not permitted: ..."; "" when it is. */
	char why[160];
	bool places;  /* the kernel permits to name places; otherwise they are addresses, in hex */
	bool sockets; /* the kernel (6.11 or later) tells which socket dropped a packet */
};

/*
 * Starts counting, unless @mode is NP_DROPS_OFF. With NP_DROPS_AUTO and where it is not possible
 * the null variant is opened, whose info says why. Returns 0, -ENOMEM, or with NP_DROPS_REQUIRE the
 * reason: -EPERM (no privilege), -EOPNOTSUPP (no BTF, or a kernel that gives no reasons),
 * -EPROTONOSUPPORT (built without libbpf), or another -errno of bpf(2); @why, if not NULL, then
 * receives it in words. On failure *@drops is NULL.
 */
#define NP_DROPS_WHY 160
int np_drops_open(struct np_drops **drops, enum np_drops_mode mode, char why[NP_DROPS_WHY]);

/*
 * The same for a program: a failure is logged as "--drops=require: why", and with --verbose what
 * was chosen. Returns 0 or -errno.
 */
int np_drops_begin(struct np_drops **drops, enum np_drops_mode mode, const struct np_log *log);

/* NULL is allowed. */
void np_drops_free(struct np_drops *drops);

const struct np_drops_info *np_drops_info(const struct np_drops *drops);

enum np_drops_direction { NP_DROPS_IN, NP_DROPS_OUT };
enum np_drops_protocol { NP_DROPS_UDP, NP_DROPS_TCP, NP_DROPS_AOE };

#define NP_DROPS_PAYLOAD_MAX 8

/* Which packets to count. */
struct np_drops_packets {
	enum np_drops_direction direction; /* IN: received by this host, OUT: sent by it */
	enum np_drops_protocol protocol;
	/*
	 * UDP and TCP: this host's end and the other end: of received packets the destination (with
	 * a group: the group's address) and the source. A wildcard @local means every address of
	 * this host, groups and broadcasts included, :: those of IPv4, too; port 0, and a @peer
	 * that is NULL or a wildcard, any.
	 */
	const struct np_address *local, *peer;
	/* AoE: this host's and the other MAC address; NULL: any. */
	const uint8_t *local_mac, *peer_mac;
	/*
	 * The socket that receives them, or -1: unknown. What is dropped for another socket that
	 * has a copy is then not counted. AoE: without it what a packet socket drops is not
	 * counted.
	 */
	int socket;
	/*
	 * The first @payload_bytes (0: all packets are data) at @payload_offset of the UDP or TCP
	 * payload, or of the AoE header, of the packets to count, to tell data from control: where
	 * a bit of @payload_mask is set it equals that of @payload_value.
	 */
	uint16_t payload_offset;
	uint8_t payload_bytes;
	uint8_t payload_value[NP_DROPS_PAYLOAD_MAX], payload_mask[NP_DROPS_PAYLOAD_MAX];
};

/*
 * Counts these packets from now on. A packet is counted once, for the first watch that it belongs
 * to. Returns the number of the watch, 0 with the null variant, or -ENOSPC (more than
 * NP_DROPS_WATCHES_MAX), -EINVAL.
 */
#define NP_DROPS_WATCHES_MAX 64
int np_drops_watch(struct np_drops *drops, const struct np_drops_packets *packets);

/*
 * Fetches the kernel's counts, for all watches. Returns 0 or -errno; then all is unknown. Places
 * that are new are looked up, which may take 60 ms: np_drops_peek leaves them unnamed, for a thread
 * that has to keep up.
 */
int np_drops_update(struct np_drops *drops);
int np_drops_peek(struct np_drops *drops);

struct np_drops_entry {
	enum np_drops_direction direction;
	uint64_t packets;
	/*
	 * The kernel's name without SKB_DROP_REASON_ ("SOCKET_RCVBUFF"), or a number where it has
	 * none, as for the reasons of its modules.
	 */
	char reason[48];
	/* The function that dropped ("nft_do_chain"), or its address in hex; "": not named yet. */
	char place[64];
};

/* Kinds of drops that one result holds; the rarest of more are added up in @others. */
#define NP_DROPS_ENTRIES 24

struct np_drops_counts {
	bool known; /* something counted at all; otherwise all else is 0 */
	bool exact; /* to the packet; otherwise see @doubt */
	/* Not exact: copies for others may be among them. Otherwise they are at least so many. */
	bool copies;
	/* What may be missing; NULL when exact. Until the next update; the np_drops owns it. */
	const char *doubt;
	const char *why;  /* why nothing is known; NULL when known; owned by the np_drops */
	uint64_t packets; /* of all entries and others */
	uint64_t others;
	unsigned entries; /* the most frequent first */
	struct np_drops_entry entry[NP_DROPS_ENTRIES];
};

/*
 * The counts, by the last update, of watch @watch (-1: all of them), and of packets from or to
 * @peer (NULL: all; port 0: any of that host).
 */
void np_drops_count(const struct np_drops *drops, int watch, const struct np_address *peer,
		    struct np_drops_counts *counts);

/* Adds @more to @sum, which starts as {.known = true, .exact = true}. Pure. */
void np_drops_add(struct np_drops_counts *sum, const struct np_drops_counts *more);

/* Subtracts @before, an earlier count of the same packets. Pure. */
void np_drops_since(struct np_drops_counts *now, const struct np_drops_counts *before);

/* What one host dropped in all, as it is told to the other: at least that, if not exact. */
struct np_drops_total {
	bool known, exact;
	uint64_t packets;
};

/*
 * The packets of @lost that neither host dropped, in *@way. True when that is known: both are, to
 * the packet, and they are not more than @lost (duplicates and copies were dropped, too). Where one
 * is not exact, but at least so many, it is known, too, if nothing is left: 0. Pure.
 */
bool np_drops_way(uint64_t lost, const struct np_drops_total *here,
		  const struct np_drops_total *there, uint64_t *way);

/* @counts as one total. */
struct np_drops_total np_drops_total(const struct np_drops_counts *counts);

/*
 * What this host lost of the packets that were sent: @dropped, less those that send() reported as
 * dropped, which the sender sent again or gave up (np_datagram_stats: @told, @perhaps). Pure.
 */
struct np_drops_total np_drops_untold(const struct np_drops_total *dropped, uint64_t told,
				      uint64_t perhaps);

/*
 * Formats "lost in this host: 638 socket buffer (SOCKET_RCVBUFF), 1417 packet filter
 * (NETFILTER_DROP, nft_do_chain); on the way: 0". "at least" stands before what is not exact,
 * "unknown (WHY)" for what is not known, and without @way (NULL) its part is left out. Returns
 * @out.
 */
#define NP_DROPS_TEXT 2048
char *np_drops_format(const struct np_drops_counts *counts, const uint64_t *way,
		      char out[NP_DROPS_TEXT]);

/*
 * The same for what a sender's host dropped of outgoing packets. Where it lost only @lost of them
 * (np_drops_untold), since the others were sent again or given up: "dropped in this host: 100
 * queueing discipline, outgoing (QDISC_DROP, tbf_enqueue); lost of these: 0; on the way: 0".
 */
char *np_drops_format_sent(const struct np_drops_counts *counts, const struct np_drops_total *lost,
			   const uint64_t *way, char out[NP_DROPS_TEXT]);

struct np_record;

/*
 * Adds to the object "dropped_by_host" of a record the array "reasons" of {reason, place,
 * direction, packets}, "others" if there are any, "exact", and "doubt" if it is not; when nothing
 * is known only "reasons_unknown", why.
 */
void np_record_drops(struct np_record *record, const struct np_drops_counts *counts);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif
