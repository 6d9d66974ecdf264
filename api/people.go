package api

// Person is a user of an organisation as the caller sees the user.
type Person struct {
	ID         string            `json:"id"`
	Name       string            `json:"name"`
	Email      string            `json:"email"` // empty for a caller who may not see it
	Role       Role              `json:"role"`  // in the organisation
	CreatedAt  Time              `json:"createdAt"`
	DisabledAt *Time             `json:"disabledAt"`
	Workspaces []PersonWorkspace `json:"workspaces"` // that the caller sees, by name
	Self       bool              `json:"self"`       // whether the user is the caller
	Picture    string            `json:"picture"`    // the name of the picture; empty for none
	Managed    bool              `json:"managed"`    // whether the caller manages the account
}

// PersonWorkspace is a workspace of which a person is a member.
type PersonWorkspace struct {
	ID      string `json:"id"`
	Key     string `json:"key"`
	Name    string `json:"name"`
	Role    Role   `json:"role"`
	Managed bool   `json:"managed"` // whether the caller manages the members of the workspace
}

// People are users of an organisation, with what the caller may do to them.
type People struct {
	People      []Person            `json:"people"`
	Next        string              `json:"next"`       // the id after which the next page begins; empty on the last one
	Workspaces  []PersonWorkspace   `json:"workspaces"` // whose members the caller manages, by name; without roles
	Roles       []Role              `json:"roles"`      // in the organisation, that the caller may give
	Invitations []PendingInvitation `json:"invitations"`
}

// ListPeople returns users: all of the organisation for an owner or an admin of it, and otherwise those who share a
// workspace with the caller. It returns the invitations that the caller manages.
type ListPeople struct {
	Returns[People]
	// The beginnings of words of the name, and of the e-mail address for those who manage people; empty for everybody.
	Text  string `query:"q"`
	After string `query:"after"` // an id
	Limit int    `query:"limit" minimum:"1" maximum:"100" default:"50"`
}

// PersonDetails is a user, with the workspaces and roles that the caller may give.
type PersonDetails struct {
	Person     Person            `json:"person"`
	Workspaces []PersonWorkspace `json:"workspaces"`
	Roles      []Role            `json:"roles"`
}

// GetPerson returns a user whom the caller sees in ListPeople.
type GetPerson struct {
	Returns[PersonDetails]
	UserID string `path:"userId" id:"usr"`
}

// PutMember makes a user of the organisation a member of a workspace, or changes its role there.
type PutMember struct {
	Returns[Nothing]
	WorkspaceID string `path:"workspaceId" id:"wsp"`
	UserID      string `path:"userId" id:"usr"`
	Body        RoleFields
}

// RoleFields give a role.
type RoleFields struct {
	Role Role `json:"role" create:"required" minLength:"1"`
}

// RemoveMember ends a membership.
type RemoveMember struct {
	Returns[Nothing]
	WorkspaceID string `path:"workspaceId" id:"wsp"`
	UserID      string `path:"userId" id:"usr"`
}

// ChangeUserRole changes the role of a user in the organisation.
type ChangeUserRole struct {
	Returns[Nothing]
	UserID string `path:"userId" id:"usr"`
	Body   RoleFields
}

// DisableUser ends the sessions of a user, and the keys that the user has allowed programs to have, at once. Other PATs
// work no more until the user is enabled.
type DisableUser struct {
	Returns[Nothing]
	UserID string `path:"userId" id:"usr"`
}

// EnableUser lets a disabled user in again.
type EnableUser struct {
	Returns[Nothing]
	UserID string `path:"userId" id:"usr"`
}

// RemoveUser ends the memberships of a user, revokes its PATs and disables it.
type RemoveUser struct {
	Returns[Nothing]
	UserID string `path:"userId" id:"usr"`
}

// LinkToken is the token of a link, which is shown once.
type LinkToken struct {
	Token string `json:"token"`
}

// CreateResetLink creates a link with which a user sets another password, once and within 24 hours.
type CreateResetLink struct {
	Returns[LinkToken]
	UserID string `path:"userId" id:"usr"`
}

// ErasureCounts are the numbers of records that the erasure of a user changes or ends.
type ErasureCounts struct {
	Slices      int64 `json:"slices"`
	Occurrences int64 `json:"occurrences"`
	Comments    int64 `json:"comments"`
	Files       int64 `json:"files"`
	Events      int64 `json:"events"`
	Memberships int64 `json:"memberships"`
	Sessions    int64 `json:"sessions"`
	Keys        int64 `json:"keys"`
	Invitations int64 `json:"invitations"`
}

// CountErasedRecords counts the records that EraseUser changes.
type CountErasedRecords struct {
	Returns[ErasureCounts]
	UserID string `path:"userId" id:"usr"`
}

// NamedConfirmation confirms a change by the name of what it is about.
type NamedConfirmation struct {
	Name string `json:"name"`
}

// EraseUser erases the name and the e-mail address of a user, and ends its access.
type EraseUser struct {
	Returns[Erasure]
	UserID string `path:"userId" id:"usr"`
	Body   NamedConfirmation
}

// Erasure says whether an erasure is complete; otherwise a job completes it.
type Erasure struct {
	Complete bool `json:"complete"`
}
