package suite

import (
	"bytes"
	"os"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

var document = sync.OnceValues(func() (any, error) {
	raw, err := os.ReadFile("../api/openapi.json")
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(raw))
})

// conformsToMessage holds what a webhook sent against the schema of its type.
func conformsToMessage(t *testing.T, m message) {
	t.Helper()
	doc, err := document()
	must(t, err)
	kind := m.event(t)["type"].(string)
	c := jsonschema.NewCompiler()
	must(t, c.AddResource("openapi.json", doc))
	s, err := c.Compile("openapi.json#/webhooks/" + kind + "/post/requestBody/content/application~1json/schema")
	must(t, err)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(m.Body))
	must(t, err)
	if err := s.Validate(value); err != nil {
		t.Errorf("%s is not what the document says: %v\n%s", kind, err, m.Body)
	}
}
