# SPDX-License-Identifier: GPL-2.0-or-later
# Copyright (C) 2026 the netperf-exercise authors
# netperf-exercise: the library, the programs, installation. Tests, bench and demo: tests/rules.mk.
-include $(if $(filter clean,$(MAKECMDGOALS)),,config.mk)

BUILD := build$(if $(SANITIZE),/sanitize)
PROGRAMS := $(patsubst src/%/main.c,%,$(wildcard src/*/main.c))
HEADERS := $(wildcard include/netperf/*.h)
SCRIPTS := $(wildcard patches/*)
EXAMPLES := $(notdir $(wildcard src/group-test/examples/*))
WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla
FORTIFY := $(if $(SANITIZE),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
COMPILE = $(CC) -std=gnu17 -D_GNU_SOURCE -I. -Iinclude $(PMIX_CFLAGS) $(CPPFLAGS) $(WARNINGS) $(FORTIFY) $(HARDENING) \
	-fPIC $(CFLAGS) $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer)
LINK = $(CC) $(LDFLAGS) $(if $(SANITIZE),-fsanitize=$(SANITIZE)) $(HARDENING_LINK) -Wl,--as-needed
objects = $(patsubst src/%.c,$(BUILD)/obj/%.o,$(filter-out $(LEFT_OUT) %.bpf.c,$(wildcard src/$(1)/*.c src/$(1)/*/*.c)))
# Programs find the library and the examples relative to themselves: in the build tree, and under any prefix.
# A package whose library is in a directory of the system sets RUNPATH to nothing.
from_sbin = $(shell realpath -m --relative-to='$(sbindir)' '$(1)')
RUNPATH = $$ORIGIN/../lib$(patsubst %,:$$ORIGIN/%,$(filter-out ../lib,$(call from_sbin,$(libdir))))
comma := ,
LINK_RUNPATH = $(if $(RUNPATH),'-Wl$(comma)-rpath$(comma)$(RUNPATH)')
EXAMPLES_PATH = $(call from_sbin,$(datadir)/netperf-exercise)

.DELETE_ON_ERROR:
.SECONDARY:
# Programs print their completions and ttcp the configuration of an overlay; in a cross build only EMULATOR
# (qemu-aarch64 -L ROOT) can run them.
PRINTS := $(filter no,$(CROSS))$(EMULATOR)
COMPLETIONS := $(if $(PRINTS),$(foreach p,$(PROGRAMS),$(addprefix $(BUILD)/completions/,bash/$(p) zsh/_$(p) fish/$(p).fish)))
BUILT := $(addprefix $(BUILD)/share/netperf-exercise/,netperf.schema.json $(if $(PRINTS),RunServerSocket.xml))
all: $(PROGRAMS:%=$(BUILD)/sbin/%) $(BUILD)/bin/netperf-plot $(COMPLETIONS) $(BUILT) $(EXAMPLES:%=$(BUILD)/share/netperf-exercise/%) \
	$(BUILD)/lib/libnetperf.so.1 $(BUILD)/lib/libnetperf.a

configure: configure.ac
	autoconf
config.mk: configure src/config.mk.in src/config.h.in
	if [ -x config.status ]; then ./config.status --recheck && ./config.status; else ./configure; fi

$(BUILD)/obj/%.o: src/%.c config.mk
	@mkdir -p $(@D)
	$(COMPILE) -fno-semantic-interposition -MMD -MP -c $< -o $@
$(BUILD)/obj/lib/drops/drops.bpf.o: src/lib/drops/drops.bpf.c config.mk
	@mkdir -p $(@D)
	$(BPF_COMPILE) -Wall -Wextra -MMD -MP -c $< -o $@
$(BUILD)/obj/lib/drops/drops_bpf.o: $(BUILD)/obj/lib/drops/drops.bpf.o
$(BUILD)/obj/lib/drops/drops_bpf.o: COMPILE += '-DDROPS_OBJECT="$(BUILD)/obj/lib/drops/drops.bpf.o"'
$(BUILD)/lib/libnetperf.so.1: $(call objects,lib) src/lib/libnetperf.map
	@mkdir -p $(@D)
	$(LINK) -shared -Wl,-soname,$(@F),--version-script=src/lib/libnetperf.map $(call objects,lib) -o $@ $(LIBS)
	ln -sf $(@F) $(@D)/libnetperf.so
$(BUILD)/lib/libnetperf.a: $(call objects,lib)
	@mkdir -p $(@D)
	rm -f $@ && $(AR) rcs $@ $^
