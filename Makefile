# kcarchive: how to build, try, test and measure it. Each target first installs the Debian packages
# that it misses (as root or through sudo) and says so; Swift 6.2 or later has to be there.

SHELL := /bin/bash
PREFIX ?= /usr/local
BUILD_PACKAGES := libssl-dev libargon2-dev zlib1g-dev pkg-config
TEST_PACKAGES := python3 python3-cryptography python3-argon2 python3-venv strace age

CHECKS := --explicit-target-dependency-import-check error
RELEASE := swift build -c release --static-swift-stdlib $(CHECKS)

.PHONY: all demo test fuzz stress bench bench-peers lint install clean packages

all: packages
	$(RELEASE) --product kcarchive

packages:
	@.ci/packages $(BUILD_PACKAGES)

demo: all
	@Fixtures/demo.sh .build/release/kcarchive

# Optimised, for some tests flip every bit of an archive; with the checks and seams of a debug build.
test: all
	@.ci/packages $(TEST_PACKAGES)
	@.ci/peers
	cd Spec/reader && /usr/bin/python3 -m unittest -q
	/usr/bin/python3 Fixtures/vectors/check.py --program .build/release/kcarchive
	swift test $(CHECKS) -Xswiftc -O
	Tests/Clients/run.sh .build/release/kcarchive

# Each fuzz target for FUZZ_SECONDS, default 10. Built with FUZZ_OPTIMIZATION=-Onone it tries less, sooner.
fuzz: packages
	@.ci/packages python3 python3-cryptography python3-argon2
	@Tests/Fuzz/run.sh

# 100 threads in each of 8 processes on one archive, for STRESS_SECONDS, default 60.
STRESS_SECONDS ?= 60
stress: packages
	$(RELEASE) --product keychain-stress
	.build/release/keychain-stress --processes 8 --threads 100 --seconds $(STRESS_SECONDS)

bench: all
	@.ci/packages python3
	$(RELEASE) --product codec-bench
	@mkdir -p .bench
	swiftc -O Tests/Benchmarks/foundation_peer.swift -o .bench/foundation-peer
	python3 Tests/Benchmarks/bench.py --program .build/release/kcarchive

bench-peers:
	@.ci/packages age p7zip-full sqlcipher keepassxc libplist-utils python3-venv
	@.ci/peers

lint:
	swift format lint --strict --recursive --parallel Package.swift Sources Tests

install: all
	install -D -m 755 .build/release/kcarchive $(DESTDIR)$(PREFIX)/bin/kcarchive

clean:
	rm -rf .build .bench
