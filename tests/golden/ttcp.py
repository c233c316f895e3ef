# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
"""ttcp: judges a relayed series of runs of ttcp by what was on the wire at both hosts.

usage: ttcp.py udp|tcp bits|bytes BIT-A-SECOND [full]: in this folder are a.pcap and b.pcap, truth.json, and of both ends
(tx, rx) .json, .csv and .out; rx_seq*.txt, rx_bw*.txt, tx_bw*.txt, log.txt; in TEST_DATA the files of -d.
"""
import struct
import sys

import wire
from figures import *
from messages import ACK, DATA, END, START, START_OK, messages

UDP, UNIT, RATE = sys.argv[1] == "udp", sys.argv[2], int(sys.argv[3]) / 8
STREAMS = 3
KIND, TITLE = ("UDP", "ttcp: UDP ") if UDP else ("TCP", "ttcp: TCP ")
SENDER, RECEIVER = "10.9.0.1", "10.9.0.2:5001"
WINDOW = 50 * MS
HEAD_SHARE = 0.01
# So late a program may look at what a stream brought when others use the machine, too.
LOOKS = SECOND


def stamp(ack):
    """When the receiver took a message, as its ACK has it."""
    return struct.unpack(">q", ack.body[:8])[0]


class Run:
    """What the wire says of one run."""

    def __init__(self, a, b, run):
        sent, acks = ([m for m in messages if m.run == run] for messages in a)
        arrived, answers = ([m for m in messages if m.run == run] for messages in b)
        self.sent = [m for m in sent if m.kind == DATA]
        self.arrived = [m for m in arrived if m.kind == DATA]
        # The sender's clock starts between the first answer to START and the first message.
        self.ready = min(m.at for m in acks if m.kind == START_OK)
        self.ended = min(m.time for m in sent if m.kind == END)
        self.acks = [m for m in acks if m.kind == ACK]
        self.left = {(m.stream, m.number): m.at for m in reversed([m for m in answers if m.kind == ACK])}
        self.size, self.begin = self.sent[0].size, min(m.time for m in self.sent)
        had, top, self.first, self.again, self.reordered = set(), {}, [], 0, 0
        for m in self.arrived:
            if (m.stream, m.number) in had:
                self.again += 1
                continue
            had.add((m.stream, m.number))
            self.first.append(m)
            self.reordered += m.number < top.get(m.stream, 0)
            top[m.stream] = max(top.get(m.stream, 0), m.number)
        # A receiver stamps a datagram as the kernel does, and what a stream brought when it looks.
        self.latest = {(m.stream, m.number): m.at if UDP else self.left[m.stream, m.number] for m in self.first}
        # The bytes of the receiver's first stamp: one read of a stream may hold several messages.
        stamps = [self.first[0].at] if UDP else [stamp(m) for m in answers if m.kind == ACK]
        self.head = stamps.count(min(stamps)) * self.size
        # Twice the bound of the clocks' offset is how far the receiver counts delays from below it.
        self.below = 2 * max(struct.unpack_from(">q", m.body, 48)[0] for m in sent if m.kind == START)

    def counts(self):
        return {"sent": len(self.sent), "received": len(self.first), "lost": len(self.sent) - len(self.first),
                "duplicates": self.again, "reordered": self.reordered, "damaged": 0, "late": 0}

    def latest_at(self, m):
        return self.latest[m.stream, m.number]

    def check_elapsed(self, what, have):
        between(what + ": elapsed", have, self.first[-1].at - self.latest_at(self.first[0]) - 2 * STAMPS,
                max(self.latest.values()) - self.first[0].at + 2 * STAMPS)


def check_counts(what, record, wanted, leave=()):
    for name, want in wanted.items():
        if name not in leave:
            same("%s: %s" % (what, name), record[name + "_messages"], want)


def check_rates(what, run, r):
    """A rate leaves out what came first, before which no time passed."""
    after_head = r["bytes"] - run.head
    near(what + ": bytes a second", r["rate_bytes_per_s"], after_head * 1e9 / r["elapsed_ns"])
    near(what + ": messages a second", r["rate_messages_per_s"], after_head / run.size * 1e9 / r["elapsed_ns"])


