# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
# netperf.schema.awk: prints the JSON Schema of all records, made of the lists in man/netperf-json.5, where "Members"
# says how they are read. Fails if the text lacks a member of a record, or the lists what the text names.
BEGIN {
	type["text"] = "{\"type\": \"string\"}"
	type["flag"] = "{\"type\": \"boolean\"}"
	type["number"] = "{\"type\": \"number\"}"
	type["object"] = "{\"type\": \"object\"}"
	type["integer"] = reference("int")
	type["time"] = reference("time")
	any_option = "{\"type\": [\"string\", \"number\", \"boolean\", \"array\"], \"items\": " type["text"] "}"
}
function fail(text) { print FILENAME ": " text >"/dev/stderr"; failed = 1 }

# A list begins with its head. A section with a start is a program; the record in section error is of all programs.
/^\.Ss / { section = $2 }
/^\.Bd -literal/ { listing = section != "CSV"; next }
/^\.Ed/ { listing = 0 }
listing && /^[^ ]/ {
	head = $1
	if (!sub(/(\/%)?:$/, "", head)) fail("no colon after " head)
	$1 = ""
	if (head ~ /^[+{]/) {
		heads[++lists] = head
	} else {
		$1 = "type:" head "! time:time!"
		if (head == "start") program[++programs] = section
		listed[head]
		head = section " " head
		records[section] = records[section] head "\n"
	}
	if (head in list) fail("two lists " head)
}
listing { gsub(/\\ /, "\001"); list[head] = list[head] " " $0 }
# Names and words in the text; what is only quoted need not be in a list.
!listing && section != "CSV" && /^\.(It )?(Cm|Ql) / {
	for (i = 2; i <= NF; i++) if ($i ~ /^[a-z][a-z0-9_-]*$/) { said[$i]; if (!/Ql/) marked[$i] }
}

function reference(name) { return "{\"$ref\": \"#/$defs/" name "\"}" }
function object_of(name) { used["{" name "}"]; return reference(name) }
# The type of member @name; @what follows it in a list.
function type_of(name, what,    n, i, word, types, words) {
	if (what == "") return type[name ~ /_(per_s|per_minute|percent)$/ ? "number" : "integer"]
	if (what == "{}") return object_of(name)
	if (what ~ /^[{]/) return object_of(substr(what, 2, length(what) - 2))
	if (what ~ /^\[/) return "{\"type\": \"array\", \"items\": " object_of(substr(what, 2, length(what) - 2)) "}"
	n = split(substr(what, 2), word, "|")
	for (i = 1; i <= n; i++) {
		gsub("\001", " ", word[i])
		types = types (i > 1 ? ", " : "") type[word[i]]
		words = words (i > 1 ? ", " : "") (word[i] ~ /^[0-9]+$/ ? word[i] : "\"" word[i] "\"")
		if (type[word[i]] == "") listed[word[i]]
	}
	return type[word[1]] == "" ? "{\"enum\": [" words "]}" : n == 1 ? types : "{\"anyOf\": [" types "]}"
}
# Adds the members of a list to the object.
function add(members, unit,    n, i, word, part, what, marks) {
	gsub(/%/, unit, members)
	gsub(/ +\|/, "|", members)
	n = split(members, word, " ")
	for (i = 1; i <= n; i++) {
		if (word[i] == "...") {
			others = any_option
		} else if (word[i] ~ /^\+/) {
			split(word[i], part, "/")
			used[part[1]]
			if (part[1] in list) add(list[part[1]], part[2])
		} else {
			marks = gsub(/!/, "", word[i])
			what = match(word[i], /[{:[]/) ? substr(word[i], RSTART) : ""
			sub(/[{:[].*/, "", word[i])
			if (!(word[i] in must)) name[++count] = word[i]
			member[word[i]] = type_of(word[i], what)
			if (marks > must[word[i]]) must[word[i]] = marks
			listed[word[i]]; listed[plain(word[i])]
			if (!of_object) figure[word[i]]
		}
	}
}
function object(members,    i, all, either, text) {
	count = 0; others = "false"; split("", must)
	add(members)
	for (i = 1; i <= count; i++) {
		if (must[name[i]] == 1) all = all (all == "" ? "" : ", ") "\"" name[i] "\""
		if (must[name[i]] == 2) either = either (either == "" ? "" : ", ") "{\"required\": [\"" name[i] "\"]}"
		text = text (i > 1 ? ",\n" : "\n") "   \"" name[i] "\": " member[name[i]]
	}
	if (either != "") either = "\n  \"anyOf\": [" either "],"
	return "{\n  \"type\": \"object\", \"additionalProperties\": " others ", \"required\": [" all "]," either \
		"\n  \"properties\": {" text "\n  }\n }"
}
function plain(name) { sub(/_(packets|messages|sectors)$/, "", name); return name }

END {
	of_object = 1 # which the text explains as a whole
	for (l = 1; l <= lists; l++) {
		if (heads[l] ~ /^[{]/)
			defs = defs ",\n \"" substr(heads[l], 2, length(heads[l]) - 2) "\": " object(list[heads[l]])
	}
	of_object = 0
	for (p = 1; p <= programs; p++) {
		any = any (p > 1 ? ", " : "") reference(program[p])
		defs = defs ",\n \"" program[p] "\": {\"oneOf\": ["
		n = split(records["error"] records[program[p]], own, "\n")
		for (i = 1; i < n; i++) defs = defs (i > 1 ? ", " : "") object(list[own[i]])
		defs = defs "]}"
	}
	print "{\n\"$schema\": \"https://json-schema.org/draft/2020-12/schema\","
	print "\"title\": \"Records of the netperf-exercise programs: a line of --json\","
	print "\"description\": \"netperf-json(5) says what the members mean. Records of one program: #/$defs/PROGRAM.\","
	print "\"anyOf\": [" any "],\n\"$defs\": {"
	print " \"int\": {\"description\": \"2^53 and more as text\","
	print "  \"anyOf\": [{\"type\": \"integer\"}, {\"type\": \"string\", \"pattern\": \"^-?[0-9]+$\"}]},"
	print " \"time\": {\"type\": \"string\","
	print "  \"pattern\": \"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\\\.[0-9]{9}Z$\"}" defs "\n}\n}"
	for (l = 1; l <= lists; l++) if (!(heads[l] in used)) fail("nothing has " heads[l])
	for (h in used) if (!(h in list)) fail("there is no list " h)
	for (m in figure) {
		if (!(m in said) && !(plain(m) in said) && !(plain(m) "_packets" in said)) fail(m " is in a list, but not in the text")
	}
	for (w in marked) if (!(w in listed)) fail(w " is in the text, but in no list")
	exit failed
}
