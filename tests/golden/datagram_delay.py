# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
"""datagram_delay: judges the delays and round trips of two publishers and listeners, a and b, that publish to
each other, by when the packets of each came to the other's host.

usage: datagram_delay.py AHEAD BOUND_A BOUND_B: a's monotonic clock is so many seconds ahead; the largest bounds
that a and b may state, in ns. In this folder are a.pcap and b.pcap, a.json and b.json.
"""
import struct
import sys

import wire
from figures import *

NONE, HELD_UNKNOWN = 2**64 - 1, 0xFFFFFF


def judge(name, address, bound_most, own_ahead, others_ahead):
    """@own_ahead, @others_ahead: what to add to a time of that clock for the wall clock's."""
    r = of_type(name + ".json", "summary")[0]["flows"][0]
    took, trips, whole = [], [], []
    for p in wire.packets(name + ".pcap"):
        if p.destination != address + ":9999" or p.payload[:4] != b"test":
            continue
        sent, ack = struct.unpack_from(">qQ", p.payload, 8)
        took.append(p.at - sent - others_ahead)
        if ack != NONE:
            held = struct.unpack_from(">I", p.payload, len(p.payload) - 8)[0] & HELD_UNKNOWN
            assert held != HELD_UNKNOWN, "an acknowledgement was held for longer than can be told"
            trips.append(p.at - ack - own_ahead - held * 1000)
            whole.append(p.at - ack - own_ahead)
    same(name + ": packets", r["received_packets"], len(took))
    bound, count = r["delay_bound_ns"], r["delay_ns"]["count"]
    between(name + ": bound", bound, 1, bound_most)
    # From when the clocks were compared.
    between(name + ": delays", count, len(took) // 3, len(took))
    took = took[-count:]
    check_times(name + ": delay", r["delay_ns"], [t - bound for t in took], [t + bound for t in took])
    check_times(name + ": round trip", r["rtt_ns"], [t - 2000 for t in trips], trips)
    same(name + ": acks", r["ack_ns"]["count"], len(whole))
    about(name + ": mean by acks", r["ack_ns"]["mean"], sum(whole) / len(whole))
    with open(name + ".out") as file:
        text = re.findall(r"avg ack time: ([0-9.E-]+)ms; acks (\d+)", file.read())[-1]
    same(name + ": acks in the text", int(text[1]), len(whole))
    near(name + ": mean in the text", text[0], r["ack_ns"]["mean"] / MS)
    print("%s: p50 %s of %s, bound %s; round trip %s of %s" % (
        name, *(latency(t) for t in (r["delay_ns"]["p50"], nearest_rank(took, 0.5), bound, r["rtt_ns"]["p50"], nearest_rank(trips, 0.5)))))


REAL = realtime_ahead()
A = REAL - int(sys.argv[1]) * SECOND
judge("a", "10.9.0.1", int(sys.argv[2]), A, REAL)
judge("b", "10.9.0.2", int(sys.argv[3]), REAL, A)
