/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* ata_identity: the IDENTIFY block of a disk that a test plays. */
#pragma once

#include <netperf/aoe.h>
#include <string.h>

/* A number of @words words, the lowest first. */
static inline void ata_put(uint8_t *block, size_t word, size_t words, uint64_t number)
{
	for (size_t i = 0; i < 2 * words; i++, number >>= 8)
		block[2 * word + i] = (uint8_t)number;
}

/* The first character is in the high byte of the first word. */
static inline void ata_put_string(uint8_t *block, size_t word, const char *string, size_t bytes)
{
	const size_t length = strnlen(string, bytes);

	for (size_t i = 0; i < bytes; i++)
		block[2 * word + (i ^ 1)] = i < length ? (uint8_t)string[i] : ' ';
}

static inline void ata_identity_encode(uint8_t block[512], const struct np_ata_identity *identity)
{
	const uint64_t sectors = identity->sectors;

	memset(block, 0, 512);
	ata_put_string(block, 10, identity->serial, sizeof(identity->serial) - 1);
	ata_put_string(block, 23, identity->firmware, sizeof(identity->firmware) - 1);
	ata_put_string(block, 27, identity->model, sizeof(identity->model) - 1);
	ata_put(block, 60, 2, sectors < NP_AOE_LBA28_LIMIT ? sectors : NP_AOE_LBA28_LIMIT - 1);
	ata_put(block, 83, 1, identity->extended ? 0x4400 : 0x4000);
	ata_put(block, 86, 1, identity->extended ? 0x0400 : 0);
	ata_put(block, 100, 4, identity->extended ? sectors : 0);
}
