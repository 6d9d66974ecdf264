package store

import (
	"slices"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/store/termindex"
	"bugslice/internal/words"
)

// query returns what a filter looks for in the index, in some workspaces; everything when the filter has no term. The
// times of the slices that the index finds are compared with those of the filter.
func (f *SliceFilter) query(workspaces, deletedSpaces []string) termindex.Query {
	q := f.values(workspaces, deletedSpaces)
	q = termindex.All(q, f.during(updatedKind, f.UpdatedMin, f.UpdatedEnd), f.duringResolution(workspaces))
	if f.Excluded == nil {
		return q
	}
	excluded := termindex.Any(f.Excluded.alternatives(workspaces, deletedSpaces)...)
	if q.IsEverything() && !excluded.IsNothing() {
		q = inAny(workspaces, func(scope termindex.Scope) termindex.Query {
			return termindex.Term(termindex.Facet(scope, anyKind, ""))
		})
	}
	return q.But(excluded)
}

// values returns the query of the slices with all values of a filter.
func (f *SliceFilter) values(workspaces, deletedSpaces []string) termindex.Query {
	combine := termindex.All
	if f.anyWord {
		combine = termindex.Any
	}
	parts := f.facetQueries(workspaces, deletedSpaces)
	if words := f.wordQueries(workspaces); len(words) > 0 {
		parts = append(parts, combine(words...))
	}
	for _, alternatives := range f.AnyOf {
		some := make([]termindex.Query, len(alternatives))
		for i := range alternatives {
			some[i] = termindex.All(alternatives[i].wordQueries(workspaces)...)
		}
		parts = append(parts, termindex.Any(some...))
	}
	return termindex.All(parts...)
}

// alternatives returns the queries of the slices with one of the values of a filter.
func (f *SliceFilter) alternatives(workspaces, deletedSpaces []string) []termindex.Query {
	return append(f.facetQueries(workspaces, deletedSpaces), f.wordQueries(workspaces)...)
}

// facetQueries returns a query for each member by which the filter selects: it finds the slices with one of the
// selected values.
func (f *SliceFilter) facetQueries(workspaces, deletedSpaces []string) (all []termindex.Query) {
	add := func(kind byte, values []string) { all = append(all, facetQuery(workspaces, kind, values)) }
	for _, x := range facets {
		values := x.selected(f)
		if len(values) == 0 {
			continue
		}
		if x.none {
			values = emptyForNone(values)
		}
		if x.by == BySpace {
			values = withoutDeleted(values, deletedSpaces)
		}
		if x.begins == 0 {
			add(x.kind, values)
			continue
		}
		whole, beginnings := cutBeginnings(values)
		all = append(all, termindex.Any(facetQuery(workspaces, x.kind, whole),
			inAny(workspaces, func(scope termindex.Scope) termindex.Query {
				parts := make([]termindex.Query, len(beginnings))
				for i, v := range beginnings {
					parts[i] = termindex.Prefix(termindex.Begun(scope, x.begins, v))
				}
				return termindex.Any(parts...)
			})))
	}
	if f.Unlabelled {
		add(labelKind, []string{""})
	}
	if len(f.Has) > 0 {
		add(evidenceKind, texts(f.Has))
	}
	if len(f.Mentions) > 0 {
		add(mentionKind, f.Mentions)
	}
	for _, m := range f.Metadata {
		values := make([]string, len(m.Values))
		for i, v := range m.Values {
			values[i] = metadataValue(m.Name, v)
		}
		add(metadataKind, values)
	}
	return all
}

// facetQuery returns the query of the slices with one of some values of a kind.
func facetQuery(workspaces []string, kind byte, values []string) termindex.Query {
	return inAny(workspaces, func(scope termindex.Scope) termindex.Query {
		terms := make([]string, len(values))
		for i, v := range values {
			terms[i] = termindex.Facet(scope, kind, v)
		}
		return termindex.AnyTerm(terms)
	})
}

