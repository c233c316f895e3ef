# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
# shellcheck shell=sh disable=SC2034
# mesh.sh: hosts on a bridge, for tests that start ranks on them by mpirun; a script that isolates
# itself includes it after lib.sh.
need mpirun ip nft jq

# As root, more ranks than cores, and ranks that reach mpirun by the bridge: it listens on the loopback
# of its own network only, unless told.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PMIX_MCA_ptl_base_if_include=br0
MPIRUN="mpirun --oversubscribe"
# MPIRUN_WAITS: the options with which mpirun leaves the other ranks a few seconds when one has died. From
# Open MPI 5 on it kills them at once, unless they shall go on; then it leaves those behind that are stopped.
MPIRUN_MAJOR=$(mpirun --version | sed -n '1s/.* \([0-9]*\)\..*/\1/p')
MPIRUN_WAITS="--mca odls_base_sigkill_timeout 5"
[ "${MPIRUN_MAJOR:-0}" -lt 5 ] || MPIRUN_WAITS=--enable-recovery
# forwards: mpirun passes on all output of the ranks. That of Open MPI 5 was seen to lose the last lines
# when a rank had died, and to put the pieces of long ones in another order.
forwards() { [ "${MPIRUN_MAJOR:-0}" -lt 5 ]; }

# mesh_hosts COUNT: the hosts r0 ... of 10.9.1.1 ..., each with eth0, whose other end is pN on br0; mpirun
# itself has 10.9.1.254. The offloads are off: a filter must see each datagram by itself.
mesh_hosts() {
	need ethtool
	# What a test left that begins again; the other ends go later than their namespaces.
	ip link delete br0 >/dev/null 2>&1
	nft delete table netdev mesh >/dev/null 2>&1
	ip link add br0 type bridge && ip addr add 10.9.1.254/24 dev br0 && ip link set br0 up ||
		fail "cannot make a bridge"
	_h=0
	while [ $_h -lt "$1" ]; do
		ip link delete p$_h >/dev/null 2>&1
		{ ip netns add r$_h && ip link add p$_h type veth peer name eth0 netns r$_h &&
			ip link set p$_h master br0 up && ip -n r$_h link set lo up && ip -n r$_h link set eth0 up &&
			ip -n r$_h addr add 10.9.1.$((_h + 1))/24 dev eth0 &&
			ip netns exec r$_h ethtool -K eth0 tx-udp-segmentation off gso off >/dev/null; } ||
			fail "cannot make the host r$_h"
		_h=$((_h + 1))
	done
	# The first packets to an unknown neighbour may be dropped in the sender.
	_h=0
	while [ $_h -lt "$1" ]; do
		_mac=$(ip netns exec r$_h cat /sys/class/net/eth0/address)
		_n=0
		while [ $_n -lt "$1" ]; do
			[ $_n = $_h ] || ip -n r$_n neighbour replace 10.9.1.$((_h + 1)) lladdr "$_mac" dev eth0 nud permanent
			_n=$((_n + 1))
		done
		_h=$((_h + 1))
	done
	cat >"$WORK/on-host" <<'END'
#!/bin/sh
# Runs the command on the host of its rank: rank N on host N modulo HOSTS.
exec ip netns exec "r$((PMIX_RANK % HOSTS))" "$@"
END
	chmod +x "$WORK/on-host"
	export HOSTS="$1"
}

# mesh_start NAME RANKS COMMAND...: mpirun in the background (MPIRUN_FLAGS: its options); leaves what
# start_command does. The pid of rank N is written to $WORK/NAME.rank-N.
mesh_start() {
	_name=$1 _ranks=$2; shift 2
	rm -f "$WORK/$_name".rank-*
	# Two jobs must not share a directory, nor those of namespaces with the same pids.
	mkdir -p "$WORK/$_name.tmp"
	# shellcheck disable=SC2016,SC2086 # the inner shell's; words
	start_command - "$_name" env TMPDIR="$WORK/$_name.tmp" timeout -k 5 "${LIMIT:-240}" $MPIRUN ${MPIRUN_FLAGS:-} -n "$_ranks" \
		"$WORK/on-host" sh -c 'at=$1; shift; echo $$ >"$at.rank-$PMIX_RANK"; exec "$@"' sh "$WORK/$_name" "$@"
}
# mesh_run NAME STATUS RANKS COMMAND...: runs it to its end, which must have that status.
mesh_run() {
	_run=$1 _wanted=$2; shift 2
	mesh_start "$_run" "$@"
	ended "$_run" "$_wanted"
}
# drop_between A B SHARE: from now on the bridge drops SHARE of 10 (without it: all) UDP datagrams of 500 or more bytes that go
# from host rA to host rB; dropped says how many it has.
drop_between() {
	nft "add table netdev mesh; add chain netdev mesh drops { type filter hook egress device p$2 priority 0; policy accept; };
		add rule netdev mesh drops ip saddr 10.9.1.$(($1 + 1)) udp length >= 500 ${3:+numgen random mod 10 < $3} counter drop" ||
		fail "cannot drop between $1 and $2"
}
dropped() { nft list table netdev mesh | sed -n 's/.*counter packets \([0-9]*\) .*/\1/p'; }
# have_started NAME RANKS: processes of that many ranks run the program. rank_pid NAME RANK
have_started() {
	_r=0
	while [ $_r -lt "$2" ]; do
		[ -s "$WORK/$1.rank-$_r" ] || return 1
		_r=$((_r + 1))
	done
}
rank_pid() { cat "$WORK/$1.rank-$2"; }
# The members of the pair records of NAME's JSON: pairs NAME FILTER
pairs() { jq -r "select(.type == \"pair\") | $2" "$WORK/$1.json"; }
