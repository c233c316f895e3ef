/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * tool: what every program does around its work. main is one call: it reads and checks the command
 * line, opens the outputs and what needs privileges, drops these, works, closes, and ends with the
 * exit status and its reason. Signals wait from the end of opening on.
 */
#pragma once

#include <netperf/mesh.h>
#include <netperf/result.h>

/* One run of a program; owned by np_tool_main. */
struct np_run {
	const struct np_tool *tool;
	void *options; /* zeros, then what was parsed */
	void *state;   /* the program's own, zeros at first */
	struct np_options_result given;
	struct np_log *log;
	struct np_report *report;
	struct np_block_full *full; /* with --report=full, else NULL */
	struct np_signals *signals; /* since the end of open */
	struct np_drops *drops;	    /* opened by the program, or NULL */
};

/* A program. Each function returns 0 or the exit status, after a message, unless it says more. */
struct np_tool {
	const struct np_options *options;
	size_t options_bytes;
	size_t state_bytes;
	size_t report; /* offset of the struct np_report_options in the options */
	/*
	 * Checks what no single row can, and completes the options. Returns -1 if the run may
	 * start, else the exit status.
	 */
	int (*check)(struct np_run *run);
	/* Opens what needs privileges. */
	int (*open)(struct np_run *run);
	/* From the first foreign byte to the summary. */
	int (*work)(struct np_run *run);
	/* Called if open was. Frees all, however far that came; returns what @status becomes. */
	int (*close)(struct np_run *run, int status);
};

/*
 * The program, with its messages on @errors, stderr, and as many descriptors as it may have: see
 * RLIMIT_NOFILE. Returns what main returns.
 */
int np_tool_main(const struct np_tool *tool, int argc, char *argv[], FILE *errors);

/*
 * Defines main: @table describes a program's struct options, in which a struct np_report_options is
 * called report; @state is the type of its own data; the others are those of struct np_tool.
 */
#define NP_TOOL_MAIN(table, state, checks, opens, works, closes)                                   \
	int main(int argc, char **argv)                                                            \
	{                                                                                          \
		static const struct np_tool tool = {                                               \
			.options = &(table),                                                       \
			.options_bytes = sizeof(struct options),                                   \
			.state_bytes = sizeof(state),                                              \
			.report = offsetof(struct options, report),                                \
			.check = (checks),                                                         \
			.open = (opens),                                                           \
			.work = (works),                                                           \
			.close = (closes),                                                         \
		};                                                                                 \
                                                                                                   \
		return np_tool_main(&tool, argc, argv, stderr);                                    \
	}

/*
 * A program as a rank of a mesh, from finding the others to the exit status. All ranks open
 * receivers for the ranks that send to them, learn each other's addresses, open senders, begin
 * together, and wait for each other; then rank 0 reports what all measured.
 *
 * The program fills in the first part of a struct np_meet, and has functions for the steps that are
 * its own.
 */

/* A rank that this one hears, or sends to, and that is here. */
struct np_meet_peer {
	uint32_t rank;
	size_t slot; /* its place among all that the pattern has, whether they are here or not */
	struct np_address address; /* where it is heard, or what is sent to it arrives */
};

struct np_meet_peers {
	struct np_meet_peer *peer;
	size_t count;
	size_t planned; /* with those that are not here */
};

struct np_meet;

/* A program's steps. Each returns 0, or -errno after a message, unless it says more. */
struct np_meet_steps {
	size_t peers_max; /* ranks that one rank hears, or sends to, at most */
	/*
	 * Opens the receivers, and sets the port of the address of each of ->sources: one for all,
	 * or up to NP_MESH_PORTS_MAX different ones. NULL: all are heard at ->local.
	 */
	int (*listen)(struct np_meet *meet);
	/* Opens a sender to each of ->targets, and starts the receivers. NULL: nothing to do. */
	int (*connect)(struct np_meet *meet);
	/*
	 * Sets ->deadline, by when all will have sent, and sends until this rank has. Returns the
	 * exit status 2, too, after a message: there is nothing to report.
	 */
	int (*send)(struct np_meet *meet);
	/* Ends the receivers: nobody sends any more, or there will be no run. NULL: there are none.
	 */
	void (*stop)(struct np_meet *meet);
	/* Adds what this rank measured to ->mesh. Returns 0 or -errno. */
	int (*measure)(struct np_meet *meet);
	/* The record that rank 0 begins with. NULL: it is written already. */
	struct np_record *(*start)(struct np_meet *meet);
	/*
	 * Of a program whose pairs are with ->words.outside: its ranks have no sources and targets,
	 * and a ->piece of their own for rank 0, which takes it (0 or -errno: it is malformed), and
	 * reports on all; @alone: rank 0 is gone, and each rank reports on itself. Returns the exit
	 * status.
	 */
	int (*take)(struct np_meet *meet, uint32_t rank, const void *piece, size_t bytes);
	int (*report)(struct np_meet *meet, bool alone);
};

struct np_meet {
	/* By the program: */
	struct np_run *run;
	const struct np_mesh_options *options;
	const struct np_meet_steps *steps;
	int family; /* of addresses; AF_UNSPEC for any */
	/* Where all are heard, or, if that is empty, np_mesh_address's choice, port 0. */
	struct np_address local;
	const struct np_address_networks *allow; /* from where ranks may come; NULL: all */
	struct np_mesh_words words;
	FILE *text;		 /* of the report; NULL: none */
	double max_loss_percent; /* more lost of all pairs together is a failure */
	bool each_pair;		 /* the limit is that of each pair instead */
	bool lossless;		 /* the transport loses nothing: each loss is a failure */
	np_time deadline;	 /* of the step send; np_meet_run sets it anew for the last step */
	unsigned interrupts;	 /* stop signals that it has taken */
	bool failed;		 /* something of its own, reported already: status 1 at least */
	const void *piece;	 /* by the step measure; NULL: none */
	size_t piece_bytes;
	/* For the program: */
	struct np_launch *launch;
	uint32_t *room; /* for as many ranks as there are: np_meet_find uses it */
	uint32_t rank;	/* this one */
	uint16_t port;	/* where rank 0 takes the ranks' TCP connections: the same in all ranks */
	struct np_mesh_plan plan;
	struct np_meet_peers sources, targets;
	struct np_mesh *mesh;
	np_time begun;	       /* the run of all ranks, */
	struct np_usage usage; /* and what was used by then */
};

/* Privileges are dropped. Returns the exit status. */
int np_meet_run(struct np_meet *meet);

/* For a step: waits for all to come here, or a signal. Returns 0, or -errno after a message. */
int np_meet_all(struct np_meet *meet);

/*
 * Sets the address where each of @peers is heard; those that have left meanwhile are none any more.
 * ->targets are found before the connect step, which can find ->sources if they send from there.
 * Returns 0, or -errno after a message.
 */
int np_meet_find(struct np_meet *meet, struct np_meet_peers *peers);

/*
 * Why @rank was missing at the last barrier, in rank 0 now: "never started", "died", ...; NULL: it
 * is here. All ranks that passed a barrier agree on it. Its host: rank 0 knows that of each that
 * has joined, others know their own; or NULL. Neither is to be freed.
 */
const char *np_meet_missing(const struct np_meet *meet, uint32_t rank);
const char *np_meet_host(const struct np_meet *meet, uint32_t rank);

/* Names the ranks that are missing. Returns whether there are any. */
bool np_meet_name_missing(const struct np_meet *meet);

/* Logs what @rc of a step between the ranks means. Returns @rc. */
int np_meet_fault(const struct np_meet *meet, int rc);
