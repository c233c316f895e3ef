# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
"""buffers: a sender of ttcp whose messages go many in a buffer (UDP_SEGMENT), some of them again, late, damaged
or never. What ttcp has to count of it is in net/ttcp-buffers.

usage: buffers.py PORT [far|more]: to 127.0.0.1
	far	but two buffers, with a message further behind than any receiver remembers
	more	but one buffer, with more messages than the end tells of
"""
import socket
import struct
import sys

from forge import check_value

DATA, END = 2, 3
BYTES, BATCH = 1200, 40
TIME = 1000 * 10**9
FAR = 1 << 21  # a receiver's window is the half of it
UDP_SEGMENT = 103


def message(kind, number, time, rest):
    """Its check value covers the head alone in DATA, else all."""
    head = b"\x89TT" + struct.pack(">BBBHIIQqI", 1, kind, 0, 0, 7, 1, number, time, 40 + len(rest))
    return head + struct.pack(">I", check_value(head) if kind == DATA else check_value(head, rest)) + rest


def data(*numbers, time=TIME):
    fill = bytes(0x20 + i % 95 for i in range(BYTES))
    return [message(DATA, n, time, fill[40:]) for n in numbers]


def damaged(datagram, byte):
    return datagram[:byte] + bytes([datagram[byte] ^ 1]) + datagram[byte + 1:]


def main():
    out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    out.connect(("127.0.0.1", int(sys.argv[1])))

    def buffer(datagrams):
        """In one system call, or the receiver would not have a buffer of them."""
        assert len(datagrams) == BATCH, len(datagrams)
        out.sendmsg([b"".join(datagrams)], [(socket.IPPROTO_UDP, UDP_SEGMENT, struct.pack("=H", BYTES))])

    def end(count):
        out.send(message(END, count, TIME, bytes(32)))

    if sys.argv[2:] == ["far"]:
        buffer(data(*range(20), *range(FAR, FAR + 20)))
        buffer(data(*range(FAR + 20, FAR + 59), 30))
        end(FAR + 59)
    elif sys.argv[2:] == ["more"]:
        buffer(data(*range(BATCH)))
        end(BATCH // 2)
    else:
        buffer(data(*range(40)))
        # Two left out, five again.
        buffer(data(*range(40, 50), *range(52, 62), *range(45, 50), *range(62, 77)))
        # One with another fill, one with another header.
        third = data(*range(77, 117))
        third[13], third[23] = damaged(third[13], 700), damaged(third[23], 20)
        buffer(third)
        # One of the two, late; then two times in one buffer.
        buffer(data(50, *range(117, 137)) + data(*range(137, 156), time=TIME + 10**6))
        end(160)


main()
