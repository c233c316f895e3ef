/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * session: a whole run of the program, from the open link to the exit status: what one exchange
 * with a target measured, and what follows from it; what judges the target; the exchange: sends
 * requests as the window allows, takes the answers, counts both; and what reports all that as text
 * for people and as records for programs.
 */
#pragma once

#include "discover.h"

/*
 * Packets, each counted once: sent = received + late + lost + outstanding. An answer that carries
 * an error is received, too.
 */
struct tally {
	uint64_t sent;
	uint64_t received;
	uint64_t late;
	uint64_t lost;	      /* in a difference modulo 2^64: late answers may take back more */
	uint64_t outstanding; /* only when a run was cut short */
	uint64_t duplicates;
	uint64_t stray;
	uint64_t errors;	/* answers that carry an AoE or ATA error */
	uint64_t retransmitted; /* of those sent */
	uint64_t given_up;	/* requests whose last packet timed out */
	uint64_t refused;	/* attempts to send that this host's queue refused; sent later */
	uint64_t bytes;		/* of sector data in good answers */
	uint64_t damaged;	/* sectors with a data error */
	/* Where those lost were lost; these four add up to @lost, by result_attribute. */
	uint64_t lost_sender_host;   /* requests, in this host */
	uint64_t lost_path;	     /* or in the target */
	uint64_t lost_receiver_host; /* answers, in this host */
	uint64_t lost_unattributed;
};

/* Its columns: those of all records, what else clients and results have, and the places. */
enum { TALLY_OF_ALL = 1, TALLY_OF_CLIENT = 2, TALLY_OF_RESULT = 4, TALLY_PLACES = 8 };
extern const struct np_column tally_columns[];

enum ending {
	ENDING_DONE,
	ENDING_INTERRUPTED,
	ENDING_TARGET_DEAD,  /* no answer within --give-up, or none at all */
	ENDING_HOST_REFUSES, /* this host sent no frame within --give-up */
	ENDING_LINK_LOST,    /* the interface went down or disappeared */
	ENDING_OTHER_HOST,   /* another host answered for the target to be written */
	ENDING_CHANGED,	     /* the target is not what was examined before it was written */
};

/* The words for them, as in netperf-json(5). */
extern const char *const ending_names[];

/* The first answer that carried an error. */
struct answer_error {
	uint64_t lba;
	uint8_t aoe_error; /* 0: none; see the ATA registers */
	uint8_t ata_status;
	uint8_t ata_error;
};

/* What the examinations of a target that is written took during a run. */
struct rechecks {
	uint64_t rounds;    /* completed */
	uint64_t questions; /* frames */
	np_time held;	    /* how long writes were held */
};

struct result {
	unsigned window;
	struct tally tally;
	bool loss_exact;	     /* else the places of loss but unattributed are lower bounds */
	np_time elapsed;	     /* see result_rate_known */
	uint64_t passes;	     /* over the region */
	struct np_histogram *rtt;    /* as of the latest row, at the end of all */
	struct np_histogram *recent; /* the same since that row */
	struct np_histogram *paced;  /* answer against intended sending; empty without a rate */
	np_time worst_behind;	     /* the furthest that the pacer fell behind */
	struct np_damage damage;
	struct answer_error first_error;
	struct other_host other;     /* its answers are among the stray ones */
	uint64_t dropped;	     /* answers that this host's kernel dropped */
	struct np_drops_counts host; /* packets and answers that it dropped, by its reasons */
	struct np_path_drops
		path; /* bounds on the part of lost_path that this host's interface lost */
	struct rechecks rechecks; /* of a target that is written */
	enum ending ending;
	np_time silence;	/* at the end, if no mere loss explains it; else 0 */
	int refused_error;	/* -errno of this host's latest refusal to send, */
	uint64_t refused_calls; /* and how often it refused, questions included, in all runs so far
				 */
	int link_error;		/* -errno for ENDING_LINK_LOST */
	struct np_usage usage;
	struct tally reported; /* as of the latest row, of which there are @rows */
	unsigned rows;
};

/* Returns 0 or -ENOMEM. */
int result_create(struct result **result);

/* Starts a row: what is recent is so no more. */
void result_settle(struct result *result);

/* NULL is allowed. */
void result_free(struct result *result);

/*
 * Splits tally.lost among the places: by the kernel's reasons in @result->host if these are exact,
 * else by
 * @result->dropped. @known: the link variant can tell that. A send that this host refused was tried
 * again, so what the kernel dropped of it is not lost.
 */
void result_attribute(struct result *result, bool known);

/*
 * Whether bytes and packets over result->elapsed are a rate. That time runs from the first packet
 * to to the last answer or the last request, whichever is later; n paced packets take n intervals.
 * One packet alone has no rate.
 */
