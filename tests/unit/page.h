/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* page: what is printed to a stream, kept in memory and compared. */
#pragma once

#include "support/unit.h"

struct page {
	char *text; /* what was printed, after a flush of @out */
	size_t length;
	FILE *out;
};

/* page_expect or page_close ends it. */
static inline struct page *page_open(void)
{
	struct page *page = calloc(1, sizeof(*page));

	assert_non_null(page);
	page->out = open_memstream(&page->text, &page->length);
	assert_non_null(page->out);
	return page;
}

static inline void page_close(struct page *page)
{
	assert_int_equal(fclose(page->out), 0);
	free(page->text);
	free(page);
}

/* @part is in what was printed. */
static inline void page_holds(struct page *page, const char *part)
{
	assert_int_equal(fflush(page->out), 0);
	assert_non_null(strstr(page->text, part));
}

/* @text is all that was printed. */
static inline void page_expect(struct page *page, const char *text)
{
	assert_int_equal(fflush(page->out), 0);
	assert_string_equal(page->text, text);
	page_close(page);
}
