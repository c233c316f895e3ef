# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
"""datagram: judges a relayed run of datagram-test by what was on the wire at both hosts.

usage: datagram.py bits|bytes PUBLISHER PACKETS-A-SECOND ... [full]: PUBLISHER is the address of one and
the name of its files, with "tx" before its port. In this folder are a.pcap and b.pcap, truth.json and
arrivals, of both ends .json, .csv and .out, and rx_log.txt.
"""
import struct
import sys
import time
from collections import namedtuple

import wire
from figures import *

UNIT = sys.argv[1]
FULL = sys.argv[-1] == "full"
PACE = dict(zip(sys.argv[2::2], map(int, sys.argv[3::2])))
LISTENER = "10.9.0.2:9999"
TIME_REPLY, END = 2, 3

Packet = namedtuple("Packet", "at number time right size")
AHEAD = realtime_ahead()


def packet(p, number=None, right=True):
    sent, = struct.unpack_from(">q", p.payload, 8)
    own, = struct.unpack_from(">I", p.payload, 24)
    return Packet(p.at, own if number is None else number, sent + AHEAD, right, len(p.payload))


class Flow:
    """What the wire says of what one publisher sent."""

    def __init__(self, source):
        self.source, self.sent, self.arrived, self.end, self.compared = source, [], [], None, None

    def count(self):
        self.rows, self.first = [], []
        self.state = {"had": set(), "top": 0, "at": 0, "order": []}

    def take(self, packets):
        """Counts these; RFC 4737, and offsets as the original has them."""
        c = dict.fromkeys(("received", "duplicates", "damaged", "reordered", "offset_sum", "extent_sum", "gaps", "gap_packets",
                           "gaps_ns"), 0)
        s = self.state
        for p in packets:
            if not p.right:
                c["damaged"] += 1
                continue
            if p.number in s["had"]:
                c["duplicates"] += 1
                s["at"] = p.at
                continue
            s["had"].add(p.number)
            s["order"].append(p.number)
            self.first.append(p)
            c["received"] += 1
            n, low = len(s["order"]), min(s["had"])
            if p.number > s["top"]:
                if n > 1 and p.number > s["top"] + 1:
                    c["gaps"] += 1
                    c["gap_packets"] += p.number - s["top"] - 1
                    c["gaps_ns"] += p.at - s["at"]
                s["top"] = p.number
            else:
                c["reordered"] += 1
                c["offset_sum"] += abs(n - (p.number - low + 1))
                earlier = next(i for i, number in enumerate(s["order"]) if number > p.number)
                extent = n - 1 - earlier
                c["extent_sum"] += extent
                s["extent_max"] = max(extent, s.get("extent_max", 0))
            s["at"] = p.at
        return c


def flows():
    """{publisher: Flow}"""
    with open("truth.json") as file:
        truth = json.loads(file.read().split("\n")[-2])
    numbers = {f["number"]: f["source"] for f in truth["ab"]["flows"] if f["destination"] == LISTENER}
    source, found = {}, {}
    for p in wire.packets("a.pcap"):
        if p.destination != LISTENER:
            continue
        if p.payload[:4] == b"test":
            port, = struct.unpack_from(">I", p.payload, 4)
            source[p.source] = "10.9.0.1:%d" % port
            found.setdefault(source[p.source], Flow(p.source)).sent.append(packet(p))
        elif p.payload[5] == END:
            port, = struct.unpack_from(">H", p.payload, 6)
            flow = found["10.9.0.1:%d" % port]
            flow.end = flow.end or p.at
    with open("arrivals") as file:
        fates = [line.split() for line in file]
    fates = [f for f in fates if int(f[0]) in numbers]
    came = [p for p in wire.packets("b.pcap") if p.destination == LISTENER]
    same("what the relay sent on came", [p.source for p in came], [numbers[int(f[0])] for f in fates])
    for p, (_, number, fate, _) in zip(came, fates):
        if p.payload[:4] == b"npdt" and p.payload[5] == TIME_REPLY:
            flow = found[p.source]
            flow.compared = flow.compared or p.at
        elif len(p.payload) > 500:
            found[source[p.source]].arrived.append(packet(p, int(number), fate == "right"))
    return found


def check_counts(what, r, counts):
    names = {"gaps": "gaps", "gap_packets": "gaps_packets"}
    for name, want in counts.items():
        if name != "gaps_ns":
            same("%s: %s" % (what, name), r[names.get(name, name + "_packets")], want)
    about(what + ": gaps_ns", r["gaps_ns"], counts["gaps_ns"], 2 * STAMPS * (counts["gaps"] + 1))


