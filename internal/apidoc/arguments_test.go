package apidoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/operations"
)

// TestArgumentsAgreeWithTheirSchema makes arguments of each operation at random. Those that the schema refuses are
// refused, but for what is repaired or validated later. Those that it allows are refused only for what it cannot say.
func TestArgumentsAgreeWithTheirSchema(t *testing.T) {
	valid, invalid := 0, 0
	for _, op := range operations.All(nil) {
		if Arguments(op.Operation) == nil {
			continue
		}
		schema := compiled(t, op.Operation)
		for n := range 200 {
			g := argumentsGenerator{Rand: rand.New(rand.NewPCG(uint64(n), 7)), defs: schema.document, op: op.Input,
				invalid: n % 4 * 6}
			object := g.arguments()
			text, err := json.Marshal(object)
			must(t, err)
			refused := schema.faults(t, text)
			p := bindArguments(op, text)
			switch {
			case p == nil && !slices.ContainsFunc(refused, isFinal):
				valid++
			case p == nil:
				t.Fatalf("%s %s\nis refused by the schema alone: %v", op.ID, text, refused)
			case len(refused) > 0:
				invalid++
			case p.Status != 404 && !slices.ContainsFunc(p.Errors, isUnsaid):
				t.Fatalf("%s %s\nis refused by the service alone: %v", op.ID, text, p)
			}
		}
	}
	t.Logf("%d valid, %d invalid", valid, invalid)
	if valid < 3000 || invalid < 2500 {
		t.Errorf("%d arguments were valid and %d invalid: the generator does not reach far", valid, invalid)
	}
}

// isFinal reports whether a fault that a schema finds at a pointer refuses the arguments. What machines observed is
// repaired; the patch of an item is validated with the item, and a day with the statistics.
func isFinal(pointer string) bool {
	return !regexp.MustCompile(`^/(evidence|environment|metadata|errors|from|to|items/\d+/patch)(/|$)`).
		MatchString(pointer)
}

// isUnsaid reports whether a fault is one that the schema does not say: the form of an identifier or a time, U+0000,
// or an integer that is written as 1e9.
func isUnsaid(f api.Fault) bool {
	return f.Code == "nul_character" || f.Code == "unreadable" ||
		f.Code == "wrong_form" && regexp.MustCompile(`identifier|RFC 3339|U\+0000`).MatchString(f.Detail)
}

func bindArguments(op operations.Operation, object []byte) *api.Problem {
	source, err := op.Input.Arguments(object)
	if err == nil {
		_, err = op.Bind(source)
	}
	p, _ := errors.AsType[*api.Problem](err)
	return p
}

// compiledArguments is a compiled schema of arguments, and its document.
type compiledArguments struct {
	*jsonschema.Schema
	document object
}

