# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
"""wire: what tcpdump recorded of a run, with the kernel's stamps (CLOCK_REALTIME, ns)."""
import struct
from collections import namedtuple

Packet = namedtuple("Packet", "at protocol source destination seq flags payload")
UDP, TCP = 17, 6
SYN, FIN = 2, 1


def packets(path):
    """The UDP and TCP packets over IPv4 of a capture of nanoseconds, in order."""
    with open(path, "rb") as file:
        data = file.read()
    magic, link = struct.unpack_from("<I16xI", data)
    assert magic == 0xA1B23C4D and link == 1, "no Ethernet capture of nanoseconds"
    at = 24
    while at + 16 <= len(data):
        seconds, ns, kept, length = struct.unpack_from("<4I", data, at)
        frame = data[at + 16:at + 16 + kept]
        at += 16 + kept
        if frame[12:14] != b"\x08\x00" or frame[23] not in (UDP, TCP):
            continue
        assert kept == length, "a frame was cut"
        ip = 14 + 4 * (frame[14] & 15)
        end = 14 + struct.unpack_from(">H", frame, 16)[0]
        ports = struct.unpack_from(">2H", frame, ip)
        source, destination = (".".join(map(str, frame[a:a + 4])) + ":" + str(port)
                               for a, port in zip((26, 30), ports))
        seq, flags, body = 0, 0, ip + 8
        if frame[23] == TCP:
            seq, = struct.unpack_from(">I", frame, ip + 4)
            flags, body = frame[ip + 13], ip + 4 * (frame[ip + 12] >> 4)
        yield Packet(seconds * 10**9 + ns, frame[23], source, destination, seq, flags, frame[body:end])


class Stream:
    """One way of a TCP connection: its bytes, and when each had come with all before it."""

    def __init__(self):
        self.first, self.data, self.come, self.later = None, bytearray(), [], {}

    def take(self, packet):
        if packet.flags & SYN:
            self.first = (packet.seq + 1) & 0xFFFFFFFF
        if self.first is None or not packet.payload:
            return
        self.later[(packet.seq - self.first) & 0xFFFFFFFF] = packet.payload
        for at in sorted(self.later):
            if at > len(self.data):
                break
            new = self.later.pop(at)[len(self.data) - at:]
            if new:
                self.data += new
                self.come.append((len(self.data), packet.at))

    def when(self, length):
        """When the first @length bytes had come."""
        return next(at for end, at in self.come if end >= length)


def streams(path):
    """{(source, destination): Stream}"""
    ways = {}
    for packet in packets(path):
        if packet.protocol == TCP:
            ways.setdefault((packet.source, packet.destination), Stream()).take(packet)
    return ways
