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

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

struct np_capture;

/* The library that captures need but libnetperf was built without ("libpcap"); NULL: none. */
const char *np_capture_lacks(void);

/*
 * Opens @path ("-" is stdout); the first frame written replaces what the file contains. Returns 0,
 * -errno, what np_output_open refuses, or -EPROTONOSUPPORT where np_capture_lacks names a library;
 * on failure *@capture is NULL.
 */
int np_capture_open(struct np_capture **capture, const char *path);

/*
 * Writes @count frames; their monotonic stamps are converted to wall-clock time. np_capture_close
 * reports an error. NULL is allowed: nothing is written.
 */
void np_capture_write(struct np_capture *capture, const struct np_frame *frames, unsigned count);

/* Flushes and closes. Returns 0 or -errno of the first write that failed. NULL is allowed. */
int np_capture_close(struct np_capture *capture);

/* The same for a run that never began: a file to which no frame was written keeps its content. */
int np_capture_abandon(struct np_capture *capture);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif
