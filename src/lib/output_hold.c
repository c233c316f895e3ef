// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* output_hold: a file in memory, and the way from it into another one. */
#include "output_hold.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PIECE_BYTES 65536

struct output_hold {
	int memory;
	char piece[PIECE_BYTES];
};

int output_hold_create(struct output_hold **hold)
{
	struct output_hold *made = malloc(sizeof(*made));
	int error;

	*hold = NULL;
	if (!made)
		return -ENOMEM;
	made->memory = memfd_create("netperf-output", MFD_CLOEXEC);
	if (made->memory < 0) {
		error = -errno;
		free(made);
		return error;
	}
	*hold = made;
	return 0;
}

int output_hold_write(int fd, const char *data, size_t bytes)
{
	size_t done = 0;

	while (done < bytes) {
		ssize_t n = write(fd, data + done, bytes - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			return -errno;
	}
	return 0;
}

int output_hold_keep(struct output_hold *hold, const char *data, size_t bytes)
{
	return output_hold_write(hold->memory, data, bytes);
}

int output_hold_pour(struct output_hold *hold, int fd)
{
	int error = lseek(hold->memory, 0, SEEK_SET) < 0 ? -errno : 0;
	ssize_t got;

	while (!error && (got = read(hold->memory, hold->piece, sizeof(hold->piece)))) {
		if (got > 0)
			error = output_hold_write(fd, hold->piece, (size_t)got);
		else if (errno != EINTR)
			error = -errno;
	}
	return error;
}

void output_hold_free(struct output_hold *hold)
{
	if (!hold)
		return;
	close(hold->memory);
	free(hold);
}
