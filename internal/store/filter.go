package store

import (
	"slices"
	"strings"

	"bugslice/internal/store/sqldb"
)

// NoneValue stands in a filter for records without a value.
const NoneValue = "none"

// addFilter appends the condition that column is one of vs, or null if vs contains NoneValue.
func addFilter[T ~string](conditions *[]string, p *sqldb.Params, column string, vs []T) {
	if len(vs) == 0 {
		return
	}
	var alternatives []string
	values := slices.DeleteFunc(slices.Clone(vs), func(v T) bool { return v == NoneValue })
	if len(values) < len(vs) {
		alternatives = append(alternatives, column+" IS NULL")
	}
	if len(values) > 0 {
		alternatives = append(alternatives, column+" IN "+sqldb.In(p, values))
	}
	*conditions = append(*conditions, "("+strings.Join(alternatives, " OR ")+")")
}

// rowsOf returns the rows of VALUES, each with a placeholder for one of vs.
func rowsOf(p *sqldb.Params, vs []string) string {
	return "(" + strings.Join(p.AddAll(vs), "), (") + ")"
}
