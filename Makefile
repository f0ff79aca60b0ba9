# Strata. The two commands of the README:
#
#   make demo          read this machine's Debian packages into a file and ask it five questions
#   make test          everything that must pass
#
# Parts of `make test`, and more for daily work:
#
#   make setup         install the system packages that Strata builds on, if they are missing
#   make swift-test    the Swift tests, with the C tests among them
#   make ctest         build and run the C tests            (T="part of a name" runs some)
#   make asan          the same under address and undefined-behaviour sanitizers
#   make fuzz          every fuzz target on its corpus and a few seconds longer
#   make fuzz-NAME     look for inputs that break a target   (FUZZ_TIME=60 seconds)
#   make example       the C examples, on the demo's file and on one of their own
#   make tasks         the second C example alone: build/tasks
#   make watch         the third one: build/watch
#   make tool          build/strata, the program that looks into files
#   make check-tool    what it prints is what its transcripts say (T="name" plays one), and what strangers may try against
#                      its studio
#   make convert-models build/strata-convert-models, which strata convert-models runs
#   make check-convert it makes of Tests/ConvertModels/before what lies in after, which `make test` compiles
#   make libstrata     build/libstrata.a and build/libstrata.so
#   make install       libraries, headers, strata.pc, and where there is Swift the program, below PREFIX (/usr/local;
#                      DESTDIR is put in front)
#   make uninstall     remove them
#   make clean-c       remove build/, which holds everything that is built without Swift
#   make check-layers  no use upwards, no circle among the files of a folder, a header beside every noun; C begins in
#                      the folder Engine of the Swift library
#   make check-manifest products, programs and tests name in Package.swift all targets that they stand on, so that they
#                      are built again when those change
#   make check-symbols every global is strata_ or st_
#   make check-gcc     gcc, too, compiles the engine without a warning
#   make check-abi     the headers compile by themselves, and functions, structs and constants are those on the list
#   make abi           adds what is new to that list, Tests/ABI/abi-N.txt
#   make check-format  the bytes in the format document are those of the engine; golden files can be read
#   make check-install a program outside of this folder builds and runs with what is installed
#   make check-snippets the code on the pages of the documentation compiles, runs and prints what they say
#   make docs          web pages of the documentation and of every declaration, in build/docs; before that it checks
#                      that the pages made by scripts are up to date, and that all public types can be named
#   make pages         writes the pages made by scripts: Interface and Differences
#
# Benchmarks (Tests/bench.mk):
#
#   make bench         Strata, raw LMDB, SQLite and GRDB on the same work (N=1000000, W=workload, P=peer, ROUNDS=5)
#   make bench-c       Strata's C interface beside raw LMDB, without Swift (N=100000, ...; KEEP=1 for profiles)
#   make bench-check   the answers of the benchmark agree with each other; part of `make test`
#   make bench-profile where W=workload spends its time, of P=strata-c or strata-swift
#   make bench-growth  how Strata's costs grow from 10,000 objects to 1,000,000 (N=10000000: and to that)
#   make bench-build   how long a cold build of the library takes
#   make bench-delivery from a commit to the closure that is told of it, among 10,000 and N persons (N=1000000,
#                      ROUNDS=8, SEED=n, WAYS=own-queue,another-thread,own-main,thread-main,another-process,
#                      KINDS=results,sorted,object)
#   make bench-peers   build the benchmark
#   make bench-server  the example of a web server over Strata, GRDB and a dictionary: requests, and the same without
#                      HTTP; N notes, SECONDS for each
#   make bench-docs    bench-build, bench and bench-growth, and writes what they say into the documents
#
# Proofs (Tests/proofs.mk), longer than in `make test`; each prints how to look at a failure again:
#
#   make proofs        all of them, and writes their figures into the page Reliability
#   make faults        call number N of the system fails, for every N, once and for ever
#   make power         power cuts: POWER states of the disk for each workload
#   make crash         CYCLES times somebody is killed who writes, reads, copies or compacts
#   make hostile       HOSTILE damaged files, each opened in every way, read and written
#   make soak          SNAPSHOTS snapshots read beside writers; the size of a file over COMMITS commits;
#                      QUERIES random queries, compared with plain values
#   make tsan          tests with threads under the thread sanitizer
#   make tsan-swift    the Swift tests under it
#   make valgrind      the C tests under valgrind
#   make coverage      lines and branches of the C core that the C tests reach
#   make server        the example of a web server, in debug and in release: asked, restarted, and SERVING seconds under
#                      load, without growing
#   make check-page    the studio in a browser without a screen, on N objects; pictures of its views in build/studio
#   make adapters      what passes logs and figures on to swift-log and swift-metrics

