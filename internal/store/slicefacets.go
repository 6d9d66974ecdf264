package store

import (
	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/store/termindex"
)

// facet is a member of slices by whose values lists find them: one or several values of each slice, the empty one for none.
type facet struct {
	kind     byte // of its terms
	of       func(*Slice) []string
	selected func(*SliceFilter) []string // the values of which a filter selects one
	none     bool                        // NoneValue selects the empty one

	by      string // the member by which slices are counted; empty when they are not
	columns string // what of reads, to count
}

// facets are the members by which lists find slices, apart from the times, the words and what identifies one slice.
var facets = []facet{
	{kind: 's', by: ByStatus, columns: "s.status",
		of: func(s *Slice) []string { return []string{string(s.Status)} }, selected: func(f *SliceFilter) []string { return texts(f.Statuses) }},
	{kind: 'p', none: true, by: ByPriority, columns: "s.priority",
		of: func(s *Slice) []string { return oneOf(s.Priority) }, selected: func(f *SliceFilter) []string { return texts(f.Priorities) }},
	{kind: 'v', none: true, by: BySeverity, columns: "s.severity",
		of: func(s *Slice) []string { return oneOf(s.Severity) }, selected: func(f *SliceFilter) []string { return texts(f.Severities) }},
	{kind: 'a', none: true, by: ByAssignee, columns: "s.assignee_id",
		of: func(s *Slice) []string { return oneOf(s.AssigneeID) }, selected: func(f *SliceFilter) []string { return f.Assignees }},
	{kind: 'c', none: true, by: BySpace, columns: "s.space_id",
		of: func(s *Slice) []string { return oneOf(s.storedSpaceID()) }, selected: func(f *SliceFilter) []string { return f.Spaces }},
	{kind: 'l', by: ByLabel, columns: "s.labels",
		of: func(s *Slice) []string { return orEmpty(s.Labels) }, selected: func(f *SliceFilter) []string { return f.Labels }},
	{kind: 'r',
		of: func(s *Slice) []string { return oneOf(s.Reporter.ID) }, selected: func(f *SliceFilter) []string { return f.Reporters }},
	{kind: 'f',
		of: func(s *Slice) []string { return oneOf(s.Fingerprint) }, selected: func(f *SliceFilter) []string { return f.Fingerprints }},
	{kind: 'e', by: ByRelease, columns: "s.environment",
		of: func(s *Slice) []string { return oneOf(s.Environment.Release) }, selected: ofEnvironment("release")},
	{kind: 'b',
		of: func(s *Slice) []string { return oneOf(s.Environment.Browser) }, selected: ofEnvironment("browser")},
	{kind: 'o',
		of: func(s *Slice) []string { return oneOf(s.Environment.OS) }, selected: ofEnvironment("os")},
	{kind: 't',
		of: func(s *Slice) []string { return oneOf(s.Environment.Viewport) }, selected: ofEnvironment("viewport")},
	{kind: 'h',
		of: (*Slice).kindsOfEvidence, selected: func(f *SliceFilter) []string { return texts(f.Has) }},
}

// The kinds of further terms.
const (
	anyKind      = 'x' // each slice has this facet, without a value
	finishedKind = 'z' // each slice that is resolved or closed has this facet, without a value
	mentionKind  = 'm'
	metadataKind = 'd'

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

func ofEnvironment(name string) func(*SliceFilter) []string {
	return func(f *SliceFilter) (values []string) {
		for _, x := range f.Environment {
			if x.Name == name {
				values = append(values, x.Values...)
			}
		}
		return values
	}
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
		for _, v := range x.of(s) {
			terms = append(terms, termindex.Facet(scope, x.kind, v))
		}
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
