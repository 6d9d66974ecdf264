package httpapi

import (
	"reflect"
	"strings"

	"bugslice/api"
	"bugslice/internal/schema"
)

// plan says how an input is filled from a request. It is made once for each operation.
type plan struct {
	params []param // those of the path, the query and the header
	body   *body
}

type param struct {
	in    string // path, query or header
	name  string
	index []int
	field reflect.StructField
}

type body struct {
	index    []int
	patch    bool // a merge patch
	optional bool
	of       reflect.Type // whose schema it has
	schema   string
}

func newPlan(t reflect.Type) *plan {
	p := &plan{}
	p.add(t, nil)
	return p
}

func (p *plan) add(t reflect.Type, at []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(append([]int{}, at...), i)
		switch {
		case f.Anonymous:
			p.add(f.Type, index)
		case f.Name == "Body":
			of := f.Type
			if of.Kind() == reflect.Pointer {
				of = of.Elem()
			}
			p.body = &body{index: index, optional: f.Tag.Get("required") == "false", of: of, schema: schema.Name(of, schema.Create)}
		case f.Name == "Patch":
			of := patched(f.Type)
			p.body = &body{index: index, patch: true, of: of, schema: schema.Name(of, schema.Patch)}
		default:
			for _, in := range []string{"path", "query", "header"} {
				if name := f.Tag.Get(in); name != "" {
					p.params = append(p.params, param{in: in, name: name, index: index, field: f})
				}
			}
		}
	}
}

// patched returns the T of an api.Patch[T].
func patched(t reflect.Type) reflect.Type {
	of, ok := map[reflect.Type]reflect.Type{
		reflect.TypeFor[api.Patch[api.SliceFields]]():      reflect.TypeFor[api.SliceFields](),
		reflect.TypeFor[api.Patch[api.WorkspaceFields]]():  reflect.TypeFor[api.WorkspaceFields](),
		reflect.TypeFor[api.Patch[api.WebhookFields]]():    reflect.TypeFor[api.WebhookFields](),
		reflect.TypeFor[api.Patch[api.CommentFields]]():    reflect.TypeFor[api.CommentFields](),
		reflect.TypeFor[api.Patch[api.AttachmentFields]](): reflect.TypeFor[api.AttachmentFields](),
	}[t]
	if !ok {
		panic("httpapi: no patched type known for " + t.String())
	}
	return of
}

func (p *plan) query(name string) *param {
	for i := range p.params {
		if p.params[i].in == "query" && p.params[i].name == name {
			return &p.params[i]
		}
	}
	return nil
}

// instead says what an unknown query parameter was meant to be, where that is plain.
func (p *plan) instead(name string) string {
	switch strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name)) {
	case "page", "offset", "perpage", "pagesize":
		if p.query("cursor") != nil {
			return "; pages are walked by cursor and limit"
		}
	}
	var known []string
	for _, f := range p.params {
		if f.in == "query" {
			known = append(known, f.name)
		}
	}
	return schema.DidYouMean(name, known)
}
