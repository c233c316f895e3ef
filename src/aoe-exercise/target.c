// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* target: formats its names, and repeats IDENTIFY until it is answered. */
#include "target.h"

#include <errno.h>
#include <inttypes.h>

#define TRIES	 3
#define TRY_TIME (500 * NP_MILLISECOND)

char *target_name(const struct target *target, char out[TARGET_NAME_BYTES])
{
	snprintf(out, TARGET_NAME_BYTES, "e%u.%u", target->shelf, target->slot);
	return out;
}

char *target_mac(const uint8_t mac[6], char out[TARGET_MAC_BYTES])
{
	snprintf(out, TARGET_MAC_BYTES, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2],
		 mac[3], mac[4], mac[5]);
	return out;
}

char *target_describe(const struct target *target, char out[TARGET_DESCRIPTION_BYTES])
{
	char mac[TARGET_MAC_BYTES], firmware[16] = "unknown", disk[100] = "no identity";

	if (target->configured)
		snprintf(firmware, sizeof(firmware), "%04x", target->firmware);
	if (target->identified)
		snprintf(disk, sizeof(disk), "%" PRIu64 " sectors, serial '%s'",
			 target->identity.sectors, target->identity.serial);
	snprintf(out, TARGET_DESCRIPTION_BYTES, "%s (firmware %s, %s)",
		 target_mac(target->mac, mac), firmware, disk);
	return out;
}

bool target_has_address(const struct target *target)
{
	return !(target->mac[0] & 1);
}

/* FNV-1a */
uint64_t target_mark_string(const struct np_aoe_config *config)
{
	uint64_t mark = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < config->string_bytes; i++)
		mark = (mark ^ config->string[i]) * UINT64_C(1099511628211);
	return mark;
}

bool target_same_identity(const struct np_ata_identity *a, const struct np_ata_identity *b)
{
	return a->sectors == b->sectors && a->extended == b->extended &&
	       !strcmp(a->serial, b->serial) && !strcmp(a->model, b->model) &&
	       !strcmp(a->firmware, b->firmware);
}

void target_header(const struct channel *channel, const struct target *target,
		   struct np_aoe_header *header)
{
	*header = (struct np_aoe_header){
		.version = 1,
		.shelf = target->shelf,
		.slot = target->slot,
	};
	memcpy(header->destination, target->mac, 6);
	memcpy(header->source, np_link_info(channel->link)->mac, 6);
}

/* An IDENTIFY command and the destination of its block. */
struct fetch {
	struct target *target;
	uint32_t tag;
	uint8_t block[NP_AOE_SECTOR_BYTES];
};

static int take_block(void *owner, const struct np_aoe_header *header, const struct np_frame *frame)
{
	struct fetch *fetch = owner;
	struct target *target = fetch->target;
	struct np_aoe_ata ata;

	if (header->shelf != target->shelf || header->slot != target->slot ||
	    other_host_answers(&target->other, header->source, target->mac))
		return 0;
	if (header->tag != fetch->tag || header->command != NP_AOE_ATA)
		return 0;
	if (header->flags & NP_AOE_FLAG_ERROR)
		return -EIO;
	if (np_aoe_ata_decode(frame->data, frame->length, &ata))
		return 0;
	if (ata.command & NP_ATA_STATUS_BAD)
		return -EIO;
	if (ata.data_bytes < sizeof(fetch->block))
		return 0;
	memcpy(fetch->block, ata.data, sizeof(fetch->block));
	return 1;
}

int target_identify(struct channel *channel, struct target *target)
{
	const struct np_aoe_ata ata = {.command = NP_ATA_IDENTIFY, .count = 1};
	struct fetch fetch = {.target = target, .tag = tags_question(&channel->tags)};
	const struct listener listener = {.take = take_block, .owner = &fetch};
	struct np_ata_identity identity;
	struct np_aoe_header header;
	uint8_t frame[64];
	int rc = 0;

	target_header(channel, target, &header);
	header.tag = fetch.tag;
	for (int try = 0; try < TRIES && !rc; try++) {
		np_time deadline = np_clock_now() + TRY_TIME;

		rc = ask_send(channel, frame,
			      np_aoe_ata_encode(frame, sizeof(frame), &header, &ata));
		if (!rc)
			rc = ask_listen(channel, &listener, &deadline);
	}
	if (rc != 1)
		return rc ? rc : -ETIMEDOUT;
	np_ata_identity_decode(fetch.block, &identity);
	if (target->identified && !target_same_identity(&identity, &target->identity))
		return -ESTALE;
	target->identity = identity;
	target->identified = true;
	return 0;
}
