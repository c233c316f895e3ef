/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * recorder: the files of a run, ttcp-files(5), written during the run: delays (-d), sequence
 * numbers (-s), bandwidth (-bw), log (-f). Rows are buffered; recorder_flush or recorder_close
 * completes the file. Times are wall-clock ns. One thread at a time for each.
 */
#ifndef TTCP_FILES_RECORDER_H
#define TTCP_FILES_RECORDER_H

#include "../report/figures.h"

#include <stdbool.h>
#include <stddef.h>

struct recorder;

enum recorder_kind { RECORDER_DELAY, RECORDER_SEQUENCE, RECORDER_BANDWIDTH, RECORDER_LOG };

/*
 * Opens the file at @path; what it has stays until there is a row or the recorder is closed, and
 * for good if *@never_began is true then: a file that was made for it is removed. RECORDER_LOG:
 * opens it for appending. Returns 0 or -errno; then *@recorder is NULL.
 */
int recorder_open(struct recorder **recorder, enum recorder_kind kind, const char *path,
		  const bool *never_began);

/*
 * Writes the heading; not for RECORDER_LOG. @mode: the first line of RECORDER_DELAY. Returns 0 or
 * -errno.
 */
int recorder_begin(struct recorder *recorder, const char *mode);

/* A row of a delay file, for an ACK. */
struct recorder_delay {
	const char *receiver;
	uint64_t number;
	uint32_t size;
	np_time sent, received, acked;
};
void recorder_delay(struct recorder *recorder, const struct recorder_delay *ack);

/* Writes a row of a sequence file, for a DATA, in order of arrival, duplicates included. Hot. */
void recorder_sequence(struct recorder *recorder, uint64_t number, np_time sent, np_time received);

void recorder_bandwidth(struct recorder *recorder, const struct window_row *window);

/*
 * Appends @text, the result lines, each after "DATE<tab>MODE<tab>RUN<tab>"; @mode like "TCP
 * Transmit".
 */
void recorder_log(struct recorder *recorder, np_time now, const char *mode, uint64_t run,
		  const char *text);

/* The path of an open one, valid until it is closed. */
const char *recorder_path(const struct recorder *recorder);

/* Flushes. Returns 0 or -errno of the first failed write. */
int recorder_flush(struct recorder *recorder);

/* Flushes and closes; returns the same. NULL is allowed. */
int recorder_close(struct recorder *recorder);

#endif
