# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
# shellcheck shell=sh disable=SC2154,SC2034 # row, and others, are every-option's
# options-disk.sh: every option of disk-exercise shows its effect, for tests/cli/every-option.

# exercise [OPTION...]: of the file disk, its records in d.json
exercise() { expect 0 disk-exercise --json=d.json "$@" disk; }
of() { json d.json "$1"; }
blank() { rm -f disk; head -c "${1:-1M}" /dev/zero >disk; }
# The number at the beginning of sector $1.
number() { od -A n -t u8 -j $(($1 * 512)) -N 8 disk | tr -d ' '; }
# The first sector that carries a number; sector 0 never does.
written() { cmp -l disk kept | awk '{ print int(($1 - 1) / 512); exit }'; }

blank; cp disk kept
tells "disk-exercise operation"
	exercise --operation=read --passes 1;	cmp disk kept || fail "$row"
	exercise --operation=write --passes 1;	is "$(number 700)" 700
	is "$(start_of d .options.operation)" write
	exercise --operation=verified-write --passes 1;	is "$(of .verified_bytes)" 1048576
tells "disk-exercise mode"
	exercise --mode buffered --passes 1;	grep -q "page cache may answer" err || fail "$row"
	is "$(of 'has("sync_ns")')" false
	exercise --mode buffered-sync -o write --passes 1;	is "$(of 'has("sync_ns")')" true
	# O_DIRECT is a flag of the open file, where the file system knows it.
	for mode in direct buffered; do
		flags=$(disk-exercise --mode $mode -d 20 disk >/dev/null 2>err & exerciser=$!
			until_true 5 sh -c "ls -l /proc/$exerciser/fd | grep -q '/disk\$'" || grep -q "no direct I/O" err || echo late
			for fd in "/proc/$exerciser/fd"/*; do
				case $(readlink "$fd") in */disk) sed -n 's/^flags:[^0-9]*//p' "/proc/$exerciser/fdinfo/${fd##*/}" ;; esac
			done
			kill $exerciser 2>/dev/null; wait $exerciser)
		grep -q "no direct I/O" err || case $mode:$(((0$flags & 040000) != 0)) in
		direct:1 | buffered:0) ;;
		*) fail "$row: $mode: flags $flags" ;;
		esac
	done
tells "disk-exercise chunk-size";	exercise --chunk-size 64k --passes 1;	is "$(of .operations)" 16
tells "disk-exercise duration";	exercise --duration 0.3;	within "$row" "$(of .elapsed_ns)" 290000000 9000000000
	exercise --duration 0.05;	[ "$(of .bytes)" -gt 0 ] || fail "$row"
tells "disk-exercise passes";	exercise --passes 3;	is "$(of '"\(.passes) \(.bytes)"')" "3 3145728"
tells "disk-exercise warm-up";	exercise --warm-up 0.8 --rate 1M -c 64k --passes 1
	within "$row" "$(of .bytes)" 65536 983040
tells "disk-exercise queue-depth";	exercise --queue-depth 4 --passes 1;	is "$(start_of d .queue_depth_ios)" 4
tells "disk-exercise engine";	blank; cp disk kept; exercise --engine=null -o write --passes 1
	is "$(start_of d .engine)" null;	cmp disk kept || fail "$row: null writes"
tells "disk-exercise offset";	blank; exercise --offset 512k -o write --passes 1
	is "$(number 1023) $(number 1024) $(of .bytes)" "0 1024 524288"
tells "disk-exercise size";	blank; exercise --size 64k -o write --passes 1
	is "$(number 127) $(number 128) $(of .bytes)" "127 0 65536"
# One chunk of sixteen, which is the first one of the order.
first() { blank; cp disk kept; exercise -o write -c 64k --rate 1k -d 0.01 "$@"; is "$(of .operations)" 1; written; }
tells "disk-exercise random";	first >place; is "$(cat place)" 1
	first --random --seed 3 >place;	[ "$(cat place)" != 1 ] || fail "$row: in order"
