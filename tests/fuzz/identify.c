// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Fuzz target of IDENTIFY: any block decodes to tame strings and sizes, and what was decoded
 * comes back from its own block.
 */
#include "../unit/ata_identity.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void must_be_tame(const char *string, size_t room)
{
	const size_t length = strnlen(string, room);

	must(length < room);
	for (size_t i = 0; i < length; i++)
		must(string[i] >= ' ' && string[i] <= '~');
	must(!length || (string[0] != ' ' && string[length - 1] != ' '));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct np_ata_identity identity, back;
	uint8_t block[512] = {0};

	memcpy(block, data, size < sizeof(block) ? size : sizeof(block));
	np_ata_identity_decode(block, &identity);
	must_be_tame(identity.serial, sizeof(identity.serial));
	must_be_tame(identity.firmware, sizeof(identity.firmware));
	must_be_tame(identity.model, sizeof(identity.model));
	must(identity.sectors < (identity.extended ? NP_AOE_LBA48_LIMIT : NP_AOE_LBA28_LIMIT));

	ata_identity_encode(block, &identity);
	np_ata_identity_decode(block, &back);
	must(!strcmp(back.serial, identity.serial));
	must(!strcmp(back.firmware, identity.firmware));
	must(!strcmp(back.model, identity.model));
	must(back.sectors == identity.sectors);
	must(back.extended == identity.extended);
	return 0;
}
