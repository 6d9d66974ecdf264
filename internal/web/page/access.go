package page

import (
	"errors"
	"net/http"
	"net/url"
	"slices"

	"bugslice/api"
	"bugslice/internal/oauth"
)

// Access is the part of a form in which a user chooses what a program may do.
type Access struct {
	Scopes     []OfferedScope
	Workspace  string   // the id of the one that is chosen; empty for all
	Workspaces Options  // those that can be chosen alone
	Reached    []string // the names of the first workspaces that all are
	More       int      // the number of others
	Expiry     Expiry
	Withholds  bool // text of reporters without an account
	Policy     KeyPolicy
	Once       string
	Faults     Faults
}

// OfferedScope is a scope that a program asks for.
type OfferedScope struct {
	Scope  api.Scope
	Allows string
	Chosen bool
}

const maxReached = 8 // workspaces that a form names

// NewAccess returns the form about the scopes that a program asks for, as it was posted; or at first with the
// suggested ones.
func (q *Request) NewAccess(asked, suggested []api.Scope) (Access, error) {
	policy, err := q.KeyPolicy()
	form := q.PostForm
	if !form.Has("decision") {
		form = url.Values{"expiresAt": {q.InDays(policy.Default(90)).String()}}
		for _, s := range suggested {
			if slices.Contains(policy.Scopes, s) {
				form.Add("scopes", string(s))
			}
		}
	}
	a := Access{Workspace: form.Get("workspaceId"), Expiry: q.NewExpiry(form["expiresAt"], policy.Days(7, 30, 90, 365)...),
		Policy:    policy,
		Withholds: form.Has("withholdGuests"),
		Once:      NewFormState(form).Once}
	for _, s := range api.Scopes {
		if slices.Contains(asked, s.Scope) {
			a.Scopes = append(a.Scopes, OfferedScope{s.Scope, s.Allows,
				slices.Contains(form["scopes"], string(s.Scope))})
		}
	}
	administered := slices.DeleteFunc(slices.Clone(q.Workspaces),
		func(w Workspace) bool { return w.Role != api.RoleAdmin })
	a.Workspaces = Options{All: q.Offer(WorkspaceOptions(administered), a.Workspace).All}
	for _, w := range q.Workspaces[:min(len(q.Workspaces), maxReached)] {
		a.Reached = append(a.Reached, w.Name)
	}
	a.More = len(q.Workspaces) - len(a.Reached)
	return a, err
}

// Choice returns what the user has chosen.
func (q *Request) Choice() oauth.Choice {
	return oauth.Choice{Once: q.PostForm.Get("once"), Scopes: q.PostForm["scopes"],
		WorkspaceID: q.PostForm.Get("workspaceId"),
		ExpiresAt:   q.ExpiresAt(q.PostForm["expiresAt"]), WithholdGuests: q.PostForm.Has("withholdGuests")}
}

// ShowOAuthError answers a request of a program that cannot be carried out, and of which nothing may be sent back.
func ShowOAuthError(err error) error {
	e, ok := errors.AsType[*oauth.Error](err)
	if !ok {
		return err
	}
	p := api.NewProblem(api.CodeInvalidParameter,
		"The program that has sent you here asks for access in a way that is not allowed. "+
			e.Description)
	p.Status = http.StatusBadRequest
	return p
}