// cutBeginnings returns the whole values, and the folded beginnings of values, which had an asterisk at their end.
func cutBeginnings(values []string) (whole, beginnings []string) {
	for _, v := range values {
		if begin, found := strings.CutSuffix(v, "*"); found {
			beginnings = append(beginnings, words.Fold(begin))
		} else {
			whole = append(whole, v)
		}
	}
	return whole, beginnings
}

// wordQueries returns a query for each word, each beginning of words, and each reference. A number also finds the
// slice with that number.
func (f *SliceFilter) wordQueries(workspaces []string) (all []termindex.Query) {
	add := func(word string, query func(term string) termindex.Query) {
		all = append(all, inAny(workspaces, func(scope termindex.Scope) termindex.Query {
			parts := []termindex.Query{query(termindex.Word(scope, word))}
			if _, err := strconv.ParseInt(word, 10, 64); err == nil {
				parts = append(parts, query(termindex.Facet(scope, numberKind, word)))
			}
			return termindex.Any(parts...)
		}))
	}
	for _, w := range f.Words {
		add(w, termindex.Term)
	}
	for _, w := range f.Prefixes {
		add(w, termindex.Prefix)
	}
	for _, r := range f.References {
		all = append(all, r.query(workspaces))
	}
	return all
}

func (r ReferenceFilter) query(workspaces []string) termindex.Query {
	written := inAny(workspaces, func(scope termindex.Scope) termindex.Query {
		parts := make([]termindex.Query, len(r.Words))
		for i, w := range r.Words {
			parts[i] = termindex.Term(termindex.Word(scope, w))
		}
		return termindex.All(parts...)
	})
	if !slices.Contains(workspaces, r.WorkspaceID) {
		return written
	}
	number := termindex.Facet(termindex.ScopeOf(r.WorkspaceID), numberKind, strconv.FormatInt(r.Number, 10))
	return termindex.Any(written, termindex.Term(number))
}

// inAny returns the query of what a query finds in one of some workspaces.
func inAny(workspaces []string, of func(termindex.Scope) termindex.Query) termindex.Query {
	parts := make([]termindex.Query, len(workspaces))
	for i, w := range workspaces {
		parts[i] = of(termindex.ScopeOf(w))
	}
	return termindex.Any(parts...)
}

// duringResolution returns the query of the slices that were resolved in the range of a filter.
func (f *SliceFilter) duringResolution(workspaces []string) termindex.Query {
	if f.ResolvedMin == nil && f.ResolvedEnd == nil {
		return termindex.Query{}
	}
	finished := inAny(workspaces, func(scope termindex.Scope) termindex.Query {
		return termindex.Term(termindex.Facet(scope, finishedKind, ""))
	})
	return termindex.All(finished, f.during(resolvedKind, f.ResolvedMin, f.ResolvedEnd))
}

// during returns the query of the slices to which something happened between first and end. A missing bound is
// f.earliest or f.latest, which findSpan has set.
func (f *SliceFilter) during(kind byte, first, end *api.Time) termindex.Query {
	if first == nil && end == nil {
		return termindex.Query{} // everything
	}
	from, to := f.earliest, f.latest
	if first != nil {
		from = first.UnixMilli()
	}
	if end != nil {
		to = end.UnixMilli()
	}
	if from > to {
		return termindex.Any() // nothing
	}
	return termindex.During(kind, from, to)
}

// withoutDeleted returns the stored spaces to look for. A slice of a deleted space counts as one without a space: the
// deleted spaces are looked for together with the empty value, and never by themselves.
func withoutDeleted(spaces, deleted []string) []string {
	live := without(spaces, deleted)
	if slices.Contains(live, "") {
		live = append(live, deleted...)
	}
	return live
}

// created returns the time of the creation of a slice in milliseconds.
func created(sliceID string) int64 { return id.Time(sliceID).UnixMilli() }

const (
	workspacesPerQuery = 100  // workspaces that one statement reads
	termsPerQuery      = 5000 // terms that one query looks for, unless one workspace has more
)

// workspacesPerQuery returns the number of workspaces that one query reads.
func (f *SliceFilter) workspacesPerQuery(deletedSpaces []string) int {
	one := f.query([]string{""}, deletedSpaces)
	return max(min(termsPerQuery/max(one.Size(), 1), workspacesPerQuery), 1)
}
