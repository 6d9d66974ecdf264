package httpapi

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"html/template"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/schema"
)

//go:embed reference.html
var referenceHTML string

//go:embed reference.css
var stylesheet []byte

// entry is an operation as the reference page shows it.
type entry struct {
	*api.Operation
	Params   []paramEntry
	Request  string // JSON example
	Answer   string
	Codes    []api.CodeInfo
	Curl     string
	HasScope bool
	Bytes    bool // the answer is a file
}

type paramEntry struct{ Name, In, Doc, Values, Default string }

type group struct {
	Name, ID, Doc string
	Entries       []entry
}

// reference renders the reference page: plain HTML that needs no script and no other host.
func reference(document []byte) ([]byte, error) {
	var doc object
	if err := json.Unmarshal(document, &doc); err != nil {
		return nil, err
	}
	t, err := template.New("reference").Funcs(template.FuncMap{"lower": strings.ToLower, "code": code}).Parse(referenceHTML)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, struct {
		Groups []group
		Scopes any
		Codes  []api.CodeInfo
	}{groups(doc), api.Scopes, api.Codes})
	return b.Bytes(), err
}

// code marks what stands between backquotes, and keeps paragraphs apart.
func code(text string) template.HTML {
	parts := strings.Split(template.HTMLEscapeString(text), "`")
	for i := 1; i < len(parts); i += 2 {
		parts[i] = "<code>" + parts[i] + "</code>"
	}
	return template.HTML(strings.ReplaceAll(strings.Join(parts, ""), "\n\n", "</p>\n<p>")) //nolint:gosec // escaped above
}

func groups(doc object) []group {
	var all []group
	for _, t := range doc["tags"].([]any) {
		tag := t.(object)
		g := group{Name: tag["name"].(string), Doc: tag["description"].(string)}
		g.ID = strings.ReplaceAll(strings.ToLower(g.Name), " ", "-")
		for _, r := range routes(nil) {
			if r.op.Tag == g.Name {
				g.Entries = append(g.Entries, newEntry(doc, r))
			}
		}
		all = append(all, g)
	}
	return all
}

func newEntry(doc object, r route) entry {
	o := doc["paths"].(object)[r.op.Path].(object)[strings.ToLower(r.op.Method)].(object)
	e := entry{Operation: r.op, HasScope: r.op.Scope != api.NoScope, Codes: infos(codesOf(r))}
	for _, p := range r.in.Params {
		e.Params = append(e.Params, paramEntry{Name: p.Name, In: p.In, Doc: paramDoc(p), Default: p.Field.Tag.Get("default"),
			Values: strings.Join(schema.Enum(p.Field), " · ")})
	}
	if b, ok := o["requestBody"].(object); ok && r.in.Body != nil {
		e.Request = exampleOf(b["content"].(object))
		e.Params = append(e.Params, bodyEntries(r.in.Body)...)
	}
	e.Bytes = slices.ContainsFunc(r.op.Also, func(media string) bool { return strings.HasSuffix(media, "/*") })
	for status, response := range o["responses"].(object) {
		if content, ok := response.(object)["content"].(object); ok && strings.HasPrefix(status, "2") {
			e.Answer = exampleOf(content)
		}
	}
	e.Curl = curl(e, r)
	return e
}

// bodyEntries describes the members of a body.
func bodyEntries(b *input.Body) []paramEntry {
	var all []paramEntry
	for _, f := range schema.Documented(b.Type) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		e := paramEntry{Name: name, In: "body", Doc: f.Tag.Get("doc"), Default: f.Tag.Get("default"), Values: strings.Join(schema.Enum(f), " · ")}
		if f.Tag.Get("create") == "required" && !b.Patch {
			e.In = "body, required"
		}
		all = append(all, e)
	}
	return all
}

func paramDoc(p input.Param) string {
	if p.In == "path" {
		return "Identifier of the " + strings.TrimSuffix(p.Name, "Id") + "."
	}
	return p.Documented().Tag.Get("doc")
}

func infos(codes []string) []api.CodeInfo {
	return slices.DeleteFunc(slices.Clone(api.Codes), func(c api.CodeInfo) bool { return !slices.Contains(codes, c.Code) })
}

func exampleOf(content object) string {
	media, ok := content["application/json"].(object)
	if !ok {
		return "" // bytes
	}
	b, err := json.MarshalIndent(media["example"], "", "  ")
	if err != nil {
		panic(err) // it was decoded from JSON
	}
	return string(b)
}

func curl(e entry, r route) string {
	line := "curl"
	if r.op.Method != "GET" {
		line += " -X " + r.op.Method
	}
	line += ` -H "Authorization: Bearer $API_KEY"`
	if r.op.ID == api.OpCreateAttachment {
		line += " -F file=@cart.png"
	}
	if e.Request != "" {
		line += " -H 'Content-Type: application/json' -d @body.json"
	}
	return line + " $BASE_URL" + r.op.Path
}
