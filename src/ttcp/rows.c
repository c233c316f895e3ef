// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* rows: fields into a buffer, the buffer into a file. */
#include "rows.h"

#include <errno.h>
#include <netperf/output.h>
#include <string.h>
#include <unistd.h>

int rows_open(struct rows *rows, const char *path, bool append)
{
	const struct np_output how = {.append = append};

	rows_adopt(rows, -1);
	return np_output_open(path, &how, &rows->fd);
}

void rows_adopt(struct rows *rows, int fd)
{
	rows->used = 0;
	rows->error = 0;
	rows->fd = fd;
}

int rows_flush(struct rows *rows)
{
	size_t done = 0;

	while (done < rows->used && !rows->error) {
		const ssize_t n = write(rows->fd, rows->buffer + done, rows->used - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			rows->error = -errno;
	}
	rows->used = 0;
	return rows->error;
}

int rows_close(struct rows *rows)
{
	rows_flush(rows);
	if (close(rows->fd) && !rows->error)
		rows->error = -errno;
	return rows->error;
}

static char *reserve(struct rows *rows, size_t bytes)
{
	if (rows->used + bytes > sizeof(rows->buffer))
		rows_flush(rows);
	return rows->buffer + rows->used;
}

void rows_char(struct rows *rows, char c)
{
	*reserve(rows, 1) = c;
	rows->used++;
}

void rows_text(struct rows *rows, const char *text)
{
	for (size_t left = strlen(text); left;) {
		const size_t room = sizeof(rows->buffer) / 2;
		const size_t piece = left < room ? left : room;

		memcpy(reserve(rows, piece), text, piece);
		rows->used += piece;
		text += piece;
		left -= piece;
	}
}

/* @digits of them, zeros in front. */
static void put_digits(struct rows *rows, uint64_t number, size_t digits)
{
	char *at = reserve(rows, digits) + digits;

	for (size_t i = 0; i < digits; i++) {
		*--at = (char)('0' + number % 10);
		number /= 10;
	}
	rows->used += digits;
}

void rows_number(struct rows *rows, uint64_t number)
{
	size_t digits = 1;

	for (uint64_t rest = number / 10; rest; rest /= 10)
		digits++;
	put_digits(rows, number, digits);
}

void rows_ms(struct rows *rows, np_time t)
{
	uint64_t ns = t < 0 ? -(uint64_t)t : (uint64_t)t, fraction;
	size_t digits = 6;

	if (t < 0)
		rows_char(rows, '-');
	rows_number(rows, ns / NP_MILLISECOND);
	fraction = ns % NP_MILLISECOND;
	if (!fraction)
		return;
	for (; fraction % 10 == 0; fraction /= 10)
		digits--;
	rows_char(rows, '.');
	put_digits(rows, fraction, digits);
}
