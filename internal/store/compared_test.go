package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bugslice/internal/assert"
	"bugslice/internal/store"
	"bugslice/internal/words"
)

// TestNewest: on each of two nodes, the newest slices with any of some words are those whose texts have one, after
// every change: of 1,000, and at most as many as were asked for. Those with all of some words are found among all.
func TestNewest(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		other, err := store.Open(o)
		must(t, err)
		defer other.Close()
		_, workspace := seed(t, s)
		r := rand.New(rand.NewPCG(3, 66))
		sentence := func() string {
			all := make([]string, 1+r.IntN(4))
			for i := range all {
				all[i] = fmt.Sprint("word", r.IntN(1+r.IntN(200)))
			}
			return strings.Join(all, " ")
		}
		var all []store.Slice // the newest last
		must(t, s.Write(t.Context(), func(tx *store.Tx) error {
			for range 1010 {
				made, err := insert(tx, workspace, sentence())
				if err != nil {
					return err
				}
				all = append(all, made)
			}
			return nil
		}))
		for range 30 {
			writer := []*store.Store{s, other}[r.IntN(2)]
			must(t, writer.Write(t.Context(), func(tx *store.Tx) error { return changeTexts(tx, r, &all, sentence) }))
			searched, limit := words.Split(sentence()), 1+r.IntN(400)
			stands := make([]store.Word, len(searched))
			for i, w := range searched {
				stands[i] = store.WordOf(w)
			}
			any, both := []string{}, []string{}
			walked := 0
			for _, s := range slices.Backward(all) {
				if s.DeletedAt != nil {
					continue
				}
				has := func(w string) bool { return slices.Contains(store.Terms(s.SliceFields, ""), w) }
				isKeyword := func(w string) bool { return slices.Contains(s.Keywords().Stems, w) }
				if walked++; walked <= 1000 && slices.ContainsFunc(searched, isKeyword) {
					any = append(any, s.ID)
				}
				if !slices.ContainsFunc(searched, func(w string) bool { return !has(w) }) {
					both = append(both, s.ID)
				}
			}
			for n, node := range []*store.Store{s, other} {
				what := fmt.Sprintf("node %d: %d slices with %s of %q", n, limit, "%s", searched)
				newest, err := node.Read(t.Context()).Newest(workspace)
				must(t, err)
				found, complete := newest.WithAny(stands, limit)
				assert.Equal(t, fmt.Sprintf(what, "any"), idsOf(found), any[:min(len(any), limit)])
				assert.Equal(t, "complete", complete, len(any) <= limit && walked < 1000)
				found, err = node.Read(t.Context()).SlicesWithAll(newest, searched, limit)
				must(t, err)
				assert.Equal(t, fmt.Sprintf(what, "all"), idsOf(found), both[:min(len(both), limit)])
			}
		}
	})
}

// changeTexts changes the texts of a slice, deletes one, restores one and makes one.
func changeTexts(tx *store.Tx, r *rand.Rand, all *[]store.Slice, sentence func() string) error {
	one := func() *store.Slice { return &(*all)[len(*all)-1-r.IntN(100)] }
	changed, text := one(), sentence()
	changed.Summary, changed.Description = sentence(), &text
	for _, s := range []*store.Slice{changed, one(), one()} {
		row, err := tx.LockSlice(s.ID)
		if err != nil {
			return err
		}
		row.Summary, row.Description = s.Summary, s.Description
		if s != changed && row.DeletedAt == nil {
			row.DeletedAt = &row.UpdatedAt
		} else {
			row.DeletedAt = nil
		}
		if err := tx.UpdateSlice(&row); err != nil {
			return err
		}
		*s = row
	}
	made, err := insert(tx, (*all)[0].WorkspaceID, sentence())
	*all = append(*all, made)
	return err
}
