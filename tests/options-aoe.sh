# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
# shellcheck shell=sh disable=SC2154,SC2034 # row, and others, are every-option's
# options-aoe.sh: every option of aoe-exercise shows its effect, for tests/cli/every-option.
. "$TOP/tests/aoe.sh"
two_hosts 9000
image "$WORK/aoe" 20000
serve "$WORK/aoe" -b 64

start_has() { jq -r "select(.type == \"start\") | $1" "$WORK/json"; }
# The number at the beginning of sector $1.
numbered() { od -A n -t u8 -j $(($1 * 512)) -N 8 "$WORK/aoe" | tr -d ' '; }
# halted OPTION...: a run whose target stands still, ended by itself
halted() {
	begin "$@"
	kill -STOP "$server"
	until_true 60 has_ended run || fail "$row: the run does not end"
	read -r status <"$WORK/run.status"
	end "$status"
	kill -CONT "$server"
	sleep 0.2
}

tells "aoe-exercise operation"
	exercise 0 --operation read -p 500;	is "$(numbered 700)" 0
	exercise 0 --operation write -p 500;	is "$(numbered 700) $(numbered 1000)" "700 0"
tells "aoe-exercise packet-count";	exercise 0 --packet-count 77;	clean 77
tells "aoe-exercise sector-count";	exercise 0 -p 10 --sector-count 5;	figures bytes=25600
tells "aoe-exercise jumbo";	exercise 0 -p 10 --jumbo;	figures bytes=87040
tells "aoe-exercise window-size"
	for window in 3 9; do
		halted --window-size $window --timeout 0.3 --give-up 0.5
		within "$row" "$(figure lost_packets)" $window $((window * 3))
		figures window_packets=$window
	done
tells "aoe-exercise duration";	exercise 0 --duration 0.4;	within "$row" "$(figure elapsed_ns)" 390000000 9000000000
tells "aoe-exercise warm-up"
	: >"$WORK/wire"
	for seconds in 0 0.5; do
		expect 0 ip netns exec client aoe-exercise --capture="$WORK/pcap" --warm-up $seconds --rate 200 -p 5 eth0 4 1
		wc -c <"$WORK/pcap" >>"$WORK/wire"
	done
	[ "$(sed -n 2p "$WORK/wire")" -gt $(($(sed -n 1p "$WORK/wire") * 3)) ] || fail "$row: $(xargs <"$WORK/wire") bytes"
tells "aoe-exercise timeout"
	halted -w 1 --timeout 0.2 --give-up 1.3;	within "$row" "$(figure lost_packets)" 4 9
	halted -w 1 --timeout 2 --give-up 2.1;	within "$row" "$(figure lost_packets)" 0 2
	is "$status" 1
tells "aoe-exercise give-up"
	halted --timeout 0.1 --give-up 0.4;	is "$status" 1
	grep -q "no answer for 0.4 s; gave up" "$WORK/err" || fail "$row: $(cat "$WORK/err")"
tells "aoe-exercise rate";	exercise 0 --rate 100 -p 50;	within "$row" "$(figure elapsed_ns)" 499000000 9000000000
tells "aoe-exercise retransmit"
	halted -w 1 --timeout 0.1 --give-up 0.5;	figures retransmitted_packets=0
	halted -w 1 --timeout 0.1 --give-up 0.5 --retransmit 2;	within "$row" "$(figure retransmitted_packets)" 1 9
tells "aoe-exercise max-loss"
	client nft "add table netdev l; add chain netdev l c { type filter hook ingress device eth0 priority 0; };
		add rule netdev l c ether type 0x88a2 @ll,192,8 0x40 numgen inc mod 10 0 drop" || fail "$row: no filter"
	exercise 0 -p 200 --timeout 0.2 --max-loss 20;	figures lost_packets=20
	exercise 1 -p 200 --timeout 0.2 --max-loss 5
	client nft delete table netdev l
tells "aoe-exercise offset";	image "$WORK/aoe" 20000; stop_serving 2>/dev/null; serve "$WORK/aoe" -b 64
	exercise 0 -o write -p 10 --offset 512k;	is "$(numbered 2) $(numbered 1024) $(numbered 1043)" "0 1024 1043"
tells "aoe-exercise size";	exercise 0 -p 100 --size 8k;	figures passes=12
tells "aoe-exercise random"
	exercise 0 -o write -p 200 --random --seed 3 --offset 2M;	clean 200
	is "$(dd if="$WORK/aoe" bs=512 skip=4096 count=400 status=none | tr -d '\0' | wc -c | awk '{ print $1 < 700 }')" 1
tells "aoe-exercise seed";	is "$(start_has .options.seed)" 3
	for seed in 3 3 4; do # one that is repeated writes the same places
		dd if=/dev/zero of="$WORK/aoe" bs=512 count=20000 conv=notrunc status=none
		exercise 0 -o write -p 200 --random --seed $seed
		cksum <"$WORK/aoe" >>sums
	done
	is "$(uniq -c sums | awk '{ print $1 }' | xargs)" "2 1"
