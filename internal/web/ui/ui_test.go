package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// TestNewPage: the program does not start with a page that has no title or no content.
func TestNewPage(t *testing.T) {
	const title, content = `{{define "title"}}Keys{{end}}`, `{{define "content"}}<p>None</p>{{end}}`
	for text, missing := range map[string]string{title + content: "", title: "content", content: "title", "": "title"} {
		t.Run("without "+missing, func(t *testing.T) {
			defer func() {
				if got := fmt.Sprint(recover()); missing == "" && got != "<nil>" || !strings.HasSuffix(got, missing) {
					t.Errorf("NewPage panics with %s", got)
				}
			}()
			html, err := NewPage("keys", fstest.MapFS{"page.html": {Data: []byte(text)}}).Render(&View{})
			if err != nil || !strings.Contains(string(html), "<title>Keys · Bugslice</title>") {
				t.Errorf("%v: %s", err, html)
			}
		})
	}
}
