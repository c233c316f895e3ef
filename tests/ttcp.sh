# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
# shellcheck shell=sh
# ttcp.sh: what the tests of ttcp share. Behind lib.sh:
#	. "$TOP/tests/ttcp.sh"

# start, pid_of, ended, gone: lib.sh's. A receiver is ready when it listens.
# shellcheck disable=SC2034 # lib.sh uses it
PROGRAM=ttcp
await_ready() { # NAME OPTION...
	case " $* " in
	*" -t "*) ;;
	*) until_true 5 grep -q "^Wait to receive" "$WORK/$1.out" || fail "$1: $(cat "$WORK/$1.err")" ;;
	esac
}
# A member of the summary: of NAME .lost_messages
of() { json "$WORK/$1.json" "$2"; }
# said NAME TEXT: on stderr, as part of a line.
said() { grep -q -- "$2" "$WORK/$1.err" || fail "$1 does not say '$2': $(cat "$WORK/$1.err")"; }
