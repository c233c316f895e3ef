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

/* The library that libnetperf was built without and that captures need ("libpcap"); NULL: none. */
const char *np_capture_lacks(void);

/*
 * Opens @path ("-" is stdout); what a file has is lost with the first frame. Returns 0, -errno,
 * what np_output_open refuses, or -EPROTONOSUPPORT where np_capture_lacks names a library; on
 * failure *@capture is NULL.
 */
int np_capture_open(struct np_capture **capture, const char *path);

/*
 * Writes @count frames; their stamps (monotonic) become wall-clock time. An error shows in
 * np_capture_close. NULL is allowed: nothing is written.
 */
void np_capture_write(struct np_capture *capture, const struct np_frame *frames, unsigned count);

/* Flushes and closes. Returns 0 or -errno of the first write that failed. NULL is allowed. */
int np_capture_close(struct np_capture *capture);

/* The same, where no frame was written the file keeps what it has: the run never began. */
int np_capture_abandon(struct np_capture *capture);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif
