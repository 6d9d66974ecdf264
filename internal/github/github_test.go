package github

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzRead: each issue becomes a valid slice, or the file is refused.
func FuzzRead(f *testing.F) {
	f.Add(`[{"number":1,"title":"t","state":"closed","created_at":"2024-01-01T00:00:00Z","labels":["a",{"name":"b,c"}],"user":null,` +
		`"body":"x"}]`)
	f.Fuzz(func(t *testing.T, text string) {
		file := filepath.Join(t.TempDir(), "i.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		reports, _, err := Read(Source{Repository: "o/r", Issues: file})
		if err != nil {
			return
		}
		for _, r := range reports {
			if n := len([]rune(r.Fields.Summary)); n < 1 || n > maxSummary {
				t.Errorf("a summary of %d characters", n)
			}
			if n := len(r.Fields.Labels); n > maxLabels {
				t.Errorf("%d labels", n)
			}
			if r.Reporter.Name == "" {
				t.Error("a reporter without a name")
			}
		}
	})
}
