// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* tags: claims a run's number by a name that one process of a network namespace can have. */
#include "tags.h"

#include <errno.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A socket of the abstract name of run @number, or -errno. The kernel frees it with the process. */
static int claim(unsigned number)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	const int length =
		snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "aoe-exercise/%u", number);
	const socklen_t bytes =
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1) + (socklen_t)length;
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int rc;

	if (fd < 0 || !bind(fd, (const struct sockaddr *)&name, bytes))
		return fd < 0 ? -errno : fd;
	rc = -errno;
	close(fd);
	return rc;
}

static uint32_t random_number(void)
{
	uint32_t number = 0;

	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) < 0)
		number = 0;
	return number;
}

/* From a random one on: what the run before left behind is of another number. */
void tags_claim(struct tags *tags, const struct np_log *log)
{
	const uint32_t first = random_number();
	int rc = -EADDRINUSE;

	tags->claim = -1;
	tags->run = NP_AOE_TAG_USER | first % TAGS_RUNS << 24;
	for (uint32_t i = 0; i < TAGS_RUNS && rc == -EADDRINUSE; i++) {
		const uint32_t number = (first + i) % TAGS_RUNS;

		rc = claim(number);
		if (rc < 0)
			continue;
		tags->claim = rc;
		tags->run = NP_AOE_TAG_USER | number << 24;
	}
	if (rc < 0)
		np_log_warning(log, NULL,
			       "cannot tell the answers to this run from those to %d others here; "
			       "they may count as stray",
			       TAGS_RUNS);
}

void tags_release(struct tags *tags)
{
	if (tags->claim >= 0)
		close(tags->claim);
	tags->claim = -1;
}

uint32_t tags_random(const struct tags *tags)
{
	return tags->run | (random_number() & TAGS_NUMBER);
}

/* Questions have the upper half of their numbers, the rounds of examinations the lower one. */
#define UPPER_HALF (TAGS_NUMBER / 2 + 1)
#define APART	   0x1000u

uint32_t tags_question(const struct tags *tags)
{
	return tags->run | TAGS_QUESTION | UPPER_HALF |
	       (random_number() & (UPPER_HALF - 1) & ~(APART - 1));
}

uint32_t tags_round(const struct tags *tags, uint32_t number)
{
	return tags->run | TAGS_QUESTION | (number * TAGS_ROUND & (UPPER_HALF - 1));
}
