// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * drops.bpf: counts our packets among those that the kernel drops, at its tracepoint kfree_skb. The
 * structures below name the members that are used; libbpf finds where the running kernel has them.
 */
#include "drops_shared.h"

typedef drops_u8 __u8;
typedef drops_u16 __u16;
typedef drops_u32 __u32;
typedef drops_u64 __u64;
typedef __INT32_TYPE__ __s32;
typedef __INT64_TYPE__ __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
enum bpf_map_type { BPF_MAP_TYPE_HASH = 1, BPF_MAP_TYPE_ARRAY = 2 };
enum { BPF_F_MMAPABLE = 1 << 10, BPF_NOEXIST = 1 };
enum { BTF_F_COMPACT = 1 << 0, BTF_F_NONAME = 1 << 1, BTF_F_ZERO = 1 << 3 };
struct btf_ptr {
	void *ptr;
	__u32 type_id, flags;
};

#include <bpf/bpf_helpers.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>

static __always_inline int drops_fetch(void *to, __u32 bytes, const __u8 *from)
{
	return bpf_probe_read_kernel(to, bytes, from) != 0;
}
#include "drops_parse.h"

#define KERNEL __attribute__((preserve_access_index))

struct ns_common {
	unsigned int inum;
} KERNEL;

struct net {
	struct ns_common ns;
} KERNEL;

typedef struct {
	struct net *net;
} possible_net_t;

typedef struct {
	__s64 counter;
} atomic64_t;

struct sock_common {
	unsigned short skc_family;
	__u16 skc_num;
	possible_net_t skc_net;
	atomic64_t skc_cookie;
} KERNEL;

struct sock {
	struct sock_common __sk_common;
} KERNEL;

struct net_device {
	unsigned long priv_flags : 32;
	unsigned int flags;
	int ifindex;
	possible_net_t nd_net;
} KERNEL;

struct dst_entry {
	struct net_device *dev;
} KERNEL;

struct nsproxy {
	struct net *net_ns;
} KERNEL;

struct task_struct {
	struct nsproxy *nsproxy;
} KERNEL;

struct sk_buff {
	struct net_device *dev;
	struct sock *sk;
	unsigned long _skb_refdst;
	unsigned int len, data_len;
	int skb_iif;
	__u8 cloned : 1;
	__u8 pkt_type : 3;
	__u8 encapsulation : 1;
	__u8 redirected : 1;
	__u16 inner_network_header, network_header, mac_header;
	__u32 tail, end;
	unsigned char *head, *data;
} KERNEL;

struct skb_shared_info {
	unsigned short gso_size, gso_segs;
} KERNEL;

/* The kernel has its values. */
enum skb_drop_reason { SKB_DROP_REASON_NOT_SPECIFIED, SKB_DROP_REASON_QUEUE_PURGE };

#define AF_PACKET    17
#define IFF_LOOPBACK 8
/* Of priv_flags, where they have been since Linux 4.1. */
#define IFF_EBRIDGE	 (1 << 1)
#define IFF_BRIDGE_PORT	 (1 << 9)
#define IFF_MACVLAN	 (1 << 16)
#define PACKET_OTHERHOST 3
#define PACKET_OUTGOING	 4
#define PACKET_LOOPBACK	 5
#define REFDST_POINTER	 (~(unsigned long)3)

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct drops_shared);
} shared SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, DROPS_ENTRIES);
	__type(key, struct drops_key);
	__type(value, __u64);
} counts SEC(".maps");

/* Of each reason and place in the keys of @counts, until there is no room. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, DROPS_NAMES);
	__type(key, __u64);
	__type(value, struct drops_name);
} names SEC(".maps");

/* The addresses of this host. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, DROPS_HOSTS);
	__type(key, struct drops_address);
	__type(value, __u8);
} hosts SEC(".maps");

/* One a processor; the library sets how many there are. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct drops_softirqs);
} softirqs SEC(".maps");

/* In which direction a packet was going. */
enum direction { DIRECTION_UNKNOWN, DIRECTION_IN, DIRECTION_OUT };

