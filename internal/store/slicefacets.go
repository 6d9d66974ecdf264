package store

import (
	"strconv"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/store/termindex"
)

// facet is a part of a member of slices by whose values lists find them: one or several values of each slice, the empty one for none.
type facet struct {
	kind     byte                        // of its terms
	values   func(*Slice) []string       // by default the text of the member
	selected func(*SliceFilter) []string // the values of which a filter selects one
	none     bool                        // NoneValue selects the empty one
	by       string                      // the member by which slices are counted; empty when they are not

	member *member
}

// facets are those of all members. Lists find slices by them, by kinds of evidence, mentions and metadata, by times, by words, and by what
// identifies one slice.
var facets = members.facets()

func (l memberList) facets() (all []facet) {
	for i := range l {
		for _, x := range l[i].facets {
			x.member = &l[i]
			if x.values == nil {
				x.values = func(s *Slice) []string { return []string{x.member.cell.text(s)} }
			}
			all = append(all, x)
		}
	}
	return all
}

// The kinds of further terms.
const (
	anyKind      = 'x' // each slice has this facet, without a value
	finishedKind = 'z' // each slice that is resolved or closed has this facet, without a value
	mentionKind  = 'm'
	metadataKind = 'd'
	evidenceKind = 'h'
	labelKind    = 'l'
	numberKind   = 'n' // it is searched for like a word, but a reference names one slice by it, and no text

	createdKind  = 'c' // of periods
	updatedKind  = 'u'
	resolvedKind = 'r'
)

// oneOf returns a value, the empty one for none.
func oneOf[T ~string](v *T) []string { return []string{textOf(v)} }

// orEmpty returns values, or the empty one when there are none.
func orEmpty(all []string) []string {
	if len(all) == 0 {
		return []string{""}
	}
	return all
}

func texts[T ~string](all []T) []string {
	out := make([]string, len(all))
	for i, v := range all {
		out[i] = string(v)
	}
	return out
}

// textsOf returns the function that selects the values of a filter by texts.
func textsOf(word string) func(*SliceFilter) []string {
	return func(f *SliceFilter) []string { return f.Texts[word] }
}

// kindsOfEvidence returns the kinds of evidence of a slice by which lists are filtered.
func (s *Slice) kindsOfEvidence() (kinds []string) {
	e := s.Evidence
	for _, k := range []struct {
		kind  api.EvidenceFilter
		count int64
	}{{"replay", e.Replays}, {"screenshot", e.Screenshots}, {"console_error", e.ConsoleErrors}, {"failed_request", e.FailedRequests}} {
		if k.count > 0 {
			kinds = append(kinds, string(k.kind))
		}
	}
	return kinds
}

// facetTerms returns the terms of a slice that come from its members, but for its words: none of a deleted one.
func (s *Slice) facetTerms() []string {
	if s.DeletedAt != nil {
		return nil
	}
	scope := termindex.ScopeOf(s.WorkspaceID)
	terms := append(make([]string, 0, 40), termindex.Facet(scope, anyKind, ""))
	for _, x := range facets {
		for _, v := range x.values(s) {
			terms = append(terms, termindex.Facet(scope, x.kind, v))
		}
	}
	terms = append(terms, termindex.Facet(scope, numberKind, strconv.FormatInt(s.Number, 10)))
	for _, kind := range s.kindsOfEvidence() {
		terms = append(terms, termindex.Facet(scope, evidenceKind, kind))
	}
	for name, value := range s.Metadata {
		terms = append(terms, termindex.Facet(scope, metadataKind, name+"\x00"+value))
	}
	terms = append(terms, termindex.Periods(createdKind, id.Time(s.ID).UnixMilli())...)
	terms = append(terms, termindex.Periods(updatedKind, s.UpdatedAt.UnixMilli())...)
	if s.ResolvedAt != nil {
		terms = append(terms, termindex.Facet(scope, finishedKind, ""))
		terms = append(terms, termindex.Periods(resolvedKind, s.ResolvedAt.UnixMilli())...)
	}
	return terms
}
