// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* aoe-exercise: how fast and how clean is ATA over Ethernet between here and a target? */
#include "session.h"

int main(int argc, char **argv)
{
	static const struct np_tool tool = {
		.options = &aoe_exercise_options,
		.options_bytes = sizeof(struct options),
		.state_bytes = sizeof(struct session),
		.report = offsetof(struct options, report),
		.check = options_check,
		.open = session_open,
		.work = session_work,
		.close = session_close,
	};

	return np_tool_main(&tool, argc, argv, stderr);
}
