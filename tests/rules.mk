# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
# Builds and runs the tests, the fuzz targets and the bench; tests/run describes how they are counted.
T := $(BUILD)/tests
UNIT := $(patsubst tests/unit/%.c,$(T)/unit/%,$(filter-out $(LEFT_OUT),$(wildcard tests/unit/*.c)))
# A test links only those of these that it uses.
TEST_LIBS := -Wl,--as-needed $(LATE_LIBS) $(LIBS) $(LIBS_group-test)
HELPERS := $(patsubst %.c,$(T)/%,$(notdir $(wildcard tests/cli/*.c tests/net/*.c tests/bench/*.c)))
# Libraries that a test preloads into our programs.
PRELOADS := $(patsubst tests/preload/%.c,$(T)/%.so,$(wildcard tests/preload/*.c))
FUZZ := $(patsubst tests/fuzz/%.c,%,$(filter-out tests/fuzz/replay.c,$(wildcard tests/fuzz/*.c)))
CLANG ?= $(shell tests/llvm clang || echo clang)
# The relay that loses, duplicates and reorders datagrams for tests/net, and reports what it did.
RELAY := $(wildcard tests/relay/*.c)
RELAY_OBJECTS := $(RELAY:tests/relay/%.c=$(BUILD)/obj/relay/%.o)
# Records the headers of a program that is built in one step.
deps = -MMD -MP -MF $(1).d -MT $(1)
# The code that test $(2), whose program is $(1), uses: the pure parts of the program that it is named after
# (tests/unit/aoe-exercise-window.c), and what it shares with other tests.
parts = $(foreach p,$(patsubst src/%/,%,$(wildcard src/*/)),$(if $(filter $(p)-%,$(notdir $(1))),$(filter-out %/main.o,$(call objects,$(p)))))\
	$(if $(filter relay-%,$(notdir $(1))),$(filter-out %/main.o,$(RELAY_OBJECTS))) $(call support,$(2))
