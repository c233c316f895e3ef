// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* guard: judges who answers for the target and what its disk holds. */
#include "guard.h"

#include "discover.h"
#include "requests.h"

#include <errno.h>
#include <inttypes.h>
#include <netperf/guard.h>
#include <stdio.h>
#include <string.h>

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
