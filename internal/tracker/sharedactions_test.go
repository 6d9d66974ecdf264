package tracker_test

import (
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/tracker"
)

// TestShareHidesAddresses: the actions of a share are without the e-mail addresses that were typed and clicked, and
// those of a member are as they were captured.
func TestShareHidesAddresses(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.limited(t, 0, 0)
		s := w.file(t, "shared", "")
		const rows = `[
			{"type":"input","timestamp":"2026-11-25T21:30:00Z","selector":"#email","value":"Zoë.Ek+1@customer.example"},
			{"type":"click","timestamp":"2026-11-25T21:30:01Z","text":"Signed in as a@b.example, not b"}]`
		must(t, second(w.CreateAttachment(t.Context(), w.owner,
			valid(api.CreateAttachment{SliceID: s.ID, Kind: api.KindActions, Name: "a.json"}),
			tracker.Upload{Body: strings.NewReader(rows), ContentType: "application/json", Length: int64(len(rows))})))
		in := valid(api.ListActions{SliceID: s.ID, Paging: ten})
		own, err := w.ListActions(t.Context(), w.owner, in)
		must(t, err)
		shared, err := w.ListActions(t.Context(), w.openShare(t, w.share(t, w.owner, s.ID)), in)
		must(t, err)
		if len(own.Data) != 2 || len(shared.Data) != 2 {
			t.Fatal(own.Data, shared.Data)
		}
		if got := *own.Data[0].Value; got != "Zoë.Ek+1@customer.example" {
			t.Errorf("a member reads %s", got)
		}
		if got := *shared.Data[0].Value + "; " + *shared.Data[1].Text; got !=
			"[redacted:email]; Signed in as [redacted:email], not b" {
			t.Errorf("the share shows %s", got)
		}
	})
}
