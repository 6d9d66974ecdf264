package tracker_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/token"
	"bugslice/internal/tracker"
)

// refusals returns what the owner is shown of the last 7 days.
func (w *world) refusals(t *testing.T, keyID string) []tracker.Refusal {
	t.Helper()
	all, err := w.KeyRefusals(t.Context(), w.owner, keyID, w.now.Add(-7*24*time.Hour))
	must(t, err)
	return all
}

// TestRefusalsAreCounted: refusals are counted by key and code over the hours of 7 days. Stored counts survive a
// restart, and are deleted after 8 days.
func TestRefusalsAreCounted(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.now = w.now.Truncate(time.Hour).Add(59*time.Minute + 59*time.Second)
		k, other := w.mint(t, api.AllScopes()).ID, w.mint(t, api.AllScopes()).ID
		restart := func() {
			must(t, w.FlushUsage(t.Context()))
			w.with(t, func(*tracker.Options) {})
		}
		note := func(code, operation string, n int) {
			for range n {
				w.NoteRefusal(k, code, operation)
			}
		}
		note(api.CodeScope, api.OpDeleteSlice, 3)
		note(api.CodeRateLimited, api.OpListSlices, 1)
		w.NoteRefusal(other, api.CodeScope, api.OpGetMe)
		w.NoteRefusal("", api.CodeScope, api.OpGetMe)
		for _, code := range []string{api.CodeInternal, api.CodeUnavailable, api.CodeNoSpace, "no_such_code"} {
			note(code, api.OpGetMe, 1)
		}
		begin := api.At(w.now)
		w.now = w.now.Add(2 * time.Second) // of the next hour
		note(api.CodeScope, api.OpCreateKey, 2)
		restart()
		note(api.CodeScope, api.OpRevokeKey, 5)
		restart()
		if got := w.refusals(t, other); len(got) != 1 || got[0].Count != 1 {
			t.Errorf("another key: %+v", got)
		}
		scope := tracker.Refusal{Code: api.CodeScope, Status: 403, Count: 10, LastAt: api.At(w.now),
			Last: "DELETE /v1/api-keys/{keyId}"}
		limited := tracker.Refusal{Code: api.CodeRateLimited, Status: 429, Count: 1, LastAt: begin,
			Last: "GET /v1/slices"}
		if got := w.refusals(t, k); fmt.Sprint(got) != fmt.Sprint([]tracker.Refusal{scope, limited}) {
			t.Errorf("%+v", got)
		}
		w.now = begin.Add(7 * 24 * time.Hour)
		if got := w.refusals(t, k); len(got) != 2 {
			t.Errorf("after 7 days: %+v", got)
		}
		w.now = w.now.Add(time.Second) // the first hour is older than 7 days
		if got := w.refusals(t, k); len(got) != 1 || got[0].Count != 7 {
			t.Errorf("after more than 7 days: %+v", got)
		}
		w.pass(t, 2*time.Hour)
		if all, err := w.KeyRefusals(t.Context(), w.owner, k, time.Time{}); err != nil || len(all) != 2 {
			t.Errorf("deleted before 8 days: %+v (%v)", all, err)
		}
		w.pass(t, 24*time.Hour)
		if all, err := w.KeyRefusals(t.Context(), w.owner, k, time.Time{}); err != nil || len(all) != 0 {
			t.Errorf("not deleted after 8 days: %+v (%v)", all, err)
		}
	})
}

// TestRefusalsAllocateNothing: a client that is refused again and again costs no memory.
func TestRefusalsAllocateNothing(t *testing.T) {
	w := &world{now: time.Now()}
	w.with(t, func(*tracker.Options) {}) // without a database, which no refusal needs
	if n := testing.AllocsPerRun(1000, func() { w.NoteRefusal("key_1", api.CodeScope, api.OpGetMe) }); n != 0 {
		t.Errorf("a refusal allocates %v times", n)
	}
}

// TestRefusalsAreBounded: every refused call of a key is counted, and the counts of many keys use bounded memory.
func TestRefusalsAreBounded(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		k := w.mint(t, api.AllScopes()).ID
		var work sync.WaitGroup
		for range 8 {
			work.Go(func() {
				for range 10_000 {
					w.NoteRefusal(k, api.CodeScope, api.OpGetMe)
				}
			})
		}
		work.Wait()
		for i := range 20_000 {
			w.NoteRefusal(fmt.Sprint("key_", i), api.CodeScope, api.OpGetMe)
		}
		must(t, w.FlushUsage(t.Context()))
		stored := 0
		for i := range 20_000 {
			if i%1000 != 0 {
				continue
			}
			all, err := w.store.Read(t.Context()).KeyRefusals(fmt.Sprint("key_", i), api.At(time.Time{}))
			must(t, err)
			stored += len(all)
		}
		if got := w.refusals(t, k); len(got) != 1 || got[0].Count != 80_000 || stored != 10 {
			t.Errorf("%+v; %d of 20 keys, want 10", got, stored)
		}
	})
}

// TestRefusedTokensNameTheirKey: a token that does not work any more still names its key to the front end, and no
// caller.
func TestRefusedTokensNameTheirKey(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx, soon := t.Context(), api.At(w.now.Add(time.Hour))
		expired, rotated, replaced, revoked := w.brief(t, soon), w.mint(t, api.AllScopes()),
			w.mint(t, api.AllScopes()), w.mint(t, api.AllScopes())
		must(t, second(w.RotateKey(ctx, w.owner, valid(api.RotateKey{KeyID: rotated.ID,
			Body: &api.RotateFields{GracePeriodSeconds: 3600}}))))
		must(t, second(w.RotateKey(ctx, w.owner, valid(api.RotateKey{KeyID: replaced.ID}))))
		must(t, second(w.RevokeKey(ctx, w.owner, valid(api.RevokeKey{KeyID: revoked.ID}))))
		w.now = soon.Time
		for what, test := range map[string]struct{ token, want string }{
			"an expired key":                    {expired.Token, expired.ID},
			"a token after its grace period":    {rotated.Token, rotated.ID},
			"a replaced token without a grace":  {replaced.Token, ""},
			"a revoked key":                     {revoked.Token, revoked.ID},
			"a text that is no token":           {"svc_pat_x", ""},
			"the token of a key that never was": {token.New(token.PAT), ""},
		} {
			c, err := w.Authenticate(ctx, test.token)
			if got := access.RefusedKeyID(err); got != test.want || code(err) != api.CodeUnauthorized {
				t.Errorf("%s: key %q, want %q (%v)", what, got, test.want, err)
			}
			if c.KeyID() != "" || c.ID != "" {
				t.Errorf("%s authenticates %+v", what, c)
			}
		}
	})
}