# A test links support/NAME.o if it includes support/NAME.h, or if something does that it includes or links.
SUPPORT := $(patsubst tests/unit/support/%.c,%,$(wildcard tests/unit/support/*.c))
# FILE:NAME for each NAME.h that a test or what tests share includes from tests; searched once, and only if needed.
INCLUDES = $(eval INCLUDES := $(shell grep -H '^.include "' tests/*/*.[ch] tests/unit/support/*.[ch] | \
	sed -n '/"[^"]*src\//d; s|:.include "\(.*/\)*\(.*\)\.h".*|:\2|p'))$(INCLUDES)
included = $(foreach f,$(1),$(patsubst $(f):%,%,$(filter $(f):%,$(INCLUDES))))
# The names $(1), and those that their files include, at any depth; $(2) are done.
reached = $(if $(filter-out $(2),$(1)),$(call reached,$(call included,$(foreach n,$(filter-out $(2),$(1)),\
	tests/unit/$(n).h tests/unit/support/$(n).h tests/unit/support/$(n).c)),$(sort $(1) $(2))),$(2))
support = $(patsubst %,$(T)/unit/support/%.o,$(filter $(SUPPORT),$(call reached,$(call included,$(1)))))

test-helpers: $(HELPERS) $(PRELOADS) $(T)/python3
# The system's, for which the packages of bootstrap are, before any other in PATH; pyenv's takes 0.1 s to start.
# Where there is none the link leads nowhere, and PATH goes on.
$(T)/python3:
	@mkdir -p $(@D)
	ln -sf /usr/bin/python3 $@
test-programs: test-helpers $(UNIT) $(T)/relay $(FUZZ:%=$(T)/replay/%)

.SECONDEXPANSION:
# Searched for when it is needed: it may have been installed after the tree was configured.
$(T)/cmocka:
	@mkdir -p $(@D)
	@printf '#include <%s.h>\n' stdarg stddef stdint setjmp cmocka | $(CC) $(CPPFLAGS) $(CFLAGS) -E -x c - \
		>/dev/null 2>&1 || { echo 'cmocka.h not found: install libcmocka-dev (./bootstrap --tests does)' >&2; exit 1; }
	@touch $@
$(UNIT): | $(T)/cmocka
$(T)/unit/support/%.o: tests/unit/support/%.c config.mk
	@mkdir -p $(@D)
	$(COMPILE) -MMD -MP -c $< -o $@
$(T)/unit/%: tests/unit/%.c $(BUILD)/lib/libnetperf.a $$(call parts,$$@,tests/unit/$$*.c)
	@mkdir -p $(@D)
	$(COMPILE) $(call deps,$@) $< $(call parts,$@,$<) -o $@ $(BUILD)/lib/libnetperf.a $(TEST_LIBS) -lcmocka
define helper
$(T)/%: tests/$(1)/%.c $(BUILD)/lib/libnetperf.a $$$$(call parts,$$$$@,tests/$(1)/$$$$*.c)
	@mkdir -p $$(@D)
	$$(COMPILE) $$(call deps,$$@) $$< $$(call parts,$$@,$$<) -o $$@ $(BUILD)/lib/libnetperf.a $$(TEST_LIBS)
endef
$(foreach t,cli net bench,$(eval $(call helper,$(t))))
$(T)/%.so: tests/preload/%.c tests/preload/open.h
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -D_GNU_SOURCE $(WARNINGS) $(CFLAGS) -fPIC -shared $< -o $@ -Wl,--as-needed $(LATE_LIBS) -ldl
$(BUILD)/obj/relay/%.o: tests/relay/%.c config.mk
	@mkdir -p $(@D)
	$(COMPILE) -MMD -MP -c $< -o $@
$(T)/relay: $(RELAY_OBJECTS) $(BUILD)/lib/libnetperf.a
	@mkdir -p $(@D)
	$(LINK) -pie $^ -o $@ $(TEST_LIBS)
# Runs the corpus through the same target, without a fuzzer: part of make check.
$(T)/replay/%: tests/fuzz/%.c tests/fuzz/replay.c $(BUILD)/lib/libnetperf.a $$(call parts,$$@,tests/fuzz/$$*.c)
	@mkdir -p $(@D)
	$(COMPILE) $(call deps,$@) tests/fuzz/replay.c $< $(call parts,$@,$<) -o $@ $(BUILD)/lib/libnetperf.a $(TEST_LIBS)
# libFuzzer with sanitizers: make check-all.
FUZZ_COMPILE = $(CLANG) -std=gnu17 -D_GNU_SOURCE -I. -Iinclude $(PMIX_CFLAGS) -g -O1 -fno-sanitize-recover=undefined
fuzzed = $(1:$(BUILD)/obj/%=$(BUILD)/obj/fuzz-%)
$(BUILD)/obj/fuzz-%.o: src/%.c config.mk
	@mkdir -p $(@D)
	$(FUZZ_COMPILE) -fsanitize=fuzzer-no-link,address,undefined -MMD -MP -c $< -o $@
$(BUILD)/obj/fuzz-lib/drops/drops_bpf.o: $(BUILD)/obj/lib/drops/drops.bpf.o
$(BUILD)/obj/fuzz-lib/drops/drops_bpf.o: FUZZ_COMPILE += '-DDROPS_OBJECT="$(BUILD)/obj/lib/drops/drops.bpf.o"'
$(T)/fuzz/%: tests/fuzz/%.c $(call fuzzed,$(call objects,lib)) $$(call fuzzed,$$(call parts,$$@,tests/fuzz/$$*.c))
	@mkdir -p $(@D)
	$(FUZZ_COMPILE) -fsanitize=fuzzer,address,undefined $(call deps,$@) $(filter %.c %.o,$^) -o $@ $(TEST_LIBS)
fuzz: $(FUZZ:%=$(T)/fuzz/%)

# Without vblade's source or the Java archives the tests that need them say so and are skipped.
# Fetched before the tests, so that the time of a test does not depend on the network.
JARS := org.jgroups:jgroups:3.0.16.Final jgroups:jgroups-all:2.2.7 concurrent:concurrent:1.3.4 \
	commons-logging:commons-logging:1.0.4 com.oracle.coherence.ce:coherence:22.06 \
	com.oracle.coherence.ce:coherence:22.06.10
test-peers:
	-$(MAKE) --no-print-directory vblade
	-@tests/interop/prepare $(JARS)
whole-build:
	$(if $(filter tests/%,$(LEFT_OUT)),$(error the tests want every library: ./bootstrap --tests, and ./configure without --without-...))
check: whole-build all test-programs test-peers
	@echo 'The tests take about 6 minutes on two idle processors.'
	tests/run cli interop net unit
check-all: whole-build all test-programs test-peers fuzz
	@echo 'All tests take about 45 minutes on two idle processors.'
	LONG=true SMOKE=1 CHAOS_RUNS=$${CHAOS_RUNS:-200} tests/run cli interop net unit cross analysis fuzz sanitizers qemu slurm bench
# README's two commands in fresh roots of other distributions; half an hour and more for each.
check-distros:
	tests/run distros
bench: all test-programs vblade
	tests/bench/run
# A table of which tools count correctly what a network does to packets.
bench-truth: all test-programs
	tests/bench/truth
demo: all vblade
	tests/demo/run

.PHONY: test-programs test-helpers whole-build test-peers fuzz check check-all check-distros bench bench-truth demo
