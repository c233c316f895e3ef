# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
"""figures: the arithmetic of the results once more, and comparisons that name what differs."""
import csv
import json
import math
import re
import time
from decimal import ROUND_HALF_UP, Decimal

# A stamp of the kernel's on the wall clock becomes one of the program's by a pair of readings.
STAMPS = 10000  # ns
MS, SECOND = 10**6, 10**9
QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999}


def same(what, have, want):
    assert have == want, "%s: %.500r instead of %.500r" % (what, have, want)


def near(what, have, want, ratio=1e-6):
    assert abs(float(have) - want) <= ratio * abs(want), "%s: %s instead of %s" % (what, have, want)


def about(what, have, want, slack=STAMPS):
    between(what, have, want - slack, want + slack)


def between(what, have, low, high):
    assert low <= have <= high, "%s: %s is not within %s to %s" % (what, have, low, high)


def records(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def of_type(path, *types):
    return [r for r in records(path) if r["type"] in types]


def nearest_rank(values, share):
    """The least value that at least this share of all does not exceed."""
    values = sorted(values)
    return values[max(math.ceil(Decimal(str(share)) * len(values)), 1) - 1]


def check_times(what, have, low, high=None, below=0):
    """A record's min, mean, percentiles, max and count: those of times between @low and @high, one by one.
    @below: it counts them from so far below 0, so that it can count all, whatever the clocks' offset is."""
    high = high or low
    same(what + ": count", have["count"], len(low))
    for name, want in (("min", min), ("mean", lambda v: sum(v) / len(v)), ("max", max)):
        between(what + ": " + name, have[name], want(low) - STAMPS, want(high) + STAMPS)
    for name, share in QUANTILES.items():
        # To three digits: never below, and at most a thousandth above.
        between(what + ": " + name, have[name], nearest_rank(low, share) - STAMPS,
                nearest_rank(high, share) + (nearest_rank(high, share) + below) * 0.001 + STAMPS)


def realtime_ahead():
    """How far the wall clock is ahead of the monotonic one, by the reading that was not interrupted."""
    pairs = []
    for _ in range(50):
        before, real, after = (time.clock_gettime_ns(c) for c in
                               (time.CLOCK_MONOTONIC, time.CLOCK_REALTIME, time.CLOCK_MONOTONIC))
        pairs.append((after - before, real - (before + after) // 2))
    return min(pairs)[1]


def scaled(value, digits):
    return Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)


def latency(ns):
    """Three digits, and the unit that suits them."""
    if abs(ns) < 1000:
        return "%d ns" % ns
    for unit, factor in (("us", 1000), ("ms", MS), ("s", SECOND)):
        value = Decimal(ns) / factor
        if unit == "s" or abs(scaled(value, 0)) < 1000:
            break
    for digits in (2, 1, 0):
        if abs(scaled(value, digits)) < 10**(3 - digits):
            break
    return "%s %s" % (scaled(value, digits), unit)


def duration(ns):
    return "%.2f s" % (ns / SECOND) if ns >= SECOND else latency(ns)


def rate(bytes_per_s, unit):
    """SI bit/s, or MB/s of 10^6."""
    if unit == "bytes":
        value, name = bytes_per_s / 1e6, "MB/s"
    else:
        value, power = bytes_per_s * 8, 0
        while value >= 999.95 and power < 4:
            value, power = value / 1000, power + 1
        name = " kMGT"[power].strip() + "bit/s"
        if not power:
            return "%.0f bit/s" % value
    return "%.*f %s" % (2 if value < 100 else 1, value, name)


def after_first(record, size):
    """Its rate: of the bytes after the first message, before which no time passed."""
    return (record["bytes"] - size) * 1e9 / record["elapsed_ns"]


def cells(line):
    return re.split("  +", line.strip())


def amount(word, count, unit, bytes_per_s=None, kind="bits"):
    line = "  %-10s%10s %s" % (word, count, unit)
    return line if bytes_per_s is None else line + " %16s" % rate(bytes_per_s, kind)


def wrapped(begin, pieces):
    """Lines of at most 80 columns; each piece but the first of a list begins with what separates it."""
    lines, line = [], begin
    for i, piece in enumerate(pieces):
        separator = "," if piece[0] == "," else ""
        piece = piece.lstrip(", ")
        line += separator
        if (i or line[-1] != " ") and len(line) + 2 + len(piece) > 80:
            lines.append(line)
            line = " " * 15
        line += piece if line[-1] == " " and not i and line != " " * 15 else " " + piece
    return lines + [line]


def lost(r, unit, sent):
    """The line of the lost, and where."""
    count = r["lost_" + unit]
    line = "  %-10s%10s" % ("lost", count)
    if not count:
        return [line]
    pieces = ["(%.3g %%):" % (100.0 * count / sent)]
    least = "" if r["exact"] else ">= "
    for place in ("sender host", "path", "receiver host"):
        n = r.get("lost_%s_%s" % (place.replace(" ", "_"), unit))
        pieces.append("%s%s %s" % ("," if len(pieces) > 1 else "", place, "unknown" if n is None else least + str(n)))
    if r["lost_unattributed_" + unit]:
        pieces.append(",unattributed %d" % r["lost_unattributed_" + unit])
    return wrapped(line, pieces)


def order(r, unit):
    pieces = [",reordered %d" % r["reordered_" + unit]]
    if r.get("late_" + unit):
        pieces.append(",late %d" % r["late_" + unit])
    return wrapped("  %-10s%10s" % ("duplicates", r["duplicates_" + unit]),
                   pieces + [",damaged %d" % r["damaged_" + unit]])


def times(word, t, bound=None):
    pieces = ["p50 " + latency(t["p50"]), ",p99 " + latency(t["p99"]), ",max " + latency(t["max"])]
    return wrapped("  %-14s" % word, pieces + ([] if bound is None else ["(clocks within %s)" % latency(bound)]))


def check_lines(what, have, want):
    """Line by line; one that is a compiled pattern only has to match."""
    for i, line in enumerate(want):
        assert i < len(have), "%s: no line '%s'" % (what, line)
        if isinstance(line, str):
            same(what, have[i], line)
        else:
            assert line.fullmatch(have[i]), "%s: '%s' is not as '%s'" % (what, have[i], line.pattern)
    same(what + ": lines", len(have), len(want))


def check_share(what, lines, end, elapsed):
    """The share of a processor, of an end, is that of its times in the full report."""
    share = re.search(r"%s (\d+) %%" % end, next(line for line in lines if line.startswith("  cpu")))
    spent = re.match(r"user ([0-9.]+) s, system ([0-9.]+) s", facts(part(lines, "processor time"))[end])
    percent = 100 * (float(spent[1]) + float(spent[2])) * 1e9 / elapsed
    between("%s: cpu of the %s" % (what, end), int(share[1]), percent - 0.5 - 1e8 / elapsed, percent + 0.5 + 1e8 / elapsed)


def check_percentiles(what, lines, columns):
    """The table of a full report; @columns: (heading, times), ..."""
    rows = [cells(line) for line in part(lines, "percentiles") if not line.startswith("  clock")]
    same(what + ": percentiles", rows[0], [heading for heading, _ in columns])
    names = ("min", "mean", "p50", "p90", "p99", "p999", "max", "count")
    for name, row in zip(names, rows[1:]):
        same(what + ": percentiles", row, [name.replace("p999", "p99.9")] +
             [str(t[name]) if name == "count" else latency(t[name]) for _, t in columns])
    same(what + ": percentiles", len(rows), 1 + len(names))


def check_rows(what, lines, records, unit, kind):
    """The intervals of a full report."""
    rows = [cells(line) for line in part(lines, "intervals")]
    receiver = "lost_" + unit in records[0]
    head = ["from", "to", unit, "rate"] + (["lost", "delay p50", "delay p99"] if receiver else [])
    same(what + ": intervals", rows[0], head)
    same(what + ": intervals", len(rows) - 1, len(records))
    for row, r in zip(rows[1:], records):
        count = r["received_" + unit] if receiver else r["sent_" + unit]
        want = ["%.3f s" % (r["from_ns"] / SECOND), "%.3f s" % (r["to_ns"] / SECOND), str(count)]
        if "rate_bytes_per_s" in r:
            want.append(rate(r["rate_bytes_per_s"], kind))
        if receiver:
            want += [str(r["lost_" + unit])] + [latency(r["delay_ns"][p]) for p in ("p50", "p99") if "delay_ns" in r]
        same(what + ": interval", row, want)


def check_csv(what, path, records, unit):
    """Each row is its interval record."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    same(what + ": rows", len(rows), len(records))
    for row, r in zip(rows, records):
        times = r.get("delay_ns", {})
        want = dict(r, p50_ns=times.get("p50"), p99_ns=times.get("p99"))
        for column, have in row.items():
            if column in ("time", "flow", "errors_sectors"):
                continue
            value = want.get(column)
            if value is None:
                same("%s: %s" % (what, column), have, "")
            else:
                near("%s: %s" % (what, column), have, value, 1e-12)
    return rows


def table(path, comments=True):
    """The rows of a file of columns, without its heading."""
    with open(path) as file:
        lines = file.read().split("\n")
    same(path + ": its end", lines[-1], "")
    return [line.split("\t") for line in lines[:-1] if not comments or not line.startswith("#")]


def block(path, title):
    """The lines of each result block in a text: its title, and the indented lines that follow it."""
    blocks, inside = [], False
    with open(path) as file:
        for line in file.read().split("\n"):
            if line.startswith(title):
                blocks.append([])
            inside = line.startswith(title) or inside and line.startswith("  ")
            if inside:
                blocks[-1].append(line)
    return blocks


def part(lines, heading):
    """The lines of a part of a full report."""
    at = lines.index("  " + heading) + 1
    end = next((i for i in range(at, len(lines)) if re.match("  [a-z]", lines[i])), len(lines))
    return lines[at:end]


def facts(lines):
    """{name: value} of a part that has one of each in a line."""
    found, name = {}, None
    for line in lines:
        if line[4] != " ":
            name, value = line[4:28].rstrip(), line[28:]
            if len(line) > 27 and line[27] != " ":
                name, value = line[4:].split("  ", 1)
            found[name] = value
        else:
            found[name] += " " + line.strip()
    return found
