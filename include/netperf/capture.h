/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * capture: writes frames to a pcap file with nanosecond stamps, for wireshark and tcpdump
 * (libpcap, pcap-savefile(5), link type EN10MB).
 *
 * A capture belongs to one thread.
 */
#ifndef NETPERF_CAPTURE_H
#define NETPERF_CAPTURE_H

#include <netperf/link.h>

#include <netperf/bits/begin.h>

struct np_capture;

/* Which library captures lack, and the remedy, as np_link_lacks; NULL: none. */
const char *np_capture_lacks(void);

/*
 * Opens @path ("-" is stdout). The first frame after np_capture_begin replaces what a regular file
 * contains; earlier frames are kept in memory until then. A pipe receives all of them at once.
 * Returns 0, -errno, what np_output_open refuses, or -EPROTONOSUPPORT where np_capture_lacks has
 * a text; on failure *@capture is NULL.
 */
int np_capture_open(struct np_capture **capture, const char *path);

/* The run begins: the file is its own, with the frames captured before. NULL is allowed. */
void np_capture_begin(struct np_capture *capture);

/*
 * Writes @count frames; their monotonic stamps are converted to wall-clock time. np_capture_close
 * reports an error. NULL is allowed: nothing is written.
 */
void np_capture_write(struct np_capture *capture, const struct np_frame *frames, unsigned count);

/*
 * Flushes and closes; a run that began or not, the frames are kept. Returns 0 or -errno of the
 * first write that failed. NULL is allowed.
 */
int np_capture_close(struct np_capture *capture);

/*
 * The same for a run that never began: a file keeps its content, one that np_capture_open made is
 * removed, and the frames are lost.
 */
int np_capture_abandon(struct np_capture *capture);

#include <netperf/bits/end.h>
#endif
