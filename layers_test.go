// Package bugslice_test checks the rules of the repository itself: which package may import which, how files and
// functions are laid out, that links lead somewhere, that the chapters of the design are short, and that each
// dependency has its reason.
package bugslice_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bugslice/api"
)

// layers are the layers by name, from the lowest to the highest, each with its ranks of packages. A package imports
// only packages of lower ranks: of lower layers, and of former lines of its own. A pattern such as pages/* stands for
// all packages of a folder.
var layers = []struct {
	name  string
	ranks []string
}{
	{"contract", []string{
		"api",
		"api/wire",
	}},
	{"parts", []string{
		"client webhook internal/secret internal/suggest",
		"internal/redact/lex",
		"internal/redact/decide",
		"internal/redact/find",
		`internal/admission internal/cursor internal/disk internal/factor internal/fairshare internal/github internal/id
			internal/mail internal/markdown internal/media
			internal/password internal/policy internal/proofofwork internal/ratelimit internal/redact internal/safehttp
			internal/schema internal/strictjson
			internal/chat internal/throttle internal/token internal/untrusted internal/words`,
		`internal/evidence examples/receiver-go internal/ci/job internal/ci/owners internal/ci/trace
			internal/ci/xmlscan internal/openid`,
		"internal/ci/results",
		"internal/ci/cause internal/ci/failing internal/ci/summary",
		"internal/ci/finding",
	}},
	{"storage", []string{
		"internal/store/sqldb internal/store/termindex",
		"internal/store/pictures",
		"internal/store/reactions internal/store/factors internal/store/identities internal/store/uploads",
		"internal/store/mails internal/store/notices internal/store/sources internal/store/testcounts internal/store/sealed",
		"internal/store/policies internal/store/reporters", "internal/store/recordings",
		"internal/blob internal/query internal/store",
	}},
	{"input", []string{
		"internal/input",
	}},
	{"service", []string{
		"internal/access internal/apidoc internal/recipients internal/reporttext",
		"internal/tracker",
		"internal/intake internal/oauth internal/operator internal/portable",
		"internal/demo",
	}},
	{"server", []string{
		"internal/httpserver internal/operations",
		"internal/download internal/gateway internal/web/static",
	}},
	{"front", []string{
		"internal/mcp",
		"internal/web/ui",
		"internal/web/page",
		"internal/web/pages/*",
		"internal/deliver internal/httpapi internal/intakeapi internal/mcpapi internal/oauthapi internal/web",
		"internal/command/profile internal/command/tree",
		"internal/command/output",
		"internal/command",
	}},
	{"program", []string{
		"internal/cli",
		"cmd/bugslice cmd/bugslice-cli",
	}},
}

// place is the rank of a package, counted from the lowest, with its pattern and its layer.
type place struct {
	rank           int
	layer, pattern string
}

// placeOf returns the place of a package.
func placeOf(name string) (p place, ok bool) {
	for _, l := range layers {
		for _, rank := range l.ranks {
			p.rank, p.layer = p.rank+1, l.name
			for _, p.pattern = range strings.Fields(rank) {
				if ok, _ := path.Match(p.pattern, name); ok {
					return p, true
				}
			}
		}
	}
	return place{}, false
}

// helpers serve tests, generate code, or are the shop that tests visit. They have no layer: they may import
// any package, and no production code imports one.
var helpers = []string{"internal/assert", "internal/browsertest", "internal/password/passwordtest",
	"internal/factor/factortest", "internal/openid/openidtest",
	"internal/store/storetest", "suite",
	"internal/mail/mailtest", "suite/mutants", "suite/recordings", "internal/contract", "client/clienttest", "examples/shop",
	"examples/shop/serve"}

// contract has the packages of the contract. Those of public, which other programs import, import them and the
// standard library alone.
var (
	contract = []string{"api", "api/wire"}
	public   = append([]string{"client", "webhook"}, contract...)
)

// module is the path of the module.
var module = strings.TrimSuffix(reflect.TypeFor[api.Time]().PkgPath(), "/api")

func isStandard(path string) bool {
	domain, _, _ := strings.Cut(path, "/")
	return !strings.Contains(domain, ".")
}

// TestLayers: production code imports only packages of lower layers.
func TestLayers(t *testing.T) {
	used := map[string]bool{} // patterns
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		at, ok := placeOf(name)
		used[at.pattern] = true
		if len(p.GoFiles) == 0 || slices.Contains(helpers, name) {
			continue
		}
		if !ok {
			t.Errorf("package %s has no layer: add it to layers, or to the test helpers", name)
			continue
		}
		for _, path := range p.Imports {
			imported, ours := strings.CutPrefix(path, module+"/")
			below, _ := placeOf(imported)
			switch {
			case slices.Contains(public, name) && !slices.Contains(contract, imported) && (ours || !isStandard(path)):
				t.Errorf("%s imports %s: it imports the contract and the standard library alone", name, path)
			case !ours:
			case slices.Contains(helpers, imported):
				t.Errorf("%s imports %s, which is for tests alone", name, imported)
			case below.rank >= at.rank:
				t.Errorf("%s (%s) imports %s (%s), which is not of a lower layer or line", name, at.layer, imported,
					below.layer)
			}
		}
	}
	for _, l := range layers {
		for _, pattern := range strings.Fields(strings.Join(l.ranks, " ")) {
			if !used[pattern] {
				t.Errorf("layer %s has %s, which is no package", l.name, pattern)
			}
		}
	}
}

type goPackage struct {
	ImportPath string
	GoFiles    []string
	Imports    []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(run(t, "go", "list", "-json=ImportPath,GoFiles,Imports", "./...")))
	var all []goPackage
	for {
		var p goPackage
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func run(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, &stderr)
	}
	return out
}
