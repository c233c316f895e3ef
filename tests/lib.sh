# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
# shellcheck shell=sh
# lib.sh: what the test scripts share. A script begins with:
#	. "$(dirname "$0")/../lib.sh"
TOP=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$TOP/build}
SBIN=$BUILD/sbin
TESTS=$BUILD/tests
# shellcheck disable=SC2034 # the scripts use them
VBLADE=${VBLADE:-$BUILD/vblade/vblade} VBLADE_UPSTREAM=${VBLADE_UPSTREAM:-$BUILD/vblade/vblade-upstream}
PATH=$SBIN:$BUILD/bin:$TESTS:$PATH:/usr/sbin:/sbin
export TOP BUILD SBIN TESTS PATH

# Many commands of the tests are words in a variable: a directory whose name has blanks is not for them.
case ${TMPDIR:-} in *[[:space:]]*) TMPDIR=/tmp ;; esac

# A test that cannot run: says why and ends. "kernel: ..." marks what the kernel itself lacks.
skip() { echo "SKIP: $*"; exit 77; }
fail() { echo "FAIL: $*" >&2; exit 1; }
need() { for _c; do command -v "$_c" >/dev/null || skip "$_c is not installed (./bootstrap --tests does)"; done; }

# is_root: of the machine, not only of a user namespace.
is_root() { [ "$(id -u)" = 0 ] && [ "$(awk '{ print $3 }' /proc/self/uid_map)" != 1 ]; }

# is_long: LONG=true, as make check-all has it: then the cases run, too, that resemble others. if_long WORD...:
# these words then, else none.
is_long() { [ "${LONG:-}" = true ]; }
if_long() { ! is_long || echo "$@"; }

