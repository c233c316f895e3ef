// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* target: discovery by Config/Query, IDENTIFY and single reads, each asked again a few times. */
#include "target.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#define TRIES	       3
#define READ_TRIES     8
#define TRY_TIME       (500 * NP_MILLISECOND)
#define READ_TRY_TIME  (250 * NP_MILLISECOND)
#define STRAGGLER_TIME (100 * NP_MILLISECOND)

static const uint8_t broadcast[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

char *target_name(const struct target *target, char out[TARGET_NAME_BYTES])
{
	snprintf(out, TARGET_NAME_BYTES, "e%u.%u", target->shelf, target->slot);
	return out;
}

void target_header(const struct wire *wire, const struct target *target,
		   struct np_aoe_header *header)
{
	*header = (struct np_aoe_header){
		.version = 1,
		.shelf = target->shelf,
		.slot = target->slot,
	};
	memcpy(header->destination, target->mac, 6);
	memcpy(header->source, np_link_info(wire->link)->mac, 6);
}

static uint32_t random_tag(void)
{
	uint32_t tag = 0;

	/* Short of entropy the tag is 0 and answers may mix with another run's: they get counted.
	 */
	if (getrandom(&tag, sizeof(tag), GRND_NONBLOCK) < 0)
		tag = 0;
	return tag | NP_AOE_TAG_USER;
}

static int send_one(struct wire *wire, uint8_t *data, int length)
{
	struct np_frame frame = {.data = data, .length = (size_t)length, .stamp = np_clock_now()};
	int rc = wire_send(wire, &frame, 1);

	return rc < 0 ? rc : 0;
}

/* What to do with each answer. Returns 0 to go on listening, 1 when it is the one, or -errno. */
struct listener {
	uint32_t tag;
	int (*take)(void *owner, const struct np_aoe_header *header, const struct np_frame *frame);
	void *owner;
};

static int take_batch(struct wire *wire, const struct listener *listener)
{
	struct np_frame frame[WIRE_BATCH];
	int count = wire_receive(wire, frame, WIRE_BATCH), rc = 0;

	if (count < 0)
		return count;
	for (int i = 0; i < count && !rc; i++) {
		struct np_aoe_header header;

		if (!np_aoe_header_decode(frame[i].data, frame[i].length, &header) &&
		    header.tag == listener->tag && header.flags & NP_AOE_FLAG_RESPONSE)
			rc = listener->take(listener->owner, &header, &frame[i]);
	}
	return rc;
}

/* Listens until an answer is the one or *@deadline, which take may move. */
static int listen_until(struct wire *wire, const struct listener *listener, const np_time *deadline)
{
	for (;;) {
		int rc = take_batch(wire, listener);

		if (rc)
			return rc;
		if (wire_stopped(wire))
			return -EINTR;
		if (np_clock_now() >= *deadline)
			return 0;
		rc = wire_wait(wire, *deadline);
		if (rc < 0)
			return rc;
	}
}

/* What discovery knows so far. */
struct discovery {
	struct target *targets;
	unsigned room;
	unsigned count;
	bool one; /* only one address is wanted */
	np_time deadline;
};

static struct target *known(const struct discovery *d, const struct np_aoe_header *header)
{
	for (unsigned i = 0; i < d->count; i++) {
		if (d->targets[i].shelf == header->shelf && d->targets[i].slot == header->slot)
			return &d->targets[i];
	}
	return NULL;
}

static int take_config(void *owner, const struct np_aoe_header *header,
		       const struct np_frame *frame)
{
	struct discovery *d = owner;
	struct np_aoe_config config;
	struct target *target = known(d, header);
	np_time stragglers = np_clock_now() + STRAGGLER_TIME;

	if (header->command != NP_AOE_CONFIG || header->flags & NP_AOE_FLAG_ERROR ||
	    np_aoe_config_decode(frame->data, frame->length, &config))
		return 0;
	if (target) {
		target->ambiguous |= memcmp(target->mac, header->source, 6) != 0;
		return 0;
	}
	if (d->count == d->room)
		return 0;
	target = &d->targets[d->count++];
	*target = (struct target){
		.shelf = header->shelf,
		.slot = header->slot,
		.buffer_count = config.buffer_count,
		.firmware = config.firmware,
		/* AoEr11: a target that says 0 takes 2 sectors. */
		.sector_count = config.sector_count ? config.sector_count : 2,
	};
	memcpy(target->mac, header->source, 6);
	if (d->one && stragglers < d->deadline)
		d->deadline = stragglers;
	return 0;
}

int target_discover(struct wire *wire, uint16_t shelf, uint8_t slot, struct target *targets,
		    unsigned room)
{
	struct target everybody = {.shelf = shelf, .slot = slot};
	struct discovery d = {
		.targets = targets,
		.room = room,
		.one = shelf != NP_AOE_SHELF_ALL,
	};
	struct listener listener = {.take = take_config, .owner = &d};
	struct np_aoe_config config = {.version = 1};
	struct np_aoe_header header;
	uint8_t frame[64];
	int rc = 0;

	memcpy(everybody.mac, broadcast, 6);
	target_header(wire, &everybody, &header);
	header.tag = listener.tag = random_tag();
	for (int try = 0; try < TRIES && !rc && !(d.one && d.count); try++) {
		rc = send_one(wire, frame,
			      np_aoe_config_encode(frame, sizeof(frame), &header, &config));
		d.deadline = np_clock_now() + TRY_TIME;
		if (!rc)
			rc = listen_until(wire, &listener, &d.deadline);
	}
	return rc < 0 ? rc : (int)d.count;
}

/* One read-like ATA request and where its data goes. */
struct fetch {
	const struct target *target;
	void *data;
	size_t bytes;
};

static int take_data(void *owner, const struct np_aoe_header *header, const struct np_frame *frame)
{
	struct fetch *fetch = owner;
	struct np_aoe_ata ata;

	if (header->command != NP_AOE_ATA || header->shelf != fetch->target->shelf ||
	    header->slot != fetch->target->slot)
		return 0;
	if (header->flags & NP_AOE_FLAG_ERROR)
		return -EIO;
	if (np_aoe_ata_decode(frame->data, frame->length, &ata))
		return 0;
	if (ata.command & NP_ATA_STATUS_BAD)
		return -EIO;
	if (ata.data_bytes < fetch->bytes)
		return 0;
	memcpy(fetch->data, ata.data, fetch->bytes);
	return 1;
}

static int fetch_data(struct wire *wire, const struct np_aoe_ata *ata, struct fetch *fetch,
		      int tries, np_time patience)
{
	struct listener listener = {.take = take_data, .owner = fetch};
	struct np_aoe_header header;
	uint8_t frame[64];
	int rc = 0;

	target_header(wire, fetch->target, &header);
	header.tag = listener.tag = random_tag();
	for (int try = 0; try < tries && !rc; try++) {
		np_time deadline = np_clock_now() + patience;

		rc = send_one(wire, frame, np_aoe_ata_encode(frame, sizeof(frame), &header, ata));
		if (!rc)
			rc = listen_until(wire, &listener, &deadline);
	}
	return rc == 1 ? 0 : rc ? rc : -ETIMEDOUT;
}

int target_identify(struct wire *wire, struct target *target)
{
	const struct np_aoe_ata ata = {.command = NP_ATA_IDENTIFY, .count = 1};
	uint8_t block[512];
	struct fetch fetch = {.target = target, .data = block, .bytes = sizeof(block)};
	int rc = fetch_data(wire, &ata, &fetch, TRIES, TRY_TIME);

	if (rc)
		return rc;
	np_ata_identity_decode(block, &target->identity);
	target->identified = true;
	return 0;
}

int target_read(struct wire *wire, const struct target *target, uint64_t lba, uint8_t sectors,
		void *data)
{
	struct fetch fetch = {
		.target = target,
		.data = data,
		.bytes = (size_t)sectors * NP_AOE_SECTOR_BYTES,
	};
	struct np_aoe_ata ata;
	int rc = np_aoe_ata_transfer(&ata, false, target->identity.extended, lba, sectors);

	return rc ? rc : fetch_data(wire, &ata, &fetch, READ_TRIES, READ_TRY_TIME);
}
