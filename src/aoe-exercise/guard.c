// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* guard: judges who answers for the target and what its disk holds. */
#include "guard.h"

#include <errno.h>
#include <inttypes.h>
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

	if (asked > fits)
		return np_log_refuse(
			log, o->target.interface,
			"%" PRIu64 " sectors need %" PRIu64 " bytes, the MTU is %u: at most "
			"%u sectors fit; --sector-count %u, or a larger MTU",
			asked, asked * NP_AOE_SECTOR_BYTES + NP_AOE_ATA_BYTES, mtu, fits, fits);
	if (asked > target->sector_count) {
		return np_log_refuse(log, target_name(target, name),
				     "takes at most %u sectors in a request, %" PRIu64
				     " asked for; its own MTU may be smaller; --sector-count %u",
				     target->sector_count, asked, target->sector_count);
	}
	return 0;
}

static int check_region(const struct options *o, const struct target *target,
			const struct np_log *log)
{
	uint64_t bytes = target->identity.sectors * NP_AOE_SECTOR_BYTES;
	char name[TARGET_NAME_BYTES];

	if (!bytes || target->identity.sectors >= NP_AOE_LBA48_LIMIT)
		return np_log_refuse(log, target_name(target, name),
				     "claims to have %" PRIu64 " sectors",
				     target->identity.sectors);
	if (o->data.offset_bytes >= bytes || o->data.size_bytes > bytes - o->data.offset_bytes) {
		return np_log_refuse(log, o->data.offset_bytes >= bytes ? "--offset" : "--size",
				     "reaches beyond the end of %s, which has %" PRIu64 " bytes",
				     target_name(target, name), bytes);
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

/* An objection that --destroy overrides if it @is_named there. Returns 0 or the exit status 2. */
static int object(const struct np_guard_verdict *verdict, const char *what, const char *name,
		  bool is_named, const struct np_log *log)
{
	const char *anyway = verdict->reason == NP_GUARD_UNSEEN ? " all the same" : "";

	if (!verdict->destroyable)
		return np_log_refuse(log, what, "%s", verdict->text);
	if (!is_named)
		return np_log_refuse(log, what, "%s; --destroy=%s overwrites it%s", verdict->text,
				     name, anyway);
	np_log_warning(log, what, "%s; overwriting it, as --destroy says", verdict->text);
	return 0;
}

int guard_local(const struct options *options, const struct np_log *log)
{
	const struct target_options *o = &options->target;
	struct np_guard_verdict verdict;
	char name[TARGET_NAME_BYTES], path[64];
	int error;

	/* By its address: the target itself has not been asked yet. */
	snprintf(name, sizeof(name), "e%" PRIu64 ".%" PRIu64, o->shelf, o->slot);
	snprintf(path, sizeof(path), "/dev/etherd/%s", name);
	error = np_guard_users(path, &verdict);
	if (error)
		return np_log_refuse(log, path, "cannot tell whether this host uses it: %s",
				     strerror(-error));
	if (verdict.reason == NP_GUARD_FREE)
		return 0;
	if (verdict.reason != NP_GUARD_UNSEEN)
		return np_log_refuse(log, path, "this host uses it: %s", verdict.text);
	return object(&verdict, path, name, o->destroy && !strcmp(o->destroy, name), log);
}

int guard_alone(const struct options *options, const struct target *answerers, unsigned count,
		const struct np_log *log)
{
	bool write = options->operation == OPERATION_WRITE;
	char who[DISCOVER_ONE_ROOM * TARGET_DESCRIPTION_BYTES], what[64];
	char name[TARGET_NAME_BYTES], mac[TARGET_MAC_BYTES], one[TARGET_DESCRIPTION_BYTES];
	size_t used = 0;

	if (!answerers->ambiguous)
		return 0;
	snprintf(what, sizeof(what), "%s%u targets answer for it",
		 count == DISCOVER_ONE_ROOM ? "at least " : "", count);
	if (count == 1)
		snprintf(what, sizeof(what), "two targets with one MAC address answer for it");
	target_name(answerers, name);
	/* "A, B and C", as far as it fits. */
	for (unsigned i = 0; i < count && used < sizeof(who); i++)
		used += (size_t)snprintf(who + used, sizeof(who) - used, "%s%s",
					 !i		 ? ""
					 : i + 1 < count ? ", "
							 : " and ",
					 target_describe(&answerers[i], one));
	if (write)
		return np_log_refuse(log, name, "%s: %s; either might be overwritten", what, who);
	np_log_warning(log, name, "%s: %s; going on with %s", what, who,
		       target_mac(answerers->mac, mac));
	return 0;
}

struct np_cursor guard_cursor(const struct options *options, const struct target *target)
{
	const uint64_t begin = options->data.offset_bytes / NP_PATTERN_SECTOR_BYTES;
	uint64_t length = target->identity.sectors - begin;
	struct np_cursor cursor;

	if (options->data.size_bytes)
		length = options->data.size_bytes / NP_PATTERN_SECTOR_BYTES;
	np_cursor_start(&cursor, begin, length, options->traffic.sector_count);
	return cursor;
}

struct np_guard_place guard_region(const struct options *options, const struct target *target)
{
	const struct np_cursor cursor = guard_cursor(options, target);

	return (struct np_guard_place){
		.offset = cursor.begin * NP_AOE_SECTOR_BYTES,
		.bytes = cursor.length * NP_AOE_SECTOR_BYTES,
	};
}

/* libblkid searches the whole disk for signatures; the region has ends of its own. */
int guard_remote(struct examination *examination, const struct options *options,
		 const struct np_log *log)
{
	const struct target *target = examination->target;
	const uint64_t bytes = target->identity.sectors * NP_AOE_SECTOR_BYTES;
	struct np_guard_place region = guard_region(options, target);
	struct np_guard_verdict verdict = {0};
	const char *destroy = options->target.destroy;
	char name[TARGET_NAME_BYTES], mac[TARGET_MAC_BYTES], why[EXAMINATION_TEXT];
	int rc;

	target_name(target, name);
	if (destroy && strcmp(destroy, name))
		return np_log_refuse(log, "--destroy", "'%s' is not the target; expected %s",
				     destroy, name);
	rc = examination_first(examination);
	if (!rc)
		rc = np_guard_content(examination->image, bytes, &verdict);
	if (!rc && verdict.reason == NP_GUARD_FREE)
		rc = np_guard_region(examination->image, &region, &verdict);
	if (rc) {
		snprintf(verdict.text, sizeof(verdict.text), "cannot be examined: %s",
			 examination_explain(examination, rc, why));
		verdict.reason = NP_GUARD_UNREAD;
		/* Nobody can overrule that it is in doubt which target is written. */
		verdict.destroyable = rc == -ETIMEDOUT || rc == -EIO;
	}
	if (target->other.answers)
		return np_log_refuse(log, name, "%s answers for it, too",
				     target_mac(target->other.mac, mac));
	if (verdict.reason != NP_GUARD_FREE && object(&verdict, name, name, destroy, log))
		return 2;
	np_log_info(log,
		    "writing to %s: model '%s', serial '%s', %" PRIu64
		    " sectors, signatures: %s; mounts on other hosts cannot be seen from here",
		    name, target->identity.model, target->identity.serial, target->identity.sectors,
		    *verdict.signatures ? verdict.signatures : "none");
	return 0;
}
