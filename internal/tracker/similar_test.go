package tracker_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/assert"
	"bugslice/internal/store"
	"bugslice/internal/store/storetest"
	"bugslice/internal/tracker"
	"bugslice/internal/words"
)

// TestSimilarFollowsChanges: after each change, made on one of two nodes, both list the slices that are similar by
// the texts which are stored then: of slices that are edited, moved, deleted, restored, new, or without the name of
// an erased user.
func TestSimilarFollowsChanges(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o, err := storetest.Migrated(engine, t.TempDir())
			must(t, err)
			s, err := store.Open(o)
			must(t, err)
			defer s.Close()
			other, err := store.Open(o)
			must(t, err)
			defer other.Close()
			w := newEmptyWorld(t, s)
			w.fill(t)
			w.limited(t, 0, 0)
			first := w.Tracker
			w.with(t, func(o *tracker.Options) { o.Store, o.Blobs = access.Seal(other), w.blobs })
			checkSimilar(t, w, []*tracker.Tracker{first, w.Tracker})
		})
	}
}

func checkSimilar(t *testing.T, w *world, nodes []*tracker.Tracker) {
	ctx, r := t.Context(), rand.New(rand.NewPCG(66, 1))
	const email = "zyx@test.example"
	u := w.colleague(t, email, api.RoleMember, api.RoleMember)
	vocabulary := strings.Fields("voucher checkout basket invoice refused Zürich 支払い the with " + email)
	for i := range 30 {
		vocabulary = append(vocabulary, fmt.Sprint("word", i))
	}
	sentence := func(n int) string {
		all := make([]string, 1+r.IntN(n))
		for i := range all {
			all[i] = vocabulary[min(r.IntN(len(vocabulary)), r.IntN(len(vocabulary)))]
		}
		return strings.Join(all, " ")
	}
	var ids []string
	for i := range 120 {
		node := nodes[r.IntN(2)]
		id := ""
		if len(ids) > 0 {
			id = ids[r.IntN(len(ids))]
		}
		update := func(patch api.SlicePatch) {
			if _, err := node.UpdateSlice(ctx, w.owner,
				valid(api.UpdateSlice{SliceID: id, Patch: patch})); code(err) != "not_found" {
				must(t, err)
			}
		}
		switch n := r.IntN(10); {
		case i < 30 || n < 3:
			in := api.NewSlice{WorkspaceID: &w.workspace, SliceFields: api.SliceFields{Summary: sentence(6)},
				Evidence: &api.Evidence{
					Console: []api.ConsoleEntry{{Level: "error", Timestamp: api.At(w.now), Message: sentence(6)}}}}
			made, err := node.CreateSlice(ctx, w.owner, valid(api.CreateSlice{Body: in}))
			must(t, err)
			ids = append(ids, made.ID)
		case n < 5:
			update(api.SlicePatch{"summary": sentence(6)})
		case n < 6:
			update(api.SlicePatch{"description": sentence(20),
				"sourceUrl": "https://shop.example/" + vocabulary[10+r.IntN(20)]})
		case n < 7:
			update(api.SlicePatch{"status": []string{"open", "resolved", "closed"}[r.IntN(3)]})
		case n < 9:
			if _, err := node.DeleteSlice(ctx, w.owner, valid(api.DeleteSlice{SliceID: id})); code(err) != "not_found" {
				must(t, err)
			}
		default:
			if _, err := node.RestoreSlice(ctx, w.owner,
				valid(api.RestoreSlice{SliceID: id})); code(err) != "not_found" {
				must(t, err)
			}
		}
		if i == 90 {
			must(t, w.Operator.EraseUser(ctx, u.Caller.ID))
			for i, v := range vocabulary {
				if v == email {
					vocabulary[i] = store.DeletedUser
				}
			}
		}
		all, err := w.store.Read(ctx).Slices(store.SliceFilter{Workspaces: []string{w.workspace}, Limit: 1000})
		must(t, err)
		of := all[r.IntN(len(all))]
		want := naiveSimilar(of, all)
		for n, node := range nodes {
			got, err := node.ListSimilar(ctx, w.owner,
				valid(api.ListSimilar{SliceID: of.ID, Paging: api.Paging{Limit: 25}}))
			must(t, err)
			listed := make([]similarSlice, len(got.Data))
			for i, s := range got.Data {
				listed[i] = similarSlice{s.ID, s.Summary, string(s.Status), s.Score}
			}
			assert.Equal(t, fmt.Sprintf("after %d changes, node %d: similar to %q", i, n, of.Summary), listed, want)
		}
	}
}

