package operator

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/schema"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// NewUser says who is to be added. An empty Password is generated.
type NewUser struct {
	Email, Name, Password string
	Role                  api.Role // in the organisation
	Workspaces            []string // to join as a member
	WithToken             bool     // mint a PAT with every scope
}

// AddedUser is a user that was added, with what is shown once.
type AddedUser struct {
	UserID   string `json:"userId"`
	Password string `json:"password"`
	Token    string `json:"token,omitempty"`
}

// AddUser adds a user to the organisation and, as a member, to workspaces.
func (o Organization) AddUser(ctx context.Context, u NewUser) (added AddedUser, err error) {
	if err := u.complete(); err != nil {
		return added, err
	}
	hash, err := o.HashPassword(ctx, u.Password)
	if err != nil {
		return added, err
	}
	err = o.InTransaction(ctx, func(tx *tracker.OperatorTx) error {
		added, err = addUser(tx, u, hash)
		return err
	})
	return added, err
}

// addUser stores a user whose defaults are filled in, with its memberships and, on request, a PAT. It refuses an e-mail
// address that another user has. hash is the hash of the password.
func addUser(tx *tracker.OperatorTx, u NewUser, hash string) (AddedUser, error) {
	added := AddedUser{UserID: id.New(id.User), Password: u.Password}
	row := store.User{ID: added.UserID, OrgID: tx.Organization().ID, Email: u.Email, Name: u.Name, Role: u.Role,
		PasswordHash: hash, CreatedAt: tx.Now()}
	if err := tx.InsertUser(row); err != nil {
		var taken *store.UniqueViolationError
		if errors.As(err, &taken) && taken.Index == store.IndexEmail {
			err = fmt.Errorf("a user with the e-mail address %s exists already", u.Email)
		}
		return added, err
	}
	if err := tx.Audit(api.EventUserCreated, row.ID, shown(row)); err != nil {
		return added, err
	}
	for _, w := range u.Workspaces {
		if err := tx.AddMember(w, row.ID, api.RoleMember); err != nil {
			return added, err
		}
	}
	if !u.WithToken {
		return added, nil
	}
	k, err := tx.MintKey(api.KeyFields{Name: "Command line", Type: api.PAT, Scopes: api.AllScopes()}, row.ID)
	added.Token = k.Token
	return added, err
}

// shown is what the audit log shows of a user.
func shown(u store.User) map[string]any {
	return map[string]any{"id": u.ID, "name": u.Name, "email": u.Email, "role": u.Role}
}

// complete checks a new user, and generates a password where none is given.
func (u *NewUser) complete() error {
	email, err := tracker.ParseEmail(u.Email)
	if err != nil {
		return fmt.Errorf("%q: %w", u.Email, err)
	}
	u.Email = email
	if u.Name == "" {
		u.Name, _, _ = strings.Cut(u.Email, "@")
	}
	if err := checkName("the user's name", u.Name); err != nil {
		return err
	}
	if u.Role == "" {
		u.Role = api.RoleMember
	}
	if u.Password == "" {
		u.Password = rand.Text()
	}
	return nil
}

func checkName(what, name string) error {
	if err := schema.CheckName(name); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// NewPassword is the password that is in force.
type NewPassword struct {
	Text    string
	Limited bool // whether it works for a day, because the organisation signs in at its provider alone
}

// SetPassword replaces a user's password; an empty one is generated. It returns the one in force.
func (o Operator) SetPassword(ctx context.Context, userID, text string) (set NewPassword, err error) {
	if text == "" {
		text = rand.Text()
	}
	hash, err := o.HashPassword(ctx, text)
	if err != nil {
		return set, err
	}
	set.Text = text
	err = o.changeUser(ctx, userID, func(tx *tracker.OperatorTx, u store.User) (err error) {
		set.Limited, err = tx.LetPassword(u)
		return errors.Join(err, tx.SetPassword(u.ID, hash), tx.Audit(api.EventUserPasswordChanged, u.ID, shown(u)))
	})
	return set, err
}

// RemoveFactors removes every factor of a user but the password, and ends its sessions.
func (o Operator) RemoveFactors(ctx context.Context, userID string) error {
	return o.changeUser(ctx, userID, func(tx *tracker.OperatorTx, u store.User) error { return tx.RemoveFactors(u) })
}

// DisableUser ends a user's sessions and the keys of programs at once. Other PATs work no more until it is enabled.
// The last owner of an organisation and the last admin of a workspace stay.
func (o Operator) DisableUser(ctx context.Context, userID string) error {
	return o.changeUser(ctx, userID, func(tx *tracker.OperatorTx, u store.User) error { return tx.DisableUser(u) })
}

// EnableUser lets a disabled user in again.
func (o Operator) EnableUser(ctx context.Context, userID string) error {
	return o.changeUser(ctx, userID, func(tx *tracker.OperatorTx, u store.User) error { return tx.EnableUser(u) })
}

// changeUser applies a change to a user.
func (o Operator) changeUser(ctx context.Context, userID string,
	apply func(*tracker.OperatorTx, store.User) error) error {
	in, err := o.InOrganizationOfUser(ctx, userID)
	if err != nil {
		return err
	}
	return in.InTransaction(ctx, func(tx *tracker.OperatorTx) error {
		u, err := tx.LockUser(userID)
		if err != nil {
			return err
		}
		return apply(tx, u)
	})
}

// NewResetLink returns the token of a link with which a user sets another password, once and within 24 hours.
func (o Operator) NewResetLink(ctx context.Context, userID string) (text string, err error) {
	err = o.changeUser(ctx, userID, func(tx *tracker.OperatorTx, u store.User) (err error) {
		text, err = tx.CreateResetLink(u)
		return err
	})
	return text, err
}

// CountErasure counts the records that EraseUser changes.
func (o Operator) CountErasure(ctx context.Context, userID string) (tracker.ErasureCounts, error) {
	in, u, err := o.ofUser(ctx, userID)
	if err != nil {
		return tracker.ErasureCounts{}, err
	}
	return in.CountErasure(ctx, u)
}

// EraseUser replaces the name and the e-mail address of a user wherever they are stored.
func (o Operator) EraseUser(ctx context.Context, userID string) error {
	in, u, err := o.ofUser(ctx, userID)
	if err != nil {
		return err
	}
	return in.EraseUser(ctx, u)
}

// ofUser returns a user, and the operator in its organisation.
func (o Operator) ofUser(ctx context.Context, userID string) (tracker.OrganizationOperator, store.User, error) {
	in, err := o.InOrganizationOfUser(ctx, userID)
	if err != nil {
		return in, store.User{}, err
	}
	u, err := o.Read(ctx).User(userID)
	return in, u, err
}

// OpenSession opens a session of a user, as signing in does. Demo data is written by its callers.
func (o Organization) OpenSession(ctx context.Context, userID string) (opened tracker.NewSession, err error) {
	err = o.InTransaction(ctx, func(tx *tracker.OperatorTx) error {
		opened, err = tx.OpenSession(userID, tracker.Client{})
		return err
	})
	return opened, err
}
