// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* guard_layers: the list of layers. */
#include "guard_layers.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define LAYERS_MAX 65536

bool guard_place_is(const struct guard_place *one, const struct guard_place *other)
{
	return one->device == other->device && one->inode == other->inode;
}

int guard_layers_add(struct guard_layers *layers, const struct guard_layer *layer)
{
	struct guard_layer *larger;
	size_t room;

	if (layers->count == LAYERS_MAX)
		return -E2BIG;
	if (layers->count == layers->room) {
		room = layers->room ? layers->room * 2 : 32;
		larger = reallocarray(layers->layer, room, sizeof(*larger));
		if (!larger)
			return -ENOMEM;
		layers->layer = larger;
		layers->room = room;
	}
	layers->layer[layers->count++] = *layer;
	return 0;
}

void guard_layers_free(struct guard_layers *layers)
{
	free(layers->layer);
	layers->layer = NULL;
}

void guard_layers_suspect(struct guard_layers *layers, dev_t loop)
{
	for (size_t i = 0; i < layers->suspects && i < GUARD_SUSPECTS; i++) {
		if (layers->suspect[i] == loop)
			return;
	}
	if (layers->suspects < GUARD_SUSPECTS)
		layers->suspect[layers->suspects] = loop;
	if (layers->suspects <= GUARD_SUSPECTS)
		layers->suspects++;
}

void guard_layers_blind(struct guard_layers *layers, bool loop, const char *format, ...)
{
	va_list arguments;

	/* An unknown that is not about loop devices is the graver one. */
	if (layers->blind[0] != '\0' && (loop || !layers->blind_to_loops))
		return;
	layers->blind_to_loops = loop;
	va_start(arguments, format);
	vsnprintf(layers->blind, sizeof(layers->blind), format, arguments);
	va_end(arguments);
}
