package api_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bugslice/api"
)

// constants returns the values of the constants of type EventType.
func constants(t *testing.T) (values []api.EventType) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "event.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == "EventType" {
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, api.EventType(value))
		}
		return true
	})
	return values
}

// TestEveryEventTypeHasOneRow: each event type has one row; a public one has the scope that reads it, no other type
// has one, and the activity of a slice shows public types alone.
func TestEveryEventTypeHasOneRow(t *testing.T) {
	rows := map[api.EventType]int{}
	for _, e := range api.Events {
		rows[e.Type]++
		if e.Public != (e.Scope != "") || e.Activity && !e.Public || e.Subject == "" || e.Summary == "" {
			t.Errorf("the row of %s contradicts itself: %+v", e.Type, e)
		}
	}
	all := constants(t)
	if len(all) != len(api.Events)+1 {
		t.Errorf("%d constants, want %d: one for each row and the ping", len(all), len(api.Events)+1)
	}
	for _, kind := range all {
		if _, ok := api.EventOf(kind); ok == (kind == api.EventPing) || rows[kind] > 1 {
			t.Errorf("%s has %d rows", kind, rows[kind])
		}
	}
}

// TestPublicEventTypesAreDocumented in docs/webhooks.md, each with the scope that reads it, and no other is.
func TestPublicEventTypesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/webhooks.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented, want []string
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(line, "|"); len(cells) == 5 && strings.Contains(cells[1], "`") {
			documented = append(documented, strings.TrimSpace(cells[1])+strings.TrimSpace(cells[2])+
				strings.TrimSpace(cells[3]))
		}
	}
	for _, e := range api.PublicEvents() {
		want = append(want, "`"+string(e.Type)+"``"+string(e.Scope)+"`"+e.Summary)
	}
	if !slices.Equal(documented, want) {
		t.Errorf("docs/webhooks.md documents\n%s\nwant\n%s", strings.Join(documented, "\n"), strings.Join(want, "\n"))
	}
}
