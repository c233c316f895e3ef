# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
"""node: what a node of a Delaunay triangulation with fixed coordinates does with messages and in time."""
import math
import random
import time

from delaunay import Neighbourhood
from hypercast import *

FAST, SLOW, SILENCE, CALLS = 0.25, 2.0, 10.0, 2.0  # seconds, as by default
HOPS_MOST = 255
ROUTE_RECORD = 2


class Neighbour:
    def __init__(self, clockwise, counter):
        self.told, self.heard = (clockwise, counter), time.monotonic()


class Node:
    """@send(ADDRESS, BYTES) sends; @tell(TEXT) prints; @buddies are addresses."""

    def __init__(self, point, at, overlay, own_realm, buddies, send, tell):
        self.point, self.at, self.overlay, self.realm, self.send, self.tell = point, at, overlay, own_realm, send, tell
        self.buddies = [b for b in buddies if b != at]
        self.near, self.addresses, self.stable, self.called = Neighbourhood(point), {point: at}, False, False
        now = time.monotonic()
        self.heartbeat_at, self.call_at = now + random.uniform(0, FAST), now + random.uniform(0, CALLS)

    def deadline(self):
        return min(self.heartbeat_at, self.call_at)

    def turn(self):
        now = time.monotonic()
        if now >= self.call_at:
            self.call_at, self.called = now + CALLS, True
            if self.buddies:
                myself = Known(self.point, self.at)
                self.control(random.choice(self.buddies), I_AM_HERE, None, myself, myself)
        if now >= self.heartbeat_at:
            self.heartbeat(now)

    def control(self, at, kind, to, first=None, second=None):
        self.send(at, pack_control(Control(kind, self.overlay, self.point, to, first, second), self.realm))

    def known(self, point):
        return Known(point, self.addresses[point]) if point and self.addresses.get(point) else None

    def hello(self, to, kind=HELLO_NEIGHBOR):
        if not self.addresses.get(to):
            return
        beside = self.near.beside(to)
        if kind == HELLO_NOT_NEIGHBOR and self.near.same_way(to):
            beside = [self.near.same_way(to)] * 2
        self.control(self.addresses[to], kind, to, *map(self.known, beside))

    def agreed(self):
        """Each neighbour has said that its neighbours beside us are those that we have beside it."""
        return all(n.told == self.near.beside(p)[::-1] for p, n in self.near.items())

    def heartbeat(self, now):
        stable = self.called and self.agreed()
        if stable and not self.stable:
            self.tell("eventOccurred: NODE_ISSTABLE")
        self.stable, self.heartbeat_at = stable, now + (SLOW if stable else FAST)
        for p in [p for p, n in self.near.items() if now - n.heard > SILENCE]:
            self.forget(p)
        if not self.agreed():
            missed = {p for n in self.near.values() for p in n.told if p and p not in self.near and p != self.point}
            missed = [p for p in missed if self.near.wants(p)]
            if missed:
                self.hello(min(missed, key=lambda p: math.dist(p, self.point)))
        for p in self.near:
            self.hello(p)
            if self.near.leads():
                self.control(self.addresses[p], I_AM_HERE, p, Known(self.point, self.at))

    def hurry(self):
        self.heartbeat_at = min(self.heartbeat_at, time.monotonic() + (0 if self.stable else FAST))

    def changed(self):
        self.tell("eventOccurred: NODE_NEIGHBORHOODCHANGED")
        self.hurry()

    def forget(self, point):
        if self.near.pop(point, None):
            self.changed()

    def take(self, source, data):
        """One message that came from the address @source."""
        try:
            if data[:1] == bytes([PROTOCOL_PAYLOAD]):
                self.take_payload(unpack_payload(data))
            else:
                self.take_control(unpack_control(data, self.realm), source)
        except (ValueError, IndexError, struct.error) as error:
            self.tell("ERROR %s: %s" % (error, data[:40].hex()))

    def take_control(self, c, source):
        if c.overlay != self.overlay or not c.source or c.source == self.point:
            return
        self.addresses[c.source] = source
        for k in c.first, c.second:
            if k and k.at:
                self.addresses.setdefault(k.point, k.at)
        if c.kind in (HELLO_NEIGHBOR, HELLO_NOT_NEIGHBOR):
            self.take_hello(c, source)
        elif c.kind == GOODBYE:
            self.forget(c.source)
        elif c.kind == NODE_PING:
            self.control(source, NODE_PONG, c.source)
        elif c.kind in (I_AM_HERE, NEW_NODE) and c.first and c.first.point != self.point and c.first.point not in self.near:
            hop = self.near.next_hop(c.first.point)
            if self.near.wants(c.first.point):
                self.hello(c.first.point)
            elif hop:
                self.control(self.addresses[hop], c.kind, hop, c.first, c.second)

    def take_hello(self, c, source):
        for moved in [p for p in self.near if p != c.source and self.addresses[p] == source]:
            self.forget(moved)
        told = tuple(k and k.point for k in (c.first, c.second))
        neighbour = self.near.get(c.source)
        if neighbour:
            was, neighbour.told, neighbour.heard = neighbour.told, told, time.monotonic()
            if was != told and not self.agreed():
                self.hurry()
            return
        if self.near.wants(c.source):
            self.near[c.source] = Neighbour(*told)
            self.near.prune()
            self.changed()
        if c.source not in self.near and c.kind == HELLO_NEIGHBOR:
            self.hello(c.source, HELLO_NOT_NEIGHBOR)

    def send_all(self, data):
        self.pass_on(Payload(TO_ALL, HOPS_MOST, self.point, self.point, None, data, []))

    def send_one(self, to, data):
        self.pass_on(Payload(TO_ONE, HOPS_MOST, self.point, self.point, to, data, []))

    def pass_on(self, p):
        """To the next hops; the record of its route has the newest last."""
        p = p._replace(hops=p.hops - 1)
        hops = self.near.children(p.source) if p.mode == TO_ALL else [self.near.next_hop(p.destination)]
        sent = pack_payload(p._replace(previous=self.point, route=(p.route + [self.point])[-ROUTE_RECORD:]))
        for hop in hops:
            if hop and hop not in p.route:
                self.send(self.addresses[hop], sent)

    def take_payload(self, p):
        if self.point in p.route or p.hops == 0 or p.data is None or p.mode not in (TO_ALL, TO_ONE):
            return
        if p.mode == TO_ALL:
            on_its_way = self.near.next_hop(p.source) == p.previous
        else:
            on_its_way = self.near.sends_here(p.previous, p.destination)
        if not on_its_way:
            self.tell("DROPPED not from the previous hop: src=%d,%d previous=%d,%d" % (p.source + p.previous))
            return
        for_us = p.mode == TO_ALL or p.destination == self.point
        if p.hops > 1 and (p.mode == TO_ALL or not for_us):
            self.pass_on(p)
        if for_us:
            self.tell("RECV src=%d,%d hop=%d len=%d data=%s" % (
                *p.source, p.hops - 1, len(p.data), p.data[:40].decode("latin1")))

    def leave(self):
        for p in self.near:
            self.control(self.addresses[p], GOODBYE, p)
