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

# member NAME OPTION...: starts a member (start, pid_of, ended: lib.sh's), in the namespace $HOST when
# that is set. It is not waited for: who is there is the members' own affair.
# shellcheck disable=SC2034 # lib.sh uses it
PROGRAM=group-test
await_ready() { :; }
member() {
	_member=$1; shift
	start "${HOST:--}" "$_member" -config "$WORK/config.txt" "$@"
}

# group OPTION...: members m1 and m2 send, m3 and m4 receive.
group() {
	for _i in 1 2 3 4; do
		_role=-receiver
		[ "$_i" -le 2 ] && _role=-sender
		member m$_i $_role "$@"
	done
}

all_end() { # STATUS SECONDS
	for _i in 1 2 3 4; do ended m$_i "$1" "$2"; done
}

# says NAME TEXT: on stderr
says() { grep -q -- "$2" "$WORK/$1.err" || { show "$1"; fail "$1 does not say: $2"; }; }

running() { until_true "${2:-20}" grep -q 'received .* messages from' "$WORK/$1.out" || { show "$1"; fail "$1 receives nothing"; }; }

# of NAME FILTER: of the last result record of a member
of() { jq -s "map(select(.type == \"result\")) | last | $2" "$WORK/$1.json"; }
# of_each FILTER NAME...: how many of these members have which value there: "4 0" if all four have 0
of_each() {
	_filter=$1; shift
	for _each; do set -- "$@" "$WORK/$_each.json"; shift; done
	jq -n "reduce (inputs | select(.type == \"result\")) as \$last ({}; .[input_filename] = \$last) | .[] | $_filter" "$@" |
		sort | uniq -c | xargs
}

# exact MESSAGES NAME...: all of each member's rows have so many, nothing lost, nothing twice.
exact() {
	_exactly=$1; shift
	same "$*: rows that are not exact" "$(of_each "[.members[] | select(.fate == \"stayed\") | .senders[]
		| select(.received_messages != $_exactly or .sent_messages != $_exactly or .lost_messages != 0
			or .duplicates_messages != 0 or (.exact | not))] | length" "$@")" "$# 0"
}

# node NAME ADDRESS:PORT X,Y PROTOCOL udp|tcp|pair [BYTES]: NAME.xml, which calls 10.9.0.1:9001. The
# coordinates lie on a line, so that the nodes are a chain.
node() {
	_port="<PhyAddr><INETV4AndOnePort>$2</INETV4AndOnePort></PhyAddr><MaximumPacketLength>${6:-8192}</MaximumPacketLength>"
	_coords="<Coords><FIXED><coordinate>$3</coordinate></FIXED></Coords>"
	_times="<SlowHeartbeatTime>1000</SlowHeartbeatTime><TimeoutTime>4000</TimeoutTime>"
	_buddies=
	case $4 in
	SPT) _node="<SPT><BeaconTime>500</BeaconTime></SPT>" ;;
	DTBroadcast) _node="<DTBroadcast>$_times$_coords</DTBroadcast>" ;;
	*)
		_node="<DTBuddyList>$_times<BuddyListName>all</BuddyListName>$_coords</DTBuddyList>"
		_buddies="<ConfiguredAddressListNum>1</ConfiguredAddressListNum><ConfiguredAddressList><Name>all</Name>
			<Source>configuration</Source><InterfaceAddressNum>1</InterfaceAddressNum>
			<InterfaceAddress>if0|10.9.0.1:9001</InterfaceAddress></ConfiguredAddressList>"
		;;
	esac
	case $5 in
	udp) _type="<UDPInterface>$_port</UDPInterface>" ;;
	tcp) _type="<TCPInterface>$_port</TCPInterface>" ;;
	pair) _type="<MulticastUnicastInterface><Unicast><UDPInterface>$_port</UDPInterface></Unicast>
		<Multicast><UDPMulticastInterface/></Multicast></MulticastUnicastInterface>" ;;
	esac
	cat >"$WORK/$1.xml" <<END
<Public>
  <OverlayID>group</OverlayID><HashAttributes>/Public/OverlayID</HashAttributes>
  <RouteRecordSize>2</RouteRecordSize>
  <Adapter><Interfaces><Interface><ID>if0</ID><Type>$_type</Type></Interface></Interfaces>$_buddies</Adapter>
  <Node>$_node</Node>
</Public>
END
}