/* Whether a packet is a copy beside one that goes on to where it was sent. */
enum copy { COPY_NOT, COPY_PERHAPS, COPY_SURELY };

/* One dropped packet and where it was dropped. */
struct drop {
	struct drops_buffer buffer;
	__u32 gso_size, gso_segs, len;
	__u32 reason;
	__u64 place;
	__u32 direction;
	__u32 copy_in, copy_out; /* as a packet to this host, and from it */
	__u32 sockets;		 /* the kernel tells which socket drops */
	__u32 socket_family;	 /* of the socket that dropped it; 0: none, or unknown */
	__u32 socket_port;	 /* its port, in this host's order */
	__u64 socket_cookie;
	__u32 ours; /* one more than the number of the rule that @packet belongs to; 0: none */
	struct drops_packet packet;
};

/*
 * Pointers are read by the helper: for each that is loaded from a trusted one the verifier searches
 * all types of the kernel by name, which took a third of the time in which a program starts.
 */
static __always_inline __u32 netns_of(const possible_net_t *at)
{
	return BPF_CORE_READ(at, net, ns.inum);
}

/*
 * The network namespace that the packet is in. In a datagram in a socket's buffer the pointer to
 * the device has been replaced by other data, of which nothing can be read (0): then the namespace
 * is that of the route or of this task.
 */
static __always_inline __u32 netns_of_packet(struct sk_buff *skb, struct net_device *dev,
					     struct sock *sk, struct sock *receiver)
{
	struct task_struct *task;
	struct dst_entry *dst;
	__u32 inum = 0;

	if (receiver)
		return netns_of(&receiver->__sk_common.skc_net);
	if (dev)
		inum = netns_of(&dev->nd_net);
	if (!inum && sk)
		inum = netns_of(&sk->__sk_common.skc_net);
	if (inum)
		return inum;
	dst = (struct dst_entry *)(skb->_skb_refdst & REFDST_POINTER);
	if (dst)
		inum = BPF_CORE_READ(dst, dev, nd_net.net, ns.inum);
	if (inum)
		return inum;
	task = (struct task_struct *)bpf_get_current_task();
	return BPF_CORE_READ(task, nsproxy, net_ns, ns.inum);
}

static __always_inline int is_of_this_host(const struct drops_address *address,
					   const struct drops_packet *packet)
{
	struct drops_address key;

	/* Groups, the broadcast of a network without a name, and 127/8. */
	if (packet->ipv4 && (address->byte[12] >= 224 || address->byte[12] == 127))
		return 1;
	if (!packet->ipv4 && address->byte[0] == 0xff)
		return 1;
	/* Linux 6.1 takes a key from the stack, and not from an argument. */
	key = *address;
	return bpf_map_lookup_elem(&hosts, &key) != 0;
}

static __always_inline struct drops_shared *of_shared(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&shared, &zero);
}

static __always_inline void doubt(enum drops_doubt what, __u64 packets)
{
	struct drops_shared *about = of_shared();

	if (about)
		__sync_fetch_and_add(&about->doubts[what], packets);
}

/* Whether a socket other than the rule's dropped its own copy. */
static __always_inline int is_copy(const struct drop *drop, const struct drops_rule *rule,
				   __u16 port)
{
	if (!drop->socket_family)
		return 0;
	if (rule->cookie)
		return drop->socket_cookie != rule->cookie;
	return drop->socket_family == AF_PACKET || bpf_htons((__u16)drop->socket_port) != port;
}

