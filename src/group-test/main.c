// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* group-test: how many messages a second, when every member of a group hears every sender? */
#include "session.h"

NP_TOOL_MAIN(group_test_options, struct session, options_check, session_open, session_work,
	     session_close)
