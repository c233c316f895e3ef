# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
# shellcheck shell=sh
# record.sh: records all packets of host-a and host-b (lib.sh's relayed_hosts) with the kernel's stamps:
# record_start, record_stop: they are in $WORK/a.pcap and $WORK/b.pcap
RECORDERS=''
record_start() {
	need tcpdump python3
	RECORDERS=''
	for _n in a b; do
		ip netns exec host-$_n tcpdump -Z root -i eth0 -s 0 -B 16384 -U --immediate-mode \
			--time-stamp-precision=nano -w "$WORK/$_n.pcap" ip 2>"$WORK/$_n.tcpdump" &
		RECORDERS="$RECORDERS $!"
		BACKGROUND="$BACKGROUND $!"
	done
	for _n in a b; do
		until_true 10 grep -q '^tcpdump: ' "$WORK/$_n.tcpdump"
		! grep "Couldn't change to 'root'" "$WORK/$_n.tcpdump" || skip "tcpdump sets its groups, which an ordinary user may not"
		until_true 10 grep -q '^tcpdump: listening' "$WORK/$_n.tcpdump" || fail "$(cat "$WORK/$_n.tcpdump")"
	done
}
# All that came is recorded once a last packet, which no program waits for, is.
record_stop() {
	host_a python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"all is recorded", ("10.9.0.2", 9))'
	for _n in a b; do
		until_true 20 grep -q 'all is recorded' "$WORK/$_n.pcap" || fail "not all is recorded: $(cat "$WORK/$_n.tcpdump")"
	done
	for _pid in $RECORDERS; do kill -INT "$_pid"; wait "$_pid"; done
	for _n in a b; do
		grep -q '^0 packets dropped by kernel' "$WORK/$_n.tcpdump" || fail "not all is recorded: $(cat "$WORK/$_n.tcpdump")"
	done
}
# golden PROGRAM ARGUMENT...: judges what is in $WORK
golden() {
	_program=$1; shift
	(cd "$WORK" && PYTHONDONTWRITEBYTECODE=1 python3 "$TOP/tests/golden/$_program.py" "$@") >"$WORK/golden" 2>&1 ||
		fail "$_program $*: $(tail -5 "$WORK/golden")"
	cat "$WORK/golden"
}
