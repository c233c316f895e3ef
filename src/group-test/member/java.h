/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * java: the state that the parts of --protocol=jgroups3 share: a member among those of JGroups
 * 3.0's perf.Test (for the life cycle see section 4 of the specification). Where Java would wait
 * forever, this member continues after a limit with what it has, and its own messages release the
 * Java members that wait for it. java.c handles what arrives, joins and starts; java_end.c counts
 * and ends, and serves both.
 */
#ifndef GROUP_TEST_MEMBER_JAVA_H
#define GROUP_TEST_MEMBER_JAVA_H

#include "../wire/jgroups.h"
#include "state.h"

enum java_phase {
	JAVA_JOINING,
	JAVA_STARTING, /* all are there, not all have sent START */
	JAVA_RUNNING,
	JAVA_COUNTED, /* RESULTS are published */
	JAVA_TABLE,   /* all have reported; FINAL_RESULTS and their answers */
};

/* A message that is sent three times, 300 ms apart. */
struct java_repeat {
	unsigned left;
	np_time next;
	bool begun;
};

struct java {
	enum java_phase phase;
	np_time moved; /* when something last moved */
	np_time discover_next, start_next, results_next;
	bool answer; /* somebody asked who is there */

	/* Received from all senders. */
	uint64_t expected, received, bytes;
	np_time first, last;
	uint64_t reported; /* messages reported in the latest MEMBER_PROGRESS */
	np_time reported_at;

	struct java_repeat final, ok;
	bool ok_heard;
	bool short_final; /* another member's table lacks members */
	np_time table;

	struct jgroups_message in, out;
	uint8_t *wire; /* room for the longest control message */
};

static inline struct java *java_of(const struct member *m)
{
	return m->state;
}

/* java_end.c. java_send: to all; returns 0 or the port's -errno. */
int java_send(struct member *m, enum jgroups_type type);
void java_enter(struct member *m, enum java_phase phase);
void java_data(struct member *m, struct peer *peer, const struct transport_message *message);
void java_process(struct member *m, struct peer *peer, const struct backlog_message *message);
void java_results(struct member *m, struct peer *peer, const struct jgroups_info *info);
void java_final(struct member *m, struct peer *peer, const struct jgroups_message *message);
/*
 * Messages of @bytes arrived from it, 0: longer ones than there is room for. Reports the differing
 * setting, once.
 */
void java_unlike(struct member *m, struct peer *peer, uint64_t bytes);
void java_run_tick(struct member *m);
void java_counted_tick(struct member *m);
void java_table_tick(struct member *m);
void java_stop(struct member *m, bool again);
void java_cut_off(struct member *m, const char *why);

#endif
