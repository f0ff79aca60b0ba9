# Strata. The two commands of the README:
#
#   make demo          read this machine's Debian packages into a file and ask it five questions
#   make test          everything that must pass
#
# Parts of `make test`, and more for work on the C side:
#
#   make swift-test    Swift tests, with the C tests among them
#   make ctest         build and run the C tests            (T="part of a name" runs some)
#   make asan          the same under address and undefined-behaviour sanitizers
#   make fuzz          every fuzz target on its corpus and a few seconds longer
#   make fuzz-NAME     look for inputs that break a target   (FUZZ_TIME=60 seconds)
#   make example       the C examples, on the demo's file and on one of their own
#   make libstrata     build/libstrata.a and build/libstrata.so
#   make install       libraries, headers and strata.pc below PREFIX (/usr/local; DESTDIR is put in front)
#   make uninstall     removes them
#   make check-layers  includes point down
#   make check-symbols every global is strata_ or st_
#   make check-format  the bytes in the format document are those of the engine; golden files can be read
#   make check-install a program outside of this folder builds and runs with what is installed
#   make bench         Strata, raw LMDB, SQLite and GRDB on the same work (N=1000000, W=workload, P=peer, ROUNDS=5)
#   make bench-c       Strata's C interface beside raw LMDB, without Swift (N=100000, ...; KEEP=1 for profiles)
#   make bench-profile where W=workload spends its time, of P=strata-c or strata-swift
#   make bench-growth  how Strata's costs grow from 10,000 objects to 1,000,000 (N=10000000: and to that)
#   make bench-build   how long a cold build of the library takes
#   make bench-docs    the first, the third and the fourth, and writes what they say into the documents
#
# Proofs, longer than in `make test`; each prints how to look at a failure again:
#
#   make faults        call number N of the system fails, for every N, once and for ever
#   make power         power cuts: POWER states of the disk for each workload
#   make crash         CYCLES times somebody is killed who writes, reads, copies or compacts
#   make soak          SNAPSHOTS snapshots read beside writers; the size of a file over COMMITS commits;
#                      QUERIES random queries, compared with plain values
#   make tsan          tests with threads under the thread sanitizer
#   make valgrind      the C tests under valgrind
#   make coverage      lines and branches of the C core that the C tests reach
#   make server        a web server on Strata and SwiftNIO, Tests/Server: built in debug and release, started and asked

# The compiler of the Swift toolchain, so that no other one is needed.
TOOLCHAIN := $(dir $(realpath $(shell command -v swift)))
ifeq ($(origin CC),default)
CC := $(if $(wildcard $(TOOLCHAIN)clang),$(TOOLCHAIN)clang,cc)
endif
AR ?= ar
T ?=

, := ,
WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Werror
CFLAGS ?= -O2 -g
STRATA_CFLAGS := -std=c11 -fno-omit-frame-pointer $(WARNINGS) -Iinclude -ICSources/strata -ITests/CStrataTests/include
# The compiler of the Swift toolchain brings its own linker.
ifneq ($(wildcard $(dir $(firstword $(CC)))ld.lld),)
LDFLAGS += -fuse-ld=lld
endif
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -O1
LIBS := -llmdb -lbidgcc011 -lpthread -lm

