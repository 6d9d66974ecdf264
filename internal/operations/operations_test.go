package operations_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/operations"
	"bugslice/internal/tracker"
)

// TestEveryOperationIsPaired: the operations are those of api.Operations, in the same order, and each has the
// function that its row asks for.
func TestEveryOperationIsPaired(t *testing.T) {
	var got, want []string
	for _, op := range operations.All(nil) {
		got = append(got, op.ID)
		functions := 0
		for _, f := range []any{op.Record, op.StoreFile, op.OpenFile, op.WriteJSON} {
			if !reflect.ValueOf(f).IsNil() {
				functions++
			}
		}
		if functions != 1 {
			t.Errorf("%s has %d functions of Record, StoreFile, OpenFile and WriteJSON", op.ID, functions)
		}
		if op.Upload != (op.StoreFile != nil) {
			t.Errorf("%s: Upload is %t in the row", op.ID, op.Upload)
		}
		if len(op.Media) > 0 != (op.OpenFile != nil || op.Text != nil || op.Events != nil) {
			t.Errorf("%s: the row has the media types %v", op.ID, op.Media)
		}
	}
	for _, op := range api.Operations {
		want = append(want, op.ID)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the operations are\n%v\nwant\n%v", got, want)
	}
}

// callTool carries an operation out as an MCP server would: by its row, from the arguments of a tool.
func callTool(ctx context.Context, op operations.Operation, c access.Caller, arguments map[string]any) (any, error) {
	body, err := json.Marshal(arguments)
	if err != nil {
		return nil, err
	}
	in, err := op.Bind(input.Source{Path: func(string) string { return "" }, Body: body})
	if err != nil {
		return nil, err
	}
	return op.Record(ctx, c, in)
}

// TestFrontEndCallsByRow: a front end that knows only the rows has the input validated and the caller authorised.
func TestFrontEndCallsByRow(t *testing.T) {
	for _, op := range operations.All(&tracker.Tracker{}) {
		if op.ID != api.OpCreateWorkspace {
			continue
		}
		for name, arguments := range map[string]map[string]any{
			api.CodeInvalidBody:  {"name": ""},
			api.CodeUnauthorized: {"name": "new"},
		} {
			_, err := callTool(t.Context(), op, access.Caller{}, arguments)
			var p *api.Problem
			if !errors.As(err, &p) || p.Code != name {
				t.Errorf("%v: %v, want %s", arguments, err, name)
			}
		}
	}
}
