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

// TestIcons: an icon is the same element whether its name is constant or computed, in each branch.
func TestIcons(t *testing.T) {
	const page = `{{define "title"}}Keys{{end}}{{define "one"}}{{if .}}{{template "icon" "x"}}{{else}}{{with "plus"}}{{template "icon" .}}{{end}}{{end}}{{end}}
		{{define "content"}}{{range .Data}}[{{template "one" .}}]{{else}}{{template "icon" "check"}}{{end}}{{end}}`
	p := NewPage("keys", fstest.MapFS{"page.html": {Data: []byte(page)}})
	for _, c := range []struct {
		data []bool
		want string
	}{{[]bool{true, false}, fmt.Sprintf("[%s][%s]", icon("x"), icon("plus"))}, {nil, string(icon("check"))}} {
		html, err := p.Render(&View{Data: c.data})
		if err != nil || !strings.Contains(string(html), c.want) {
			t.Errorf("%v: %v: no %s in %s", c.data, err, c.want, html)
		}
	}
}