// similarSlice is a slice of a list of similar ones.
type similarSlice struct {
	id, summary, status string
	score               float64
}

// naiveSimilar returns the slices that are similar to one of fewer than 400: those that share a keyword or have one that
// is spelt like one that no other slice has, by the cosine of the keywords of the summaries or of all, of which each
// weighs the more the fewer slices with any of them have it.
func naiveSimilar(s store.Slice, all []store.Slice) []similarSlice {
	keywords := func(s store.Slice) store.Keywords { return s.Keywords() }
	mine := keywords(s)
	searched := mine.Stems[:min(24, len(mine.Stems))]
	like := map[string]string{}
	for _, w := range searched {
		isKnown := func(o store.Slice) bool { return o.ID != s.ID && slices.Contains(keywords(o).Stems, w) }
		if slices.ContainsFunc(all, isKnown) {
			continue
		}
		for _, o := range all {
			k := keywords(o)
			for _, other := range k.Stems[:k.OfSummary] {
				if haveSameTrigrams(w, other) {
					like[other] = w
				}
			}
		}
	}
	candidates := naiveCandidates(s, all, searched, like)
	weight := func(w string) float64 {
		n := 0
		for _, o := range candidates {
			if slices.Contains(keywords(o).Stems, w) {
				n++
			}
		}
		return math.Log(1 + float64(len(candidates)+1)/float64(1+n))
	}
	cosine := func(mine, others []string) float64 {
		shared, norm, otherNorm := 0.0, 0.0, 0.0
		for _, w := range mine {
			norm += weight(w)
		}
		for _, w := range others {
			if otherNorm += weight(w); slices.Contains(mine, w) {
				shared += weight(w)
			} else if slices.Contains(mine, like[w]) {
				shared += 0.7 * weight(w)
			}
		}
		return shared / math.Sqrt(max(norm*otherNorm, 1e-9))
	}
	similar := []similarSlice{}
	for _, o := range candidates {
		k := keywords(o)
		score := max(cosine(mine.Stems, k.Stems), cosine(mine.Stems[:mine.OfSummary], k.Stems[:k.OfSummary]))
		if score >= 0.25 {
			similar = append(similar, similarSlice{o.ID, o.Summary, string(o.Status),
				math.Round(min(score, 1)*1000) / 1000})
		}
	}
	slices.SortFunc(similar, func(a, b similarSlice) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.id, a.id))
	})
	return similar[:min(25, len(similar))]
}

// naiveCandidates returns the slices with a keyword, with one that is spelt alike, or with all words of the summary or
// of the first error.
func naiveCandidates(s store.Slice, all []store.Slice, searched []string, like map[string]string) (found []store.Slice) {
	firstError, _, _ := strings.Cut(s.Symptoms, "\n")
	for _, o := range all {
		stems := o.Keywords().Stems
		lacks := func(w string) bool { return !slices.Contains(store.Terms(o.SliceFields, o.Symptoms), w) }
		isSearched := func(w string) bool { return slices.Contains(searched, store.Stem(w)) } // and found by keywords
		hasAll := func(text string) bool {
			all := words.Split(text)
			return len(all) > 0 && !slices.ContainsFunc(all, lacks) && !slices.ContainsFunc(all, isSearched)
		}
		has := func(w string) bool { return slices.Contains(searched, w) || like[w] != "" }
		if o.ID != s.ID && len(searched) > 0 &&
			(slices.ContainsFunc(stems, has) || hasAll(s.Summary) || hasAll(firstError)) {
			found = append(found, o)
		}
	}
	return found
}

// haveSameTrigrams reports whether two words begin alike and have most of their trigrams in common.
func haveSameTrigrams(a, b string) bool {
	count := func(word string) map[string]bool {
		all := map[string]bool{}
		for runes := []rune("  " + word + " "); len(runes) > 2; runes = runes[1:] {
			all[string(runes[:3])] = true
		}
		return all
	}
	of, other, shared := count(a), count(b), 0
	for t := range of {
		if other[t] {
			shared++
		}
	}
	return a[0] == b[0] && len(a) <= 2*len(b) && len(b) <= 2*len(a) && float64(2*shared) >= 0.6*float64(len(of)+len(other))
}
