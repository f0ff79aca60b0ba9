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
#   make example       the C example on the demo's file
#   make libstrata     build/libstrata.a
#   make check-layers  includes point down
#   make check-symbols every global is strata_ or st_
#   make bench         what a live object costs

# The compiler of the Swift toolchain, so that no other one is needed.
TOOLCHAIN := $(dir $(realpath $(shell command -v swift)))
ifeq ($(origin CC),default)
CC := $(if $(wildcard $(TOOLCHAIN)clang),$(TOOLCHAIN)clang,cc)
endif
AR ?= ar
T ?=

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
PLAIN_CORE := $(CORE:%.c=$(BUILD)/plain/%.o)
PLAIN_TESTS := $(TESTS:%.c=$(BUILD)/plain/%.o)
ASAN_ALL := $(CORE:%.c=$(BUILD)/asan/%.o) $(TESTS:%.c=$(BUILD)/asan/%.o)

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
FUZZ_PARTS := Tests/Fuzz/fuzz.c Tests/CStrataTests/predicate_support.c
FUZZ_COMMON := $(CORE:%.c=build/fuzz/%.o) $(FUZZ_PARTS:%.c=build/fuzz/%.o)
FUZZ_RUN = build/fuzz/$(1) -dict=Tests/Fuzz/$(1).dict -timeout=10 -rss_limit_mb=2000 -print_final_stats=0 -verbosity=0

.PHONY: demo test setup swift-test example bench ctest asan libstrata check-layers check-symbols clean-c fuzz
.PRECIOUS: build/fuzz/%.o

demo: setup
	@mkdir -p build
	$(SWIFT) run $(SWIFT_FLAGS) --quiet packages $(ARGS)

test: setup
	@$(MAKE) --no-print-directory check-layers check-symbols asan
	@$(MAKE) --no-print-directory ctest T=memory  # failing allocations need the plain allocator
	@$(MAKE) --no-print-directory fuzz
	@$(MAKE) --no-print-directory example
	@$(MAKE) --no-print-directory swift-test

setup:
	@Tests/Scripts/setup

swift-test: setup
	$(SWIFT) test $(SWIFT_FLAGS)

# The demo's file, read by a C program through include/strata.h alone; then both programs on a list with known answers.
example: setup build/top-packages
	$(SWIFT) build $(SWIFT_FLAGS) --product packages
	@test -e $(DEMO_FILE) || $(SWIFT_BIN)/packages --file $(DEMO_FILE) > /dev/null
	build/top-packages $(DEMO_FILE)
	Sources/Examples/check-demo $(SWIFT_BIN)/packages build/top-packages

build/top-packages: Sources/Examples/c/top-packages.c build/libstrata.a include/strata.h include/strata_row.h
	$(CC) $(CFLAGS) -std=c11 $(WARNINGS) -Iinclude $< build/libstrata.a $(LDFLAGS) $(LIBS) -o $@

bench: setup
	cd Tests/Benchmarks && $(SWIFT) run -c release --quiet bench

ctest: $(BUILD)/ctest
	$(BUILD)/ctest $(T)

asan: $(BUILD)/ctest-asan
	$(BUILD)/ctest-asan $(T)

# The corpus first, then a few seconds of new inputs.
fuzz: $(FUZZ_TARGETS:%=build/fuzz/%)
	@for target in $(FUZZ_TARGETS); do \
	    found=build/fuzz/found/$$target; corpus=Tests/Fuzz/corpus/$$target; mkdir -p $$found; \
	    echo "fuzz $$target: $$(ls $$corpus | wc -l) known inputs, and a few seconds of new ones"; \
	    { $(call FUZZ_RUN,$$target) -runs=0 $$corpus && \
	      $(call FUZZ_RUN,$$target) -max_total_time=4 -artifact_prefix=$$found- $$found $$corpus; } \
	        > $$found.log 2>&1 || { cat $$found.log; exit 1; }; \
	done

fuzz-%: build/fuzz/%
	@mkdir -p build/fuzz/found/$*
	$(call FUZZ_RUN,$*) -max_total_time=$(FUZZ_TIME) -artifact_prefix=build/fuzz/found/$*- build/fuzz/found/$* \
	    Tests/Fuzz/corpus/$*

libstrata: build/libstrata.a

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

$(BUILD)/ctest: $(PLAIN_CORE) $(PLAIN_TESTS)
	@echo '  $(CC) $@'
	@$(CC) $(CFLAGS) $^ $(LDFLAGS) $(LIBS) -o $@

$(BUILD)/ctest-asan: $(ASAN_ALL)
	@echo '  $(CC) $@'
	@$(CC) $(CFLAGS) $(SANITIZE) $^ $(LDFLAGS) $(LIBS) -o $@

$(BUILD)/plain/%.o: %.c
	@mkdir -p $(dir $@)
	@echo '  $(CC) $@'
	@$(CC) $(CFLAGS) $(STRATA_CFLAGS) -MMD -MP -c $< -o $@

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

-include $(PLAIN_CORE:.o=.d) $(PLAIN_TESTS:.o=.d) $(ASAN_ALL:.o=.d) $(FUZZ_COMMON:.o=.d) \
    $(FUZZ_TARGETS:%=build/fuzz/Tests/Fuzz/fuzz_%.d)
