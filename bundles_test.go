package bugslice_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	scripts = "internal/web/static/"
	capture = "packages/capture/src/" // its index.ts is for npm
)

// TestBundles: the scripts that pages load are what make bundles writes.
func TestBundles(t *testing.T) {
	dir := t.TempDir()
	run(t, "scripts/bundle", dir)
	made, committed := files(t, dir), files(t, scripts+"built")
	for name, text := range made {
		if !bytes.Equal(text, committed[name]) {
			t.Errorf("%s is not that of its modules: run make bundles", name)
		}
	}
	if len(made) != len(committed) || len(made) < 5 {
		t.Errorf("%d bundles are made, and %d are there", len(made), len(committed))
	}
}

// alone is the bundle of a page that loads no other one: the reference of the API.
const alone = "reference.js"

// TestModules: each module is in one bundle, because another copy would have a state of its own. What bundles share
// is exported by app.js. A bundle that is alone on its page may have copies.
func TestModules(t *testing.T) {
	dir := t.TempDir()
	run(t, "scripts/bundle", dir, dir+"/meta")
	bundles := map[string]string{}
	used := map[string]bool{}
	for name, text := range files(t, dir+"/meta") {
		var meta struct {
			Inputs  map[string]any
			Outputs map[string]struct{ Inputs map[string]any }
		}
		if err := json.Unmarshal(text, &meta); err != nil {
			t.Fatal(name, err)
		}
		for module := range meta.Inputs {
			used[module] = true
		}
		for bundle, output := range meta.Outputs {
			if filepath.Base(bundle) == alone {
				continue
			}
			for module := range output.Inputs {
				if bundles[module] != "" {
					t.Errorf("%s is in %s and in %s: export it from app.js", module, bundles[module],
						filepath.Base(bundle))
				}
				bundles[module] = filepath.Base(bundle)
			}
		}
	}
	for path := range sources(t) {
		module := strings.HasPrefix(path, scripts+"js/") && filepath.Ext(path) == ".js" || strings.HasPrefix(path, capture) &&
			filepath.Ext(path) == ".ts" && !slices.Contains([]string{"index.ts", "types.ts"}, filepath.Base(path))
		if module && !used[path] {
			t.Errorf("%s is in no bundle", path)
		}
	}
}

// files returns the files of a folder, by name.
func files(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, entry := range entries {
		if entry.IsDir() {
			continue
		}
		if all[entry.Name()], err = os.ReadFile(filepath.Join(dir, entry.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return all
}
