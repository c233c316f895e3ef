# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
# shellcheck shell=sh
# packages.sh: builds the packages on a distribution and tries them on a fresh system of it: apt installs them,
# README's runs work, and removal leaves nothing behind. After root.sh: packages SUITE
packages() {
	scratch
	ROOT=$WORK/building
	mirror=$(debian_mirror)
	make_root "$1" "$mirror" /usr/share/keyrings/debian-archive-keyring.gpg
	echo "deb $mirror $1 main" >"$ROOT/etc/apt/sources.list"
	if [ -d /usr/local/share/ca-certificates ]; then
		mkdir -p "$ROOT/usr/local/share" && cp -R /usr/local/share/ca-certificates "$ROOT/usr/local/share"
	fi
	# What builds is not what they are installed on.
	cp -a "$ROOT" "$WORK/root" || fail "cp"
	expect 0 make -C "$TOP" dist DISTDIR="$ROOT/root"
	cp "$TOP/tests/distros/packages-build" "$ROOT/root" || fail "cp"
	in_root sh /root/packages-build || fail "see above"
	ROOT=$WORK/root
	mkdir "$ROOT/root/packages" && cp "$WORK"/building/root/packages/*.deb "$ROOT/root/packages" &&
		cp "$TOP/tests/distros/packages-init" "$ROOT/root" || fail "cp"
	in_root sh /root/packages-init || fail "see above"
}
