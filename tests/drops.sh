# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
# shellcheck shell=sh
# drops.sh: what the tests of dropped packets share: two hosts with addresses, a packet filter, and the
# program that counts by the library alone.

# The kernel of some machines runs no tracing program while it interrupts a certain task, and no kernel tells of a
# drop while it interrupts the telling of another, anywhere on the machine. Then a result is not exact, and a
# test that fails is repeated, or ends as skipped; whether it was so, kernel-hides says, by counters of its own,
# and never the program that is tested. It is repeated, too, where a run lost packets in a processor's
# backlog: the whole machine shares it, and no test but drops-backlog, which has no run, fills it. What it drops on
# a virtual link the kernel tells the sender, which sends it again: it counts as dropped, and is not lost.
# look_for_hiding: before the first run; sets LOOKING
look_for_hiding() {
	[ -z "${LOOKING-}" ] || return 0
	rm -f "$WORK/hides.in"; mkfifo "$WORK/hides.in" || fail mkfifo
	: >"$WORK/hides.out"
	kernel-hides <"$WORK/hides.in" >"$WORK/hides.out" 2>"$WORK/hides.err" &
	BACKGROUND="$BACKGROUND $!"
	exec 7>"$WORK/hides.in"
	until_true 20 grep -qE '^(ready|SKIP)' "$WORK/hides.out" || fail "kernel-hides: $(cat "$WORK/hides.err")"
	# Without its permission there are no counts of drops, either.
	grep -q '^SKIP' "$WORK/hides.out" || LOOKING=true
}
# hid: whether the kernel did since then; says how often
hid() {
	[ -n "${LOOKING-}" ] || return 1
	: >"$WORK/hides.out"
	echo >&7
	until_true 20 grep -q '^unseen' "$WORK/hides.out" || return 1
	! grep -x 'unseen 0 missed 0' "$WORK/hides.out" >/dev/null && cat "$WORK/hides.out"
}
# certain WHAT EXACT-AND-DOUBT: "true null"; or of so many softirqs or drops that the kernel hid, if kernel-hides has
# counted as many: the rest of the test still holds, unless one of them was ours. A doubt that it does not share at
# all is a failure, which nothing excuses. AT_LEAST: what may
# stand before a figure of the text from then on; UNSURE: what jq is to add to what was lost on the way.
AT_LEAST='' UNSURE=''
certain() {
	case $2 in
	"true null") return ;;
	"false the kernel handled packets "*" times without reporting drops" | \
		"false the kernel dropped faster than it reported: "*" missed") ;;
	*) fail "$1: $2 instead of true null" ;;
	esac
	_doubted=$(echo "$2" | tr -dc '0-9')
	if ! hid >/dev/null || [ "$_doubted" = 0 ]; then
		echo "FAIL: $1: the kernel hid nothing, but: $2" >&2
		exit 1
	fi
	awk -v n="$_doubted" '{ exit $2 + $4 < n }' "$WORK/hides.out" || fail "$1: $2, but $(cat "$WORK/hides.out")"
	# shellcheck disable=SC2034 # the scripts use it
	AT_LEAST='\(>= \)\{0,1\}' UNSURE=' + .lost_unattributed_messages'
	echo "$1: $2, and $(cat "$WORK/hides.out")"
}
# as_many WHAT GOT WANTED: as another counter has; where the kernel hid some, fewer, but most of them
as_many() {
	[ "$2" != "$3" ] || return 0
	{ [ "$2" -lt "$3" ] && [ $(($2 * 2)) -ge "$3" ] && hid; } || fail "$1: $2 instead of $3"
	echo "$1: $2 of $3"
}
fail() {
	if hid; then
		echo "the kernel hid what it dropped, perhaps therefore: $*"
		again
		skip "kernel: it does not tell of all drops"
	fi
	if grep -qs CPU_BACKLOG "$WORK"/*json*; then
		echo "the processors' backlog was full, perhaps therefore: $*"
		again
	fi
	echo "FAIL: $*" >&2
	exit 1
}
# mesh.sh puts it into a directory that goes away.
AGAIN_TMPDIR=${TMPDIR:-/tmp}
AGAIN=${AGAIN:-0} AGAIN_BEGAN=${AGAIN_BEGAN:-$(date +%s)}
# again: the whole test, in new namespaces; returns where that would take too long
again() {
	_took=$((($(date +%s) - AGAIN_BEGAN) / (AGAIN + 1)))
	[ "$AGAIN" -lt 4 ] && [ $((_took * (AGAIN + 2))) -le 60 ] || return 0
	AGAIN=$((AGAIN + 1))
	export AGAIN AGAIN_BEGAN TMPDIR="$AGAIN_TMPDIR"
	trap - EXIT
	(finish)
	ip -all netns delete >/dev/null 2>&1
	umount -l /run
	exec "$0"
}

drops_hosts() { # [MTU]
	need ip nft jq
	look_for_hiding
	two_hosts "${1:-1500}"
	for _n in client target; do
		ip netns exec $_n sysctl -qw net.ipv6.conf.all.disable_ipv6=0 net.ipv6.conf.eth0.disable_ipv6=0 ||
			fail "no IPv6"
	done
	{ ip -n client address add 10.9.0.1/24 dev eth0 && ip -n target address add 10.9.0.2/24 dev eth0 &&
		ip -n client address add fd00::1/64 dev eth0 nodad &&
		ip -n target address add fd00::2/64 dev eth0 nodad; } || fail "no addresses"
	# The first packets to an unknown neighbour would wait.
	for _pair in "client target 2" "target client 1"; do
		# shellcheck disable=SC2086 # three words
		set -- $_pair
		_lladdr=$(ip netns exec "$2" cat /sys/class/net/eth0/address)
		for _address in "10.9.0.$3" "fd00::$3"; do
			ip -n "$1" neighbour replace "$_address" lladdr "$_lladdr" dev eth0 nud permanent || fail "no neighbour"
		done
	done
}
# filter HOST input|output|ingress RULE...: these alone
filter() {
	_host=$1 _hook=$2; shift 2
	case $_hook in
	ingress) _family=netdev _where='hook ingress device "eth0"' ;;
	*) _family=inet _where="hook $_hook" ;;
	esac
	{
		echo "flush ruleset"
		echo "table $_family drops { chain those { type filter $_where priority 0; policy accept;"
		printf '%s\n' "$@"
		echo "}; }"
	} | ip netns exec "$_host" nft -f - || fail "nft takes no filter at $_hook"
}
filtered() { # HOST PORT: how many packets the filter dropped to it
	ip netns exec "$1" nft list ruleset | sed -nE "s/.*dport $2 .*counter packets ([0-9]+) .*/\1/p"
}
# filter_count HOST: the same, of the only rule that counts
filter_count() { ip netns exec "$1" nft list ruleset | sed -n 's/.*counter packets \([0-9]*\) .*/\1/p'; }
# drops_permitted: ends the test where the kernel does not count drops, or does not let us
drops_permitted() {
	look_for_hiding
	timeout 20 datagram-test --drops=require --once --wait 0.01 -local 127.0.0.1:0 127.0.0.1:9 -txIterations 1 >"$WORK/why" 2>&1
	! grep -q -- '--drops=require' "$WORK/why" || skip "kernel: $(grep -e --drops=require "$WORK/why")"
}
# ranks_dropped NAME FILTER: of each rank's dropped_by_host in NAME's JSON
ranks_dropped() { jq -r "select(.type == \"rank\") | .dropped_by_host | $2" "$WORK/$1.json"; }
# snmp HOST FIELD: of UDP, over IPv4 and IPv6
snmp() {
	ip netns exec "$1" cat /proc/net/snmp /proc/net/snmp6 | awk -v f="$2" '
		$1 == "Udp:" && !at { for (i = 2; i <= NF; i++) if ($i == f) at = i; next }
		$1 == "Udp:" { n += $at }
		$1 == "Udp6" f { n += $2 }
		END { print n + 0 }'
}
# watch HOST WHAT...: starts drops-count there; watched: ends it, leaves $WORK/watch.out. It names places
# without the privilege to read the kernel's addresses.
watch() {
	_host=$1; shift
	rm -f "$WORK/watch.in"; mkfifo "$WORK/watch.in" || fail mkfifo
	: >"$WORK/watch.out"
	setpriv --bounding-set=-syslog ip netns exec "$_host" drops-count "$@" <"$WORK/watch.in" >"$WORK/watch.out" 2>"$WORK/watch.err" &
	WATCHER=$!
	BACKGROUND="$BACKGROUND $WATCHER"
	exec 9>"$WORK/watch.in"
	until_true 20 grep -qE '^(ready|SKIP)' "$WORK/watch.out" || fail "no counts: $(cat "$WORK/watch.err")"
	! grep '^SKIP' "$WORK/watch.out" || exit 77
}
watched() {
	exec 9>&-
	wait "$WATCHER" || fail "drops-count: $(cat "$WORK/watch.err")"
}
dropped() { # in|out REASON: how many, at all places
	awk -v d="$1" -v r="$2" '$1 == d && $2 == r { n += $NF } END { print n + 0 }' "$WORK/watch.out"
}
exact() { # PACKETS: that many and no other, and it says that it is so, unless the kernel hid something
	grep -qx "exact $1" "$WORK/watch.out" || { grep -q "^doubt $1 " "$WORK/watch.out" && hid; } ||
		fail "not exactly $1: $(cat "$WORK/watch.out")"
}
# tcpdump_ended PID: however often it has to be told, if a signal meets it just before it waits
tcpdump_ended() {
	kill -CONT "$1"
	until_true 30 _gone "$1" || fail "tcpdump does not end"
	wait "$1"
}
_gone() { kill "$1" 2>/dev/null; ! kill -0 "$1" 2>/dev/null; }
held() { sed -n 's/^held //p' "$WORK/watch.out"; } # bytes, in the socket that drops-count opened
# send HOST FROM TO BYTES COUNT: all leave the sender
send() {
	ip netns exec "$1" datagram-exchange send "${VARIANT:-plain}" "$2:0" "$3" "$4" "$5" >"$WORK/sent" ||
		fail "cannot send: $(cat "$WORK/sent")"
	grep -q " sent=$5 " "$WORK/sent" || fail "sent otherwise: $(cat "$WORK/sent")"
}
