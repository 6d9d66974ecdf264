package command

import (
	"context"
	"encoding/json"

	"bugslice/api"
	"bugslice/api/wire"
	"bugslice/client"
)

// change carries out an operation that changes something. With --dry-run it prints the request instead; done is false
// then.
func change[Out any](ctx context.Context, s *session, in api.Input[Out]) (out Out, done bool, err error) {
	c, err := s.client()
	if err != nil {
		return out, false, err
	}
	if s.dryRun {
		return out, false, s.printRequest(in)
	}
	out, err = client.Call(ctx, c, in)
	return out, err == nil, inFlags(s, err)
}

// printRequest prints what a request would be.
func (s *session) printRequest(in api.AnyInput) error {
	op, layout := wire.Of(in)
	r, err := layout.Encode(in)
	if err != nil {
		return err
	}
	target, err := r.Target(op)
	if err != nil {
		return err
	}
	if err := s.out.Line(s.out.Out, "%s %s", op.Method, target); err != nil || r.Body == nil {
		return err
	}
	body, err := json.MarshalIndent(r.Body, "", "  ")
	if err != nil {
		return err
	}
	return s.out.Lines(s.out.Out, string(body))
}