define program
$(BUILD)/sbin/$(1): $(call objects,$(1)) $(BUILD)/lib/libnetperf.so.1 $(BUILD)/runpath
	@mkdir -p $$(@D)
	$$(LINK) -pie $(call objects,$(1)) -o $$@ -L$(BUILD)/lib -lnetperf $$(LIBS_$(1)) $$(LINK_RUNPATH)
endef
# If the directories differ from the last time, link again.
$(BUILD)/runpath: FORCE
	@mkdir -p $(@D)
	@echo '$(RUNPATH) $(EXAMPLES_PATH)' | cmp -s - $@ || echo '$(RUNPATH) $(EXAMPLES_PATH)' > $@
$(BUILD)/obj/group-test/config/settings.o: $(BUILD)/runpath
$(BUILD)/obj/group-test/config/settings.o: COMPILE += '-DEXAMPLES_PATH="$(EXAMPLES_PATH)"'
$(foreach p,$(PROGRAMS),$(eval $(call program,$(p))))
$(BUILD)/share/netperf-exercise/%: src/group-test/examples/%
	@mkdir -p $(@D)
	cp $< $@
$(BUILD)/share/netperf-exercise/RunServerSocket.xml: $(BUILD)/sbin/ttcp
	@mkdir -p $(@D)
	$(EMULATOR) $< --print-config > $@
$(BUILD)/share/netperf-exercise/netperf.schema.json: src/netperf.schema.awk man/netperf-json.5
	@mkdir -p $(@D)
	awk -f $^ > $@
$(BUILD)/bin/netperf-plot: src/netperf-plot/netperf-plot config.mk
	@mkdir -p $(@D)
	sed 's/@version@/$(VERSION)/' $< > $@
	chmod 755 $@
$(BUILD)/completions/bash/% $(BUILD)/completions/zsh/_% $(BUILD)/completions/fish/%.fish: $(BUILD)/sbin/%
	@mkdir -p $(BUILD)/completions/bash $(BUILD)/completions/zsh $(BUILD)/completions/fish
	$(EMULATOR) $< --completion=bash > $(BUILD)/completions/bash/$*
	$(EMULATOR) $< --completion=zsh > $(BUILD)/completions/zsh/_$*
	$(EMULATOR) $< --completion=fish > $(BUILD)/completions/fish/$*.fish

