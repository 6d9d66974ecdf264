package main

import (
	"reflect"
	"strings"

	"bugslice/api"
)

// clientMethods returns the files with the methods of the client, one for each tag of the operations. That of an
// upload is written by hand.
func clientMethods() (map[string][]byte, error) {
	tagged, tags := map[string]*source{}, []string(nil)
	for i := range api.Operations {
		op := &api.Operations[i]
		if op.Upload {
			continue
		}
		s := tagged[op.Tag]
		if s == nil {
			s = newSource("client")
			s.line("import (\n\"context\"\n\n%q\n)", reflect.TypeFor[api.Time]().PkgPath())
			tagged[op.Tag], tags = s, append(tags, op.Tag)
		}
		s.method(op)
	}
	files := map[string][]byte{}
	for _, tag := range tags {
		text, err := tagged[tag].formatted()
		if err != nil {
			return nil, err
		}
		files["client/operations_"+strings.ToLower(strings.ReplaceAll(tag, " ", ""))+".go"] = text
	}
	return files, nil
}

// method writes the method of an operation.
func (s *source) method(op *api.Operation) {
	in, out := reflect.TypeOf(op.In), reflect.TypeOf(op.Out())
	summary := strings.ToLower(op.Summary[:1]) + op.Summary[1:]
	paragraphs := []string{in.Name() + " calls " + op.Method + " " + op.Path + ": " + summary + "."}
	if op.Detail != "" {
		paragraphs = append(paragraphs, strings.Split(op.Detail, "\n\n")...)
	}
	if scopes := op.Scopes(); len(scopes) > 0 {
		paragraphs = append(paragraphs, needs(scopes))
	}
	s.line("")
	s.comment(paragraphs...)
	head := "func (c *Client) " + in.Name() + "(ctx context.Context, in api." + in.Name() + ")"
	switch out {
	case reflect.TypeFor[api.Nothing]():
		s.line("%s error {\n_, err := Call(ctx, c, in)\nreturn err\n}", head)
	case reflect.TypeFor[api.Bytes]():
		s.line("%s (*Download, error) { return c.Open(ctx, in) }", head)
	default:
		record := strings.ReplaceAll(out.String(), out.PkgPath()+".", "api.")
		s.line("%s (%s, error) {\nreturn Call(ctx, c, in)\n}", head, record)
	}
}

// needs says which scopes an operation needs.
func needs(scopes []api.Scope) string {
	names := make([]string, len(scopes))
	for i, scope := range scopes {
		names[i] = string(scope)
	}
	if len(names) == 1 {
		return "It needs the scope " + names[0] + "."
	}
	return "It needs the scopes " + strings.Join(names, " and ") + "."
}
