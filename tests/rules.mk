# SPDX-License-Identifier: GPL-2.0-or-later
# Builds and runs the tests, the fuzz targets and the bench; tests/run says how they are counted.
T := $(BUILD)/tests
UNIT := $(patsubst tests/unit/%.c,$(T)/unit/%,$(wildcard tests/unit/*.c))
HELPERS := $(patsubst tests/net/%.c,$(T)/%,$(wildcard tests/net/*.c)) \
	$(patsubst tests/bench/%.c,$(T)/%,$(wildcard tests/bench/*.c)) \
	$(patsubst tests/cli/%.c,$(T)/%,$(wildcard tests/cli/*.c))
FUZZ := $(patsubst tests/fuzz/%.c,%,$(filter-out tests/fuzz/replay.c,$(wildcard tests/fuzz/*.c)))
CLANG ?= clang-14
# A program's pure parts, for the unit tests named after it (tests/unit/aoe-exercise-window.c).
parts = $(foreach p,$(PROGRAMS),$(if $(filter $(p)-%,$(notdir $(1))),$(filter-out %/main.o,$(call objects,$(p)))))

test-programs: $(UNIT) $(HELPERS) $(FUZZ:%=$(T)/replay/%)

.SECONDEXPANSION:
$(T)/unit/%: tests/unit/%.c $(BUILD)/lib/libnetperf.a $$(call parts,$$@)
	@mkdir -p $(@D)
	$(COMPILE) -MMD -MP $< $(call parts,$@) -o $@ $(BUILD)/lib/libnetperf.a $(LIBS) $(CMOCKA)
$(T)/%: tests/net/%.c $(BUILD)/lib/libnetperf.a
	@mkdir -p $(@D)
	$(COMPILE) -MMD -MP $< -o $@ $(BUILD)/lib/libnetperf.a $(LIBS)
$(T)/%: tests/bench/%.c $(BUILD)/lib/libnetperf.a
	@mkdir -p $(@D)
	$(COMPILE) -MMD -MP $< -o $@ $(BUILD)/lib/libnetperf.a $(LIBS)
# The corpus through the same target, without a fuzzer: part of make check.
$(T)/replay/%: tests/fuzz/%.c tests/fuzz/replay.c $(BUILD)/lib/libnetperf.a
	@mkdir -p $(@D)
	$(COMPILE) tests/fuzz/replay.c $< -o $@ $(BUILD)/lib/libnetperf.a $(LIBS)
# libFuzzer with sanitizers: make check-all.
$(T)/fuzz/%: tests/fuzz/%.c $(wildcard src/lib/*.c) $(HEADERS)
	@mkdir -p $(@D)
	$(CLANG) -std=gnu17 -D_GNU_SOURCE -I. -Iinclude -g -O1 -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=undefined $< src/lib/*.c -o $@ $(LIBS)
fuzz: $(FUZZ:%=$(T)/fuzz/%)

check: all test-programs vblade
	tests/run unit cli net interop
check-all: all test-programs vblade fuzz
	tests/run unit cli net interop analysis fuzz sanitizers qemu bench
bench: all test-programs vblade
	tests/bench/run
demo: all vblade
	tests/demo/run

.PHONY: test-programs fuzz check check-all bench demo
