#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
"""peer: a node of a HyperCast 4 overlay, a Delaunay triangulation whose nodes meet by a list of buddies, over UDP
or TCP. It knows nothing of src/: a second opinion of how the bytes, the triangles and the trees should be.

Commands on stdin, a line each, as overlay-node has them: "all TEXT", "to X,Y TEXT", "large X,Y BYTES", "nb", "leave".
Printed, as by overlay-node: RECV, NEIGHBORS, events.
"""
import argparse
import os
import select
import socket
import struct
import sys
import time

from hypercast import digest, message_bytes, realm
from node import Node

LARGEST = 1 << 20  # bytes of a message


class Udp:
    def __init__(self, at):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(at)

    def waits_for(self):
        return [self.socket]

    def send(self, at, data):
        self.socket.sendto(data, at)

    def receive(self, _):
        """What has come: the address that each message came from, and the message."""
        data, source = self.socket.recvfrom(LARGEST)
        return [(source, data)]


class Tcp:
    """One connection for each pair, whoever made it. Before each message goes the sender's listening port."""

    def __init__(self, at):
        self.listener = socket.create_server(at)
        self.port = struct.pack(">H", at[1])
        self.to, self.come = {}, {}  # connections by address; what has come of each connection

    def waits_for(self):
        return [self.listener, *self.come]

    def send(self, at, data):
        # A second time if it was the old connection that has ended.
        for _ in range(2):
            try:
                if at not in self.to:
                    self.to[at] = socket.create_connection(at, 3)
                    self.come[self.to[at]] = b""
                self.to[at].sendall(self.port + data)
                return
            except OSError:
                if at not in self.to:
                    return
                self.close(self.to[at])

    def close(self, connection):
        self.to = {at: c for at, c in self.to.items() if c is not connection}
        del self.come[connection]
        connection.close()

    def receive(self, ready):
        if ready is self.listener:
            connection, _ = ready.accept()
            connection.settimeout(3)
            self.come[connection] = b""
            return []
        if ready not in self.come:
            return []
        try:
            peer, data = ready.getpeername()[0], ready.recv(65536)
        except OSError:
            data = b""
        if not data:
            self.close(ready)
            return []
        come, messages = self.come[ready] + data, []
        while (size := message_bytes(come[2:])) and len(come) >= 2 + size:
            source = (peer, struct.unpack_from(">H", come)[0])
            self.to.setdefault(source, ready)
            messages.append((source, come[2:2 + size]))
            come = come[2 + size:]
        self.come[ready] = come
        return messages


def point(text):
    x, y = map(int, text.split(","))
    return x, y


def address(text):
    ip, port = text.rsplit(":", 1)
    return ip, int(port)


def say(text):
    print(text, flush=True)


def obey(node, line):
    """A command; whether the node stays."""
    word, _, rest = line.partition(" ")
    if word == "all":
        node.send_all(rest.encode())
    elif word == "to":
        to, _, text = rest.partition(" ")
        node.send_one(point(to), text.encode())
    elif word == "large":
        to, _, size = rest.partition(" ")
        node.send_one(point(to), b"x" * int(size))
    elif word == "nb":
        say("NEIGHBORS %s" % sorted(node.near))
    elif word != "leave":
        say("ERROR no command: " + line)
    return word != "leave"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tcp", action="store_true")
    parser.add_argument("--id", default="Overlay_DT_Test", help="of the overlay")
    parser.add_argument("--realm", default="lab")
    parser.add_argument("--coordinates", type=point, required=True)
    parser.add_argument("--bind", type=address, required=True)
    parser.add_argument("--buddy", type=address, action="append", default=[])
    o = parser.parse_args()
    wire = (Tcp if o.tcp else Udp)(o.bind)
    node = Node(o.coordinates, o.bind, digest("/Public/OverlayID=" + o.id), realm(o.realm, "TCP" if o.tcp else "UDP"),
                o.buddy, wire.send, say)
    say("joined")
    commands, stays = b"", True
    while stays:
        for ready in select.select([0, *wire.waits_for()], [], [], max(0, node.deadline() - time.monotonic()))[0]:
            if ready != 0:
                for source, data in wire.receive(ready):
                    node.take(source, data)
                continue
            come = os.read(0, 65536)
            *lines, commands = (commands + come).split(b"\n")
            stays = bool(come) and all([obey(node, line.decode()) for line in lines if line])
        node.turn()
    node.leave()
    say("left")


if __name__ == "__main__":
    sys.exit(main())