def check_receiver(what, run, r):
    """What the receiver counted, as it tells it, or as the sender was told."""
    check_counts(what, r, run.counts(), ("sent",) if "receiver" in r else ())
    same(what + ": bytes", r["bytes"], len(run.first) * run.size)
    run.check_elapsed(what, r["elapsed_ns"])
    check_rates(what, run, r)
    raw = [m.at - m.time for m in run.first], [run.latest_at(m) - m.time for m in run.first]
    check_times(what + ": raw delay", r["delay_raw_ns"], *raw, run.below)
    # Both hosts have one clock here.
    between(what + ": offset", abs(r["clock_offset_ns"]), 0, r["delay_bound_ns"])
    for name, value in r["delay_ns"].items():
        same(what + ": delay " + name, value,
             r["delay_raw_ns"][name] - (0 if name == "count" else r["clock_offset_ns"]))
    same(what + ": where lost", [r.get("lost_%s_messages" % place) for place in ("path", "receiver_host", "unattributed")],
         [run.counts()["lost"], 0, 0])


def check_transmit(what, run, r):
    same(what + ": sent", (r["sent_messages"], r["unsent_messages"], r["bytes"]),
         (len(run.sent), 0, len(run.sent) * run.size))
    near(what + ": asked", r["asked_rate_bytes_per_s"], RATE)
    # The last message has an interval of time, too, unless it was late by more.
    planned, last = len(run.sent) * run.size * 1e9 / RATE, max(m.time for m in run.sent)
    between(what + ": elapsed", r["elapsed_ns"], max(planned, last - run.begin) - 10, max(planned, run.ended - run.ready) + 10)
    near(what + ": bytes a second", r["rate_bytes_per_s"], r["bytes"] * 1e9 / r["elapsed_ns"])
    near(what + ": messages a second", r["rate_messages_per_s"], r["sent_messages"] * 1e9 / r["elapsed_ns"])
    late = [m.time - i * run.size * 1e9 / RATE for i, m in enumerate(sorted(run.sent, key=lambda m: m.time))]
    between(what + ": most behind", r["behind_ns"], max(late) - run.begin - 1000, max(late) - run.ready + 1000)
    acks = {(m.stream, m.number): m for m in reversed(run.acks)}
    same(what + ": ACKs", (r["acks"], r["receivers"][0]["acks"]), (len(acks), len(acks)))
    trips = [m.at - m.time for m in acks.values()]
    check_times(what + ": round trip", r["rtt_ns"], trips, trips if UDP else [t + LOOKS for t in trips])


def check_intervals(run, rows, sender_rows):
    """Each row has what came in its time, by the stamps of its first and last message."""
    came = iter(run.arrived)
    at, top, had = rows[0]["from_ns"], {}, set()
    zero = run.first[0].at - at
    for r in rows:
        same("from", r["from_ns"], at)
        at = r["to_ns"]
        same("length", r["elapsed_ns"], at - r["from_ns"])
        if UDP:
            check_interval(run, r, at + zero, top, had, came)
        if r["elapsed_ns"]:
            near("rate of a row", r["rate_bytes_per_s"],
                 (r["bytes"] - (run.head if r is rows[0] else 0)) * 1e9 / r["elapsed_ns"])
    for name, want in run.counts().items():
        if name + "_messages" in rows[0]:
            same("rows: sum of " + name, sum(r[name + "_messages"] for r in rows), want)
    at = sent = 0
    for r in sender_rows:
        same("sender's from", r["from_ns"], at)
        at, sent = r["to_ns"], sent + r["sent_messages"]
        # A message of each stream is stamped before it is sent, and counted after.
        between("sent until the end of a row", sent, len([m for m in run.sent if m.time - run.ready <= at]) - STREAMS,
                len([m for m in run.sent if m.time - run.begin <= at]))
        near("sender's rate", r["rate_bytes_per_s"], r["sent_messages"] * run.size * 1e9 / r["elapsed_ns"])
    same("sender's rows", sent, len(run.sent))


