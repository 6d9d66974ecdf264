package suite

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// The published document, which every exchange is held against: kin-openapi knows routes,
// parameters, headers and statuses. It compiles a schema anew for each body, so that bodies
// are held against schemas that are compiled here, once.
var (
	router  routers.Router
	schemas struct {
		sync.Mutex
		compiler *jsonschema.Compiler
		at       map[string]*jsonschema.Schema // by JSON pointer
	}
)

func readDocument() error {
	raw, err := os.ReadFile("../api/openapi.json")
	if err != nil {
		return err
	}
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		return err
	}
	if router, err = gorillamux.NewRouter(doc); err != nil {
		return err
	}
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	closeRecords(tree)
	schemas.at, schemas.compiler = map[string]*jsonschema.Schema{}, jsonschema.NewCompiler()
	schemas.compiler.AssertFormat()
	return schemas.compiler.AddResource("openapi.json", tree)
}

// closeRecords lets the objects of a document have the members alone that it lists. To clients it says that later
// versions may add others.
func closeRecords(value any) {
	switch v := value.(type) {
	case map[string]any:
		if _, isObject := v["properties"].(map[string]any); isObject && v["type"] == "object" &&
			v["additionalProperties"] == nil {
			v["additionalProperties"] = false
		}
		for _, member := range v {
			closeRecords(member)
		}
	case []any:
		for _, item := range v {
			closeRecords(item)
		}
	}
}

func schemaAt(pointer string) (*jsonschema.Schema, error) {
	schemas.Lock()
	defer schemas.Unlock()
	if s := schemas.at[pointer]; s != nil {
		return s, nil
	}
	s, err := schemas.compiler.Compile("openapi.json" + pointer)
	if err == nil {
		schemas.at[pointer] = s
	}
	return s, err
}

// bodyConforms holds a body against the content that the document has at a place.
func bodyConforms(place string, content openapi3.Content, contentType string, body []byte) error {
	if len(content) == 0 {
		if len(body) > 0 {
			return fmt.Errorf("a body where there should be none: %s", body)
		}
		return nil
	}
	if content["*/*"] != nil {
		return nil
	}
	media, _, err := mime.ParseMediaType(cmp.Or(contentType,
		"application/octet-stream")) // as RFC 9110 takes a body without a type
	if raw := content["application/octet-stream"]; raw != nil && err == nil && content.Get(media) == nil {
		return nil // the bytes of a file, with the type of the file
	}
	if err != nil || content.Get(media) == nil {
		return fmt.Errorf("a body of type %q, which is not in the document: %s", contentType, body)
	}
	if !strings.HasSuffix(media, "json") {
		return nil
	}
	s, err := schemaAt(place + "/content/" + escape(media) + "/schema")
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return s.Validate(value)
}

// escape makes a name a step of a JSON pointer.
func escape(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(name)
}

// conforms holds an exchange against the document: the answer always, the request when it was
// accepted.
func conforms(req *http.Request, raw []byte, a answer) error {
	if !strings.HasPrefix(req.URL.Path, "/v1/") || req.Method == http.MethodHead ||
		req.Header.Get("Accept-Encoding") != "" {
		return nil
	}
	probe := req.Clone(context.Background())
	probe.URL.Host, probe.URL.Scheme, probe.Host = "", "", ""
	route, params, err := router.FindRoute(probe)
	if err != nil {
		if a.Status == 404 || a.Status == 405 {
			return nil
		}
		return fmt.Errorf("answered %d outside of the document: %w", a.Status, err)
	}
	in := &openapi3filter.RequestValidationInput{Request: probe, PathParams: params, Route: route,
		Options: &openapi3filter.Options{ExcludeRequestBody: true, ExcludeResponseBody: true,
			AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, MultiError: true, IncludeResponseStatus: true}}
	place := "#/paths/" + escape(route.Path) + "/" + strings.ToLower(route.Method)
	if a.Status < 300 {
		err := openapi3filter.ValidateRequest(context.Background(), in)
		if body := route.Operation.RequestBody; err == nil && body != nil && (len(raw) > 0 || body.Value.Required) {
			err = bodyConforms(place+"/requestBody", body.Value.Content, req.Header.Get("Content-Type"),
				acceptedItems(raw, a))
		}
		if err != nil {
			return fmt.Errorf("accepted what the document forbids: %w", err)
		}
	}
	err = openapi3filter.ValidateResponse(context.Background(),
		&openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: a.Status, Header: a.Header,
			Options: in.Options})
	if response := route.Operation.Responses.Status(a.Status); err == nil && response != nil {
		place += "/responses/" + strconv.Itoa(a.Status)
		if response.Ref != "" {
			place = response.Ref
		}
		err = bodyConforms(place, response.Value.Content, a.Header.Get("Content-Type"), a.Body)
		if v, ok := errors.AsType[*jsonschema.ValidationError](err); ok && a.Status < 300 && req.URL.Query().Has("fields") &&
			onlyItemsLack(v) { // what their schema requires, as the parameter says
			err = nil
		}
	}
	if err != nil {
		return fmt.Errorf("the answer %d is not what the document says: %w\n%s", a.Status, err, a.Body)
	}
	return nil
}

// onlyItemsLack reports whether nothing is wrong but that items of a list lack members.
func onlyItemsLack(v *jsonschema.ValidationError) bool {
	if len(v.Causes) > 0 {
		return !slices.ContainsFunc(v.Causes, func(c *jsonschema.ValidationError) bool { return !onlyItemsLack(c) })
	}
	_, lacks := v.ErrorKind.(*kind.Required)
	return lacks && len(v.InstanceLocation) >= 2 && v.InstanceLocation[0] == "data"
}

// acceptedItems returns the body of a request, of a batch without the patches of the items that were refused.
func acceptedItems(raw []byte, a answer) []byte {
	var batch struct {
		Items []map[string]any `json:"items"`
	}
	var answered struct{ Results []struct{ Status int } }
	if json.Unmarshal(a.Body, &answered) != nil || json.Unmarshal(raw, &batch) != nil || len(batch.Items) == 0 ||
		len(answered.Results) != len(batch.Items) {
		return raw
	}
	for i, result := range answered.Results {
		if _, ok := batch.Items[i]["patch"]; ok && result.Status >= 300 {
			batch.Items[i]["patch"] = map[string]any{}
		}
	}
	body, err := json.Marshal(batch)
	if err != nil {
		return raw
	}
	return body
}

// conformsToMessage holds what a webhook sent against the schema of its type.
func conformsToMessage(t *testing.T, m message) {
	t.Helper()
	kind := m.event(t)["type"].(string)
	s, err := schemaAt("#/webhooks/" + kind + "/post/requestBody/content/application~1json/schema")
	must(t, err)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(m.Body))
	must(t, err)
	if err := s.Validate(value); err != nil {
		t.Errorf("%s is not what the document says: %v\n%s", kind, err, m.Body)
	}
}
