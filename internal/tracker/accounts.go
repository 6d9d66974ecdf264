package tracker

import (
	"context"
	"slices"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/schema"
	"bugslice/internal/store"
)

// The records of accounts are those of the contract.
type (
	Profile       = api.Profile
	ProfileFields = api.ProfileFields
)

func profileOf(u store.User) Profile {
	return Profile{ProfileFields: ProfileFields{Name: u.Name, Theme: api.Theme(u.Theme), TimeZone: u.TimeZone,
		Shortcuts: u.Shortcuts},
		Email: u.Email, Picture: u.Picture, Version: u.Version}
}

// UpdateProfile changes the profile of the user. It refuses with precondition_failed when If-Match has another
// version. Its faults name /name, /theme and /timeZone.
func (t *Tracker) UpdateProfile(ctx context.Context, c access.Caller, v input.Valid[api.UpdateProfile]) (
	Profile, error,
) {
	in, err := v.Value(c.Allow(api.OpUpdateProfile))
	if err != nil {
		return Profile{}, err
	}
	return access.Write(ctx, t.access, c, api.OpUpdateProfile, func(tx *access.Tx, c access.Caller) (Profile, error) {
		u, err := tx.User(c.ID)
		if err != nil {
			return Profile{}, err
		}
		p := profileOf(u)
		if err := patchProfile(&p.ProfileFields, in.Patch); err != nil {
			return p, err
		}
		if err := checkIfMatch("profile", in.IfMatch, p.Version); err != nil || p == profileOf(u) {
			return p, err
		}
		previous := userSubject(u)
		u.Name, u.Theme, u.TimeZone, u.Shortcuts = p.Name, string(p.Theme), p.TimeZone, p.Shortcuts
		if err := tx.UpdateProfile(u); err != nil {
			return Profile{}, err
		}
		p.Version++
		return p, t.recordAudit(tx, c, event{Type: api.EventUserUpdated, ID: u.ID, Subject: userSubject(u),
			Previous: map[string]any{"name": previous["name"]}})
	})
}

// patchProfile merges a patch into the fields of a profile, and refuses members of it that have faults.
func patchProfile(f *ProfileFields, patch api.ProfilePatch) error {
	if err := mergePatch(f, patch); err != nil {
		return err
	}
	faults := slices.DeleteFunc(profileFaults(*f),
		func(fault api.Fault) bool { return !hasKey(patch, fault.Pointer[1:]) })
	if len(faults) > 0 {
		return api.NewProblem(api.CodeInvalidBody, faults[0].Detail, faults...)
	}
	return nil
}

// profileFaults returns the faults of the fields of a profile.
func profileFaults(f ProfileFields) (all []api.Fault) {
	if err := schema.CheckName(f.Name); err != nil {
		all = append(all, api.Fault{Pointer: "/name", Code: "invalid", Detail: err.Error()})
	}
	if !slices.Contains([]api.Theme{api.ThemeSystem, api.ThemeLight, api.ThemeDark}, f.Theme) {
		all = append(all, api.Fault{Pointer: "/theme", Code: "unknown",
			Detail: "the theme must be system, light or dark"})
	}
	if _, err := loadZone(f.TimeZone); err != nil && f.TimeZone != "" {
		all = append(all, api.Fault{Pointer: "/timeZone", Code: "unknown", Detail: unknownZone})
	}
	return all
}
