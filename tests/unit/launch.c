// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Unit tests of launch: rank 0's hub in this thread, the other ranks in another one, over loopback:
 * barriers, blobs, results, and ranks that never start, die, hang or do not belong.
 */
#include "../../src/lib/mesh/launch_state.h"
#include "address_of.h"
#include "support/unit.h"

#include <netperf/field.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>

#define SOON  (np_clock_now() + 20 * NP_SECOND)
#define SHORT (np_clock_now() + 300 * NP_MILLISECOND)
#define RANKS 5

static unsigned waits; /* how often the hub has asked what is ready */

/* The library's calls come here. */
int epoll_wait(int fd, struct epoll_event *events, int most, int timeout)
{
	waits++;
	return (int)syscall(SYS_epoll_pwait, fd, events, most, timeout, NULL, 0);
}

struct ranks {
	struct np_launch hub;
	struct np_address at;
	struct np_launch spoke[RANKS];
	enum launch_state states[RANKS]; /* in the end */
	pthread_t thread;
	int (*play)(struct ranks *ranks); /* what ranks 1 ... do, in the other thread */
	int result;
};

static struct wire_join join_of(uint32_t rank)
{
	struct wire_join join = {.program = "test 1"};

	memset(join.secret, 7, sizeof(join.secret));
	np_field_put32(join.rank, rank);
	np_field_put32(join.size, RANKS);
	snprintf(join.host, sizeof(join.host), "host-%u", rank);
	return join;
}

static int connect_as(struct np_launch *spoke, const struct ranks *ranks,
		      const struct wire_join *join)
{
	*spoke = (struct np_launch){.place = {.rank = 1, .size = RANKS}, .join = *join};
	return spoke_open(spoke, &ranks->at, SOON, -1);
}

static void leave(struct np_launch *spoke)
{
	launch_discard(spoke);
	*spoke = (struct np_launch){.place.rank = 1};
}

/* Its blob is its host's name. */
static int join_rank(struct ranks *ranks, uint32_t rank)
{
	const struct wire_join join = join_of(rank);
	struct np_launch *spoke = &ranks->spoke[rank];
	const int rc = connect_as(spoke, ranks, &join);

	return rc ? rc : spoke_message(spoke, WIRE_BLOB, join.host, strlen(join.host));
}

static void *play(void *data)
{
	struct ranks *ranks = data;

	ranks->result = ranks->play(ranks);
	return NULL;
}

static struct ranks *begin(int (*others)(struct ranks *))
{
	static struct ranks all;
	struct ranks *ranks = &all;
	const struct np_address local = address_of("127.0.0.1:0");

	*ranks = (struct ranks){.hub = {.place.size = RANKS, .join = join_of(0)}};
	for (uint32_t i = 1; i < RANKS; i++)
		ranks->spoke[i].place.rank = i;
	assert_int_equal(hub_open(&ranks->hub, &local), 0);
	ranks->at = np_stream_info(ranks->hub.listener)->local;
	ranks->play = others;
	assert_int_equal(pthread_create(&ranks->thread, NULL, play, ranks), 0);
	return ranks;
}

/* After the other thread has ended, by @result, whose sockets are served until then. */
static void end(struct ranks *ranks, int result)
{
	pthread_join(ranks->thread, NULL);
	for (uint32_t i = 0; i < RANKS; i++)
		ranks->states[i] = ranks->hub.state[i];
	for (uint32_t i = 1; i < RANKS; i++)
		leave(&ranks->spoke[i]);
	launch_discard(&ranks->hub);
	assert_int_equal(ranks->result, result);
}

static int enter(struct ranks *ranks, uint32_t first, uint32_t last)
{
	int rc = 0;

	for (uint32_t i = first; !rc && i <= last; i++)
		rc = spoke_enter(&ranks->spoke[i]);
	for (uint32_t i = first; !rc && i <= last; i++)
		rc = spoke_await_release(&ranks->spoke[i], SOON, -1);
	return rc;
}

