package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bugslice/internal/assert"
)

// TestCompare reports a response that only one version gave, and no response that depends on chance.
func TestCompare(t *testing.T) {
	const (
		one    = `GET /v1/me ["Accept: x" "Authorization"] "" -> 200 ["Etag: 1"] "{}"`
		other  = `GET /v1/me ["Accept: x" "Authorization"] "" -> 200 ["Etag: 2"] "{}"`
		quoted = `POST /v1/slices [] "{\" -> 200 \\\\" -> 400 [] "x"`
		random = `POST /v1/slices ["Accept: ]"] "random" -> 201 [] "x"`
	)
	for name, c := range map[string]struct {
		before, after, again []string
		different            int
		says                 []string
	}{
		"the same": {[]string{one, quoted, one}, []string{quoted, one}, nil, 0,
			[]string{"2 in common, of which 0"}},
		"another response": {[]string{one}, []string{other}, nil, 1,
			[]string{`- 200 ["Etag: 1"]`, `+ 200 ["Etag: 2"]`}},
		"one more response": {[]string{one}, []string{one, other}, nil, 1, []string{`+ 200 ["Etag: 2"]`}},
		"one response less": {[]string{one, other}, []string{one}, nil, 1, []string{`- 200 ["Etag: 2"]`}},
		"less by chance":    {[]string{one, other}, []string{one}, []string{one}, 0, nil},
		"another request": {[]string{one}, []string{one, random}, nil, 0,
			[]string{"1 requests before, 2 after, 1 in common"}},
		"chance": {[]string{one}, []string{other}, []string{other}, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			file := func(name string, lines []string) string {
				path := filepath.Join(t.TempDir(), name)
				if err := os.WriteFile(path, []byte(strings.Join(append(lines, ""), "\n")), 0o600); err != nil {
					t.Fatal(err)
				}
				return path
			}
			var further []string
			if c.again != nil {
				further = append(further, file("again", c.again))
			}
			var out strings.Builder
			different, err := compare(&out, file("before", c.before), file("after", c.after), further...)
			if err != nil {
				t.Fatal(err)
			}
			assert.Equal(t, "different requests", different, c.different)
			assert.Contains(t, "the report", out.String(), c.says...)
		})
	}
}
