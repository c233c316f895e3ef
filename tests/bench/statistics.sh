# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
# shellcheck shell=sh
# statistics.sh: medians and ratios of paired figures, for the bench scripts.

# Rows of "a b": "median (least..largest)" of a/b.
ratio() {
	awk '{ print $1 / $2 }' | sort -g | awk '{ v[NR] = $1 }
		END { m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
		printf "%.3f (%.3f..%.3f)\n", m, v[1], v[NR] }'
}
# The median of one figure a row.
median() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# verdict WHAT "MEDIAN (..)" ge|le AIM: says whether an aim is met. The aims are for a quiet machine
# and long runs; a smoke run only shows that all of it works.
verdict() {
	[ -z "${SMOKE:-}" ] || return 0
	awk -v v="${2%% *}" -v how="$3" -v aim="$4" -v what="$1: $2, wanted $3 $4" \
		'BEGIN { print ((how == "ge" ? v >= aim : v <= aim) ? "met" : "MISSED") ": " what }'
}
# resident PID: the most memory it ever had, in KiB.
resident() { awk '/^VmHWM/ { print $2 }' "/proc/$1/status"; }
# resident_now PID: the memory that it has now, in KiB.
resident_now() { awk '/^VmRSS/ { print $2 }' "/proc/$1/status"; }