bool result_rate_known(const struct result *result);

/*
 * Whether --rate, @packets_per_s (0: none), and not the window or the target limited the rate:
 * within 3 % of it was reached.
 */
bool result_held_by_rate(const struct result *result, double packets_per_s);

/* True when packets were sent, all were waited for, and none was answered, not even late. */
bool result_is_unanswered(const struct tally *tally);

/* True when data came back and none of it is test data: such errors are no damage. */
bool result_is_no_test_data(const struct result *result);

/* True when data came back, with nothing but zeros in the places of the stamps. */
bool result_is_all_zero(const struct result *result);

enum question_kind { QUESTION_CONFIG, QUESTION_IDENTITY, QUESTION_READ };

/* The questions that start each examination. */
#define QUESTIONS_OF_IDENTITY 2

struct question {
	enum question_kind kind;
	uint64_t lba; /* of a read */
	uint8_t sectors;
	uint8_t tries; /* saturates at 255 */
	bool done;
	np_time sent;
	np_time due; /* when it is to be sent again */
};

/*
 * Makes the list of all questions about a disk of @bytes: configuration, identity, and reads of the
 * places that np_guard_places chooses of the disk and of @region, the part to be written. Reads
 * have at most @most sectors, ascend, and never overlap. Returns 0 and an array in *@questions,
 * which the caller frees, -EMSGSIZE when @most is 0, or -ENOMEM.
 */
int questions_list(struct question **questions, size_t *count, uint64_t bytes,
		   const struct np_guard_place *region, uint8_t most);

/*
 * Examines a target before the first write, and again after a silence while it is written: another
 * disk may have taken its place meanwhile. Writes are held until that is done. Each examination is
 * a round of questions.
 */
struct examination {
	struct session *s;
	int image; /* a descriptor of what was read: a file of the size of the disk, with holes */
	struct np_aoe_header header;
	unsigned window; /* questions in flight, at most */
	struct question *question;
	size_t count; /* those that a round asks: without reads if the first could not read */

	/* The round: */
	uint32_t round; /* its number; 1: the first one */
	uint32_t tag;	/* of its first question; the others' follow */
	size_t first;	/* all before it are answered */
	size_t next;	/* the next one that was never sent */
	unsigned in_flight;
	bool answered;	       /* any of them */
	np_time rtt;	       /* smoothed */
	np_time progress;      /* its start, then its latest answer */
	np_time deadline;      /* when ask has something to do, or listening ends */
	uint64_t sent;	       /* what the channel had sent at its start */
	struct question fault; /* the question whose answer differed from an earlier one */

	/* While it is written: */
	np_time heard; /* the latest answer, or the end of the latest round */
	bool doubted;  /* another target may have ended a silence */
	bool holds;    /* a round is running; no write may be sent before it ends */
	np_time held_since;
	struct rechecks done; /* since an exchange began */
	int error;	      /* -errno for examination_explain: no more may be written; 0: none */
};

/*
 * Prepares @s->examination: questions about the places that np_guard_places chooses of the disk and
 * of the region, the part to be written. --give-up is the limit for an answer in later rounds, and
 * --timeout of a request is a silence. Returns 0 or -errno; examination_free in any case.
 */
int examination_create(struct session *s);

/* NULL is allowed. */
void examination_free(struct examination *x);

/*
 * Runs the first round to its end. Sends a request until it is answered, at most eight times: a
 * place that cannot be read never passes for blank. Goes on listening until two seconds after the
 * discovery began. Records in the target who else answers. Returns 0, -ETIMEDOUT, -EIO
 * (the target refused a read), -ESTALE (two answers to one question differ), -EINTR (a signal asks
 * to stop), or -errno.
 */
int examination_first(struct examination *x);

/* What @error of one of these functions means; the text is in @out or constant. */
#define EXAMINATION_TEXT 160
const char *examination_explain(const struct examination *x, int error, char out[EXAMINATION_TEXT]);

/*
 * Before a measured exchange: examines again if the target has been silent for long. Returns 0 or
 * -errno.
 */
int examination_before(struct examination *x);

/*
 * Called once per loop iteration, before writes are sent at @now: starts a round if one is needed,
 * and sends the questions that are due, with @room places of the window free. Returns 0 or -errno
 * of the link; a fault of the target is in @error.
 */
int examination_step(struct examination *x, np_time now, unsigned room);

/* Ends the running round, since nothing more will be sent. */
void examination_stop(struct examination *x, np_time now);

/* Takes a frame from the target: true when it answers a question. */
bool examination_take(struct examination *x, const struct np_aoe_header *header,
		      const struct np_frame *frame);

/* A write was answered @at. */
void examination_heard(struct examination *x, np_time at);