I = install -D -m
install: all
	for p in $(PROGRAMS); do $(I) 755 $(BUILD)/sbin/$$p '$(DESTDIR)$(sbindir)'/$$p || exit 1; done
	$(I) 755 $(BUILD)/bin/netperf-plot '$(DESTDIR)$(bindir)/netperf-plot'
	for c in $(notdir $(COMPLETIONS)); do case $$c in \
		_*) $(I) 644 $(BUILD)/completions/zsh/$$c '$(DESTDIR)$(zshdir)'/$$c ;; \
		*.fish) $(I) 644 $(BUILD)/completions/fish/$$c '$(DESTDIR)$(fishdir)'/$$c ;; \
		*) $(I) 644 $(BUILD)/completions/bash/$$c '$(DESTDIR)$(completionsdir)'/$$c ;; \
	esac || exit 1; done
	$(I) 755 $(BUILD)/lib/libnetperf.so.1 '$(DESTDIR)$(libdir)/libnetperf.so.1'
	ln -sf libnetperf.so.1 '$(DESTDIR)$(libdir)/libnetperf.so'
	$(I) 644 $(BUILD)/lib/libnetperf.a '$(DESTDIR)$(libdir)/libnetperf.a'
	$(I) 644 src/lib/netperf.pc.in '$(DESTDIR)$(libdir)/pkgconfig/netperf.pc'
	sed -i -e 's|@prefix@|$(prefix)|; s|@libdir@|$(libdir)|; s|@includedir@|$(includedir)|' \
		-e 's|@version@|$(VERSION)|; s|@libs@|$(LIBS)|' '$(DESTDIR)$(libdir)/pkgconfig/netperf.pc'
	for h in $(HEADERS:include/%=%); do $(I) 644 include/$$h '$(DESTDIR)$(includedir)'/$$h || exit 1; done
	for m in $(wildcard man/*.[0-9]); do $(I) 644 $$m '$(DESTDIR)$(mandir)'/man$${m##*.}/$${m##*/} || exit 1; done
	$(I) 644 src/netperf-exercise@.service.in '$(DESTDIR)$(unitdir)/netperf-exercise@.service'
	sed -i 's|@sbindir@|$(sbindir)|' '$(DESTDIR)$(unitdir)/netperf-exercise@.service'
	for e in $(EXAMPLES); do $(I) 644 src/group-test/examples/$$e '$(DESTDIR)$(datadir)'/netperf-exercise/$$e || exit 1; done
	for b in $(BUILT); do $(I) 644 $$b '$(DESTDIR)$(datadir)'/netperf-exercise/$${b##*/} || exit 1; done
	for s in $(SCRIPTS); do $(I) $$(stat -c %a $$s) $$s '$(DESTDIR)$(datadir)'/netperf-exercise/$$s || exit 1; done
uninstall:
	for p in $(PROGRAMS); do rm -f '$(DESTDIR)$(sbindir)'/$$p '$(DESTDIR)$(completionsdir)'/$$p \
		'$(DESTDIR)$(zshdir)'/_$$p '$(DESTDIR)$(fishdir)'/$$p.fish; done
	rm -f '$(DESTDIR)$(bindir)'/netperf-plot '$(DESTDIR)$(libdir)'/libnetperf.so '$(DESTDIR)$(libdir)'/libnetperf.so.1 \
		'$(DESTDIR)$(libdir)'/libnetperf.a '$(DESTDIR)$(libdir)'/pkgconfig/netperf.pc
	rm -f '$(DESTDIR)$(unitdir)/netperf-exercise@.service'
	rm -rf '$(DESTDIR)$(includedir)'/netperf '$(DESTDIR)$(datadir)'/netperf-exercise
	for m in $(notdir $(wildcard man/*.[0-9])); do rm -f '$(DESTDIR)$(mandir)'/man$${m##*.}/$$m; done

DIST := netperf-exercise-$(VERSION)
# Makes the same bytes each time, also beside another one. Names and date (the first line) come from git, or in a
# tarball from MANIFEST.
dist: configure
	@mkdir -p $(BUILD)
	work=$$(mktemp -d $(BUILD)/dist.XXXXXX) && trap 'rm -rf "$$work"' EXIT && \
	if [ -f MANIFEST ]; then cat MANIFEST; \
		else git log -1 --format=%ct && { git ls-files; echo configure; } | LC_ALL=C sort; fi > "$$work/MANIFEST" && \
	if [ -n "$$SOURCE_DATE_EPOCH" ]; then sed -i "1s/.*/$$SOURCE_DATE_EPOCH/" "$$work/MANIFEST"; fi && \
	sed 1d "$$work/MANIFEST" | tar -c -f "$$work/tar" --format=ustar --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
		--mtime=@$$(head -n 1 "$$work/MANIFEST") --transform 's|^|$(DIST)/|' --verbatim-files-from -T - -C "$$work" MANIFEST && \
	gzip -9n < "$$work/tar" > '$(or $(DISTDIR),.)'/$(DIST).tar.gz
# The packages of debian/, built in $(BUILD)/deb from what make dist takes.
deb: dist
	rm -rf $(BUILD)/deb
	mkdir -p $(BUILD)/deb
	tar -C $(BUILD)/deb -xzf '$(or $(DISTDIR),.)'/$(DIST).tar.gz
	cd $(BUILD)/deb/$(DIST) && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL dpkg-buildpackage -us -uc -b -jauto
	@ls $(BUILD)/deb/*.deb
clean:
	rm -rf build config.mk config.h config.log config.status autom4te.cache netperf-exercise-*.tar.gz
vblade:
	patches/build-vblade $(BUILD)/vblade
# All of them together are longer than the shell's longest argument.
compile_commands: config.mk
	$(shell mkdir -p $(BUILD))$(file >$(BUILD)/compile_commands.list)
	$(foreach c,$(filter-out $(LEFT_OUT) %.bpf.c,$(wildcard src/*/*.c src/*/*/*.c)),$(file >>$(BUILD)/compile_commands.list,\
		{"directory":"$(CURDIR)","file":"$(c)","command":"$(subst ",\",$(COMPILE)) -c $(c)"}))
	{ echo '['; sed '/^$$/d; $$!s/$$/,/' $(BUILD)/compile_commands.list; echo ']'; } > $(BUILD)/compile_commands.json

-include $(wildcard $(BUILD)/obj/*/*.d $(BUILD)/obj/*/*/*.d $(BUILD)/tests/*.d $(BUILD)/tests/*/*.d $(BUILD)/tests/*/*/*.d)
include tests/rules.mk
.PHONY: all install uninstall dist deb clean vblade compile_commands FORCE
