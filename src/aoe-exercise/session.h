/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * session: a whole run of the program, from the open link to the exit status; what judges its
 * target, and what reports it as text for people and as records for programs.
 */
#pragma once

#include "options.h"
#include "result.h"

struct session {
	struct np_run *run;
	const struct options *options; /* of the run, or of this rank of a mesh */
	const struct np_log *log;
	struct channel channel;
	struct target target;
	struct examination *examination; /* NULL: the target is only read */
	struct sweep sweep;		 /* the windows to try */
	struct sweep_step steps[SWEEP_STEPS_MAX];
	struct result *results[SWEEP_STEPS_MAX]; /* of each step */
	size_t step_count;
	bool errors; /* in any of the steps */
	bool damage;
};

/* The functions of np_tool. */
int session_open(struct np_run *run);
int session_work(struct np_run *run);
int session_close(struct np_run *run, int status);

/*
 * Finds and identifies the target, checks the limits, and counts drops from here on. Returns 0, or
 * 2 after a message.
 */
int session_find_target(struct session *s);

/*
 * Judges whether it may be written. Keeps the examination to compare with it during the run.
 * Returns 0, or 2 after a message.
 */
int session_examine(struct session *s);

/*
 * No two requests are in flight on one place: a window larger than the number of places would never
 * fill.
 */
void session_bound_windows(struct session *s);

/* Runs the warm-up, if one is asked for. Returns 0, or -errno after a message. */
int session_warm_up(struct session *s, unsigned window);

/*
 * Runs one exchange; a warm-up or a mesh's is not reported. Returns 0, or -errno after a message.
 */
int session_exchange(struct session *s, unsigned window, bool warm_up, struct result **result);

/* What follows from the result of an exchange, when it is over. */
void session_take(struct session *s, struct result *r, bool warm_up);

/* Says what went wrong. Returns the exit status. */
int session_conclude(struct session *s, const struct result *r);

/* Reads several targets together, with all opened and without privileges. Returns the exit status.
 */
int several_run(struct session *s);

/* Covers the whole session: another host may have answered in any part of it. */
void session_report_others(struct session *s, enum ending ending);

/* Runs it as a rank of a mesh, with all opened and without privileges. Returns the exit status. */
int mesh_run(struct session *s);

/*
 * What a rank of a mesh, a client of the target, tells rank 0. All members have 64 bits: the piece
 * on the wire has them in this order, big-endian.
 */
struct client {
	uint64_t began;	       /* 1: its measured run began; 0: all others are 0 */
	uint64_t ending;       /* enum ending */
	struct tally tally;    /* its places of loss are lower bounds if some is unattributed */
	uint64_t is_test_data; /* 0: no damaged sector was ever written by this program */
	uint64_t elapsed;      /* see result_rate_known; ns */
	uint64_t rated;	       /* 1: there is a rate over @elapsed */
	struct np_histogram_figures rtt;
};

#define CLIENT_BYTES sizeof(struct client)

struct client client_of(const struct result *result);

void client_pack(const struct client *client, void *piece);

/* Checks foreign bytes. Returns 0 or -EBADMSG. */
int client_unpack(struct client *client, const void *piece, size_t bytes);

/*
 * The same as a pair from @rank to the target, for the sums. A late answer has arrived, too; what
 * was still in flight at the end is left out.
 */
struct np_mesh_pair client_pair(const struct client *client, uint32_t rank);

/* Why it failed, or NULL. */
const char *client_fault(const struct options *options, const struct client *client);

/* Its line below CLIENT_HEADING; @all: bytes of all clients. And its members of a record. */
#define CLIENT_HEADING "%-17s %8s packets/s       sent    lost lost %%     p50     p99\n"
void client_write(FILE *text, const struct options *options, const char *name,
		  const struct client *client, uint64_t all, const char *fault);
void client_record(struct np_record *record, const struct client *client);

/* The most sectors that fit a frame at @mtu, which includes 36 bytes of headers (AoEr11). */
unsigned limits_sectors(unsigned mtu);

/*
 * True when @interface is in the aoe driver's @list (module parameter aoe_iflist). An empty list
 * means all.
 */
bool limits_listed(const char *list, const char *interface);

/*
 * Refuses a packet that is too large and a region beyond the disk. Warns of a window larger than
 * the target's buffers, and when the kernel's driver uses the same interface. Returns 0, or the
 * exit status 2 after a message.
 */
int limits_check(const struct session *s);

/*
 * Refuses a target whose disk this host uses as /dev/etherd/eSHELF.SLOT, whether or not that node
 * exists or can be read. What cannot be determined is refused unless --destroy names the target.
 * Needs the privileges that the program started with. Returns 0, or the exit status 2 after a
 * message.
 */
int guard_local(const struct session *s);

/*
 * Judges the hosts that answer for the target: @count of @answerers, of which the first will be
 * used. More than one forbids writing, and causes a warning when reading. Returns 0, or exit status
 * 2 after a message.
 */
int guard_alone(const struct session *s, const struct target *answerers, unsigned count);

/* The order in which the options visit the region, the part of the disk that they use. */
struct np_cursor guard_cursor(const struct session *s);

/* That region. */
struct np_guard_place guard_region(const struct session *s);

/*
 * Examines the target, lets libblkid search the image of its disk, and logs what the target is.
 * Returns 0, or an exit status after a message.
 */
int guard_remote(const struct session *s);

/* Writes the "start" @record, if wanted, and names the target. */
void report_start(const struct session *s, bool record);

/* Shows how far an exchange has come, when that is due. */
struct exchange;
void report_status(const struct exchange *x, np_time now);

/* Observes it: its rows. */
enum moment { MOMENT_INTERVAL, MOMENT_ASKED, MOMENT_END };
void report_row(struct exchange *x, np_time length, enum moment moment);

/* Reports one step of a sweep, before it is among @s->steps. */
void report_step(const struct session *s, const struct result *result);

/*
 * Reports the knee of a sweep; @knee may be -1 (every step lost packets), SWEEP_CUT_SHORT or
 * SWEEP_HELD_BACK.
 */
void report_knee(const struct session *s, int knee);

/* Reports the summary of a single exchange, or of a sweep's knee or last step. */
void report_summary(const struct session *s, const struct result *result, int knee_window);

/* Reports what --list found. */
void report_targets(const struct session *s, const struct target *targets, unsigned count);

/* The rates of an exchange, "12.34" in the unit of --unit and "567"; "unknown" unless @known. */
struct report_rates {
	const char *unit;
	char bytes[24], packets[24];
};
struct report_rates report_rates(const struct options *options, bool known,
				 const struct tally *tally, np_time elapsed);

/* "  errors 5": those counts that are not 0. Returns @text. */
struct report_extra {
	uint64_t count;
	const char *name;
};
#define REPORT_EXTRAS 256
const char *report_extras(const struct report_extra *extra, size_t count, char text[REPORT_EXTRAS]);

/* The "start" record, to be handed to np_report_write; NULL when out of memory. */
struct np_record *record_start(const struct session *s);

/* The word for it, as in netperf-json(5). */
const char *record_ending(enum ending ending);
