package store

import (
	"strconv"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/store/termindex"
	"bugslice/internal/words"
)

// facets are those of all members. Lists find slices by them, by kinds of evidence, mentions and metadata, by times,
// by words, and by what identifies one slice.
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

// kindsOfEvidence returns the kinds of evidence of a slice by which lists are filtered.
func (s *Slice) kindsOfEvidence() (kinds []string) {
	e := s.Evidence
	for _, k := range []struct {
		kind  api.EvidenceFilter
		count int64
	}{{"replay", e.Replays}, {"screenshot", e.Screenshots}, {"console_error", e.ConsoleErrors},
		{"failed_request", e.FailedRequests}, {"unreviewed", e.Unreviewed}} {
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
			if x.begins != 0 && v != "" {
				terms = append(terms, termindex.Begun(scope, x.begins, words.Fold(v)))
			}
		}
	}
	terms = append(terms, termindex.Facet(scope, numberKind, strconv.FormatInt(s.Number, 10)))
	for _, kind := range s.kindsOfEvidence() {
		terms = append(terms, termindex.Facet(scope, evidenceKind, kind))
	}
	for name, value := range s.Metadata {
		terms = append(terms, termindex.Facet(scope, metadataKind, metadataValue(name, value)))
	}
	terms = append(terms, termindex.Periods(createdKind, id.Time(s.ID).UnixMilli())...)
	terms = append(terms, termindex.Periods(updatedKind, s.UpdatedAt.UnixMilli())...)
	if s.ResolvedAt != nil {
		terms = append(terms, termindex.Facet(scope, finishedKind, ""))
		terms = append(terms, termindex.Periods(resolvedKind, s.ResolvedAt.UnixMilli())...)
	}
	return terms
}

// metadataValue is the value of the facet of a pair of metadata.
func metadataValue(name, value string) string { return name + "\x00" + value }