# The names of our programs, by their sources: ignores what an old build left behind.
programs() { for _p in "$TOP"/src/*/main.c; do basename "${_p%/main.c}"; done; }

# Loop devices belong to the whole machine, and another suite on it may be testing, too. Until the test ends no
# test that needs to be alone with its loop devices runs beside one that has any.
loops_alone() { _loops -x; }
loops_beside() { _loops -s; }
_loops() {
	[ -r /dev/loop-control ] || return 0 # nor are there loop devices for this user
	need flock
	exec 9</dev/loop-control && flock "$1" -w 400 9 || fail "other tests have kept the machine's loop devices for 400 s"
}

# A directory of our own, removed at the end.
scratch() {
	WORK=$(mktemp -d "${TMPDIR:-/tmp}/netperf-test.XXXXXX") || exit 1
	trap 'finish' EXIT
	trap 'exit 1' HUP INT TERM
}
# Copies our programs to where other users can run them: the tree may be in a home that they cannot enter.
for_other_users() {
	mkdir "$WORK/sbin" "$WORK/lib" && cp "$SBIN"/* "$WORK/sbin" && cp "$BUILD/lib/libnetperf.so.1" "$WORK/lib" &&
		chmod 755 "$WORK" || fail "cannot copy the programs"
	SBIN=$WORK/sbin PATH=$WORK/sbin:$PATH
}
# Ends what background() started, by pid, and cleans up. A script may define finish_more. What has ended
# may have left its number to a process of somebody else, which is not in this test's process group.
finish() {
	_status=$? _ended='' _group=$(_group_of $$)
	for _pid in $BACKGROUND; do
		[ "$(_group_of "$_pid")" = "$_group" ] || continue
		kill -CONT "$_pid" 2>/dev/null; kill "$_pid" 2>/dev/null
		_ended="$_ended $_pid"
	done
	for _pid in $_ended; do wait "$_pid" 2>/dev/null; done
	if command -v finish_more >/dev/null; then finish_more; fi
	[ -n "${WORK:-}" ] && rm -rf "$WORK"
	exit "$_status"
}
_group_of() { sed 's/.*) [A-Za-z] [0-9]* \([0-9]*\) .*/\1/' "/proc/$1/stat" 2>/dev/null; } # PID
BACKGROUND=
background() { "$@" & BACKGROUND="$BACKGROUND $!"; }

# A program in the background, under a NAME that the script chooses: tests/aoe.sh, datagram.sh, group.sh and
# ttcp.sh set PROGRAM, and define await_ready(), which waits until it is ready. PREFIX is a command that
# executes another, such as setpriv with its options, or empty.
PREFIX='' # whatever the environment says

# start HOST NAME OPTION...: starts $PROGRAM on that host ("-": here) and waits until it is ready; leaves
# $WORK/NAME.json in addition to what start_command leaves.
start() {
	_host=$1 _name=$2; shift 2
	rm -f "$WORK/$_name.json"
	# shellcheck disable=SC2086 # the words of PREFIX
	start_command "$_host" "$_name" timeout -k 5 "${LIMIT:-240}" ${PREFIX:-} "$PROGRAM" --json="$WORK/$_name.json" "$@"
	await_ready "$_name" "$@"
}
# start_command HOST NAME COMMAND...: leaves $WORK/NAME.out and .err, .pid, and .status once it has ended.
start_command() {
	_host=$1 _name=$2; shift 2
	rm -f "$WORK/$_name.pid" "$WORK/$_name.status"
	: >"$WORK/$_name.out"; : >"$WORK/$_name.err"
	[ "$_host" = - ] || set -- ip netns exec "$_host" "$@"
	# A wait that a signal has interrupted is repeated.
	# shellcheck disable=SC2016 # the inner shell's
	background sh -c '
		at=$1; shift
		"$@" >"$at.out" 2>"$at.err" & child=$!
		trap "kill $child" TERM
		echo $child >"$at.pid"
		while wait $child; status=$?; kill -0 $child 2>/dev/null; do :; done
		echo $status >"$at.status"' sh "$WORK/$_name" "$@"
}
# pid_of NAME: the program itself, for signals, not the timeout before it.
pid_of() {
	until_true 5 test -s "$WORK/$1.pid" || fail "$1 has no pid"
	read -r _pid <"$WORK/$1.pid"
	until_true 5 _runs "$_pid"
	pgrep -P "$_pid" || echo "$_pid"
}
_runs() { # PID: it is the program, no longer a wrapper that will exec it
	case $(cat "/proc/$1/comm" 2>/dev/null) in ip | sh) return 1 ;; timeout) pgrep -P "$1" ;; esac
}
# heeds PID: waits until the process handles signals of its own accord: one that comes before would end it.
heeds() { until_true 20 _heeds "$1" || fail "process $1 handles no signals"; }
_heeds() { # PID: SIGINT is the second bit, whether waited for by signalfd or caught
	awk '/^Sig(Blk|Cgt):/ && substr($2, length($2)) ~ /[2367abef]/ { n++ } END { exit !n }' "/proc/$1/status"
}
has_ended() { [ -s "$WORK/$1.status" ]; } # NAME
# ended NAME [STATUS [SECONDS]]: waits up to SECONDS for its end, and requires that status (default 0).
ended() {
	until_true "${3:-${LIMIT:-60}}" has_ended "$1" || { show "$1"; fail "$1 does not end in ${3:-${LIMIT:-60}} s"; }
	read -r _got <"$WORK/$1.status"
	[ "$_got" = "${2:-0}" ] || { show "$1"; fail "$1: exit status $_got instead of ${2:-0}"; }
}
# gone NAME: waits for the end of a program that was killed.
gone() { until_true "${LIMIT:-60}" has_ended "$1" || fail "$1 does not end"; }
show() { for _f in "$WORK/$1.out" "$WORK/$1.err"; do echo "--- $_f"; tail -30 "$_f"; done; } # NAME

# Runs the script again in its own network, mount and pid namespaces, as root or, for a user, in a user
# namespace: whatever it creates there disappears with its last process.
isolate() {
	if [ "${NETPERF_ISOLATED:-}" = yes ]; then
		mount -t tmpfs tmpfs /run && mkdir -p /run/netns && ip link set lo up && return
		fail "cannot set up the namespace"
	fi
	need unshare ip
	_user=
	if [ "$(id -u)" != 0 ]; then
		unshare -Ur true 2>/dev/null || skip "kernel: no user namespaces for ordinary users here"
		_user=-Ur
	fi
	NETPERF_ISOLATED=yes exec unshare $_user --net --mount --pid --fork --kill-child --mount-proc "$0" "$@"
}

# hosts_are LINE...: the content of /etc/hosts for the rest of an isolated test; mounted as an overlay on
# /etc, since the file may not exist.
hosts_are() {
	mkdir -p "$WORK/etc" && printf '%s\n' "$@" >"$WORK/etc/hosts" &&
		mount -t overlay -o lowerdir="$WORK/etc:/etc" overlay /etc || fail "cannot mount over /etc"
}

