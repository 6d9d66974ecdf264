package tracker

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/password"
	"bugslice/internal/schema"
	"bugslice/internal/store"
)

// Theme reports whether pages are light, dark or as the system is.
type Theme string

// The themes.
const (
	ThemeSystem Theme = "system"
	ThemeLight  Theme = "light"
	ThemeDark   Theme = "dark"
)

// Profile is what a user has chosen.
type Profile struct {
	ProfileFields
	Email   string
	Version int64
}

// ProfileFields are the members of a profile that its user writes.
type ProfileFields struct {
	Name      string
	Theme     Theme
	TimeZone  string // a name of the IANA database; empty for that of the browser
	Shortcuts bool   // whether single keys are commands
}

// PasswordChange is the input of a change of the password.
type PasswordChange struct{ CurrentPassword, NewPassword string }

func profileOf(u store.User) Profile {
	return Profile{ProfileFields: ProfileFields{Name: u.Name, Theme: Theme(u.Theme), TimeZone: u.TimeZone, Shortcuts: u.Shortcuts},
		Email: u.Email, Version: u.Version}
}

// UpdateProfile changes the profile of the user. It refuses with precondition_failed when version is not the profile's.
// Its faults name /name, /theme, /timeZone and /shortcuts.
func (t *Tracker) UpdateProfile(ctx context.Context, s Session, version string, f ProfileFields) (Profile, error) {
	if err := s.Caller.Allow(api.OpUpdateProfile); err != nil {
		return Profile{}, err
	}
	if faults := f.faults(); len(faults) > 0 {
		return Profile{}, api.NewProblem(api.CodeInvalidBody, faults[0].Detail, faults...)
	}
	return t.updateProfile(ctx, s.Caller, func(p *Profile) error {
		if version != strconv.FormatInt(p.Version, 10) {
			return api.NewProblem(api.CodePrecondition, "The profile was changed meanwhile.")
		}
		p.ProfileFields = f
		return nil
	})
}

// SetTheme changes the theme of the user alone.
func (t *Tracker) SetTheme(ctx context.Context, s Session, theme Theme) error {
	if err := s.Caller.Allow(api.OpUpdateProfile); err != nil {
		return err
	}
	if !theme.valid() {
		return api.InvalidMember("/theme", "unknown", unknownTheme)
	}
	return errorOf(t.updateProfile(ctx, s.Caller, func(p *Profile) error {
		p.Theme = theme
		return nil
	}))
}

func (t *Tracker) updateProfile(ctx context.Context, c access.Caller, apply func(*Profile) error) (Profile, error) {
	return access.Write(ctx, t.access, c, api.OpUpdateProfile, func(tx *access.Tx, c access.Caller) (Profile, error) {
		u, err := tx.User(c.ID)
		if err != nil {
			return Profile{}, err
		}
		p := profileOf(u)
		if err := apply(&p); err != nil || p == profileOf(u) {
			return p, err
		}
		previous := userSubject(u)
		u.Name, u.Theme, u.TimeZone, u.Shortcuts = p.Name, string(p.Theme), p.TimeZone, p.Shortcuts
		if err := tx.UpdateProfile(u); err != nil {
			return Profile{}, err
		}
		p.Version++
		return p, t.recordAudit(tx, c, event{api.EventUserUpdated, u.ID, userSubject(u), map[string]any{"name": previous["name"]}})
	})
}

const unknownTheme = "the theme must be system, light or dark"

func (t Theme) valid() bool { return slices.Contains([]Theme{ThemeSystem, ThemeLight, ThemeDark}, t) }

// faults returns the faults of the fields of a profile.
func (f ProfileFields) faults() (all []api.Fault) {
	if err := schema.CheckName(f.Name); err != nil {
		all = append(all, api.Fault{Pointer: "/name", Code: "invalid", Detail: err.Error()})
	}
	if !f.Theme.valid() {
		all = append(all, api.Fault{Pointer: "/theme", Code: "unknown", Detail: unknownTheme})
	}
	if _, err := loadZone(f.TimeZone); err != nil && f.TimeZone != "" {
		all = append(all, api.Fault{Pointer: "/timeZone", Code: "unknown", Detail: unknownZone})
	}
	return all
}

// ChangePassword replaces the password, ends the other sessions and rotates this one. The current password is the proof
// that the change needs. Its faults name /currentPassword and /newPassword.
func (t *Tracker) ChangePassword(ctx context.Context, from Client, s Session, change PasswordChange) (NewSession, error) {
	u, err := t.account(ctx, s.Caller, api.OpChangePassword)
	if err != nil {
		return NewSession{}, err
	}
	if err := t.proveAgain(ctx, from, u, change.CurrentPassword); errors.Is(err, errWrongSignIn) {
		return NewSession{}, api.InvalidMember("/currentPassword", "wrong", "this is not your password")
	} else if err != nil {
		return NewSession{}, err
	}
	hash, err := t.passwords.Hash(ctx, change.NewPassword)
	if err != nil {
		return NewSession{}, NewPasswordProblem(err, "/newPassword")
	}
	return access.Write(ctx, t.access, s.Caller, api.OpChangePassword, func(tx *access.Tx, c access.Caller) (NewSession, error) {
		if err := tx.SetPassword(c.ID, hash); err != nil {
			return NewSession{}, err
		}
		own, _ := c.Credential.(access.SessionCredential)
		if err := tx.DeleteOtherSessions(c.ID, own.ID); err != nil {
			return NewSession{}, err
		}
		rotated, err := t.rotateSession(tx, c, from)
		if err != nil {
			return NewSession{}, err
		}
		return rotated, t.recordAudit(tx, c, event{api.EventUserPasswordChanged, u.ID, userSubject(u), nil})
	})
}

// NewPasswordProblem turns an error of HashPassword into a problem of a member.
func NewPasswordProblem(err error, pointer string) error {
	if errors.Is(err, password.ErrShort) || errors.Is(err, password.ErrLong) {
		return api.InvalidMember(pointer, "length", err.Error())
	}
	return busyProblem(err)
}
