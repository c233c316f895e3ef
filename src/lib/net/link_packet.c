// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * link_packet: frames by an AF_PACKET socket, see packet(7), sent by send() and sendmmsg();
 * received by recv() (socket), or through a TPACKET_V3 ring of blocks shared with the kernel
 * (ring; Documentation/networking/packet_mmap).
 */
#include "link_variant.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * Fewer frames than this are sent by one send() each: over veth sendmmsg() loses at 2, breaks even
 * at 4 and gains 5 % at 8.
 */
#define BURST_MIN 8

/*
 * Opens link->fd with its filter but does not bind it: no frame is queued before bind_packet.
 * Returns 0, -EPERM or another -errno.
 */
static int open_packet(struct np_link *link, const struct np_link_options *options)
{
	const struct sock_fprog program = {
		.len = (unsigned short)options->filter_count,
		.filter = (struct sock_filter *)options->filter,
	};

	link->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (link->fd < 0)
		return errno == EAFNOSUPPORT ? -EPROTONOSUPPORT : -errno;
	if (options->filter_count &&
	    setsockopt(link->fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) < 0)
		return -errno;
	/*
	 * A socket bound to one EtherType does not receive what this host sends, and the option
	 * only saves time; one bound to all of them needs it (Linux 4.20).
	 */
	if (socket_set(link->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1) && options->ethertype == 0)
		return -EPROTONOSUPPORT;
	return socket_messages_make(&link->burst, link->batch);
}

