// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Fuzz target of what ranks tell rank 0: any bytes as a message of the connection and, but for the
 * first, as a piece of results, pairs or drops; what is taken is packed to the same bytes and can
 * be reported.
 */
#include "../../src/lib/mesh/launch_state.h"
#include "../../src/lib/mesh/mesh_state.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RANKS 8

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void read_message(const uint8_t *data, size_t size)
{
	struct wire_message message;
	const struct wire_join *join;
	const uint8_t *blob;
	size_t at = 0, bytes;
	uint32_t rank;
	const ssize_t length = wire_parse(data, size, &message);

	must(length <= (ssize_t)size);
	if (length <= 0)
		return;
	join = wire_join_of(&message);
	if (join && message.bytes == sizeof(*join))
		must(strlen(join->program) < WIRE_NAME);
	while (wire_blob_next(&message, &at, &rank, &blob, &bytes) > 0)
		must(blob + bytes <= data + size);
}

/* What hosts dropped: of one rank, in one piece. */
static void check_dropped(const struct np_mesh *mesh, uint32_t rank, const uint8_t *piece,
			  size_t bytes)
{
	uint8_t packed[MESH_DROPPED_BYTES];
	const struct np_drops_counts *counts = np_mesh_dropped(mesh, rank);

	if (!counts)
		return;
	must(mesh_pack_dropped(counts, packed) == bytes);
	must(!memcmp(packed, piece, bytes));
}

static void report(struct np_mesh *mesh)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	must(out && !mesh_settle(mesh));
	mesh_print(mesh, 60, out);
	must(!fclose(out));
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct np_mesh_plan plan = {.pattern = NP_MESH_ALL, .ranks = RANKS};
	const struct np_mesh_words words = {
		.program = "p", .transport = "UDP", .unit = "packets", .delay = "delay"};
	struct np_mesh *mesh;

	read_message(data, size);
	if (!size || size > 64 * MESH_PAIR_BYTES)
		return 0;
	must(!mesh_create(&mesh, &plan, &words, NULL));
	mesh_take(mesh, data[0] % RANKS, data + 1, size - 1);
	for (size_t i = 0; i < mesh->count; i++) {
		uint8_t packed[MESH_PAIR_BYTES];

		must(mesh_pack(&mesh->pairs[i], 1, packed) == sizeof(packed));
		must(!memcmp(packed, data + 1 + i * sizeof(packed), sizeof(packed)));
	}
	check_dropped(mesh, data[0] % RANKS, data + 1, size - 1);
	report(mesh);
	mesh_free(mesh);
	return 0;
}
