package tracker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/store"
)

// This file is the operator's: organisations, users and memberships. The operator acts on
// the database of its own machine, beside a running server too.

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

// Founded is what a new organisation begins with.
type Founded struct {
	OrganizationID string `json:"organizationId"`
	UserID         string `json:"userId"`
	WorkspaceID    string `json:"workspaceId,omitempty"`
	Password       string `json:"password"`
	Token          string `json:"token,omitempty"`
}

// ErrNotEmpty says that the instance has an organisation already.
var ErrNotEmpty = errors.New("this database already has an organisation; nothing was changed")

// Found makes an organisation with its owner, and a workspace and a PAT with every scope
// when a workspace is named. With onlyFirst it refuses a database that has one.
func (o *Operator) Found(ctx context.Context, organization, workspace string, owner NewUser, onlyFirst bool) (Founded, error) {
	if err := checkName("the organisation's name", organization); err != nil {
		return Founded{}, err
	}
	if workspace != "" {
		if err := checkName("the workspace's name", workspace); err != nil {
			return Founded{}, err
		}
	}
	owner.Role, owner.WithToken = api.RoleOwner, owner.WithToken || workspace != ""
	hash, err := prepare(&owner)
	if err != nil {
		return Founded{}, err
	}
	t, c := o.t, operatorOf(api.OrganizationRef{ID: id.New(id.Organization), Name: organization})
	return write(t, ctx, c, "", func(tx *store.Tx, c Caller) (Founded, error) {
		all, err := tx.Organizations()
		if err != nil {
			return Founded{}, err
		}
		if onlyFirst && len(all) > 0 {
			return Founded{}, ErrNotEmpty
		}
		return t.found(tx, c, workspace, owner, hash)
	})
}

func (t *Tracker) found(tx *store.Tx, c Caller, workspace string, owner NewUser, hash string) (Founded, error) {
	if err := tx.InsertOrganization(c.Organization, t.clock()); err != nil {
		return Founded{}, err
	}
	if err := t.recordAudit(tx, c, event{api.EventOrganizationCreated, c.Organization.ID, c.Organization, nil}); err != nil {
		return Founded{}, err
	}
	u, err := t.addUser(tx, c, owner, hash)
	if err != nil {
		return Founded{}, err
	}
	f := Founded{OrganizationID: c.Organization.ID, UserID: u.UserID, Password: u.Password, Token: u.Token}
	if workspace == "" {
		return f, nil
	}
	w, err := t.createWorkspace(tx, c, api.WorkspaceFields{Name: workspace}, u.UserID)
	f.WorkspaceID = w.ID
	return f, err
}

// AddUser adds a user to the organisation and, as a member, to workspaces.
func (o OrganizationOperator) AddUser(ctx context.Context, u NewUser) (AddedUser, error) {
	hash, err := prepare(&u)
	if err != nil {
		return AddedUser{}, err
	}
	return write(o.t, ctx, o.c, "", func(tx *store.Tx, c Caller) (AddedUser, error) { return o.t.addUser(tx, c, u, hash) })
}

func (t *Tracker) addUser(tx *store.Tx, c Caller, u NewUser, hash string) (AddedUser, error) {
	added := AddedUser{UserID: id.New(id.User), Password: u.Password}
	row := store.User{ID: added.UserID, OrgID: c.Organization.ID, Email: u.Email, Name: u.Name, Role: u.Role, PasswordHash: hash,
		CreatedAt: t.clock()}
	if err := tx.InsertUser(row); err != nil {
		var taken *store.UniqueViolationError
		if errors.As(err, &taken) && taken.Index == store.IndexEmail {
			err = fmt.Errorf("a user with the e-mail address %s exists already", u.Email)
		}
		return added, err
	}
	if err := t.recordAudit(tx, c, event{api.EventUserCreated, row.ID, shownUser(row), nil}); err != nil {
		return added, err
	}
	for _, w := range u.Workspaces {
		if err := t.putMember(tx, c, w, row.ID, api.RoleMember); err != nil {
			return added, err
		}
	}
	if !u.WithToken {
		return added, nil
	}
	k, err := t.mint(tx, c, api.KeyFields{Name: "Command line", Type: api.PAT, Scopes: api.AllScopes()}, row.ID)
	added.Token = k.Token
	return added, err
}

func shownUser(u store.User) map[string]any {
	return map[string]any{"id": u.ID, "name": u.Name, "email": u.Email, "role": u.Role}
}

