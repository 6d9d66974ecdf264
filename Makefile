# Bugslice. `make` lists the targets.
GO       ?= go
ARGS     ?=
FUZZTIME ?= 20s
KILLS    ?= 20
VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
BINARY   := bin/bugslice

# The build cache serves every clone of the repository: what is compiled does not name its folder.
export GOFLAGS += -trimpath

.DEFAULT_GOAL := help
.PHONY: help run build test test-fast torture sizes slow-clients intake foreign-clients firefox mcp-clients compat capture-pages mutants compare-recordings leaks fuzz bench bench-short vet lint contract commands rename-module templates bundles assets gallery pictures lighthouse interactions longtasks demo-evidence operate packages package-life fmt clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  %-18s  %s\n", $$1, $$2 }'

run: build ## Build, and serve demo data kept in ./data (more flags: make run ARGS="--listen 127.0.0.1:9090")
	$(BINARY) serve --demo $(ARGS)

build: ## Build bin/bugslice, one static binary
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o $(BINARY) ./cmd/bugslice

# A slow kind of test: its tests, with full sizes and durations. make test runs the same tests with smaller ones.
slow = BUGSLICE_TEST_FULL=1 scripts/with-postgres $(GO) test -count=1 -timeout 30m -v

# The tests of the modules of scripts, beside those in a browser.
modules = node --test --test-reporter=spec internal/web/static/test/*.test.mjs packages/capture/test/*.test.mjs

# The tests of the script for other applications, in Chromium. Those of its masks wait for their pages most.
capture = node --test --test-reporter=spec --test-timeout=240000 packages/capture/test/*.browser.mjs

# docs/design/tests.md has the reasons. -count=1: many tests run the binary, and a cached result would know nothing of its code. -vet=off: make vet does.
# Tests wait for much of their time: one package more than processors runs at once. The longest begin first.
# PostgreSQL is in memory where there is room: files of databases take much of its time on disk.
# GOGC=400: the compiler, the linker and the tests collect less often. The servers of the tests run without it.
test: ## Run every test on SQLite and PostgreSQL, and in a browser; on Debian installs what is missing
	scripts/ensure tests
	$(modules)
	$(capture)
	GOGC=400 BUGSLICE_TEST_MEMORY=on scripts/with-postgres \
		$(GO) test -count=1 -vet=off -ldflags='-s -w' -p $$(($$(getconf _NPROCESSORS_ONLN) + 1)) -parallel 4 -timeout 25m \
		./suite ./internal/web ./internal/cli ./internal/tracker ./...

test-fast: ## The same without Chromium, torture, a full disk and a database that goes away
	scripts/ensure postgresql curl bash-completion zsh fish dbus-daemon node-modules mcp-modules
	$(modules)
	scripts/with-postgres $(GO) test -count=1 -timeout 15m -skip '^Test(ReferencePage|Browser.*|Capture|Torture.*|FullDisk|PostgresAway)$$' ./...

torture: ## Kill the server KILLS (20) times under load on each database, and take its disk and database away
	scripts/ensure postgresql
	BUGSLICE_TEST_KILLS=$(KILLS) $(slow) -parallel 2 -run 'Torture|TwoNodes|Away|FullDisk|Drain|ConcurrentStarts|BesideWrites|BesideChanges' -skip TortureSlow ./suite

sizes: ## Send the largest bodies and files that are accepted, and larger ones, measure memory, and play a long replay
	scripts/ensure postgresql chromium node-modules
	$(slow) -run 'LargeBodies|CostlyBodies|TooLarge|EvidencePages|ImportIsBounded|ImportRefuses|LongHAR|SchemaFuzz|TortureImport|LongReplay|ScreenIsFast' ./suite ./internal/web ./internal/evidence

slow-clients: ## Send and read slowly for minutes, on each database
	scripts/ensure postgresql
	$(slow) -run 'Slow|UnsentBodies|ConcurrentDownloadLimit' ./suite

intake: ## Flood the door for visitors for a minute, and send it 100 reports over a line that breaks each connection
	scripts/ensure postgresql chromium
	$(slow) -run 'BrokenLine|Flood' ./suite

foreign-clients: ## Let Chromium, receivers in Go and Node.js, and mail servers use the service
	scripts/ensure postgresql chromium curl node-modules openssl postfix
	$(slow) -run 'ReferencePage|Capture|Newcomer|Stories|TheirLibraryVerifies|TheirProvider|TheirMailServer|TheirPostfix' ./suite ./internal/cli ./internal/web ./webhook

firefox: build ## Use the main pages of the demo data in Firefox, with the keyboard and the mouse
	scripts/ensure firefox-esr node-modules
	node tools/firefox.mjs $(BINARY)

mcp-clients: build ## Let clients of the Model Context Protocol from npm call the tools of agents, and its conformance suite test them
	scripts/ensure mcp-modules
	node tools/mcp/clients.mjs $(BINARY)
	node tools/mcp/conformance.mjs $(BINARY)

capture-pages: ## Use pages of React, Vue, Svelte and Angular with the script for other applications, and compare what arrives
	scripts/ensure chromium firefox-esr node-modules pages-modules
	node --test --test-reporter=spec packages/capture/pages/pages.mjs
	BROWSER=firefox node --test --test-reporter=spec packages/capture/pages/pages.mjs
	node --test --test-reporter=spec packages/capture/pages/autofill.mjs
	node packages/capture/pages/sizes.mjs

compat: build ## Let linters, generated clients, proxies and bridges of others use the service, and write docs/compat.md
	scripts/ensure compat-modules
	node compat/run.mjs $(BINARY)

mutants: ## Switch off each check of a right in turn, expect a failing test, and write docs/mutants.md (at most 20 minutes)
	scripts/ensure postgresql
	scripts/with-postgres $(GO) run ./suite/mutants

# Responses that depend on chance are told by recording BASELINE twice.
compare-recordings: build ## Record the suite on BASELINE (a binary), twice, and on this build, and show each different response
	@test -x "$(BASELINE)" || { echo "usage: make compare-recordings BASELINE=BINARY [TESTS=PATTERN]" >&2; exit 2; }
	scripts/ensure postgresql chromium node-modules
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && \
	for run in before:$(abspath $(BASELINE)) again:$(abspath $(BASELINE)) after:$(abspath $(BINARY)); do \
		BUGSLICE_TEST_SEED=1 BUGSLICE_TEST_RECORD=$$dir/$${run%%:*} BUGSLICE_TEST_BINARY=$${run#*:} \
			scripts/with-postgres $(GO) test -count=1 -parallel 6 -timeout 30m -run '$(or $(TESTS),.)' -skip Torture ./suite || exit 1; \
	done; \
	$(GO) run ./suite/recordings $$dir/before $$dir/after $$dir/again

leaks: ## Redact samples of three fresh seeds and the text of packages; SHOW=1 prints what is left and what is changed
	scripts/ensure node-modules
	BUGSLICE_TEST_FULL=1 BUGSLICE_TEST_SHOW=$(SHOW) $(GO) test -count=1 -v -run 'Unseen|HarmlessText' ./internal/redact

fuzz: ## Fuzz each parser for FUZZTIME (20s), and draw other texts for the properties of redaction
	BUGSLICE_TEST_FULL=1 $(GO) test -count=1 -run 'Enough|AnyText|NeverSurvives' ./internal/redact -rapid.checks=5000
	@targets=$$(grep -rHoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' api client cmd internal webhook 2>/dev/null | sed 's|/[^/]*:func | |'); \
	[ -n "$$targets" ] || { echo "fuzz: no target found" >&2; exit 1; }; \
	echo "$$targets" | while read -r package target; do \
		echo "== $$target in $$package"; \
		$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "./$$package" </dev/null || exit 1; \
	done

bench: ## Measure against a peer and the bare limit, and write docs/performance.md
	scripts/ensure postgresql wrk
	cd bench && $(GO) run . --output ../docs/performance.md

bench-short: ## Measure a small instance against a peer, in three minutes
	cd bench && $(GO) run . --only speed --slices 20000 --rounds 3 --time 1s

vet: ## Vet every module of the repository, and build those of bench/ and examples/
	$(GO) vet ./...
	@for module in bench examples examples/*; do \
		[ -f $$module/go.mod ] || continue; \
		echo "vet and build of $$module"; \
		(cd $$module && $(GO) vet ./... && $(GO) build -o /dev/null ./...) || exit 1; \
	done

lint: ## Run the linters of .golangci.yml, and of the scripts of the pages ESLint and TypeScript
	scripts/ensure node-modules
	$(GO) tool -modfile=tools/go.mod golangci-lint run ./...
	tools/node_modules/.bin/eslint --config tools/eslint.config.mjs internal/web/static tools compat packages
	tools/node_modules/.bin/tsc -p internal/web/static/js
	tools/node_modules/.bin/tsc -p packages/capture

contract: ## Write anew from the code: api/openapi.json, the methods of patches, and those of the client
	$(GO) run ./internal/contract

commands: ## Write docs/commands.md anew from the commands of a client
	{ sed '/^## /,$$d' docs/commands.md; $(GO) run ./cmd/bugslice-cli reference; } >docs/commands.new
	mv docs/commands.new docs/commands.md

rename-module: ## Give the module another path (MODULE=example.com/x/bugslice)
	scripts/rename-module $(MODULE)

templates: ## Compile the .templ files of the pages anew
	cd internal/web && $(GO) tool -modfile=../../tools/go.mod templ generate

bundles: ## Bundle the scripts of the pages anew from their modules
	scripts/bundle internal/web/static/built

assets: ## Bring htmx, the player of replays, the font and the icons of the pages from their npm packages into internal/web/static
	scripts/ensure chromium node-modules
	scripts/assets
	node tools/icons.mjs

gallery: ## Check every page by axe, light and dark, at 360, 1024 and 1600 px, with pictures in dist/gallery (PAGES=key: whose names match)
	scripts/ensure chromium node-modules
	mkdir -p dist/gallery
	BUGSLICE_GALLERY=$(CURDIR)/dist/gallery $(GO) test -count=1 -timeout 2h \
		-run '^TestGallery$$//$(PAGES)|^TestBrowser(LiveOffers|SessionDialog)$$|^TestMailsAreReadable$$' ./internal/web ./internal/mail

pictures: build ## Take the pictures of the README anew, of pages and of a terminal
	scripts/ensure chromium node-modules
	node tools/pictures.mjs $(BINARY)
	node tools/terminal.mjs $(BINARY)

lighthouse: build ## Run Lighthouse on each page, as a desktop and as a phone: at least 95, 100 and 100 points
	scripts/ensure chromium node-modules
	node tools/lighthouse.mjs $(BINARY)

interactions: build ## Measure keys in the list of reports on a slow processor, and the processor time of pages
	scripts/ensure chromium node-modules
	node tools/interactions.mjs $(BINARY)
	$(GO) test -run '^$$' -bench '^BenchmarkPageCost$$' -benchtime 100x ./internal/web

longtasks: build ## Measure the panels of a report with 10,000 rows: no task over 100 ms
	scripts/ensure chromium node-modules
	node tools/longtasks.mjs $(BINARY)

demo-evidence: ## Visit examples/shop in Chromium, and write the evidence that serve --demo files (minutes; look at the pictures)
	scripts/ensure chromium node-modules
	BUGSLICE_UPDATE_CAPTURES=1 $(GO) test -count=1 -timeout 20m -run '^TestCapture$$' ./suite

operate: build ## Check the examples for nginx, Caddy, Prometheus, PgBouncer, compose and systemd, and run the suite as a role without DDL
	scripts/ensure postgresql curl openssl nginx caddy pgbouncer prometheus
	scripts/with-postgres scripts/operate
	BUGSLICE_TEST_ROLE=bugslice_app scripts/with-postgres $(GO) test -count=1 -parallel 6 -timeout 30m -skip 'ReferencePage|Capture|Browser' ./suite

packages: ## Make the archives and Debian packages in dist/, with checksums and a bill of materials
	scripts/package dist

package-life: ## Install, run, upgrade and remove the Debian package in a bare Debian, as root; it is built twice, and compared
	scripts/ensure mmdebstrap curl groff systemd-container
	VERSION=v0.0.1 scripts/package dist/life/a
	VERSION=v0.0.1 scripts/package dist/life/again
	diff -r dist/life/a dist/life/again
	cd dist/life/a && sha256sum --check --quiet SHA256SUMS
	VERSION=v0.0.2 scripts/package dist/life/b
	scripts/package-life dist/life/a/*_linux_$$($(GO) env GOARCH).deb dist/life/b/*_linux_$$($(GO) env GOARCH).deb

fmt: ## Format the Go code
	gofmt -l -w .

clean: ## Remove what was built (the data of make run stays)
	rm -rf bin dist
