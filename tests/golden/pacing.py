# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
"""pacing: judges when the messages of a paced sender left host-a, as a.pcap has them.

usage: pacing.py ttcp-udp|ttcp-tcp|datagram COUNT A-SECOND [SECONDS]: with SECONDS these and not the count end
the run. A bare loop (pace-limit) sent one packet a millisecond to port 9 meanwhile: this machine cannot do better.
"""
import sys

import wire
from figures import *
from messages import DATA, messages

KIND, COUNT, GAP = sys.argv[1], int(sys.argv[2]), 1e9 / float(sys.argv[3])
LATE = MS


def lateness(times, gap):
    """Behind the earliest schedule of this rate that none of them was ahead of."""
    times = sorted(times)
    line = min(at - i * gap for i, at in enumerate(times))
    return [at - i * gap - line for i, at in enumerate(times)]


def share_late(late):
    """In most tenths of the run: what a busy host delays, it delays in some of them."""
    parts = [late[i * len(late) // 10:(i + 1) * len(late) // 10] for i in range(10)]
    return sorted(sum(l > LATE for l in part) / len(part) for part in parts)[5]


def main():
    packets = list(wire.packets("a.pcap"))
    if KIND == "datagram":
        times = [p.at for p in packets if p.destination.endswith(":9999") and p.payload[:4] == b"test"]
    else:
        times = [m.at for m in messages("a.pcap", KIND == "ttcp-udp")[0] if m.kind == DATA]
    late = lateness(times, GAP)
    if len(sys.argv) > 4:
        due = float(sys.argv[4]) * 1e9 / GAP
        # What was due and had not gone when the time was over, since this host stopped the sender, has not gone at all.
        between("messages in that time", len(times), due - 1 - max(late) / GAP, due + 1)
    else:
        same("messages", len(times), COUNT)
    # At another rate they would fall behind more and more; what a busy host delays catches up again.
    part = len(late) // 5
    drift = (min(late[-part:]) - min(late[:part])) / (GAP * (len(late) - part))
    between("%s: drift" % KIND, drift, -0.03, 0.03)
    bare = [p.at for p in packets if p.destination.endswith(":9") and p.at <= max(times)]
    control = share_late(lateness(bare, MS))
    ours = share_late(late)
    print("%s: %d, drift %.4f, more than 1 ms late: %.3f, of a bare loop's %.3f" % (KIND, len(times), drift, ours, control))
    between("%s: share of those later than 1 ms in most tenths" % KIND, ours, 0, 0.3 + 2 * control)


main()
