# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
"""messages: those of ttcp that a host saw."""
import struct
from collections import namedtuple

import wire

START, DATA, END, ACK, START_OK = 1, 2, 3, 4, 5

Message = namedtuple("Message", "kind stream run number time size at body")


def message(data, at):
    stream, _, run, number, time, size = struct.unpack_from(">HIIQqI", data, 6)
    return Message(data[4], stream, run, number, time, size, at, bytes(data[40:size]))


def messages(path, udp, port=5001):
    """What A sent and what it got, as this host saw it; over TCP when each was complete."""
    sent, got, receiver = [], [], ":%d" % port
    if udp:
        for p in wire.packets(path):
            if p.payload[:3] == b"\x89TT":
                (got if p.source.endswith(receiver) else sent).append(message(p.payload, p.at))
        return sent, got
    for (source, _), stream in wire.streams(path).items():
        at = 0
        while at < len(stream.data):
            size, = struct.unpack_from(">I", stream.data, at + 32)
            (got if source.endswith(receiver) else sent).append(message(stream.data[at:at + size], stream.when(at + size)))
            at += size
    return sorted(sent, key=lambda m: m.at), sorted(got, key=lambda m: m.at)