tells "disk-exercise seed";	cp place other; first --random --seed 3 >place;	cmp place other || fail "$row"
	first --random --seed 4 >place;	cmp -s place other && fail "$row: another seed, the same order"
	blank; exercise -o verified-write --seed 5 --passes 1; cp disk kept
	exercise -o verified-write --seed 5 --passes 1;	cmp disk kept || fail "$row"
	exercise -o verified-write --seed 6 --passes 1;	cmp -s disk kept && fail "$row: another seed, the same codes"
tells "disk-exercise rate";	exercise --rate 1M -c 64k --size 256k --passes 1
	within "$row" "$(of .elapsed_ns)" 249000000 30000000000
tells "disk-exercise strict";	blank; exercise --passes 1;	expect 1 disk-exercise --strict --passes 1 disk
tells "disk-exercise fill";	exercise -o write --passes 1; cp disk kept
	exercise -o write --fill=lba --passes 1;	is "$(number 700)" 700; cmp -s disk kept && fail "$row"
	exercise --fill=lba --check=full --strict --passes 1
tells "disk-exercise check";	exercise -o write --passes 1;	printf x | dd of=disk bs=1 seek=5000 conv=notrunc status=none
	exercise --check=stamps --passes 1;	is "$(of .errors_sectors)" 0
	exercise --check=full --passes 1;	is "$(of .errors_sectors)" 1
tells "disk-exercise drop-cache"
	blank 64M; sync disk; cat disk >/dev/null
	cached() { fincore -b -n -o RES disk | tr -d ' '; }
	exercise --drop-cache -m buffered --size 64k --passes 1;	grep -q "page cache may answer" err && fail "$row"
	case $(stat -f -c %T .) in
	tmpfs | overlayfs | fuseblk) ;; # pages that are the file, or are another file's
	*) ! command -v fincore >/dev/null || within "$row: bytes in the cache" "$(cached)" 0 33554432 ;;
	esac
tells "disk-exercise destroy"
	yes ours | head -c 1M >disk; cp disk kept
	expect 2 disk-exercise -o write --passes 1 disk;	cmp disk kept || fail "$row"
	exercise --destroy=disk -o write --passes 1;	is "$(number 700)" 700
tells "disk-exercise max-errors"
	for errors in 1 4; do
		# shellcheck disable=SC2016 # the inner shell's own parameter
		expect 1 sh -c 'ulimit -f 64; exec disk-exercise -o write --offset 512k -c 4k -d 20 --max-errors $1 disk' sh $errors
		grep -q "gave up after $errors failed" err || fail "$row: $(cat err)"
	done
tells "disk-exercise interval";	exercise -d 0.3;	is "$(grep -c '"type":"interval"' d.json)" 0
	exercise -d 0.3 --interval 0.05;	within "$row" "$(grep -c '"type":"interval"' d.json)" 1 10
tells "disk-exercise json";	is "$(jq -r .type d.json | sort -u | xargs)" "interval start summary"
	expect 0 disk-exercise --json --passes 1 disk;	is "$(jq -r .type out | xargs)" "start summary"
tells "disk-exercise csv";	exercise --csv=d.csv --passes 1;	is "$(wc -l <d.csv)" 2
tells "disk-exercise quiet";	exercise --passes 1;	[ -s err ] || fail "$row: silent without"
	expect 0 disk-exercise --quiet --passes 1 disk;	is "$(grep -vc warning err)" 0
tells "disk-exercise verbose";	exercise --passes 1;	grep -q "engine sync" err && fail "$row"
	exercise --verbose --passes 1;	grep -q "engine sync, queue depth 1" err || fail "$row"
tells "disk-exercise help";	expect 0 disk-exercise --help;	grep -q Usage: out || fail "$row"
tells "disk-exercise version";	expect 0 disk-exercise --version;	grep -q '[0-9]\.[0-9]' out || fail "$row"
tells "disk-exercise completion";	expect 0 disk-exercise --completion;	grep -q 'complete ' out || fail "$row"
