package tracker

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/store"
	"bugslice/internal/words"
)

const (
	maxSimilar      = 25
	maxQueryWords   = 24  // that are asked for
	maxCandidates   = 400 // of the newest slices that have one of them
	maxExactMatches = 25  // of any age that have all of the summary or of an error
	minScore        = 0.25
	maxShortWord    = 3
)

// ListSimilar lists slices of the workspace that may be about the same as one the caller sees.
func (t *Tracker) ListSimilar(ctx context.Context, c Caller, v input.Valid[api.ListSimilar]) (api.Page[api.Similar], error) {
	var none api.Page[api.Similar]
	in, err := v.Value(c.Allow(api.OpListSimilar))
	if err != nil {
		return none, err
	}
	slot, err := t.acquireSlot(ctx, c, api.OpListSimilar)
	if err != nil {
		return none, err
	}
	defer slot.Release()
	return listPage(t, c, listing[api.Similar]{operation: api.OpListSimilar, parameters: in, paging: in.Paging, positionParts: 2,
		read: func(after []string, _ int) ([]api.Similar, error) {
			q := t.store.Read(ctx)
			g := t.newSliceGuard(ctx, c, api.OpListSimilar, in.SliceID)
			s, err := t.slice(q, c, in.SliceID)
			if err != nil {
				return nil, err
			}
			all, err := t.similar(q, s)
			if err == nil {
				err = g.allow()
			}
			if score, notFirst := strconv.ParseFloat(after[0], 64); notFirst == nil { // the slice of that position may be gone
				last := api.Similar{Score: score, ID: after[1]}
				all = slices.DeleteFunc(all, func(o api.Similar) bool { return byScore(o, last) <= 0 })
			}
			return all, err
		},
		position: func(o api.Similar) []string { return []string{strconv.FormatFloat(o.Score, 'f', 3, 64), o.ID} },
	})
}

// similar compares the words of a slice with those of others that have some of them. A word
// counts the more the fewer of them have it. What is alike is so from either side: a short report
// finds the long one about the same, and the long one finds it.
func (t *Tracker) similar(q store.Queries, s store.Slice) ([]api.Similar, error) {
	mine := keywords(s)
	if len(mine) == 0 {
		return []api.Similar{}, nil
	}
	others, err := candidates(q, s, mine)
	if err != nil {
		return nil, err
	}
	having := map[string]int{}
	theirs := make([][]string, len(others))
	for i, o := range others {
		theirs[i] = keywords(o)
		for _, w := range theirs[i] {
			having[w]++
		}
	}
	weight := func(w string) float64 { return math.Log(1 + float64(len(others)+1)/float64(1+having[w])) }
	found, said, all := []api.Similar{}, map[string]bool{}, 0.0
	for _, w := range mine {
		said[w] = true
		all += weight(w)
	}
	for i, o := range others {
		shared, other := 0.0, 0.0
		for _, w := range theirs[i] {
			if other += weight(w); said[w] {
				shared += weight(w)
			}
		}
		if score := shared / math.Sqrt(all*other); score >= minScore {
			o := t.show(o)
			found = append(found, api.Similar{ID: o.ID, Number: o.Number, Summary: o.Summary, Status: o.Status,
				Score: math.Round(score*1000) / 1000, URL: o.URL})
		}
	}
	slices.SortFunc(found, byScore)
	return found[:min(len(found), maxSimilar)], nil
}

// byScore orders slices, the likest first.
func byScore(a, b api.Similar) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.ID, a.ID))
}

// candidates returns the newest slices that have any of the words that tell, and those that have
// all of the summary or of the first error, however old.
func candidates(q store.Queries, s store.Slice, telling []string) ([]store.Slice, error) {
	found, err := q.SlicesWithAny(s.WorkspaceID, telling[:min(len(telling), maxQueryWords)], maxCandidates)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{s.ID: true}
	for _, o := range found {
		known[o.ID] = true
	}
	first, _, _ := strings.Cut(s.Symptoms, "\n")
	for _, text := range []string{s.Summary, truncate(first, 200)} {
		all := words.Split(text)
		if len(all) == 0 {
			continue
		}
		old, err := q.SlicesWithAll(s.WorkspaceID, all, maxExactMatches)
		if err != nil {
			return nil, err
		}
		for _, o := range old {
			if !known[o.ID] {
				known[o.ID] = true
				found = append(found, o)
			}
		}
	}
	return slices.DeleteFunc(found, func(o store.Slice) bool { return o.ID == s.ID }), nil
}

// keywords returns the words that tell slices apart: those of the summary, then those of the
// address and of errors, without the shortest of those that are spelled with letters.
func keywords(s store.Slice) []string {
	text := s.Summary
	if s.SourceURL != nil {
		text += "\n" + *s.SourceURL
	}
	text += "\n" + truncate(s.Symptoms, 1000)
	return slices.DeleteFunc(words.Split(text), func(w string) bool { return len(w) <= maxShortWord && w[0] < utf8.RuneSelf || stopWords[w] })
}

// stopWords are words of every report.
var stopWords = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range words.Split("with from that this when then does nothing have after before into press click open page steps " +
		"expected actual https http html") {
		m[w] = true
	}
	return m
}()
