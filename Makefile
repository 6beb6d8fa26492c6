# Everything a newcomer needs: Node 20 or newer, npm and make. What runs is Node 24, which comes
# with the dependencies.

.DEFAULT_GOAL := help
.PHONY: help packages run demo test test-fast test-cluster test-vault test-long hostile test-contract check bench bench-engine bench-explorer bench-first-payment bench-hostile bench-operator bench-operator-scale bench-signers chaos mutate vectors memory-store eval cluster e2e e2e-alerts e2e-upgrade generate format screenshots image package prove-paid-once test-image

# A make within this one keeps it.
ifndef system_path
system_path := $(PATH)
endif
export system_path
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

# The published packages that docs/sellers.md installs; the tests of that page run with them.
stock_packages := $(patsubst %,test/fixtures/%/node_modules/.package-lock.json,stock-newest stock-2.9)

# The package promises to run on Node 22 too.
node_22 := test/fixtures/node-22/node_modules/.package-lock.json

help: ## Say what can be made
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: node_modules/.package-lock.json ## Run a demo until Ctrl-C (flags: make run ARGS=--help)
	@node src/commands/svc.ts demo $(ARGS)

demo: node_modules/.package-lock.json ## Run a demo, pay once, and stop (flags: make demo ARGS=--help)
	@node src/commands/svc.ts demo --once $(ARGS)

test: packages ## Run the tests, in 10 minutes (one file: make test FILE=test/unit/platform/core/amounts.test.ts)
	@vitest run $(FILE)

test-fast: node_modules/.package-lock.json ## Run the tests that need no database, no process and no cluster
	@vitest run --project unit

# An API server, operators and pods run beside the workers.
test-cluster: packages ## Run the tests on a real Kubernetes API server; builds it first, with Go, which takes 8 minutes
	@TEST_CLUSTER_BUILD=1 vitest run --project cluster --maxWorkers=3 $(FILE)

test-vault: packages ## Run the tests of Vault on a real one; builds it first, with Go, which takes 8 minutes
	@node tools/test-vault/run.ts

test-long: packages ## Run a share of the long tests, in at most 12 minutes (all: make test-long ALL=1)
	@node tools/test-long/run.ts $(if $(ALL),--all) $(if $(SEED),--seed $(SEED))

hostile: packages ## Attack every border that docs/threat-model.md names
	@node tools/hostile/run.ts $(ARGS)

test-contract: export CARGO_TARGET_DIR ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/svc/contract-target
test-contract: ## Build the settlement contract again and run its Rust tests (needs cargo; CASES=20000 for a long run)
	contracts/upto/check-rebuild.sh
	cd contracts/upto && $(if $(CASES),PROPTEST_CASES=$(CASES)) cargo test --locked $(if $(CASES),--profile fuzz)

check: node_modules/.package-lock.json ## Check types, style, unused code, generated files and the import table
	tsc --noEmit
	biome check --error-on-warnings .
	knip
	vitest run --project unit test/unit/architecture test/unit/localnet/soroban/host-wasm-is-current

bench: node_modules/.package-lock.json ## Measure verify and settle beside the stock facilitator
	@node tools/bench/run.ts
	@node tools/bench/localnet.ts
	@node tools/bench/http.ts
	@node tools/bench/store.ts
	@node tools/bench/search.ts
	@node tools/bench/upto.ts
	@node tools/bench/signers.ts
	@node tools/bench/memory.ts
	@node tools/bench/discovery.ts
	@node tools/bench/catalog-pages.ts
	@node --max-semi-space-size=8 tools/bench/explorer.ts

bench-engine: node_modules/.package-lock.json ## Measure 500 settlements at once, with one replica and two
	@node tools/bench/run.ts --only engine

bench-explorer: node_modules/.package-lock.json ## Measure the explorer (ROWS=10000000 for more than 1,000,000 payments)
	@node --max-semi-space-size=8 tools/bench/explorer.ts $(if $(ROWS),--rows $(ROWS))
	@node tools/bench/explorer-load.ts $(if $(ROWS),--rows $(ROWS))

bench-hostile: node_modules/.package-lock.json ## Measure what honest payers notice of an attacker
	@node tools/bench/hostile.ts

bench-signers: node_modules/.package-lock.json ## Measure settlements with the sponsor's key in a token, behind a sidecar and in Vault
	@node tools/bench/signers.ts

bench-operator: node_modules/.package-lock.json ## Measure the operator with 1,000 Facilitators and 100 channels
	@node tools/bench/operator.ts

bench-operator-scale: node_modules/.package-lock.json ## Measure the operator with 10,000 Facilitators in 200 namespaces
	@node tools/bench/operator-scale.ts

bench-first-payment: node_modules/.package-lock.json
	@node tools/bench/first-payment.ts

chaos: node_modules/.package-lock.json $(stock_packages) ## Kill facilitators and databases while they settle, many times
	@node tools/chaos/run.ts
	@node tools/chaos/operator.ts
	@node tools/chaos/rotation.ts
	@node tools/chaos/rotation.ts --rounds 4 --upto
	@node tools/chaos/rotate.ts
	@node tools/chaos/explorer.ts

