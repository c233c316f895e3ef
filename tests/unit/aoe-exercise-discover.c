// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* aoe-exercise-discover: two disks at one shelf and slot never pass for one. */

#include "ata_identity.h"
#include "src/aoe-exercise/discover.h"
#include "support/unit.h"

#define TAG	  0xfffffffdu /* the questions' tags go over the end of their range */
#define ROOM	  4
#define QUESTIONS 6
#define SHELF	  4
#define SLOT	  1

static const uint8_t one[6] = {2, 0, 0, 0, 0, 1}, other[6] = {2, 0, 0, 0, 0, 2};
static const struct np_aoe_config plain = {
	.buffer_count = 16, .firmware = 0x4019, .sector_count = 2};

struct scene {
	struct target list[ROOM];
	struct answerers answerers;
};

static int set(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	s->answerers = (struct answerers){
		.shelf = SHELF,
		.slot = SLOT,
		.tag = TAG,
		.asked = QUESTIONS,
		.list = s->list,
		.room = ROOM,
	};
	*state = s;
	return 0;
}

static int strike(void **state)
{
	free(*state);
	return 0;
}

#define SCENE_TEST(name) TEST_OF(struct scene *s, set, strike, name)

static struct np_aoe_header header_of(const struct scene *s, const uint8_t mac[6],
				      unsigned question)
{
	struct np_aoe_header header = {
		.version = 1,
		.flags = NP_AOE_FLAG_RESPONSE,
		.shelf = SHELF,
		.slot = SLOT,
		.tag = tags_after(s->answerers.tag, question),
	};

	memcpy(header.source, mac, 6);
	return header;
}

static void take(struct scene *s, struct np_aoe_header *header, uint8_t *frame, int length)
{
	const struct np_frame whole = {.data = frame, .length = (size_t)length};

	assert_true(length > 0);
	assert_int_equal(np_aoe_header_decode(frame, whole.length, header), 0);
	answerers_take(&s->answerers, header, &whole);
}

static void configure(struct scene *s, const uint8_t mac[6], unsigned question,
		      const struct np_aoe_config *config)
{
	struct np_aoe_header header = header_of(s, mac, question);
	uint8_t frame[64];

	take(s, &header, frame, np_aoe_config_encode(frame, sizeof(frame), &header, config));
}

static void identify(struct scene *s, const uint8_t mac[6], unsigned question, uint64_t sectors,
		     const char *serial)
{
	struct np_ata_identity identity = {.sectors = sectors, .extended = true};
	struct np_aoe_header header = header_of(s, mac, question);
	struct np_aoe_ata ata = {.command = 0x40};
	uint8_t frame[NP_AOE_ATA_BYTES + NP_AOE_SECTOR_BYTES];
	int length = np_aoe_ata_encode(frame, sizeof(frame), &header, &ata);

	strncpy(identity.serial, serial, sizeof(identity.serial) - 1);
	ata_identity_encode(frame + length, &identity);
	take(s, &header, frame, length + NP_AOE_SECTOR_BYTES);
}

/* An answer that says nothing but who sent it. */
static void refuse(struct scene *s, const uint8_t mac[6], unsigned question)
{
	struct np_aoe_header header = header_of(s, mac, question);
	const struct np_aoe_ata ata = {0};
	uint8_t frame[64];

	header.flags |= NP_AOE_FLAG_ERROR;
	take(s, &header, frame, np_aoe_ata_encode(frame, sizeof(frame), &header, &ata));
}

static void assert_answerers(struct scene *s, unsigned count, bool ambiguous)
{
	assert_int_equal(s->answerers.count, count);
	for (unsigned i = 0; i < count; i++)
		assert_int_equal(s->list[i].ambiguous, ambiguous);
}

/* Three rounds of both questions, answered by one. */
static void rounds(struct scene *s, const uint8_t mac[6], uint64_t sectors, const char *serial)
{
	for (unsigned question = 0; question < 6; question += 2) {
		configure(s, mac, question, &plain);
		identify(s, mac, question + 1, sectors, serial);
	}
}

SCENE_TEST(so_is_one_that_answers_only_identify)
{
	identify(s, other, 1, 100, "a");
	rounds(s, one, 100, "a");
	assert_answerers(s, 2, true);
	assert_false(discover_is_usable(&s->list[0]));
	assert_true(discover_is_usable(&s->list[1]));
}

SCENE_TEST(so_is_one_that_answers_only_queries_or_with_errors)
{
	rounds(s, one, 100, "a");
	configure(s, other, 4, &plain);
	assert_answerers(s, 2, true);
	refuse(s, (const uint8_t[6]){2, 0, 0, 0, 0, 3}, 5);
	assert_answerers(s, 3, true);
}

/* AoEr11: no sectors means two. */
SCENE_TEST(no_sector_count_is_two_sectors)
{
	struct np_aoe_config config = plain;

	configure(s, one, 0, &plain);
	config.sector_count = 0;
	configure(s, one, 2, &config);
	assert_answerers(s, 1, false);
	assert_int_equal(s->list[0].sector_count, 2);
}

SCENE_TEST(what_was_not_asked_is_no_answer)
{
	struct np_aoe_header header = header_of(s, one, 0);
	uint8_t frame[64];

	configure(s, one, QUESTIONS, &plain);
	configure(s, one, UINT32_MAX, &plain);
	header.shelf = SHELF + 1;
	take(s, &header, frame, np_aoe_config_encode(frame, sizeof(frame), &header, &plain));
	header.shelf = SHELF;
	header.slot = SLOT + 1;
	take(s, &header, frame, np_aoe_config_encode(frame, sizeof(frame), &header, &plain));
	header.slot = SLOT;
	header.tag &= ~NP_AOE_TAG_USER;
	take(s, &header, frame, np_aoe_config_encode(frame, sizeof(frame), &header, &plain));
	assert_answerers(s, 0, false);
}

SCENE_TEST(nobody_is_written_to_by_broadcast)
{
	static const uint8_t everybody[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	static const uint8_t group[6] = {1, 0, 0x5e, 0, 0, 1};

	configure(s, everybody, 0, &plain);
	configure(s, group, 0, &plain);
	assert_answerers(s, 2, true);
	assert_false(discover_is_usable(&s->list[0]));
	assert_false(discover_is_usable(&s->list[1]));
}

SCENE_TEST(more_than_fit_are_still_ambiguous)
{
	for (uint8_t i = 0; i < 2 * ROOM; i++)
		configure(s, (const uint8_t[6]){2, 0, 0, 0, 1, i}, 0, &plain);
	assert_answerers(s, ROOM, true);
}

SCENE_TEST(of_all_addresses_only_targets_are_listed)
{
	s->answerers.shelf = NP_AOE_SHELF_ALL;
	s->answerers.slot = NP_AOE_SLOT_ALL;
	configure(s, one, 0, &plain);
	refuse(s, other, 0);
	assert_answerers(s, 1, false);
}

/* Who answered in one way and then with an error is still one. */
SCENE_TEST(an_error_fits_who_answered_before)
{
	rounds(s, one, 100, "a");
	refuse(s, one, 5);
	assert_answerers(s, 1, false);
}
