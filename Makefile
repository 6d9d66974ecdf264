# Bugslice. `make` lists the targets.
GO      ?= go
BIN     := bin/bugslice
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
ARGS    ?=
FUZZTIME ?= 20s
KILLS   ?= 20

.DEFAULT_GOAL := help
.PHONY: help run build test torture fuzz bench lint openapi fmt clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-10s %s\n", $$1, $$2}'

run: build ## Build and start Bugslice with demo data in ./data (more flags: make run ARGS="--listen 127.0.0.1:9090")
	$(BIN) serve --demo $(ARGS)

build: ## Build bin/bugslice, one static binary
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w -X bugslice/internal/cli.Version=$(VERSION)" -o $(BIN) ./cmd/bugslice

test: ## Run every test on both databases, the stories and the browser; installs what is missing on Debian
	scripts/ensure postgresql chromium node-modules
	scripts/with-postgres $(GO) test -timeout 20m ./...
	cd bench && $(GO) vet ./...

torture: ## Kill the server KILLS times under load, on both databases
	scripts/ensure postgresql
	BUGSLICE_TEST_KILLS=$(KILLS) scripts/with-postgres $(GO) test -count=1 -timeout 30m -v -run 'Torture|Away|FullDisk|Drain|StartsAtOnce' ./suite

fuzz: ## Fuzz each parser for FUZZTIME
	@for target in $$(grep -rl --include='*_test.go' '^func Fuzz' internal); do \
		for name in $$(grep -oE '^func Fuzz[A-Za-z]+' $$target | cut -d' ' -f2); do \
			echo "$$name in $$(dirname $$target)"; \
			$(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) ./$$(dirname $$target) || exit 1; \
		done; \
	done

bench: ## Measure against a peer and the bare limit, and write docs/performance.md
	scripts/ensure postgresql wrk
	cd bench && $(GO) run . --output ../docs/performance.md

lint: ## Run the linters
	$(GO) tool -modfile=tools/go.mod golangci-lint run ./...

openapi: ## Write api/openapi.json anew
	$(GO) run ./cmd/bugslice openapi > api/openapi.json.new && mv api/openapi.json.new api/openapi.json

fmt: ## Format the code
	gofmt -w api cmd internal suite bench *.go

clean: ## Remove what was built
	rm -rf bin
