# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
# shellcheck shell=sh
# build.sh: builds everything for another architecture, without a warning, and runs the programs and
# the unit tests under qemu's user emulation. The scripts beside it say for which, and leave out, with
# reasons, the unit tests for which it is not good enough.

# ARCHITECTURE (Debian's name) TRIPLET CPU (qemu's name) UNIT-TEST...: those that are left out
cross_build() {
	_architecture=$1 _triplet=$2 _cpu=$3
	shift 3
	need make "$_triplet-gcc"
	_qemu=$(command -v "qemu-$_cpu" || command -v "qemu-$_cpu-static") ||
		skip "qemu-$_cpu is not installed (./bootstrap --tests does)"
	"$TOP/tests/cross/prepare" "$_architecture" "$BUILD/cross/$_architecture" >"$WORK/prepared" || {
		_status=$?
		cat "$WORK/prepared"
		[ $_status != 77 ] || exit 77
		fail "no libraries for $_architecture"
	}
	_root=$BUILD/cross/$_architecture/root
	mkdir "$WORK/tree" && (cd "$TOP" && cp -R Makefile configure configure.ac include src tests man patches "$WORK/tree") &&
		cd "$WORK/tree" || fail "cannot copy the tree"
	unset CC CFLAGS CPPFLAGS LDFLAGS LD_LIBRARY_PATH
	LIMIT=300 expect 0 ./configure --host="$_triplet" --without-libpmix CFLAGS=-O1 CC="$(command -v ccache || true) $_triplet-gcc --sysroot=$_root" \
		LDFLAGS="-L$_root/usr/lib/$_triplet -Wl,-rpath-link,$_root/usr/lib/$_triplet"
	# The libraries may be of a later release, which has new ways to do what it calls deprecated.
	_tests=$(for _t in tests/unit/*.c; do echo "build/tests/unit/$(basename "$_t" .c)"; done)
	# shellcheck disable=SC2086 # a list
	LIMIT=800 expect 0 make -s -j2 EMULATOR="$_qemu -L $_root" \
		WARNINGS='-Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror -Wno-error=deprecated-declarations' all $_tests
	for _p in $(programs); do
		expect 0 "$_qemu" -L "$_root" "build/sbin/$_p" --version
		grep -q "^$_p " "$WORK/out" || fail "$_p --version says something else"
		for _c in "bash/$_p" "zsh/_$_p" "fish/$_p.fish"; do
			[ -s "build/completions/$_c" ] || fail "no build/completions/$_c was made"
		done
	done
	_run=0
	for _t in $_tests; do
		case " $* " in *" ${_t##*/} "*) continue ;; esac
		# An emulator takes half a minute of arithmetic for a second's, and minutes beside other load.
		LIMIT=500 expect 0 "$_qemu" -L "$_root" "$_t"
		_run=$((_run + 1))
	done
	# What is left out is there, and most is not left out.
	for _t; do [ -f "tests/unit/$_t.c" ] || fail "there is no unit test $_t"; done
	[ "$_run" -gt 70 ] || fail "only $_run unit tests were run"
}
# Socket options that qemu-user (7.2) does not know: IP_MULTICAST_IF with an index, IP_MULTICAST_ALL.
# shellcheck disable=SC2034 # the scripts use them
LACKS_MULTICAST='datagram datagram_kernel datagram_socket datagram-test-publisher group-test-transport_overlay
	group-test-transport_udp multicast overlay-socket overlay-socket-turns overlay-udp'
# Minutes of arithmetic in which no byte leaves the host.
# shellcheck disable=SC2034
TAKES_LONG='launch-collection overlay-seeds overlay-tree-seeds overlay-twins'
# PACKET_VERSION and PACKET_IGNORE_OUTGOING.
# shellcheck disable=SC2034
LACKS_PACKET='link'
# Of TCP_INFO it hands on four bytes, without what the peer has acknowledged and the window that it offers.
# shellcheck disable=SC2034
LACKS_TCP_INFO='group-test-transport_tcp group-test-transport_tcp_hostile'
