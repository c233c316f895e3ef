# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
# shellcheck shell=sh
# java.sh: the Java original of datagram-test beside ours, on two hosts with addresses. A script
# includes it before isolate, for Maven Central is not to be reached from there.
GROUP=com.oracle.coherence.ce:coherence
"$TOP/tests/interop/prepare" $GROUP:22.06 $GROUP:22.06.10 || exit

# Hosts "client" (10.9.0.1) and "target" (10.9.0.2), over which every datagram goes by itself.
java_hosts() {
	need ethtool nft jq
	two_hosts
	ip -n client address add 10.9.0.1/24 dev eth0 && ip -n target address add 10.9.0.2/24 dev eth0 ||
		fail "the hosts get no address"
	for _n in client target; do
		ip netns exec $_n ethtool -K eth0 tx-udp-segmentation off >/dev/null || fail "$_n: offload stays on"
	done
}
# java_test HOST NAME VERSION OPTION...: runs in the background, all output in $WORK/NAME; JAVA is it.
java_test() {
	_host=$1 _name=$2 _version=$3; shift 3
	: >"$WORK/$_name"
	ip netns exec "$_host" java -Xmx64m -XX:-UsePerfData -XX:TieredStopAtLevel=1 \
		-cp "$BUILD/interop/coherence-$_version.jar" com.tangosol.net.DatagramTest "$@" >"$WORK/$_name" 2>&1 &
	JAVA=$!
	BACKGROUND="$BACKGROUND $JAVA"
	until_true 20 grep -q 'log on' "$WORK/$_name" || { tail "$WORK/$_name"; fail "Java does not start"; }
}
# our_test HOST NAME OPTION...: the same with ours; text in $WORK/NAME, JSON in $WORK/NAME.json; OURS.
our_test() {
	_host=$1 _name=$2; shift 2
	: >"$WORK/$_name"
	ip netns exec "$_host" datagram-test --report=original --json="$WORK/$_name.json" "$@" \
		>"$WORK/$_name" 2>&1 &
	OURS=$!
	BACKGROUND="$BACKGROUND $OURS"
	until_true 5 grep -q 'log on' "$WORK/$_name" || { cat "$WORK/$_name"; fail "ours does not start"; }
}
# end_ours: ends the last of ours by a signal; its summary is complete then.
end_ours() { kill "$OURS"; wait "$OURS" || { tail -40 "$WORK/$_name"; fail "datagram-test: status $?"; }; }

stopped() { [ "$(grep -c '^Clients have stopped.$' "$WORK/$1")" = "$2" ]; }
# await_stop NAME...: until each listener has found its publishers silent, ROUND times by now.
ROUND=0
await_stop() {
	ROUND=$((ROUND + 1))
	for _name; do
		until_true 15 stopped "$_name" $ROUND ||
			{ tail -30 "$WORK/$_name"; fail "$_name misses nobody"; }
		until_true 5 complete "$_name" $ROUND || fail "$_name: the last report is cut"
	done
}
# A periodic report has a Now block; the others, as many as asked for, are last ones.
complete() { # NAME REPORTS
	awk -v last="$2" '/^Lifetime:/ { lives++ } /^Now:/ { nows++ } /^ completed: / { ends++ }
		END { exit !(lives - nows == last && ends == lives + nows) }' "$WORK/$1"
}
# The last Lifetime report of a listener: all of it, or the lines that do not hang on time or place.
last_report() {
	awk '/^Lifetime:/ { text = ""; life = 1 } /^Now:/ { life = 0 } life { text = text $0 "\n" }
		END { printf "%s", text }' "$WORK/$1"
}
figures() {
	last_report "$1" | grep -E '^Rx from|^	 *(packet size|received|missing|success rate):
^	 *(out of order|avg offset|gaps|avg gap size):'
}
# equal_figures NAME NAME: both tell the same of what they received, word for word.
equal_figures() {
	figures "$1" >"$WORK/figures.1"
	figures "$2" >"$WORK/figures.2"
	[ -s "$WORK/figures.1" ] || fail "$1 has no report"
	diff "$WORK/figures.1" "$WORK/figures.2" >"$WORK/err" || { cat "$WORK/err"; fail "$1 and $2 differ"; }
}
# received NAME N [PUBLISHERS]: its last report has N of N packets from each publisher.
received() {
	[ "$(last_report "$1" | grep -c "^	    received: $2 of $2\$")" = "${3:-1}" ] ||
		{ last_report "$1"; fail "$1 has not received $2 of $2 from ${3:-1}"; }
}

# watch HOST PORT BYTES: counts the datagrams that reach the port, those of that payload size apart,
# and among them those that carry a stamp back (8 bytes at offset 16 of the packet, else all ones).
watch() {
	ip netns exec "$1" nft -f - <<-END || fail "nft"
		table inet watch {
			counter whole {}
			counter other {}
			counter acks {}
			chain in {
				type filter hook input priority 0
				udp dport $2 udp length $(($3 + 8)) counter name whole
				udp dport $2 udp length != $(($3 + 8)) counter name other
				udp dport $2 udp length $(($3 + 8)) @th,192,64 != 0xffffffffffffffff counter name acks
			}
		}
	END
}
unwatch() { ip netns exec "$1" nft delete table inet watch; }
counted() { # HOST COUNTER
	ip netns exec "$1" nft -j list counter inet watch "$2" |
		jq '.nftables[] | .counter? // empty | .packets'
}
