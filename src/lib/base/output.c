// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* output: opens result files, judges what was opened, and empties it only when it is written to. */
#include <netperf/report.h>

#include "log.h"
#include "sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <netperf/process.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int np_output_judge(int fd)
{
	const int flags = fcntl(fd, F_GETFL);
	struct stat found;

	if (flags < 0 || fstat(fd, &found))
		return -errno;
	if (S_ISBLK(found.st_mode))
		return -ENOTBLK;
	/* O_PATH has no access mode; the descriptor only identifies the file. */
	return !(flags & O_PATH) && (flags & O_ACCMODE) == O_RDONLY ? -EBADF : 0;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/*
 * Whether the disk or file @input, or the file system that it is on, is stored in the file @fd by
 * loop devices, or is that file by another name: 1, 0, -EXDEV (unknown), or -errno.
 */
static int carries(int fd, const char *input)
{
	struct backing_place file, place;
	struct backing_loops loops;
	const struct backing_loop *loop;
	const char *missing;
	struct stat status;
	int found;

	if (fstat(fd, &status) < 0)
		return -errno;
	file = backing_place_of(&status);
	/* What is not there is stored nowhere. */
	if (stat(input, &status) < 0 || (!S_ISBLK(status.st_mode) && !S_ISREG(status.st_mode)))
		return 0;
	place = backing_place_of(&status);
	if (backing_place_is(&place, &file))
		return 1;
	/* A file is stored on the disk of its file system, if that has one. */
	place.inode = 0;
	found = backing_loops_read(&loops, &missing);
	if (!found && missing)
		found = -EXDEV;
	while (!found && !place.inode && (loop = backing_loops_descend(&loops, place.device))) {
		place = loop->lower;
		if (!place.device && !place.inode)
			found = -EXDEV;
		else
			found = backing_place_is(&place, &file);
	}
	backing_loops_free(&loops);
	return found;
}

static int prepare(int fd, const struct np_output *how)
{
	struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	struct stat found, other;
	int rc = fstat(fd, &found) ? -errno : 0;

	if (rc || !S_ISREG(found.st_mode))
		return !rc && S_ISBLK(found.st_mode) ? -ENOTBLK : rc;
	/* What goes there by another descriptor and position would be overwritten. */
	for (int standard = STDOUT_FILENO; standard <= STDERR_FILENO; standard++) {
		if (!fstat(standard, &other) && is_same(&other, &found))
			return -EALREADY;
	}
	/*
	 * Refuses an input by any of its names, or a file that an input is stored on (below a loop
	 * device, for example). An empty file stores none. A missing input is reported by the code
	 * that opens it.
	 */
	for (const char *const *input = how->inputs; !rc && input && *input; input++) {
		if (!stat(*input, &other) && is_same(&other, &found))
			rc = 1;
		else if (found.st_size > 0)
			rc = carries(fd, *input);
	}
	if (rc)
		return rc > 0 ? -EDEADLK : rc;
	/*
	 * An appender lets others append, too, and only checks for an exclusive lock. Some file
	 * systems have no locks, which is no reason to refuse.
	 */
	if (how->append)
		rc = !fcntl(fd, F_OFD_GETLK, &range) && range.l_type != F_UNLCK ? -EBUSY : 0;
	else if (fcntl(fd, F_OFD_SETLK, &range) && (errno == EAGAIN || errno == EACCES))
		rc = -EBUSY;
	return rc;
}

static int empty(int fd)
{
	struct stat found;

	if (fstat(fd, &found) || (S_ISREG(found.st_mode) && ftruncate(fd, 0)))
		return -errno;
	return 0;
}

/* Removes the empty file that was opened as @fd, unless another one has taken its name. */
static void remove_empty(int fd, const char *path)
{
	char *real = realpath(path, NULL);
	struct stat opened, named;

	if (real && !fstat(fd, &opened) && !lstat(real, &named) && S_ISREG(opened.st_mode) &&
	    opened.st_size == 0 && is_same(&opened, &named))
		(void)unlink(real);
	free(real);
}

/* What a stream writes to. It keeps the error, which stdio forgets together with its buffer. */
struct sink {
	int fd;
	bool lent; /* owned by the caller, not closed */
	bool full; /* has content that must be removed before the first write */
	int error; /* errno of the first failed write; no further write is tried */
	struct np_output how;
	char *made;		  /* the name of the file, if it was not there before; else NULL */
	struct np_status *status; /* on the same terminal, or NULL */
};

/* From here on the file is this run's. */
static void begin(struct sink *sink)
{
	if (sink->full && !sink->error)
		sink->error = -empty(sink->fd);
	sink->full = false;
}

static bool never_began(const struct sink *sink)
{
	return sink->how.never_began && *sink->how.never_began;
}

/* As fopencookie(3) requires: returns 0 for a failure. */
static ssize_t sink_write(void *cookie, const char *data, size_t bytes)
{
	struct sink *sink = cookie;
	size_t done = 0;

	if (sink->how.heading && never_began(sink))
		return (ssize_t)bytes;
	begin(sink);
	status_hide(sink->status);
	while (!sink->error && done < bytes) {
		const ssize_t n = write(sink->fd, data + done, bytes - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			sink->error = errno;
	}
	status_release(sink->status, !bytes || data[bytes - 1] == '\n');
	if (sink->error == EPIPE)
		np_signals_stop_self();
	errno = sink->error;
	return sink->error ? 0 : (ssize_t)bytes;
}

static int sink_close(void *cookie)
{
	struct sink *sink = cookie;
	int rc;

	if (!never_began(sink))
		begin(sink);
	else if (sink->made && sink->how.heading)
		(void)empty(sink->fd);
	if (never_began(sink) && sink->made)
		remove_empty(sink->fd, sink->made);
	rc = sink->lent ? 0 : close(sink->fd);
	if (sink->error) {
		errno = sink->error;
		rc = -1;
	}
	free(sink->made);
	free(sink);
	return rc;
}

static int open_sink(const struct sink *opened, FILE **stream)
{
	static const cookie_io_functions_t functions = {
		.write = sink_write,
		.close = sink_close,
	};
	struct sink *sink = malloc(sizeof(*sink));

	*stream = NULL;
	if (!sink)
		return -ENOMEM;
	*sink = *opened;
	*stream = fopencookie(sink, opened->how.append ? "a" : "w", functions);
	if (*stream)
		return 0;
	free(sink);
	return -ENOMEM;
}

int np_output_stream(const char *path, const struct np_output *how, FILE **stream)
{
	struct sink sink = {.how = how ? *how : (struct np_output){.append = false}};
	struct stat found;
	bool made; /* the file was not there */
	int rc, flags;

	how = &sink.how;
	*stream = NULL;
	flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | (how->append ? O_APPEND : 0);
	sink.fd = open(path, flags);
	made = sink.fd < 0 && errno == ENOENT;
	if (made)
		sink.fd = open(path, flags | O_CREAT | O_EXCL, 0666);
	if (made && sink.fd < 0 && errno == EEXIST) {
		/* A link that leads to nothing; or somebody was faster, and the file is his. */
		made = !lstat(path, &found) && S_ISLNK(found.st_mode);
		sink.fd = open(path, flags | O_CREAT, 0666);
	}
	if (sink.fd < 0)
		return -errno;
	sink.full = !how->append;
	sink.made = made ? strdup(path) : NULL;
	rc = made && !sink.made ? -ENOMEM : prepare(sink.fd, how);
	if (!rc)
		rc = open_sink(&sink, stream);
	if (!rc)
		return 0;
	if (made)
		remove_empty(sink.fd, path);
	close(sink.fd);
	free(sink.made);
	return rc;
}

int np_output_standard(int fd, struct np_status *status, FILE **stream)
{
	const bool terminal = isatty(fd);
	const struct sink sink = {.fd = fd, .lent = true, .status = terminal ? status : NULL};
	int rc = open_sink(&sink, stream);

	if (!rc && terminal)
		setvbuf(*stream, NULL, _IOLBF, BUFSIZ);
	return rc;
}

int np_output_flush(FILE *stream)
{
	if (fflush(stream))
		return -errno;
	if (!ferror(stream))
		return 0;
	/* The sink refuses this byte, too, and so reports the error again. */
	clearerr(stream);
	if (putc('\n', stream) != EOF && !fflush(stream))
		return 0;
	return -errno;
}

int np_output_close(FILE *stream)
{
	int rc;

	if (!stream)
		return 0;
	rc = np_output_flush(stream);
	errno = EIO;
	if (fclose(stream) && !rc)
		rc = -errno;
	return rc;
}

const char *np_output_reason(int error)
{
	switch (error) {
	case -ENOTBLK:
		return "is a block device; output goes only to regular files, pipes and character "
		       "devices";
	case -EDEADLK: return "is an input of this run and would be overwritten; use another file";
	case -EXDEV:
		return "may store an input of this run, which cannot be ruled out; use "
		       "another file";
	case -EALREADY:
		return "is where standard output or standard error goes already; use another file";
	case -EBUSY: return "is being written by another output";
	case -EMEDIUMTYPE: return "is no regular file, and no other one can be replaced";
	case -EBADF: return "is not open for writing";
	default: return strerror(-error);
	}
}
