# The C side of Strata. The Swift side builds with `swift build`.
#
#   make ctest         build and run the C tests            (T="part of a name" runs some)
#   make asan          the same under address and undefined-behaviour sanitizers
#   make libstrata     build/libstrata.a
#   make check-layers  includes point down
#   make check-symbols every global is strata_ or st_

CC ?= cc
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
LIBS := -llmdb -lpthread -lm

CORE := $(sort $(wildcard CSources/strata/*/*.c))
TESTS := $(sort $(wildcard Tests/CStrataTests/*.c)) Tests/CRunner/main.c

# One folder of objects per compiler and kind of build, so that neither spoils the other.
BUILD := build/$(notdir $(firstword $(CC)))
PLAIN_CORE := $(CORE:%.c=$(BUILD)/plain/%.o)
PLAIN_TESTS := $(TESTS:%.c=$(BUILD)/plain/%.o)
ASAN_ALL := $(CORE:%.c=$(BUILD)/asan/%.o) $(TESTS:%.c=$(BUILD)/asan/%.o)

.PHONY: ctest asan libstrata check-layers check-symbols clean-c

ctest: $(BUILD)/ctest
	$(BUILD)/ctest $(T)

asan: $(BUILD)/ctest-asan
	$(BUILD)/ctest-asan $(T)

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

-include $(PLAIN_CORE:.o=.d) $(PLAIN_TESTS:.o=.d) $(ASAN_ALL:.o=.d)
