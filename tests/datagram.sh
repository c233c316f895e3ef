# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
# shellcheck shell=sh
# datagram.sh: what the tests of datagram-test share. To be included after lib.sh:
#	. "$TOP/tests/datagram.sh"

# start, pid_of, ended: lib.sh's. It is ready when it listens.
# shellcheck disable=SC2034 # lib.sh uses it
PROGRAM=datagram-test
await_ready() { until_true 5 grep -q "report on" "$WORK/$1.out" || fail "$1: $(cat "$WORK/$1.err")"; }
# all_read [HOST]: true when the UDP sockets on that host, or here, hold no unread data.
all_read() { [ "$(${1:+ip netns exec "$1"} ss -Huln | awk '{ n += $2 } END { print n + 0 }')" = 0 ]; }
# socket_drops [HOST]: true when an open UDP socket on that host, or here, has dropped some.
socket_drops() {
	# shellcheck disable=SC2086 # words
	${1:+ip netns exec $1} cat /proc/net/udp /proc/net/udp6 2>/dev/null | awk '$NF ~ /^[1-9]/ { n++ } END { exit !n }'
}
# The first flow, or publisher, of a summary: flow NAME .lost_packets
flow() { json "$WORK/$1.json" ".flows[0] | $2"; }
publisher() { json "$WORK/$1.json" ".publishers[0] | $2"; }
# A figure of the last Lifetime block in the text: text_of NAME "out of order"
text_of() {
	awk -v label="$2: " '/^Lifetime:/ { value = "" } { at = index($0, label) }
		/^\t/ && at && !value { value = substr($0, at + length(label)) } END { print value }' "$WORK/$1.out"
}
# mb_per_s PACKETS [BYTES]: the -txRate for that many packets a second of that size.
mb_per_s() { awk -v p="$1" -v b="${2:-1468}" 'BEGIN { printf "%.9f", p * b / 1048576 }'; }
# room_for PACKETS: the receive buffer for that many packets, or the largest that an ordinary user gets.
room_for() {
	_granted=$(($(cat /proc/sys/net/core/rmem_max) / 1468))
	# A user namespace has no right to force it.
	if [ "$(awk '{ print $2 }' /proc/self/uid_map)" = 0 ] || [ "$1" -lt "$_granted" ]; then
		echo "$1"
	else
		echo "$_granted"
	fi
}
# The hosts "client" (10.9.0.1) and "target" (10.9.0.2) of lib.sh, without a relay between them.
addressed_hosts() {
	two_hosts "$@"
	_speaks client 10.9.0.1 target 10.9.0.2
	_speaks target 10.9.0.2 client 10.9.0.1
}
_speaks() { # HOST ADDRESS OTHER ITS-ADDRESS
	ip -n "$1" address add "$2/24" dev eth0 || fail "$1 gets no address"
	ip -n "$1" neighbour replace "$4" lladdr "$(_mac "$3")" dev eth0 nud permanent ||
		fail "$1 is not told where $4 is"
}
# capture_start HOST PACKETS [FILE]: records the kernel's stamps of that many packets that reach the host's
# eth0; they are in $WORK/stamps once capture_stop returns; FILE: gets the content of the last one.
capture_start() {
	_at=$1; shift
	: >"$WORK/stamps.err"
	ip netns exec "$_at" udp-stamps eth0 9999 1000 "$@" >"$WORK/stamps" 2>"$WORK/stamps.err" &
	CAPTURE=$!
	BACKGROUND="$BACKGROUND $CAPTURE"
	until_true 5 grep -q ready "$WORK/stamps.err" || fail "$(cat "$WORK/stamps.err")"
}
capture_stop() { wait "$CAPTURE" || fail "too few packets: $(wc -l <"$WORK/stamps")"; }
# Computes the figures independently, from the relay's log: sent from FIRST (1) to LAST or, if that is
# empty, to the highest that arrived. A number 0 is a control datagram. RFC 4737; offsets as in the
# original.
truth() { # FLOW LAST ARRIVALS [FIRST]
	awk -v flow="$1" -v last="$2" -v first="${4:-1}" '$1 != flow || $2 < first || $3 == "bad" { next }
		$3 == "damaged" { damaged++; next }
		had[$2]++ { duplicates++; next }
		!n++ { low = $2 }
		$2 < low { low = $2 }
		$2 > top { if (n > 1 && $2 > top + 1) { gaps++; passed += $2 - top - 1 }
			top = $2; number[++m] = $2; at[m] = n; next }
		{ reordered++; offset = n - ($2 - low + 1); offsets += offset < 0 ? -offset : offset
		  for (i = m; i > 1 && number[i - 1] > $2; i--); extent = n - at[i]; extents += extent
		  if (extent > furthest) furthest = extent }
		END { sent = (last == "" ? top : last) - first + 1
		print "sent=" sent + 0, "received=" n + 0, "lost=" sent - n, "duplicates=" duplicates + 0,
			"reordered=" reordered + 0, "offset=" (reordered ? int(offsets / reordered) : 0),
			"gaps=" gaps + 0 "," passed + 0, "extents=" extents + 0 "," furthest + 0,
			"damaged=" damaged + 0, "late=0 stray=0" }' "$3"
}
# shellcheck disable=SC2034 # the scripts use it
counted='"sent=\(.sent_packets) received=\(.received_packets) lost=\(.lost_packets) " +
	"duplicates=\(.duplicates_packets) reordered=\(.reordered_packets) " +
	"offset=\(if .reordered_packets > 0 then .offset_sum_packets / .reordered_packets | floor else 0 end) " +
	"gaps=\(.gaps),\(.gaps_packets) extents=\(.extent_sum_packets),\(.extent_max_packets) " +
	"damaged=\(.damaged_packets) late=\(.late_packets) stray=\(.stray_packets)"'
# of NAME: one figure of the truth, which the script has stored in $told: of lost
# shellcheck disable=SC2154
of() { echo "$told" | tr ' ' '\n' | sed -n "s/^$1=//p"; }
