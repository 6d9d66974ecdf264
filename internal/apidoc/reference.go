package apidoc

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"html/template"
	"net/http"
	"reflect"
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

// Application is the web application beside the API: paths to its first page, its mark, its font and the page of keys,
// and the name of the cookie that has the theme of a reader. It is zero where there is none.
type Application struct{ Home, Mark, Font, Keys, ThemeCookie string }

// Themes are those that a reader can choose. Without a choice the theme is that of the system.
var Themes = []string{"light", "dark"}

// Stylesheet returns the CSS of the reference page, in the font of the web application, and in a theme of Themes, or
// without one in that of the system.
func Stylesheet(pages Application, theme string) []byte {
	stylesheet := stylesheet
	if slices.Contains(Themes, theme) {
		stylesheet = append(bytes.Clone(stylesheet), "\n:root { color-scheme: "+theme+"; }\n"...)
	}
	if pages.Font == "" {
		return stylesheet
	}
	face := `@font-face { font-family: "Inter"; font-weight: 100 900; font-display: optional; src: url("` + pages.Font +
		`") format("woff2"); }` + "\n"
	return append([]byte(face), stylesheet...)
}

// section is the operations of a tag on the reference page.
type section struct {
	Name, ID, Description string
	Operations            []entry
}

// entry is an operation on the reference page.
type entry struct {
	*api.Operation
	Params   []paramEntry
	Request  string // an example as JSON; empty when the operation reads none
	Response string // an example as JSON; empty when the operation returns none
	Codes    []api.CodeInfo
	Curl     string
	IsFile   bool // the response is the bytes of a file
}

// Danger says what a request does to what is stored, as a verb; empty when it only reads.
func (e entry) Danger() string {
	switch {
	case e.Effect == api.Reads:
		return ""
	case e.Method == http.MethodDelete || e.Deletes:
		return "deletes"
	}
	return "changes"
}

// paramEntry is a parameter, or a member of the body.
type paramEntry struct{ Name, In, Description, Values, Default string }

// Reference returns the reference page of an OpenAPI document, which leads back to the pages. It is complete without
// script, and loads nothing from other hosts. Its script (/docs/reference.js) makes a form of an operation when the part
// for it is opened, from the document.
func Reference(document []byte, pages Application) ([]byte, error) {
	var doc object
	if err := json.Unmarshal(document, &doc); err != nil {
		return nil, err
	}
	t, err := template.New("reference").Funcs(template.FuncMap{"lower": strings.ToLower, "markup": markup}).
		Parse(referenceHTML)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, struct {
		Application
		Sections []section
		Scopes   any
		Codes    []api.CodeInfo
	}{pages, sections(doc), api.Scopes, api.Codes})
	return b.Bytes(), err
}

// markup returns a text as HTML, with its code spans and paragraphs.
func markup(text string) template.HTML {
	parts := strings.Split(template.HTMLEscapeString(text), "`")
	for i := 1; i < len(parts); i += 2 {
		parts[i] = "<code>" + parts[i] + "</code>"
	}
	return template.HTML(strings.ReplaceAll(strings.Join(parts, ""), "\n\n",
		"</p>\n<p>")) //nolint:gosec // escaped above
}

func sections(doc object) []section {
	all := make([]section, len(tagDescriptions))
	for i, t := range tagDescriptions {
		s := section{Name: t.name, ID: strings.ReplaceAll(strings.ToLower(t.name), " ", "-"),
			Description: t.description}
		for i := range api.Operations {
			if op := &api.Operations[i]; op.Tag == t.name {
				s.Operations = append(s.Operations, newEntry(doc, op))
			}
		}
		all[i] = s
	}
	return all
}

// newEntry describes an operation with the examples that the document has of it.
func newEntry(doc object, op *api.Operation) entry {
	e := entry{Operation: op, Codes: codeInfos(op), IsFile: returnsFile(op)}
	in := input.Of(op)
	for _, p := range in.Params {
		e.Params = append(e.Params, paramEntry{Name: p.Name, In: p.In, Description: parameterText(p),
			Default: p.Field.Tag.Get("default"), Values: strings.Join(schema.Enum(p.Field), " · ")})
	}
	described := doc["paths"].(object)[op.Path].(object)[strings.ToLower(op.Method)].(object)
	if in.Body != nil {
		e.Request = jsonExample(described["requestBody"])
		e.Params = append(e.Params, memberEntries(in.Body.Type, "", in.Body.Patch)...)
	}
	for status, response := range described["responses"].(object) {
		if strings.HasPrefix(status, "2") {
			e.Response = jsonExample(response)
		}
	}
	e.Curl = curl(e, serverOf(doc))
	return e
}

// memberEntries describes the members of a body, or of an object in it whose members are at a prefix, with those of
// each object.
func memberEntries(of reflect.Type, prefix string, patch bool) []paramEntry {
	var all []paramEntry
	for _, f := range schema.Documented(of) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		e := paramEntry{Name: prefix + name, In: "body", Description: f.Tag.Get("doc"), Default: f.Tag.Get("default"),
			Values: strings.Join(schema.Enum(f), " · ")}
		if f.Tag.Get("create") == "required" && !patch {
			e.In = "body, required"
		}
		all = append(all, e)
		t, at := f.Type, prefix+name+"."
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() == reflect.Slice {
			t, at = t.Elem(), prefix+name+"[]."
		}
		if t.Kind() == reflect.Struct && t != reflect.TypeFor[api.Time]() {
			all = append(all, memberEntries(t, at, false)...)
		}
	}
	return all
}

// codeInfos describes the error codes of an operation, in the order of api.Codes.
func codeInfos(op *api.Operation) []api.CodeInfo {
	codes := errorCodes(op)
	return slices.DeleteFunc(slices.Clone(api.Codes),
		func(c api.CodeInfo) bool { return !slices.Contains(codes, c.Code) })
}

// jsonExample returns the example of the JSON in a request or a response, empty when it has none.
func jsonExample(body any) string {
	content, _ := body.(object)["content"].(object)
	media, ok := content["application/json"].(object)
	if !ok {
		return ""
	}
	b, err := json.MarshalIndent(media["example"], "", "  ")
	if err != nil {
		panic(err) // it was decoded from JSON
	}
	return string(b)
}

// serverOf returns the address of the instance that a document is of, without the slash at its end.
func serverOf(doc object) string {
	server, _ := doc["servers"].([]any)[0].(object)["url"].(string)
	return strings.TrimSuffix(server, "/")
}

// curl returns a command that calls the operation of a server.
func curl(e entry, server string) string {
	line := "curl"
	if e.Method != "GET" {
		line += " -X " + e.Method
	}
	line += ` -H "Authorization: Bearer $BUGSLICE_TOKEN"`
	if e.Upload {
		line += " -F file=@cart.png"
	}
	if e.Request != "" {
		line += " -H 'Content-Type: application/json' -d '" + strings.ReplaceAll(e.Request, "'", `'\''`) + "'"
	}
	return line + " '" + server + e.Path + "'"
}
