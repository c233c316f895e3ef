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
 * and frames for other hosts are not counted.
 *
 * Counts are exact, that is, right to the packet, unless one of these happened since the first
 * watch; np_drops_counts says which one:
 * - The kernel dropped a packet while it handled another drop, which it does not report.
 * - It ran softirqs that handle packets (anybody's) without passing a tracepoint, as a kernel was
 *   seen to do when softirqs interrupted a certain task.
 * - Packets were dropped that might be ours: fragments, headers that cannot be read, copies of
 * which one may be the peer's (of a bridge; before Linux 6.11 those of a group).
 * - Segmented buffers were dropped without a reason, perhaps after their segments had been.
 * - There were more kinds of drops than there is room for.
 *
 * The order of use: np_drops_begin before np_privilege_drop, np_drops_watch for each kind of packet
 * as soon as its addresses are known (no privilege needed), at any later time np_drops_update, then
 * np_drops_count as often as wanted. Threads may share one np_drops: all functions but
 * np_drops_free may be called at any time.
 */
#pragma once

#include <netperf/address.h>
#include <netperf/options.h>

struct np_drops;

/* The values of --drops, and their words, NULL-terminated: "auto", "off", "require". */
enum np_drops_mode { NP_DROPS_AUTO, NP_DROPS_OFF, NP_DROPS_REQUIRE };
extern const char *const np_drops_modes[];

/* The row of --drops. @member: an unsigned, an enum np_drops_mode; then what else the row has. */
#define NP_DROPS_OPTION(member, ...)                                                               \
	NP_VALUE(OUTPUT, CHOICE, "drops", NULL, "DROPS", member,                                   \
		 "count this host's drops by kernel reason; auto: if permitted",                   \
		 .initial = "auto", .choices = np_drops_modes, ##__VA_ARGS__)

/*
 * Loads the BPF program, which counts what is watched from then on. With NP_DROPS_OFF, and with
 * NP_DROPS_AUTO where that is not possible, opens the null variant. Logs what
 * was chosen in detail, or a failure as "--drops=require: why". Returns 0, -ENOMEM, or with
 * NP_DROPS_REQUIRE the reason: -EPERM or -EACCES (no privilege), -EOPNOTSUPP (a kernel that gives
 * no reasons), -EPROTONOSUPPORT (built without libbpf), or another -errno, of reading the kernel's
 * BTF or of bpf(2). On failure *@drops is NULL.
 */
#define NP_DROPS_WHY 160
int np_drops_begin(struct np_drops **drops, enum np_drops_mode mode, const struct np_log *log);

/* NULL is allowed here and in the functions below, and counts nothing. */
void np_drops_free(struct np_drops *drops);

/* Why nothing is counted, such as "not permitted: ..."; "" when it is. Not of NULL. */
const char *np_drops_why(const struct np_drops *drops);

enum np_drops_direction { NP_DROPS_IN, NP_DROPS_OUT };
enum np_drops_protocol { NP_DROPS_UDP, NP_DROPS_TCP, NP_DROPS_AOE };

#define NP_DROPS_PAYLOAD_MAX 8

/* Which packets to count. */
struct np_drops_packets {
	enum np_drops_direction direction; /* IN: received by this host, OUT: sent by it */
	enum np_drops_protocol protocol;
	/*
	 * UDP and TCP: this host's end and the other end. Of received packets @local is the
	 * destination, which may be a group's address, and @peer the source. A wildcard @local
	 * means every address that this host had at np_drops_begin, groups and broadcasts included,
	 * and :: also those of IPv4. Port 0 means any port; a @peer that is NULL or a wildcard, any
	 * address.
	 */
	const struct np_address *local, *peer;
	/* AoE: this host's and the other MAC address; NULL: any. */
	const uint8_t *local_mac, *peer_mac;
	/*
	 * The socket that receives them; with it, copies that other sockets drop are not counted.
	 * -1: unknown; then sockets are told apart by their ports, and AoE frames that a packet
	 * socket drops are not counted. Not used for NP_DROPS_OUT.
	 */
	int socket;
	/*
	 * Tells data from control messages: counts only packets whose @payload_bytes bytes at
	 * @payload_offset (of the UDP or TCP payload, or of the AoE header) equal @payload_value in
	 * the bits that are set in @payload_mask. 0 bytes: all packets.
	 */
	uint16_t payload_offset;
	uint8_t payload_bytes;
	uint8_t payload_value[NP_DROPS_PAYLOAD_MAX], payload_mask[NP_DROPS_PAYLOAD_MAX];
};

/* Counts only packets whose UDP or TCP payload starts with these @bytes, at most 8, of @mark. */
void np_drops_mark(struct np_drops_packets *packets, const void *mark, size_t bytes);

/*
 * Counts these packets from now on. A packet is counted once, for the first watch that it belongs
 * to. Returns the number of the watch, from 0 on (always 0 with the null variant), or -ENOSPC (more
 * than NP_DROPS_WATCHES_MAX), -EINVAL, -EBADF (@drops is NULL), or another -errno if the kernel's
 * counters cannot be read.
 */
#define NP_DROPS_WATCHES_MAX 64
int np_drops_watch(struct np_drops *drops, const struct np_drops_packets *packets);

/*
 * Fetches the kernel's counts, for all watches. Returns 0, or -errno: until the next update all
 * counts are unknown.
 */
int np_drops_update(struct np_drops *drops);

struct np_drops_entry {
	enum np_drops_direction direction;
	uint64_t packets;
	/*
	 * The kernel's name without SKB_DROP_REASON_ ("SOCKET_RCVBUFF"), or a number if it has
	 * none, as for the reasons of subsystems with lists of their own (mac80211, openvswitch).
	 */
	char reason[48];
	/* The function that dropped ("nft_do_chain"), or its address in hex; "": not reported. */
	char place[64];
};

/* Kinds of drops that one result holds; the rarest of more are added up in @others. */
#define NP_DROPS_ENTRIES 24

struct np_drops_counts {
	bool known; /* drops are counted; false: all else but @why is 0 */
	bool exact; /* to the packet; otherwise see @doubt */
	/*
	 * If not exact: true: copies for other sockets may be included, so that nothing is known of
	 * how many were dropped; false: at least so many were.
	 */
	bool copies;
	char doubt[NP_DROPS_WHY]; /* why not exact; "" when exact */
	const char *why;	  /* why nothing is known; NULL when known; owned by the np_drops */
	uint64_t packets;	  /* of all entries and of @others */
	uint64_t others;
	unsigned entries; /* the most frequent first */
	struct np_drops_entry entry[NP_DROPS_ENTRIES];
};

/* In place of a watch: all of them together; all of packets that this host sent. */
#define NP_DROPS_ALL  NP_DROPS_WATCHES_MAX
#define NP_DROPS_SENT (NP_DROPS_ALL + 1)

/*
 * The counts, by the last update, of watch @watch, NP_DROPS_ALL or NP_DROPS_SENT, and of packets
 * from or to @peer (NULL: all; port 0: any of that host). Unknown where @watch is what
 * np_drops_watch failed with.
 */
void np_drops_count(struct np_drops *drops, int watch, const struct np_address *peer,
		    struct np_drops_counts *counts);

/*
 * Adds @more to @sum, which starts as {.known = true, .exact = true}. The sum is known, and exact,
 * if both are. Pure.
 */
void np_drops_add(struct np_drops_counts *sum, const struct np_drops_counts *more);

/* Subtracts @before, an earlier count of the same packets. Pure. */
void np_drops_since(struct np_drops_counts *now, const struct np_drops_counts *before);

/* What one host dropped in all, as it is told to the other; if not exact, a lower bound. */
struct np_drops_total {
	bool known, exact;
	uint64_t packets;
};

/* @sum is what several hosts, or one host in several runs, dropped. It starts as {true, true, 0}.
 */
static inline void np_drops_total_add(struct np_drops_total *sum, const struct np_drops_total *more)
{
	sum->known &= more->known;
	sum->exact &= more->exact;
	sum->packets += more->packets;
}

/*
 * A total in a message, as a number of so many @bits: 0: unknown, as are more packets than fit;
 * else one more than the packets, with the highest bit set if they are exact.
 */
static inline uint64_t np_drops_pack(const struct np_drops_total *total, unsigned bits)
{
	const uint64_t exact = UINT64_C(1) << (bits - 1);

	if (!total->known || total->packets >= exact - 1)
		return 0;
	return (total->packets + 1) | (total->exact ? exact : 0);
}

static inline struct np_drops_total np_drops_unpack(uint64_t packed, unsigned bits)
{
	const uint64_t exact = UINT64_C(1) << (bits - 1), more = packed & (exact - 1);
	const struct np_drops_total total = {more != 0, more && packed & exact,
					     more ? more - 1 : 0};

	return total;
}

/*
 * @counts as one total, without what was dropped for a wrong checksum: the path damaged that, and
 * so lost it. 0, not exact, if @counts->copies. Pure.
 */
struct np_drops_total np_drops_total(const struct np_drops_counts *counts);

/*
 * What this host dropped without reporting it to the sender: @dropped, less the @reported drops
 * that send() reported, upon which the sender sent the packets again or gave them up, and the
 * @perhaps that it may have reported (reported_drops and reported_drops_perhaps of
 * np_datagram_stats). Pure.
 */
struct np_drops_total np_drops_unreported(const struct np_drops_total *dropped, uint64_t reported,
					  uint64_t perhaps);

/*
 * Formats "lost in this host: 638 socket buffer (SOCKET_RCVBUFF), 1417 packet filter
 * (NETFILTER_DROP, nft_do_chain)", with ">= " before counts that are not exact and "unknown (WHY)"
 * in place of unknown ones. @lost: how many of a sender's packets were lost (np_drops_unreported),
 * since others were sent again or given up; then "dropped in this host: 100 queueing discipline,
 * outgoing (QDISC_DROP, tbf_enqueue); lost of these: 0". NULL: all. Returns @out.
 */
#define NP_DROPS_TEXT 2048
char *np_drops_format(const struct np_drops_counts *counts, const struct np_drops_total *lost,
		      char out[NP_DROPS_TEXT]);

/*
 * The reasons of @counts for the result block: "638 SOCKET_RCVBUFF, 50 NETFILTER_DROP
 * (nft_do_chain)", each with ">= " before it where the counts are lower bounds. A place stands only
 * where it says more than its reason. "" where nothing is known or was dropped. Returns @out.
 */
char *np_drops_list(const struct np_drops_counts *counts, char out[NP_DROPS_TEXT]);

struct np_record;

/*
 * Adds to the object "dropped_by_host" of @record, which it creates if need be: the array "reasons"
 * of {reason, place, direction, packets}, "others" if there are any, "exact", and "doubt" if not
 * exact; if the counts are unknown, only "reasons_unknown", which says why.
 */
void np_record_drops(struct np_record *record, const struct np_drops_counts *counts);
