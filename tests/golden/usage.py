# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
"""usage: runs a program that works in the kernel mostly, and compares the processor times of its summary
with those that the kernel tells its parent.

usage: usage.py JSON COMMAND...
"""
import os
import sys

from figures import *

pid = os.fork()
if not pid:
    os.execvp(sys.argv[2], sys.argv[2:])
_, status, used = os.wait4(pid, 0)
same("exit status", os.waitstatus_to_exitcode(status), 0)
cpu = of_type(sys.argv[1], "summary")[0]["cpu"]
user, system = used.ru_utime * SECOND, used.ru_stime * SECOND
# What it does after its summary is not in it; the kernel shares out the sum by what ran at its ticks.
assert system > 2 * user + 50 * MS, "user %d, system %d: they cannot be told apart" % (user, system)
between("user_ns", cpu["user_ns"], 0, user + MS)
between("system_ns", cpu["system_ns"], system * 0.5, system + MS)
print("user %.3f s, system %.3f s" % (used.ru_utime, used.ru_stime))
