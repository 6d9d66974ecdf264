package api

import (
	"net/http"
	"slices"
	"testing"
)

// TestOperationRows: each operation names its effect and a known scope, and returns a record with a location when it
// creates one.
func TestOperationRows(t *testing.T) {
	for _, op := range Operations {
		if !slices.Contains([]Effect{Reads, Content, Lasting, Ending}, op.Effect) {
			t.Errorf("%s has no effect", op.ID)
		}
		if op.Method == "GET" && op.Effect != Reads {
			t.Errorf("%s is a GET that writes", op.ID)
		}
		if _, located := op.Out().(Located); op.Status == http.StatusCreated && !located {
			t.Errorf("%s creates a record without a location", op.ID)
		}
		if op.Scope != NoScope && !slices.Contains(AllScopes(), op.Scope) {
			t.Errorf("%s has the unknown scope %q", op.ID, op.Scope)
		}
	}
}

// TestAccountOperationsAreNotRouted: operations that sessions alone may call have an input, and no path at which a
// key could call them.
func TestAccountOperationsAreNotRouted(t *testing.T) {
	for _, op := range AccountOperations {
		if op.Callers != SessionsOnly || op.In == nil || op.Method+op.Path != "" {
			t.Errorf("%s: callers %q, input %v, path %s %s", op.ID, op.Callers, op.In, op.Method, op.Path)
		}
	}
	for _, op := range Operations {
		if op.Callers == SessionsOnly {
			t.Errorf("%s has a path, and is for %s alone", op.ID, op.Callers)
		}
	}
}
