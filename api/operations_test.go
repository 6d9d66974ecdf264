package api

import (
	"slices"
	"testing"
)

// TestRows: each operation says what it leaves behind, and has a scope that the contract knows.
func TestRows(t *testing.T) {
	for _, op := range Operations {
		if !slices.Contains([]Effect{Reads, Content, Lasting, Ending}, op.Effect) {
			t.Errorf("%s has no effect", op.ID)
		}
		if op.Method == "GET" && op.Effect != Reads {
			t.Errorf("%s is a GET that writes", op.ID)
		}
		if op.Scope != NoScope && !slices.Contains(AllScopes(), op.Scope) {
			t.Errorf("%s has the unknown scope %q", op.ID, op.Scope)
		}
	}
}
