// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* datagram-test: what UDP rate do these machines sustain, with what loss and disorder? */
#include "session.h"

int main(int argc, char **argv)
{
	static const struct np_tool tool = {
		.options = &datagram_test_options,
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
