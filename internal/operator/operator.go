// Package operator has the functions of the operator, who has access to the database of an instance: creating
// organisations, users and workspaces, also beside a running server. The authority itself is a type of package
// tracker, which only the program that opens the database obtains.
package operator

import (
	"context"
	"errors"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/password"
	"bugslice/internal/tracker"
)

// Operator is the operator of an instance.
type Operator struct{ *tracker.Operator }

// Organization is the operator in one organisation.
type Organization struct{ tracker.OrganizationOperator }

// In returns the operator in an organisation.
func (o Operator) In(organization api.OrganizationRef) Organization {
	return Organization{o.Operator.In(organization)}
}

// InOrganizationOf returns the operator in the organisation to which a workspace belongs.
func (o Operator) InOrganizationOf(ctx context.Context, workspaceID string) (Organization, error) {
	in, err := o.Operator.InOrganizationOf(ctx, workspaceID)
	return Organization{in}, err
}

// Bootstrap says with what an organisation begins. With a workspace, its owner gets a personal access token.
type Bootstrap struct {
	Organization string
	Workspace    string // empty for none
	TimeZone     string // of the workspace; empty for UTC
	Owner        NewUser
	First        bool // refuse a database that has an organisation
}

// BootstrapResult is what a new organisation begins with. Its secrets are shown once.
type BootstrapResult struct {
	OrganizationID string `json:"organizationId"`
	UserID         string `json:"userId"`
	WorkspaceID    string `json:"workspaceId,omitempty"`
	Password       string `json:"password"`
	Token          string `json:"token,omitempty"`
}

// ErrNotEmpty says that the instance has an organisation already.
var ErrNotEmpty = errors.New("this database already has an organisation; nothing was changed")

// Bootstrap makes an organisation with its owner and, where one is named, a workspace. It deletes the setup link of
// an empty instance.
func (o Operator) Bootstrap(ctx context.Context, b Bootstrap) (result BootstrapResult, err error) {
	if err := b.Complete(); err != nil {
		return result, err
	}
	hash, err := o.HashPassword(ctx, b.Owner.Password)
	if err != nil {
		return result, err
	}
	in := o.In(api.OrganizationRef{ID: id.New(id.Organization), Name: b.Organization})
	err = in.InTransaction(ctx, func(tx *tracker.OperatorTx) error {
		if err := tx.DeleteSetupLink(); err != nil { // first: it waits for whoever uses the link
			return err
		}
		if b.First {
			if err := checkEmpty(tx); err != nil {
				return err
			}
		}
		result, err = bootstrap(tx, b, hash)
		return err
	})
	return result, err
}

// Complete checks what needs no database, and generates the owner's password where none is given.
func (b *Bootstrap) Complete() error {
	if err := checkName("the organisation's name", b.Organization); err != nil {
		return err
	}
	if b.Workspace != "" {
		if err := checkName("the workspace's name", b.Workspace); err != nil {
			return err
		}
	}
	b.Owner.Role, b.Owner.WithToken = api.RoleOwner, b.Owner.WithToken || b.Workspace != ""
	if err := b.Owner.complete(); err != nil {
		return err
	}
	return password.CheckLength(b.Owner.Password)
}

// checkEmpty refuses an instance that has an organisation.
func checkEmpty(tx *tracker.OperatorTx) error {
	all, err := tx.Organizations()
	if err == nil && len(all) > 0 {
		err = ErrNotEmpty
	}
	return err
}

// bootstrap makes the organisation of the transaction, its owner, and the workspace if b names one. hash is that of
// the owner's password.
func bootstrap(tx *tracker.OperatorTx, b Bootstrap, hash string) (result BootstrapResult, err error) {
	organization := tx.Organization()
	if err := tx.InsertOrganization(organization, tx.Now()); err != nil {
		return result, err
	}
	if err := tx.Audit(api.EventOrganizationCreated, organization.ID, organization); err != nil {
		return result, err
	}
	u, err := addUser(tx, b.Owner, hash)
	if err != nil {
		return result, err
	}
	result = BootstrapResult{OrganizationID: organization.ID, UserID: u.UserID, Password: u.Password, Token: u.Token}
	if b.Workspace == "" {
		return result, nil
	}
	w, err := tx.CreateWorkspace(api.WorkspaceFields{Name: b.Workspace, TimeZone: b.TimeZone}, u.UserID)
	result.WorkspaceID = w.ID
	return result, err
}

// AddWorkspace makes a workspace with a user as its admin.
func (o Organization) AddWorkspace(ctx context.Context, fields api.WorkspaceFields, adminID string) (
	w api.Workspace, err error,
) {
	err = o.InTransaction(ctx, func(tx *tracker.OperatorTx) error {
		w, err = tx.CreateWorkspace(fields, adminID)
		return err
	})
	return w, err
}

// RemoveWorkspace removes a workspace that an import has created, in short transactions. It refuses a workspace in
// which anything else was done. A removal that was interrupted can be repeated.
func (o Organization) RemoveWorkspace(ctx context.Context, workspaceID string) error {
	return o.DeleteWorkspace(ctx, workspaceID, func(tx *tracker.OperatorTx) error {
		if err := tx.CheckWorkspace(workspaceID); err != nil {
			return err
		}
		counters, err := tx.LockWorkspaceCounters(workspaceID)
		if err == nil && counters.Sequence > 1 { // the first event is that of its creation; imported records publish none
			err = errors.New("more was done in this workspace than importing into it; nothing was changed")
		}
		return err
	})
}

// Command is a command of the command line, as the audit log shows it.
type Command struct {
	Name string `json:"name"`
}

// RecordCommand records a command that concerns the whole instance in the audit log of each organisation.
func (o Operator) RecordCommand(ctx context.Context, name string) error {
	organizations, err := o.Organizations(ctx)
	if err != nil {
		return err
	}
	for _, organization := range organizations {
		err := o.In(organization).InTransaction(ctx, func(tx *tracker.OperatorTx) error {
			return tx.Audit(api.EventOperatorCommand, organization.ID, Command{name})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// RecordWorkspaceCommand records a command that concerns a workspace in the audit log.
func (o Organization) RecordWorkspaceCommand(ctx context.Context, workspaceID, name string) error {
	return o.InTransaction(ctx, func(tx *tracker.OperatorTx) error {
		return tx.AuditWorkspace(workspaceID, api.EventOperatorCommand, workspaceID, Command{name})
	})
}

// RecordExport records that an export of a workspace begins.
func (o Organization) RecordExport(ctx context.Context, workspaceID string) error {
	return o.InTransaction(ctx, func(tx *tracker.OperatorTx) error {
		w, err := tx.Workspace(workspaceID)
		if err != nil {
			return err
		}
		return tx.AuditWorkspace(w.ID, api.EventWorkspaceExported, w.ID, w.Workspace)
	})
}
