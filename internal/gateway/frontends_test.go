package gateway_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/api/wire"
	"bugslice/internal/assert"
	"bugslice/internal/gateway"
	inputs "bugslice/internal/input"
)

// both calls an operation over HTTP in one world and by a line in another one, and compares the answers.
func both(t *testing.T, over, by *world, make func(w *world) (token string, in input)) answer {
	t.Helper()
	token, in := make(over)
	got := over.comparable(over.overHTTP(t, token, in))
	token, in = make(by)
	assert.Equal(t, in.op.ID, by.comparable(by.overLines(t, token, in)), got)
	return got
}

// order compares operations by when they are called: those that take away come last, and those of the parts of a slice
// before its own.
func order(a, b api.Operation) int {
	rank := func(op api.Operation) int {
		switch {
		case op.Effect == api.Ending:
			return 2
		case op.Method == "DELETE" || op.Deletes:
			return 1
		}
		return 0
	}
	if rank(a) == 1 && rank(b) == 1 {
		return cmp.Compare(a.Path, b.Path)
	}
	return cmp.Compare(rank(a), rank(b))
}

// TestFrontEndsAnswerAlike: each operation that takes and returns no file has the answer of HTTP by a line, when it
// succeeds and when it is refused.
func TestFrontEndsAnswerAlike(t *testing.T) {
	over, by := newWorld(t, "sqlite", gateway.Options{}), newWorld(t, "sqlite", gateway.Options{})
	all := slices.Clone(api.Operations)
	slices.SortStableFunc(all, order)
	called := 0
	for _, op := range all {
		if by.lines.operations[op.ID].Record == nil {
			if a := by.overLines(t, by.token, by.input(op.ID)); a.status != 415 {
				t.Errorf("%s, which has a file: %d %s, want 415", op.ID, a.status, a.body)
			}
			continue
		}
		called++
		try := func(what string, want int, change func(w *world, token *string, in *input)) {
			t.Helper()
			got := both(t, over, by, func(w *world) (string, input) {
				token, in := w.token, w.input(op.ID)
				change(w, &token, &in)
				return token, in
			})
			if want > 0 && got.status != want {
				t.Errorf("%s %s: %d, want %d: %s", op.ID, what, got.status, want, got.body)
			}
		}
		if op.Scope != api.NoScope && op.Scope != api.UserRead {
			try("without the scope", 403, func(w *world, token *string, in *input) {
				*token, in.query["unknown"] = w.weak, 1 // which is refused later
			})
		}
		binding := inputs.Of(&op)
		if binding.Body != nil {
			try("with an unknown member", 422, func(_ *world, _ *string, in *input) { in.body = fields{"unknown": 1} })
		}
		if slices.ContainsFunc(binding.Params, func(p wire.Param) bool { return p.Name == "limit" }) {
			try("with a limit of 0", 400, func(_ *world, _ *string, in *input) { in.query["limit"] = 0 })
		}
		for name := range over.input(op.ID).path {
			try("of nothing", 404, func(_ *world, _ *string, in *input) { in.path[name] = "none" })
		}
		try("", op.Status, func(*world, *string, *input) {})
	}
	t.Logf("%d operations", called)
	if called != len(api.Operations)-5 {
		t.Errorf("%d of %d operations were called, want all but 5 with files", called, len(api.Operations))
	}
}

// TestFrontEndsRefuseAlike: a refusal that needs a state of its own.
func TestFrontEndsRefuseAlike(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			limits := gateway.Options{RateLimit: 12, Failures: 2}
			over, by := newWorld(t, engine, limits), newWorld(t, engine, limits)
			defer over.fillResponses(t)()
			defer by.fillResponses(t)()
			call := func(want int, code, operation string, change func(w *world, token *string, in *input)) {
				t.Helper()
				got := both(t, over, by, func(w *world) (string, input) {
					token, in := w.token, w.input(operation)
					change(w, &token, &in)
					return token, in
				})
				var p api.Problem
				must(t, json.Unmarshal([]byte(got.body), &p))
				if got.status != want || p.Code != code {
					t.Errorf("%s: %d %s, want %d %s", operation, got.status, got.body, want, code)
				}
			}
			taken := func(_ *world, _ *string, in *input) { in.body["externalId"] = "taken" }
			call(409, api.CodeExternalIDTaken, api.OpCreateSlice, taken)
			stale := func(_ *world, _ *string, in *input) { in.header["If-Match"] = `"99"` }
			call(412, api.CodePrecondition, api.OpUpdateSlice, stale)
			call(503, api.CodeUnavailable, api.OpListSlices, func(*world, *string, *input) {})
			call(429, api.CodeRateLimited, api.OpBatchUpdate, func(w *world, _ *string, in *input) {
				item := fields{"id": w.records["sliceId"], "patch": fields{}}
				in.body["items"] = slices.Repeat([]any{item}, 11)
			})
			for range 8 {
				call(200, "", api.OpGetMe, func(*world, *string, *input) {})
			}
			call(429, api.CodeRateLimited, api.OpGetMe, func(*world, *string, *input) {})
			wrong := func(_ *world, token *string, _ *input) { *token = "svc_pat_wrong" }
			call(401, api.CodeUnauthorized, api.OpGetMe, wrong)
			call(401, api.CodeUnauthorized, api.OpGetMe, wrong)
			call(429, api.CodeRateLimited, api.OpGetMe, wrong)
			valid := func(w *world, token *string, _ *input) { *token = w.weak }
			call(403, api.CodeScope, api.OpListSlices, valid)
		})
	}
}

// fillResponses files slices whose list is a large response, and reserves the memory of large responses until release
// is called.
func (w *world) fillResponses(t *testing.T) (release func()) {
	t.Helper()
	w.fileLarge(t)
	memory, err := w.ReserveResponse(w.owner, 64<<20, func() {})
	must(t, err)
	return memory.Release
}

// fileLarge files slices whose list is a large response.
func (w *world) fileLarge(t *testing.T) {
	t.Helper()
	text := strings.Repeat("long ", 8000)
	for range 4 {
		_, err := w.CreateSlice(t.Context(), w.owner,
			valid(t, api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace,
				SliceFields: api.SliceFields{Summary: "long", Description: &text}}}))
		must(t, err)
	}
}

// TestRevokedWhileAnAnswerIsWritten: a caller whose key is revoked gets no more of the answer by a line.
func TestRevokedWhileAnAnswerIsWritten(t *testing.T) {
	w := newWorld(t, "sqlite", gateway.Options{})
	w.fileLarge(t)
	for _, revoked := range []bool{false, true} {
		client, server := net.Pipe()
		go w.lines.serve(server)
		go fmt.Fprintf(client, "%s\n%s\n", w.token, w.input(api.OpListSlices).line(t))
		first := make([]byte, 20<<10) // of the second piece
		_, err := io.ReadFull(client, first)
		must(t, err)
		if revoked {
			w.overHTTP(t, w.token, w.input(api.OpRevokeSelf))
		}
		time.Sleep(600 * time.Millisecond)
		rest, err := bufio.NewReader(client).ReadBytes('\n')
		if ended := err == io.EOF; ended != revoked || !revoked && len(rest) < 100<<10 || revoked &&
			len(rest) > 40<<10 {
			t.Errorf("revoked %t: %d bytes followed, and then %v", revoked, len(rest), err)
		}
		_ = client.Close()
	}
}