/* From now on frames of @ethertype, or all if it is 0, are queued. */
static int bind_packet(struct np_link *link, uint16_t ethertype)
{
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ethertype ? ethertype : ETH_P_ALL),
		.sll_ifindex = (int)link->info.index,
	};

	if (bind(link->fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	return 0;
}

/* Sends at least one, else returns -1 with errno. */
static int send_some(struct np_link *link, const struct np_frame *frames, unsigned count)
{
	unsigned sent = 0;

	if (count >= BURST_MIN) {
		for (unsigned i = 0; i < count; i++) {
			link->burst.piece[i].iov_base = frames[i].data;
			link->burst.piece[i].iov_len = frames[i].length;
		}
		return sendmmsg(link->fd, link->burst.message, count, MSG_DONTWAIT);
	}
	while (sent < count &&
	       send(link->fd, frames[sent].data, frames[sent].length, MSG_DONTWAIT) >= 0)
		sent++;
	return sent > 0 ? (int)sent : -1;
}

static int send_packets(struct np_link *link, const struct np_frame *frames, unsigned count)
{
	unsigned sent = 0;

	/* A call cut short does not report why: the frame it stopped at is sent again, alone. */
	while (sent < count) {
		int taken = send_some(link, frames + sent, count - sent);

		if (taken > 0) {
			sent += (unsigned)taken;
		} else if (errno == ENOBUFS || errno == EAGAIN) {
			link->stats.send_refused++;
			link->stats.refused_error = -errno;
			break;
		} else if (errno != EINTR) {
			return sent > 0 ? (int)sent : -errno;
		}
	}
	return (int)sent;
}

static int count_dropped(struct np_link *link)
{
	struct tpacket_stats_v3 since_last = {0};
	socklen_t length = sizeof(since_last);

	/* Reading sets the kernel's 32-bit counters to zero; the shorter struct of the plain
	 * socket has tp_drops in the same place. */
	if (getsockopt(link->fd, SOL_PACKET, PACKET_STATISTICS, &since_last, &length) < 0)
		return -errno;
	link->stats.dropped += since_last.tp_drops;
	return 0;
}

static int socket_open(struct np_link *link, const struct np_link_options *options)
{
	const size_t wanted = np_least(options->receive_bytes, LINK_RECEIVE_MAX);
	int error = link_allocate(link);

	if (!error)
		error = open_packet(link, options);
	if (error)
		return error;
	link->info.receive_granted =
		2 * socket_set_buffer(link->fd, SO_RCVBUF, SO_RCVBUFFORCE, wanted);
	return bind_packet(link, options->ethertype);
}

static int socket_receive(struct np_link *link, struct np_frame *frames, unsigned count)
{
	uint8_t *slot = link->memory;
	unsigned taken = 0;
	int error;

	for (; taken < count; taken++, slot += link->stride) {
		ssize_t length = recv(link->fd, slot, link->frame_bytes, MSG_DONTWAIT);

		if (length < 0)
			break;
		frames[taken].data = slot;
		frames[taken].length = (size_t)length;
		frames[taken].stamp = np_clock_now();
	}
	if (taken == count || errno == EAGAIN || errno == EINTR)
		return (int)taken;
	error = errno == ENODEV ? ENETDOWN : errno; /* the interface is gone, not just down */
	if (taken == 0)
		return -error;
	/* The kernel reports it only once. */
	link->pending_error = error;
	return (int)taken;
}

const struct link_variant link_socket_variant = {
	.name = "socket",
	.open = socket_open,
	.send = send_packets,
	.receive = socket_receive,
	.count_dropped = count_dropped,
};

/* A block is delivered when it is full or this old; the kernel's timer has ticks of 1 to 10 ms. */
#define RETIRE_MS  1
#define BLOCK_NS   (25 * NP_MILLISECOND)

#define BLOCK_MIN  65536 /* a multiple of every page size */
#define BLOCKS_MIN 2
/* Room for the headers of a block and of a frame in it. */
#define BLOCK_OVERHEAD 512
/* V3 packs frames by their length; this only has to divide the block. */
#define NOMINAL_FRAME 2048

struct ring_state {
	struct stamps stamps;
	uint8_t *map;
	size_t map_bytes;
	unsigned block_bytes;
	unsigned blocks;
	unsigned current; /* the block being read, or the next to arrive */
	bool in_hand;	  /* being read: ours until the receive call after its last frame */
	unsigned left;	  /* frames in it not returned yet */
	struct tpacket3_hdr *next; /* the first of them */
};

static struct tpacket_block_desc *current_block(const struct ring_state *state)
{
	return (void *)(state->map + (size_t)state->current * state->block_bytes);
}

static int ring_open(struct np_link *link, const struct np_link_options *options)
{
	const size_t wanted = np_least(options->receive_bytes, LINK_RECEIVE_MAX);
	struct tpacket_req3 request = {
		.tp_frame_size = NOMINAL_FRAME,
		.tp_retire_blk_tov = RETIRE_MS,
	};
	struct ring_state *state = link->state;
	int version = TPACKET_V3, error;
	void *map;

	state->block_bytes = BLOCK_MIN;
	while (state->block_bytes < options->frame_bytes + BLOCK_OVERHEAD)
		state->block_bytes *= 2;
	state->blocks = (unsigned)(wanted / state->block_bytes);
	if (state->blocks < BLOCKS_MIN)
		state->blocks = BLOCKS_MIN;
	state->map_bytes = (size_t)state->blocks * state->block_bytes;
	request.tp_block_size = state->block_bytes;
	request.tp_block_nr = state->blocks;
	request.tp_frame_nr = (unsigned)(state->map_bytes / NOMINAL_FRAME);
	link->info.block_ns = BLOCK_NS;
	error = open_packet(link, options);
	if (error)
		return error;
	if (setsockopt(link->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) < 0)
		return errno == EINVAL ? -EPROTONOSUPPORT : -errno;
	if (setsockopt(link->fd, SOL_PACKET, PACKET_RX_RING, &request, sizeof(request)) < 0)
		return -errno;
	map = mmap(NULL, state->map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
		   link->fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	state->map = map;
	link->info.receive_granted = state->map_bytes;
	stamps_start(&state->stamps, &link->info.stamps);
	return bind_packet(link, options->ethertype);
}

static void ring_close(struct np_link *link)
{
	struct ring_state *state = link->state;

	if (state && state->map)
		munmap(state->map, state->map_bytes);
}

/* True when a block with unread frames is available. */
static bool take_block(struct ring_state *state)
{
	struct tpacket_block_desc *block = current_block(state);

	if (state->left > 0)
		return true;
	if (state->in_hand) {
		__atomic_store_n(&block->hdr.bh1.block_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
		state->current = (state->current + 1) % state->blocks;
		state->in_hand = false;
		block = current_block(state);
	}
	if (!(__atomic_load_n(&block->hdr.bh1.block_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER))
		return false;
	state->in_hand = true;
	state->left = block->hdr.bh1.num_pkts;
	state->next = (void *)((uint8_t *)block + block->hdr.bh1.offset_to_first_pkt);
	return state->left > 0;
}

/* Returns frames of one block per call: the block must stay valid until the next call. */
static int ring_receive(struct np_link *link, struct np_frame *frames, unsigned count)
{
	struct ring_state *state = link->state;
	unsigned taken = 0;

	if (!take_block(state))
		return socket_error(link->fd);
	stamps_batch(&state->stamps);
	for (; taken < count && state->left > 0; taken++, state->left--) {
		struct tpacket3_hdr *header = state->next;
		const np_time wall = header->tp_sec * NP_SECOND + (np_time)header->tp_nsec;

		frames[taken].data = (uint8_t *)header + header->tp_mac;
		frames[taken].length = np_least(header->tp_snaplen, link->frame_bytes);
		frames[taken].stamp = stamps_convert(&state->stamps, wall);
		state->next = (void *)((uint8_t *)header + header->tp_next_offset);
	}
	return (int)taken;
}

const struct link_variant link_ring_variant = {
	.name = "ring",
	.state_bytes = sizeof(struct ring_state),
	.open = ring_open,
	.close = ring_close,
	.send = send_packets,
	.receive = ring_receive,
	.count_dropped = count_dropped,
};
