# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
"""forge: sends what neither end of a run of ttcp or datagram-test did.

usage: forge.py NETIF WHAT COUNT SOURCE: waits for a datagram of a run at NETIF, and sends COUNT of, as from its
sender's port and SOURCE, an address of this host:
	number		a message of ttcp's run with a number that it does not have
	data		messages of ttcp's run from the hundredth after this one on, which come later
	far		a message of ttcp's run that is two windows of a receiver ahead of all others
	end		ttcp's END of another session, which says that there were no messages
	packets-end	datagram-test's END of another run, after the first packet
	time		datagram-test's answer, faster than any true one and by a clock that is 1000 s ahead, to
			a question for the time in another run that was not asked
or, at the host that receives, as from the receiver:
	report		ttcp's REPORT of another run, in which nothing arrived
	ack		ttcp's ACK of a message of another run, which was never sent
	start-ok	ttcp's START-OK of another run, the fastest comparison of clocks, by one that is 1000 s ahead
	packets-report	datagram-test's answer to END in another run, in which nothing arrived
known-WHAT: the same by one who knows session and run; first-WHAT: and who does not wait for a message, but answers
ttcp's START; late-WHAT: and who waits for the true answer of datagram-test to END.
"""
import socket
import struct
import sys
import time

START, DATA = 1, 2
AHEAD = 1000 * 10**9
ODD, MASK = 0x9E3779B97F4A7C15, 2**64 - 1


def check_value(*parts):
    """Over words of 8 bytes; the last one of a part may have 4."""
    total = 0x243F6A8885A308D3
    for part in parts:
        for at in range(0, len(part), 8):
            total = (total ^ int.from_bytes(part[at:at + 8], "big")) * ODD & MASK
            total = (total << 31 | total >> 33) & MASK
    return ((total ^ total >> 32) * ODD & MASK) >> 32


def number(body, i, first=2**40):
    head = body[:16] + struct.pack(">Q", first + i) + body[24:36]
    return head + struct.pack(">I", check_value(head)) + body[40:]


def data(body, i):
    return number(body, i, struct.unpack(">Q", body[16:24])[0] + 100)


def far(body, i):
    return number(body, i, 2**21)


def message(body, kind, session, run, rest, number=0, at=0):
    head = body[:3] + struct.pack(">BBBHIIQqI", 1, kind, 0, 0, session, run, number, at, 40 + len(rest))
    return head + struct.pack(">I", check_value(head, rest)) + rest


def end(body, i):
    session, run = struct.unpack(">II", body[8:16])
    return message(body, 3, session ^ other(i), run, bytes(32))


def report(body, i):
    session, run = struct.unpack(">II", body[8:16])
    # Its length, then: complete and exact.
    return message(body, 6, session, run + other(i), struct.pack(">IBBBB", 164, 0, 1, 0, 0) + bytes(160))


def ack(body, i):
    session, run = struct.unpack(">II", body[8:16])
    return message(body, 4, session, run + other(i), struct.pack(">qI", 1, len(body)), 2**40 + i)


def start_ok(body, i):
    session, run = struct.unpack(">II", body[8:16])
    asked = time.time_ns()
    # Ready, and of version 2; the challenge is none.
    rest = struct.pack(">BBHIqq", 0, 2, 0, 0, asked + AHEAD, asked + AHEAD)
    return message(body, 5, session, run + other(i), rest, at=asked)


def other(i):
    return 0 if sys.argv[2].startswith(("known-", "first-", "late-")) else i + 1


def control(body, kind, i, last, counts):
    run, = struct.unpack(">I", body[-12:-8])
    port, = struct.unpack(">I", body[4:8])
    # As if asked just now.
    asked, there = (time.monotonic_ns() + ahead for ahead in (0, AHEAD)) if kind == 2 else (1, 1)
    data = b"npdt" + struct.pack(">BBHI", 1, kind, port, run ^ other(i)) + bytes(4)
    data += struct.pack(">qqqQ", asked, there, there, last)
    data += struct.pack(">6Q", *counts) + bytes(28)
    return data + struct.pack(">I", check_value(data))


PACKETS = {"packets-end": (3, 1, (0,) * 6), "time": (2, 0, (0,) * 6), "packets-report": (4, 400, (0, 400, 0, 0, 0, 0))}
FORGED = {"number": number, "data": data, "far": far, "end": end, "report": report, "ack": ack, "start-ok": start_ok}


def main():
    what = sys.argv[2].removeprefix("known-").removeprefix("first-").removeprefix("late-")
    kind, least = (START, 40) if sys.argv[2].startswith("first-") else (DATA, 500)
    seen = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    seen.bind((sys.argv[1], 0))
    print("ready", flush=True)
    while True:
        frame = seen.recv(65536)
        body = frame[42:]
        if frame[12:14] != b"\x08\x00" or frame[23] != socket.IPPROTO_UDP or len(body) < least:
            continue
        if body[:4] == b"test" if what in PACKETS else body[:3] == b"\x89TT" and body[4] == kind:
            break
    while sys.argv[2].startswith("late-"):
        answer = seen.recv(65536)[42:]
        if answer[:4] == b"npdt" and answer[5] == 4:
            break
    ports, to = frame[34:38], frame[30:34]
    if what in ("report", "ack", "start-ok", "packets-report"):
        ports, to = frame[36:38] + frame[34:36], frame[26:30]
    if what == "packets-report":
        ports = ports[:2] + body[6:8]
    if what == "time":
        # A publisher's listener answers.
        ports = body[6:8] + ports[2:]
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_UDP)
    raw.bind((sys.argv[4], 0))
    for i in range(int(sys.argv[3])):
        forged = control(body, *PACKETS[what][:1], i, *PACKETS[what][1:]) if what in PACKETS else FORGED[what](body, i)
        raw.sendto(ports + struct.pack(">HH", 8 + len(forged), 0) + forged, (socket.inet_ntoa(to), 0))
    print("sent", sys.argv[3])


if __name__ == "__main__":
    main()