static int join_and_enter(struct ranks *ranks, uint32_t first, uint32_t last)
{
	int rc = 0;

	for (uint32_t i = first; !rc && i <= last; i++)
		rc = join_rank(ranks, i);
	return rc ? rc : enter(ranks, first, last);
}

static int check_blobs(struct ranks *ranks)
{
	static const uint32_t wanted[] = {0, 3};
	size_t bytes = 0;
	const char *blob;

	if (launch_fetch(&ranks->spoke[1], wanted, 2, SOON))
		return -1;
	blob = launch_blob(&ranks->spoke[1], 0, &bytes);
	if (!blob || bytes != 4 || memcmp(blob, "zero", 4))
		return -2;
	blob = launch_blob(&ranks->spoke[1], 3, &bytes);
	if (!blob || bytes != 6 || memcmp(blob, "host-3", 6))
		return -3;
	return launch_blob(&ranks->spoke[1], 2, NULL) ? -4 : 0;
}

/* The newer one is known after the next barrier. */
static int replace_blob(struct ranks *ranks)
{
	static const uint32_t wanted[] = {3};
	size_t bytes = 0;
	const char *blob;

	if (spoke_message(&ranks->spoke[3], WIRE_BLOB, "three", 5) || enter(ranks, 1, RANKS - 1) ||
	    launch_fetch(&ranks->spoke[1], wanted, 1, SOON))
		return -5;
	blob = launch_blob(&ranks->spoke[1], 3, &bytes);
	return blob && bytes == 5 && !memcmp(blob, "three", 5) ? 0 : -6;
}

static int send_results(struct ranks *ranks)
{
	static uint8_t piece[LAUNCH_PIECE_MAX];
	int rc = 0;

	for (uint32_t i = 1; !rc && i < RANKS; i++) {
		piece[0] = (uint8_t)i;
		rc = spoke_message(&ranks->spoke[i], WIRE_PIECE, piece, 1);
		if (!rc)
			rc = spoke_message(&ranks->spoke[i], WIRE_PIECE, piece, sizeof(piece));
	}
	return rc ? rc : enter(ranks, 1, RANKS - 1);
}

static int whole_run(struct ranks *ranks)
{
	int rc = join_and_enter(ranks, 1, RANKS - 1);

	if (!rc)
		rc = check_blobs(ranks);
	if (!rc)
		rc = replace_blob(ranks);
	return rc ? rc : send_results(ranks);
}

struct taken {
	size_t bytes[RANKS];
	bool wrong;
};

static int take(void *context, uint32_t rank, const void *piece, size_t bytes)
{
	struct taken *taken = context;

	taken->bytes[rank] += bytes;
	taken->wrong = taken->wrong || *(const uint8_t *)piece != rank;
	return 0;
}

static int collect(struct np_launch *hub, struct taken *taken)
{
	hub->take = take;
	hub->context = taken;
	return hub_barrier(hub, SOON, -1);
}

TEST(all_meet_and_tell)
{
	struct ranks *ranks = begin(whole_run);
	struct taken taken = {.wrong = false};

	assert_int_equal(hub_set_blob(&ranks->hub, 0, "zero", 4), 0);
	assert_int_equal(hub_barrier(&ranks->hub, SOON, -1), 0);
	assert_int_equal(hub_barrier(&ranks->hub, SOON, -1), 0);
	assert_int_equal(collect(&ranks->hub, &taken), 0);
	end(ranks, 0);
	assert_false(taken.wrong);
	for (uint32_t i = 1; i < RANKS; i++)
		assert_int_equal(taken.bytes[i], 1 + LAUNCH_PIECE_MAX);
}

