package api

import (
	"reflect"
	"time"
)

// NewSession is a session that was opened or rotated. Its secrets go into cookies and nowhere else.
type NewSession struct {
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expiresAt"` // absolute
	Device    string    `json:"device"`    // the sealed mark of this browser

	FactorsRemoved bool `json:"factorsRemoved"` // whether somebody else has removed the factors of the user, who is to be told
}

// OpenSession is a row of the list of sessions.
type OpenSession struct {
	ID         string `json:"id"`
	Device     string `json:"device"`   // the browser and its system, as far as the user agent names them
	Handheld   bool   `json:"handheld"` // whether the system is one of phones or tablets
	Address    string `json:"address"`
	Current    bool   `json:"current"`
	CreatedAt  Time   `json:"createdAt"`
	LastUsedAt Time   `json:"lastUsedAt"`
}

// ListSessions returns the sessions of the user that have not ended, the one that was used last first.
type ListSessions struct{ Returns[Page[OpenSession]] }

// EndSession ends a session of the user.
type EndSession struct {
	Returns[Nothing]
	SessionID string `path:"sessionId" id:"ses"`
}

// EndOtherSessions ends the sessions of the user but this one.
type EndOtherSessions struct{ Returns[Nothing] }

// ChangePassword replaces the password, ends the other sessions and rotates this one. A user without a password sets one.
type ChangePassword struct {
	Returns[NewSession]
	Body PasswordChange
}

// PasswordChange is another password, with the current one as its proof.
type PasswordChange struct {
	CurrentPassword string `json:"currentPassword"`
	NewPassword     string `json:"newPassword"`
	Device          string `json:"device"` // as in Proof
}

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
	Email   string `json:"email"`
	Picture string `json:"picture"` // its name; empty for none
	Version int64  `json:"version"`
}

// SetPicture makes an image, which is no part of it, the picture of the user.
type SetPicture struct{ Returns[Nothing] }

// GetPicture returns a picture of a user of the organisation, by its name.
type GetPicture struct {
	Returns[Picture]
	Name string `query:"name" maxLength:"100"`
}

// Picture is the picture of a user.
type Picture struct {
	JPEG []byte `json:"jpeg"`
}

// RemovePicture removes the picture of a user.
type RemovePicture struct {
	Returns[Nothing]
	UserID string `path:"userId" id:"usr"`
}

// ProfileFields are the members of a profile that its user writes.
type ProfileFields struct {
	Name      string `json:"name"`
	Theme     Theme  `json:"theme"`
	TimeZone  string `json:"timeZone"`  // a name of the IANA database; empty for that of the browser
	Shortcuts bool   `json:"shortcuts"` // whether single keys are commands
}

// ProfilePatch is a merge patch of a profile.
type ProfilePatch map[string]any

// Of returns the type whose members the patch changes.
func (ProfilePatch) Of() reflect.Type { return reflect.TypeFor[ProfileFields]() }

// UpdateProfile changes the profile of the user. Another version than that of If-Match is refused.
type UpdateProfile struct {
	Returns[Profile]
	IfMatch string `header:"If-Match"`
	Patch   ProfilePatch
}
