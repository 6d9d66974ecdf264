package tracker

import (
	"cmp"
	"context"
	"maps"
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

// similar returns the slices of the workspace that share keywords with a slice, each with the parts that have them.
func (t *Tracker) similar(q access.Queries, s store.Slice) ([]api.Similar, error) {
	similar := []api.Similar{}
	keywords := s.Keywords()
	if len(keywords.Stems) == 0 {
		return similar, nil
	}
	c, err := findCandidates(q, s, keywords)
	if err != nil || len(c.found) == 0 {
		return similar, err
	}
	key, err := q.WorkspaceKey(s.WorkspaceID)
	if err != nil {
		return nil, err
	}
	compare := newComparison(keywords, c)
	for _, o := range c.found {
		if score := compare.score(o); score >= minScore {
			similar = append(similar, api.Similar{ID: o.ID, Number: o.Number, Reference: api.Reference(key, o.Number),
				Summary: o.Summary, Status: o.Status, Score: math.Round(score*1000) / 1000, URL: t.sliceURL(o.ID)})
		}
	}
	slices.SortFunc(similar, byScore)
	similar = similar[:min(len(similar), maxSimilar)]
	return similar, addReasons(q, similar, compare)
}

// addReasons adds to similar slices the parts that have the compared words.
func addReasons(q access.Queries, similar []api.Similar, compare *comparison) error {
	texts, err := q.SearchedTexts(convert(similar, func(s api.Similar) string { return s.ID }))
	if err != nil {
		return err
	}
	looked := lookedFor{of: compare.shared}
	for i := range similar {
		similar[i].Matches = []api.Match{}
		if s, ok := texts[similar[i].ID]; ok { // else it was deleted meanwhile
			similar[i].Matches = looked.best(looked.inCompared(s))
		}
	}
	return nil
}

// comparison compares a slice with others.
type comparison struct {
	stems     []store.Word
	ofSummary int
	weight    func(store.Word) float64
	known     map[store.Word]bool
	like      map[store.Word]store.Word // stems that are spelt like one that no candidate has
}

// likeness is the part of a word that one which is spelt alike counts.
const likeness = 0.7

func newComparison(k store.Keywords, c *candidates) *comparison {
	compare := &comparison{ofSummary: k.OfSummary, weight: weights(c.found), known: map[store.Word]bool{}, like: c.like}
	for _, stem := range k.Stems {
		w := store.WordOf(stem)
		compare.stems = append(compare.stems, w)
		compare.known[w] = true
	}
	return compare
}

// shared returns the stem of a folded word that is a compared one, in any form, or is spelt like one; empty for another.
func (c *comparison) shared(word string) string {
	stem := store.Stem(word)
	if _, alike := c.like[store.WordOf(stem)]; alike || c.known[store.WordOf(stem)] {
		return stem
	}
	return ""
}

// score returns the similarity of another slice: that of the summaries, or that of all keywords, whichever is more.
func (c *comparison) score(o *store.Compared) float64 {
	return max(c.cosine(c.stems, o.Keywords), c.cosine(c.stems[:c.ofSummary], o.Keywords[:o.OfSummary]))
}

// cosine returns the cosine similarity of keywords, of which rare ones have more weight.
func (c *comparison) cosine(mine, others []store.Word) float64 {
	norm, otherNorm, shared := 0.0, 0.0, 0.0
	asked := make(map[store.Word]bool, len(mine))
	for _, w := range mine {
		norm += c.weight(w)
		asked[w] = true
	}
	for _, w := range others {
		otherNorm += c.weight(w)
		if asked[w] {
			shared += c.weight(w)
		} else if alike, ok := c.like[w]; ok && asked[alike] {
			shared += likeness * c.weight(w)
		}
	}
	if shared == 0 {
		return 0
	}
	return min(shared/math.Sqrt(norm*otherNorm), 1)
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

	unknown   map[store.Word]bool       // searched keywords that none of these has
	exhausted map[store.Word]bool       // keywords of which no further slice is found
	like      map[store.Word]store.Word // stems that are spelt like an unknown one
}

// add adds slices with some keywords. complete is whether no other slice has them.
func (c *candidates) add(all []*store.Compared, keywords []store.Word, complete bool) {
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
	for _, w := range keywords {
		c.exhausted[w] = complete
	}
}

// findCandidates returns the newest slices that have any of the keywords, or one that is spelt like one that none of
// the newest has, older ones with such a keyword, and slices of any age that have all words of the summary or of the
// first error.
func findCandidates(q access.Queries, s store.Slice, k store.Keywords) (*candidates, error) {
	stems := k.Stems[:min(len(k.Stems), maxQueryWords)]
	keywords := convert(stems, store.WordOf)
	c := &candidates{known: map[string]bool{s.ID: true}, unknown: map[store.Word]bool{},
		exhausted: map[store.Word]bool{}}
	for _, w := range keywords {
		c.unknown[w] = true
	}
	newest, err := q.Newest(s.WorkspaceID)
	if err != nil {
		return nil, err
	}
	first, complete := newest.WithAny(keywords, maxCandidates)
	c.add(first, keywords, complete)
	var rare, rareStems []string
	for i, w := range keywords {
		if c.unknown[w] {
			rare, rareStems = append(rare, k.Words[i]), append(rareStems, stems[i])
		}
	}
	c.like = newest.Like(rareStems)
	alike, _ := newest.WithAny(slices.Collect(maps.Keys(c.like)), maxCandidates)
	c.add(alike, nil, false)
	if left := min(maxOlder, maxCandidates-len(c.found)); !complete && left > 0 && len(rare) > 0 {
		older, complete, err := q.SlicesWithRare(s.WorkspaceID, rare, left)
		if err != nil {
			return nil, err
		}
		c.add(older, convert(rareStems, store.WordOf), complete)
	}
	return c, c.addExact(q, s, newest)
}

// addExact adds the slices of any age that have all words of the summary or of the first error.
func (c *candidates) addExact(q access.Queries, s store.Slice, newest store.Newest) error {
	firstError, _, _ := strings.Cut(s.Symptoms, "\n")
	for _, text := range []string{s.Summary, truncate(firstError, 200)} {
		all := words.Split(text)
		isExhausted := func(w string) bool { return c.exhausted[store.WordOf(store.Stem(w))] }
		if len(all) == 0 || slices.ContainsFunc(all, isExhausted) {
			continue
		}
		matches, err := q.SlicesWithAll(newest, all, maxExactMatches)
		if err != nil {
			return err
		}
		c.add(matches, nil, false)
	}
	return nil
}
