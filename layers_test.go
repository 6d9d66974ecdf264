// Package bugslice_test checks the rules of the repository itself: which package may import which, how files and
// functions are laid out, that links lead somewhere, and that each dependency has its reason on record.
package bugslice_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bugslice/api"
)

// layers has the layer of each package. A package imports only packages of lower layers. The parts of the lowest
// layers have fractions where one needs another: internal/evidence redacts, and internal/cursor encrypts by
// internal/secret.
var layers = map[string]float64{
	"cmd/bugslice": 7,

	"internal/cli": 6,

	"internal/deliver": 5,
	"internal/httpapi": 5,
	"internal/web":     5,

	"internal/web/pages/audit":        4.9,
	"internal/web/pages/confirm":      4.9,
	"internal/web/pages/delivery":     4.9,
	"internal/web/pages/endedkeys":    4.9,
	"internal/web/pages/erasure":      4.9,
	"internal/web/pages/files":        4.9,
	"internal/web/pages/invitation":   4.9,
	"internal/web/pages/invite":       4.9,
	"internal/web/pages/key":          4.9,
	"internal/web/pages/keys":         4.9,
	"internal/web/pages/login":        4.9,
	"internal/web/pages/my":           4.9,
	"internal/web/pages/newfiles":     4.9,
	"internal/web/pages/newkey":       4.9,
	"internal/web/pages/newreport":    4.9,
	"internal/web/pages/newwebhook":   4.9,
	"internal/web/pages/newworkspace": 4.9,
	"internal/web/pages/overview":     4.9,
	"internal/web/pages/people":       4.9,
	"internal/web/pages/person":       4.9,
	"internal/web/pages/problem":      4.9,
	"internal/web/pages/profile":      4.9,
	"internal/web/pages/redaction":    4.9,
	"internal/web/pages/replay":       4.9,
	"internal/web/pages/report":       4.9,
	"internal/web/pages/reports":      4.9,
	"internal/web/pages/reset":        4.9,
	"internal/web/pages/search":       4.9,
	"internal/web/pages/security":     4.9,
	"internal/web/pages/setup":        4.9,
	"internal/web/pages/share":        4.9,
	"internal/web/pages/shared":       4.9,
	"internal/web/pages/shares":       4.9,
	"internal/web/pages/webhook":      4.9,
	"internal/web/pages/webhooks":     4.9,
	"internal/web/pages/workspace":    4.9,

	"internal/web/page": 4.8,

	"internal/web/ui": 4.7,

	"internal/download":   4.6,
	"internal/web/static": 4.6,

	"internal/httpserver": 4.5,
	"internal/operations": 4.5,

	"internal/demo": 4.4,

	"internal/operator": 4.2,
	"internal/portable": 4.2,

	"internal/apidoc":  4,
	"internal/tracker": 4,

	"internal/input": 3,

	"examples/receiver-go": 2,
	"internal/blob":        2,
	"internal/query":       2,
	"internal/store":       2,

	"internal/store/termindex": 1.9,

	"internal/evidence": 1.5,

	"internal/admission":  1,
	"internal/cursor":     1,
	"internal/disk":       1,
	"internal/fairshare":  1,
	"internal/github":     1,
	"internal/id":         1,
	"internal/markdown":   1,
	"internal/media":      1,
	"internal/password":   1,
	"internal/ratelimit":  1,
	"internal/redact":     1,
	"internal/safehttp":   1,
	"internal/schema":     1,
	"internal/strictjson": 1,
	"internal/throttle":   1,
	"internal/token":      1,
	"internal/words":      1,
	"webhook":             1,

	"internal/secret": 0.5,

	"client": 1,

	"api/wire": 0.1, // and the standard library alone
	"api":      0,   // and the standard library alone
}

// helpers serve tests, generate code, or are the shop that tests visit. They have no layer: they may import
// any package, and no production code imports one.
var helpers = []string{"internal/assert", "internal/browsertest", "internal/password/passwordtest", "internal/store/storetest", "suite",
	"suite/mutants", "suite/recordings", "internal/contract", "client/clienttest", "examples/shop", "examples/shop/serve"}

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
	missing := maps.Clone(layers) // packages that the table names and that do not exist
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		delete(missing, name)
		if len(p.GoFiles) == 0 || slices.Contains(helpers, name) {
			continue
		}
		layer, ok := layers[name]
		if !ok {
			t.Errorf("package %s has no layer: add it to the table of layers_test.go, or to the test helpers", name)
			continue
		}
		for _, path := range p.Imports {
			imported, ours := strings.CutPrefix(path, module+"/")
			switch {
			case slices.Contains(public, name) && !slices.Contains(contract, imported) && (ours || !isStandard(path)):
				t.Errorf("%s imports %s: it imports the contract and the standard library alone", name, path)
			case !ours:
			case slices.Contains(helpers, imported):
				t.Errorf("%s imports %s, which is for tests alone", name, imported)
			case layers[imported] >= layer:
				t.Errorf("%s (layer %v) imports %s (layer %v), which is not of a lower layer", name, layer, imported, layers[imported])
			}
		}
	}
	for name := range missing {
		t.Errorf("the table of layers_test.go has %s, which is no package", name)
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
