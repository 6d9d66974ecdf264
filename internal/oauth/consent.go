package oauth

import (
	"context"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// Choice is what a user allows a program: some of the scopes that it asks for, in all workspaces of the user or in
// one, until a time.
type Choice struct {
	Once        string // makes a form that is sent twice harmless
	Scopes      []string
	WorkspaceID string // of a service token; empty for a token that acts as the user
	ExpiresAt   string

	WithholdGuests bool // from agents
}

// key returns the input that creates the key of a program. Its faults name /scopes, /workspaceId and /expiresAt. No
// scope is added to those that the program asks for.
func (c Choice) key(now time.Time, name string, asked []api.Scope) (input.Valid[api.CreateKey], error) {
	in := api.CreateKey{Body: api.KeyFields{Name: name, Type: api.PAT, WithholdGuests: c.WithholdGuests}}
	in.IdempotencyKey = c.Once
	for _, s := range asked {
		if slices.Contains(c.Scopes, string(s)) {
			in.Body.Scopes = append(in.Body.Scopes, s)
		}
	}
	var faults []api.Fault
	if len(in.Body.Scopes) == 0 {
		faults = append(faults, api.Fault{Pointer: "/scopes", Code: "required", Detail: "choose at least one scope"})
	}
	if c.WorkspaceID != "" {
		if !id.Valid(id.Workspace, c.WorkspaceID) {
			faults = append(faults, errWorkspace.Errors...)
		}
		in.Body.Type, in.Body.WorkspaceID = api.WST, &c.WorkspaceID
	}
	expires, err := time.Parse(time.RFC3339, c.ExpiresAt)
	if err != nil {
		faults = append(faults, api.Fault{Pointer: "/expiresAt", Code: "required",
			Detail: "choose when the access ends"})
	} else if expires.After(now.AddDate(1, 0, 1)) { // the end of a date in a year, anywhere
		faults = append(faults, api.Fault{Pointer: "/expiresAt", Code: "too_late",
			Detail: "the access can last for at most a year"})
	}
	if len(faults) > 0 {
		return input.Valid[api.CreateKey]{}, api.NewProblem(api.CodeInvalidBody, faults[0].Detail, faults...)
	}
	at := api.At(expires)
	in.Body.ExpiresAt = &at
	return input.Check(in)
}

var errWorkspace = api.InvalidMember("/workspaceId", "unknown",
	"you do not administer this workspace; choose another one")

var errPersonal = api.InvalidMember("/workspaceId", "policy",
	"by the policies of your organisation, you may not let a program act as you; choose a workspace that you administer")

// grant creates the key of a program whose user allows it. prepare completes the grant in the same transaction.
func (s *Server) grant(
	ctx context.Context, u tracker.Session, v input.Valid[api.CreateKey], g store.KeyGrant,
	prepare func(*access.Tx, *store.KeyGrant) error,
) (api.Key, error) {
	k, err := s.Tracker.CreateGrantedKey(ctx, u.Caller, v, func(tx *access.Tx, k api.Key) error {
		made := g
		made.KeyID, made.UserID = k.ID, u.Caller.ID
		if err := prepare(tx, &made); err != nil {
			return err
		}
		return tx.InsertGrant(made)
	})
	switch {
	case tracker.HasFault(err, tracker.FaultPolicy) && isProblem(err, api.CodeForbidden):
		err = errPersonal
	case isProblem(err, api.CodeNotFound), isProblem(err, api.CodeForbidden): // of the workspace, since the form was shown
		err = errWorkspace
	}
	return k, err
}
