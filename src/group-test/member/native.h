/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * native: the state that the parts of the native protocol share (message.h describes the
 * conversation). Each calls only those listed after it: native.c handles what arrives and goes from
 * phase to phase; join.c finds out who is at an address, admits others or keeps them out, and is
 * kept out by them, form.c makes a group of them; end.c ends a run and the member's life; credit.c
 * limits what is on the way; announce.c tells the others who this member is, its phase, its clock
 * and what its host dropped.
 */
#ifndef GROUP_TEST_MEMBER_NATIVE_H
#define GROUP_TEST_MEMBER_NATIVE_H

#include "state.h"

#define HELLO_EVERY (250 * NP_MILLISECOND)
#define STATE_EVERY (500 * NP_MILLISECOND)
/* Of a sender that is done, of one that leaves, and to one that is given up: others wait for it. */
#define STATE_SOON (50 * NP_MILLISECOND)

/* Receivers grant at most this much ahead of what was sent. */
#define WINDOW_MAX (1 << 19)

struct native {
	enum message_phase phase;
	uint32_t tag;
	uint64_t window; /* messages that each sender may have on the way to this member */
	uint64_t setting[SETTINGS];
	np_time newest;	    /* when a new member was last heard */
	np_time hello_next; /* NP_TIME_NEVER: none is needed */
	np_time hello_last;
	np_time state_next;
	np_time moved;	    /* when something last moved in this phase */
	unsigned announced; /* STATEs sent in this phase */
	np_time probe_next;
	np_time left; /* when this member started to leave */

	size_t results_bytes; /* of the latest run that was counted */
	unsigned results_run;
	np_time results_next, results_last;
	bool results_wanted;
	uint8_t results[MESSAGE_CONTROL_MAX];
	size_t drops_bytes; /* of the same run; 0: this host's drops are not known */
	np_time drops_next; /* when to look at them again; NP_TIME_NEVER */
	uint8_t drops[MESSAGE_DROPS_MAX];
	struct message_drops drops_scratch;
	uint8_t out[MESSAGE_CONTROL_MAX];
	struct message_results scratch;
	struct jgroups_message java; /* a message of another group's members */
};

static inline struct native *native_of(const struct member *m)
{
	return m->state;
}

/* The head of a message in this run, from this member. */
static inline struct message_head native_head(const struct member *m)
{
	return (struct message_head){.run = (uint8_t)m->run,
				     .number = m->plan.instance,
				     .time = m->now,
				     .tag = native_of(m)->tag};
}

/* A live member of the group other than this one. */
static inline bool is_other(const struct peer *peer)
{
	return peer_counts(peer) && !peer->self;
}

/* True when @peer has reached @phase of this run, or a later one. */
static inline bool has_reached(const struct member *m, const struct peer *peer,
			       enum message_phase phase)
{
	const struct native *n = native_of(m);

	return peer->native.tag == n->tag &&
	       (peer->native.run > m->run ||
		(peer->native.run == m->run && peer->native.phase >= phase));
}

/* announce.c: the phase */
void phase_enter(struct member *m, enum message_phase phase); /* and announces it at once */
void phase_begin_run(struct member *m);			      /* the run m->run, from PHASE_READY */
void phase_announce(struct member *m);

/* announce.c: HELLO, and what follows it */
void hello_introduce(struct member *m); /* so that others know a member that leaves at once */
void hello_soon(struct member *m);	/* somebody may not know this member */
void hello_tick(struct member *m);
void hello_refuse(struct member *m, const struct identity *who, const struct message_refuse *body);
/* Refuses @peer each time, but reports it to the user only once. */
void hello_keep_out(struct member *m, struct peer *peer, const struct message_refuse *body,
		    const char *why);

/* join.c */
void proof_again(struct member *m,
		 struct peer *peer); /* repeats questions that could not be sent */

void proof_ended(struct member *m, struct peer *peer); /* by hearsay: checks whether it is gone */
void proof_tick(struct member *m);

void join_hello(struct member *m, const struct identity *who, const struct message_head *head,
		const struct message_hello *hello);
/* False: malformed. */
bool join_proof(struct member *m, const struct transport_delivery *delivery,
		const struct transport_message *message, const struct message_head *head);

/*
 * A refusal by @peer, while this member's group is not complete: it ends this member if @peer has
 * proved its address, has this member's settings, and is not about to leave.
 */
void join_refused(struct member *m, struct peer *peer, enum message_refusal why);
bool join_is_refusing(const struct member *m, const struct peer *peer);
/* Writes what prevents the group from forming, as far as it is known. */
void join_remark(const struct member *m, char *out, size_t room);

/* Heard, present, and without a group so far. */
static inline bool join_is_heard(const struct peer *peer)
{
	return peer->role == PEER_HEARD && peer->known && peer->native.phase != PHASE_LEAVING;
}

static inline unsigned join_count(const struct member *m)
{
	unsigned count = 0;

	for (unsigned i = 0; i < m->peers; i++)
		count += join_is_heard(&m->peer[i]);
	return count;
}

/* form.c */
void join_tick(struct member *m);	   /* PHASE_JOINING */
void ready_tick(struct member *m);	   /* PHASE_READY */
void form_count_senders(struct member *m); /* as one member reports that they are wrong */

/* announce.c: clocks */
void clock_take(struct member *m, struct peer *peer, const struct message_clock *clock, np_time at);
void clock_form(const struct member *m,
		struct peer *peer); /* for a new group: by what is known so far */
void clock_tick(struct member *m);

/* credit.c */
void credit_grant(struct member *m, struct peer *sender, bool asked);
void credit_begin(struct member *m); /* the first grants of a run */
void credit_granted(struct member *m, struct peer *receiver, uint64_t number);
void credit_tick(struct member *m); /* asks for grants, and gives up receivers that do not answer */

/* end.c */
void end_state(struct member *m, struct peer *peer, const struct message_state *state);
void end_results(struct member *m, struct peer *peer, const struct message_head *head,
		 const struct message_results *results);
/* The way to or from @peer is gone, and so is the peer. */
void end_lost(struct member *m, struct peer *peer, int error);
void end_notify_dead(struct member *m,
		     struct peer *peer); /* tells members that were given up, now and then */
void end_given_up(struct member *m,
		  struct peer *peer);	 /* @peer reports that it gave this member up */
void end_silence(struct member *m);	 /* gives up members that are silent or have left */
void end_results_tick(struct member *m); /* sends RESULTS to those that wait */
void end_run_tick(
	struct member *m); /* PHASE_RUNNING, PHASE_SENT: checks whether everything is counted */
void end_report_tick(struct member *m); /* PHASE_COUNTED */
void end_leave_tick(struct member *m);	/* PHASE_LEAVING */
void end_stop(struct member *m, bool again);
bool end_wind_up(struct member *m); /* false: the run has not begun */
void end_cut_off(struct member *m, const char *why);

/* announce.c: this host's drops */
void drops_count(struct member *m); /* at the end of a run: what RESULTS are preceded by */
void drops_announce(struct member *m);
/* Says again, and once more for the result, what was dropped since it was said last. */
void drops_tick(struct member *m);
void drops_conclude(struct member *m);
void drops_take(struct member *m, const struct peer *peer, const struct message_drops *drops);

#endif
