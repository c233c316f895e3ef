# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
# shellcheck shell=sh
# root.sh: README's two commands on a fresh system: a root of that distribution, made by debootstrap
# under TMPDIR and removed at the end, with the tree as it is, changes included. A script here names
# the distribution:	fresh SUITE MIRROR KEYRING [REPOSITORY...]
[ "$(id -u)" = 0 ] || skip "needs root for debootstrap"
need git tar
command -v debootstrap >/dev/null || skip "debootstrap is not installed (apt-get install debootstrap)"

# The mounts are in a namespace of their own, which ends with its processes; only then is the tree
# removed, and whatever might still be mounted there is left alone.
finish_more() { rm -rf --one-file-system "$WORK"; WORK=; }
own_mounts() { unshare --mount --pid --fork --kill-child --propagation private "$@"; }

# The mirror that this machine fetches Debian from.
debian_mirror() {
	_mirror=
	if command -v apt-get >/dev/null; then
		# shellcheck disable=SC2016 # apt's variables
		_mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
			grep -E '/debian/?$' | head -n 1)
	fi
	echo "${_mirror:-http://deb.debian.org/debian}"
}

# make_root SUITE MIRROR KEYRING
make_root() {
	[ -f "$3" ] || skip "$3 is not installed: the packages of $1 cannot be verified"
	_script=/usr/share/debootstrap/scripts/$1
	# A debootstrap older than the suite: suites of one vendor are all made by one script.
	[ -e "$_script" ] || case $2 in *ubuntu*) _script=${_script%/*}/gutsy ;; *) _script=${_script%/*}/sid ;; esac
	if ! own_mounts debootstrap --variant=minbase --keyring="$3" "$1" "$ROOT" "$2" "$_script" \
		>"$WORK/debootstrap.log" 2>&1; then
		tail -n 5 "$WORK/debootstrap.log" "$ROOT/debootstrap/debootstrap.log" 2>/dev/null
		grep -q 'Failed getting release\|Invalid Release' "$WORK/debootstrap.log" && skip "debootstrap cannot download $1 from $2"
		fail "debootstrap $1"
	fi
	rm -f "$ROOT"/var/cache/apt/archives/*.deb
}

# The last commit and on top of it what is changed and what is new.
copy_tree() { # DIRECTORY
	git clone -q --depth 1 "file://$(git -C "$TOP" rev-parse --show-toplevel)" "$1" || fail "git clone"
	git -C "$TOP" diff --binary HEAD >"$WORK/changes"
	[ ! -s "$WORK/changes" ] || git -C "$1" apply --index "$WORK/changes" || fail "git apply"
	git -C "$TOP" ls-files -z --others --exclude-standard >"$WORK/new"
	tar -C "$TOP" --null --files-from="$WORK/new" -cf - | tar -C "$1" -xf - || fail "tar"
}

# in_root COMMAND...: with that root as its own, by pivot_root: in a plain chroot there are no user
# namespaces.
in_root() {
	# shellcheck disable=SC2016 # the inner shell's
	own_mounts sh -euc '
		cd "$1"; shift
		mount --bind . . && cd "$PWD"
		mount -t proc proc proc
		mount --rbind /dev dev
		mount --rbind /sys sys
		mkdir -p .old
		pivot_root . .old
		cd /
		umount -l /.old
		exec env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb ${CI:+CI="$CI"} \
			${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} "$@"' \
		sh "$ROOT" "$@"
}

# fresh SUITE MIRROR KEYRING [REPOSITORY...]: sources beyond the main ones, as in sources.list.
fresh() {
	scratch
	ROOT=$WORK/root
	make_root "$1" "$2" "$3"
	_suite=$1 _mirror=$2; shift 3
	printf '%s\n' "deb $_mirror $_suite ${COMPONENTS:-main}" "$@" >"$ROOT/etc/apt/sources.list"
	rm -f "$ROOT"/etc/apt/sources.list.d/*
	# What makes this machine's way out to the network, when it is not the plain one.
	if [ -d /usr/local/share/ca-certificates ]; then
		mkdir -p "$ROOT/usr/local/share"
		cp -R /usr/local/share/ca-certificates "$ROOT/usr/local/share"
	fi
	copy_tree "$ROOT/root/netperf-exercise"
	in_root sh /root/netperf-exercise/tests/distros/init || fail "see above"
}
