# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
"""hypercast: the hashes and messages of HyperCast 4, to bytes and back.

The examples are bytes that the Java program was seen to send: python3 -m doctest hypercast.py checks them.
"""
import struct
from collections import namedtuple

# Types of messages between the nodes of a Delaunay triangulation.
HELLO_NEIGHBOR, HELLO_NOT_NEIGHBOR, GOODBYE, NEW_NODE, NODE_PING, NODE_PONG, I_AM_HERE = 0, 1, 2, 5, 6, 7, 8
# Delivery modes of payloads, and types of their extensions.
TO_ALL, FLOOD, TO_ONE = 1, 2, 3
DATA, ROUTE, LONG_LENGTH = 2, 3, 4

PROTOCOL_DT, PROTOCOL_PAYLOAD = 2, 0xD0
BY_BUDDY_LIST = 2  # how nodes of this protocol meet
PAYLOAD_VERSION = 3
NOBODY = bytes(8)  # in the place of an address

Known = namedtuple("Known", "point at")  # a node, and its address, (IP, port), or None
Control = namedtuple("Control", "kind overlay source destination first second")
Payload = namedtuple("Payload", "mode hops source previous destination data route")


def digest(text):
    """
    >>> "%08x" % digest("/Public/OverlayID=Overlay_DT_Test")
    '35eb719f'
    >>> "%08x" % digest("/Public/OverlayID=Overlay_DT_Test&/Public/Security/SecurityLevel=plaintext&/Public/Node=DTBuddyList")
    '7c15ebff'
    """
    h = 0
    for byte in text.encode():
        t = (h >> 24) ^ byte
        h = (h << (t % 8 + 1) ^ t) % 2**32
    return h


def realm(name, transport):
    """
    >>> ["%04x" % realm(*r) for r in (("lab", "UDP"), ("lab", "TCP"), ("public_internet", "UDP"), ("public_internet", "TCP"))]
    ['7fd2', '7fd9', 'd283', 'd244']
    """
    a, b, c, d = struct.pack(">I", digest(name + "IPv4_" + transport))
    return (a ^ b) << 8 | (c ^ d)


def pack_point(point):
    return struct.pack(">ii", *point) if point else NOBODY


def unpack_point(data, at):
    if len(data) < at + 8:
        raise ValueError("cut short in an address")
    return None if data[at:at + 8] == NOBODY else struct.unpack_from(">ii", data, at)


def pack_known(known, own_realm):
    if not known:
        return NOBODY
    ip = bytes(map(int, known.at[0].split(".")))
    return b"\xff\x01" + struct.pack(">HB", own_realm, 6) + ip + struct.pack(">H", known.at[1]) + pack_point(known.point)


def unpack_known(data, at, own_realm):
    """A node and where the next field begins. Its address is unknown if it is of another kind or realm."""
    if data[at:at + 8] == NOBODY:
        return None, at + 8
    if len(data) < at + 5 or data[at] != 0xFF:
        raise ValueError("no interface address")
    kind, of_realm, size = struct.unpack_from(">BHB", data, at + 1)
    address, point = data[at + 5:at + 5 + size], unpack_point(data, at + 5 + size)
    usable = kind == 1 and size == 6 and of_realm == own_realm
    where = (".".join(map(str, address[:4])), address[4] << 8 | address[5]) if usable else None
    return Known(point, where) if point else None, at + 5 + size + 8


def pack_control(c, own_realm):
    """
    >>> hello = Control(HELLO_NEIGHBOR, 0x35eb719f, (500, 500), (984, 4861), None, None)
    >>> pack_control(hello, 0x7fd2).hex(" ", 4)
    '22002500 35eb719f 000001f4 000001f4 000003d8 000012fd 00000000 00000000 00000000 00000000'
    """
    body = struct.pack(">BI", c.kind, c.overlay) + pack_point(c.source) + pack_point(c.destination) + \
        pack_known(c.first, own_realm) + pack_known(c.second, own_realm)
    return struct.pack(">BH", PROTOCOL_DT << 4 | BY_BUDDY_LIST, len(body)) + body


