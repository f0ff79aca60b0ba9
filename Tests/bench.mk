# bench.mk -- the benchmarks; part of the Makefile, whose head lists the targets.

.PHONY: bench bench-server bench-delivery bench-c bench-check bench-profile bench-growth bench-build bench-peers \
    bench-docs

BENCH_PARTS := $(addprefix Tests/Benchmarks/Sources/,Workload AllocationCount StrataPeer LMDBPeer bench-c)
BENCH_C := $(sort $(wildcard $(BENCH_PARTS:%=%/*.c)))
BENCH_OPTIONS = $(foreach option,N W P ROUNDS FOLDER KEEP,$(if $($(option)),$(option)=$($(option))))
$(eval $(call kind,$(BUILD)/bench,$(CC),$(CFLAGS) $(C11) $(BENCH_PARTS:%=-I%/include)))
$(eval $(call program,$(BUILD)/bench-c,$(CC),$(call objects,$(BUILD)/plain,$(CORE)) $(call objects,$(BUILD)/bench,$(BENCH_C))))

# Not in build/: SwiftPM would take files of the checkouts there for resources of the C target.
BENCH_SCRATCH ?= .build/benchmarks
BENCH := $(BENCH_SCRATCH)/release/bench
PERFORMANCE := Sources/Strata/Strata.docc/Performance.md

bench: bench-peers build/libstrata.a
	@BENCH_CODE=$$(size -A build/libstrata.a | awk '$$1 ~ /^[.]text/ { sum += $$2 } END { print sum }') \
	BENCH_BUILD=$$(cat build/bench.build 2>/dev/null) $(BENCH) compare build/bench$(if $(W)$(P),-part) $(BENCH_OPTIONS)

bench-growth: bench-peers
	@$(BENCH) growth build/growth $(BENCH_OPTIONS)

# The files lie in memory where there is such a folder, so that a flush costs nothing.
bench-delivery:
	@Tests/Scripts/setup bench
	@$(SWIFT) build -c release --package-path Tests/Benchmarks --scratch-path $(BENCH_SCRATCH) --product bench-delivery
	@folder=$$(mktemp -d $(if $(wildcard /dev/shm/.),/dev/shm,/tmp)/bench.XXXXXX); \
	trap 'rm -rf "$$folder"' EXIT; trap 'exit 1' HUP INT TERM; \
	$(BENCH_SCRATCH)/release/bench-delivery measure "$$folder" \
	    $(foreach option,N ROUNDS SEED WAYS KINDS,$(if $($(option)),$(option)=$($(option))))

bench-docs: bench-build
	@$(MAKE) --no-print-directory bench N= W= P=
	@$(MAKE) --no-print-directory bench-growth N= W= P=
	@$(BENCH) docs $(PERFORMANCE) build/bench.json build/growth.json

# A package of its own, which `make test` neither builds nor resolves.
bench-peers:
	@Tests/Scripts/setup bench
	@$(SWIFT) build -c release --package-path Tests/Benchmarks --scratch-path $(BENCH_SCRATCH)

# A package of its own likewise.
SERVER_BENCH_SCRATCH := .build/server-bench
bench-server:
	@Tests/Scripts/setup server
	@$(SWIFT) build -c release --package-path Tests/ServerBenchmark --scratch-path $(SERVER_BENCH_SCRATCH)
	@Tests/Scripts/bench-server $(SERVER_BENCH_SCRATCH)/release/bench-server $(or $(N),100000) $(or $(SECONDS),5)

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
