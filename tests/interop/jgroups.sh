# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
# shellcheck shell=sh
# jgroups.sh: perf.Test of JGroups 3.0.16 and group-test in one group, all on the loopback of a
# namespace. A script includes it before isolate, for Maven Central is not to be reached from there.
# MEMBER is a name: its output is $WORK/MEMBER and $WORK/MEMBER.err, its process $WORK/MEMBER.pid.
JGROUPS=$BUILD/interop/jgroups-3.0.16.Final.jar
"$TOP/tests/interop/prepare" org.jgroups:jgroups:3.0.16.Final || exit

# group_of tcp|udp MEMBERS SENDERS KEY=VALUE...: what both programs read, in $WORK/config.
group_of() {
	_class=UdpTransport
	[ "$1" = tcp ] && _class=TcpTransport
	cat >"$WORK/config" <<-END
		transport=org.jgroups.tests.perf.transports.$_class
		num_members=$2
		num_senders=$3
		bind_addr=127.0.0.1
		cluster=127.0.0.1:7800,127.0.0.1:7801,127.0.0.1:7802,127.0.0.1:7803
		start_port=7800
	END
	shift 3
	printf '%s\n' "$@" >>"$WORK/config"
}
# A former member of that name must have ended. ON says on which host, when there are some.
ON=
member() { # MEMBER COMMAND...
	_name=$1; shift
	: >"$WORK/$_name"
	${ON:+ip netns exec $ON} "$@" -config "$WORK/config$ON" >"$WORK/$_name" 2>"$WORK/$_name.err" &
	echo $! >"$WORK/$_name.pid"
	BACKGROUND="$BACKGROUND $!"
}
java_member() { # MEMBER -sender|-receiver OPTION...
	_name=$1; shift
	member "$_name" java -Xmx64m -XX:-UsePerfData -XX:TieredStopAtLevel=1 "-Djava.net.preferIPv${FAMILY:-4Stack}=true" \
		-cp "$JGROUPS" org.jgroups.tests.perf.Test "$@"
}
our_member() { # MEMBER -sender|-receiver OPTION...; JSON in $WORK/MEMBER.json
	_name=$1; shift
	member "$_name" group-test --protocol=jgroups3 --json="$WORK/$_name.json" "$@"
}
native_member() {
	_name=$1; shift
	member "$_name" group-test --json="$WORK/$_name.json" "$@"
}
process() { cat "$WORK/$1.pid"; }
# Of its output; what a member still says it may say within so many seconds.
says() { # SECONDS MEMBER EXPRESSION
	until_true "$1" grep -qE -e "$3" "$WORK/$2" || { told "$2"; fail "$2 does not say '$3'"; }
}
told() { for _told; do echo "--- $_told"; tail -n 40 "$WORK/$_told"; tail -n 20 "$WORK/$_told.err"; done; }
over() { ! grep -q '^State:.[^Z]' "/proc/$1/status" 2>/dev/null; }
# ends SECONDS STATUS MEMBER...: each ends by itself, so.
ends() {
	_limit=$1 _want=$2; shift 2
	for _m; do
		until_true "$_limit" over "$(process "$_m")" || { told "$@"; fail "$_m does not end"; }
		wait "$(process "$_m")"; _got=$?
		[ $_got = "$_want" ] || { told "$@"; fail "$_m: exit status $_got instead of $_want"; }
	done
}
# What nobody of Java's may have to say.
unharmed() {
	for _m; do
		! grep -hE 'xception|ERROR|terminated abnormally|not found|nknown' "$WORK/$_m" "$WORK/$_m.err" ||
			{ told "$_m"; fail "$_m is harmed"; }
	done
}
# The rows of its table, A for "A:" or "A (myself):", without the rates. Java prints some twice, and
# IPv6 addresses in its own way; what took no ms by one's own clock takes one by what others are told.
table() {
	sed 's/^fd00:0:0:0:0:0:0:\([0-9]\)\(%0\)\?:/[fd00::\1]:/' "$WORK/$1" |
		awk '/^[][0-9a-f.:]+:[0-9]+( \(myself\))?:$/ { sub(/( \(myself\))?:$/, ""); who = $0; next }
			who != "" { print who, $0; who = "" }' |
		sed 's/, msgs\/sec=.*//; s/time=0ms/time=1ms/' | sort -u
}
# agree ROWS MEMBER...: all tables have so many rows, and the same ones.
agree() {
	_rows=$1 _first=$2; shift
	for _m; do
		table "$_m" >"$WORK/table.$_m"
		cmp -s "$WORK/table.$_first" "$WORK/table.$_m" &&
			[ "$(wc -l <"$WORK/table.$_m")" = "$_rows" ] ||
			{ told "$@"; fail "the tables of $_first and $_m differ"; }
	done
}
# all_have ROWS EXPECTED BYTES MEMBER: so many rows say that all came, and their bytes, as shown.
all_have() {
	[ "$(table "$4" | grep -cxE "[][0-9a-f.:]+ num_msgs_expected=$2, num_msgs_received=$2 \(loss rate=0\.0%\), received=$3, time=[0-9]+ms")" = "$1" ] ||
		{ told "$4"; fail "$4: not $1 rows with $2 messages of $3"; }
}
# What ours says of itself and others.
name_of() { sed -n 's/^-- local[_ ]addr\(ess\)\? is //p' "$WORK/$1"; }
result() { jq -r "select(.type == \"result\") | $2" "$WORK/$1.json"; } # OUR-MEMBER FILTER
has_of() { # OUR-MEMBER SENDER: how many messages of that it has
	result "$1" ".members[] | select(.myself) | .senders[] |
		select(.sender == \"$(name_of "$2")\") | .received_messages"
}
end_at_once() { kill -KILL "$(process "$1")" 2>/dev/null; wait "$(process "$1")" 2>/dev/null || :; }
# reports REASON VICTIM OUR-MEMBER...: each tells who is missing and why, and what it has of our sender.
reports() {
	_why=$1 _missing=$2; shift 2
	for _m; do
		grep -q "group-test: $_missing: given up: .*$_why" "$WORK/$_m.err" ||
			{ told "$_m"; fail "$_m does not name $_missing with '$_why'"; }
		grep -A 1 "^$_missing:\$" "$WORK/$_m" | grep -q '^no results: ' ||
			{ told "$_m"; fail "$_m: results of $_missing?"; }
		same "$_m: results of $_missing" \
			"$(result "$_m" ".members[] | select(.member == \"$_missing\") | .reported")" false
		same "$_m: status" "$(json "$WORK/$_m.json" .exit_status)" 1
	done
}