static __always_inline int fits_payload(struct drop *drop, const struct drops_rule *rule)
{
	__u32 at = drop->packet.payload + rule->payload_offset, bytes = rule->payload_bytes;
	__u8 data[8] = {0};

	if (!bytes || drop->packet.fragment == DROPS_LATER)
		return 1;
	if (bytes > sizeof(data))
		bytes = sizeof(data);
	if (at + bytes > drop->buffer.bytes) {
		/* The payload is in pages: that of segmented and of long packets, which are data.
		 */
		if (drop->packet.payload_bytes < rule->payload_offset + bytes)
			return 0;
		if (drop->gso_size || drop->packet.payload_bytes > 256)
			return 1;
		doubt(DROPS_UNREADABLE, 1);
		return 0;
	}
	if (drops_fetch(data, bytes, drop->buffer.head + at))
		return 0;
	return drops_payload_fits(rule, data);
}

/*
 * The kernel's verifier checks each function below that is not static by itself, once, which keeps
 * its work small. What calls each other has 512 bytes of stack together.
 */

static __always_inline int fits_rule(struct drop *drop, const struct drops_rule *rule)
{
	const struct drops_packet *packet = &drop->packet;
	const struct drops_address *local = rule->out ? &packet->source : &packet->destination;
	const struct drops_address *peer = rule->out ? &packet->destination : &packet->source;
	__u16 local_port = rule->out ? packet->source_port : packet->destination_port;
	__u16 peer_port = rule->out ? packet->destination_port : packet->source_port;
	__u32 copy;

	if (packet->protocol != rule->protocol ||
	    drop->direction == (rule->out ? DIRECTION_IN : DIRECTION_OUT))
		return 0;
	if (packet->fragment != DROPS_LATER &&
	    ((rule->local_port && rule->local_port != local_port) ||
	     (rule->peer_port && rule->peer_port != peer_port)))
		return 0;
	if (!(rule->flags & DROPS_ANY_PEER) && !drops_same(&rule->peer, peer))
		return 0;
	if (rule->flags & DROPS_ANY_LOCAL) {
		if (rule->flags & DROPS_ONLY_IPV4 && !packet->ipv4)
			return 0;
		if (!is_of_this_host(local, packet))
			return 0;
	} else if (!drops_same(&rule->local, local)) {
		return 0;
	}
	if (is_copy(drop, rule, local_port) || !fits_payload(drop, rule))
		return 0;
	copy = rule->out ? drop->copy_out : drop->copy_in;
	if (copy == COPY_PERHAPS)
		doubt(DROPS_COPIES, 1);
	return copy == COPY_NOT;
}

static __always_inline __u64 packets_of(const struct drop *drop)
{
	__u32 bytes = drop->packet.payload_bytes;

	if (!drop->gso_size)
		return 1;
	if (drop->gso_segs)
		return drop->gso_segs;
	if (!bytes)
		bytes = drop->len;
	return (bytes + drop->gso_size - 1) / drop->gso_size;
}

/* Once for each reason and place, so that the library can read the name without any privilege. */
__noinline int name_reason(__u32 reason)
{
	struct drops_name name = {""};
	__u64 key = reason;
	struct btf_ptr value = {.ptr = &reason,
				.type_id = bpf_core_type_id_kernel(enum skb_drop_reason)};

	if (bpf_map_lookup_elem(&names, &key))
		return 0;
	if (bpf_snprintf_btf(name.text, sizeof(name.text), &value, sizeof(value),
			     BTF_F_COMPACT | BTF_F_NONAME | BTF_F_ZERO) < 0)
		return 0;
	bpf_map_update_elem(&names, &key, &name, BPF_NOEXIST);
	return 1;
}

__noinline int name_place(__u64 place)
{
	static const char format[] = "%ps";
	/* A place is where a call returns to, which is perhaps the next function. */
	__u64 call = place - 1;
	struct drops_name name = {""};

	if (bpf_map_lookup_elem(&names, &place))
		return 0;
	if (bpf_snprintf(name.text, sizeof(name.text), format, &call, sizeof(call)) < 0)
		return 0;
	bpf_map_update_elem(&names, &place, &name, BPF_NOEXIST);
	return 1;
}

