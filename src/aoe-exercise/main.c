// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* aoe-exercise: how fast and how clean is ATA over Ethernet between here and a target? */
#include "session.h"

NP_TOOL_MAIN(aoe_exercise_options, struct session, options_check, session_open, session_work,
	     session_close)
