/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* ttcp_books: what both ends of a conversation say, against what the made-up network saw. */
#ifndef TTCP_BOOKS_H
#define TTCP_BOOKS_H

#include "ttcp_network.h"

/* What came by the network's books: different ones, and copies. */
static inline uint64_t book_different(const struct book *book)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < NETWORK_LANES; i++)
		for (unsigned k = 0; k < NETWORK_MESSAGES; k++)
			count += book->came[i][k] > 0;
	return count;
}

static inline uint64_t book_copies(const struct book *book)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < NETWORK_LANES; i++)
		for (unsigned k = 0; k < NETWORK_MESSAGES; k++)
			count += book->came[i][k] ? book->came[i][k] - 1u : 0;
	return count;
}

/* The receiver's figures are the network's, right to the message. */
static inline void network_counts(const struct network *n, unsigned receiver, uint64_t sent)
{
	const struct book *book = &n->receiver[receiver].book;
	const struct tally_figures *f = &book->figures;

	assert_true(book->finished);
	assert_int_equal(f->received, book_different(book));
	assert_int_equal(f->duplicates, book_copies(book));
	assert_int_equal(f->received + f->lost + f->missed_before, sent);
	assert_int_equal(f->bytes, f->received * NETWORK_BYTES);
	assert_int_equal(book->recorded, f->received + f->duplicates);
	assert_int_equal(book->report.received, f->received);
	assert_int_equal(book->report.lost, f->lost);
}

/* What the sender knows of a receiver; NULL: nothing. */
static inline const struct receivers_receiver *network_knows(const struct network *n,
							     unsigned receiver)
{
	const struct receivers *known = sender_receivers(n->sender.machine);

	for (size_t i = 0; i < known->count; i++)
		if (np_address_equal(&known->receiver[i].address, &n->receiver[receiver].address))
			return &known->receiver[i];
	return NULL;
}

/* And the sender was told of them so. */
static inline void network_reports(const struct network *n, unsigned receiver)
{
	const struct receivers_receiver *known = network_knows(n, receiver);
	const struct tally_figures *f = &n->receiver[receiver].book.figures;

	assert_non_null(known);
	assert_true(known->reported);
	assert_int_equal(known->report.received, f->received);
	assert_int_equal(known->report.lost, f->lost);
	assert_int_equal(known->report.duplicates, f->duplicates);
	assert_int_equal(known->report.bytes, f->bytes);
}

#endif
