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
# counted FILTER...: counts the packets of each of them that go out from here on; seen: how many, in that order
counted() {
	{
		echo "add table ip f; flush table ip f; add chain ip f o { type filter hook output priority 0; }"
		for _filter; do echo "add rule ip f o $_filter counter"; done
	} | nft -f - || fail "$row: no counter"
}
seen() { nft list table ip f | sed -n 's/.*counter packets \([0-9]*\) .*/\1/p' | xargs; }
# seen_within LOW HIGH: each of them
seen_within() { for _seen in $(seen); do within "$row" "$_seen" "$1" "$2"; done; }
# sockets FILTER: those that ss(8) finds: a line each, LOCAL PEER and what the kernel says of it
sockets() { ss -Hntuami "$1" | awk '/^[a-z]/ { printf "%s%s %s", n++ ? "\n" : "", $5, $6; next } { printf " %s", $0 } END { print "" }'; }
# called FILE NAME...: how often these system calls are in what strace wrote; traced: a command before a program
called() { _file=$1; shift; grep -cE "(^|[0-9] +)($(echo "$*" | tr ' ' '|'))\(" "$_file"; }
# LeakSanitizer cannot work in a program that is traced.
traced() { echo "env ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 strace -f -qq -e signal=none -o $1"; }
