// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * pcap: loads libpcap when it is needed; sends and receives frames through it, for systems without
 * the other variants of link.
 */
#include <pcap/pcap.h>

#include "../base/late.h"
#include "config.h"
#include "link_variant.h"

#include <linux/if_packet.h>
#include <stdlib.h>

/* A list of them, each as ENTRY(name). */
#define LIBPCAP(ENTRY)                                                                             \
	ENTRY(pcap_activate)                                                                       \
	ENTRY(pcap_close)                                                                          \
	ENTRY(pcap_create)                                                                         \
	ENTRY(pcap_datalink)                                                                       \
	ENTRY(pcap_dispatch)                                                                       \
	ENTRY(pcap_fileno)                                                                         \
	ENTRY(pcap_get_selectable_fd)                                                              \
	ENTRY(pcap_get_tstamp_precision)                                                           \
	ENTRY(pcap_inject)                                                                         \
	ENTRY(pcap_set_buffer_size)                                                                \
	ENTRY(pcap_set_immediate_mode)                                                             \
	ENTRY(pcap_set_promisc)                                                                    \
	ENTRY(pcap_set_snaplen)                                                                    \
	ENTRY(pcap_set_tstamp_precision)                                                           \
	ENTRY(pcap_setdirection)                                                                   \
	ENTRY(pcap_setfilter)                                                                      \
	ENTRY(pcap_setnonblock)                                                                    \
	ENTRY(pcap_stats)

struct libpcap {
	LIBPCAP(LATE_POINTER)
};

static const char *const names[] = {LIBPCAP(LATE_NAME) NULL};
static const struct late_library library = {LIBPCAP_SONAME, names};

static const char *pcap_variant_lacks(void)
{
	struct libpcap lib;

	return late_load(&library, &lib) ? LATE_LACKS(LIBPCAP_SONAME, "libpcap0.8") : NULL;
}

/* libpcap 1.10 makes the slots of its ring up to a few bytes shorter than the length asked for. */
#define SNAPLEN_SPARE 64

struct pcap_state {
	struct libpcap lib;
	pcap_t *pcap;
	struct stamps stamps;
	np_time stamp_unit;
	unsigned dropped; /* libpcap's last counter value */
};

/* Where a call of pcap_dispatch stores the frames. */
struct pcap_batch {
	struct np_link *link;
	struct np_frame *frames;
	unsigned taken;
};

/* Converts a result of pcap_activate or pcap_dispatch to -errno. */
static int pcap_errno(const struct np_link *link, int status)
{
	switch (status) {
	case PCAP_ERROR_PERM_DENIED:
	case PCAP_ERROR_PROMISC_PERM_DENIED: return -EPERM;
	case PCAP_ERROR_NO_SUCH_DEVICE: return -ENODEV;
	case PCAP_ERROR_IFACE_NOT_UP: return -ENETDOWN;
	default: return link_interface_check_up(link) ? -ENETDOWN : -EIO;
	}
}

/*
 * libpcap receives every EtherType: this filter drops the unwanted ones before the caller's filter.
 */
static int set_filter(const struct pcap_state *state, const struct np_link_options *options)
{
	const struct bpf_insn guard[] = {
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 12),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, options->ethertype, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, 0),
		BPF_STMT(BPF_LD | BPF_IMM, 0),
	};
	const struct bpf_insn pass = BPF_STMT(BPF_RET | BPF_K, LINK_FRAME_MAX);
	unsigned guard_count = options->ethertype ? sizeof(guard) / sizeof(guard[0]) : 0;
	struct bpf_program program = {.bf_len = guard_count + 1};
	int status;

	if (options->filter_count > 0)
		program.bf_len = guard_count + options->filter_count;
	program.bf_insns = calloc(program.bf_len, sizeof(*program.bf_insns));
	if (!program.bf_insns)
		return -ENOMEM;
	memcpy(program.bf_insns, guard, guard_count * sizeof(guard[0]));
	if (options->filter_count > 0)
		memcpy(program.bf_insns + guard_count, options->filter,
		       options->filter_count * sizeof(*program.bf_insns));
	else
		program.bf_insns[guard_count] = pass;
	status = state->lib.pcap_setfilter(state->pcap, &program);
	free(program.bf_insns);
	return status ? -EINVAL : 0;
}

static int activate(struct np_link *link, struct pcap_state *state,
		    const struct np_link_options *options)
{
	size_t buffer = np_least(options->receive_bytes, LINK_RECEIVE_MAX);
	pcap_t *pcap = state->pcap;
	int status;

	/* These fail only of an active handle. */
	state->lib.pcap_set_snaplen(pcap, (int)options->frame_bytes + SNAPLEN_SPARE);
	state->lib.pcap_set_promisc(pcap, 0);
	state->lib.pcap_set_immediate_mode(pcap, 1);
	if (buffer > 0)
		state->lib.pcap_set_buffer_size(pcap, (int)buffer);
	/* Without nanoseconds the stamps are in microseconds: which it is, is read back. */
	state->lib.pcap_set_tstamp_precision(pcap, PCAP_TSTAMP_PRECISION_NANO);
	status = state->lib.pcap_activate(pcap);
	if (status < 0)
		return pcap_errno(link, status);
	if (state->lib.pcap_datalink(pcap) != DLT_EN10MB)
		return -EAFNOSUPPORT;
	state->stamp_unit =
		state->lib.pcap_get_tstamp_precision(pcap) == PCAP_TSTAMP_PRECISION_NANO ? 1 : 1000;
	return 0;
}

