package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/id"
	"bugslice/internal/store"
	"bugslice/internal/store/storetest"
)

// TestMembersAreTheColumns: there is a member for each column of slices but row, of its type.
func TestMembersAreTheColumns(t *testing.T) {
	engines(t, func(t *testing.T, _ *store.Store, o store.Options) {
		db, driver := rawDatabase(t, o)
		rows, err := db.Query(map[string]string{
			"sqlite": `SELECT name, CASE upper(type) WHEN 'BIGINT' THEN 'BIGINT' ELSE 'TEXT' END, "notnull" = 0 FROM pragma_table_info('slices')
				WHERE name <> 'row' ORDER BY name`,
			"pgx": `SELECT column_name, CASE data_type WHEN 'bigint' THEN 'BIGINT' ELSE 'TEXT' END, is_nullable = 'YES'
				FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = 'slices' AND column_name <> 'row'
				ORDER BY column_name COLLATE "C"`,
		}[driver])
		must(t, err)
		defer rows.Close()
		var present []store.SliceColumn
		for rows.Next() {
			var c store.SliceColumn
			must(t, rows.Scan(&c.Name, &c.Type, &c.Nullable))
			present = append(present, c)
		}
		must(t, rows.Err())
		members := store.MemberColumns()
		slices.SortFunc(members, func(a, b store.SliceColumn) int { return strings.Compare(a.Name, b.Name) })
		assert.Equal(t, "the members of slices", members, present)
	})
}

// BenchmarkSlice reads, files and changes slices with most of their members, in one transaction.
func BenchmarkSlice(b *testing.B) {
	for _, engine := range []string{"sqlite", "postgres"} {
		o, err := storetest.Migrated(engine, b.TempDir())
		must(b, err)
		s, err := store.Open(o)
		must(b, err)
		defer s.Close()
		_, workspace := seed(b, s)
		var ids []string
		number := int64(0)
		file := func(tx *store.Tx) error {
			slice := filledSlice(workspace)
			number++
			slice.Number = number
			ids = append(ids, slice.ID)
			return tx.InsertSlice(&slice, nil)
		}
		must(b, s.Write(b.Context(), func(tx *store.Tx) error {
			for range 25 {
				if err := file(tx); err != nil {
					return err
				}
			}
			return nil
		}))
		few := ids[:25]
		b.Run(engine+"/read one", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := s.Read(b.Context()).Slice(few[0])
				must(b, err)
			}
		})
		b.Run(engine+"/read 25", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := s.Read(b.Context()).SlicesByID(few)
				must(b, err)
			}
		})
		b.Run(engine+"/insert", func(b *testing.B) {
			b.ReportAllocs()
			must(b, s.Write(b.Context(), func(tx *store.Tx) error {
				for b.Loop() {
					if err := file(tx); err != nil {
						return err
					}
				}
				return nil
			}))
		})
		b.Run(engine+"/update", func(b *testing.B) {
			b.ReportAllocs()
			n := 0
			must(b, s.Write(b.Context(), func(tx *store.Tx) error {
				for b.Loop() {
					v, err := tx.LockSlice(few[0])
					if err != nil {
						return err
					}
					n++
					v.Summary = fmt.Sprint("changed ", n)
					if err := tx.UpdateSlice(&v); err != nil {
						return err
					}
				}
				return nil
			}))
		})
	}
}

// filledSlice returns a new slice with most members.
func filledSlice(workspace string) store.Slice {
	text := func(v string) *string { return &v }
	high, major := api.Priority("high"), api.Severity("major")
	at := api.FromMillis(1_700_000_000_000)
	s := store.Slice{Slice: api.Slice{ID: id.New(id.Slice), WorkspaceID: workspace, Version: 1, OccurrenceCount: 1,
		Reporter: api.Reporter{Type: "user", Name: "Ada"}, CreatedAt: at, UpdatedAt: at, LastSeenAt: at,
		SliceFields: api.SliceFields{Summary: "Checkout button does nothing",
			Description: text("1. Put two items in the cart\n2. Press **Checkout**"),
			Status:      api.Open, Priority: &high, Severity: &major, SourceURL: text("https://shop.example.com/cart"),
			Labels:      []string{"checkout", "firefox"},
			Environment: api.Environment{Browser: text("Firefox 128"), OS: text("Linux"), Release: text("1.2.3")},
			Metadata:    map[string]string{"plan": "pro", "shard": "7"}}}, Symptoms: "TypeError: x is undefined"}
	fingerprint := id.New(id.Event)
	s.Fingerprint = &fingerprint
	return s
}
