# proofs.mk -- the long proofs; part of the Makefile, whose head lists the targets.

.PHONY: proofs faults power crash hostile soak tsan tsan-swift valgrind coverage server

# Files of the proofs: on a disk in memory if there is one.
PROOF := TMPDIR=$(if $(wildcard /dev/shm/.),/dev/shm,/tmp) nice
POWER ?= 85000
CYCLES ?= 1000
HOSTILE ?= 100000
SNAPSHOTS ?= 10000000
COMMITS ?= 1000000
QUERIES ?= 100000
# Rounds of some commits, told to a crowd of observers.
OBSERVED ?= 20000

# What no run of `make test` does, or does for seconds only. ONLY="tsan valgrind" runs some of them.
PROOFS := faults power crash hostile soak tsan tsan-swift valgrind coverage server
proofs: setup
	@Tests/Scripts/proofs $(if $(ONLY),$(ONLY),$(PROOFS))

faults: $(BUILD)/ctest
	CTEST_FAULTS=all $(PROOF) $< faults memory

power: $(BUILD)/ctest
	CTEST_POWER=$(POWER) CTEST_POWER_FLUSH=$$(($(POWER) / 10)) $(PROOF) $< power

crash: $(BUILD)/ctest
	CTEST_CRASH=$(CYCLES) $(PROOF) $< crash kill queue_model

hostile: $(BUILD)/ctest
	STRATA_HOSTILE_FILES=$(HOSTILE) $(PROOF) $< hostile

soak: $(BUILD)/ctest
	CTEST_SOAK=$(SNAPSHOTS) CTEST_GROWTH=$(COMMITS) $(PROOF) $< isolation growth
	CTEST_OBSERVE=$(OBSERVED) $(PROOF) $< observers_tell_the
	STRATA_SOAK=$(QUERIES) $(PROOF) $(SWIFT) test $(SWIFT_FLAGS) --filter 'RandomQueries|RandomMigrations|RandomGraphs'

# ---- The thread sanitizer ----------------------------------------------------

# That of the Swift toolchain needs the libraries beside Swift's own. Children of the tests go on after a fork; LMDB's own
# code is not looked into.
SWIFT_LIBRARIES := $(wildcard $(dir $(firstword $(CC)))../lib/swift/linux)
TSAN_LIBS := $(if $(SWIFT_LIBRARIES),-L$(SWIFT_LIBRARIES) -ldispatch -lBlocksRuntime -Wl$(,)-rpath$(,)$(SWIFT_LIBRARIES))
TSAN_TESTS := threads thread txn walk isolation view store backup compaction queue feed waiter consumer observer
$(eval $(call kind,$(BUILD)/tsan,$(CC),$(CFLAGS) -fsanitize=thread $(STRATA_CFLAGS)))
$(eval $(call program,$(BUILD)/ctest-tsan,$(CC),$(call objects,$(BUILD)/tsan,$(CORE) $(TESTS)),-fsanitize=thread $(TSAN_LIBS)))

tsan: $(BUILD)/ctest-tsan
	TSAN_OPTIONS="die_after_fork=0 halt_on_error=1" $(PROOF) $< $(or $(T),$(TSAN_TESTS))
	TSAN_OPTIONS="halt_on_error=1" $(PROOF) $(SWIFT) run -c release --package-path Tests/TaskRaces --scratch-path .build/races \
	    --sanitize=thread task-races $(SEED)

# The Swift tests, as they are. Those that count allocations see none here; the C tests have run above.
TSAN_SWIFT := $(SWIFT) build --build-tests --scratch-path .build/tsan --sanitize=thread
MUTEX_ORDER := $(CURDIR)/$(BUILD)/mutex_order.so
tsan-swift: setup $(MUTEX_ORDER)
	$(TSAN_SWIFT)
	LD_PRELOAD=$(MUTEX_ORDER) TSAN_OPTIONS="die_after_fork=0" $(PROOF) \
	    "$$($(TSAN_SWIFT) --show-bin-path)/StrataPackageTests.xctest" --testing-library swift-testing \
	    --skip "CEngineTests|LiveObjectCostTests|OpeningTests"

$(MUTEX_ORDER): Tests/TaskRaces/Sources/CMutexOrder/mutex_order.c
	@mkdir -p $(dir $@)
	@$(CC) $(CFLAGS) -shared -fPIC $< -o $@

