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
# Rows of "a b": "MEDIAN LEAST MOST" of a/b: the median, and bounds that hold 19 times in 20 the one
# that ever more rows would have: by rank, of the exact binomial distribution. "?": too few rows, under six.
ratio_interval() {
	awk '{ print $1 / $2 }' | sort -g | awk '{ v[NR] = $1 }
		END { m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
		for (sum = each = 2 ^ -NR; sum <= 0.025; sum += each) { k++; each *= (NR - k + 1) / k }
		if (k) printf "%.4f %.4f %.4f\n", m, v[k], v[NR + 1 - k]
		else printf "%.4f ? ?\n", m }'
}
# difference "MEDIAN LEAST MOST": what they show: a difference of the two, or none.
difference() {
	echo "$1" | awk '$2 == "?" { printf "%.3f, too few rounds to show a difference\n", $1; exit }
		{ printf "%.3f (%.3f..%.3f), ", $1, $2, $3 }
		$2 <= 1 && $3 >= 1 { print "no difference is shown: the spread is wider"; exit }
		{ printf "a difference of %.1f %% is shown\n", 100 * ($1 - 1) }'
}
# verdict_interval WHAT "MEDIAN LEAST MOST" AIM: of a ratio that shall be at most AIM; what the spread
# does not decide is neither met nor missed.
verdict_interval() {
	[ -z "${SMOKE:-}" ] || return 0
	echo "$2" | awk -v aim="$3" -v what="$1" '{
		word = "not shown"
		if ($2 != "?" && $3 <= aim) word = "met"
		if ($2 != "?" && $2 > aim) word = "MISSED"
		printf "%s: %s: %.3f (%s..%s), wanted at most %s\n", word, what, $1, $2, $3, aim }'
}
