// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* writer: formats fields into a buffer and writes the buffer to a file. */
#include "writer.h"

#include <errno.h>
#include <netperf/output.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int writer_open(struct writer *writer, const char *path, bool append)
{
	const struct np_output how = {.append = append, .made = &writer->made};

	writer_adopt(writer, -1, false);
	return np_output_open(path, &how, &writer->fd);
}

void writer_adopt(struct writer *writer, int fd, bool made)
{
	struct stat found;

	writer->used = 0;
	writer->error = 0;
	writer->fd = fd;
	writer->made = made;
	writer->keeps = fd >= 0 && !fstat(fd, &found) && S_ISREG(found.st_mode) && found.st_size;
}

void writer_forget(struct writer *writer)
{
	if (writer->keeps || writer->made)
		writer->used = 0;
	if (writer->made)
		(void)np_output_empty(writer->fd);
}

int writer_flush(struct writer *writer)
{
	size_t done = 0;

	if (writer->keeps && writer->used) {
		writer->keeps = false;
		writer->error = np_output_empty(writer->fd);
	}
	while (done < writer->used && !writer->error) {
		const ssize_t n = write(writer->fd, writer->buffer + done, writer->used - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			writer->error = -errno;
	}
	writer->used = 0;
	return writer->error;
}

int writer_close(struct writer *writer)
{
	writer_flush(writer);
	if (close(writer->fd) && !writer->error)
		writer->error = -errno;
	return writer->error;
}

static char *reserve(struct writer *writer, size_t bytes)
{
	if (writer->used + bytes > sizeof(writer->buffer))
		writer_flush(writer);
	return writer->buffer + writer->used;
}

void writer_char(struct writer *writer, char c)
{
	*reserve(writer, 1) = c;
	writer->used++;
}

void writer_text(struct writer *writer, const char *text)
{
	for (size_t left = strlen(text); left;) {
		const size_t room = sizeof(writer->buffer) / 2;
		const size_t piece = left < room ? left : room;

		memcpy(reserve(writer, piece), text, piece);
		writer->used += piece;
		text += piece;
		left -= piece;
	}
}

/* Writes @digits digits, with leading zeros. */
static void put_digits(struct writer *writer, uint64_t number, size_t digits)
{
	char *at = reserve(writer, digits) + digits;

	for (size_t i = 0; i < digits; i++) {
		*--at = (char)('0' + number % 10);
		number /= 10;
	}
	writer->used += digits;
}

void writer_number(struct writer *writer, uint64_t number)
{
	size_t digits = 1;

	for (uint64_t rest = number / 10; rest; rest /= 10)
		digits++;
	put_digits(writer, number, digits);
}

void writer_ms(struct writer *writer, np_time t)
{
	uint64_t ns = t < 0 ? -(uint64_t)t : (uint64_t)t, fraction;
	size_t digits = 6;

	if (t < 0)
		writer_char(writer, '-');
	writer_number(writer, ns / NP_MILLISECOND);
	fraction = ns % NP_MILLISECOND;
	if (!fraction)
		return;
	for (; fraction % 10 == 0; fraction /= 10)
		digits--;
	writer_char(writer, '.');
	put_digits(writer, fraction, digits);
}
