// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* datagram-test: what UDP rate do these machines sustain, with what loss and disorder? */
#include "session.h"

NP_TOOL_MAIN(datagram_test_options, struct session, options_check, session_open, session_work,
	     session_close)
