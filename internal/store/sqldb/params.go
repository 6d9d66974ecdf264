package sqldb

import (
	"strconv"
	"strings"
)

// Params collects the arguments of a statement whose text is built in parts.
type Params struct{ Args []any }

// Add appends v and returns its placeholder.
func (p *Params) Add(v any) string {
	p.Args = append(p.Args, v)
	return "$" + strconv.Itoa(len(p.Args))
}

// AddAll appends texts and returns their placeholders.
func (p *Params) AddAll(vs []string) []string { return addAll(p, vs) }

func addAll[T any](p *Params, vs []T) []string {
	marks := make([]string, len(vs))
	for i, v := range vs {
		marks[i] = p.Add(v)
	}
	return marks
}

// In returns a parenthesised list of placeholders for vs.
func In[T any](p *Params, vs []T) string { return "(" + strings.Join(addAll(p, vs), ", ") + ")" }
