package store_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"bugslice/internal/assert"
	"bugslice/internal/store"
	"bugslice/internal/words"
)

// TestWordsOfOlderSlices: slices of a former version are found by the present words after the job, which continues after its last
// transaction, and does not undo the change of a text beside it.
func TestWordsOfOlderSlices(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, _ store.Options) {
		_, workspace := seed(t, s)
		texts := map[string][]string{ // with the former words of each
			"Łódź": {"łodz"}, "로그인이 안 됩니다": {"로그인이", "안", "됩니다"}, "København": {"kobenhavn", "københavn"}, "login fails": {"login", "fails"},
			"ปุ่มระบบ": {"ป", "ม", "ร", "ะ", "บ"}, "စကားဝှက်": {"စက", "ဝ", "က"}, "Straße": {"strasse"}, "İstanbul ısı": {"istanbul", "ısı"},
		}
		made := map[string]store.Slice{}
		must(t, s.Write(t.Context(), func(tx *store.Tx) (err error) {
			for text, terms := range texts {
				if made[text], err = insert(tx, workspace, text); err != nil {
					return err
				}
				if err := tx.UpdateSliceText(new(made[text]), terms); err != nil {
					return err
				}
			}
			return nil
		}))
		find := func(text string) (found []string) {
			all, err := s.Read(t.Context()).Slices(store.SliceFilter{Workspaces: []string{workspace}, Words: words.Split(text), Limit: 25})
			must(t, err)
			for _, s := range all {
				found = append(found, s.Summary)
			}
			return found
		}
		assert.Equal(t, "found before", len(find("lodz")), 0)
		advance := func(limit int) (n int) {
			must(t, s.Write(t.Context(), func(tx *store.Tx) (err error) {
				n, err = tx.AdvanceSearchBackfill(limit)
				return err
			}))
			return n
		}
		assert.Equal(t, "passed", advance(3), 3)
		var work sync.WaitGroup
		work.Go(func() {
			for i := range 20 {
				must(t, s.Write(t.Context(), func(tx *store.Tx) error {
					all, err := tx.LockSlice(made["Straße"].ID)
					if err != nil {
						return err
					}
					all.Summary = fmt.Sprint("Straße Ŋ", i)
					if err := tx.UpdateSlice(&all); err != nil {
						return err
					}
					return tx.UpdateSliceText(&all, store.Terms(all.SliceFields, ""))
				}))
			}
		})
		for range 2 { // two nodes
			work.Go(func() {
				for advance(1) == 1 {
				}
			})
		}
		work.Wait()
		for searched, text := range map[string]string{"lodz": "Łódź", "로그인": "로그인이 안 됩니다", "kobenhavn": "København", "fails": "login fails",
			"ระบบ": "ปุ่มระบบ", "ဝှက်": "စကားဝှက်", "isi": "İstanbul ısı", "strasse n19": "Straße Ŋ19"} {
			assert.Equal(t, searched, find(searched), []string{text})
		}
		assert.Equal(t, "none left", advance(5), 0)
		var again []string
		for text := range texts {
			if text != "Straße" {
				again = append(again, find(text)...)
			}
		}
		assert.Equal(t, "each is found by its text", len(slices.Compact(again)), len(texts)-1)
	})
}
