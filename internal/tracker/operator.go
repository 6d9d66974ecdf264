package tracker

import (
	"context"
	"errors"
	"fmt"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
)

// Operator is the authority of the owner of the database. New gives it to the program that opens the database; it
// cannot be obtained from a Tracker. Its zero value has no instance to act on.
type Operator struct{ t *Tracker }

// OrganizationOperator is the operator in one organisation, with every right there.
type OrganizationOperator struct {
	t *Tracker
	c access.Caller
}

// Organizations returns the organisations of the instance.
func (o *Operator) Organizations(ctx context.Context) ([]api.OrganizationRef, error) {
	return o.t.access.Read(ctx).Organizations()
}

// In returns the operator in an organisation.
func (o *Operator) In(organization api.OrganizationRef) OrganizationOperator {
	return OrganizationOperator{o.t, o.t.authority.Operator(organization)}
}

// InOrganizationOf returns the operator in the organisation to which a workspace belongs.
func (o *Operator) InOrganizationOf(ctx context.Context, workspaceID string) (OrganizationOperator, error) {
	w, err := o.t.access.Read(ctx).Workspace(workspaceID)
	if errors.Is(err, store.ErrNotFound) {
		err = fmt.Errorf("there is no workspace %s", workspaceID)
	}
	return o.In(api.OrganizationRef{ID: w.OrganizationID}), err
}

// InOrganizationOfUser returns the operator in the organisation to which a user belongs.
func (o *Operator) InOrganizationOfUser(ctx context.Context, userID string) (OrganizationOperator, error) {
	u, err := o.t.access.Read(ctx).User(userID)
	if errors.Is(err, store.ErrNotFound) {
		err = fmt.Errorf("there is no user %s", userID)
	}
	return o.In(api.OrganizationRef{ID: u.OrgID}), err
}

// InOrganizationOfKey returns the operator in the organisation to which a key that is not revoked belongs.
func (o *Operator) InOrganizationOfKey(ctx context.Context, keyID string) (OrganizationOperator, error) {
	k, err := o.t.access.Read(ctx).Key(keyID)
	if errors.Is(err, store.ErrNotFound) {
		err = fmt.Errorf("there is no key %s that is not revoked", keyID)
	}
	return o.In(api.OrganizationRef{ID: k.OrgID}), err
}

// Requested returns the operator with a request, which the audit log shows.
func (o OrganizationOperator) Requested(r access.Request) OrganizationOperator {
	o.c.Request = r
	return o
}

// HashPassword returns the hash under which a password is stored. It refuses one whose length is out of bounds.
func (o *Operator) HashPassword(ctx context.Context, text string) (string, error) {
	return o.t.passwords.Hash(ctx, text)
}

// HashPassword is that of the Operator.
func (o OrganizationOperator) HashPassword(ctx context.Context, text string) (string, error) {
	return o.t.passwords.Hash(ctx, text)
}

// Now returns the time.
func (o *Operator) Now() api.Time { return o.t.clock() }

// Read returns what reads the records of the instance.
func (o *Operator) Read(ctx context.Context) access.Queries { return o.t.access.Read(ctx) }

// Caller returns the caller as which the operator carries out operations of the API.
func (o OrganizationOperator) Caller() access.Caller { return o.c }

// Read returns what reads the records of the instance.
func (o OrganizationOperator) Read(ctx context.Context) access.Queries { return o.t.access.Read(ctx) }
