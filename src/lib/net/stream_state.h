/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* stream_state: a TCP connection or a listener, as the files of the stream topic share it. */
#ifndef STREAM_STATE_H
#define STREAM_STATE_H

#include <netperf/stream.h>

struct np_stream {
	struct np_stream_info info;
	struct np_stream_stats stats;
	int fd;
	bool connected;
	int receive_flags; /* MSG_DONTWAIT; none while a receive timeout is set */
};

#endif