# Two namespaces, "client" and "target", joined by veths eth0 in both; MTU as $1 (1500).
two_hosts() {
	_mtu=${1:-1500}
	{ ip netns add client && ip netns add target; } || fail "cannot make namespaces"
	ip link add eth0 netns client mtu "$_mtu" type veth peer name eth0 netns target mtu "$_mtu" ||
		fail "cannot make a veth pair"
	for _n in client target; do
		# No address is needed; without IPv6 only the test itself sends packets.
		if ! { ip netns exec $_n sysctl -qw net.ipv6.conf.all.disable_ipv6=1 &&
			ip -n $_n link set lo up && ip -n $_n link set eth0 up; }; then
			fail "cannot set up the host $_n"
		fi
	done
	# The carrier comes up a moment later; packets sent before that are dropped.
	for _n in client target; do
		until_true 5 sh -c "ip -n $_n -br link show eth0 | grep -q ' UP '" || fail "$_n: no carrier"
	done
}
client() { ip netns exec client "$@"; }
target() { ip netns exec target "$@"; }

# Hosts "host-a" (10.9.0.1, fd00::1) and "host-b" (10.9.0.2, fd00::2), eth0 in both; between them
# "relay" with a0 and b0, where relay_start carries the frames; MTU as $1 (1500). The offloads are
# off: a relay needs each datagram by itself, with its final checksum.
relayed_hosts() {
	need ethtool jq
	_mtu=${1:-1500}
	for _n in host-a host-b relay; do
		{ ip netns add $_n && ip -n $_n link set lo up; } || fail "cannot make the host $_n"
	done
	ip netns exec relay sysctl -qw net.ipv6.conf.all.disable_ipv6=1 || fail "the relay would talk itself"
	_join host-a a0 10.9.0.1 fd00::1
	_join host-b b0 10.9.0.2 fd00::2
	# The first packets of a burst to an unknown neighbour would be lost in the sender.
	_know host-a "$(_mac host-b)" 10.9.0.2 fd00::2
	_know host-b "$(_mac host-a)" 10.9.0.1 fd00::1
}
_mac() { ip netns exec "$1" cat /sys/class/net/eth0/address; }
_know() { # HOST MAC ADDRESS...
	for _address in "$3" "$4"; do
		ip -n "$1" neighbour replace "$_address" lladdr "$2" dev eth0 nud permanent ||
			fail "$1 is not told where $_address is"
	done
}
_join() { # HOST RELAY-INTERFACE IPV4 IPV6
	ip link add eth0 netns "$1" mtu "$_mtu" type veth peer name "$2" netns relay mtu "$_mtu" ||
		fail "cannot make a veth pair"
	for _end in "$1 eth0" "relay $2"; do
		# shellcheck disable=SC2086 # two words
		set -- "$1" "$2" "$3" "$4" $_end
		ip netns exec "$5" ethtool -K "$6" tx off tso off gso off gro off \
			tx-udp-segmentation off >/dev/null || fail "$5: cannot turn the offloads of $6 off"
		ip -n "$5" link set "$6" up || fail "$5: $6 does not come up"
	done
	{ ip -n "$1" address add "$3/24" dev eth0 && ip -n "$1" address add "$4/64" dev eth0 nodad; } ||
		fail "$1 gets no address"
}
host_a() { ip netns exec host-a "$@"; }
host_b() { ip netns exec host-b "$@"; }
# relay_start OPTION...: see relay --help; A is host-a. relay_stop leaves a report of what it did.
relay_start() {
	: >"$WORK/relay.err"
	ip netns exec relay relay --truth="$WORK/truth.json" --log="$WORK/decisions" \
		--arrivals="$WORK/arrivals" "$@" a0 b0 2>"$WORK/relay.err" &
	RELAY=$!
	BACKGROUND="$BACKGROUND $RELAY"
	until_true 5 grep -q relaying "$WORK/relay.err" || fail "no relay: $(cat "$WORK/relay.err")"
}
# stopped_until_drops HOST NAME: a receiver stands still until its host dropped datagrams, however fast these come
stopped_until_drops() {
	_dropped=$(_drops "$1")
	kill -STOP "$(pid_of "$2")"
	until_true 30 _drops_more "$1" "$_dropped"; _got=$?
	kill -CONT "$(pid_of "$2")"
	[ $_got = 0 ] || fail "$1 drops nothing while $2 stands still"
}
_drops() { ip netns exec "$1" cat /proc/net/udp /proc/net/udp6 2>/dev/null | awk '/:/ { n += $NF } END { print n + 0 }'; }
_drops_more() { [ "$(_drops "$1")" -gt "$2" ]; }