// prepare checks a new user, generates a password where none is given, and returns its hash.
func prepare(u *NewUser) (hash string, err error) {
	address, err := mail.ParseAddress(strings.TrimSpace(u.Email))
	if err != nil || address.Name != "" || len(u.Email) > 254 {
		return "", fmt.Errorf("%q is not an e-mail address", u.Email)
	}
	u.Email = strings.ToLower(address.Address)
	if u.Name == "" {
		u.Name, _, _ = strings.Cut(u.Email, "@")
	}
	if err := checkName("the user's name", u.Name); err != nil {
		return "", err
	}
	if u.Role == "" {
		u.Role = api.RoleMember
	}
	if u.Password == "" {
		u.Password = rand.Text()
	}
	return hashPassword(u.Password)
}

func checkName(what, name string) error {
	if strings.TrimSpace(name) == "" || utf8.RuneCountInString(name) > 100 || !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
		return fmt.Errorf("%s must have 1 to 100 characters", what)
	}
	return nil
}

const minPassword = 10

// hashing bounds how many hashes are computed at once: each takes 19 MiB.
var hashing = make(chan struct{}, 2)

func hashPassword(password string) (string, error) {
	if utf8.RuneCountInString(password) < minPassword || len(password) > 1024 {
		return "", fmt.Errorf("a password must have at least %d characters", minPassword)
	}
	hashing <- struct{}{}
	defer func() { <-hashing }()
	return argon2id.CreateHash(password, &argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32})
}

// SetPassword replaces a user's password; an empty one is generated. It returns the one in force.
func (o *Operator) SetPassword(ctx context.Context, userID, password string) (string, error) {
	if password == "" {
		password = rand.Text()
	}
	hash, err := hashPassword(password)
	if err != nil {
		return "", err
	}
	return password, o.changeUser(ctx, userID, func(tx *store.Tx, c Caller, u store.User) (api.EventType, error) {
		return api.EventUserPasswordChanged, tx.SetPassword(u.ID, hash)
	})
}

// DisableUser ends a user's sessions and PATs at once. The last owner of an organisation and
// the last admin of a workspace stay.
func (o *Operator) DisableUser(ctx context.Context, userID string) error {
	return o.changeUser(ctx, userID, func(tx *store.Tx, c Caller, u store.User) (api.EventType, error) {
		now := o.t.clock()
		if err := tx.SetDisabled(u.ID, &now); err != nil {
			return "", err
		}
		return api.EventUserDisabled, lastOnes(tx, u)
	})
}

// EnableUser lets a disabled user in again.
func (o *Operator) EnableUser(ctx context.Context, userID string) error {
	return o.changeUser(ctx, userID, func(tx *store.Tx, c Caller, u store.User) (api.EventType, error) {
		return api.EventUserEnabled, tx.SetDisabled(u.ID, nil)
	})
}

func (o *Operator) changeUser(ctx context.Context, userID string, apply func(*store.Tx, Caller, store.User) (api.EventType, error)) error {
	u, err := o.t.store.Read(ctx).User(userID)
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("there is no user %s", userID)
	}
	if err != nil {
		return err
	}
	return change(o.t, ctx, operatorOf(api.OrganizationRef{ID: u.OrgID}), "", func(tx *store.Tx, c Caller) error {
		u, err := tx.User(userID)
		if err != nil {
			return err
		}
		what, err := apply(tx, c, u)
		if err != nil {
			return err
		}
		return o.t.recordAudit(tx, c, event{what, u.ID, shownUser(u), nil})
	})
}

// lastOnes refuses to leave an organisation without an owner or a workspace without an admin.
func lastOnes(tx *store.Tx, u store.User) error {
	if err := tx.LockOrganization(u.OrgID); err != nil {
		return err
	}
	if u.Role == api.RoleOwner {
		if n, err := tx.CountOwners(u.OrgID); err != nil || n == 0 {
			return errors.Join(err, errors.New("the last owner of an organisation cannot be disabled"))
		}
	}
	administered, err := tx.WorkspaceIDsOf(u.ID, api.RoleAdmin)
	if err != nil {
		return err
	}
	for _, w := range administered {
		if _, err := tx.NextSequence(w, 0, 0); err != nil {
			return err
		}
		if n, err := tx.CountAdmins(w); err != nil || n == 0 {
			return errors.Join(err, fmt.Errorf("they are the last admin of workspace %s; give it another one first", w))
		}
	}
	return nil
}