struct session {
	struct np_run *run;
	const struct options *options; /* of the run, or of this rank of a mesh */
	const struct np_log *log;
	struct channel own, *channel; /* @channel: that of the program, for all its targets */
	struct target target;
	struct examination *examination; /* NULL: the target is only read */
	struct sweep sweep;		 /* the windows to try */
	unsigned window;		 /* of the next exchange */
	struct sweep_step steps[SWEEP_STEPS_MAX];
	size_t step_count; /* the next one is that of the exchange that runs or was the last */
	bool errors;	   /* in any of the steps */
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
 * fill. The first window is that of the next exchange.
 */
void session_bound_windows(struct session *s);

/*
 * Runs the warm-up of @count sessions, if one is asked for. Returns 0, or the exit status after a
 * message.
 */
int session_warm_up(struct session *all, unsigned count);

/*
 * Runs an exchange of each of @count sessions, together; a warm-up or a mesh's is not reported. Its
 * result is in the next step, of each. Returns 0, or -errno after a message.
 */
int session_exchange(struct session *all, unsigned count, bool warm_up);

/* Covers the whole session: another host may have answered in any part of it. */
void session_report_others(struct session *s, enum ending ending);

/*
 * window: the requests in flight, and the class of each answer: the first to its request, a late
 * one, a duplicate, or a stray one. Pure: it has no socket, and the clock is an argument.
 *
 * Requests are numbered from 0; a tag has the bits of the run and the number, counted from a base.
 * At all times issued = received + late + lost + outstanding.
 */
struct window;

struct window_request {
	uint64_t lba;
	uint64_t pass;	  /* of the cursor */
	uint8_t sectors;  /* at least 1 */
	uint8_t attempt;  /* 0: sent for the first time */
	np_time intended; /* when the pacer meant to send it */
	np_time sent;	  /* the earliest moment that it was sent, ns of np_clock_now */
	np_time gone;	  /* the latest: >= sent; much later when this host delayed the process in
			     between */
};

enum window_answer {
	WINDOW_RECEIVED,  /* the first answer, in time */
	WINDOW_LATE,	  /* the first answer, after the time-out */
	WINDOW_DUPLICATE, /* another answer to an answered request */
	WINDOW_STRAY,	  /* answers no request of ours, or one older than the history */
};

/*
 * Holds @size requests, 1..4096, each lost after @timeout; tags begin at @base (see tags.h). It
 * remembers the outcome of the last 2^16 requests, or of more. Returns 0 or -ENOMEM.
 */
int window_create(struct window **window, unsigned size, np_time timeout, uint32_t base);

/* NULL is allowed. */
void window_free(struct window *window);

/* How many requests may be issued now. */
unsigned window_room(const struct window *window);

/* The tag of the request to be issued after @ahead others. */
uint32_t window_tag(const struct window *window, unsigned ahead);

/*
 * Whether a request in flight, of another pass than @next, has the same place. *@earlier becomes
 * true if one is of another pass.
 */
bool window_has(const struct window *window, const struct window_request *next, bool *earlier);

/* Records that @request was sent with window_tag(window, 0). There must be room. */
void window_issue(struct window *window, const struct window_request *request);

/*
 * Classifies an answer with @tag without recording it. For WINDOW_RECEIVED fills in *@request, so
 * that the caller can check whether the answer fits it.
 */
enum window_answer window_classify(const struct window *window, uint32_t tag,
				   struct window_request *request);

/* Records the answer to @tag that window_classify classified as RECEIVED or LATE. */
void window_settle(struct window *window, uint32_t tag);

/*
 * Removes one request that has timed out at @now and counts it as lost; false when there is none.
 */
bool window_expire(struct window *window, np_time now, struct window_request *request);

/* When the next request times out; NP_TIME_NEVER when none is outstanding. */
np_time window_deadline(const struct window *window);

unsigned window_outstanding(const struct window *window);

/* What is sent next: new requests in the order of @cursor, and lost ones again before them. */
struct requests {
	struct np_aoe_header header;
	uint64_t left; /* new requests still to be made */
	bool stopped;
	struct np_cursor cursor;
	struct np_pacer pacer;
	struct {
		struct window_request *item;
		unsigned first;
		unsigned count;
	} again;	/* lost ones to be sent again; never more than the window holds */
	bool held;	/* the place of the next one is not free yet */
	bool earlier;	/* perhaps one of an earlier pass is pending */
	bool refused;	/* by this host, the last time */
	unsigned ready; /* prepared but not sent: they have places and frames */
	struct window_request request[CHANNEL_BATCH];
	struct np_frame frame[CHANNEL_BATCH];
	uint8_t *memory; /* of the frames */
	size_t frame_bytes;
};

/* How long the target has been asked without an answer. */
struct silence {
	np_time asked; /* how long something was asked since @heard */
	np_time at;    /* when this was last updated */
	np_time heard; /* that of the exchange at that time */
	bool asking;   /* since @at something is asked of the target */
	uint64_t sent; /* tally.sent when an answer last came */
};

/* What a row is for: an interval has ended, a signal asked, the run has ended. */
enum moment { MOMENT_INTERVAL, MOMENT_ASKED, MOMENT_END };

struct exchange {
	/* By the caller: */
	struct session *s; /* what is to be done is in its options and window */
	bool warm_up;
	/*
	 * Called when an interval ends or SIGUSR1 asks, and once at the end, with the time since
	 * the last call. NULL: not called.
	 */
	void (*observe)(struct exchange *x, np_time length, enum moment moment);
	struct result *result; /* was just created */

