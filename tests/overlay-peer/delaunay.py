# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
"""delaunay: who a node's neighbours are, and which way payloads go, by the coordinates of the nodes alone.

A node knows only its neighbours. A point is (x, y), y upwards; points without a clockwise or a
counterclockwise neighbour have None there.
"""
import math

ANGLE = 1e-15  # less between two directions is the same one
ON_CIRCLE = 1e-7


def turn(pivot, reference, point):
    """From @reference to @point as seen from @pivot, in (-pi, pi]; counterclockwise is positive."""
    angle = math.atan2(point[1] - pivot[1], point[0] - pivot[0]) - math.atan2(reference[1] - pivot[1], reference[0] - pivot[0])
    if angle > math.pi:
        return angle - 2 * math.pi
    return angle + 2 * math.pi if angle <= -math.pi else angle


def greater(a, b):
    return (a[1], a[0]) > (b[1], b[0])


def in_circle(a, b, c, point):
    """Whether it is in or on the circle through the other three; all are, if these are on a line."""
    (bx, by), (cx, cy) = ((p[0] - a[0], p[1] - a[1]) for p in (b, c))
    twice_area = bx * cy - by * cx
    if twice_area == 0:
        return True
    b2, c2 = bx * bx + by * by, cx * cx + cy * cy
    centre = (a[0] + (cy * b2 - by * c2) / (2 * twice_area), a[1] + (bx * c2 - cx * b2) / (2 * twice_area))
    return math.dist(centre, point) <= math.dist(centre, a) + ON_CIRCLE


class Neighbourhood(dict):
    """The neighbours of the node at @here: by their points, with whatever the node keeps of each."""

    def __init__(self, here):
        super().__init__()
        self.here = here

    def beside(self, point):
        """The neighbours next to it as seen from here: clockwise, counterclockwise."""
        turns = [(turn(self.here, point, n), n) for n in self]
        clockwise = max((t for t in turns if -math.pi + ANGLE < t[0] < -ANGLE), default=(0, None))
        counter = min((t for t in turns if ANGLE < t[0] < math.pi - ANGLE), default=(0, None))
        return clockwise[1], counter[1]

    def same_way(self, point):
        return next((n for n in self if turn(self.here, point, n) == 0), None)

    def wants(self, point):
        """Whether the node there should be a neighbour."""
        if point == self.here:
            return True
        same = self.same_way(point)
        if same:
            return math.dist(self.here, point) <= math.dist(self.here, same)
        clockwise, counter = self.beside(point)
        if not clockwise or not counter or turn(self.here, clockwise, counter) < 0:
            return True
        return in_circle(clockwise, self.here, counter, point)

    def superfluous(self):
        """One that another hides, or whose edge is of no triangle any more."""
        for n in self:
            for hidden in self:
                if n != hidden and turn(self.here, n, hidden) == 0 and \
                        math.dist(self.here, n) <= math.dist(self.here, hidden):
                    return hidden
            clockwise, counter = self.beside(n)
            if clockwise and counter and turn(self.here, clockwise, counter) >= 0 and \
                    not in_circle(self.here, clockwise, counter, n):
                return n
        return None

    def prune(self):
        while (n := self.superfluous()):
            del self[n]

    def leads(self):
        return not any(greater(n, self.here) for n in self)

    def next_hop(self, root):
        """The neighbour on the way to @root: compass routing."""
        if root == self.here:
            return None
        same = self.same_way(root)
        if same:
            return same
        clockwise, counter = self.beside(root)
        if not clockwise or not counter:
            return clockwise or counter
        right, left = (abs(turn(self.here, root, n)) for n in (clockwise, counter))
        if right == left:
            return clockwise if greater(clockwise, counter) else counter
        return clockwise if right < left else counter

    def sends_here(self, neighbour, root):
        """Whether that neighbour's next hop to @root is this node, as far as it can be known here."""
        if neighbour not in self or neighbour == root:
            return False
        mine, others = abs(turn(neighbour, root, self.here)), [n for n in self.beside(neighbour) if n]
        for other in others:
            its = abs(turn(neighbour, root, other))
            if its < mine or its == mine and greater(other, self.here):
                return False
        return bool(others) or math.dist(root, self.here) < math.dist(root, neighbour)

    def children(self, root):
        return [n for n in self if self.sends_here(n, root)]
