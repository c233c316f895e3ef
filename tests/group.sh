# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
# shellcheck shell=sh
# group.sh: what the tests of group-test share. Behind lib.sh, in $WORK.

# config KEY=VALUE...: $WORK/config.txt, the defaults first; a later key replaces an earlier one.
config() {
	printf '%s\n' transport=udp num_msgs=20000 msg_size=1000 num_members=4 num_senders=2 \
		bind_addr=127.0.0.1 cluster=127.0.0.1:7800,127.0.0.1:7801,127.0.0.1:7802,127.0.0.1:7803 \
		"$@" | awk -F= '!($1 in at) { order[++n] = $1 } { at[$1] = $0 }
			END { for (i = 1; i <= n; i++) print at[order[i]] }' >"$WORK/config.txt"
}

# member NAME OPTION...: a member in the background, in the namespace $HOST when that is set; leaves
# $WORK/NAME.out, .err, .json and, when it has ended, .status. Its pid is in $WORK/NAME.pid.
member() {
	_name=$1; shift
	rm -f "$WORK/$_name".*
	# shellcheck disable=SC2016,SC2086 # the inner shell's; words
	background ${HOST:+ip netns exec "$HOST"} sh -c '
		work=$1; shift
		timeout -k 5 "${MEMBER_LIMIT:-60}" group-test -config "${work%/*}/config.txt" --json="$work.json" "$@" \
			>"$work.out" 2>"$work.err" & echo $! >"$work.pid"
		wait $!; echo $? >"$work.status"' sh "$WORK/$_name" "$@"
}

# group OPTION...: members m1 and m2 send, m3 and m4 receive.
group() {
	for _i in 1 2 3 4; do
		_role=-receiver
		[ "$_i" -le 2 ] && _role=-sender
		member m$_i $_role "$@"
	done
}

# The program's own pid, not that of the timeout before it.
pid_of() { until_true 5 test -s "$WORK/$1.pid" || fail "$1 has no pid"; pgrep -P "$(cat "$WORK/$1.pid")"; }

show() { for _f in "$WORK/$1.out" "$WORK/$1.err"; do echo "--- $_f"; tail -30 "$_f"; done; }

# ends NAME STATUS SECONDS
ends() {
	until_true "$3" test -s "$WORK/$1.status" || { show "$1"; fail "$1 does not end in $3 s"; }
	[ "$(cat "$WORK/$1.status")" = "$2" ] || { show "$1"; fail "$1: status $(cat "$WORK/$1.status") instead of $2"; }
}
all_end() { # STATUS SECONDS
	for _i in 1 2 3 4; do ends m$_i "$1" "$2"; done
}

# says NAME TEXT: on stderr
says() { grep -q -- "$2" "$WORK/$1.err" || { show "$1"; fail "$1 does not say: $2"; }; }

running() { until_true "${2:-20}" grep -q 'received .* messages from' "$WORK/$1.out" || { show "$1"; fail "$1 receives nothing"; }; }

# of NAME FILTER: of the last result record of a member
of() { jq -s "map(select(.type == \"result\")) | last | $2" "$WORK/$1.json"; }

# exact NAME MESSAGES: all of each member's rows have so many, nothing lost, nothing twice.
exact() {
	same "$1: rows that are not exact" "$(of "$1" "[.members[] | select(.fate == \"stayed\") | .senders[]
		| select(.received_messages != $2 or .sent_messages != $2 or .lost_messages != 0
			or .duplicates_messages != 0 or (.exact | not))] | length")" 0
}
