/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * link: whole Ethernet frames of one EtherType or all, in batches, to and from an interface.
 *
 * Variants behind one interface: "socket" (AF_PACKET; send/recv, sendmmsg for bursts), "ring"
 * (AF_PACKET with TPACKET_V3 receive blocks), "pcap" (libpcap), "null" (sends into nothing,
 * never receives: the baseline of the benchmarks). See packet(7).
 */
#pragma once

#include <netperf/clock.h>

struct np_link;

/* Names for --link, NULL-terminated: "auto", then the variants. */
extern const char *const np_link_variants[];

/*
 * Which library @variant lacks, and the remedy ("built without libpcap: build with libpcap",
 * "libpcap.so.0.8 is not installed: install it"); NULL: none, or no such variant. Opening such a
 * variant fails with -EPROTONOSUPPORT.
 */
const char *np_link_lacks(const char *variant);

/* One frame from the destination address on, without FCS. */
struct np_frame {
	uint8_t *data;
	size_t length;
	np_time stamp; /* received: when it arrived, see np_link_info.stamps */
};

struct sock_filter; /* of <linux/filter.h>: one instruction of classic BPF */

struct np_link_options {
	const char *variant;  /* NULL: "auto" */
	uint16_t ethertype;   /* 0x0600 and above; 0: every frame received */
	size_t frame_bytes;   /* the longest frame to send or receive */
	unsigned batch;	      /* the most frames per call of send or receive; 1..1024 */
	size_t receive_bytes; /* socket buffer to set (forced where permitted); 0: unchanged */
	const struct sock_filter *filter; /* NULL: none; applied before the first frame */
	unsigned filter_count;
};

struct np_link_info {
	const char *variant;
	const char *stamps; /* source of np_frame.stamp: "user", or "kernel" (which becomes "user"
			       for the rest of the run if the wall clock is stepped) */
	np_time block_ns;   /* frames arrive in blocks, delayed by up to this; then np_link_receive
			       may return fewer than have arrived. 0: each frame at once */
	unsigned index;	    /* of the interface */
	uint8_t mac[6];
	unsigned mtu;
	size_t receive_granted; /* bytes of the buffer, as the kernel counts; 0: unknown */
};

struct np_link_stats {
	uint64_t sent;
	uint64_t send_refused; /* calls cut short by ENOBUFS or EAGAIN, */
	int refused_error;     /* the latest of them as -errno; 0: none */
	uint64_t dropped;      /* passed the filter but found the buffer full: lost in this host */
};

/*
 * Opens @interface. Needs CAP_NET_RAW (-EPERM). -ENODEV: no such interface, -ENETDOWN: it is
 * down, -EPROTONOSUPPORT: no such variant, or not here, -EAFNOSUPPORT: not an Ethernet, -EINVAL:
 * options out of range. On failure *@link is NULL.
 */
int np_link_open(struct np_link **link, const char *interface,
		 const struct np_link_options *options);
void np_link_free(struct np_link *link);

const struct np_link_info *np_link_info(const struct np_link *link);

/*
 * For a poll set of several links: readable when frames have arrived, in error when the interface
 * went down, which the next np_link_receive reports. -1: nothing ever arrives.
 */
int np_link_fd(const struct np_link *link);

/*
 * Sends @count frames in order, without waiting. Returns how many were accepted: fewer than @count
 * when the kernel accepted no more (counted in send_refused), when a later frame failed otherwise
 * (it will be the first of the next call), or when there are more than batch; or -errno when the
 * first frame failed otherwise (-EMSGSIZE, -ENETDOWN, -ENXIO: the interface is gone).
 */
int np_link_send(struct np_link *link, const struct np_frame *frames, unsigned count);

/*
 * Returns up to @count frames that have arrived, at most batch, without waiting; 0 when there are
 * none. Their data is in the link's own memory, valid until the next call. A longer frame than
 * frame_bytes is truncated, so that its @length is never above frame_bytes. Frames sent by this
 * host's own sockets are not received, except on the loopback interface. -ENETDOWN: the interface
 * went down; the kernel reports that once, to this function or to np_link_wait.
 */
int np_link_receive(struct np_link *link, struct np_frame *frames, unsigned count);

/*
 * Sleeps until a frame has arrived, @other_fd (or -1) is readable, or @deadline. Returns 1 when a
 * frame may have arrived, else 0, or -errno (-ENETDOWN).
 */
int np_link_wait(struct np_link *link, int other_fd, np_time deadline);

/* Counts since the link was opened; reads the kernel's drop counter. */
int np_link_stats(struct np_link *link, struct np_link_stats *stats);

/*
 * Writes frames to a pcap file with nanosecond stamps, for wireshark and tcpdump
 * (pcap-savefile(5), link type EN10MB). Functions accept NULL, where nothing is written.
 */

struct np_capture;

/*
 * Opens @path ("-" is stdout). The first frame after np_capture_begin replaces what a regular file
 * contains; earlier frames are kept in memory until then. A pipe receives all of them at once.
 * Returns 0, -errno, or what np_output_stream refuses; on failure *@capture is NULL.
 */
int np_capture_open(struct np_capture **capture, const char *path);

/* The run begins: the file is its own, with the frames captured before. */
void np_capture_begin(struct np_capture *capture);

/*
 * Writes @count frames; their monotonic stamps are converted to wall-clock time. np_capture_close
 * reports an error.
 */
void np_capture_write(struct np_capture *capture, const struct np_frame *frames, unsigned count);

/*
 * Flushes and closes. Of a run that never @began a file keeps its content, one that np_capture_open
 * made is removed, and the frames are lost. Returns 0 or -errno of the first write that failed.
 */
int np_capture_close(struct np_capture *capture, bool began);
