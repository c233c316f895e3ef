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
	*" --report=full "* | *" --report=result "*) until_true 5 listens "$(pid_of "$1")" || fail "$1: $(cat "$WORK/$1.err")" ;;
	*) until_true 5 grep -q "^Wait to receive" "$WORK/$1.out" || fail "$1: $(cat "$WORK/$1.err")" ;;
	esac
}
listens() { nsenter --net="/proc/$1/ns/net" ss -Htulnp | grep -q "pid=$1,"; } # PID: it has its port
# A member of the summary: of NAME .lost_messages
of() { json "$WORK/$1.json" "$2"; }
# said NAME TEXT: on stderr, as part of a line.
said() { grep -q -- "$2" "$WORK/$1.err" || fail "$1 does not say '$2': $(cat "$WORK/$1.err")"; }
# config NAME ADDRESS:PORT X,Y [udp|tcp [BYTES]]: NAME.xml, an overlay node that asks $BUDDY
config() {
	case ${4:-udp} in udp) _type=UDPInterface ;; *) _type=TCPInterface ;; esac
	cat >"$1.xml" <<END
<Public>
  <OverlayID>ttcp</OverlayID><HashAttributes>/Public/OverlayID</HashAttributes>
  <RouteRecordSize>2</RouteRecordSize>
  <Adapter>
    <MessageBufferSize>1000</MessageBufferSize>
    <Interfaces><Interface><ID>if0</ID><PathPreferences>1,3</PathPreferences><Type><$_type>
      <PhyAddr><INETV4AndOnePort>$2</INETV4AndOnePort></PhyAddr>
      <AllowRandomPhyAddrPort>No</AllowRandomPhyAddrPort>
      <MaximumPacketLength>${5:-8192}</MaximumPacketLength>
    </$_type></Type></Interface></Interfaces>
    <ConfiguredAddressListNum>1</ConfiguredAddressListNum>
    <ConfiguredAddressList><Name>DT_BUDDYLIST</Name><Source>configuration</Source>
      <InterfaceAddressNum>1</InterfaceAddressNum>
      <InterfaceAddress>if0|$BUDDY</InterfaceAddress></ConfiguredAddressList>
  </Adapter>
  <Node><DTBuddyList><BuddyListName>DT_BUDDYLIST</BuddyListName>
    <Coords><FIXED><coordinate>$3</coordinate></FIXED></Coords></DTBuddyList></Node>
</Public>
END
}
