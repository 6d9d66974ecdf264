package access

import (
	"bugslice/api"
	"bugslice/internal/store"
)

// commandLine is the credential of the operator. It proves the authority over a store.
type commandLine struct {
	roleAccess

	of *store.Store
}

func (o commandLine) authentic() bool { return o.of != nil }

func (commandLine) admits(op *api.Operation) error { return refuseAccount(op) }

func (commandLine) current(_ Queries, _ api.Time, c Caller) (Caller, error) { return c, nil }

func (commandLine) lock(*Tx, *api.Operation, string) error { return nil }

func (commandLine) valid(*Tx, api.Time, Caller) (bool, error) { return true, nil }

func (commandLine) expired(api.Time) bool { return false }

func (commandLine) identify(*store.Actor) {}

// refuseAccount refuses an operation on an account to a credential that is no session.
func refuseAccount(op *api.Operation) error {
	if op.Callers == api.SessionsOnly {
		return api.NewProblem(api.CodeForbidden, "Only a user who has signed in may do this, in the web application.")
	}
	return nil
}

// Operator returns the operator as a caller with every right in an organisation.
func (a *Authority) Operator(o api.OrganizationRef) Caller {
	p := Principal{Type: OperatorCaller, Name: "operator"}
	return Caller{Principal: p, Organization: o, Scopes: api.AllScopes(), Credential: commandLine{of: a.store}}
}

// IsOperator decides by the credential and not by the caller's type, which any package can set.
func (c Caller) IsOperator() bool {
	o, ok := c.Credential.(commandLine)
	return ok && o.authentic()
}
