/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * recorder: the files of a run, ttcp-files(5), written as it goes: delays (-d), sequence numbers
 * (-s), bandwidth (-bw), log (-f). Rows are gathered and written in pieces; recorder_flush or
 * recorder_close make the file complete. Times are wall-clock ns. One thread at a time for each.
 */
#ifndef TTCP_FILES_RECORDER_H
#define TTCP_FILES_RECORDER_H

#include "window.h"

#include <stddef.h>

struct recorder;

enum recorder_kind { RECORDER_DELAY, RECORDER_SEQUENCE, RECORDER_BANDWIDTH, RECORDER_LOG };

/*
 * Writes the head of the file at @path, which is open as @fd; a file that has something yet keeps
 * it until there is a row or the recorder is closed. That closes @fd, or a failure at once. Returns
 * 0 or -errno; then *@recorder is NULL.
 */
int recorder_open_delay(struct recorder **recorder, int fd, const char *path, const char *mode);
int recorder_open_sequence(struct recorder **recorder, int fd, const char *path);
int recorder_open_bandwidth(struct recorder **recorder, int fd, const char *path);

/* Opens the file, and appends to it. */
int recorder_open_log(struct recorder **recorder, const char *path);

/* A row of a delay file: an ACK. */
struct recorder_delay {
	const char *receiver;
	uint64_t number;
	uint32_t size;
	np_time sent, received, acked;
};
void recorder_delay(struct recorder *recorder, const struct recorder_delay *row);

/* A row of a sequence file: a DATA that came, in order of arrival, duplicates too. Hot. */
void recorder_sequence(struct recorder *recorder, uint64_t number, np_time sent, np_time received);

void recorder_bandwidth(struct recorder *recorder, const struct window_row *row);

/*
 * Appends @text, the result lines, each behind "DATE<tab>MODE<tab>RUN<tab>"; @mode as "TCP
 * Transmit".
 */
void recorder_log(struct recorder *recorder, np_time now, const char *mode, uint64_t run,
		  const char *text);

/* Of an open one; the path is good until it is closed. */
enum recorder_kind recorder_kind(const struct recorder *recorder);
const char *recorder_path(const struct recorder *recorder);

/* A descriptor to read its file by, the caller's; or -errno: it may not be read. */
int recorder_read(const struct recorder *recorder);

/*
 * The run never began: a file that still has what it had keeps it for good, and one that was @made
 * for this run is empty again.
 */
void recorder_forget(struct recorder *recorder, bool made);

/* Removes the file of a log that was made for this run, if nothing is in it. */
void recorder_unmake_log(struct recorder *recorder);

/* Writes what is gathered. Returns 0 or -errno of the first write that failed since the opening. */
int recorder_flush(struct recorder *recorder);

/* Flushes and closes; the same return. NULL is allowed. */
int recorder_close(struct recorder *recorder);

#endif
