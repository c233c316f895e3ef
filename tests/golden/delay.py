# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
"""delay: judges the delays that both ends of a run of ttcp over UDP state, by when its messages came to host-b.

usage: delay.py AHEAD BOUND: host-a's wall clock is so many seconds ahead of host-b's; the largest bound
that they may state, in ns. In this folder are b.pcap, rx.json and tx.json.
"""
import sys

from figures import *
from messages import DATA, messages

AHEAD, BOUND = int(sys.argv[1]) * SECOND, int(sys.argv[2])


def main():
    took = [m.at - m.time + AHEAD for m in messages("b.pcap", True)[0] if m.kind == DATA]
    for end in "rx", "tx":
        r, = of_type(end + ".json", "summary")
        r = r["receivers"][0] if end == "tx" else r
        bound = r["delay_bound_ns"]
        between(end + ": bound", bound, 1, BOUND)
        raw = {name: value + AHEAD * (name != "count") for name, value in r["delay_raw_ns"].items()}
        check_times(end + ": by both clocks", raw, took)
        check_times(end + ": corrected", r["delay_ns"], [t - bound for t in took], [t + bound for t in took])
        between(end + ": offset", r["clock_offset_ns"] + AHEAD, -bound - STAMPS, bound + STAMPS)
    print("p50 %s, bound %s, true %s" % tuple(latency(t) for t in (r["delay_ns"]["p50"], bound, nearest_rank(took, 0.5))))


main()
