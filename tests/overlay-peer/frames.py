# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
"""frames: a reader of what overlay nodes send each other, and a forger of frames of every kind that they must drop.

usage: frames.py watch X,Y: prints a line of JSON for each payload from that node that passes lo, until SIGTERM:
		ports, hop limit, previous hop, route
       frames.py forge ADDRESS: to a node at 900,900, port 9002 of ADDRESS, a local one, which has neighbours at
		500,500, port 9001, and at 1300,1300; from a port of nobody, and in the name and port of 500,500
       frames.py turn ADDRESS: to the same node three payloads of 1300,1300 in the name and port of 500,500
"""
import json
import signal
import socket
import struct
import sys

from hypercast import *

SO_RCVBUFFORCE, ETH_P_ALL, PACKET_OUTGOING = 33, 3, 4


def named(point):
    return "%d,%d" % point


def watch(source):
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    wire.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 25)
    wire.bind(("lo", 0))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    print("watching", file=sys.stderr, flush=True)
    while True:
        frame, where = wire.recvfrom(70000)
        ip = frame[14:]
        if where[2] == PACKET_OUTGOING or len(ip) < 60 or ip[9] != socket.IPPROTO_UDP:
            continue
        udp = ip[(ip[0] & 15) * 4:]
        ports, data = struct.unpack_from(">HH", udp), udp[8:]
        # The kernel has several datagrams in one frame here, one after the other.
        while len(data) > 30 and data[0] == PROTOCOL_PAYLOAD and data[10] == 8:
            size = message_bytes(data)
            p, data = unpack_payload(data[:size]), data[size:]
            if named(p.source) == source:
                print(json.dumps({"from": ports[0], "to": ports[1], "mode": p.mode, "hops": p.hops,
                                  "previous": named(p.previous), "route": list(map(named, p.route))}), flush=True)


ME, LEFT, RIGHT, NOBODY = (900, 900), (500, 500), (1300, 1300), (7, 7)


def from_left(address, count, payload):
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    data = pack_payload(payload)
    udp = struct.pack(">HHHH", 9001, 9002, 8 + len(data), 0) + data
    ip = socket.inet_aton(address)
    for _ in range(count):
        raw.sendto(struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0) + ip + ip + udp, (address, 0))


def turn(address):
    from_left(address, 3, Payload(TO_ALL, 9, RIGHT, LEFT, None, b"turned", []))


def forge(address):
    ours = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def stranger(count, data):
        for _ in range(count):
            ours.sendto(data, (address, 9002))

    def neighbour(count, payload):
        from_left(address, count, payload)

    to_all = Payload(TO_ALL, 9, LEFT, LEFT, None, b"forged", [])
    to_one = to_all._replace(mode=TO_ONE, destination=RIGHT)
    # Looped: as if it had come back, and as if it had been here before.
    stranger(4, pack_payload(to_all._replace(source=ME)))
    neighbour(3, to_all._replace(route=[NOBODY, ME]))
    # Expired.
    neighbour(5, to_all._replace(hops=0))
    # Foreign: addresses of another protocol, and the neighbour's name from another port.
    stranger(2, struct.pack(">BBBHHHBBii", PROTOCOL_PAYLOAD, PAYLOAD_VERSION << 4 | TO_ALL, 0, 0, 0, 9, 0, 4, 500, 500))
    stranger(1, pack_payload(to_all))
    # Malformed, not by the expected way, without a way on, too long with this hop in it.
    stranger(6, pack_payload(to_all)[:20])
    stranger(8, pack_payload(to_all._replace(source=NOBODY, previous=NOBODY)))
    neighbour(9, to_one._replace(route=[RIGHT]))
    neighbour(10, to_one._replace(data=bytes(8150)))


{"watch": watch, "forge": forge, "turn": turn}[sys.argv[1]](sys.argv[2])
