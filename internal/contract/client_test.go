package main

import (
	"reflect"
	"testing"

	"bugslice/api"
	"bugslice/client"
)

// TestClientIsComplete: the client has a method for each operation, with the name and the type of its input.
func TestClientIsComplete(t *testing.T) {
	for _, op := range api.Operations {
		in := reflect.TypeOf(op.In)
		m, ok := reflect.TypeFor[*client.Client]().MethodByName(in.Name())
		if !ok || m.Type.NumIn() < 3 || m.Type.In(2) != in {
			t.Errorf("the client has no method %s for %s", in.Name(), op.ID)
		}
	}
}
