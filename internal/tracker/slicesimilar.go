package tracker

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/store"
	"bugslice/internal/words"
)

const (
	maxSimilar      = 25   // slices in the list
	maxQueryWords   = 24   // keywords that are looked up
	maxCandidates   = 400  // newest slices with one of these keywords
	maxOlder        = 100  // older slices with a keyword that none of the newest has
	maxExactMatches = 25   // slices of any age with all words of the summary, or of the first error
	minScore        = 0.25 // of a slice in the list
)

// ListSimilar lists slices that may report the same bug as a slice the caller sees, the most similar first.
func (t *Tracker) ListSimilar(ctx context.Context, c access.Caller, v input.Valid[api.ListSimilar],
) (api.Page[api.Similar], error) {
	var none api.Page[api.Similar]
	in, err := v.Value(c.Allow(api.OpListSimilar))
	if err != nil {
		return none, err
	}
	slot, err := t.acquireSlotFor(ctx, c, api.OpListSimilar)
	if err != nil {
		return none, err
	}
	defer slot.Release()
	l := listing[api.Similar]{operation: api.OpListSimilar, parameters: in, paging: in.Paging}
	return t.listSimilar(c, l, func() ([]api.Similar, error) {
		q := t.access.Read(ctx)
		g := t.access.NewSliceGuard(ctx, c, api.OpListSimilar, in.SliceID)
		s, err := c.Slice(q, in.SliceID)
		if err != nil {
			return nil, err
		}
		all, err := t.similar(q, s)
		if err == nil {
			err = g.Allow()
		}
		return all, err
	})
}

// listSimilar returns a page of the slices that find returns in the order of byScore.
func (t *Tracker) listSimilar(c access.Caller, l listing[api.Similar], find func() ([]api.Similar, error),
) (api.Page[api.Similar], error) {
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

// similar returns the slices of the workspace that share keywords with a slice. The score is the cosine similarity of
// the keywords, of which rare ones have more weight.
func (t *Tracker) similar(q access.Queries, s store.Slice) ([]api.Similar, error) {
	similar := []api.Similar{}
	keywords := store.Keywords(s.SliceFields, s.Symptoms)
	if len(keywords) == 0 {
		return similar, nil
	}
	others, err := findCandidates(q, s, keywords)
	if err != nil || len(others) == 0 {
		return similar, err
	}
	key, err := q.WorkspaceKey(s.WorkspaceID)
	if err != nil {
		return nil, err
	}
	weight := weights(others)
	isKeyword, norm := map[store.Word]bool{}, 0.0
	for _, k := range keywords {
		w := store.WordOf(k)
		isKeyword[w] = true
		norm += weight(w)
	}
	for _, o := range others {
		shared, otherNorm := 0.0, 0.0
		for _, w := range o.Keywords {
			if otherNorm += weight(w); isKeyword[w] {
				shared += weight(w)
			}
		}
		if score := shared / math.Sqrt(norm*otherNorm); score >= minScore {
			similar = append(similar, api.Similar{ID: o.ID, Number: o.Number, Reference: api.Reference(key, o.Number),
				Summary: o.Summary,
				Status:  o.Status, Score: math.Round(score*1000) / 1000, URL: t.sliceURL(o.ID)})
		}
	}
	slices.SortFunc(similar, byScore)
	return similar[:min(len(similar), maxSimilar)], nil
}

// weights returns the weight of a word: its inverse document frequency in the keywords of slices.
func weights(all []*store.Compared) func(store.Word) float64 {
	frequency := map[store.Word]int{}
	for _, c := range all {
		for _, w := range c.Keywords {
			frequency[w]++
		}
	}
	return func(w store.Word) float64 { return math.Log(1 + float64(len(all)+1)/float64(1+frequency[w])) }
}

// byScore compares two slices for an order in which the most similar is first.
func byScore(a, b api.Similar) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.ID, a.ID))
}

// candidates are slices that are compared with another one.
type candidates struct {
	found []*store.Compared
	known map[string]bool // the ids of these, and of the other one

	unknown   map[store.Word]bool // searched keywords that none of these has
	exhausted map[string]bool     // words of which no further slice is found
}

// add adds slices with some words. complete is whether no other slice has the words.
func (c *candidates) add(all []*store.Compared, words []string, complete bool) {
	for _, o := range all {
		if c.known[o.ID] {
			continue
		}
		c.known[o.ID] = true
		c.found = append(c.found, o)
		for _, w := range o.Keywords {
			delete(c.unknown, w)
		}
	}
	for _, w := range words {
		c.exhausted[w] = complete
	}
}

// findCandidates returns the newest slices that have any of the keywords, older ones that have a keyword that none of
// the newest has, and slices of any age that have all words of the summary or of the first error.
func findCandidates(q access.Queries, s store.Slice, keywords []string) ([]*store.Compared, error) {
	keywords = keywords[:min(len(keywords), maxQueryWords)]
	c := candidates{known: map[string]bool{s.ID: true}, unknown: map[store.Word]bool{}, exhausted: map[string]bool{}}
	for _, k := range keywords {
		c.unknown[store.WordOf(k)] = true
	}
	newest, err := q.Newest(s.WorkspaceID)
	if err != nil {
		return nil, err
	}
	first, complete := newest.WithAny(keywords, maxCandidates)
	c.add(first, keywords, complete)
	isKnown := func(k string) bool { return !c.unknown[store.WordOf(k)] }
	rare := slices.DeleteFunc(slices.Clone(keywords), isKnown)
	if left := min(maxOlder, maxCandidates-len(first)); !complete && left > 0 && len(rare) > 0 {
		older, complete, err := q.SlicesWithRare(s.WorkspaceID, rare, left)
		if err != nil {
			return nil, err
		}
		c.add(older, rare, complete)
	}
	firstError, _, _ := strings.Cut(s.Symptoms, "\n")
	for _, text := range []string{s.Summary, truncate(firstError, 200)} {
		all := words.Split(text)
		if len(all) == 0 || slices.ContainsFunc(all, func(w string) bool { return c.exhausted[w] }) {
			continue
		}
		matches, err := q.SlicesWithAll(newest, all, maxExactMatches)
		if err != nil {
			return nil, err
		}
		c.add(matches, nil, false)
	}
	return c.found, nil
}
