package httpapi

import (
	"context"
	"net/http"
	"reflect"

	"bugslice/api"
	"bugslice/internal/schema"
	"bugslice/internal/tracker"
)

// route is an operation bound to its function.
type route struct {
	op   *api.Operation
	plan *plan // of its input
	out  reflect.Type
	call func(ctx context.Context, c tracker.Caller, fill func(any) error) (any, error)
}

// op binds a row of api.Operations to the function that does it.
func op[In, Out any](id string, fn func(context.Context, tracker.Caller, In) (Out, error)) route {
	return route{op: api.Lookup(id), plan: newPlan(reflect.TypeFor[In]()), out: reflect.TypeFor[Out](),
		call: func(ctx context.Context, c tracker.Caller, fill func(any) error) (any, error) {
			var in In
			if err := fill(&in); err != nil {
				return nil, err
			}
			return fn(ctx, c, in)
		}}
}

// routes binds every operation.
func (s *Server) routes() []route { return bindings(s.Tracker) }

func bindings(t *tracker.Tracker) []route {
	return []route{
		op(api.OpGetMe, t.GetMe),
		op(api.OpListWorkspaces, t.ListWorkspaces),
		op(api.OpCreateWorkspace, t.CreateWorkspace),
		op(api.OpGetWorkspace, t.GetWorkspace),
		op(api.OpUpdateWorkspace, t.UpdateWorkspace),
		op(api.OpListMembers, t.ListMembers),
		op(api.OpListSpaces, t.ListSpaces),
		op(api.OpCreateSpace, t.CreateSpace),
		op(api.OpListSlices, t.ListSlices),
		op(api.OpCreateSlice, t.CreateSlice),
		op(api.OpGetSlice, t.GetSlice),
		op(api.OpUpdateSlice, t.UpdateSlice),
		op(api.OpDeleteSlice, t.DeleteSlice),
		op(api.OpRestoreSlice, t.RestoreSlice),
		op(api.OpListKeys, t.ListKeys),
		op(api.OpCreateKey, t.CreateKey),
		op(api.OpGetKey, t.GetKey),
		op(api.OpRevokeSelf, t.RevokeSelf),
		op(api.OpRevokeKey, t.RevokeKey),
		op(api.OpRotateKey, t.RotateKey),
		op(api.OpListEvents, t.ListEvents),
	}
}

// operation is a request's way through the house.
func (s *Server) operation(rt route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := current(r)
		x.operation = rt.op.ID
		if err := s.serve(w, r, rt, x); err != nil {
			s.refuse(w, r, err)
		}
	})
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, rt route, x *exchange) error {
	if err := tokenInQuery(r); err != nil {
		return err
	}
	c, err := s.authenticate(w, r)
	if err != nil {
		return err
	}
	x.keyID = c.Key.ID
	if err := s.spend(w, c); err != nil {
		return err
	}
	if err := c.Allow(rt.op.ID); err != nil {
		w.Header().Set("WWW-Authenticate", realm+`, error="insufficient_scope", scope="`+string(rt.op.Scope)+`"`)
		return err
	}
	out, err := rt.call(r.Context(), c, func(in any) error { return s.fill(w, r, rt, in) })
	if err != nil {
		return err
	}
	return s.answer(w, r, rt, out)
}

// bodySchemas names the component schemas that bodies are validated against.
func bodySchemas(routes []route) []string {
	var names []string
	for _, r := range routes {
		if r.plan.body != nil {
			names = append(names, r.plan.body.schema)
		}
	}
	return names
}

func modeOf(patch bool) schema.Mode {
	if patch {
		return schema.Patch
	}
	return schema.Create
}
