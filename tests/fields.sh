# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
# shellcheck shell=sh
# fields.sh: what the tests of netperf-json(5) share: each field that the page documents for a program
# occurs in one of its runs with a value other than 0, false or empty, and no field is undocumented.
# To be included after lib.sh; runs in $WORK; saw() collects each run's records.
need jq

# Here the relay only makes the faults: it does not matter that the kernel dropped frames before it saw them.
relay_stop() {
	kill "$RELAY"
	wait "$RELAY" || grep -q 'the kernel dropped frames' "$WORK/relay.err" || fail "the relay: $(cat "$WORK/relay.err")"
}

# mirror HOST PROTOCOL: copies of what it sends go to another interface, which has no room for them, so that nobody
# knows whether a packet or its copy was dropped. unmirror HOST
mirror() {
	{ ip -n "$1" link add ifb type ifb && ip -n "$1" link set ifb up; } || skip "kernel: no ifb here"
	tc -n "$1" qdisc add dev ifb root tbf rate 8kbit burst 2000 limit 2000 || skip "kernel: no tbf"
	tc -n "$1" qdisc add dev eth0 clsact || skip "kernel: no clsact here"
	tc -n "$1" filter add dev eth0 egress protocol "$2" u32 match u32 0 0 action mirred egress mirror dev ifb || skip "kernel: no mirred here"
}
unmirror() { tc -n "$1" qdisc delete dev eth0 clsact && ip -n "$1" link delete ifb; }

# saw FILE...: adds the records of another run
saw() { cat "$@" >>"$WORK/records"; }

# documented PROGRAM: the names and words in the page's lists of its records, but for meshes, what the user gave, and
# the words of members that say where a run's limits were: no one run has them all.
documented() {
	jq -r --arg program "$1" '.["$defs"] as $d |
		def of: (.enum // empty | .[]), (.items // empty | of), (.["$ref"] // empty | $d[ltrimstr("#/$defs/")] | of),
			(.properties // empty | del(.mesh, .clients, .elapsed_min_ns, .options, .operands) | keys[],
				(del(.verdict, .limit, .direction, .sent_ecn) | .[] | of));
		$d[$program].oneOf[] | select(.properties.type.enum[0] | IN("pair", "rank", "client") | not) | of' \
		"$BUILD/share/netperf-exercise/netperf.schema.json" | grep -E '^[a-z][a-z0-9_-]*$' | sort -u
}
# A line for each value in the records: PATH default|other [TEXT], without what the user gave. A summary in a summary
# has the same members.
seen() {
	jq -r 'if .type == "start" then del(.options, .operands) else . end |
		paths(type != "object" and type != "array") as $p | getpath($p) as $v |
		[($p | map(strings) | join(".") | ltrimstr("reverse.")),
			(if $v == 0 or $v == false or $v == "" or $v == null then "default" else "other" end),
			($v | strings)] | @tsv' "$WORK/records" | sort -u
}

# agrees: members-of prints each member of the last summary as jq does
agrees() {
	jq -c 'select(.type == "summary")' "$WORK/records" | tail -n 1 >"$WORK/last"
	_asked=$(jq -r '[paths(if type == "number" then fabs | . == 0 or . > 0.0001 and . < 9e15 else type != "object" and type != "array" end) |
		map(if type == "number" then "[\(.)]" else ".\(.)" end) | join("")] | join(", ")' "$WORK/last")
	members-of summary "$WORK/last" "$_asked" >"$WORK/members" || fail "members-of has nothing for $_asked"
	json "$WORK/last" "[$_asked] | .[]" | cmp - "$WORK/members" || fail "members-of prints what jq does not"
}

# all_seen PROGRAM FLAG...: compares; these flags must occur as false, too. stdin: a line NAME WHY for
# each name or path that cannot occur here.
all_seen() {
	_program=$1; shift
	"$_program" --json --nonsense >"$WORK/never-began" 2>/dev/null && fail "$_program --nonsense: exit status 0"
	saw "$WORK/never-began"
	documented "$_program" >"$WORK/documented"
	[ "$(wc -l <"$WORK/documented")" -gt 40 ] || fail "the page is not understood"
	seen >"$WORK/seen"
	cat >"$WORK/excused"
	# Then the counts of drops are not exact, and what is told only of exact ones is missing.
	_hidden=$(grep -cE 'without reporting drops|dropped faster than it reported' "$WORK/records")
	# The others, behind 24 kinds of drops, are of one function for all programs: net/drops-kinds has them.
	awk -v hidden="$_hidden" -F '\t' -v flags="$*" '
		BEGIN { named["options"]; named["operands"]; named["exact"]; named["others"] }
		FILENAME ~ /excused$/ { if (split($0, w, " ")) excused[w[1]] = w[2]; next }
		FILENAME ~ /documented$/ { page[$1]; next }
		{
			paths[$1]
			last = $1; sub(/.*\./, "", last)
			if ($2 == "other") { full[$1]; named[last]; if ($3 != "") value[$3] } else empty[last]
			n = split($1, w, "."); for (i = 1; i <= n; i++) { made[w[i]]; if ($2 == "other") named[w[i]] }
		}
		function bad(text) { print text; failed = 1 }
		function hides(path) { return hidden && path ~ /(^|\.)lost_sender_host(_packets|_messages)?$/ }
		END {
			for (name in page)
				if (!(name in named) && !(name in value) && !(name in excused) && !hides(name))
					bad("documented, never seen: " name)
			for (path in paths)
				if (!(path in full) && !(path in excused) && !hides(path)) bad("never seen but as 0, false or nothing: " path)
			for (name in made)
				if (!(name in page)) bad("not in the page: " name)
			for (name in excused) {
				last = name; sub(/.*\./, "", last)
				if (!(last in page)) bad("excused, not in the page: " name)
				if (excused[name] == "") bad("excused without a reason: " name)
			}
			n = split(flags, w, " ")
			for (i = 1; i <= n; i++) if (!(w[i] in empty)) bad("never seen false: " w[i])
			exit failed
		}' "$WORK/excused" "$WORK/documented" "$WORK/seen" >"$WORK/missing" || {
		sort "$WORK/missing"; fail "$_program: netperf-json(5) and the records differ"; }
	echo "$_program: $(cut -f 1 "$WORK/seen" | sort -u | wc -l) members, $(wc -l <"$WORK/documented") names in the page"
	valid "$_program" "$WORK/records"
	agrees
	# A number among the options is one, unless many readers would round it.
	same "numbers that are text" "$(jq -c 'select(.type == "start") | .options | paths(strings) as $p |
		[$p, getpath($p)] | select(.[1] | test("^-?[0-9]{1,15}([.][0-9]+)?[kMGT]?$"))' "$WORK/records")" ""
}