def check_flow(flow, r, rows):
    """The flow's record and its interval rows."""
    flow.count()
    came, sums, at, told, known = iter(flow.arrived), {}, 0, 0, 0
    zero = flow.arrived[0].at
    for row in rows:
        same("from", row["from_ns"], at)
        at = row["to_ns"]
        same("length", row["elapsed_ns"], at - row["from_ns"])
        n = sum(row[name + "_packets"] for name in ("received", "duplicates", "damaged"))
        batch = [next(came) for _ in range(n)]
        counts = flow.take(batch)
        # From END on it is known how many there were.
        told += row["sent_packets"]
        counts["sent"] = (len(flow.sent) if told == len(flow.sent) or row is rows[-1] else flow.state["top"]) - known
        known += counts["sent"]
        counts["lost"] = counts["sent"] - counts["received"]
        check_counts("row", row, counts)
        # A copy may be the last to come.
        right = [p for p in batch if p.right]
        if right:
            about("end of a row", at, right[-1].at - zero, 2 * STAMPS)
        if row["elapsed_ns"]:
            near("rate of a row", row["rate_bytes_per_s"], (row["bytes"] - (flow.arrived[0].size if row is rows[0] else 0))
                 * 1e9 / row["elapsed_ns"])
        for name, n in counts.items():
            sums[name] = sums.get(name, 0) + n
    same("packets beyond the rows", list(came), [])
    check_counts("flow", r, sums)
    same("extent_max", r["extent_max_packets"], flow.state.get("extent_max", 0))
    size = flow.sent[0].size
    same("bytes", r["bytes"], sums["received"] * size)
    about("elapsed", r["elapsed_ns"], flow.first[-1].at - flow.first[0].at, 2 * STAMPS)
    near("bytes a second", r["rate_bytes_per_s"], after_first(r, size))
    near("packets a second", r["rate_packets_per_s"], (sums["received"] - 1) * 1e9 / r["elapsed_ns"])
    # Both hosts have one clock here: the delays are off by the error of the offset.
    delays, bound = [p.at - p.time for p in flow.first][-r["delay_ns"]["count"]:], r["delay_bound_ns"]
    # From the first answer on that told what the publisher's clock says.
    between("delays", len(delays), len([p for p in flow.first if p.at > flow.compared + 5 * MS]), len(flow.first))
    check_times("delay", r["delay_ns"], [d - bound for d in delays], [d + bound for d in delays])


def check_publisher(name, flow, rate):
    start, = of_type(name + ".json", "start")
    summary, = of_type(name + ".json", "summary")
    r, peer = summary["publishers"][0], summary["publishers"][0]["peers"][0]
    count, size = len(flow.sent), flow.sent[0].size
    same("sent", [r["rounds"], r["sent_packets"], r["unsent_packets"], r["bytes"], peer["sent_packets"]],
         [count, count, 0, count * size, count])
    near("asked", r["asked_rate_bytes_per_s"], rate * size)
    began = min(p.time for p in flow.sent)
    planned, last = count * 1e9 / rate, max(p.time for p in flow.sent) - began
    # It began after its start record, and ended before its END.
    started = Decimal(time.mktime(time.strptime(start["time"][:19], "%Y-%m-%dT%H:%M:%S")) - time.timezone) * SECOND + \
        int(start["time"][20:29])
    between("elapsed", r["elapsed_ns"], max(planned - 2 * MS, last) - 10, max(planned, flow.end - int(started)) + 10)
    near("bytes a second", r["rate_bytes_per_s"], r["bytes"] * 1e9 / r["elapsed_ns"])
    near("packets a second", r["rate_packets_per_s"], count * 1e9 / r["elapsed_ns"])
    between("most behind", r["behind_ns"], max(p.time - began - i * 1e9 / rate for i, p in enumerate(flow.sent)) - 1000,
            flow.end - int(started))
    rows = of_type(name + ".json", "transmit")
    at = sent = 0
    for row in rows:
        same("publisher's from", row["from_ns"], at)
        at, sent = row["to_ns"], sent + row["sent_packets"]
        near("publisher's rate", row["rate_bytes_per_s"], row["sent_packets"] * size * 1e9 / row["elapsed_ns"])
        between("sent until the end of a row", sent, 1, len([p for p in flow.sent if p.time - began <= at]))
    if rows:
        same("publisher's rows", sent, count)
        check_csv(name, name + ".csv", [row for row in rows if row["sent_packets"]], "packets")
    return r, peer


