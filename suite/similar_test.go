package suite

import (
	"fmt"
	"sync"
	"testing"
)

// TestFingerprints: a report with the fingerprint of an open slice is counted there, also concurrently; after the
// slice is finished it is a new slice or reopens it.
func TestFingerprints(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "fingerprints")
		body := map[string]any{"workspaceId": o.Workspace, "summary": "Build is red",
			"fingerprint": "build@main", "evidence": map[string]any{"console": captured()["console"]}}
		const at = 100
		statuses := make([]int, at)
		var work sync.WaitGroup
		for i := range statuses {
			work.Go(func() { statuses[i] = o.do(t, "POST", "/v1/slices", body).Status })
		}
		work.Wait()
		count := map[int]int{}
		for _, status := range statuses {
			count[status]++
		}
		if count[201] != 1 || count[200] != at-1 {
			t.Fatalf("%d answers of 201 and %d of 200, want 1 and %d", count[201], count[200], at-1)
		}
		rows := o.want(t, 200, "GET", "/v1/slices?workspaceId="+o.Workspace, nil).get(t, "data").([]any)
		one := rows[0].(map[string]any)
		wantMembers(t, "the slices", rows,
			members{"#": 1, "0.occurrenceCount": at, "0.attachmentCount": 10, "0.number": 1})
		path := "/v1/slices/" + one["id"].(string)
		o.want(t, 200, "PATCH", path, map[string]any{"status": "resolved"})
		reopened := o.want(t, 200, "POST", "/v1/slices?reopen=true", body)
		reopened.has(t, members{"id": one["id"], "status": "open", "resolution": nil})
		o.want(t, 200, "PATCH", path, map[string]any{"status": "closed"})
		second := o.want(t, 201, "POST", "/v1/slices", body, "Idempotency-Key", "again")
		replayed := o.want(t, 201, "POST", "/v1/slices", body, "Idempotency-Key", "again")
		if second.get(t, "id") == one["id"] {
			t.Errorf("another fingerprint met the first slice: %s", second.Body)
		}
		second.has(t, members{"id": replayed.get(t, "id"), "occurrenceCount": 1})
		o.want(t, 409, "PATCH", path, map[string]any{"status": "open"}) // two under one fingerprint
		o.want(t, 204, "DELETE", "/v1/slices/"+second.get(t, "id").(string), nil)
		o.want(t, 200, "PATCH", path, map[string]any{"status": "open"})
		o.want(t, 409, "POST", "/v1/slices/"+second.get(t, "id").(string)+"/restore", nil)
	})
}

// TestSimilar finds what shares rare words, and not what shares common ones.
func TestSimilar(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "similar")
		first := o.slice(t, o.Workspace, map[string]any{"summary": "Voucher field crashes the checkout",
			"evidence": map[string]any{"console": captured()["console"]}})
		for i := range 12 {
			o.slice(t, o.Workspace, map[string]any{"summary": fmt.Sprintf("The checkout is slow on page %d", i)})
		}
		a := o.want(t, 201, "POST", "/v1/slices?hints=true", map[string]any{"workspaceId": o.Workspace,
			"summary": "Crash in voucher field", "evidence": map[string]any{"console": captured()["console"]}})
		a.has(t, members{"similar.0.id": first["id"]})
		rows := o.want(t, 200, "GET", "/v1/slices/"+a.get(t, "id").(string)+"/similar", nil).get(t, "data").([]any)
		wantMembers(t, "similar slices", rows, members{"#": 1, "0.id": first["id"]})
		long := o.slice(t, o.Workspace, map[string]any{"summary": "Wishlist heart stays grey",
			"sourceUrl": "https://shop.example.com/account/wishlist", "evidence": map[string]any{"console": []any{
				map[string]any{"level": "error", "timestamp": "2026-11-20T10:00:00Z",
					"message": "Uncaught ReferenceError: toggleFavourite is not defined while hydrating component HeartIcon within " +
						"ProductTile of CatalogueGrid"}}}})
		short := o.slice(t, o.Workspace, map[string]any{"summary": "Wishlist heart stays grey"})
		for of, want := range map[any]any{long["id"]: short["id"], short["id"]: long["id"]} { // from either side
			rows := o.want(t, 200, "GET", fmt.Sprintf("/v1/slices/%s/similar", of), nil).get(t, "data").([]any)
			wantMembers(t, "similar slices", rows, members{"0.id": want})
		}
		han := o.slice(t, o.Workspace, map[string]any{"summary": "購物車按鈕沒有反應"})
		again := o.want(t, 201, "POST", "/v1/slices?hints=true",
			map[string]any{"workspaceId": o.Workspace, "summary": "購物車的按鈕沒反應"})
		again.has(t, members{"similar.0.id": han["id"]})
		byError := o.want(t, 200, "GET", "/v1/slices?q=applyVoucher%20discount", nil).get(t, "data").([]any)
		if len(byError) != 0 { // applyVoucher stands in the stack alone
			t.Errorf("%d found by the stack", len(byError))
		}
		if n := len(o.want(t, 200, "GET", "/v1/slices?q=discount", nil).get(t, "data").([]any)); n != 2 {
			t.Errorf("%d found by the message of an error", n)
		}
	})
}
