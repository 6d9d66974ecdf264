package store_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/store"
	"bugslice/internal/store/storetest"
)

// BenchmarkClaim claims one delivery of a webhook and settles it, beside 0 and 1,000,000 rows
// that are due to a webhook whose four places are taken.
func BenchmarkClaim(b *testing.B) {
	for _, engine := range []string{"sqlite", "postgres"} {
		for _, waiting := range []int{0, 1_000_000} {
			b.Run(fmt.Sprint(engine, "/", waiting), func(b *testing.B) {
				o := store.Options{Path: filepath.Join(b.TempDir(), "test.db")}
				if engine == "postgres" {
					database, err := storetest.Database()
					must(b, err)
					o = store.Options{URL: database}
				}
				_, err := store.Migrate(b.Context(), o)
				must(b, err)
				s, err := store.Open(o)
				must(b, err)
				defer s.Close()
				benchmarkClaim(b, s, waiting)
			})
		}
	}
}

func benchmarkClaim(b *testing.B, s *store.Store, waiting int) {
	org, workspace := seed(b, s)
	slow, quick := queueHook(b, s, org, workspace), queueHook(b, s, org, workspace)
	queue := func(webhook string, n int) {
		for n > 0 {
			part := make([]store.Delivery, min(n, 5000))
			n -= len(part)
			for i := range part {
				part[i].Delivery = api.Delivery{ID: id.New(id.Delivery), WebhookID: webhook, WorkspaceID: workspace,
					EventID: id.New(id.Event), EventType: api.EventSliceCreated, CreatedAt: api.At(time.Now())}
			}
			must(b, s.Write(b.Context(), func(tx *store.Tx) error { _, err := tx.InsertDeliveries(part); return err }))
		}
	}
	claim := func(until time.Time) []store.Delivery {
		now := api.At(time.Now().Add(time.Second))
		claims, err := store.Write(b.Context(), s,
			func(tx *store.Tx) ([]store.Delivery, error) { return tx.LeaseDeliveries(now, api.At(until), 64) })
		must(b, err)
		return claims
	}
	queue(slow, waiting)
	claim(time.Now().Add(time.Hour)) // its places are taken
	queue(quick, b.N)
	until := api.At(time.Now().Add(time.Minute))
	var took time.Duration
	for done := 0; done < b.N; {
		begin := time.Now()
		claims := claim(until.Time)
		took += time.Since(begin)
		if len(claims) == 0 {
			b.Fatal("nothing was claimed")
		}
		must(b, s.Write(b.Context(), func(tx *store.Tx) error {
			for _, d := range claims {
				now := api.At(time.Now())
				d.Status, d.FinishedAt = api.DeliveryDelivered, &now
				if _, err := tx.FinishDelivery(d, until, now, id.New(id.Attempt), api.Attempt{At: now}); err != nil {
					return err
				}
			}
			return nil
		}))
		done += len(claims)
	}
	b.ReportMetric(float64(took.Nanoseconds())/float64((b.N+store.MaxInFlight-1)/store.MaxInFlight), "ns/op")
}

// queueHook makes an enabled webhook.
func queueHook(b *testing.B, s *store.Store, org, workspace string) string {
	now := api.At(time.Now())
	w := store.Webhook{OrgID: org}
	w.ID, w.WorkspaceID, w.URL, w.Enabled, w.CreatedAt, w.UpdatedAt = id.New(id.Webhook), workspace,
		"https://hooks.example.com/", true, now, now
	must(b, s.Write(b.Context(), func(tx *store.Tx) error { return tx.InsertWebhook(&w) }))
	return w.ID
}