func compiled(t *testing.T, op *api.Operation) compiledArguments {
	t.Helper()
	text, err := json.Marshal(Arguments(op))
	must(t, err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	must(t, err)
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	must(t, c.AddResource("https://bugslice.invalid/"+op.ID, document))
	s, err := c.Compile("https://bugslice.invalid/" + op.ID)
	must(t, err)
	return compiledArguments{s, document.(object)}
}

// faults returns pointers to the values of an object that the schema refuses.
func (s compiledArguments) faults(t *testing.T, text []byte) (all []string) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	must(t, err)
	var add func(e *jsonschema.ValidationError)
	add = func(e *jsonschema.ValidationError) {
		_, ofNames := e.ErrorKind.(*kind.PropertyNames)
		switch {
		case ofNames && len(e.InstanceLocation) > 2: // the validator overwrites the middle of the location
			all = append(all, "/items/0/patch")
			return
		case ofNames || len(e.Causes) == 0:
			all = append(all, "/"+strings.Join(e.InstanceLocation, "/"))
			return
		}
		for _, cause := range e.Causes {
			add(cause)
		}
	}
	if e, ok := errors.AsType[*jsonschema.ValidationError](s.Validate(value)); ok {
		add(e)
	}
	return all
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// argumentsGenerator makes values that a schema allows, but for so many in a hundred.
type argumentsGenerator struct {
	*rand.Rand
	defs    object // the schema that has the $defs
	op      *input.Binding
	invalid int
}

func (g argumentsGenerator) chance(percent int) bool { return g.IntN(100) < percent }

func (g argumentsGenerator) arguments() any {
	all := g.object(g.defs)
	for _, p := range g.op.Params {
		if _, ok := all[p.Name].(string); ok && p.In == "path" && g.chance(90) {
			all[p.Name] = id.New(p.Prefix())
		}
	}
	return all
}

// value returns a value for a schema.
func (g argumentsGenerator) value(s object) any {
	if ref, ok := s["$ref"].(string); ok {
		return g.value(g.defs["$defs"].(object)[strings.TrimPrefix(ref, "#/$defs/")].(object))
	}
	if alternatives, ok := s["anyOf"].([]any); ok {
		return g.value(alternatives[g.IntN(len(alternatives))].(object))
	}
	named, _ := s["type"].(string)
	if kinds, ok := s["type"].([]any); ok {
		named = kinds[g.IntN(len(kinds))].(string)
	}
	if g.chance(g.invalid / 2) {
		return []any{nil, "banana", 1.5, true, []any{}, []any{"a", nil}, object{"x": 1}, -1, 1e9}[g.IntN(9)]
	}
	switch named {
	case "null":
		return nil
	case "boolean":
		return g.chance(50)
	case "integer", "number":
		return g.number(s)
	case "string":
		return g.text(s)
	case "array":
		least := 0
		if s["minItems"] != nil && !g.chance(g.invalid) {
			least = 1
		}
		list := make([]any, least+g.IntN(3))
		if g.chance(g.invalid) {
			list = make([]any, 101)
		}
		for i := range list {
			list[i] = g.value(s["items"].(object))
		}
		return list
	case "object":
		return g.object(s)
	}
	return []any{"any", object{"a": 1}}[g.IntN(2)]
}

func (g argumentsGenerator) object(s object) object {
	out := object{}
	required, _ := s["required"].([]any)
	properties, _ := s["properties"].(object)
	names := make([]string, 0, len(properties))
	for name := range properties {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if isRequired := slices.Contains(required, any(name)); isRequired && !g.chance(g.invalid/2) || !isRequired &&
			g.chance(25) {
			out[name] = g.value(properties[name].(object))
		}
	}
	if values, ok := s["additionalProperties"].(object); ok {
		out[[]string{"orderId", "a/b~c", "n"}[g.IntN(3)]] = g.value(values)
	}
	if g.chance(g.invalid) {
		out[[]string{"sumary", "id", "limitt", strings.Repeat("n", 101), ""}[g.IntN(5)]] = g.IntN(3)
	}
	return out
}

func (g argumentsGenerator) number(s object) any {
	least, most := 0, 1000
	if n, ok := s["minimum"].(json.Number); ok {
		i, _ := n.Int64()
		least = int(i)
	}
	if n, ok := s["maximum"].(json.Number); ok {
		i, _ := n.Int64()
		most = int(i)
	}
	if g.chance(g.invalid) {
		return []int{least - 1, most + 1}[g.IntN(2)]
	}
	return least + g.IntN(min(most-least, 1000)+1)
}

// texts are candidates, of which each pattern allows one.
var texts = []string{"text", "WEB", "2026-11-20", "https://a.example/x", "2026-11-20T10:00:00Z", "pat"}

func (g argumentsGenerator) text(s object) any {
	if g.chance(g.invalid) {
		return []string{"", " ", "a,b", "ü", "\x00", "\u202e", "two\nlines", strings.Repeat("x", 3000),
			"banana"}[g.IntN(9)]
	}
	if values, ok := s["enum"].([]any); ok {
		return values[g.IntN(len(values))]
	}
	if s["format"] == "date-time" {
		return "2026-11-20T10:00:00Z"
	}
	pattern, _ := s["pattern"].(string)
	i := slices.IndexFunc(texts, regexp.MustCompile(pattern).MatchString)
	return texts[max(i, 0)]
}
