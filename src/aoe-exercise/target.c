// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* target: what it is called, what tells it from others, and how it is addressed. */
#include "target.h"

#include <errno.h>
#include <inttypes.h>

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

int target_decode(const struct np_aoe_header *header, const struct np_frame *frame, size_t sectors,
		  struct np_aoe_ata *ata)
{
	*ata = (struct np_aoe_ata){0};
	if (header->command != NP_AOE_ATA)
		return 0;
	if (header->flags & NP_AOE_FLAG_ERROR)
		return -EIO;
	if (np_aoe_ata_decode(frame->data, frame->length, ata))
		return 0;
	if (ata->command & NP_ATA_STATUS_BAD)
		return -EIO;
	return ata->data_bytes >= sectors * NP_AOE_SECTOR_BYTES;
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