# ---- Valgrind ------------------------------------------------------------------

# It has an allocator of its own, reads no debug information that is newer than itself, and maps at most some GiB. What a
# forked child cannot reach of its parent's is no leak of its own.
VALGRIND_FLAGS := --error-exitcode=9 --child-silent-after-fork=yes --log-file=build/valgrind.log \
    --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=none
VALGRIND_ROUNDS := STRATA_MAP_SIZE=0xF000000 CTEST_PART=20 CTEST_POWER=5 CTEST_POWER_FLUSH=5 CTEST_CRASH=3 CTEST_GROWTH=500 CTEST_SOAK=2000
$(eval $(call kind,$(BUILD)/valgrind,$(CC),-O1 -gdwarf-4 -DFOREIGN_ALLOCATOR=1 $(STRATA_CFLAGS)))
$(eval $(call program,$(BUILD)/ctest-valgrind,$(CC),$(call objects,$(BUILD)/valgrind,$(CORE) $(TESTS))))

valgrind: $(BUILD)/ctest-valgrind $(BUILD)/libstrata-valgrind.so
	@Tests/Scripts/setup valgrind
	STRATA_LIBRARY=$(BUILD)/libstrata-valgrind.so $(VALGRIND_ROUNDS) $(PROOF) \
	    valgrind $(VALGRIND_FLAGS) $< $(T) || { cat build/valgrind.log; exit 1; }
	@grep -qE 'definitely lost: 0 bytes|no leaks are possible' build/valgrind.log || { cat build/valgrind.log; exit 1; }

$(BUILD)/libstrata-valgrind.so: build/libstrata.so
	@strip --strip-debug -o $@ $<

# ---- Coverage -------------------------------------------------------------------

# Counters live in the file itself, so that children that are killed count too.
COVERAGE_FLAGS := -O1 -g -fprofile-instr-generate -fcoverage-mapping -mllvm -runtime-counter-relocation
$(eval $(call kind,$(BUILD)/coverage,$(CC),$(COVERAGE_FLAGS) $(STRATA_CFLAGS)))
$(eval $(call program,$(BUILD)/ctest-coverage,$(CC),$(call objects,$(BUILD)/coverage,$(CORE) $(TESTS)),$(COVERAGE_FLAGS)))

coverage: $(BUILD)/ctest-coverage
	@rm -f $(BUILD)/*.profraw
	LLVM_PROFILE_FILE=$(BUILD)/c%c.profraw $(PROOF) $< $(T)
	@$(TOOLCHAIN)llvm-profdata merge -o $(BUILD)/coverage.profdata $(BUILD)/*.profraw
	@$(TOOLCHAIN)llvm-cov report $< -instr-profile=$(BUILD)/coverage.profdata $(CORE) \
	    -show-region-summary=false -show-branch-summary

# ---- The studio ------------------------------------------------------------------

.PHONY: check-page
check-page: tool build/busy-writer
	@Tests/Scripts/setup browser
	Tests/Tools/check-page build/strata build/busy-writer build/studio $(N)

build/busy-writer: Tests/Tools/busy-writer.c build/libstrata.a $(HEADERS)
	@echo '  $(CC) $@'
	@$(CC) $(CFLAGS) $(C11) $< build/libstrata.a $(LDFLAGS) $(LIBS) -o $@

# ---- Adapters -------------------------------------------------------------------

# A package of its own, which `make test` neither builds nor resolves.
.PHONY: adapters
adapters: setup
	$(SWIFT) test --package-path Sources/Adapters --scratch-path .build/adapters

# ---- A server -------------------------------------------------------------------

# A package of its own, which `make test` neither builds nor resolves.
SERVER_SCRATCH := .build/server
# Seconds under load.
SERVING ?= 60
SERVER_BUILD := $(SWIFT) build --package-path Sources/Examples/notes-server --scratch-path $(SERVER_SCRATCH)
server:
	@Tests/Scripts/setup server
	@$(SERVER_BUILD)
	@Tests/Scripts/check-server $(SERVER_SCRATCH)/debug/notes
	@$(SERVER_BUILD) -c release
	@Tests/Scripts/check-server $(SERVER_SCRATCH)/release/notes $(SERVING)