/* Counts drop->packet if it is ours. */
__noinline int count(struct drop *drop)
{
	struct drops_shared *about = of_shared();
	const struct drops_packet *packet;
	const struct drops_rule *rule;
	struct drops_key key = {0};
	const __u8 *to;
	__u64 packets, zero = 0, *sum;

	if (!drop || !about || !drop->ours)
		return 0;
	packet = &drop->packet;
	packets = packets_of(drop);
	key.rule = (drop->ours - 1) & (DROPS_RULES - 1); /* see fits */
	rule = &about->rule[key.rule];
	key.place = drop->place;
	key.reason = drop->reason;
	key.peer = rule->out ? packet->destination : packet->source;
	key.peer_port = rule->out ? packet->destination_port : packet->source_port;
	/*
	 * A queue that has taken a buffer apart, and dropped each segment of it for a reason, frees
	 * the buffer so, which then has no socket any more and on the loopback seems to come in;
	 * and so does a failed send.
	 */
	if (drop->reason ==
		    bpf_core_enum_value(enum skb_drop_reason, SKB_DROP_REASON_NOT_SPECIFIED) &&
	    !drop->socket_family && drop->gso_size) {
		doubt(DROPS_TWICE, 1);
		return 0;
	}
	if (packet->fragment)
		doubt(DROPS_FRAGMENTS, 1);
	/* Each member on this host of a group has a copy; it is unknown whose this is. */
	to = packet->destination.byte;
	if (!drop->sockets && !rule->out && rule->protocol != DROPS_AOE &&
	    (packet->ipv4 ? to[12] >= 224 : to[0] == 0xff))
		doubt(DROPS_COPIES, 1);
	if (packet->fragment == DROPS_LATER)
		return 0;
	sum = bpf_map_lookup_elem(&counts, &key);
	if (!sum) {
		name_reason(drop->reason);
		name_place(drop->place);
		bpf_map_update_elem(&counts, &key, &zero, BPF_NOEXIST);
		sum = bpf_map_lookup_elem(&counts, &key);
	}
	if (sum)
		__sync_fetch_and_add(sum, packets);
	else
		doubt(DROPS_FULL, packets);
	return 1;
}

/* Whether drop->packet is one of the rule's; keeps the rule if it is. */
__noinline int fits(struct drop *drop, __u32 number)
{
	struct drops_shared *about = of_shared();
	const struct drops_rule *rule;

	if (!drop || !about)
		return 0;
	number &= DROPS_RULES - 1; /* a power of 2; the verifier wants to see a bound */
	rule = &about->rule[number];
	if (fits_rule(drop, rule))
		drop->ours = number + 1;
	return drop->ours;
}

/* The same for the first rule that it belongs to. */
__noinline int is_ours(struct drop *drop)
{
	struct drops_shared *about = of_shared();
	__u32 rules;

	if (!drop || !about)
		return 0;
	rules = about->rules;
	for (__u32 i = 0; i < DROPS_RULES && i < rules; i++)
		if (fits(drop, i))
			return 1;
	return 0;
}

__noinline int try_ip(struct drop *drop, __u32 at)
{
	int parsed;

	if (!drop)
		return DROPS_OTHER;
	parsed = (int)drops_parse_ip(&drop->buffer, at, &drop->packet);
	if (parsed == DROPS_PARSED)
		return is_ours(drop) ? DROPS_PARSED : DROPS_OTHER;
	return parsed;
}

/* An Ethernet frame: what is in it may be AoE or IP. */
__noinline int try_ethernet(struct drop *drop, __u32 at)
{
	__u32 payload = 0, type;

	if (!drop)
		return DROPS_OTHER;
	type = drops_parse_ethernet(&drop->buffer, at, &payload);
	if (type == DROPS_ETHERTYPE_AOE) {
		if (drops_parse_aoe(&drop->buffer, at, &drop->packet) != DROPS_PARSED)
			return DROPS_OTHER;
		return is_ours(drop) ? DROPS_PARSED : DROPS_OTHER;
	}
	if (type != DROPS_ETHERTYPE_IPV4 && type != DROPS_ETHERTYPE_IPV6)
		return DROPS_OTHER;
	return try_ip(drop, payload);
}

