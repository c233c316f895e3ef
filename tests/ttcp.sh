# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
# shellcheck shell=sh
# ttcp.sh: what the tests of ttcp share. Behind lib.sh:
#	. "$TOP/tests/ttcp.sh"

# start HOST NAME OPTION...: a ttcp in that host ("-": here), bounded in time; with -r as soon as it
# listens. Output in $WORK/NAME.out, .err and .json.
start() {
	_host=$1 _name=$2; shift 2
	: >"$WORK/$_name.out"
	_at "$_host" timeout -k 5 "${LIMIT:-60}" ttcp --json="$WORK/$_name.json" "$@" \
		>"$WORK/$_name.out" 2>"$WORK/$_name.err" &
	STARTED=$!
	BACKGROUND="$BACKGROUND $STARTED"
	eval "started_$_name=$STARTED"
	case " $* " in
	*" -t "*) ;;
	*) until_true 5 grep -q "^Wait to receive" "$WORK/$_name.out" || fail "$_name: $(cat "$WORK/$_name.err")" ;;
	esac
}
_at() { # HOST COMMAND...
	_there=$1; shift
	if [ "$_there" = - ]; then exec "$@"; else exec ip netns exec "$_there" "$@"; fi
}
# The process itself, for signals.
pid_of() { eval "pgrep -P \"\$started_$1\""; }
# ended NAME [STATUS]: waits for its end and wants that status.
ended() {
	eval "wait \"\$started_$1\""; _got=$?
	[ "$_got" = "${2:-0}" ] || fail "$1: exit status $_got instead of ${2:-0}: $(tail -5 "$WORK/$1.err")"
}
# A member of the summary: of NAME .lost_messages
of() { json "$WORK/$1.json" "$2"; }
# said NAME TEXT: on stderr, as part of a line.
said() { grep -q -- "$2" "$WORK/$1.err" || fail "$1 does not say '$2': $(cat "$WORK/$1.err")"; }
# Waits for one that was killed.
gone() { eval "wait \"\$started_$1\"" 2>/dev/null; }
