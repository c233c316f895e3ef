/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* overlay_config: configurations of overlays for tests, whole and in pieces, a line an element. */
#ifndef UNIT_OVERLAY_CONFIG_H
#define UNIT_OVERLAY_CONFIG_H

#define UDP(address)                                                                               \
	"<UDPInterface><PhyAddr><INETV4AndOnePort>" address "</INETV4AndOnePort></PhyAddr>"        \
	"<AddressRealm>lab</AddressRealm></UDPInterface>"
#define INTERFACE(type)	 "<Interface><ID>if0</ID><Type>" type "</Type></Interface>"
#define INTERFACES(type) "<Interfaces>" INTERFACE(type) "</Interfaces>"
#define PAIR                                                                                       \
	"<MulticastUnicastInterface>"                                                              \
	"<Unicast>" UDP("10.9.0.1:9001") "</Unicast>"                                              \
					 "<Multicast><UDPMulticastInterface><AddressRealm>lab"     \
					 "</AddressRealm></UDPMulticastInterface></Multicast>"     \
					 "</MulticastUnicastInterface>"
/* Lines: 1 Public, 2 @top, 3 Adapter, 4 @adapter, 5 its end, 6 @node, 7 the end. */
#define WHOLE(top, adapter, node)                                                                  \
	"<Public>\n" top "\n<Adapter>\n" adapter "\n</Adapter>\n" node "\n</Public>"
#define BASE	   INTERFACES(UDP("127.0.0.1:9001"))
#define DT(inside) "<Node><DTBuddyList>" inside "</DTBuddyList></Node>"
#define BUDDIES                                                                                    \
	"<ConfiguredAddressListNum>1</ConfiguredAddressListNum><ConfiguredAddressList>"            \
	"<Name>DT_BUDDYLIST</Name><Source>configuration</Source>"                                  \
	"<InterfaceAddressNum>2</InterfaceAddressNum>"                                             \
	"<InterfaceAddress>if0|127.0.0.1:9001</InterfaceAddress>"                                  \
	"<InterfaceAddress> lab % 127.0.0.1:9002 </InterfaceAddress></ConfiguredAddressList>"

#endif