def check_interval(run, r, end, top, had, came):
    counts = dict.fromkeys(run.counts(), 0)
    delays, before = [], sum(top.values())
    arrivals = r["received_messages"] + r["duplicates_messages"]
    for _ in range(arrivals):
        m = next(came)
        if (m.stream, m.number) in had:
            counts["duplicates"] += 1
            continue
        had.add((m.stream, m.number))
        counts["received"] += 1
        counts["reordered"] += m.number + 1 < top.get(m.stream, 0)
        top[m.stream] = max(top.get(m.stream, 0), m.number + 1)
        delays.append(m.at - m.time)
    # One in which nothing came, while a busy machine's sender stood still, or all was lost, ends by the clock.
    if arrivals:
        about("end of a row", end, m.at)
    counts["sent"] = sum(top.values()) - before
    if r["to_ns"] == run.last_row:
        counts["sent"] += len(run.sent) - sum(top.values())
    counts["lost"] = counts["sent"] - counts["received"]
    check_counts("row", r, counts)
    # The clocks are known as START told it.
    bound = max(run.bound, run.below // 2)
    if delays:
        check_times("delay of a row", r["delay_ns"], [d - bound for d in delays], [d + bound for d in delays])
    else:
        same("delay of an empty row", r.get("delay_ns"), None)


def title(r):
    return "ttcp: %s %s -> %s, %d-byte messages, 3 streams, %s" % (KIND, SENDER, RECEIVER, SIZE, duration(r["elapsed_ns"]))


def check_block(what, run, lines, own, sent, r, full):
    """@own: the record of the end that printed it; @r: what its receiver counted."""
    # A rate that leaves out so much looks wrong beside the count and the time.
    after = " after the first" if run.head > HEAD_SHARE * r["bytes"] else ""
    # What a kernel dropped of a connection's segments is not in the records of the other end.
    lines = [line for line in lines if UDP or not re.match(" +((sender|receiver) host +)?(dropped )?(>= )?[0-9]+ [A-Z]", line)]
    want = [title(own), amount("sent", sent, "messages", own["rate_bytes_per_s"] if own is not r else None, UNIT),
            amount("received", r["received_messages"], "messages", r["rate_bytes_per_s"], UNIT) + after]
    if UDP:
        want += lost(r, "messages", sent) + order(r, "messages")
    want += times("delay", r["delay_ns"], r["delay_bound_ns"])
    if own is not r:
        want += times("round trip", own["rtt_ns"])
        if not UDP:
            check_retransmitted(lines[len(want)], own["run"])
            want.append(lines[len(want)])
    want.append(re.compile(r"  cpu           sender \d+ %, receiver \d+ %"))
    if full:
        same(what, lines[len(want)], "  configuration")
        check_lines(what, lines[:len(want)], want)
        check_full(what, lines, own, r, full)
    else:
        check_lines(what, lines, want)


def tcp_facts(tcp):
    """TCP's own figures as the text has them."""
    found = {}
    for key, value in tcp.items():
        for unit in "segments", "bytes", "bytes_per_s", "events", "calls", "ns":
            if key.endswith("_" + unit):
                text = {"ns": latency, "bytes_per_s": lambda n: rate(n, UNIT)}.get(unit, lambda n: "%d %s" % (n, unit))
                found[key[:-len(unit) - 1].replace("_", " ")] = text(value)
    return found


def check_full(what, lines, own, r, intervals):
    same(what + ": configuration", facts(part(lines, "configuration")),
         {"message": "%d bytes" % SIZE, "messages": "%d by each stream" % (len(RUNS[0].sent) // 3),
          "rate": rate(RATE, UNIT), "session": "TEST"})
    check_rows(what, lines, intervals, "messages", UNIT)
    transport, start = facts(part(lines, "transport")), of_type("rx.json" if own is r else "tx.json", "start")[0]
    socket = start["sockets"][0]
    want = {"send buffer": "%d bytes" % socket["send_buffer_bytes"], "receive buffer": "%d bytes" % socket["receive_buffer_bytes"]}
    if UDP:
        want.update({"batch": socket["batch"], "time stamps": socket["stamps"]})
    else:
        # The kernel lets a connection's buffers grow during the run.
        for name in "send buffer", "receive buffer":
            assert int(transport[name].split()[0]) >= int(want[name].split()[0]), (what, name, transport[name], want[name])
            want[name] = transport[name]
        want.update({"congestion control": socket["congestion"], "TCP_NODELAY": "yes"})
        want.update(tcp_facts(own["tcp"]))
    if own is not r:
        want["worst lag"] = "%.3f ms behind schedule" % (own["behind_ns"] / MS)
    elif own.get("grace_ns"):
        want["waited after the end"] = "%.3f ms" % (own["grace_ns"] / MS)
    same(what + ": transport", transport, want)
    columns = [("delay", r["delay_ns"]), ("delay by both clocks", r["delay_raw_ns"])]
    if own is not r:
        columns.insert(1, ("round trip", own["rtt_ns"]))
    check_percentiles(what, lines, columns)
    same(what + ": offset", next(line for line in lines if line.startswith("  clock")), "  clock offset  %.3f ms, within %.3f ms"
         % (r["clock_offset_ns"] / MS, r["delay_bound_ns"] / MS))
    for end, record in ("sender", r if own is r else own), ("receiver", r):
        check_share(what, lines, end, record["elapsed_ns"])


def rate_of_original(text, size, elapsed):
    """Thousands of bits a second over whole milliseconds, in 32-bit numbers."""
    near("Kbps", text, size * 8 / (elapsed // MS + (elapsed % MS >= MS // 2)))


def check_original(lines, run, sent, got):
    """The lines of HyperCast's TTCP: both that the receiver, and both that the sender prints."""
    receive, delay, transmit, acks = lines
    match = re.fullmatch(r"Receive: Receive: (\d+) packets, ([0-9.E]+) Kbps, lost (\d+) packets, lost ratio is "
                         r"([0-9.E-]+)%, retransmission (\d+)\.", receive)
    assert match, receive
    same("received, lost, again", (int(match[1]), int(match[3]), int(match[5])),
         (got["received_messages"], got["lost_messages"], got["duplicates_messages"]))
    rate_of_original(match[2], got["bytes"], got["elapsed_ns"])
    near("lost ratio", match[4], 100 * got["lost_messages"] / got["sent_messages"])
    match = re.fullmatch(r"average delay=([0-9.E-]+)", delay)
    assert match, delay
    near("average delay", match[1], got["delay_raw_ns"]["mean"] / MS)
    match = re.fullmatch(r"Transmit: (\d+) packets in (\d+) milli-seconds = ([0-9.E]+) KB/sec \(([0-9.E]+) Kbps\)\.", transmit)
    assert match, transmit
    same("sent", int(match[1]), sent["sent_messages"])
    between("milli-seconds", int(match[2]) * MS, max(m.time for m in run.sent) - run.begin - MS // 2,
            run.ended - run.ready + MS // 2)
    near("KB/sec", match[3], sent["bytes"] / int(match[2]))
    near("Kbps", match[4], sent["bytes"] * 8 / int(match[2]))
    match = re.fullmatch(r"(\d+) ACKs recceived    Average round-trip-time=([0-9.E-]+)ms", acks)
    assert match, acks
    same("ACKs", int(match[1]), sent["acks"])
    near("average round trip", match[2], sent["rtt_ns"]["mean"] / MS)


def ms(text):
    """Milliseconds as nanoseconds, exactly."""
    value = Decimal(text) * MS
    same("whole nanoseconds", value, int(value))
    assert re.fullmatch(r"-?\d+(\.\d*[1-9])?", text), text
    return int(value)


def numbered(name, run, stream=0):
    parts = name.rsplit(".", 1)
    return parts[0] + ("_%d" % run if run > 1 else "") + ("_s%d" % stream if stream else "") + "." + parts[1]


def check_sequence(run, number):
    for stream in range(3):
        rows = table(numbered("rx_seq.txt", number, stream))
        came = [m for m in run.arrived if m.stream == stream]
        same("-s: numbers", [int(r[0]) for r in rows], [m.number for m in came])
        first = came[0].at
        for r, m in zip(rows, came):
            same("-s", (r[1], r[5], len(r)), ("1", "0", 6))
            sent, received, delay = (ms(text) for text in r[2:5])
            same("-s: pseudo-delay", delay, received - sent)
            if UDP:
                about("-s: sent", sent, m.time - first)
                about("-s: received", received, m.at - first)
            else:
                between("-s: pseudo-delay", delay, m.at - m.time - STAMPS, run.latest_at(m) - m.time + STAMPS)
        yield [(m.at if UDP else None, r) for r, m in zip(rows, came)]


def check_acks(run, number):
    for stream in range(3):
        name = "TEST_DATA/TEST_acks_%d%s.txt" % (number, "_s%d" % stream if stream else "")
        rows = table(name)
        same("-d: head", ["\t".join(r) for r in rows[:2]],
             [KIND, "receiver\tsequence#\tsize(byte)\tsent\treceived\tacked\tRTT\tdelay\tthrouput(kbps)"])
        had, acks = set(), []
        for m in run.acks:
            if m.stream == stream and m.number not in had:
                had.add(m.number)
                acks.append(m)
        same("-d: numbers", [int(r[1]) for r in rows[2:]], [m.number for m in acks])
        for r, m in zip(rows[2:], acks):
            same("-d: receiver and size", r[:1] + r[2:3], [RECEIVER, str(SIZE)])
            sent, received, acked, rtt, delay = (ms(text) for text in r[3:8])
            whole = rtt >= 10 * MS
            cut = (lambda t: t // MS * MS) if whole else (lambda t: t)
            same("-d: sent", sent, cut(m.time))
            same("-d: received", received, cut(stamp(m)))
            between("-d: acked", acked, cut(m.at - STAMPS), cut(m.at + (STAMPS if UDP else LOOKS)))
            same("-d: RTT", rtt, acked - sent)
            same("-d: delay", delay, rtt // MS // 2 * MS if whole else rtt // 2)
            near("-d: throughput", r[8], SIZE * 8 * MS / delay)
        if number == 1 and not stream:
            check_smooth(rows[2:])


def check_smooth(rows):
    """ttcp -smd 50: the mean delay of each 50 ms in which something was sent."""
    windows = {}
    for r in rows:
        windows.setdefault((ms(r[3]) - ms(min((row[3] for row in rows), key=ms))) // WINDOW * 50, []).append(ms(r[7]))
    first = (ms(rows[0][3]) - min(ms(r[3]) for r in rows))
    same("-smd: the first row was sent first", first, 0)
    have = table("smooth.txt")
    same("-smd", [(int(r[0]), int(r[1])) for r in have], [(at, len(windows[at])) for at in sorted(windows)])
    for r in have:
        near("-smd: mean", r[2], sum(windows[int(r[0])]) / len(windows[int(r[0])]) / MS)


def check_density(run):
    """ttcp -s2d 10: the share of each ten numbers that came."""
    had = {m.number for m in run.first if m.stream == 0}
    want = []
    for at in range(0, max(had) + 1, 10):
        numbers = range(at, min(at + 10, max(had) + 1))
        want.append((at, len(had.intersection(numbers)) / len(numbers)))
    same("-s2d", [(int(r[0]), float(r[1])) for r in table("density.txt")], want)


def check_bandwidth(name, came):
    """@came: (earliest, latest) times since the first message at which each was counted."""
    rows, at, counted = table(name), 0, 0
    for i, r in enumerate(rows):
        end, count, volume = ms(r[0]), int(r[1]), int(r[2])
        same(name + ": bytes", volume, count * SIZE)
        for low, high in came[counted:counted + count]:
            assert low <= end and high >= at, "%s: one of %d to %d in the window that ends at %d" % (name, low, high, end)
        if i < len(rows) - 1:
            same(name + ": end", end, at + WINDOW)
            near(name + ": kbps", r[3], volume * 8 / 50)
        else:
            low, high = came[counted - 1]
            spans = [min(end - t, WINDOW) for t in (high, low)]
            # From 10 ms on they are whole ones.
            spans = [t + d if t >= 9 * MS else t for t, d in zip(spans, (-MS // 2, MS // 2))]
            between(name + ": kbps of the last", float(r[3]), volume * 8 * MS / spans[1], volume * 8 * MS / max(spans[0], 1))
        at, counted = end, counted + count
    same(name + ": all", counted, len(came))
    between(name + ": end", at, *came[-1])


def check_files(run, number):
    for _ in check_sequence(run, number):
        pass
    check_acks(run, number)
    if UDP:
        first = run.arrived[0].at
        check_bandwidth(numbered("rx_bw.txt", number), [(m.at - first - STAMPS, m.at - first + STAMPS) for m in run.arrived])
    # The sender counts those of a turn, of each stream one at most, when it has sent them.
    times = sorted(m.time for m in run.sent) + 3 * [run.ended]
    check_bandwidth(numbered("tx_bw.txt", number), [(a - times[3], b - times[0]) for a, b in zip(times, times[3:])])


def retransmitted(path):
    """When segments of A left that carry what was sent before."""
    again, top = [], {}
    for p in wire.packets(path):
        # SYN and FIN count as a byte each.
        length = len(p.payload) + bool(p.flags & (wire.SYN | wire.FIN))
        if p.protocol == wire.TCP and p.destination == RECEIVER and length:
            way = (p.source, p.destination)
            first, end = top.get(way, (p.seq, 0))
            at = (p.seq - first) & 0xFFFFFFFF
            if at < end:
                again.append(p.at)
            top[way] = first, max(end, at + length)
    return again


def check_retransmitted(line, n):
    match = re.fullmatch(r"  tcp           (\d+) segments? retransmitted, rtt [0-9.]+ [mu]?s \(min [0-9.]+ [mu]?s\), (\w+)", line)
    assert match, line
    # Each run has its connections: what is sent again after END may be too late to be counted.
    begin = RUNS[n - 2].ended if n > 1 else 0
    again = [at for at in retransmitted("a.pcap") if at >= begin and (n == len(RUNS) or at < RUNS[n].begin)]
    between("segments retransmitted", int(match[1]), len([at for at in again if RUNS[n - 1].ready <= at <= RUNS[n - 1].ended]),
            len(again))
    same("congestion control", match[2], of_type("tx.json", "start")[0]["sockets"][0]["congestion"])


def check_sums(what, records, summary, names):
    for name in names:
        same("%s: sum of %s" % (what, name), summary[name], sum(r[name] for r in records))


def main():
    sent, got = of_type("tx.json", "run"), of_type("rx.json", "run")
    rows = {name: of_type(name + ".json", "interval") for name in ("tx", "rx")}
    blocks = {name: block(name + ".out", TITLE) for name in ("tx", "rx")}
    logs = [table(name + "_log.txt") for name in ("rx", "tx")]
    for log, side in zip(logs, ("Receive", "Transmit")):
        same("-f: side and run", [r[1:3] for r in log], [["%s %s" % (KIND, side), str(n // 2)] for n in range(2, 2 + 2 * len(RUNS))])
    for n, run in enumerate(RUNS):
        of_run = {name: [r for r in rows[name] if r["run"] == n + 1] for name in rows}
        told = sent[n]["receivers"][0]
        run.last_row, run.bound = of_run["rx"][-1]["to_ns"], max(got[n]["delay_bound_ns"], told["delay_bound_ns"])
        check_receiver("receiver", run, got[n])
        check_receiver("as told to the sender", run, told)
        check_transmit("sender", run, sent[n])
        check_intervals(run, of_run["rx"], of_run["tx"])
        full = "full" in sys.argv
        check_block("sender's text", run, blocks["tx"][n], sent[n], len(run.sent), told, full and of_run["tx"])
        check_block("receiver's text", run, blocks["rx"][n], got[n], len(run.sent), got[n], full and of_run["rx"])
        check_original([r[3] for log in logs for r in log[2 * n:2 * n + 2]], run, sent[n], got[n])
        check_files(run, n + 1)
    check_density(RUNS[0])
    for name in rows:
        for row, r in zip(check_csv(name, name + ".csv", rows[name], "messages"), rows[name]):
            same("flow", row["flow"], "%s %d" % (r["side"], r["run"]))
    summary = of_type("rx.json", "summary")[0]
    check_sums("receiver", got, summary, [name + "_messages" for name in RUNS[0].counts()] + ["bytes", "elapsed_ns"])
    summary = of_type("tx.json", "summary")[0]
    check_sums("sender", sent, summary, ["sent_messages", "bytes", "elapsed_ns"])
    same("sender: the last run's", [summary[name] for name in ("acks", "rtt_ns", "receivers")],
         [sent[-1][name] for name in ("acks", "rtt_ns", "receivers")])
    if not full:
        for name, log, lines in zip(("rx", "tx"), logs, ("(?!.*finishes)(Receive: Receive|average)", "Transmit:|[0-9]+ ACKs")):
            with open(name + ".out") as file:
                same(name + ": lines of the log", [line.rstrip("\n") for line in file if re.match(lines, line)], [r[3] for r in log])
    print("%s, %s: %s" % (KIND, UNIT, [run.counts() for run in RUNS]))


A, B = messages("a.pcap", UDP), messages("b.pcap", UDP)
RUNS = [Run(A, B, n) for n in dict.fromkeys(m.run for m in A[0] if m.kind == DATA)]
SIZE = RUNS[0].size
main()
