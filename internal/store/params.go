package store

import (
	"slices"
	"strconv"
	"strings"
)

// params collects the arguments of a statement whose text is built from filters.
type params struct{ args []any }

// add appends v and returns its placeholder.
func (p *params) add(v any) string {
	p.args = append(p.args, v)
	return "$" + strconv.Itoa(len(p.args))
}

// addAll appends texts and returns their placeholders.
func (p *params) addAll(vs []string) []string {
	marks := make([]string, len(vs))
	for i, v := range vs {
		marks[i] = p.add(v)
	}
	return marks
}

// rowsOf returns the rows of VALUES, each with a placeholder for one of vs.
func rowsOf(p *params, vs []string) string { return "(" + strings.Join(p.addAll(vs), "), (") + ")" }

// in returns a parenthesised list of placeholders for vs.
func in[T any](p *params, vs []T) string {
	marks := make([]string, len(vs))
	for i, v := range vs {
		marks[i] = p.add(v)
	}
	return "(" + strings.Join(marks, ", ") + ")"
}

// NoneValue stands in a filter for records without a value.
const NoneValue = "none"

// addFilter appends the condition that column is one of vs, or null if vs contains NoneValue.
func addFilter[T ~string](conditions *[]string, p *params, column string, vs []T) {
	if len(vs) == 0 {
		return
	}
	var alternatives []string
	values := slices.DeleteFunc(slices.Clone(vs), func(v T) bool { return v == NoneValue })
	if len(values) < len(vs) {
		alternatives = append(alternatives, column+" IS NULL")
	}
	if len(values) > 0 {
		alternatives = append(alternatives, column+" IN "+in(p, values))
	}
	*conditions = append(*conditions, "("+strings.Join(alternatives, " OR ")+")")
}
