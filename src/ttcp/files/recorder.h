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
 * Starts the file at @path, which is open as @fd, and was @made for it or not; if it has content,
 * that stays until there is a row or the recorder is closed. @mode: the first line of
 * RECORDER_DELAY. Not for RECORDER_LOG. Closing, or a failure, closes @fd. Returns 0 or -errno;
 * then
 * *@recorder is NULL.
 */
int recorder_open(struct recorder **recorder, enum recorder_kind kind, int fd, bool made,
		  const char *path, const char *mode);

/* Opens the file for appending. */
int recorder_open_log(struct recorder **recorder, const char *path);

/* A row of a delay file, for an ACK. */
struct recorder_delay {
	const char *receiver;
	uint64_t number;
	uint32_t size;
	np_time sent, received, acked;
};
void recorder_delay(struct recorder *recorder, const struct recorder_delay *row);

/* Writes a row of a sequence file, for a DATA, in order of arrival, duplicates included. Hot. */
void recorder_sequence(struct recorder *recorder, uint64_t number, np_time sent, np_time received);

void recorder_bandwidth(struct recorder *recorder, const struct window_row *row);

/*
 * Appends @text, the result lines, each after "DATE<tab>MODE<tab>RUN<tab>"; @mode like "TCP
 * Transmit".
 */
void recorder_log(struct recorder *recorder, np_time now, const char *mode, uint64_t run,
		  const char *text);

/* About an open one; the path is valid until it is closed. */
enum recorder_kind recorder_kind(const struct recorder *recorder);
const char *recorder_path(const struct recorder *recorder);

/*
 * The run never began: a file that still has what it had keeps it for good, and one that was made
 * for it is emptied and removed; a log only if nothing is in it. NULL is allowed.
 */
void recorder_forget(struct recorder *recorder);

/* Flushes. Returns 0 or -errno of the first failed write. */
int recorder_flush(struct recorder *recorder);

/* Flushes and closes; returns the same. NULL is allowed. */
int recorder_close(struct recorder *recorder);

/*
 * writer: a buffered text file, with the kinds of fields that ttcp's files have. Nothing is
 * allocated, and printf is not used, so that a row takes some tens of nanoseconds.
 */
struct writer {
	int fd;
	int error;  /* the first, -errno */
	bool keeps; /* the file has something yet, which is lost with the first flush */
	bool made;  /* the file was not there */
	size_t used;
	char buffer[1 << 16];
};

/* Creates and empties the file, or with @append continues it. Returns 0, or see np_output_open. */
int writer_open(struct writer *writer, const char *path, bool append);

/*
 * The same for an open file, which it owns from now on; its content is removed only when it is
 * written.
 */
void writer_adopt(struct writer *writer, int fd, bool made);

void writer_char(struct writer *writer, char c);
void writer_text(struct writer *writer, const char *text);
void writer_number(struct writer *writer, uint64_t number);

/* In ms, exactly: "0", "31", "-3.412345". */
void writer_ms(struct writer *writer, np_time t);

/*
 * Forgets what a file that keeps what it has was to be given; one that was made is emptied,
 * whatever it was given.
 */
void writer_forget(struct writer *writer);

/* Return 0 or -errno of the first failed write. */
int writer_flush(struct writer *writer);
int writer_close(struct writer *writer);

#endif