tells "aoe-exercise fill";	exercise 0 -o write -p 500 --fill=lba;	exercise 0 -p 500 --strict --fill=lba --check=full
	exercise 1 -p 500 --strict --fill=zero --check=full
tells "aoe-exercise check";	exercise 0 -o write -p 500;	printf x | dd of="$WORK/aoe" bs=1 seek=5000 conv=notrunc status=none
	exercise 0 -p 500 --check=stamps;	figures errors_sectors=0
	exercise 0 -p 500 --check=full;	figures errors_sectors=1
tells "aoe-exercise strict";	exercise 1 -p 500 --check=full --strict
tells "aoe-exercise destroy";	yes ours | dd of="$WORK/aoe" bs=512 count=1 conv=notrunc status=none 2>/dev/null
	exercise 2 -o write -p 500;	exercise 0 -o write -p 500 --destroy=e4.1
tells "aoe-exercise list";	expect 0 ip netns exec client aoe-exercise --list eth0;	grep -q '^e4\.1 ' out || fail "$row"
tells "aoe-exercise link"
	for link in socket ring; do exercise 0 -p 10 --link $link;	is "$(start_has .link)" $link; done
tells "aoe-exercise capture";	exercise 0 -p 10 --capture="$WORK/pcap";	within "$row" "$(wc -c <"$WORK/pcap")" 11000 20000
tells "aoe-exercise drops";	exercise 0 -p 10 --drops=off;	is "$(figure dropped_by_host.reasons_unknown)" "--drops=off"
	exercise 0 -p 10;	case $(figure 'dropped_by_host.reasons_unknown // "known"') in known | *permitted* | *kernel* | *built*) ;; *) fail "$row: auto" ;; esac
tells "aoe-exercise interval";	exercise 0 -d 0.4;	is "$(grep -c '"interval"' "$WORK/json")" 0
	exercise 0 -d 0.4 --interval 0.1;	within "$row" "$(grep -c '"interval"' "$WORK/json")" 1 5
tells "aoe-exercise json";	expect 0 ip netns exec client aoe-exercise -p 10 --json eth0 4 1
	is "$(jq -r .type out | xargs)" "start summary"
tells "aoe-exercise csv";	exercise 0 -p 10 --csv="$WORK/csv";	is "$(wc -l <"$WORK/csv")" 2
tells "aoe-exercise quiet";	exercise 0 -o write -p 10;	grep -q "writing to" err || fail "$row: silent without"
	exercise 0 -o write -p 10 --quiet;	is "$(cat err)" ""
tells "aoe-exercise verbose";	is "$(grep -c "link socket" err)" 0
	exercise 0 -p 10 --verbose;	grep -q "link socket, stamps by" err || fail "$row"
# What many clients measure is shown in net/mesh-aoe.
tells "aoe-exercise mesh";	expect 2 env -u PMIX_RANK aoe-exercise --mesh eth0 4 1
	grep -qE "^aoe-exercise: --mesh: .*(start it by mpirun -n N, or by srun|built without libpmix)" err || fail "$row: $(cat err)"
	for clash in --capture=f --csv=f "--interval 1"; do
		# shellcheck disable=SC2086 # an option and its value
		expect 2 aoe-exercise --mesh $clash eth0 4 1
		grep -q "^aoe-exercise: ${clash%%[ =]*}.*: does not go with --mesh" err || fail "$row $clash: $(cat err)"
	done
	expect 2 aoe-exercise --mesh --list eth0;	grep -q "^aoe-exercise: --list.*: does not go with --mesh" err || fail "$row: $(cat err)"
	for window in 1:4 auto; do
		expect 2 aoe-exercise --mesh -w $window eth0 4 1
		grep -q "^aoe-exercise: --window-size.*: has one value with --mesh" err || fail "$row: $(cat err)"
	done
	expect 2 aoe-exercise --mesh --duration 0 eth0 4 1
	grep -q "^aoe-exercise: --duration.*: must be more than 0 with --mesh" err || fail "$row: $(cat err)"
for clash in "interface eth0" "rank-timeout 3"; do
	tells "aoe-exercise ${clash% *}"
	expect 2 aoe-exercise "--${clash%% *}" "${clash#* }" eth0 4 1
	grep -q "^aoe-exercise: --${clash% *}.*: goes with --mesh" err || fail "$row: $(cat err)"
done
tells "aoe-exercise help";	expect 0 aoe-exercise --help;	grep -q Usage: out || fail "$row"
tells "aoe-exercise version";	expect 0 aoe-exercise --version;	grep -q '[0-9]\.[0-9]' out || fail "$row"
tells "aoe-exercise completion";	expect 0 aoe-exercise --completion;	grep -q 'complete ' out || fail "$row"
stop_serving 2>/dev/null
