# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
"""delay: judges the delays that both ends of a run of ttcp state, by when its messages came to host-b; over TCP a
receiver looks after that, and before it sends their ACKs.

usage: delay.py AHEAD BOUND [tcp]: host-a's wall clock is so many seconds ahead of host-b's; the largest bound
that they may state, in ns. In this folder are b.pcap, rx.json and tx.json.
"""
import sys

from figures import *
from messages import ACK, DATA, messages

AHEAD, BOUND, UDP = int(sys.argv[1]) * SECOND, int(sys.argv[2]), sys.argv[3:] != ["tcp"]


def main():
    sent, answers = messages("b.pcap", UDP)
    left = {m.number: m.at for m in answers if m.kind == ACK}
    sent = [m for m in sent if m.kind == DATA]
    took = [m.at - m.time + AHEAD for m in sent]
    most = took if UDP else [left[m.number] - m.time + AHEAD for m in sent]
    for end in "rx", "tx":
        r, = of_type(end + ".json", "summary")
        r = r["receivers"][0] if end == "tx" else r
        bound = r["delay_bound_ns"]
        between(end + ": bound", bound, 1, BOUND)
        raw = {name: value + AHEAD * (name != "count") for name, value in r["delay_raw_ns"].items()}
        # Percentiles are counted from as far below 0 as the clocks may be apart.
        check_times(end + ": by both clocks", raw, took, most, 0 if UDP else 2 * bound)
        check_times(end + ": corrected", r["delay_ns"], [t - bound for t in took], [t + bound for t in most],
                    0 if UDP else 2 * bound)
        between(end + ": offset", r["clock_offset_ns"] + AHEAD, -bound - STAMPS, bound + STAMPS)
    print("p50 %s, bound %s, true %s" % tuple(latency(t) for t in (r["delay_ns"]["p50"], bound, nearest_rank(took, 0.5))))


main()
