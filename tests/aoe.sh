# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
# shellcheck shell=sh
# aoe.sh: what the scripts about AoE share, beside lib.sh: a target, runs against it, their figures.
need jq

# start, pid_of, ended: lib.sh's. A run is under way when it has printed its first line.
# shellcheck disable=SC2034 # lib.sh uses it
PROGRAM=aoe-exercise
await_ready() { until_true 20 grep -q ' on eth0: ' "$WORK/$1.out" || fail "no run begins: $(cat "$WORK/$1.err")"; }
# Of the target that is served and asked, shelf and slot.
TARGET='4 1'
# begin OPTION...: a run from the client to it in the background, under the name "run"; its pid is in $run.
begin() {
	# shellcheck disable=SC2086 # two words
	start client run "$@" eth0 $TARGET
	# shellcheck disable=SC2034 # the scripts use it
	run=$(pid_of run)
}
# end [STATUS]: the run ends with that status (default 0); it leaves what exercise leaves. end_in_warm_up:
# so does one that ended before it counted anything.
end() {
	end_in_warm_up "$@"
	balanced
}
end_in_warm_up() {
	ended run "$@"
	for _f in out err json; do cp "$WORK/run.$_f" "$WORK/$_f" || exit 1; done
}

# serve_as SHELF SLOT IMAGE [OPTION...]: starts the patched vblade on the target, in the background; leaves
# its pid in $server and the name of its log in $server_log. Returns when it listens.
serve_as() {
	_shelf=$1 _slot=$2 _image=$3; shift 3
	need "$VBLADE"
	server_log=$WORK/vblade-e$_shelf.$_slot.log
	: >"$server_log"
	# Not through a shell function, so that background knows the pid of vblade itself.
	background ip netns exec target "$VBLADE" eth0 "$_shelf" "$_slot" "$_image" --stats=3600 "$@" >"$server_log" 2>&1
	server=$!
	until_true 5 grep -q sectors "$server_log" || fail "vblade does not start: $(cat "$server_log")"
}
# shellcheck disable=SC2086 # two words
serve() { serve_as $TARGET "$@"; }
# stop_serving [PID]: ends it, by default the last one; the last line of its log has its counts.
stop_serving() { kill -CONT "${1:-$server}"; kill "${1:-$server}"; wait "${1:-$server}"; }
# total NAME: the number after that name in that line
total() { sed -n 's/^total .* '"$1"' \([0-9]*\) .*/\1/p' "$server_log" | tail -n 1; }

# switched HOST...: hosts with an eth0 on one switch, "switch", whose bridge is br0
switched() {
	need bridge
	ip netns add switch
	ip -n switch link add br0 type bridge mcast_snooping 0 || skip "kernel: no bridge"
	ip netns exec switch sysctl -qw net.ipv6.conf.all.disable_ipv6=1
	for _host; do
		ip netns add "$_host"
		ip netns exec "$_host" sysctl -qw net.ipv6.conf.all.disable_ipv6=1
		ip link add eth0 netns "$_host" type veth peer name "$_host" netns switch || fail "cannot make a veth pair"
		ip -n switch link set "$_host" master br0
		ip -n switch link set "$_host" up
		ip -n "$_host" link set eth0 up
	done
	ip -n switch link set br0 up
	_hosts=$#
	# shellcheck disable=SC2317 # until_true calls it
	_forwards() { [ "$(ip netns exec switch bridge link | grep -c 'state forwarding')" = "$_hosts" ]; }
	until_true 5 _forwards || fail "the switch does not forward"
}

# image NAME SECTORS: a blank disk
image() { rm -f "$1"; truncate -s $(($2 * 512)) "$1"; }

# exercise STATUS OPTION...: runs aoe-exercise from the client to the target and requires that status;
# text in $WORK/out, messages in $WORK/err, records in $WORK/json.
exercise() {
	_status=$1; shift
	rm -f "$WORK/json"
	# shellcheck disable=SC2086 # two words
	expect "$_status" ip netns exec client aoe-exercise --json="$WORK/json" "$@" eth0 $TARGET
	[ "$_status" = 2 ] || balanced
}
# figure MEMBER: of the summary
figure() { json "$WORK/json" ".$1"; }
# figures MEMBER=VALUE...: requires these values in the summary
figures() {
	_asked=
	for _pair; do _asked="$_asked${_asked:+, }\"${_pair%%=*}=\(.${_pair%%=*})\""; done
	same "figures" "$(json "$WORK/json" "$_asked")" "$(printf '%s\n' "$@")"
}
# Each packet is counted exactly once, and each lost one is attributed.
balanced() {
	[ "$(json "$WORK/json" '.sent_packets == .received_packets + .late_packets + .lost_packets + .outstanding_packets and
		.lost_packets == .lost_path_packets + (.lost_sender_host_packets + .lost_receiver_host_packets) + .lost_unattributed_packets')" = true ] ||
		fail "does not sum up: $(tail -n 1 "$WORK/json")"
}
# clean PACKETS: all sent, all answered in time, nothing else
clean() {
	figures sent_packets="$1" received_packets="$1" lost_packets=0 late_packets=0 duplicates_packets=0 \
		stray_packets=0 errors_packets=0 outstanding_packets=0
}
# complains TEXT...: stderr contains each of these (basic regular expressions)
complains() {
	for _text; do grep -q -e "$_text" "$WORK/err" || fail "no '$_text' in: $(cat "$WORK/err")"; done
}
