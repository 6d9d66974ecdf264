package operator

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/password"
	"bugslice/internal/schema"
	"bugslice/internal/store"
	"bugslice/internal/token"
	"bugslice/internal/tracker"
)

// setupLifetime is the time for which a setup link works.
const setupLifetime = 24 * time.Hour

// The first key reads and files reports, and expires. It manages no keys, webhooks or workspaces.
const firstKeyLifetime = 30 * 24 * time.Hour

var firstKeyScopes = []api.Scope{api.SlicesRead, api.SlicesWrite, api.WorkspacesRead, api.SpacesRead, api.UserRead}

// NewSetupLink returns the token of a link by which whoever has it sets up this empty instance, once and within 24
// hours. Former links stop working. It returns ErrNotEmpty for an instance that has an organisation.
func (o Operator) NewSetupLink(ctx context.Context) (string, error) {
	text := rand.Text()
	return text, o.In(api.OrganizationRef{}).InTransaction(ctx, func(tx *tracker.OperatorTx) error {
		if err := tx.PutSetupLink(token.Hash(text), api.At(tx.Now().Add(setupLifetime))); err != nil {
			return err
		}
		return checkEmpty(tx)
	})
}

// Setup is the first run of an instance by whoever has its setup link. It is the only part of the operator's authority
// that the web application obtains.
type Setup struct{ operator Operator }

// Setup returns the first run of the instance.
func (o Operator) Setup() Setup { return Setup{o} }

var errSetupLink = api.NewProblem(api.CodeNotFound,
	"This setup link was used, has expired, or was replaced by a newer one.")

// NeedsSetup reports whether the instance has no organisation yet.
func (s Setup) NeedsSetup(ctx context.Context) (bool, error) {
	all, err := s.operator.Read(ctx).Organizations()
	return len(all) == 0, err
}

// CheckSetup refuses a token that is unknown, used or expired with not_found.
func (s Setup) CheckSetup(ctx context.Context, text string) error {
	valid, err := s.operator.Read(ctx).SetupLinkValid(token.Hash(text), s.operator.Now())
	if err == nil && !valid {
		err = errSetupLink
	}
	return err
}

// SetUp creates the organisation, its owner, a workspace of the same name and an API key, and opens a session of the
// owner. It uses the token up. Its faults name /organization, /name, /email
// and /password.
func (s Setup) SetUp(ctx context.Context, from tracker.Client, text string, f tracker.SetupFields) (
	founded tracker.Founded, err error,
) {
	if err := s.CheckSetup(ctx, text); err != nil { // before the costly hash
		return founded, err
	}
	b, err := firstRun(f)
	if err != nil {
		return founded, err
	}
	hash, err := s.operator.HashPassword(ctx, f.Password)
	if err != nil {
		return founded, tracker.NewPasswordProblem(err, "/password")
	}
	in := s.operator.In(api.OrganizationRef{ID: id.New(id.Organization), Name: b.Organization}).Requested(from.Request)
	err = in.InTransaction(ctx, func(tx *tracker.OperatorTx) (err error) {
		if err := useSetupLink(tx, token.Hash(text)); err != nil {
			return err
		}
		founded, err = createInstance(tx, from, b, hash)
		return err
	})
	if err != nil {
		return tracker.Founded{}, err
	}
	return founded, nil
}

// useSetupLink uses the setup link up. It refuses a link that is unknown or used, and an instance that has an
// organisation.
func useSetupLink(tx *tracker.OperatorTx, linkHash string) error {
	err := tx.UseSetupLink(linkHash, tx.Now())
	if err == nil {
		err = checkEmpty(tx)
	}
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, ErrNotEmpty) {
		return errSetupLink
	}
	return err
}

// createInstance makes what the first run needs: the organisation, its owner, a workspace, a key and a session.
func createInstance(tx *tracker.OperatorTx, from tracker.Client, b Bootstrap, passwordHash string) (
	tracker.Founded, error,
) {
	made, err := bootstrap(tx, b, passwordHash)
	if err != nil {
		return tracker.Founded{}, err
	}
	expires := api.At(tx.Now().Add(firstKeyLifetime))
	k, err := tx.MintKey(api.KeyFields{Name: "First key", Type: api.PAT, Scopes: firstKeyScopes, ExpiresAt: &expires},
		made.UserID)
	if err != nil {
		return tracker.Founded{}, err
	}
	session, err := tx.OpenSession(made.UserID, from)
	return tracker.Founded{Session: session, Key: k}, err
}

// firstRun returns the organisation, the owner and the workspace of the first run, or refuses all invalid fields at
// once.
func firstRun(f tracker.SetupFields) (Bootstrap, error) {
	var faults []api.Fault
	name := strings.TrimSpace(f.Organization)
	if err := schema.CheckName(name); err != nil {
		faults = append(faults, api.Fault{Pointer: "/organization", Code: "invalid", Detail: err.Error()})
	}
	userName := strings.TrimSpace(f.Name)
	if err := schema.CheckName(userName); err != nil {
		faults = append(faults, api.Fault{Pointer: "/name", Code: "invalid", Detail: err.Error()})
	}
	email, err := tracker.ParseEmail(f.Email)
	if err != nil {
		faults = append(faults, api.Fault{Pointer: "/email", Code: "invalid", Detail: err.Error()})
	}
	if err := password.CheckLength(f.Password); err != nil {
		faults = append(faults, api.Fault{Pointer: "/password", Code: "length", Detail: err.Error()})
	}
	if len(faults) > 0 {
		return Bootstrap{}, api.NewProblem(api.CodeInvalidBody, faults[0].Detail, faults...)
	}
	return Bootstrap{Organization: name, Workspace: name, TimeZone: f.TimeZone,
		Owner: NewUser{Email: email, Name: userName, Role: api.RoleOwner}}, nil
}
