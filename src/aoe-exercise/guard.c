// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* guard: judges who answers for the target and what its disk holds. */
#include "examine.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#define DRIVER	      "/sys/module/aoe"
#define DRIVER_IFLIST DRIVER "/parameters/aoe_iflist"

unsigned limits_sectors(unsigned mtu)
{
	return mtu < NP_AOE_ATA_BYTES ? 0 : (mtu - NP_AOE_ATA_BYTES) / NP_AOE_SECTOR_BYTES;
}

/* Splits the list as is_aoe_netif in the kernel's drivers/block/aoe/aoenet.c does. */
bool limits_listed(const char *list, const char *interface)
{
	static const char separators[] = " \t\v\f\n,";
	bool empty = true;

	for (size_t length; *list; list += length + (list[length] != '\0')) {
		length = strcspn(list, separators);
		if (length == strlen(interface) && !memcmp(list, interface, length))
			return true;
		empty &= !length;
	}
	return empty;
}

int limits_check(const struct session *s)
{
	const struct target_options *o = &s->options->target;
	const uint32_t clients = s->options->clients;
	const struct sweep *sweep = &s->options->traffic.sweep;
	const unsigned buffers = s->target.buffer_count, each = buffers / clients;
	const uint64_t all = (uint64_t)sweep->to * clients;
	char whose[64] = "the window is";
	const struct data_options *data = &s->options->data;
	const uint64_t asked = s->options->traffic.sector_count;
	const uint64_t disk = s->target.identity.sectors, bytes = disk * NP_AOE_SECTOR_BYTES;
	const unsigned mtu = np_link_info(s->channel->link)->mtu, fits = limits_sectors(mtu);
	const char *name = s->target.name;
	char list[1024] = "";
	FILE *file;

	if (asked > fits)
		return np_log_refuse(
			s->log, o->interface,
			"%" PRIu64 " sectors need %" PRIu64 " bytes, the MTU is %u: at most "
			"%u sectors fit; --sector-count %u, or a larger MTU",
			asked, asked * NP_AOE_SECTOR_BYTES + NP_AOE_ATA_BYTES, mtu, fits, fits);
	if (asked > s->target.sector_count)
		return np_log_refuse(s->log, name,
				     "takes at most %u sectors in a request, %" PRIu64
				     " asked for; its own MTU may be smaller; --sector-count %u",
				     s->target.sector_count, asked, s->target.sector_count);
	if (!disk || disk >= NP_AOE_LBA48_LIMIT)
		return np_log_refuse(s->log, name, "claims to have %" PRIu64 " sectors", disk);
	if (data->offset_bytes >= bytes || data->size_bytes > bytes - data->offset_bytes)
		return np_log_refuse(s->log, data->offset_bytes >= bytes ? "--offset" : "--size",
				     "reaches beyond the end of %s, which has %" PRIu64 " bytes",
				     name, bytes);
	if (clients > 1)
		snprintf(whose, sizeof(whose), "the windows of %u clients are", (unsigned)clients);
	/* Of a mesh rank 0 alone speaks, for all of them. */
	if (!sweep->automatic && !s->options->mesh.rank && all > buffers)
		np_log_warning(s->log, name,
			       "can queue %u requests, %s %" PRIu64 ": expect loss when it falls "
			       "behind (vblade -b %" PRIu64 ", or --window-size %u)",
			       buffers, whose, all, all, each ? each : 1);
	file = fopen(DRIVER_IFLIST, "re");
	if (file && !fgets(list, sizeof(list), file))
		list[0] = '\0';
	if (file)
		fclose(file);
	if (!access(DRIVER, F_OK) && limits_listed(list, o->interface))
		np_log_warning(s->log, o->interface,
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

int guard_local(const struct session *s)
{
	const struct target_options *o = &s->options->target;
	struct np_guard_verdict verdict;
	char name[TARGET_NAME_BYTES], path[64];
	int error;

	/* By its address: the target itself has not been asked yet. */
	snprintf(name, sizeof(name), "e%" PRIu64 ".%" PRIu64, o->shelf, o->slot);
	snprintf(path, sizeof(path), "/dev/etherd/%s", name);
	error = np_guard_users(path, &verdict);
	if (error)
		return np_log_refuse(s->log, path, "cannot tell whether this host uses it: %s",
				     strerror(-error));
	if (verdict.reason == NP_GUARD_FREE)
		return 0;
	if (verdict.reason != NP_GUARD_UNSEEN)
		return np_log_refuse(s->log, path, "this host uses it: %s", verdict.text);
	return object(&verdict, path, name, o->destroy && !strcmp(o->destroy, name), s->log);
}

int guard_alone(const struct session *s, const struct target *answerers, unsigned count)
{
	char who[DISCOVER_ONE_ROOM * TARGET_DESCRIPTION_BYTES], what[64];
	char mac[TARGET_MAC_BYTES], one[TARGET_DESCRIPTION_BYTES];

	if (!answerers->ambiguous)
		return 0;
	snprintf(what, sizeof(what), "%s%u targets answer for it",
		 count == DISCOVER_ONE_ROOM ? "at least " : "", count);
	if (count == 1)
		snprintf(what, sizeof(what), "two targets with one MAC address answer for it");
	/* "A, B and C", as far as it fits. */
	snprintf(who, sizeof(who), "%s", target_describe(answerers, one));
	for (unsigned i = 1; i < count; i++)
		np_text_append(who, sizeof(who), "%s%s", i + 1 < count ? ", " : " and ",
			       target_describe(&answerers[i], one));
	if (s->options->operation == OPERATION_WRITE)
		return np_log_refuse(s->log, answerers->name, "%s: %s; either might be overwritten",
				     what, who);
	np_log_warning(s->log, answerers->name, "%s: %s; going on with %s", what, who,
		       target_mac(answerers->mac, mac));
	return 0;
}

struct np_cursor guard_cursor(const struct session *s)
{
	const struct data_options *o = &s->options->data;
	const uint64_t begin = o->offset_bytes / NP_PATTERN_SECTOR_BYTES;
	const uint64_t length = o->size_bytes ? o->size_bytes / NP_PATTERN_SECTOR_BYTES
					      : s->target.identity.sectors - begin;
	struct np_cursor cursor;

	np_cursor_start(&cursor, begin, length, s->options->traffic.sector_count);
	return cursor;
}

struct np_guard_place guard_region(const struct session *s)
{
	const struct np_cursor cursor = guard_cursor(s);

	return (struct np_guard_place){
		.offset = cursor.begin * NP_AOE_SECTOR_BYTES,
		.bytes = cursor.length * NP_AOE_SECTOR_BYTES,
	};
}

/* libblkid searches the whole disk for signatures; the region has ends of its own. */
int guard_remote(const struct session *s)
{
	struct examination *x = s->examination;
	const struct target *target = &s->target;
	const uint64_t bytes = target->identity.sectors * NP_AOE_SECTOR_BYTES;
	const struct np_guard_place region = guard_region(s);
	const char *destroy = s->options->target.destroy;
	struct np_guard_verdict verdict = {0};
	char mac[TARGET_MAC_BYTES], why[EXAMINATION_TEXT];
	const char *name = target->name;
	int rc;

	if (destroy && strcmp(destroy, name))
		return np_log_refuse(s->log, "--destroy", "'%s' is not the target; expected %s",
				     destroy, name);
	rc = examination_first(x);
	if (!rc)
		rc = np_guard_content(x->image, bytes, &region, &verdict);
	if (rc) {
		snprintf(verdict.text, sizeof(verdict.text), "cannot be examined: %s",
			 examination_explain(x, rc, why));
		verdict.reason = NP_GUARD_UNREAD;
		/* Nobody can overrule that it is in doubt which target is written. */
		verdict.destroyable = rc == -ETIMEDOUT || rc == -EIO;
	}
	if (target->other.answers)
		return np_log_refuse(s->log, name, "%s answers for it, too",
				     target_mac(target->other.mac, mac));
	if (verdict.reason != NP_GUARD_FREE && object(&verdict, name, name, destroy, s->log))
		return 2;
	np_log_info(s->log,
		    "writing to %s: model '%s', serial '%s', %" PRIu64
		    " sectors, signatures: %s; mounts on other hosts cannot be seen from here",
		    name, target->identity.model, target->identity.serial, target->identity.sectors,
		    *verdict.signatures ? verdict.signatures : "none");
	return 0;
}
