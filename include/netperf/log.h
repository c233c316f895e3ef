/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * log: what a program tells its user beside its results, one line at a time, as "program: object
 * the user typed: reason". Control characters become "?", so that nothing from the network or a
 * file breaks the line or controls the terminal. Thread-safe.
 */
#pragma once

#include <netperf/clock.h>
#include <stdio.h>

struct np_log {
	const char *program;
	FILE *stream;		      /* stderr in the programs */
	bool quiet;		      /* drops info */
	bool verbose;		      /* lets detail through */
	struct np_status *status;     /* is erased before each line; NULL: none */
	struct np_log_reason *reason; /* updated by errors and warnings; NULL: by none */
};

enum np_log_kind {
	NP_LOG_ERROR,	/* the program will not do, or could not do, what was asked */
	NP_LOG_WARNING, /* what reduces the worth of the figures: "warning: object: text" */
	NP_LOG_INFO,	/* progress and remarks; dropped by --quiet */
	NP_LOG_DETAIL,	/* the variant chosen, what the kernel granted; only with --verbose */
};

/*
 * Logs one line. @object may be NULL. Returns 2, the exit status for an error that keeps the run
 * from beginning, so that with np_log_refuse a check is one line.
 */
__attribute__((format(printf, 4, 5))) int np_log_say(const struct np_log *log,
						     enum np_log_kind kind, const char *object,
						     const char *format, ...);
#define np_log_refuse(log, object, ...) np_log_say(log, NP_LOG_ERROR, object, __VA_ARGS__)
#define np_log_error(log, object, ...)	((void)np_log_say(log, NP_LOG_ERROR, object, __VA_ARGS__))
#define np_log_warning(log, object, ...)                                                           \
	((void)np_log_say(log, NP_LOG_WARNING, object, __VA_ARGS__))
#define np_log_info(log, ...)	((void)np_log_say(log, NP_LOG_INFO, NULL, __VA_ARGS__))
#define np_log_detail(log, ...) ((void)np_log_say(log, NP_LOG_DETAIL, NULL, __VA_ARGS__))

/*
 * Why a request of the user cannot be met: the object as it was typed (an option, a key,
 * FILE:LINE, an address) and the reason, with what would be right. A function that can refuse for
 * many reasons fills one in for its caller, who prints it with np_log_error.
 */
struct np_fault {
	char object[200];
	char reason[300];
};

/*
 * Sets both texts, truncated to fit, and returns @error (-errno), so that the caller can return it.
 */
__attribute__((format(printf, 4, 5))) int np_fault_set(struct np_fault *fault, int error,
						       const char *object, const char *format, ...);

/* The same with strerror(3) of @error as the reason. */
int np_fault_errno(struct np_fault *fault, int error, const char *object);

/*
 * One line at the bottom of the terminal that shows how a run gets on, such as "12 s, 48 s left:
 * 941.2 Mbit/s, 812345 packets received, lost 0". It is drawn once a second at most, only where a
 * line of the terminal begins and while the process has it in the foreground, and is erased before
 * any other text of the process. np_tool_main makes it, and np_log has it. Thread-safe; NULL is
 * allowed everywhere: there is none.
 */
struct np_status_figures {
	np_time begun;	    /* when the run began: other figures count from there on */
	np_time end;	    /* when it will end; NP_TIME_NEVER: that is not known */
	uint64_t bytes;	    /* for the rate, which is that since the line was last due */
	bool rate_in_bytes; /* else in bits */
	uint64_t count;
	const char *unit; /* of it: "packets received" */
	uint64_t faults;
	const char *fault; /* "lost", "errors"; NULL: not known, and left out */
};

/* From when on it is to be drawn again; NP_TIME_NEVER: there is none. Cheap. */
np_time np_status_next(const struct np_status *status);

/* Draws it, unless it is too early. Never waits for the terminal. */
void np_status_show(struct np_status *status, np_time now, const struct np_status_figures *figures);

/* Erases it: what it shows is over. */
void np_status_erase(struct np_status *status);