	/* Internal: */
	struct window *window;
	struct np_pattern pattern;
	struct requests requests;
	bool by_kernel; /* stamps tell which answers came too late, however late they are read */
	np_time last;	/* arrival of the last answer in time */
	np_time heard;	/* arrival of any answer to us; at first the start of the run */
	uint64_t lost_when_heard; /* tally.lost then */
	struct silence silence;
	struct np_interval intervals; /* they begin when the first packet is sent */
	np_time stop;		      /* when to stop making new requests */
	np_time leave;	      /* when to end after a signal, whatever is in flight; NP_TIME_NEVER */
	struct exchange *all; /* that run together, of which this is one; and how many these are */
	unsigned count;
	bool over;
	np_time linger;	  /* end of the wait for late answers; 0: not set yet */
	np_time asked;	  /* when something was last sent or refused by this host, or was to be */
	uint64_t dropped; /* the link's count at the start */
	struct np_drops_counts host; /* the same by this host's reasons */
	struct np_path_drops path;   /* the same of this host's interface and backlog */
};

/*
 * Runs @count exchanges with different targets together, over one channel. Returns 0, also when a
 * run ended early (see result->ending), or -ENOMEM, or -errno when no packet could be sent at all.
 */
int exchange_run(struct exchange *all, unsigned count);

/*
 * Hands each frame to that of the @count exchanges whose target it names, which counts it in
 * exactly one class and adds it to its result. One that names none is stray if there is one
 * exchange; of several targets, others were asked when these were looked for. Pure, but for an
 * examination.
 */
void exchange_take(struct exchange *all, unsigned count, const struct np_frame *frames,
		   unsigned received);

/* The rest is requests.c's, for exchange.c. Creates the window, too; the pacer's schedule is not
 * started. Returns 0 or -ENOMEM; requests_free in any case.
 */
int requests_create(struct exchange *x);
void requests_free(struct exchange *x);

/*
 * Sends as many frames as count, window, pacer and batch allow at @now, and records them in the
 * window and the tally; what the link does not take stays for the next call. Returns how many went,
 * or -errno.
 */
int requests_send(struct exchange *x, np_time now);

/*
 * Queues a lost request to be sent again; false when it was sent often enough or the run is ending.
 */
bool requests_again(struct exchange *x, const struct window_request *request);

/* Makes no new requests from @now on, and gives up the repeats that are queued. */
void requests_stop(struct exchange *x, np_time now);

/* True when there is nothing left to send. */
bool requests_done(const struct exchange *x);

/* When the pacer lets the next one go; NP_TIME_NEVER when window, place or count prevents it. */
np_time requests_next(const struct exchange *x);

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

/* Adds up all that load a target, or all targets: @elapsed is the longest, @began how many. */
void client_add(struct client *sum, const struct client *more);

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

/* Its line in a table; @all: bytes of all clients. And its members of a record. */
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

/*
 * Examines the target, lets libblkid search the image of its disk, and logs what the target is.
 * Returns 0, or an exit status after a message.
 */
int guard_remote(const struct session *s);

/* Names the target. */
void report_start(const struct session *s);

/* Observes an exchange: its rows. */
void report_row(struct exchange *x, np_time length, enum moment moment);

/* Reports one step of a sweep, before it is among @s->steps. */
void report_step(const struct session *s, const struct result *result);

/* Reports the summary of a single exchange, or of a sweep's knee or last step. */
void report_summary(const struct session *s, const struct result *result, int knee_window);

/*
 * With --rate: the times from when each packet was due, and how far sending fell behind; of several
 * targets the lines have the name of theirs.
 */
void report_paced(FILE *text, const struct session *s, const struct result *result);
void report_paced_record(struct np_record *record, const struct result *result);

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

/* The "start" record; NULL when out of memory. */
struct np_record *record_start(const struct session *s);
