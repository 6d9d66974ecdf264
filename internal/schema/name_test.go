package schema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/schema"
)

// named is a record with a name.
type named struct {
	Name string `json:"name" create:"required" minLength:"1" maxLength:"100" pattern:"\\S" name:"true"`
	Text string `json:"text" pattern:"\\S"`
}

// validator returns the validator of the record in a mode, as it reads the document that clients read.
func validator(t *testing.T, mode schema.Mode) func(record map[string]any) []schema.Fault {
	t.Helper()
	set := schema.NewSet(reflect.TypeFor[api.Time]())
	set.Ref(reflect.TypeFor[named](), mode)
	document, err := json.Marshal(map[string]any{"components": map[string]any{"schemas": set.Components}})
	if err != nil {
		t.Fatal(err)
	}
	component := schema.Name(reflect.TypeFor[named](), mode)
	v, err := schema.Compile(document, []string{component})
	if err != nil {
		t.Fatal(err)
	}
	if described := bytes.Contains(document, []byte("invisible")); described != (mode == schema.Create ||
		mode == schema.Patch) {
		t.Errorf("mode %d: the rule is described: %t", mode, described)
	}
	return func(record map[string]any) []schema.Fault { return v.Check(component, record) }
}

// TestNames: requests refuse names with characters that are not seen, and say so at the member. Stored and imported
// ones may have them, since they may be older than the rule.
func TestNames(t *testing.T) {
	v := func(mode schema.Mode) func(name string) []schema.Fault {
		check := validator(t, mode)
		return func(name string) []schema.Fault { return check(map[string]any{"name": name, "text": "a"}) }
	}
	create, patch, record, row := v(schema.Create), v(schema.Patch), v(schema.Record), v(schema.Row)
	for _, name := range []string{"Web shop", "Ада Лавлейс", "小林", "محمد",
		"O'Brien-Ñandú (ext.)", "a\u0301", "🐞", "علی\u200cرضا", "👩\u200d💻", strings.Repeat("é", 100)} {
		if err := schema.CheckName(name); err != nil || len(create(name)) > 0 || len(patch(name)) > 0 {
			t.Errorf("%q is refused: %v %v", name, err, create(name))
		}
	}
	for _, c := range []string{"\n", "\r", "\t", "\x00", "\x1b", "\x7f",
		"\u0085", "\u00ad", "\u061c", "\u200b", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a",
		"\u202e", "\u2060", "\u2066", "\u2069", "\ufeff"} {
		for _, name := range []string{"Ada" + c + "nimda", c + "Ada", "Ada" + c} {
			want := fmt.Sprint([]schema.Fault{{Pointer: "/name", Code: "hidden_characters",
				Detail: "must be one line, without control characters, direction marks and other invisible characters"}})
			if got := fmt.Sprint(create(name)); got != want {
				t.Errorf("%q: %s", name, got)
			}
			if err := schema.CheckName(name); err == nil || !strings.Contains(err.Error(), "invisible") ||
				len(patch(name)) != 1 {
				t.Errorf("%q: %v, %v", name, err, patch(name))
			}
			if len(record(name)) > 0 || len(row(name)) > 0 {
				t.Errorf("%q is stored and cannot be read: %v %v", name, record(name), row(name))
			}
		}
	}
	for name, code := range map[string]string{"": "empty", "   ": "blank",
		"\u200c\u200d": "blank", "\u00a0\u3000": "blank", "\u2800\u3164": "blank",
		strings.Repeat("é", 101): "too_long"} {
		if faults := create(name); len(faults) != 1 || faults[0].Code != code {
			t.Errorf("%q: %v, want %s", name, faults, code)
		}
		if err := schema.CheckName(name); err == nil || !strings.Contains(err.Error(), "1 to 100") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestTexts: requests refuse a text of which nothing is seen. A stored one may be older than the rule.
func TestTexts(t *testing.T) {
	v := func(mode schema.Mode) func(text string) []schema.Fault {
		check := validator(t, mode)
		return func(text string) []schema.Fault { return check(map[string]any{"name": "a", "text": text}) }
	}
	create, patch, record := v(schema.Create), v(schema.Patch), v(schema.Record)
	for _, text := range []string{"a", " \n\u200bа\u202e", "👩\u200d💻", "小", "\u0301", "."} {
		if len(create(text)) > 0 || len(patch(text)) > 0 {
			t.Errorf("%q is refused: %v %v", text, create(text), patch(text))
		}
	}
	for _, text := range []string{" ", "\n", "\u00a0\u3000", "\u200b\u2060", "\u200d", "\u202e", "\ufeff", "\u2800",
		"\u3164"} {
		want := []schema.Fault{{Pointer: "/text", Code: "blank", Detail: "must not be blank"}}
		assert.Equal(t, fmt.Sprintf("%q created", text), create(text), want)
		assert.Equal(t, fmt.Sprintf("%q patched", text), patch(text), want)
		if text != " " && text != "\n" && len(record(text)) > 0 {
			t.Errorf("%q is stored and cannot be read: %v", text, record(text))
		}
	}
}
