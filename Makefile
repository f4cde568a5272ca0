# Two commands do everything, set-up included:
#
#   make tune    install what is missing, build, and tune AES-256-CTR for this CPU
#   make test    install what is missing, and run every test

PROBLEM ?= aes256-ctr
export PATH := $(HOME)/.cargo/bin:$(PATH)
# `aesmith verify` runs make in packages, and refuses variables that are meant for this Makefile.
AESMITH = env -u MAKEFLAGS -u MFLAGS cargo run --release --quiet --package aesmith-cli --

.PHONY: help tune test soak bench performance install uninstall clean

help:
	@echo 'make tune [PROBLEM=aes256-ctr]   build (minutes, once), and tune for this CPU (a minute or two)'
	@echo 'make test                        every test; ends in a line with their number'
	@echo 'make bench                       everything against the peers and the goals; strategies on recorded spaces'
	@echo 'make performance                 tune every problem, then the same, and write docs/PERFORMANCE.md, PROCESSORS.md,'
	@echo '                                 INSTRUCTIONS.md, GPU-BOUNDS.md'
	@echo 'make soak [SECONDS_EACH=60]      what takes long: the walk of a new user, fuzzing, faults, advisories'
	@echo 'make install [PREFIX=~/.local] [DESTDIR=]   the command, its man pages and completions'
	@echo 'make uninstall                   takes away what make install put there'

tune:
	@scripts/need.sh build
	@cargo build --release --package aesmith-cli
	@$(AESMITH) tune $(PROBLEM) --figures 15s

test:
	@scripts/test.sh

# What takes long: fuzzing, faults planted in the prover, advisories of dependencies, the walk of a new user.
soak:
	@scripts/need.sh test
	@scripts/soak.sh

# The peers that are Rust crates are built in: one of them compiles a C library.
BENCH = cargo run --release --quiet --package aesmith-cli --features peers --bin aesmith-bench -- goals

# Then the strategies on each recorded space, which needs no measurement.
bench:
	@scripts/need.sh build
	@cargo build --release --package aesmith-cli --features peers
	@$(BENCH)
	@for recording in recordings/*.jsonl.gz; do cargo run --release --quiet --package aesmith-cli --features peers -- replay $$recording || exit 1; done

performance:
	@scripts/need.sh build
	@cargo build --release --package aesmith-cli --features peers
	@scripts/performance.sh $(or $(CARGO_TARGET_DIR),target)/release/aesmith

install:
	@scripts/need.sh build
	@cargo build --release --locked --package aesmith-cli
	@scripts/install.sh install $(or $(CARGO_TARGET_DIR),target)/release/aesmith

uninstall:
	@scripts/install.sh uninstall

clean:
	@cargo clean