# Leaves $WORK/truth.json (.ab.flows[], .ba.flows[]), $WORK/decisions and $WORK/arrivals.
relay_stop() { relay_ended || fail "the truth is void: $(cat "$WORK/relay.err")"; }
# Succeeds when the truth is valid.
relay_ended() { kill "$RELAY"; wait "$RELAY"; }

# expect STATUS COMMAND...: runs it, output to $WORK/out and $WORK/err, and requires that exit status. In the
# foreground: who ends the test, whose trap waits for the command, ends that, too.
expect() {
	_want=$1; shift
	timeout --foreground -k 5 "${LIMIT:-240}" "$@" >"$WORK/out" 2>"$WORK/err"; _got=$?
	[ "$_got" = "$_want" ] && return
	echo "--- stdout"; head -50 "$WORK/out"; echo "--- stderr"; head -50 "$WORK/err"
	fail "exit status $_got instead of $_want: $*"
}
# The value of a member of the summary record in a JSON-lines file: json FILE .lost_packets
# From 1.7 on jq prints a number as it was written (10.0, not 10) unless it is used in an expression.
json() { _of summary "$1" "$2"; }
# _of TYPE FILE FILTER
_of() {
	members-of "$@" 2>/dev/null ||
		jq -r "select(.type == \"$1\") | walk(if type == \"number\" then . + 0 else . end) | $3" "$2"
}
# lasted FILE: ns from the start record to the summary, and 10 ms for the last of n paced messages, which takes its
# interval, too: no time in FILE is longer, on however busy a machine.
lasted() { echo $(($(date -d "$(json "$1" .time)" +%s%N) - $(date -d "$(_of start "$1" .time)" +%s%N) + 10000000)); }
# found_trials FILE FILTER: of the trials of --find-rate at the rate that it found: the highest one below those that
# failed; the last three, as an array
found_trials() {
	jq -sr "[.[] | select(.type == \"trial\" and .verdict != \"stalled\")] | group_by(.asked_rate_bytes_per_s // infinite) |
		.[:map(.[-1].verdict != \"passed\") | index(true)] | last // [] | .[-3:] | $2" "$1"
}
# reason ERR JSON PATTERN [STATUS]: the last line on stderr says why the exit status is not 0, the summary, too.
reason() {
	tail -n 1 "$1" | grep -qE -e "^[a-z-]*: $3\$" || fail "'$(tail -n 1 "$1")' instead of '$3'"
	[ "$(json "$2" '"\(.exit_status) \(.text)"')" = "${4:-1} $(tail -n 1 "$1" | sed 's/^[a-z-]*: //')" ] ||
		fail "$(json "$2" '"\(.exit_status) \(.text)"') in the summary; $(tail -n 1 "$1")"
}
# valid PROGRAM FILE...: the records are as the JSON Schema has them
valid() {
	"$TOP/tests/validate" "$@" >"$WORK/invalid" 2>&1; _got=$?
	[ $_got != 77 ] || skip "python3-jsonschema is not installed (./bootstrap --tests does)"
	[ $_got = 0 ] || fail "netperf.schema.json and the records of $1 differ: $(cat "$WORK/invalid")"
}
# same WHAT GOT WANTED
same() { [ "$2" = "$3" ] || { cat "$WORK/out" "$WORK/err" 2>/dev/null | tail -40; fail "$1: $2 instead of $3"; }; }
# within WHAT GOT LOW HIGH
within() {
	awk -v g="$2" -v l="$3" -v h="$4" 'BEGIN { exit !(g + 0 == g && g >= l && g <= h) }' ||
		fail "$1: $2 is not within $3 to $4"
}
# until_true SECONDS COMMAND...: repeats the command until it succeeds, four times so long, and 80 s at least: a
# limit is for what never comes, and a busy machine may take many times as long as an idle one.
until_true() {
	_tries=$(($1 < 20 ? 1600 : $1 * 80)) _tried=0; shift
	while ! "$@" >/dev/null 2>&1; do
		# After a second half as often: many tests wait at once, and each question costs processor time.
		if [ $_tried -lt 20 ]; then
			_tried=$((_tried + 1)); sleep 0.05
		else
			_tried=$((_tried + 2)); sleep 0.1
		fi
		[ $_tried -lt $_tries ] || return 1
	done
}
