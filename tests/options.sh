# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
# shellcheck shell=sh
# options.sh: what the tests of all options of a program share. Behind lib.sh, in $WORK:
#	. "$TOP/tests/options.sh"
: >rows

# Long names of PROGRAM's options, each with all of its spellings before it.
options() { "$1" --help | sed -nE 's/^ +((-[A-Za-z0-9_-]+, )*)(--?[a-zA-Z0-9_-]+).*/\1\3/p'; }
# tells "PROGRAM OPTION": what follows shows the effect of that option.
tells() { echo "$1" >>rows; row=$1; }
# is GOT WANTED: in that row
is() { same "$row" "$1" "$2"; }
# start_of NAME FILTER: of the start record in NAME.json
start_of() { jq -r "select(.type == \"start\") | $2" "$1.json"; }
# rows_are_all PROGRAM...: of all options of these there are rows, and no others.
rows_are_all() {
	for _program; do
		options "$_program" | sed -E "s/.*, //; s/^--?/$_program /"
	done | sort -u >all
	sort -u rows >have
	diff all have || fail "options and rows differ: < has no row, > is no option"
}
