// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* guard: judges who answers for the target and what its disk holds. */
#include "guard.h"

#include "discover.h"
#include "requests.h"

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

#define NODES "/dev/etherd"

/* Whether --destroy names the target by its address; the target itself has not been asked yet. */
static bool is_named(const struct options *options, char name[TARGET_NAME_BYTES])
{
	snprintf(name, TARGET_NAME_BYTES, "e%" PRIu64 ".%" PRIu64, options->target.shelf,
		 options->target.slot);
	return options->target.destroy && strcmp(options->target.destroy, name) == 0;
}

/* What cannot be seen, --destroy overrides. Returns 0 or the exit status 2. */
static int refuse_unseen(const char *path, const char *what, const char *name, bool named,
			 const struct np_log *log)
{
	if (named)
		np_log_warning(log, path, "%s; overwriting it, as --destroy says", what);
	else
		np_log_error(log, path, "%s; --destroy=%s overwrites it all the same", what, name);
	return named ? 0 : 2;
}

/* Returns 0 when @path is not in use or --destroy overrides, else the exit status 2. */
static int ask(const char *path, const char *name, bool named, const struct np_log *log)
{
	struct np_guard_verdict verdict;
	int error;

	error = np_guard_users(path, &verdict);
	if (error) {
		np_log_error(log, path, "cannot tell whether this host uses it: %s",
			     strerror(-error));
		return 2;
	}
	if (verdict.reason == NP_GUARD_FREE)
		return 0;
	if (verdict.reason != NP_GUARD_UNSEEN) {
		np_log_error(log, path, "this host uses it: %s", verdict.text);
		return 2;
	}
	if (!verdict.destroyable)
		return np_log_refuse(log, path, "%s", verdict.text);
	return refuse_unseen(path, verdict.text, name, named, log);
}

int guard_local(const struct options *options, const struct np_log *log)
{
	char name[TARGET_NAME_BYTES], path[64];
	const bool named = is_named(options, name);

	snprintf(path, sizeof(path), NODES "/%s", name);
	return ask(path, name, named, log);
}

/* Writes "A, B and C", as far as it fits. */
static void name_all(char *out, size_t room, const struct target *answerers, unsigned count)
{
	char one[TARGET_DESCRIPTION_BYTES];
	size_t used = 0;

	for (unsigned i = 0; i < count && used < room; i++)
		used += (size_t)snprintf(out + used, room - used, "%s%s",
					 !i		 ? ""
					 : i + 1 < count ? ", "
							 : " and ",
					 target_describe(&answerers[i], one));
}

int guard_alone(const struct options *options, const struct target *answerers, unsigned count,
		const struct np_log *log)
{
	bool write = options->operation == OPERATION_WRITE;
	char who[DISCOVER_ONE_ROOM * TARGET_DESCRIPTION_BYTES], what[64];
	char name[TARGET_NAME_BYTES], mac[TARGET_MAC_BYTES];

	if (!answerers->ambiguous)
		return 0;
	snprintf(what, sizeof(what), "%s%u targets answer for it",
		 count == DISCOVER_ONE_ROOM ? "at least " : "", count);
	if (count == 1)
		snprintf(what, sizeof(what), "two targets, or a path that doubles every frame");
	target_name(answerers, name);
	name_all(who, sizeof(who), answerers, count);
	if (write) {
		np_log_error(log, name, "%s: %s; either might be overwritten", what, who);
		return 2;
	}
	np_log_warning(log, name, "%s: %s; going on with %s", what, who,
		       target_mac(answerers->mac, mac));
	return 0;
}

struct np_guard_place guard_region(const struct options *options, const struct target *target)
{
	struct np_cursor cursor = requests_cursor(options, target);

	return (struct np_guard_place){
		.offset = cursor.begin * NP_AOE_SECTOR_BYTES,
		.bytes = cursor.length * NP_AOE_SECTOR_BYTES,
	};
}

/* Searches the whole disk for signatures; the region to be written has ends of its own. */
static int examine(struct examination *x, uint64_t bytes, const struct np_guard_place *region,
		   struct np_guard_verdict *verdict)
{
	int rc = examination_first(x), image = examination_image(x);

	if (!rc)
		rc = np_guard_content(image, bytes, verdict);
	if (!rc && verdict->reason == NP_GUARD_FREE)
		rc = np_guard_region(image, region, verdict);
	return rc;
}

/* Explains why it could not be examined, and whether --destroy can override that. */
static void explain(const struct examination *x, int error, struct np_guard_verdict *verdict)
{
	char why[EXAMINATION_TEXT];

	snprintf(verdict->text, sizeof(verdict->text), "cannot be examined: %s",
		 examination_explain(x, error, why));
	verdict->reason = NP_GUARD_UNREAD;
	verdict->destroyable = error == -ETIMEDOUT || error == -EIO;
}

/* Judges its content. Returns 0 or the exit status 2. */
static int judge(const struct options *options, const char *name,
		 const struct np_guard_verdict *verdict, const struct np_log *log)
{
	if (verdict->reason == NP_GUARD_FREE)
		return 0;
	if (!verdict->destroyable)
		return np_log_refuse(log, name, "%s", verdict->text);
	if (!options->target.destroy)
		return np_log_refuse(log, name, "%s; --destroy=%s overwrites it", verdict->text,
				     name);
	np_log_warning(log, name, "%s; overwriting it, as --destroy says", verdict->text);
	return 0;
}

int guard_remote(struct examination *examination, const struct options *options,
		 struct target *target, const struct np_log *log)
{
	struct np_guard_place region = guard_region(options, target);
	struct np_guard_verdict verdict = {0};
	const char *destroy = options->target.destroy;
	char name[TARGET_NAME_BYTES], mac[TARGET_MAC_BYTES];
	int rc;

	target_name(target, name);
	if (destroy && strcmp(destroy, name))
		return np_log_refuse(log, "--destroy", "'%s' is not the target; expected %s",
				     destroy, name);
	rc = examine(examination, target->identity.sectors * NP_AOE_SECTOR_BYTES, &region,
		     &verdict);
	if (rc)
		explain(examination, rc, &verdict);
	if (target->stranger.answers)
		return np_log_refuse(log, name, "%s answers for it, too",
				     target_mac(target->stranger.mac, mac));
	if (judge(options, name, &verdict, log))
		return 2;
	np_log_info(log,
		    "writing to %s: model '%s', serial '%s', %" PRIu64
		    " sectors, signatures: %s; mounts on other hosts cannot be seen from here",
		    name, target->identity.model, target->identity.serial, target->identity.sectors,
		    *verdict.signatures ? verdict.signatures : "none");
	return 0;
}
