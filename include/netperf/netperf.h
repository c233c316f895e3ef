/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * netperf: all topics of libnetperf at once. Each topic's header is its reference. Unless a header
 * says otherwise: functions return 0 or a count, or -errno; they never print, end the process, or
 * keep state outside the objects they are given; @text, @path and the like are NUL-terminated and
 * not NULL; NULL may be freed; functions that only compute are thread-safe, and an opened object
 * belongs to one thread at a time. Times are nanoseconds (np_time), sizes bytes, and a number in
 * another unit has the unit in its name.
 *
 * A C++ program includes this header: those of single topics are in C.
 */
#pragma once

/* What these headers include: a C++ library's own ones may have no C linkage. */
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif

#include <netperf/address.h>
#include <netperf/aoe.h>
#include <netperf/clock.h>
#include <netperf/datagram.h>
#include <netperf/disk.h>
#include <netperf/drops.h>
#include <netperf/engine.h>
#include <netperf/field.h>
#include <netperf/flow.h>
#include <netperf/histogram.h>
#include <netperf/interval.h>
#include <netperf/link.h>
#include <netperf/log.h>
#include <netperf/mesh.h>
#include <netperf/options.h>
#include <netperf/overlay.h>
#include <netperf/pattern.h>
#include <netperf/process.h>
#include <netperf/report.h>
#include <netperf/result.h>
#include <netperf/socket.h>
#include <netperf/stream.h>
#include <netperf/tool.h>
#include <netperf/units.h>
#include <netperf/xml.h>

#ifdef __cplusplus
}
#endif