/* Rank 4 comes too late, 2 dies, 3 hangs and learns that it is out; 1 goes on, with its results. */
static int some_are_missing(struct ranks *ranks)
{
	static const uint8_t piece[] = {1};
	struct np_launch *spoke = ranks->spoke;
	int rc = join_and_enter(ranks, 1, 3);

	if (rc || spoke[1].state[4] != LAUNCH_ABSENT)
		return rc ? rc : -1;
	if (join_and_enter(ranks, 4, 4) != -ESTALE)
		return -2;
	leave(&spoke[2]);
	if (enter(ranks, 1, 1))
		return -3;
	if (spoke[1].state[2] != LAUNCH_GONE || spoke[1].state[3] != LAUNCH_SILENT)
		return -4;
	if (spoke_await_release(&spoke[3], SOON, -1) != -ESTALE)
		return -5;
	rc = spoke_message(&spoke[1], WIRE_PIECE, piece, 1);
	return rc ? rc : spoke_enter(&spoke[1]);
}

TEST(the_missing_are_told_apart)
{
	static const enum launch_state states[RANKS] = {
		[2] = LAUNCH_GONE, [3] = LAUNCH_SILENT, [4] = LAUNCH_ABSENT};
	struct taken taken = {.wrong = false};
	struct ranks *ranks = begin(some_are_missing);

	assert_int_equal(hub_barrier(&ranks->hub, SHORT + 2 * NP_SECOND, -1), 0);
	assert_int_equal(hub_barrier(&ranks->hub, SHORT + 2 * NP_SECOND, -1), 0);
	assert_int_equal(collect(&ranks->hub, &taken), 0);
	end(ranks, 0);
	assert_int_equal(taken.bytes[1], 1);
	for (uint32_t i = 0; i < RANKS; i++)
		assert_int_equal(ranks->states[i], states[i]);
}

#define ANSWERS 64 /* of 256 KiB each: more than the kernel takes */

