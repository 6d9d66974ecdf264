package apidoc

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"bugslice/api"
)

// TestEveryEventHasAMessage with a schema of its own that its example is valid by, and that
// another type's example is not.
func TestEveryEventHasAMessage(t *testing.T) {
	raw, err := OpenAPI("")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	messages := doc.(object)["webhooks"].(object)
	types := []string{string(api.EventPing)}
	for _, e := range api.PublicEvents() {
		types = append(types, string(e.Type))
	}
	if len(messages) != len(types) {
		t.Errorf("%d messages for %d types", len(messages), len(types))
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("openapi.json", doc); err != nil {
		t.Fatal(err)
	}
	for i, kind := range types {
		body := "/webhooks/" + kind + "/post/requestBody/content/application~1json"
		s, err := c.Compile("openapi.json#" + body + "/schema")
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		example := func(kind string) any {
			operation := messages[kind].(object)["post"].(object)
			return operation["requestBody"].(object)["content"].(object)["application/json"].(object)["example"]
		}
		if err := s.Validate(example(kind)); err != nil {
			text, _ := json.Marshal(example(kind))
			t.Errorf("the example of %s: %v\n%s", kind, err, text)
		}
		if s.Validate(example(types[(i+1)%len(types)])) == nil {
			t.Errorf("%s takes another type", kind)
		}
	}
}
