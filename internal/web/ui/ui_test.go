package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// TestNewPage: a page that has no title or no content cannot be shown.
func TestNewPage(t *testing.T) {
	const title, content = `{{define "title"}}Keys{{end}}`, `{{define "content"}}<p>None</p>{{end}}`
	for text, missing := range map[string]string{title + content: "", title: "content", content: "title", "": "title"} {
		t.Run("without "+missing, func(t *testing.T) {
			defer func() {
				if got := fmt.Sprint(recover()); missing == "" && got != "<nil>" || !strings.HasSuffix(got, missing) {
					t.Errorf("the view panics with %s", got)
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
	const page = `{{define "title"}}Keys{{end}}{{define "one"}}{{if .}}{{template "icon" "x"}}{{else}}{{with "plus"}}{{template ` +
		`"icon" .}}{{end}}{{end}}{{end}}
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

// TestMemoryOfPages: a small page after a large one takes little memory.
func TestMemoryOfPages(t *testing.T) {
	const page = `{{define "title"}}Keys{{end}}{{define "content"}}{{.Data}}{{end}}`
	p := NewPage("keys", fstest.MapFS{"page.html": {Data: []byte(page)}})
	if large, err := p.Render(&View{Data: strings.Repeat("a", 16<<20)}); err != nil || len(large) < 16<<20 {
		t.Fatalf("%d bytes, %v", len(large), err)
	}
	if small, err := p.Render(&View{Data: "a"}); err != nil || cap(small) > 2<<20 {
		t.Errorf("a page of %d bytes takes %d (%v)", len(small), cap(small), err)
	}
}

// leaving is data of a page whose reader leaves while its third part is rendered.
type leaving struct {
	leave func()
	parts int
}

func (l *leaving) Part() string {
	if l.parts++; l.parts == 3 {
		l.leave()
	}
	return "a"
}

// TestRenderUntil: nothing more is rendered for a reader who has left.
func TestRenderUntil(t *testing.T) {
	const page = `{{define "title"}}Keys{{end}}{{define "content"}}{{range 100}}<p>{{$.Data.Part}}</p>{{end}}{{end}}`
	p := NewPage("keys", fstest.MapFS{"page.html": {Data: []byte(page)}})
	ctx, leave := context.WithCancel(t.Context())
	d := &leaving{leave: leave}
	if html, err := p.RenderUntil(ctx, &View{Data: d}); !errors.Is(err, context.Canceled) || d.parts != 3 {
		t.Errorf("%d parts, %d bytes, %v", d.parts, len(html), err)
	}
}

// TestSentence: a message gets a full stop, unless it has an end.
func TestSentence(t *testing.T) {
	for message, want := range map[string]string{"must be a date, such as 2026-11-22": "must be a date, such as 2026-11-22.",
		"choose another name":   "choose another name.",
		`did you mean "status"`: `did you mean "status".`, "did you mean status?": "did you mean status?",
		"It ends.": "It ends.", "must begin with https://": "must begin with https://", "": ""} {
		if got := sentence(message); got != want {
			t.Errorf("%q becomes %q, want %q", message, got, want)
		}
	}
}

// TestAhead: a time in the future is rounded, a time in the past is not.
func TestAhead(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{7*24*time.Hour - time.Minute: "7 day",
		25 * time.Hour: "1 day", 95 * time.Second: "2 minute", 59 * time.Second: "1 ",
		20 * time.Second: "0 "} {
		if got := ahead(now, now.Add(d)); fmt.Sprint(got.N, " ", got.Unit) != want {
			t.Errorf("in %v: %v, want %s", d, got, want)
		}
	}
	if got := age(now, now.Add(time.Minute-7*24*time.Hour)); got != (Age{6, "day"}) {
		t.Errorf("a minute less than 7 days ago: %v", got)
	}
}
