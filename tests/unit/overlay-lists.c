// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* The lists of an overlay node: buddies, queues of pieces, the inbox's bytes, parts of messages. */
#include "../../src/lib/overlay/queue.h"
#include "../../src/lib/overlay/table.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define INBOX_MOST ((size_t)64 << 20)

static struct overlay_address address(unsigned number)
{
	return overlay_address_ipv4(0x0a000001 + number, 9000, 1);
}

/* The numbers of all buddies, in their order. */
static void assert_buddies(const struct overlay_buddies *buddies, const char *numbers)
{
	assert_int_equal(buddies->count, strlen(numbers));
	for (unsigned i = 0; i < buddies->count; i++) {
		const struct overlay_address expected = address((unsigned)(numbers[i] - '0'));

		assert_true(overlay_address_equal(&buddies->address[i], &expected));
	}
}

static void add(struct overlay_buddies *buddies, unsigned number)
{
	const struct overlay_address added = address(number);

	overlay_buddies_add(buddies, &added);
}

static void drop(struct overlay_buddies *buddies, unsigned number)
{
	const struct overlay_address dropped = address(number);

	overlay_buddies_remove(buddies, &dropped);
}

/* The latest buddy is the first; one that is added again moves there. */
static void buddies_in_order(void **state)
{
	struct overlay_buddies buddies;

	(void)state;
	assert_int_equal(overlay_buddies_open(&buddies, 4), 0);
	for (unsigned i = 1; i <= 4; i++)
		add(&buddies, i);
	assert_buddies(&buddies, "4321");
	add(&buddies, 5);
	assert_buddies(&buddies, "5432");
	add(&buddies, 3);
	assert_buddies(&buddies, "3542");
	drop(&buddies, 5);
	assert_buddies(&buddies, "342");
	drop(&buddies, 9);
	drop(&buddies, 2);
	assert_buddies(&buddies, "34");
	drop(&buddies, 3);
	drop(&buddies, 4);
	assert_buddies(&buddies, "");
	overlay_buddies_close(&buddies);
	assert_int_equal(overlay_buddies_open(&buddies, 0), 0);
	add(&buddies, 1);
	assert_buddies(&buddies, "");
	overlay_buddies_close(&buddies);
}

/* A queued message is its pieces, one behind the other. */
static void pieces_become_one(void **state)
{
	const struct overlay_piece pieces[] = {{"ab", 2}, {"", 0}, {"cde", 3}, {"f", 1}};
	const struct sockaddr_in to = {.sin_family = AF_INET};
	struct overlay_queue queue = {.count_max = 1, .bytes_max = 6};
	struct overlay_queued *taken;

	(void)state;
	assert_int_equal(overlay_queue_put(&queue, &to, OVERLAY_OWN, pieces, 4), 0);
	taken = overlay_queue_take(&queue);
	assert_non_null(taken);
	assert_int_equal(taken->bytes, 6);
	assert_memory_equal(taken->data, "abcdef", 6);
	free(taken);
}

/* The inbox takes 64 MiB; what was taken out leaves its bytes free. */
static void an_inbox_of_bytes(void **state)
{
	uint8_t *const data = calloc(INBOX_MOST, 1);
	struct np_overlay_message small = {.data = data, .bytes = 1};
	struct np_overlay_message large = {.data = data, .bytes = INBOX_MOST - 1}, taken;
	struct overlay_inbox inbox = {.count_max = 10};

	(void)state;
	assert_non_null(data);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(overlay_inbox_put(&inbox, &small), 0);
		assert_int_equal(overlay_inbox_put(&inbox, &large), 0);
		assert_int_equal(overlay_inbox_put(&inbox, &small), -EAGAIN);
		assert_true(overlay_inbox_take(&inbox, &taken));
		assert_int_equal(taken.bytes, 1);
		assert_true(overlay_inbox_take(&inbox, &taken));
		assert_int_equal(taken.bytes, INBOX_MOST - 1);
		assert_int_equal(inbox.bytes, 0);
	}
	overlay_inbox_clear(&inbox);
	free(data);
}

static void feed(struct overlay_delimiter *d, const uint8_t *data, size_t bytes)
{
	uint8_t *at;
	size_t room;

	assert_int_equal(overlay_delimiter_room(d, &at, &room), 0);
	assert_true(room >= bytes);
	memcpy(at, data, bytes);
	overlay_delimiter_fill(d, bytes);
}

/* What an earlier message left behind the bytes that are there is not taken for more of them. */
static void bytes_of_before(void **state)
{
	/* A Goodbye of the spanning tree; and the beginning of an overlay message. */
	static const uint8_t first[] = {0x23, 0x28, 0x30, 0, 9, 1, 1, 2, 3, 4, 0, 0, 0, 5};
	static const uint8_t second[] = {0x23, 0x28, 0xd0};
	struct overlay_delimiter d = {.message_max = 1000};
	struct overlay_delimited message;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		feed(&d, first, sizeof(first));
		assert_int_equal(overlay_delimiter_next(&d, &message), 1);
		assert_int_equal(message.port, 9000);
		assert_int_equal(message.bytes, 12);
		assert_memory_equal(message.message, first + 2, 12);
	}
	feed(&d, second, 2);
	assert_int_equal(overlay_delimiter_next(&d, &message), 0);
	feed(&d, second + 2, 1);
	assert_int_equal(overlay_delimiter_next(&d, &message), 0);
	overlay_delimiter_free(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buddies_in_order),
		cmocka_unit_test(pieces_become_one),
		cmocka_unit_test(an_inbox_of_bytes),
		cmocka_unit_test(bytes_of_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
