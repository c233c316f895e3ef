// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * link_ring: receives through a TPACKET_V3 ring of blocks shared with the kernel
 * (Documentation/networking/packet_mmap), sends as the socket variant does.
 */
#include "link_variant.h"
#include "socket.h"
#include "stamps.h"

#include <errno.h>
#include <linux/if_packet.h>
#include <stdlib.h>
#include <sys/mman.h>

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

static int map_ring(struct np_link *link, struct ring_state *state)
{
	int version = TPACKET_V3;
	struct tpacket_req3 request = {
		.tp_block_size = state->block_bytes,
		.tp_block_nr = state->blocks,
		.tp_frame_size = NOMINAL_FRAME,
		.tp_frame_nr = (unsigned)(state->map_bytes / NOMINAL_FRAME),
		.tp_retire_blk_tov = RETIRE_MS,
	};
	void *map;

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
	return 0;
}

static int ring_open(struct np_link *link, const struct np_link_options *options)
{
	const size_t wanted = options->receive_bytes < LINK_RECEIVE_MAX ? options->receive_bytes
									: LINK_RECEIVE_MAX;
	struct ring_state *state = calloc(1, sizeof(*state));
	int error;

	if (!state)
		return -ENOMEM;
	link->state = state;
	state->block_bytes = BLOCK_MIN;
	while (state->block_bytes < options->frame_bytes + BLOCK_OVERHEAD)
		state->block_bytes *= 2;
	state->blocks = (unsigned)(wanted / state->block_bytes);
	if (state->blocks < BLOCKS_MIN)
		state->blocks = BLOCKS_MIN;
	state->map_bytes = (size_t)state->blocks * state->block_bytes;
	error = link_packet_open(link, options);
	if (!error)
		error = map_ring(link, state);
	if (!error)
		error = link_packet_bind(link, options->ethertype);
	if (!error)
		stamps_start(&state->stamps, &link->info.stamps);
	link->info.block_ns = BLOCK_NS;
	return error;
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

static void take_frame(struct np_link *link, struct ring_state *state, struct np_frame *frame)
{
	struct tpacket3_hdr *header = state->next;
	size_t length = header->tp_snaplen;

	frame->data = (uint8_t *)header + header->tp_mac;
	frame->length = length < link->frame_bytes ? length : link->frame_bytes;
	frame->stamp = stamps_convert(&state->stamps,
				      header->tp_sec * NP_SECOND + (np_time)header->tp_nsec);
	state->next = (void *)((uint8_t *)header + header->tp_next_offset);
	state->left--;
}

/* Returns frames of one block per call: the block must stay valid until the next call. */
static int ring_receive(struct np_link *link, struct np_frame *frames, unsigned count)
{
	struct ring_state *state = link->state;
	unsigned taken = 0;

	if (!take_block(state))
		return socket_error(link->fd);
	stamps_batch(&state->stamps);
	while (taken < count && state->left > 0)
		take_frame(link, state, &frames[taken++]);
	return (int)taken;
}

const struct link_variant link_ring_variant = {
	.name = "ring",
	.open = ring_open,
	.close = ring_close,
	.send = link_packet_send,
	.receive = ring_receive,
	.count_dropped = link_packet_count_dropped,
};