/* Rank 1 asks for all of them before it reads the first. */
static int ask_much(struct ranks *ranks)
{
	static const uint8_t zeros[4 * WIRE_FETCH_MAX];
	struct channel *channel = &ranks->spoke[1].channel;
	struct pollfd arrival = {.events = POLLIN};
	struct wire_message message = {.type = WIRE_BLOBS};
	const int small = 65536;
	unsigned came = 0;
	int rc = join_and_enter(ranks, 1, RANKS - 1);

	arrival.fd = np_stream_fd(channel->stream);
	setsockopt(arrival.fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	for (unsigned i = 0; !rc && i < ANSWERS; i++)
		rc = spoke_message(&ranks->spoke[1], WIRE_FETCH, zeros, sizeof(zeros));
	for (uint32_t i = 1; !rc && i < RANKS; i++)
		rc = spoke_enter(&ranks->spoke[i]);
	while (rc >= 0 && message.type == WIRE_BLOBS) {
		rc = launch_channel_receive(channel, &message);
		came += rc > 0;
		if (!rc)
			rc = np_wait_ready(&arrival, 1, SOON);
	}
	if (rc < 0 || came != ANSWERS + 1 || message.type != WIRE_RELEASE)
		return -1;
	for (uint32_t i = 2; i < RANKS; i++)
		rc |= spoke_await_release(&ranks->spoke[i], SOON, -1);
	return rc < 0 ? rc : enter(ranks, 1, RANKS - 1);
}

TEST(answers_without_room_wait)
{
	static const uint8_t blob[LAUNCH_BLOB_MAX];
	struct ranks *ranks = begin(ask_much);

	assert_int_equal(hub_set_blob(&ranks->hub, 0, blob, sizeof(blob)), 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(hub_barrier(&ranks->hub, SOON, -1), 0);
	end(ranks, 0);
}

/* Connects as @join says and learns that it is refused. */
static bool is_refused(struct ranks *ranks, struct wire_join join)
{
	struct np_launch spoke;
	int rc = connect_as(&spoke, ranks, &join);

	if (!rc)
		rc = spoke_enter(&spoke);
	if (!rc)
		rc = spoke_await_release(&spoke, SOON, -1);
	leave(&spoke);
	return rc == -ESTALE || rc == -ECONNRESET; /* the reason may be lost with the connection */
}

/* A JOIN of another length, as of another version, is refused, too. */
static bool longer_is_refused(struct ranks *ranks, uint32_t rank)
{
	struct {
		struct wire_join join;
		uint8_t more[2];
	} longer = {.join = join_of(rank)};
	struct np_launch spoke = {.place = {.rank = rank, .size = RANKS}};
	const struct np_stream_options options = {.no_delay = true, .ip.tos = -1};
	int rc = np_stream_connect(&spoke.channel.stream, &options, &ranks->at, -1, SOON);

	spoke.state = calloc(RANKS, 1);
	if (!rc)
		rc = spoke_message(&spoke, WIRE_JOIN, &longer, sizeof(longer));
	if (!rc)
		rc = spoke_await_release(&spoke, SOON, -1);
	leave(&spoke);
	return rc == -ESTALE || rc == -ECONNRESET;
}

static int strangers(struct ranks *ranks)
{
	struct wire_join no_secret = join_of(1), no_rank = join_of(RANKS), other_size = join_of(1),
			 other_program = join_of(3), endless = join_of(1);

	no_secret.secret[3] ^= 1;
	np_field_put32(other_size.size, 4);
	strcpy(other_program.program, "test 2");
	memset(endless.host, 'x', sizeof(endless.host));
	if (!is_refused(ranks, no_secret) || !is_refused(ranks, no_rank) ||
	    !is_refused(ranks, other_size) || !is_refused(ranks, endless))
		return -1;
	if (join_rank(ranks, 2) || !is_refused(ranks, join_of(2)))
		return -2;
	if (!is_refused(ranks, other_program) || !longer_is_refused(ranks, 4))
		return -3;
	return join_rank(ranks, 1) || spoke_enter(&ranks->spoke[1]) || spoke_enter(&ranks->spoke[2])
		       ? -4
		       : spoke_await_release(&ranks->spoke[2], SOON, -1);
}

TEST(strangers_are_turned_away)
{
	struct ranks *ranks = begin(strangers);

	assert_int_equal(hub_barrier(&ranks->hub, SOON, -1), 0);
	end(ranks, 0);
	assert_int_equal(ranks->states[3], LAUNCH_OTHER);
	assert_int_equal(ranks->states[4], LAUNCH_OTHER);
}

/* Rank 1 connects before a crowd, and joins behind it. */
static int crowd(struct ranks *ranks)
{
	const struct np_stream_options options = {.no_delay = true, .ip.tos = -1};
	struct np_stream *other[300];
	const size_t count = sizeof(other) / sizeof(*other);
	struct np_launch *spoke = &ranks->spoke[1];
	const struct wire_join join = join_of(1);
	int rc;

	*spoke = (struct np_launch){.place = {.rank = 1, .size = RANKS}};
	spoke->state = calloc(RANKS, 1);
	rc = np_stream_connect(&spoke->channel.stream, &options, &ranks->at, -1, SOON);
	for (size_t i = 0; i < count; i++)
		rc |= np_stream_connect(&other[i], &options, &ranks->at, -1, SOON);
	for (size_t i = 0; i < count; i++)
		rc |= np_stream_send(other[i], "", 1) != 1;
	if (!rc)
		rc = spoke_message(spoke, WIRE_JOIN, &join, sizeof(join));
	for (uint32_t i = 2; !rc && i < RANKS; i++)
		rc = join_rank(ranks, i);
	rc = rc ? rc : enter(ranks, 1, RANKS - 1);
	for (size_t i = 0; i < count; i++)
		np_stream_free(other[i]);
	return rc;
}

TEST(a_crowd_displaces_no_rank)
{
	struct ranks *ranks = begin(crowd);

	assert_int_equal(hub_barrier(&ranks->hub, SOON, -1), 0);
	end(ranks, 0);
}

static int nothing(struct ranks *ranks)
{
	(void)ranks;
	return 0;
}

/* Two barriers ahead; results before all are at the end, or too long; what only rank 0 sends. */
static int wrong_messages(struct ranks *ranks)
{
	static const uint8_t body[LAUNCH_PIECE_MAX + 1];
	int rc = join_and_enter(ranks, 1, RANKS - 1);

	for (uint32_t i = 0; !rc && i < 3; i++)
		rc = spoke_enter(&ranks->spoke[1]);
	if (!rc || rc == -ECONNRESET)
		rc = spoke_message(&ranks->spoke[2], WIRE_PIECE, body, 1);
	if (!rc)
		rc = spoke_message(&ranks->spoke[3], WIRE_BLOB, body, LAUNCH_BLOB_MAX + 1);
	if (!rc)
		rc = spoke_message(&ranks->spoke[4], WIRE_RELEASE, body, 4);
	return rc;
}

TEST(wrong_messages_put_a_rank_out)
{
	struct ranks *ranks = begin(wrong_messages);

	assert_int_equal(hub_barrier(&ranks->hub, SOON, -1), 0);
	pthread_join(ranks->thread, NULL);
	ranks->play = nothing;
	assert_int_equal(pthread_create(&ranks->thread, NULL, play, ranks), 0);
	assert_int_equal(hub_barrier(&ranks->hub, SOON, -1), 0);
	end(ranks, 0);
	for (uint32_t i = 1; i < RANKS; i++)
		assert_int_equal(ranks->states[i], LAUNCH_WRONG);
}

/*
 * A connection for which there is no descriptor waits, and rank 0 does not ask for it all the time;
 * once there is one again, the rank joins.
 */
TEST(without_descriptors_the_ranks_wait)
{
	const struct itimerspec soon = {.it_value.tv_nsec = 300 * NP_MILLISECOND};
	const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	struct rlimit limit, none;
	struct ranks *ranks = begin(nothing);
	int fd;

	assert_true(timer >= 0);
	assert_int_equal(join_rank(ranks, 1), 0);
	assert_int_equal(spoke_enter(&ranks->spoke[1]) || spoke_enter(&ranks->spoke[1]), 0);
	fd = dup(timer);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = limit;
	none.rlim_cur = (rlim_t)fd;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	waits = 0;
	assert_int_equal(timerfd_settime(timer, 0, &soon, NULL), 0);
	assert_int_equal(hub_barrier(&ranks->hub, SOON, timer), -ECANCELED);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_true(waits < 50);
	assert_int_equal(hub_barrier(&ranks->hub, SHORT, -1), 0);
	close(timer);
	end(ranks, 0);
	assert_int_equal(ranks->states[1], LAUNCH_HERE);
	assert_int_equal(ranks->states[2], LAUNCH_ABSENT);
}

/* A signal ends a rank's wait for the others. */
static int is_interrupted(struct ranks *ranks)
{
	const int signals = eventfd(1, EFD_CLOEXEC);
	int rc = join_rank(ranks, 1);

	if (!rc)
		rc = spoke_enter(&ranks->spoke[1]);
	if (!rc)
		rc = spoke_await_release(&ranks->spoke[1], np_clock_now() + 2 * NP_SECOND, signals);
	close(signals);
	return rc;
}

TEST(a_signal_ends_the_wait_of_a_rank)
{
	struct ranks *ranks = begin(is_interrupted);

	assert_int_equal(hub_barrier(&ranks->hub, SHORT, -1), 0);
	end(ranks, -ECANCELED);
}

TEST(without_a_launcher_there_is_no_run)
{
	const struct np_launch plan = {.join.program = "test 1"};
	struct np_launch *launch;
	int rc;

	unsetenv("PMIX_RANK");
	/* The second: it is built without libpmix. */
	rc = launch_open(&launch, &plan, NULL, 0, -1);
	assert_true(rc == -ENOENT || rc == -EOPNOTSUPP);
	assert_null(launch);
	assert_non_null(strstr(launch_reason(-ENOENT), "mpirun"));
	launch_close(NULL);
}