# The compiler of the Swift toolchain, so that no other one is needed.
TOOLCHAIN := $(dir $(realpath $(shell command -v swift)))
ifeq ($(origin CC),default)
CC := $(if $(wildcard $(TOOLCHAIN)clang),$(TOOLCHAIN)clang,cc)
endif
AR ?= ar
PROCESSORS := $(shell nproc)
T ?=

, := ,
WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Werror
CFLAGS ?= -O2 -g
C11 := -std=c11 -fno-omit-frame-pointer $(WARNINGS) -Iinclude
STRATA_CFLAGS := $(C11) -ICSources/strata -ITests/CStrataTests -ITests/CStrataTests/include
# The compiler of the Swift toolchain brings its own linker.
ifneq ($(wildcard $(dir $(firstword $(CC)))ld.lld),)
LDFLAGS += -fuse-ld=lld
endif
LIBS := -llmdb -lbidgcc011 -lpthread -lm

CORE := $(sort $(wildcard CSources/strata/*/*.c))
TESTS := $(sort $(wildcard Tests/CStrataTests/*/*.c)) Tests/CRunner/main.c
HEADERS := $(sort $(wildcard include/*.h))

# One folder of objects per compiler and kind of build, so that neither spoils the other.
BUILD := build/$(notdir $(firstword $(CC)))

VERSION := $(shell sed -n 's/^.define STRATA_VERSION_[A-Z]* //p' include/strata_version.h | paste -sd.)
ABI := $(shell sed -n 's/^.define STRATA_ABI //p' include/strata_version.h)
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include

SWIFT := swift
SWIFT_FLAGS ?= -c release
SWIFT_BIN = $(shell $(SWIFT) build $(SWIFT_FLAGS) --show-bin-path)
DEMO_FILE := build/packages.strata

.PHONY: demo test setup swift-test ctest asan fuzz example tasks watch libstrata install uninstall clean-c
.PHONY: abi check-abi check-gcc check-layers check-manifest check-symbols check-format check-install check-snippets
.PHONY: docs pages symbols

demo: setup
	@mkdir -p build
	$(SWIFT) run $(SWIFT_FLAGS) --quiet packages $(ARGS)

# Steps, each on all processors; what is quickest to fail comes first. The C tests run under the sanitizers, and are left
# out of the Swift ones. Those of failing allocations and of few addresses run without a sanitizer, too, because
# it keeps both for itself.
STEP := $(MAKE) --no-print-directory -j$(PROCESSORS)
test: setup
	@$(STEP) check-layers check-symbols check-abi libstrata
	@$(STEP) check-gcc check-manifest
	@$(STEP) asan
	@$(STEP) ctest T="memory address_space"
	@$(STEP) fuzz
	@$(STEP) check-install check-format check-snippets bench-check
	@$(STEP) check-tool
	@$(STEP) docs
	@$(STEP) swift-test SWIFT_TESTS="--skip CEngineTests"

setup:
	@Tests/Scripts/setup

swift-test: setup
	@Tests/Scripts/swift-test $(SWIFT) $(SWIFT_FLAGS) $(SWIFT_TESTS)

# ---- Kinds of builds --------------------------------------------------------

# $(call kind,FOLDER,COMPILER,FLAGS): how a C file becomes an object of that kind, below that folder.
define kind
$(1)/%.o: %.c
	@mkdir -p $$(dir $$@)
	@echo '  $(2) $$@'
	@$(2) $(3) -MMD -MP -c $$< -o $$@
-include $$(shell find $(1) -name '*.d' 2> /dev/null)
endef

# $(call program,FILE,COMPILER,OBJECTS,FLAGS): how objects become a program.
define program
$(1): $(3)
	@mkdir -p $$(dir $$@)
	@echo '  $(2) $$@'
	@$(2) $$^ $(4) $$(LDFLAGS) $$(LIBS) -o $$@
endef

objects = $(2:%.c=$(1)/%.o)

SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
$(eval $(call kind,$(BUILD)/plain,$(CC),$(CFLAGS) $(STRATA_CFLAGS)))
$(eval $(call kind,$(BUILD)/shared,$(CC),$(CFLAGS) -fPIC $(STRATA_CFLAGS)))
$(eval $(call kind,$(BUILD)/asan,$(CC),$(CFLAGS) -O1 $(SANITIZE) $(STRATA_CFLAGS)))
$(eval $(call program,$(BUILD)/ctest,$(CC),$(call objects,$(BUILD)/plain,$(CORE) $(TESTS))))
$(eval $(call program,$(BUILD)/ctest-asan,$(CC),$(call objects,$(BUILD)/asan,$(CORE) $(TESTS)),$(SANITIZE)))

# ---- C tests and fuzz targets -----------------------------------------------

ctest: $(BUILD)/ctest
	$(BUILD)/ctest -j $(PROCESSORS) $(T)

asan: $(BUILD)/ctest-asan
	$(BUILD)/ctest-asan -j $(PROCESSORS) $(T)

# Fuzz targets need libFuzzer, which comes with the compiler of the Swift toolchain. What they find is collected in
# build/, and what is worth keeping moves to the corpus by hand.
FUZZ_CC := $(if $(wildcard $(TOOLCHAIN)clang),$(TOOLCHAIN)clang,clang)
FUZZ_CFLAGS := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
FUZZ_TIME ?= 60
FUZZ_TARGETS := $(patsubst Tests/Fuzz/fuzz_%.c,%,$(sort $(wildcard Tests/Fuzz/fuzz_*.c)))
FUZZ_SUPPORT := $(addprefix Tests/CStrataTests/support/,hostile.c operations.c predicate_support.c strata_support.c \
    survey.c)
FUZZ_COMMON := $(call objects,build/fuzz,$(CORE) $(FUZZ_SUPPORT) Tests/Fuzz/fuzz.c Tests/Fuzz/image.c)
$(eval $(call kind,build/fuzz,$(FUZZ_CC),$(FUZZ_CFLAGS) $(STRATA_CFLAGS)))
$(foreach target,$(FUZZ_TARGETS),$(eval $(call program,build/fuzz/$(target),$(FUZZ_CC),\
    build/fuzz/Tests/Fuzz/fuzz_$(target).o $(FUZZ_COMMON),-fsanitize=fuzzer$(,)address$(,)undefined)))

# The one that takes longest comes first, so that it does not run alone at the end.
fuzz: $(addprefix fuzz-briefly-,store $(filter-out store,$(FUZZ_TARGETS)))

fuzz-briefly-%: build/fuzz/%
	@Tests/Scripts/fuzz $* 4 1

fuzz-%: build/fuzz/%
	Tests/Scripts/fuzz $* $(FUZZ_TIME)

# ---- Examples ---------------------------------------------------------------

# The demo's file, read by a C program through the public headers alone; then both programs on a list with known answers.
example: setup build/top-packages build/tasks build/watch
	$(SWIFT) build $(SWIFT_FLAGS) --product packages
	$(SWIFT) build $(SWIFT_FLAGS) --product shopping
	@test -e $(DEMO_FILE) || $(SWIFT_BIN)/packages --file $(DEMO_FILE) > /dev/null
	build/top-packages $(DEMO_FILE)
	Sources/Examples/check-demo $(SWIFT_BIN)/packages build/top-packages
	Sources/Examples/check-shopping $(SWIFT_BIN)/shopping
	Sources/Examples/c/check-tasks build/tasks $(DEMO_FILE) Tests/Format/format-1.0.strata
	Sources/Examples/c/check-watch build/watch build/tasks

tasks watch: %: build/%

build/tasks build/watch build/top-packages: build/%: Sources/Examples/c/%.c build/libstrata.a $(HEADERS)
	@echo '  $(CC) $@'
	@$(CC) $(CFLAGS) $(C11) $< build/libstrata.a $(LDFLAGS) $(LIBS) -o $@

# ---- The program --------------------------------------------------------------

# A package of its own, so that programs which use the library do not resolve what it needs. It has in it what it needs
# but the C library, so that it can be copied to another machine: SwiftPM is told of a folder of archives where it asks
# for LMDB.
STATIC := $(CURDIR)/build/static
STATIC_LINK = -Xswiftc -static-stdlib -Xswiftc -Xclang-linker -Xswiftc -static-libgcc
TOOL_BUILD = PKG_CONFIG_PATH=$(STATIC) $(SWIFT) build -c release --package-path Sources/Tools \
    --scratch-path .build/tools $(STATIC_LINK)
.PHONY: tool check-tool check-transcripts check-shell check-studio setup-tool static
static:
	@mkdir -p $(STATIC)
	@for library in lmdb stdc++; do \
	    archive=$$($(CC) -print-file-name=lib$$library.a); \
	    if [ -e "$$archive" ]; then ln -sf "$$archive" $(STATIC); fi; done
	@printf 'Name: lmdb\nDescription: LMDB\nVersion: 0\nLibs: -L%s -llmdb\n' "$(STATIC)" > $(STATIC)/lmdb.pc

tool: setup static
	$(TOOL_BUILD) --product strata
	@cp "$$($(TOOL_BUILD) --show-bin-path)/strata" build/strata.new
	@strip build/strata.new
	@mv build/strata.new build/strata

check-tool: check-transcripts check-shell check-studio

check-transcripts: setup-tool tool
	Tests/Tools/check-tool build/strata $(T)

check-shell check-studio: setup-tool tool
	Tests/Tools/$@ build/strata

setup-tool:
	@Tests/Scripts/setup tool

# Rewrites models; a package of its own, since the parser of Swift in it takes two minutes to build.
CONVERT_BUILD = $(SWIFT) build -c release --package-path Sources/ConvertModels --scratch-path .build/convert \
    -Xswiftc -static-stdlib
.PHONY: convert-models check-convert
convert-models:
	@mkdir -p build
	$(CONVERT_BUILD) --product strata-convert-models
	@cp "$$($(CONVERT_BUILD) --show-bin-path)/strata-convert-models" build/strata-convert-models.new
	@strip build/strata-convert-models.new
	@mv build/strata-convert-models.new build/strata-convert-models

check-convert: setup-tool convert-models
	Tests/ConvertModels/check-convert build/strata-convert-models

# ---- Libraries --------------------------------------------------------------

libstrata: build/libstrata.a build/libstrata.so

build/libstrata.a: $(call objects,$(BUILD)/plain,$(CORE))
	@rm -f $@
	@echo '  $(AR) $@'
	@$(AR) rcs $@ $^

# Exports what the headers declare, and nothing else. Is not taken out of a process that unloads it: its code may be
# about to run, on a thread of a store that ends.
build/libstrata.so: $(call objects,$(BUILD)/shared,$(CORE)) CSources/strata.map
	@echo '  $(CC) $@'
	@$(CC) $(CFLAGS) -shared $(filter %.o,$^) -Wl,-soname,libstrata.so.$(ABI) \
	    -Wl,--version-script=CSources/strata.map -Wl,-z,defs,-z,nodelete $(LDFLAGS) $(LIBS) -o $@

install: libstrata
	install -d "$(DESTDIR)$(LIBDIR)/pkgconfig" "$(DESTDIR)$(INCLUDEDIR)"
	install -m 644 $(HEADERS) "$(DESTDIR)$(INCLUDEDIR)"
	install -m 644 build/libstrata.a "$(DESTDIR)$(LIBDIR)"
	install -m 755 build/libstrata.so "$(DESTDIR)$(LIBDIR)/libstrata.so.$(VERSION)"
	ln -sf libstrata.so.$(VERSION) "$(DESTDIR)$(LIBDIR)/libstrata.so.$(ABI)"
	ln -sf libstrata.so.$(ABI) "$(DESTDIR)$(LIBDIR)/libstrata.so"
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' \
	    -e 's|@VERSION@|$(VERSION)|' CSources/strata.pc.in > "$(DESTDIR)$(LIBDIR)/pkgconfig/strata.pc"
	@if command -v $(SWIFT) > /dev/null; then \
	    $(MAKE) --no-print-directory tool && \
	    install -d "$(DESTDIR)$(BINDIR)" && install -m 755 build/strata "$(DESTDIR)$(BINDIR)" && \
	    if [ -x build/strata-convert-models ]; then \
	        install -m 755 build/strata-convert-models "$(DESTDIR)$(BINDIR)"; fi; \
	else echo "there is no Swift toolchain: the program strata is not installed"; fi

uninstall:
	rm -f $(HEADERS:include/%="$(DESTDIR)$(INCLUDEDIR)/%") "$(DESTDIR)$(LIBDIR)/libstrata.a" \
	    "$(DESTDIR)$(LIBDIR)"/libstrata.so* "$(DESTDIR)$(LIBDIR)/pkgconfig/strata.pc" "$(DESTDIR)$(BINDIR)/strata" \
	    "$(DESTDIR)$(BINDIR)/strata-convert-models"

clean-c:
	rm -rf build

# ---- Checks -----------------------------------------------------------------

check-layers:
	Tests/Scripts/check-layers
	Tests/Scripts/test-check-layers
	Tests/Scripts/check-engine

check-manifest:
	@Tests/Scripts/setup tool
	@Tests/Scripts/check-manifest

check-symbols: build/libstrata.a
	Tests/Scripts/check-symbols build/libstrata.a

check-gcc:
	@Tests/Scripts/setup gcc
	@$(MAKE) --no-print-directory CC=gcc core

.PHONY: core
core: $(call objects,$(BUILD)/plain,$(CORE))

check-abi: build/libstrata.a
	Tests/Scripts/check-headers
	Tests/Scripts/check-abi $(CC) build/libstrata.a

abi: build/libstrata.a
	@mkdir -p Tests/ABI
	Tests/Scripts/abi $(CC) build/libstrata.a > Tests/ABI/abi-$(ABI).txt

check-format: build/format-example
	Tests/Scripts/check-format build/format-example

build/format-example: Tests/Format/example.c build/libstrata.a
	@$(CC) $(CFLAGS) $(STRATA_CFLAGS) $< build/libstrata.a $(LDFLAGS) $(LIBS) -o $@

check-install: libstrata
	Tests/Scripts/check-install

# Against what `make example` has built; its file of packages is that of the examples.
check-snippets: example
	@CC="$(CC)" LDFLAGS="$(LDFLAGS)" Tests/Scripts/check-snippets $(SWIFT_BIN)

docs: symbols
	@Tests/Scripts/check-names $(SWIFT_BIN)
	@Tests/Scripts/test-pages
	@Tests/Scripts/pages check
	@Tests/Scripts/docs

pages: symbols
	@Tests/Scripts/pages

symbols: setup
	@$(SWIFT) build $(SWIFT_FLAGS) --target RealmSwift
	@Tests/Scripts/symbols $(SWIFT_BIN)

include Tests/bench.mk
include Tests/proofs.mk
