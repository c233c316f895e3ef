// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * guard_dm: reads the device mapper's tables, so that adjacent logical volumes on one disk are told
 * from stacked ones. Without a table they count as stacked.
 */
#include "guard_layers.h"
#include "sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <netperf/units.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define TABLE_BYTES 65536

/* The table of @device as struct dm_ioctl and what follows it, to be freed; NULL: not available. */
static struct dm_ioctl *read_table(dev_t device)
{
	struct dm_ioctl *table = calloc(1, TABLE_BYTES);
	int fd = open("/dev/mapper/control", O_RDWR | O_CLOEXEC), result;

	if (!table || fd < 0) {
		result = -1;
	} else {
		table->version[0] = DM_VERSION_MAJOR;
		table->data_size = TABLE_BYTES;
		table->data_start = sizeof(*table);
		table->dev = device;
		table->flags = DM_STATUS_TABLE_FLAG;
		result = ioctl(fd, DM_TABLE_STATUS, table);
	}
	if (fd >= 0)
		close(fd);
	if (result == 0 && !(table->flags & DM_BUFFER_FULL_FLAG))
		return table;
	free(table);
	return NULL;
}

/* Parses "MAJOR:MINOR START", in sectors, the parameters of a linear target. */
static bool parse_linear(const char *parameters, struct guard_layer *layer)
{
	const char *blank = strchr(parameters, ' ');
	char device[32];
	uint64_t start;

	if (!blank || (size_t)(blank - parameters) >= sizeof(device))
		return false;
	memcpy(device, parameters, (size_t)(blank - parameters));
	device[blank - parameters] = '\0';
	if (sysfs_parse_device(device, &layer->lower.device) ||
	    np_units_parse_count(blank + 1, 0, UINT64_MAX / 512, &start))
		return false;
	layer->lower_begin = start * 512;
	return true;
}

/*
 * Adds one target of the table as a layer. A thin volume is to its pool what a file is to its file
 * system: its blocks belong to nobody else, so that it shares no storage.
 */
static bool add_target(struct guard_layers *layers, dev_t device, const struct dm_target_spec *spec,
		       const char *parameters)
{
	struct guard_layer layer = {
		.kind = GUARD_MEMBER,
		.upper.device = device,
		.upper_begin = spec->sector_start * 512,
		.bytes = spec->length * 512,
	};

	if (strcmp(spec->target_type, "thin") == 0 || strcmp(spec->target_type, "zero") == 0 ||
	    strcmp(spec->target_type, "error") == 0)
		return true;
	return strcmp(spec->target_type, "linear") == 0 && parse_linear(parameters, &layer) &&
	       guard_layers_add(layers, &layer) == 0;
}

/* Each target tells the distance to the next one, counted from the first. */
static bool add_targets(struct guard_layers *layers, dev_t device, const struct dm_ioctl *table)
{
	const char *data = (const char *)table + table->data_start;
	const struct dm_target_spec *spec;
	size_t at = 0, end;

	if (table->data_start >= TABLE_BYTES || table->target_count == 0)
		return false;
	end = TABLE_BYTES - table->data_start;
	for (uint32_t i = 0; i < table->target_count; i++) {
		if (at > end - sizeof(*spec) || at % _Alignof(struct dm_target_spec))
			return false;
		spec = (const struct dm_target_spec *)(const void *)(data + at);
		if (!memchr(spec + 1, '\0', end - at - sizeof(*spec)))
			return false;
		if (!add_target(layers, device, spec, (const char *)(spec + 1)))
			return false;
		at = spec->next;
	}
	return true;
}

/*
 * Removes the scattered layers of @device among those before @until; their order does not matter.
 */
static void forget_scattered(struct guard_layers *layers, dev_t device, size_t until)
{
	for (size_t i = until; i-- > 0;) {
		if (!layers->layer[i].scattered || layers->layer[i].upper.device != device)
			continue;
		layers->layer[i] = layers->layer[--layers->count];
	}
}

bool guard_layers_read_mapping(struct guard_layers *layers, dev_t device)
{
	size_t before = layers->count;
	struct dm_ioctl *table;
	char name[8];
	bool done;

	if (sysfs_read_block(device, "dm/name", name, sizeof(name)))
		return false;
	table = read_table(device);
	if (!table)
		return false;
	done = add_targets(layers, device, table);
	free(table);
	if (done)
		forget_scattered(layers, device, before);
	else
		layers->count = before;
	return done;
}
