# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
# shellcheck shell=sh
# options.sh: what the tests of all options of a program share. Behind lib.sh, in $WORK:
#	. "$TOP/tests/options.sh"
: >rows

# Long names of PROGRAM's options, each with all of its spellings before it.
options() { "$1" --help | sed -nE 's/^ +((-[A-Za-z0-9_-]+, )*)(--?[a-zA-Z0-9_-]+).*/\1\3/p'; }
# "NAME<tab>ARGUMENT<tab>PROGRAM<tab>HELP" for each option; the name is the long one, or the only one.
help_rows() {
	"$1" --help | awk -v program="$1" '
	function flush() { if (name != "") print name "\t" argument "\t" program "\t" text; name = argument = text = "" }
	/^$/ || /^[A-Z]/ { flush(); next }
	/^  +-/ && index($0, "-") < 9 {
		flush()
		head = $0; sub(/^ +/, "", head)
		if (match(head, /   */)) { text = substr(head, RSTART + RLENGTH); head = substr(head, 1, RSTART - 1) }
		while (match(head, /^-[^ ]+, /)) head = substr(head, RLENGTH + 1)
		name = argument = head
		sub(/[[ ].*/, "", name)
		argument = substr(head, length(name) + 1)
		gsub(/[][=]/, "", argument); sub(/^ /, "", argument)
		next
	}
	name != "" { t = $0; sub(/^ +/, "", t); text = text (text == "" ? "" : " ") t }
	END { flush() }'
}
# tells "PROGRAM OPTION": what follows shows the effect of that option.
tells() { echo "$1" >>rows; row=$1; }
# is GOT WANTED: in that row
is() { same "$row" "$1" "$2"; }
# start_of NAME FILTER: of the start record in NAME.json
start_of() { _of start "$1.json" "$2"; }
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

# A mesh of three ranks, one on each of the hosts that mesh.sh made: meshes STATUS COMMAND...; came: who heard whom,
# FROM_ALL if all do, FROM_TWO without rank 2.
# Each host has a second network, 10.9.2.0/24; over_second: what rank 0's host sends there, from LEAST bytes on, is
# counted; seen_second. Rank 2 begins LATE seconds after the others. AT: operands of the program.
second_networks() {
	for _h in 0 1 2; do
		{ ip link add q$_h type veth peer name eth1 netns r$_h && ip link set q$_h master br0 up &&
			ip -n r$_h link set eth1 up && ip -n r$_h addr add 10.9.2.$((_h + 1))/24 dev eth1; } || fail "no second network"
	done
	printf '#!/bin/sh\n[ "$PMIX_RANK" != 2 ] || sleep "$LATE"\nexec "$@"\n' >"$WORK/late" && chmod +x "$WORK/late"
}
LATE=0 LEAST=500 AT='' FROM_ALL="0-1 0-2 1-0 1-2 2-0 2-1" FROM_TWO="0-1 1-0"
# shellcheck disable=SC2086 # the words of AT
meshes() {
	_want=$1; shift
	mesh_run mesh "$_want" 3 env LATE="$LATE" "$WORK/late" "$@" --json="$WORK/mesh.json" $AT
}
came() { pairs mesh 'select((.received_packets // .received_messages) > 0) | "\(.from)-\(.to)"' | sort | xargs; }
over_second() {
	ip netns exec r0 nft "add table ip f; flush table ip f; add chain ip f o { type filter hook output priority 0; }
		add rule ip f o ip daddr 10.9.2.0/24 ip length >= $LEAST counter" || fail "$row: no counter"
}
seen_second() { ip netns exec r0 nft list table ip f | sed -n 's/.*counter packets \([0-9]*\) .*/\1/p'; }
# interface_and_timeout PROGRAM COMMAND...: the rows of these two options, which all meshes have
interface_and_timeout() {
	_program=$1; shift
	tells "$_program interface"
	over_second; meshes 0 "$@" --interface 10.9.1.0/24;	is "$(came) $(seen_second)" "$FROM_ALL 0"
	over_second; meshes 0 "$@" --interface 10.9.2.0/24;	is "$(came)" "$FROM_ALL"
	within "$row, over the second network" "$(seen_second)" 1 5000
	tells "$_program rank-timeout"
	LATE=4
	# Whoever comes later than that is missing.
	meshes 1 "$@" --interface 10.9.1.0/24 --rank-timeout 1.5
	is "$(json mesh.json '.mesh.missing[] | "\(.rank) \(.why)"') $(came)" "2 never started $FROM_TWO"
	meshes 0 "$@" --interface 10.9.1.0/24 --rank-timeout 60;	is "$(came)" "$FROM_ALL"
	LATE=0
}
# patterns PROGRAM COMMAND...: those of who sends to whom
patterns() {
	_program=$1; shift
	tells "$_program pattern"
	meshes 0 "$@" --interface 10.9.1.0/24 --pattern ring;	is "$(came)" "0-1 1-2 2-0"
	meshes 0 "$@" --interface 10.9.1.0/24 --pattern incast;	is "$(came)" "1-0 2-0"
	tells "$_program sample"
	meshes 0 "$@" --interface 10.9.1.0/24 --sample 1;	is "$(came | tr ' ' '\n' | cut -c 1 | sort | uniq -c | xargs)" "1 0 1 1 1 2"
}