static int pcap_variant_open(struct np_link *link, const struct np_link_options *options)
{
	struct pcap_state *state = link->state;
	char message[PCAP_ERRBUF_SIZE];
	struct pcap_stat counts;
	int error;

	if (late_load(&library, &state->lib))
		return -EPROTONOSUPPORT;
	state->pcap = state->lib.pcap_create(link->interface, message);
	if (link_allocate(link) || !state->pcap)
		return -ENOMEM;
	error = activate(link, state, options);
	if (!error)
		error = set_filter(state, options);
	if (error)
		return error;
	if (state->lib.pcap_setnonblock(state->pcap, 1, message) < 0 ||
	    state->lib.pcap_setdirection(state->pcap, PCAP_D_IN) < 0)
		return -EIO;
	/*
	 * libpcap checks the direction after the kernel has queued or dropped the frame; where the
	 * option is missing (before Linux 4.20) our own frames may count as dropped.
	 */
	(void)socket_set(state->lib.pcap_fileno(state->pcap), SOL_PACKET, PACKET_IGNORE_OUTGOING,
			 1);
	/* Before the filter was set, frames of others may have been dropped. */
	if (state->lib.pcap_stats(state->pcap, &counts) == 0)
		state->dropped = counts.ps_drop;
	stamps_start(&state->stamps, &link->info.stamps);
	link->fd = state->lib.pcap_get_selectable_fd(state->pcap);
	return link->fd < 0 ? -EPROTONOSUPPORT : 0;
}

static void pcap_variant_close(struct np_link *link)
{
	struct pcap_state *state = link->state;

	if (state && state->pcap)
		state->lib.pcap_close(state->pcap);
	link->fd = -1; /* closed with it */
}

static int pcap_variant_send(struct np_link *link, const struct np_frame *frames, unsigned count)
{
	struct pcap_state *state = link->state;
	unsigned sent;

	for (sent = 0; sent < count; sent++) {
		errno = 0;
		if (state->lib.pcap_inject(state->pcap, frames[sent].data, frames[sent].length) >=
		    0)
			continue;
		if (errno == ENOBUFS || errno == EAGAIN) {
			link->stats.send_refused++;
			link->stats.refused_error = -errno;
		} else if (sent == 0) {
			return errno ? -errno : -EIO;
		}
		break;
	}
	return (int)sent;
}

static void take_frame(unsigned char *user, const struct pcap_pkthdr *header,
		       const unsigned char *bytes)
{
	struct pcap_batch *batch = (void *)user;
	struct np_link *link = batch->link;
	struct pcap_state *state = link->state;
	struct np_frame *frame = &batch->frames[batch->taken];
	size_t length = header->caplen < link->frame_bytes ? header->caplen : link->frame_bytes;

	frame->data = link->memory + batch->taken * link->stride;
	frame->length = length;
	frame->stamp =
		stamps_convert(&state->stamps, header->ts.tv_sec * NP_SECOND +
						       header->ts.tv_usec * state->stamp_unit);
	memcpy(frame->data, bytes, length);
	batch->taken++;
}

static int pcap_variant_receive(struct np_link *link, struct np_frame *frames, unsigned count)
{
	struct pcap_state *state = link->state;
	struct pcap_batch batch = {.link = link, .frames = frames};
	int status;

	stamps_batch(&state->stamps);
	status = state->lib.pcap_dispatch(state->pcap, (int)count, take_frame,
					  (unsigned char *)&batch);
	if (status < 0 && batch.taken == 0)
		return pcap_errno(link, status);
	return (int)batch.taken;
}

static int pcap_variant_count_dropped(struct np_link *link)
{
	struct pcap_state *state = link->state;
	struct pcap_stat counts;

	if (state->lib.pcap_stats(state->pcap, &counts) < 0)
		return -EIO;
	/* The counter has 32 bits and wraps. */
	link->stats.dropped += counts.ps_drop - state->dropped;
	state->dropped = counts.ps_drop;
	return 0;
}

const struct link_variant link_pcap_variant = {
	.name = "pcap",
	.state_bytes = sizeof(struct pcap_state),
	.lacks = pcap_variant_lacks,
	.open = pcap_variant_open,
	.close = pcap_variant_close,
	.send = pcap_variant_send,
	.receive = pcap_variant_receive,
	.count_dropped = pcap_variant_count_dropped,
};
