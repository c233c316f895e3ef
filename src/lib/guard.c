// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* guard: asks everybody who could object to overwriting it, the gravest objection first. */
#include <netperf/guard.h>

#include "guard_content.h"
#include "guard_kin.h"
#include "guard_users.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

_Static_assert(sizeof(((struct np_guard_verdict *)0)->text) == GUARD_TEXT_BYTES,
	       "texts are written in place");

/* Sets the reason when @found says that there is one. Returns true when the search is over. */
static bool settle(struct np_guard_verdict *verdict, int found, enum np_guard_reason reason)
{
	if (found > 0)
		verdict->reason = reason;
	return found != 0;
}

/* Returns 1 with a reason, 0 when nobody uses it, or -errno. */
static int ask_users(const struct guard_kin *kin, const char *path,
		     struct np_guard_verdict *verdict)
{
	int found = guard_users_mounted(kin, verdict->text);

	if (settle(verdict, found, NP_GUARD_MOUNTED))
		return found;
	found = guard_users_swap(kin, verdict->text);
	if (settle(verdict, found, NP_GUARD_SWAP))
		return found;
	found = guard_users_held(kin, path, verdict->text);
	if (settle(verdict, found, NP_GUARD_HELD))
		return found;
	return 0;
}

static int size_of(int fd, const struct stat *status, uint64_t *bytes)
{
	*bytes = (uint64_t)status->st_size;
	if (S_ISBLK(status->st_mode) && ioctl(fd, BLKGETSIZE64, bytes) < 0)
		return -errno;
	return 0;
}

/* The objections that --destroy overrules. */
static int ask_content(const struct guard_kin *kin, int fd, const struct stat *status,
		       struct np_guard_verdict *verdict)
{
	uint64_t bytes;
	int found = size_of(fd, status, &bytes);

	if (found)
		return found;
	found = np_guard_content(fd, bytes, verdict);
	if (found)
		return found;
	/* A loop device tells more than the content: somebody set it up. */
	found = guard_users_loop(kin, verdict->text);
	if (found) {
		verdict->reason = NP_GUARD_LOOP;
	} else if (verdict->reason == NP_GUARD_FREE && S_ISREG(status->st_mode)) {
		found = guard_content_foreign(fd, bytes);
		if (found > 0) {
			verdict->reason = NP_GUARD_NOT_OURS;
			snprintf(verdict->text, sizeof(verdict->text),
				 "a file with content that is no test pattern");
		}
	}
	verdict->destroyable = verdict->reason != NP_GUARD_FREE;
	return found < 0 ? found : 0;
}

/* The content is read through the page cache, at any offset and into any buffer. */
static int ask_content_buffered(const struct guard_kin *kin, int fd, const struct stat *status,
				struct np_guard_verdict *verdict)
{
	int flags = fcntl(fd, F_GETFL), error;

	if (flags < 0 || ((flags & O_DIRECT) && fcntl(fd, F_SETFL, flags & ~O_DIRECT) < 0))
		return -errno;
	error = ask_content(kin, fd, status, verdict);
	if ((flags & O_DIRECT) && fcntl(fd, F_SETFL, flags) < 0 && !error)
		error = -errno;
	return error;
}

int np_guard_fd(int fd, struct np_guard_verdict *verdict)
{
	struct guard_kin kin = {0};
	struct stat status;
	int found;

	memset(verdict, 0, sizeof(*verdict));
	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISBLK(status.st_mode) && !S_ISREG(status.st_mode))
		return -ENOTBLK;
	found = guard_kin_collect(&kin, &status);
	if (!found)
		found = ask_users(&kin, NULL, verdict);
	if (!found)
		found = ask_content_buffered(&kin, fd, &status, verdict);
	guard_kin_free(&kin);
	return found < 0 ? found : 0;
}

int np_guard_users(const char *path, struct np_guard_verdict *verdict)
{
	struct guard_kin kin = {0};
	struct stat status;
	int found;

	memset(verdict, 0, sizeof(*verdict));
	if (stat(path, &status) < 0)
		return -errno;
	if (!S_ISBLK(status.st_mode))
		return -ENOTBLK;
	found = guard_kin_collect(&kin, &status);
	if (!found)
		found = ask_users(&kin, path, verdict);
	guard_kin_free(&kin);
	return found < 0 ? found : 0;
}
