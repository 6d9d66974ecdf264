package tracker_test

import (
	"testing"

	"bugslice/api"
	"bugslice/internal/access"
)

// TestGrantedKeysNeedTheRight: a caller without the right to create keys is refused before its faults, and makes no
// grant.
func TestGrantedKeysNeedTheRight(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		faulty := valid(api.CreateKey{Body: api.KeyFields{Name: "x", Type: api.PAT, Scopes: []api.Scope{api.SlicesRead},
			WorkspaceID: &w.workspace}})
		granted := func(*access.Tx, api.Key) error { t.Error("a grant is made"); return nil }
		weak, unproved := w.owner, w.owner
		weak.Scopes, unproved.Credential = []api.Scope{api.SlicesRead}, nil
		if err := second(w.CreateGrantedKey(t.Context(), weak, faulty, granted)); code(err) != api.CodeScope {
			t.Errorf("without the scope: %v", err)
		}
		if err := second(w.CreateGrantedKey(t.Context(), unproved, faulty,
			granted)); code(err) != api.CodeUnauthorized {
			t.Errorf("without a credential: %v", err)
		}
		if err := second(w.CreateGrantedKey(t.Context(), w.owner, faulty, granted)); code(err) != api.CodeInvalidBody {
			t.Errorf("with the right: %v", err)
		}
	})
}