prove-paid-once: node_modules/.package-lock.json ## Buy 10,000 times while messages get lost and processes are killed (COUNT=1000 for fewer)
	@node tools/chaos/paid-once.ts $(if $(COUNT),--count $(COUNT)) $(ARGS)

mutate: node_modules/.package-lock.json ## Break each rule of the payment path once and see that a test fails
	@node tools/mutate/run.ts $(ARGS)

vectors: node_modules/.package-lock.json ## Learn the word vectors of the catalog's search (ARGS=--validate to measure)
	@node tools/vectors/run.ts $(ARGS)

memory-store: node_modules/.package-lock.json ## Make the data folder that the store in memory starts with
	@node tools/memory-store/run.ts

eval: node_modules/.package-lock.json ## Measure the catalog's search on judged queries (flags: make eval ARGS=--write-baseline)
	@node tools/eval/run.ts $(ARGS)

cluster: node_modules/.package-lock.json ## Try the operator: a real API server with simulated nodes, a ledger, a Postgres
	@node tools/try-cluster/run.ts

package: node_modules/.package-lock.json ## Pack what npm can install into dist: the compiled library and command
	@node tools/package/run.ts

image: node_modules/.package-lock.json ## Build the container image without a container engine (flags: make image ARGS=--help)
	@node tools/image/run.ts $(ARGS)

test-image: node_modules/.package-lock.json ## Compare the images of docker build and of two clones, and run them, as root
	@vitest run --config tools/e2e-image/vitest.config.ts $(ARGS)

e2e-alerts: node_modules/.package-lock.json ## Make every alert fire on real processes, and resolve it (15 minutes)
	@vitest run --config tools/e2e-alerts/vitest.config.ts $(ARGS)

e2e: node_modules/.package-lock.json $(stock_packages) ## Run the tests on real nodes, as root (flags: make e2e ARGS="--keep FILE")
	@node tools/e2e/run.ts $(ARGS)

e2e-upgrade: node_modules/.package-lock.json $(stock_packages) ## Pay while one version is upgraded to the next and rolled back, as root
	@node tools/e2e-upgrade/run.ts $(ARGS)

generate: node_modules/.package-lock.json ## Write the pages that are made from the code
	@node tools/generate/run.ts

screenshots: node_modules/.package-lock.json ## Take the pictures of the explorer in README (ARGS="--all FOLDER": every page, to look at)
	@node tools/screenshots/run.ts $(ARGS)

format: node_modules/.package-lock.json ## Format and fix what can be fixed by itself
	biome check --write .

.PHONY: chart release-check release-notes release-tools release-login release-image release-chart release-sign release-verify release-tag kind kind-delete

kind: node_modules/.package-lock.json ## Install on a cluster of kind and pay once (needs Docker, kind, kubectl, helm)
	@node tools/kind/run.ts

kind-delete: node_modules/.package-lock.json ## Remove that cluster
	@node tools/kind/run.ts delete

release-check: node_modules/.package-lock.json ## Check that every file states the version of a release (VERSION=v1.2.3)
	@node tools/release/run.ts check

release-notes: node_modules/.package-lock.json ## Write the commits since a release by area (FROM=v1.2.2 TO=HEAD VERSION=v1.2.3)
	@node tools/release/run.ts notes

chart: node_modules/.package-lock.json ## Package the chart (VERSION=v1.2.3 IMAGE=registry.example/name DIGEST=sha256:...)
	@node tools/release/run.ts chart

# The steps of .github/workflows/release.yml; CONTRIBUTING.md explains them. Their results are in dist/release-VERSION.json.
release-tools: node_modules/.package-lock.json
	@node tools/release/run.ts tools

release-login: node_modules/.package-lock.json
	@node tools/release/run.ts login

release-image: node_modules/.package-lock.json
	@node tools/release/run.ts image

release-chart: node_modules/.package-lock.json
	@node tools/release/run.ts publish-chart

release-sign: node_modules/.package-lock.json
	@node tools/release/run.ts sign

release-verify: node_modules/.package-lock.json
	@node tools/release/run.ts verify

release-tag: node_modules/.package-lock.json
	@node tools/release/run.ts tag

# All that tests install, side by side: each waits for the network half of its time.
packages:
	@$(MAKE) --silent --no-print-directory --jobs=4 node_modules/.package-lock.json $(stock_packages) $(node_22)

# npm writes this file when an install is complete. It installs with the machine's own Node: the one
# in node_modules is about to be replaced.
node_modules/.package-lock.json: package-lock.json
	@echo "Installing what is needed; the first time takes about a minute."
	@PATH="$(system_path)" npm ci --loglevel=error
	@touch $@

test/fixtures/%/node_modules/.package-lock.json: test/fixtures/%/package-lock.json
	@PATH="$(system_path)" npm ci --prefix test/fixtures/$* --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

# Its script fetches the program of this platform.
$(node_22): test/fixtures/node-22/package-lock.json
	@PATH="$(system_path)" npm ci --prefix test/fixtures/node-22 --no-audit --no-fund --loglevel=error
	@touch $@