CORE := $(sort $(wildcard CSources/strata/*/*.c))
TESTS := $(sort $(wildcard Tests/CStrataTests/*.c)) Tests/CRunner/main.c

# One folder of objects per compiler and kind of build, so that neither spoils the other.
BUILD := build/$(notdir $(firstword $(CC)))
SHARED_CORE := $(CORE:%.c=$(BUILD)/shared/%.o)
PLAIN_CORE := $(CORE:%.c=$(BUILD)/plain/%.o)
PLAIN_TESTS := $(TESTS:%.c=$(BUILD)/plain/%.o)
ASAN_ALL := $(CORE:%.c=$(BUILD)/asan/%.o) $(TESTS:%.c=$(BUILD)/asan/%.o)

TSAN_ALL := $(CORE:%.c=$(BUILD)/tsan/%.o) $(TESTS:%.c=$(BUILD)/tsan/%.o)
VALGRIND_ALL := $(CORE:%.c=$(BUILD)/valgrind/%.o) $(TESTS:%.c=$(BUILD)/valgrind/%.o)
COVERAGE_ALL := $(CORE:%.c=$(BUILD)/coverage/%.o) $(TESTS:%.c=$(BUILD)/coverage/%.o)

# The thread sanitizer of the Swift toolchain needs the libraries beside Swift's own.
SWIFT_LIBRARIES := $(wildcard $(dir $(firstword $(CC)))../lib/swift/linux)
TSAN_LIBS := $(if $(SWIFT_LIBRARIES),-L$(SWIFT_LIBRARIES) -ldispatch -lBlocksRuntime -Wl$(,)-rpath$(,)$(SWIFT_LIBRARIES))

VERSION := $(shell sed -n 's/^.define STRATA_VERSION_[A-Z]* //p' include/strata.h | paste -sd.)
ABI := $(shell sed -n 's/^.define STRATA_ABI //p' include/strata.h)
HEADERS := $(sort $(wildcard include/*.h))
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include

SWIFT := swift
SWIFT_FLAGS ?= -c release
DEMO_FILE := build/packages.strata
SWIFT_BIN = $(shell $(SWIFT) build $(SWIFT_FLAGS) --show-bin-path)

# Fuzz targets need libFuzzer, which comes with the compiler of the Swift toolchain. They run on copies of everything in
# the core; what they find is collected in build/, and what is worth keeping moves to the corpus by hand.
FUZZ_CC := $(if $(wildcard $(TOOLCHAIN)clang),$(TOOLCHAIN)clang,clang)
FUZZ_CFLAGS := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
FUZZ_TIME ?= 60
FUZZ_TARGETS := $(patsubst Tests/Fuzz/fuzz_%.c,%,$(sort $(wildcard Tests/Fuzz/fuzz_*.c)))
FUZZ_PARTS := Tests/Fuzz/fuzz.c $(addprefix Tests/CStrataTests/,hostile.c operations.c predicate_support.c strata_support.c)
FUZZ_COMMON := $(CORE:%.c=build/fuzz/%.o) $(FUZZ_PARTS:%.c=build/fuzz/%.o)

.PHONY: demo test setup swift-test example ctest asan libstrata check-layers check-symbols clean-c fuzz tasks
.PHONY: bench bench-growth bench-docs bench-peers bench-build bench-c bench-check bench-profile
.PHONY: install uninstall check-install check-format faults power crash soak tsan valgrind coverage server
.PRECIOUS: build/fuzz/%.o

demo: setup
	@mkdir -p build
	$(SWIFT) run $(SWIFT_FLAGS) --quiet packages $(ARGS)

test: setup
	@$(MAKE) --no-print-directory check-layers check-symbols libstrata asan
	@$(MAKE) --no-print-directory ctest T=memory  # failing allocations need the plain allocator
	@$(MAKE) --no-print-directory fuzz
	@$(MAKE) --no-print-directory example check-install check-format bench-check
	@$(MAKE) --no-print-directory swift-test

setup:
	@Tests/Scripts/setup

swift-test: setup
	$(SWIFT) test $(SWIFT_FLAGS)

# The demo's file, read by a C program through include/strata.h alone; then both programs on a list with known answers.
example: setup build/top-packages build/tasks
	$(SWIFT) build $(SWIFT_FLAGS) --product packages
	@test -e $(DEMO_FILE) || $(SWIFT_BIN)/packages --file $(DEMO_FILE) > /dev/null
	build/top-packages $(DEMO_FILE)
	Sources/Examples/check-demo $(SWIFT_BIN)/packages build/top-packages
	Sources/Examples/c/check-tasks build/tasks

tasks: build/tasks

build/tasks: Sources/Examples/c/tasks.c build/libstrata.a $(HEADERS)
	@mkdir -p build
	$(CC) $(CFLAGS) -std=c11 $(WARNINGS) -Iinclude $< build/libstrata.a $(LDFLAGS) $(LIBS) -o $@

build/top-packages: Sources/Examples/c/top-packages.c build/libstrata.a include/strata.h include/strata_row.h
	$(CC) $(CFLAGS) -std=c11 $(WARNINGS) -Iinclude $< build/libstrata.a $(LDFLAGS) $(LIBS) -o $@

# ---- Benchmarks ----------------------------------------------------------

BENCH_PARTS := $(addprefix Tests/Benchmarks/Sources/,Workload Counting StrataPeer LMDBPeer bench-c)
BENCH_C := $(sort $(wildcard $(BENCH_PARTS:%=%/*.c)))
BENCH_ALL := $(BENCH_C:%.c=$(BUILD)/bench/%.o)
BENCH_INCLUDES := $(BENCH_PARTS:%=-I%/include)
BENCH_OPTIONS = $(foreach option,N W P ROUNDS FOLDER KEEP,$(if $($(option)),$(option)=$($(option))))

# Not in build/: SwiftPM would take files of the checkouts there for resources of the C target.
BENCH_SCRATCH ?= .build/benchmarks
BENCH := $(BENCH_SCRATCH)/release/bench
PERFORMANCE := Sources/Strata/Strata.docc/Performance.md

bench: bench-peers build/libstrata.a
	@BENCH_CODE=$$(size -A build/libstrata.a | awk '$$1 ~ /^[.]text/ { sum += $$2 } END { print sum }') \
	BENCH_BUILD=$$(cat build/bench.build 2>/dev/null) $(BENCH) compare build/bench$(if $(W)$(P),-part) $(BENCH_OPTIONS)

bench-growth: bench-peers
	@$(BENCH) growth build/growth $(BENCH_OPTIONS)

bench-docs: bench-build
	@$(MAKE) --no-print-directory bench N= W= P=
	@$(MAKE) --no-print-directory bench-growth N= W= P=
	@$(BENCH) docs $(PERFORMANCE) build/bench.json build/growth.json

# A package of its own, which `make test` neither builds nor resolves.
bench-peers:
	@Tests/Scripts/setup bench
	@$(SWIFT) build -c release --package-path Tests/Benchmarks --scratch-path $(BENCH_SCRATCH)

bench-build: setup
	@Tests/Scripts/bench-build

bench-c: $(BUILD)/bench-c
	$(BUILD)/bench-c $(BENCH_OPTIONS)

bench-profile: $(if $(filter strata-swift,$(P)),bench-peers,$(BUILD)/bench-c)
	@Tests/Scripts/bench-profile $(if $(filter strata-swift,$(P)),$(BENCH) compare build/bench-part,$<) \
	    $(BENCH_OPTIONS) $(if $(P),,P=strata-c)

# The answers agree, with each other and with plain arrays; the figures of so few objects mean nothing.
bench-check: $(BUILD)/bench-c
	@$< N=1000 ROUNDS=1 FOLDER=$(if $(wildcard /dev/shm/.),/dev/shm,/tmp)/bench.$$$$ > /dev/null
	@echo "the answers of the benchmark agree"

ctest: $(BUILD)/ctest
	$(BUILD)/ctest $(T)

asan: $(BUILD)/ctest-asan
	$(BUILD)/ctest-asan $(T)

fuzz: $(FUZZ_TARGETS:%=build/fuzz/%)
	@for target in $(FUZZ_TARGETS); do Tests/Scripts/fuzz $$target 4 || exit 1; done

fuzz-%: build/fuzz/%
	Tests/Scripts/fuzz $* $(FUZZ_TIME)

# ---- Proofs --------------------------------------------------------------

# Files of the proofs: on a disk in memory if there is one.
PROOF := TMPDIR=$(if $(wildcard /dev/shm/.),/dev/shm,/tmp) nice
POWER ?= 85000
CYCLES ?= 1000
SNAPSHOTS ?= 10000000
COMMITS ?= 1000000
QUERIES ?= 100000

faults: $(BUILD)/ctest
	CTEST_FAULTS=all $(PROOF) $< faults memory

power: $(BUILD)/ctest
	CTEST_POWER=$(POWER) $(PROOF) $< power

crash: $(BUILD)/ctest
	CTEST_CRASH=$(CYCLES) $(PROOF) $< crash kill

soak: $(BUILD)/ctest
	CTEST_SOAK=$(SNAPSHOTS) CTEST_GROWTH=$(COMMITS) $(PROOF) $< isolation growth
	STRATA_SOAK=$(QUERIES) $(PROOF) $(SWIFT) test $(SWIFT_FLAGS) --filter RandomQueries

# Children of the tests go on after a fork; LMDB's own code is not looked into.
tsan: $(BUILD)/ctest-tsan
	TSAN_OPTIONS="die_after_fork=0 halt_on_error=1" $(PROOF) $< $(if $(T),$(T),threads thread txn walk isolation view store backup compaction)

# Valgrind maps at most some GiB, and older ones end at debug information that they cannot read. What a forked child
# cannot reach of its parent's is no leak of its own.
VALGRIND_FLAGS := --error-exitcode=9 --child-silent-after-fork=yes --log-file=build/valgrind.log \
    --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=none
valgrind: $(BUILD)/ctest-valgrind $(BUILD)/libstrata-valgrind.so
	STRATA_LIBRARY=$(BUILD)/libstrata-valgrind.so STRATA_MAP_SIZE=0xF000000 CTEST_PART=20 CTEST_POWER=5 \
	    CTEST_CRASH=3 CTEST_GROWTH=500 CTEST_SOAK=2000 $(PROOF) \
	    valgrind $(VALGRIND_FLAGS) $< $(T) || { cat build/valgrind.log; exit 1; }
	@grep -qE 'definitely lost: 0 bytes|no leaks are possible' build/valgrind.log || { cat build/valgrind.log; exit 1; }

$(BUILD)/libstrata-valgrind.so: build/libstrata.so
	@strip --strip-debug -o $@ $<

# Counters live in the file itself, so that children that are killed count too.
coverage: $(BUILD)/ctest-coverage $(BUILD)/ctest
	@rm -f $(BUILD)/*.profraw
	LLVM_PROFILE_FILE=$(BUILD)/c%c.profraw $(PROOF) $< $(T)
	@$(TOOLCHAIN)llvm-profdata merge -o $(BUILD)/coverage.profdata $(BUILD)/*.profraw
	@$(TOOLCHAIN)llvm-cov report $< -instr-profile=$(BUILD)/coverage.profdata $(CORE) \
	    -show-region-summary=false -show-branch-summary

# A package of its own, which `make test` neither builds nor resolves.
SERVER_SCRATCH ?= .build/server

server:
	@Tests/Scripts/setup server
	@for configuration in debug release; do \
	    nice $(SWIFT) build -c $$configuration --package-path Tests/Server --scratch-path $(SERVER_SCRATCH) && \
	    Tests/Scripts/check-server $(SERVER_SCRATCH)/$$configuration/notes || exit 1; \
	done

libstrata: build/libstrata.a build/libstrata.so

install: libstrata
	install -d "$(DESTDIR)$(LIBDIR)/pkgconfig" "$(DESTDIR)$(INCLUDEDIR)"
	install -m 644 $(HEADERS) "$(DESTDIR)$(INCLUDEDIR)"
	install -m 644 build/libstrata.a "$(DESTDIR)$(LIBDIR)"
	install -m 755 build/libstrata.so "$(DESTDIR)$(LIBDIR)/libstrata.so.$(VERSION)"
	ln -sf libstrata.so.$(VERSION) "$(DESTDIR)$(LIBDIR)/libstrata.so.$(ABI)"
	ln -sf libstrata.so.$(ABI) "$(DESTDIR)$(LIBDIR)/libstrata.so"
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' \
	    -e 's|@VERSION@|$(VERSION)|' CSources/strata.pc.in > "$(DESTDIR)$(LIBDIR)/pkgconfig/strata.pc"

uninstall:
	rm -f $(HEADERS:include/%="$(DESTDIR)$(INCLUDEDIR)/%") "$(DESTDIR)$(LIBDIR)/libstrata.a" \
	    "$(DESTDIR)$(LIBDIR)"/libstrata.so* "$(DESTDIR)$(LIBDIR)/pkgconfig/strata.pc"

check-format: build/format-example
	Tests/Scripts/check-format build/format-example

build/format-example: Tests/Format/example.c build/libstrata.a
	@$(CC) $(CFLAGS) $(STRATA_CFLAGS) $< build/libstrata.a $(LDFLAGS) $(LIBS) -o $@

check-install: libstrata
	Tests/Scripts/check-install

check-layers:
	Tests/Scripts/check-layers

check-symbols: build/libstrata.a
	Tests/Scripts/check-symbols build/libstrata.a

clean-c:
	rm -rf build

build/libstrata.a: $(PLAIN_CORE)
	@rm -f $@
	@echo '  $(AR) $@'
	@$(AR) rcs $@ $^

# Exports what the headers declare, and nothing else.
build/libstrata.so: $(SHARED_CORE) CSources/strata.map
	@echo '  $(CC) $@'
	@$(CC) $(CFLAGS) -shared $(SHARED_CORE) -Wl,-soname,libstrata.so.$(ABI) \
	    -Wl,--version-script=CSources/strata.map -Wl,-z,defs $(LDFLAGS) $(LIBS) -o $@

$(BUILD)/ctest: $(PLAIN_CORE) $(PLAIN_TESTS)
	@echo '  $(CC) $@'
	@$(CC) $(CFLAGS) $^ $(LDFLAGS) $(LIBS) -o $@

$(BUILD)/ctest-asan: $(ASAN_ALL)
	@echo '  $(CC) $@'
	@$(CC) $(CFLAGS) $(SANITIZE) $^ $(LDFLAGS) $(LIBS) -o $@

$(BUILD)/ctest-tsan: $(TSAN_ALL)
	@echo '  $(CC) $@'
	@$(CC) $(CFLAGS) -fsanitize=thread $^ $(LDFLAGS) $(TSAN_LIBS) $(LIBS) -o $@

$(BUILD)/ctest-valgrind: $(VALGRIND_ALL)
	@echo '  $(CC) $@'
	@$(CC) $(CFLAGS) $^ $(LDFLAGS) $(LIBS) -o $@

$(BUILD)/ctest-coverage: $(COVERAGE_ALL)
	@echo '  $(CC) $@'
	@$(CC) $(COVERAGE_FLAGS) $^ $(LDFLAGS) $(LIBS) -o $@

$(BUILD)/bench-c: $(PLAIN_CORE) $(BENCH_ALL)
	@echo '  $(CC) $@'
	@$(CC) $(CFLAGS) $^ $(LDFLAGS) $(LIBS) -o $@

$(BUILD)/bench/%.o: %.c
	@mkdir -p $(dir $@)
	@echo '  $(CC) $@'
	@$(CC) $(CFLAGS) -std=c11 -fno-omit-frame-pointer $(WARNINGS) -Iinclude $(BENCH_INCLUDES) -MMD -MP -c $< -o $@

$(BUILD)/plain/%.o: %.c
	@mkdir -p $(dir $@)
	@echo '  $(CC) $@'
	@$(CC) $(CFLAGS) $(STRATA_CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/shared/%.o: %.c
	@mkdir -p $(dir $@)
	@echo '  $(CC) $@'
	@$(CC) $(CFLAGS) -fPIC $(STRATA_CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/asan/%.o: %.c
	@mkdir -p $(dir $@)
	@echo '  $(CC) $@'
	@$(CC) $(CFLAGS) $(SANITIZE) $(STRATA_CFLAGS) -MMD -MP -c $< -o $@

build/fuzz/%.o: %.c
	@mkdir -p $(dir $@)
	@echo '  $(FUZZ_CC) $@'
	@$(FUZZ_CC) $(FUZZ_CFLAGS) $(STRATA_CFLAGS) -ITests/CStrataTests -MMD -MP -c $< -o $@

$(FUZZ_TARGETS:%=build/fuzz/%): build/fuzz/%: build/fuzz/Tests/Fuzz/fuzz_%.o $(FUZZ_COMMON)
	@echo '  $(FUZZ_CC) $@'
	@$(FUZZ_CC) $(FUZZ_CFLAGS) -fsanitize=fuzzer $^ $(LDFLAGS) $(LIBS) -o $@

$(BUILD)/tsan/%.o: %.c
	@mkdir -p $(dir $@)
	@echo '  $(CC) $@'
	@$(CC) $(CFLAGS) -fsanitize=thread $(STRATA_CFLAGS) -MMD -MP -c $< -o $@

# Valgrind has an allocator of its own, and older ones read no newer debug information.
$(BUILD)/valgrind/%.o: %.c
	@mkdir -p $(dir $@)
	@echo '  $(CC) $@'
	@$(CC) -O1 -gdwarf-4 -DFOREIGN_ALLOCATOR=1 $(STRATA_CFLAGS) -MMD -MP -c $< -o $@

COVERAGE_FLAGS := -O1 -g -fprofile-instr-generate -fcoverage-mapping -mllvm -runtime-counter-relocation
$(BUILD)/coverage/%.o: %.c
	@mkdir -p $(dir $@)
	@echo '  $(CC) $@'
	@$(CC) $(COVERAGE_FLAGS) $(STRATA_CFLAGS) -MMD -MP -c $< -o $@

-include $(PLAIN_CORE:.o=.d) $(SHARED_CORE:.o=.d) $(PLAIN_TESTS:.o=.d) $(ASAN_ALL:.o=.d)
-include $(BENCH_ALL:.o=.d) $(FUZZ_COMMON:.o=.d) $(FUZZ_TARGETS:%=build/fuzz/Tests/Fuzz/fuzz_%.d)
-include $(TSAN_ALL:.o=.d) $(VALGRIND_ALL:.o=.d) $(COVERAGE_ALL:.o=.d)
