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
	maxSimilar      = 25   // slices in the list
	maxQueryWords   = 24   // keywords that are looked up
	maxCandidates   = 400  // newest slices with one of these keywords
	maxExactMatches = 25   // slices of any age with all words of the summary, or of the first error
	minScore        = 0.25 // of a slice in the list
	maxShortWord    = 3    // letters of a word that is no keyword
)

// ListSimilar lists slices that may report the same bug as a slice the caller sees, the most similar first.
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
	l := listing[api.Similar]{operation: api.OpListSimilar, parameters: in, paging: in.Paging}
	return t.listSimilar(c, l, func() ([]api.Similar, error) {
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
		return all, err
	})
}

// listSimilar returns a page of the slices that find returns in the order of byScore.
func (t *Tracker) listSimilar(c Caller, l listing[api.Similar], find func() ([]api.Similar, error)) (api.Page[api.Similar], error) {
	l.positionParts = 2
	l.position = func(o api.Similar) []string { return []string{strconv.FormatFloat(o.Score, 'f', 3, 64), o.ID} }
	l.read = func(after []string, _ int) ([]api.Similar, error) {
		all, err := find()
		if after[0] == "" {
			return all, err
		}
		score, _ := strconv.ParseFloat(after[0], 64)
		last := api.Similar{Score: score, ID: after[1]} // of the page before; it may be deleted meanwhile
		return slices.DeleteFunc(all, func(o api.Similar) bool { return byScore(o, last) <= 0 }), err
	}
	return listPage(t, c, l)
}

// similar returns the slices of the workspace that share keywords with a slice. The score is the cosine similarity of the
// keywords, of which rare ones have more weight.
func (t *Tracker) similar(q store.Queries, s store.Slice) ([]api.Similar, error) {
	keywords := keywordsOf(s)
	if len(keywords) == 0 {
		return []api.Similar{}, nil
	}
	others, otherKeywords, err := candidates(q, s, keywords)
	if err != nil {
		return nil, err
	}
	weight := weights(otherKeywords)
	isKeyword, norm := map[string]bool{}, 0.0
	for _, w := range keywords {
		isKeyword[w] = true
		norm += weight(w)
	}
	similar := []api.Similar{}
	for i, o := range others {
		shared, otherNorm := 0.0, 0.0
		for _, w := range otherKeywords[i] {
			if otherNorm += weight(w); isKeyword[w] {
				shared += weight(w)
			}
		}
		if score := shared / math.Sqrt(norm*otherNorm); score >= minScore {
			o := t.show(o)
			similar = append(similar, api.Similar{ID: o.ID, Number: o.Number, Reference: o.Reference, Summary: o.Summary, Status: o.Status,
				Score: math.Round(score*1000) / 1000, URL: o.URL})
		}
	}
	slices.SortFunc(similar, byScore)
	return similar[:min(len(similar), maxSimilar)], nil
}

// weights returns the weight of a word: its inverse document frequency in the keywords of slices.
func weights(keywords [][]string) func(word string) float64 {
	frequency := map[string]int{}
	for _, ofSlice := range keywords {
		for _, w := range ofSlice {
			frequency[w]++
		}
	}
	return func(w string) float64 { return math.Log(1 + float64(len(keywords)+1)/float64(1+frequency[w])) }
}

// byScore compares two slices for an order in which the most similar is first.
func byScore(a, b api.Similar) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.ID, a.ID))
}

// candidates returns the newest slices that have any of the keywords, older ones that have a keyword that none of the newest has, and
// slices of any age that have all words of the summary or of the first error. It returns the keywords of each.
func candidates(q store.Queries, s store.Slice, keywords []string) (found []store.Slice, theirs [][]string, err error) {
	keywords = keywords[:min(len(keywords), maxQueryWords)]
	known, unknown := map[string]bool{s.ID: true}, map[string]bool{}
	for _, w := range keywords {
		unknown[w] = true
	}
	add := func(all []store.Slice) {
		for _, o := range all {
			if known[o.ID] {
				continue
			}
			known[o.ID] = true
			words := keywordsOf(o)
			found, theirs = append(found, o), append(theirs, words)
			for _, w := range words {
				delete(unknown, w)
			}
		}
	}
	newest, complete, err := q.SlicesWithAny(s.WorkspaceID, keywords, maxCandidates)
	if err != nil {
		return nil, nil, err
	}
	add(newest)
	if rare := slices.DeleteFunc(slices.Clone(keywords), func(w string) bool { return !unknown[w] }); !complete && len(rare) > 0 {
		older, err := q.SlicesWithRare(s.WorkspaceID, rare, maxCandidates-len(newest))
		if err != nil {
			return nil, nil, err
		}
		add(older)
	}
	firstError, _, _ := strings.Cut(s.Symptoms, "\n")
	for _, text := range []string{s.Summary, truncate(firstError, 200)} {
		all := words.Split(text)
		if len(all) == 0 {
			continue
		}
		matches, err := q.SlicesWithAll(s.WorkspaceID, all, maxExactMatches)
		if err != nil {
			return nil, nil, err
		}
		add(matches)
	}
	return found, theirs, nil
}

// keywordsOf returns the words that distinguish a slice from others: those of its summary, URL and errors, without stop
// words and short words in Latin letters.
func keywordsOf(s store.Slice) []string {
	text := s.Summary
	if s.SourceURL != nil {
		text += "\n" + *s.SourceURL
	}
	text += "\n" + truncate(s.Symptoms, 1000)
	return slices.DeleteFunc(words.Split(text), func(w string) bool {
		return len(w) <= maxShortWord && w[0] < utf8.RuneSelf || stopWords[w]
	})
}

// stopWords are words that occur in most reports.
var stopWords = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range words.Split("with from that this when then does nothing have after before into press click open page steps " +
		"expected actual https http html") {
		m[w] = true
	}
	return m
}()