def unpack_control(data, own_realm):
    if len(data) < 24 or data[0] >> 4 != PROTOCOL_DT:
        raise ValueError("no message of this protocol")
    kind, overlay = struct.unpack_from(">BI", data, 3)
    first, at = unpack_known(data, 24, own_realm)
    second, at = unpack_known(data, at, own_realm)
    if at != len(data):
        raise ValueError("%d bytes, of which %d mean something" % (len(data), at))
    return Control(kind, overlay, unpack_point(data, 8), unpack_point(data, 16), first, second)


def width_of(number):
    return max(1, (number.bit_length() + 7) // 8)


def pack_extension(following, value):
    width = width_of(len(value))
    return bytes((following, width)) + len(value).to_bytes(width, "big") + value


def pack_payload(p):
    """
    >>> one = Payload(TO_ONE, 254, (984, 4861), (984, 4861), (500, 500), b"PINGuni-B2A", [(984, 4861)])
    >>> seen = bytes.fromhex("d0330000000019 00fe0208 000003d8000012fd 000003d8000012fd 000001f4000001f4"
    ...     "03010b50494e47756e692d423241 000108000003d8000012fd")
    >>> pack_payload(one) == seen, unpack_payload(seen) == one, message_bytes(seen) == len(seen)
    (True, True, True)
    >>> large = Payload(TO_ALL, 254, (1, 2), (1, 2), None, bytes(70000), [(1, 2)])
    >>> packed = pack_payload(large)
    >>> packed[5:11].hex(), packed[27:38].hex(), packed[70038:].hex()
    ('000000fe0408', '0201030111800303011170', '0001080000000100000002')
    >>> unpack_payload(packed) == large, message_bytes(packed[:40]) == len(packed)
    (True, True)
    """
    extensions = pack_extension(ROUTE, p.data) + pack_extension(0, b"".join(map(pack_point, p.route)))
    size, first = len(extensions), DATA
    if size > 0xFFFF:
        extensions = pack_extension(DATA, size.to_bytes(width_of(size), "big")) + extensions
        size, first = 0, LONG_LENGTH
    head = struct.pack(">BBBHHHBB", PROTOCOL_PAYLOAD, PAYLOAD_VERSION << 4 | p.mode, 0, 0, size, p.hops, first, 8)
    places = (p.source, p.previous, p.destination) if p.mode == TO_ONE else (p.source, p.previous)
    return head + b"".join(map(pack_point, places)) + extensions


def unpack_payload(data):
    if len(data) < 11 or data[0] != PROTOCOL_PAYLOAD or data[1] >> 4 != PAYLOAD_VERSION or data[10] != 8:
        raise ValueError("no payload of this version")
    mode, hops, kind = data[1] & 15, *struct.unpack_from(">HB", data, 7)
    at = head_bytes(data)
    points = [unpack_point(data, i) for i in range(11, at, 8)]
    if None in points:
        raise ValueError("from or to nobody")
    payload, route = None, []
    while kind:
        following, width = struct.unpack_from(">BB", data, at)
        size = int.from_bytes(data[at + 2:at + 2 + width], "big")
        value = data[at + 2 + width:at + 2 + width + size]
        if width not in (1, 2, 3, 4) or len(value) != size:
            raise ValueError("cut short in an extension")
        if kind == DATA:
            payload = value
        elif kind == ROUTE:
            route = [unpack_point(value, i) for i in range(0, size, 8)]
        kind, at = following, at + 2 + width + size
    if at != len(data):
        raise ValueError("%d bytes, of which %d mean something" % (len(data), at))
    return Payload(mode, hops, points[0], points[1], points[2] if mode == TO_ONE else None, payload, route)


def head_bytes(data):
    return 11 + data[10] * (3 if data[1] & 15 == TO_ONE else 2)


def message_bytes(data):
    """Of the first message of a stream, as soon as enough of it is there to tell; until then None."""
    if len(data) < 11:
        return None
    if data[0] != PROTOCOL_PAYLOAD:
        return 3 + struct.unpack_from(">H", data, 1)[0]
    head = head_bytes(data)
    if data[9] != LONG_LENGTH:
        return head + struct.unpack_from(">H", data, 5)[0]
    if len(data) < head + 3 + 4:
        return None
    width = data[head + 2]
    return head + 3 + width + int.from_bytes(data[head + 3:head + 3 + width], "big")
