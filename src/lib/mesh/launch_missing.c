// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* launch_missing: names the ranks that are missing and why, and the reasons of failures. */
#include "../base/late.h"
#include "config.h"

#include <errno.h>
#include <netperf/launch.h>
#include <stdlib.h>
#include <string.h>

const char *np_launch_state_text(enum np_launch_state state)
{
	static const char *const texts[] = {
		[NP_LAUNCH_HERE] = "present",
		[NP_LAUNCH_ABSENT] = "never started",
		[NP_LAUNCH_GONE] = "died",
		[NP_LAUNCH_SILENT] = "does not answer",
		[NP_LAUNCH_OTHER] = "runs another program or version",
		[NP_LAUNCH_WRONG] = "sent what cannot be understood",
	};

	return texts[state];
}

static void put_state(FILE *out, const struct np_launch *launch, enum np_launch_state state,
		      bool *first)
{
	const uint32_t size = np_launch_size(launch);
	uint32_t count = 0;

	for (uint32_t i = 0; i < size; i++)
		count += np_launch_state(launch, i) == state;
	if (!count)
		return;
	fprintf(out, "%s%s ", *first ? "" : "; ", count == 1 ? "rank" : "ranks");
	*first = false;
	for (uint32_t i = 0, put = 0; i < size; i++) {
		const char *host = np_launch_host(launch, i);

		if (np_launch_state(launch, i) != state)
			continue;
		fputs(put++ ? ", " : "", out);
		fprintf(out, host ? "%u (%s)" : "%u", i, host);
	}
	fprintf(out, ": %s", np_launch_state_text(state));
}

char *np_launch_describe_missing(const struct np_launch *launch, char *text, size_t room)
{
	char *all = NULL;
	size_t bytes = 0;
	bool first = true;
	FILE *out = open_memstream(&all, &bytes);

	text[0] = '\0';
	if (!out)
		return text;
	for (int state = NP_LAUNCH_ABSENT; state <= NP_LAUNCH_WRONG; state++)
		put_state(out, launch, (enum np_launch_state)state, &first);
	if (!fclose(out)) {
		memcpy(text, all, bytes < room ? bytes + 1 : room);
		text[room - 1] = '\0';
		if (bytes >= room && room > 4)
			memcpy(text + room - 4, "...", 4);
	}
	free(all);
	return text;
}

void np_launch_record(const struct np_launch *launch, struct np_record *record)
{
	np_record_count(record, "ranks", np_launch_size(launch));
	np_record_count(record, "ranks_missing", np_launch_missing(launch));
	for (uint32_t i = 0; i < np_launch_size(launch); i++) {
		const enum np_launch_state state = np_launch_state(launch, i);
		struct np_record *one;

		if (state == NP_LAUNCH_HERE)
			continue;
		one = np_record_append(record, "missing");
		np_record_count(one, "rank", i);
		np_record_text(one, "host", np_launch_host(launch, i));
		np_record_text(one, "why", np_launch_state_text(state));
	}
}

const char *np_launch_reason(int error)
{
	static const struct {
		int error;
		const char *text;
	} reasons[] = {
		{EOPNOTSUPP, "built without libpmix: start each program by hand, or build with "
			     "libpmix (./configure)"},
		{EPROTONOSUPPORT, LATE_LACKS(LIBPMIX_SONAME, "libpmix2") ", or start each program "
									 "by hand"},
		{ENOENT, "no launcher has started this process; start it by mpirun -n N, or by "
			 "srun --mpi=pmix -n N"},
		{ESTALE, "rank 0 has gone on without this rank, or refused it"},
		{ECONNRESET, "rank 0 has died"},
		{ECONNREFUSED,
		 "rank 0 has died before this rank found it, or is not reached from here by "
		 "its address; see --interface"},
		{ETIMEDOUT, "rank 0 does not answer"},
		{ECANCELED, "interrupted"},
		{EIO, "PMIx failed"},
		{EBADMSG, "rank 0 sent what cannot be understood"},
		{E2BIG, "too much data for the other ranks"},
		{ERANGE, "more ranks than supported"},
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		if (reasons[i].error == -error)
			return reasons[i].text;
	}
	return strerror(-error);
}

int np_launch_exit_status(int error)
{
	return error == -ECONNRESET || error == -ETIMEDOUT || error == -ESTALE ? 1 : 2;
}