/*
 * Where a header starts depends on where the packet was dropped; the offsets that are set may be
 * stale or not yet set, so that each place is tried until one of our packets is found there.
 */
static __always_inline void find(struct drop *drop, struct sk_buff *skb)
{
	__u32 network = skb->network_header, mac = skb->mac_header;
	__u32 data = (__u32)(skb->data - skb->head);
	int first = DROPS_OTHER;

	if (network && network != 0xffff) {
		first = try_ip(drop, network);
		if (first == DROPS_PARSED)
			return;
	}
	if (mac != 0xffff && try_ethernet(drop, mac) == DROPS_PARSED)
		return;
	if (data != network && try_ip(drop, data) == DROPS_PARSED)
		return;
	if (data != mac && try_ethernet(drop, data) == DROPS_PARSED)
		return;
	if (BPF_CORE_READ_BITFIELD(skb, encapsulation) &&
	    try_ip(drop, skb->inner_network_header) == DROPS_PARSED)
		return;
	if (first == DROPS_CUT_SHORT)
		doubt(DROPS_UNREADABLE, 1);
}

/*
 * Judges whether the packet is a copy that the kernel made: a bridge that floods gives one to each
 * of its ports, tc mirrors, nft duplicates, a host keeps one of what it sends to a group. Copies
 * have no socket. Those of a received packet are at another interface than the one it came by; but
 * so is a packet that was redirected, or is on its way into a bridge or macvlan. What a bridge
 * floods goes to the peer by one of its ports, it is unknown which; and what comes out of an ifb
 * looks like a copy.
 */
static __always_inline void judge_copy(struct drop *drop, struct sk_buff *skb,
				       struct net_device *dev, int sent, __u32 netns)
{
	__u32 kind, cloned = BPF_CORE_READ_BITFIELD(skb, cloned);
	int iif = skb->skb_iif;

	if (!dev || netns_of(&dev->nd_net) != netns)
		return;
	kind = (__u32)BPF_CORE_READ_BITFIELD_PROBED(dev, priv_flags);
	if (!iif) {
		if (kind & IFF_BRIDGE_PORT ? cloned || !sent : cloned && !sent)
			drop->copy_out = COPY_PERHAPS;
		return;
	}
	if (sent || iif == BPF_CORE_READ(dev, ifindex) || kind & (IFF_EBRIDGE | IFF_MACVLAN) ||
	    (bpf_core_field_exists(skb->redirected) && BPF_CORE_READ_BITFIELD(skb, redirected)))
		return;
	drop->copy_in = kind & IFF_BRIDGE_PORT || cloned ? COPY_SURELY : COPY_PERHAPS;
	drop->copy_out = COPY_PERHAPS;
}

/* In the queue of a socket a packet has no device any more. */
static __always_inline int was_queued(struct sk_buff *skb, struct net_device *dev)
{
	return skb->skb_iif && (!dev || !netns_of(&dev->nd_net));
}

/*
 * What a socket left unread when it died is that one's copy, perhaps of another namespace: the
 * kernel frees it in any task, and without a receiver. Before Linux 6.11 nothing has a receiver.
 */
static __always_inline int was_left(struct sk_buff *skb, struct net_device *dev, __u32 reason)
{
	return was_queued(skb, dev) &&
	       (reason ==
			bpf_core_enum_value(enum skb_drop_reason, SKB_DROP_REASON_NOT_SPECIFIED) ||
		(bpf_core_enum_value_exists(enum skb_drop_reason, SKB_DROP_REASON_QUEUE_PURGE) &&
		 reason == bpf_core_enum_value(enum skb_drop_reason, SKB_DROP_REASON_QUEUE_PURGE)));
}