def check_told(peer, r):
    """What the listener told is what it counted; delays have 11 bits."""
    for name in ("received", "lost", "duplicates", "reordered", "damaged", "missed_before", "lost_receiver_host"):
        same("told: " + name, peer[name + "_packets"], r[name + "_packets"])
    # Of several flows the listener does not know whose packets its socket dropped, of the first it did.
    for told in peer, r:
        where = ("lost_path_packets", "lost_unattributed_packets")
        same("told: where lost", sum(told[name] for name in where), r["lost_packets"])
        assert len(PACE) > 1 or not told[where[1]], told
    same("told: elapsed", peer["elapsed_ns"], r["elapsed_ns"])
    near("told: rate", peer["rate_bytes_per_s"], r["rate_bytes_per_s"])
    for name, value in peer["delay_ns"].items():
        between("told: delay " + name, value, r["delay_ns"][name], r["delay_ns"][name] * (1 + 2**-10) + 1)


def per_second(amount, elapsed):
    """Of whole milliseconds, rounded, as Java does."""
    return math.floor(amount / (elapsed // MS) * 1000 + 0.5)


def check_life(path, flow_records):
    """The last Lifetime of each publisher, in the original's lines."""
    with open(path) as file:
        life = file.read().split("Lifetime:\n")[-1].split("Now:\n")[0]
    for r in flow_records:
        block = life.split("Rx from publisher: %s\n" % r["publisher"])[1].split("\n")
        mib, packets = per_second(r["bytes"] / 2**20, r["elapsed_ns"]), per_second(r["received_packets"], r["elapsed_ns"])
        success = next(line for line in block if "success" in line).split(": ")[1]
        near("success rate", success, r["received_packets"] / r["sent_packets"], 1e-7)
        want = ["     elapsed: %dms" % (r["elapsed_ns"] // MS), " packet size: %d" % (r["bytes"] // r["received_packets"]),
                "  throughput: %d MB/sec" % mib, " " * 14 + "%d packets/sec" % packets,
                "    received: %d of %d" % (r["received_packets"], r["sent_packets"]),
                "     missing: %d" % r["lost_packets"], "success rate: " + success,
                "out of order: %d" % r["reordered_packets"],
                "  avg offset: %d" % (r["offset_sum_packets"] // max(r["reordered_packets"], 1))]
        same("Lifetime", block[:len(want)], ["\t" + line for line in want])


def check_log(flow_records):
    with open("rx_log.txt") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    for r in flow_records:
        row, = [row for row in rows if row["publisher"] == r["publisher"] and row["kind"] == "lifetime"]
        gaps, gap_ms = r["gaps"], r["gaps_ns"] // MS
        near("log: success rate", row["success rate"], r["received_packets"] / r["sent_packets"], 1e-7)
        want = {"publisher": r["publisher"], "duration ms": r["elapsed_ns"] // MS,
                "packet size": r["bytes"] // r["received_packets"],
                "throughput mb/sec": per_second(r["bytes"] / 2**20, r["elapsed_ns"]),
                "throughput packets/sec": per_second(r["received_packets"], r["elapsed_ns"]),
                "sent packets": r["sent_packets"], "received packets": r["received_packets"],
                "missing packets": r["lost_packets"], "success rate": row["success rate"],
                "out of order": r["reordered_packets"],
                "avg out of order offset": r["offset_sum_packets"] // max(r["reordered_packets"], 1), "gaps": gaps,
                "avg gap size": r["gaps_packets"] // gaps, "avg gap time ms": gap_ms // gaps, "avg ack ms": "-1.0E-6",
                "kind": "lifetime", "duplicates": r["duplicates_packets"], "damaged": r["damaged_packets"],
                "lost before": r["missed_before_packets"], "delay p50 ns": r["delay_ns"]["p50"],
                "delay p99 ns": r["delay_ns"]["p99"]}
        same("log", row, {name: str(value) for name, value in want.items()})


def check_tx(path, flow, stood_still):
    """The rates of a publisher's whole run, each the mean of the last one's and of that since, over whole ms."""
    with open(path) as file:
        reports = re.findall(r"Tx summary 1 peers:\n +life: (\d+) MB/sec, (\d+) packets/sec\n +now: (\d+) MB/sec, (\d+) packets/sec",
                             file.read())
    assert len(reports) > 1, "no reports"
    before = None
    for report in reports:
        mib, life, mib_now, now = (int(figure) for figure in report)
        low, high = sorted((before or now, now))
        between("life of %s after one of %s" % (report, before), life, 0.98 * low - 1, 1.02 * high + 1)
        for have, packets in (mib, life), (mib_now, now):
            between("MB/sec of %s" % (report,), have, round((packets - 1) * flow.sent[0].size / 2**20 - 0.01),
                    round((packets + 1) * flow.sent[0].size / 2**20 + 0.01))
        before = life
    assert not stood_still or any(abs(int(r[1]) - int(r[3])) > int(r[3]) / 10 for r in reports), "no report has the standstill: %s" % reports
    between("life at the end", life, 1, per_second(len(flow.sent), flow.sent[-1].time - flow.sent[0].time))


def check_block(what, path, title, own, sent, r, extra):
    lines, = block(path, "datagram-test: ")
    want = [title, amount("sent", sent, "packets", own.get("rate_bytes_per_s") if "rounds" in own else None, UNIT),
            amount("received", r["received_packets"], "packets", r["rate_bytes_per_s"], UNIT)]
    want += lost(r, "packets", sent) + order(r, "packets") + extra
    if FULL:
        same(what, lines[len(want)], "  configuration")
        lines, full = lines[:len(want)], lines
    check_lines(what, lines, want)
    return full if FULL else None


def title(source, size, elapsed):
    return "datagram-test: UDP %s -> %s, %d-byte packets, %s" % (source, LISTENER, size, duration(elapsed))


def check_texts(summary, records, publishers):
    cpu = [re.compile(r"  cpu           sender \d+ %"), re.compile(r"  cpu           receiver \d+ %")]
    for (name, own, peer), address in zip(publishers, PACE):
        lines = check_block(name, name + ".out", title(address, own["bytes"] // own["sent_packets"], own["elapsed_ns"]), own,
                            own["sent_packets"], peer, times("delay", peer["delay_ns"], peer["delay_bound_ns"]) + cpu[:1])
        if FULL:
            check_share(name, lines, "sender", own["elapsed_ns"])
            rows = [cells(line) for line in part(lines, "percentiles")]
            same(name + ": percentiles", [row for row in rows if len(row) > 1],
                 [[p, latency(peer["delay_ns"][p])] for p in ("p50", "p99", "max")])
    sums = {name: sum(r[name] for r in records) for name in summary if name.endswith("_packets") and name in records[0]
            and "lost_" not in name and "max" not in name}
    for name, want in sums.items():
        same("sum of " + name, summary[name], want)
    if len(records) == 1:
        r = records[0]
        lines = check_block("listener", "rx.out", title(r["publisher"][1:], r["bytes"] // r["received_packets"], r["elapsed_ns"]),
                            summary, r["sent_packets"], r, times("delay", r["delay_ns"], r["delay_bound_ns"]) + cpu[1:])
        if FULL:
            check_share("listener", lines, "receiver", r["elapsed_ns"])
            check_percentiles("listener", lines, [("delay", r["delay_ns"])])
        return
    worst = sorted(records, key=lambda r: -r["lost_packets"] / r["sent_packets"])
    rates = [r["rate_bytes_per_s"] * (1 if UNIT == "bytes" else 8) / 1e6 for r in worst]
    lines, = block("rx.out", "datagram-test: ")
    same("listener: publishers", [cells(line) for line in lines[-1 - len(records):]],
         [["publisher", "received", "lost", "%", "dup", "reord", "MB/s" if UNIT == "bytes" else "Mbit/s", "p50"]] +
         [[r["publisher"][1:], str(r["received_packets"]), str(r["lost_packets"]),
           "%.3g" % (100 * r["lost_packets"] / r["sent_packets"]), str(r["duplicates_packets"]), str(r["reordered_packets"]),
           "%.*f" % (2 if rate < 100 else 1, rate), latency(r["delay_ns"]["p50"])] for r, rate in zip(worst, rates)])
    check_block("listener", "rx.out", title("%d publishers" % len(records), summary["bytes"] // summary["received_packets"],
                                           summary["elapsed_ns"]), summary, summary["sent_packets"], summary,
                cpu[1:] + lines[-1 - len(records):])


def main():
    found, (summary,) = flows(), of_type("rx.json", "summary")
    records = summary["flows"]
    rows = of_type("rx.json", "interval")
    publishers = []
    for address, rate in PACE.items():
        flow, name = found[address], "tx" + address.split(":")[1]
        r, = [r for r in records if r["publisher"] == "/" + address]
        same("source", r["source"], "/" + flow.source)
        check_flow(flow, r, [row for row in rows if row["publisher"] == r["publisher"]])
        own, peer = check_publisher(name, flow, rate)
        check_told(peer, r)
        publishers.append((name, own, peer))
        if not FULL:
            check_tx(name + ".out", flow, stood_still=name == "tx9001")
    check_csv("listener", "rx.csv", rows, "packets")
    check_log(records)
    check_texts(summary, records, publishers)
    if not FULL:
        check_life("rx.out", records)
    print("%s: %s" % (UNIT, [(r["publisher"], r["received_packets"], r["lost_packets"]) for r in records]))


main()
