// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* limits: compares the numbers of the target and the interface with those of the user. */
#include "limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DRIVER	      "/sys/module/aoe"
#define DRIVER_IFLIST DRIVER "/parameters/aoe_iflist"

unsigned limits_sectors(unsigned mtu)
{
	return mtu < NP_AOE_ATA_BYTES ? 0 : (mtu - NP_AOE_ATA_BYTES) / NP_AOE_SECTOR_BYTES;
}

static int check_packet(const struct options *o, const struct target *target, unsigned mtu,
			const struct np_log *log)
{
	uint64_t asked = o->traffic.sector_count;
	unsigned fits = limits_sectors(mtu);
	char name[TARGET_NAME_BYTES];

	if (asked > fits) {
		np_log_error(log, o->target.interface,
			     "%" PRIu64 " sectors need %" PRIu64 " bytes, the MTU is %u: at most "
			     "%u sectors fit; --sector-count %u, or a larger MTU",
			     asked, asked * NP_AOE_SECTOR_BYTES + NP_AOE_ATA_BYTES, mtu, fits,
			     fits);
		return 2;
	}
	if (asked > target->sector_count) {
		np_log_error(log, target_name(target, name),
			     "takes at most %u sectors in a request, %" PRIu64
			     " asked for; its own MTU may be smaller; --sector-count %u",
			     target->sector_count, asked, target->sector_count);
		return 2;
	}
	return 0;
}

static int check_region(const struct options *o, const struct target *target,
			const struct np_log *log)
{
	uint64_t bytes = target->identity.sectors * NP_AOE_SECTOR_BYTES;
	char name[TARGET_NAME_BYTES];

	if (!bytes || target->identity.sectors >= NP_AOE_LBA48_LIMIT) {
		np_log_error(log, target_name(target, name), "claims to have %" PRIu64 " sectors",
			     target->identity.sectors);
		return 2;
	}
	if (o->data.offset_bytes >= bytes || o->data.size_bytes > bytes - o->data.offset_bytes) {
		np_log_error(log, o->data.offset_bytes >= bytes ? "--offset" : "--size",
			     "reaches beyond the end of %s, which has %" PRIu64 " bytes",
			     target_name(target, name), bytes);
		return 2;
	}
	return 0;
}

/* Splits the list as is_aoe_netif in the kernel's drivers/block/aoe/aoenet.c does. */
bool limits_listed(const char *list, const char *interface)
{
	static const char separators[] = " \t\v\f\n,";
	size_t length;

	list += strspn(list, separators);
	if (!*list)
		return true;
	for (; *list; list += length + strspn(list + length, separators)) {
		length = strcspn(list, separators);
		if (length == strlen(interface) && !memcmp(list, interface, length))
			return true;
	}
	return false;
}

static bool driver_listens(const char *interface)
{
	char list[1024] = "";
	FILE *file;

	if (access(DRIVER, F_OK))
		return false;
	file = fopen(DRIVER_IFLIST, "re");
	if (file) {
		if (!fgets(list, sizeof(list), file))
			list[0] = '\0';
		fclose(file);
	}
	return limits_listed(list, interface);
}

/* Of a mesh rank 0 alone speaks, for all of them. */
static void check_window(const struct options *o, const struct target *target,
			 const struct np_log *log)
{
	const uint64_t all = (uint64_t)o->traffic.sweep.to * o->clients;
	const unsigned each = (unsigned)(target->buffer_count / o->clients);
	char name[TARGET_NAME_BYTES], whose[64] = "the window is";

	if (o->traffic.sweep.automatic || o->mesh_rank || all <= target->buffer_count)
		return;
	if (o->clients > 1)
		snprintf(whose, sizeof(whose), "the windows of %u clients are",
			 (unsigned)o->clients);
	np_log_warning(log, target_name(target, name),
		       "can queue %u requests, %s %" PRIu64 ": expect loss when it falls "
		       "behind (vblade -b %" PRIu64 ", or --window-size %u)",
		       target->buffer_count, whose, all, all, each ? each : 1);
}

int limits_check(const struct options *options, const struct target *target, unsigned mtu,
		 const struct np_log *log)
{
	if (check_packet(options, target, mtu, log) || check_region(options, target, log))
		return 2;
	check_window(options, target, log);
	if (driver_listens(options->target.interface))
		np_log_warning(log, options->target.interface,
			       "the kernel's aoe driver listens here, too; it logs our answers, "
			       "and its traffic disturbs the figures");
	return 0;
}