/*
 * A packet that goes out still has its sending socket, unless it was segmented. One that came in by
 * an interface may have its receiver already: a member of a group, or a connected socket.
 */
static __always_inline __u32 direction_of(struct sk_buff *skb, struct net_device *dev,
					  struct sock *sk, struct sock *receiver, __u32 type,
					  __u32 netns)
{
	if (receiver || type == PACKET_LOOPBACK || (sk && skb->skb_iif))
		return DIRECTION_IN;
	if (was_queued(skb, dev))
		return DIRECTION_IN;
	if (sk && netns_of(&sk->__sk_common.skc_net) == netns)
		return DIRECTION_OUT;
	if (dev && BPF_CORE_READ(dev, flags) & IFF_LOOPBACK)
		return DIRECTION_IN;
	return DIRECTION_UNKNOWN;
}

/* The tracepoint since Linux 6.11, which also names the socket that dropped the packet. */
typedef void (*btf_trace_kfree_skb___socket)(void *, struct sk_buff *, void *, enum skb_drop_reason,
					     struct sock *);

SEC("tp_btf/kfree_skb")
int drop(__u64 *context)
{
	const int sockets = bpf_core_type_exists(btf_trace_kfree_skb___socket);
	struct sk_buff *skb = (struct sk_buff *)context[0];
	struct sock *receiver = sockets ? (struct sock *)context[3] : (void *)0;
	struct drops_shared *about = of_shared();
	__u32 type = BPF_CORE_READ_BITFIELD(skb, pkt_type);
	struct net_device *dev = BPF_CORE_READ(skb, dev);
	struct sock *sk = BPF_CORE_READ(skb, sk);
	const struct skb_shared_info *info;
	struct drop drop = {
		.place = context[1], .reason = (__u32)context[2], .sockets = (__u32)sockets};

	/* Frames for other hosts, and packet sockets' copies of what is sent. */
	if (!about || !about->rules || type == PACKET_OTHERHOST || type == PACKET_OUTGOING)
		return 0;
	/* Written once: all processors that drop read what lies beside it. */
	if (sockets && !about->sockets)
		about->sockets = 1;
	if (netns_of_packet(skb, dev, sk, receiver) != about->netns)
		return 0;
	drop.direction = direction_of(skb, dev, sk, receiver, type, about->netns);
	if (receiver) {
		drop.socket_family = receiver->__sk_common.skc_family;
		drop.socket_port = receiver->__sk_common.skc_num;
		drop.socket_cookie = (__u64)receiver->__sk_common.skc_cookie.counter;
	} else {
		judge_copy(&drop, skb, dev, sk != (void *)0, about->netns);
		if (was_left(skb, dev, drop.reason))
			drop.copy_in = sockets ? COPY_SURELY : COPY_PERHAPS;
	}
	drop.buffer.head = skb->head;
	drop.buffer.bytes = skb->tail;
	drop.len = skb->len;
	info = (const struct skb_shared_info *)(skb->head + skb->end);
	drop.gso_size = BPF_CORE_READ(info, gso_size);
	drop.gso_segs = BPF_CORE_READ(info, gso_segs);
	find(&drop, skb);
	return count(&drop);
}

/*
 * The witness: a kernel may run softirqs without running tracing programs, as one was seen to do
 * when they interrupted a certain task (its perf events counted them); what these drop is not
 * counted above. The library compares the number seen here with the kernel's own of its softirqs.
 */
SEC("tp_btf/softirq_entry")
int softirq(__u64 *context)
{
	__u32 cpu = bpf_get_smp_processor_id(), number = (__u32)context[0];
	struct drops_softirqs *at;

	if (number != DROPS_SOFTIRQ_TX && number != DROPS_SOFTIRQ_RX)
		return 0;
	at = bpf_map_lookup_elem(&softirqs, &cpu);
	if (at)
		at->passed++;
	return 0;
}
