// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Messages of an overlay that break off: none is read beyond its end, or taken for a whole one. */
#include "../../src/lib/overlay/message.h"
#include "support/unit.h"

#include <errno.h>
#include <netperf/field.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST 256

/* A page before one that nobody may read. */
struct guarded {
	uint8_t *page;
	size_t bytes;
};

static int create(void **state)
{
	static struct guarded guarded;

	guarded.bytes = (size_t)sysconf(_SC_PAGESIZE);
	guarded.page = mmap(NULL, 2 * guarded.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (guarded.page == MAP_FAILED)
		return -1;
	*state = &guarded;
	return mprotect(guarded.page, guarded.bytes, PROT_READ | PROT_WRITE);
}

static int destroy(void **state)
{
	const struct guarded *guarded = *state;

	return munmap(guarded->page, 2 * guarded->bytes);
}

/* The first @bytes of a message, at the end of the page. */
static uint8_t *place(const struct guarded *guarded, const uint8_t *message, size_t bytes)
{
	uint8_t *at = guarded->page + guarded->bytes - bytes;

	memcpy(at, message, bytes);
	return at;
}

static bool decodes(const uint8_t *message, size_t bytes)
{
	struct overlay_spt spt;
	struct overlay_dt dt;
	struct overlay_ol ol;

	return !overlay_dt_decode(message, bytes, &dt) ||
	       !overlay_spt_decode(message, bytes, &spt) || !overlay_ol_decode(message, bytes, &ol);
}

/* @length is where the message has its own length, which leaves out the @head bytes. */
static void break_off(const struct guarded *guarded, const uint8_t *message, size_t bytes,
		      size_t length, size_t head)
{
	assert_true(decodes(place(guarded, message, bytes), bytes));
	for (size_t cut = 0; cut < bytes; cut++) {
		uint8_t *at = place(guarded, message, cut);
		const int64_t told = overlay_message_bytes(at, cut);

		assert_true(told == 0 || told == (int64_t)bytes);
		assert_false(decodes(at, cut));
		/* Even if it says itself that it ends here. */
		if (cut < head)
			continue;
		np_field_put16(at + length, (uint16_t)(cut - head));
		assert_int_equal(overlay_message_bytes(at, cut), cut);
		assert_false(decodes(at, cut));
	}
}

static const struct overlay_address where = {
	.kind = OVERLAY_ADDRESS_IPV4, .length = 6, .realm = 1, .bytes = {10, 0, 0, 1, 0x23, 0x28}};

TEST_WITH(create, destroy, delaunay)
{
	struct overlay_dt dt = {.type = OVERLAY_DT_HELLO, .source = {1, 2}, .destination = {3, 4}};
	uint8_t message[OVERLAY_DT_MAX];

	dt.a = dt.b = (struct overlay_pair){{5, 6}, where};
	break_off(*state, message, overlay_dt_encode(message, &dt), 1, 3);
	/* With the second node alone. */
	dt.a = (struct overlay_pair){0};
	break_off(*state, message, overlay_dt_encode(message, &dt), 1, 3);
}

TEST_WITH(create, destroy, spanning)
{
	uint8_t sender[OVERLAY_SPT_SENDER_BYTES], message[MOST];
	struct overlay_spt spt = {.type = OVERLAY_SPT_BEACON,
				  .source = 1,
				  .root = 2,
				  .parent = 3,
				  .address = where,
				  .senders = 1,
				  .sender = sender,
				  .next_hop = 4,
				  .wanted = 5};

	overlay_spt_put_sender(sender, 7, OVERLAY_SPT_HEARD);
	for (unsigned type = OVERLAY_SPT_BEACON; type <= OVERLAY_SPT_ROUTE_REPLY; type++) {
		ssize_t bytes;

		spt.type = (uint8_t)type;
		bytes = overlay_spt_encode(message, sizeof(message), &spt);
		assert_true(bytes > 0);
		break_off(*state, message, (size_t)bytes, 1, 3);
	}
}

static struct overlay_ol unicast(void)
{
	return (struct overlay_ol){
		.mode = OVERLAY_UNICAST,
		.source = overlay_logical_number(1),
		.previous = overlay_logical_number(2),
		.destination = overlay_logical_number(3),
		.extensions = 2,
		.extension = {{OVERLAY_EXTENSION_ROUTE, 0, 4, (const uint8_t *)"\0\0\0\1"},
			      {OVERLAY_EXTENSION_DATA, 0, 5, (const uint8_t *)"hello"}},
	};
}

#define OL_HEAD	  23 /* with three addresses of 4 bytes */
#define OL_LENGTH 5  /* where its length is */

TEST_WITH(create, destroy, payloads)
{
	const struct overlay_ol ol = unicast();
	uint8_t message[MOST];
	const ssize_t bytes = overlay_ol_encode(message, sizeof(message), &ol);

	assert_int_equal(bytes, OL_HEAD + 3 + 4 + 3 + 5);
	for (size_t cut = 0; cut < (size_t)bytes; cut++) {
		uint8_t *at = place(*state, message, cut);

		assert_false(decodes(at, cut));
		if (cut <= OL_HEAD)
			continue;
		np_field_put16(at + OL_LENGTH, (uint16_t)(cut - OL_HEAD));
		assert_int_equal(overlay_message_bytes(at, cut), cut);
		assert_false(decodes(at, cut));
	}
}

/* The length of an extension has 1 to 4 bytes. */
TEST_WITH(create, destroy, widths_of_extensions)
{
	struct overlay_ol ol = unicast();
	uint8_t message[MOST];
	ssize_t bytes;

	for (unsigned width = 1; width <= 4; width++) {
		uint8_t *at;

		ol.extension[0].width = (uint8_t)width;
		bytes = overlay_ol_encode(message, sizeof(message), &ol);
		assert_true(bytes > 0);
		at = place(*state, message, (size_t)bytes);
		assert_true(decodes(at, (size_t)bytes));
		at[OL_HEAD + 1] = 0;
		assert_false(decodes(at, (size_t)bytes));
		at[OL_HEAD + 1] = 5;
		assert_false(decodes(at, (size_t)bytes));
	}
}

/* A message without extensions but one that has no length: no byte more than its type is there. */
TEST_WITH(create, destroy, an_extension_of_one_byte)
{
	struct overlay_ol ol = unicast();
	uint8_t message[MOST], *at;

	for (unsigned i = 0; i < 2; i++) {
		ol.extensions = 1;
		ol.extension[0].width = 0;
		assert_true(overlay_ol_encode(message, sizeof(message), &ol) > 0);
		at = place(*state, message, OL_HEAD + 1 + i);
		np_field_put16(at + OL_LENGTH, (uint16_t)(1 + i));
		if (i)
			at[OL_HEAD + 1] = 0;
		assert_false(decodes(at, OL_HEAD + 1 + i));
	}
}

/* The long form has the length in an extension, whose own length is known to be one byte. */
TEST_WITH(create, destroy, long_form)
{
	struct overlay_ol ol = unicast();
	uint8_t message[MOST];

	for (unsigned width = 1; width <= 4; width++) {
		ssize_t bytes;
		uint8_t *at;

		ol.long_width = (uint8_t)width;
		bytes = overlay_ol_encode(message, sizeof(message), &ol);
		assert_true(bytes > 0);
		for (size_t cut = 0; cut <= (size_t)bytes; cut++) {
			at = place(*state, message, cut);
			assert_int_equal(overlay_message_bytes(at, cut),
					 cut < OL_HEAD + 3 + width ? 0 : bytes);
			assert_int_equal(decodes(at, cut), cut == (size_t)bytes);
		}
		/* What cannot be a length is none as soon as it is there. */
		at = place(*state, message, OL_HEAD + 3);
		at[OL_HEAD + 2] = 5;
		assert_int_equal(overlay_message_bytes(at, OL_HEAD + 3), -EBADMSG);
		at[OL_HEAD + 2] = 0;
		assert_int_equal(overlay_message_bytes(at, OL_HEAD + 3), -EBADMSG);
		at[OL_HEAD + 2] = (uint8_t)width;
		at[OL_HEAD + 1] = 2;
		assert_int_equal(overlay_message_bytes(at, OL_HEAD + 3), -EBADMSG);
	}
}
