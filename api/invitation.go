package api

// PendingInvitation is an invitation that was not used yet.
type PendingInvitation struct {
	ID            string   `json:"id"`
	Email         string   `json:"email"`
	Role          Role     `json:"role"`
	WorkspaceRole Role     `json:"workspaceRole"`
	Workspaces    []string `json:"workspaces"` // names
	InvitedBy     string   `json:"invitedBy"`  // a name
	CreatedAt     Time     `json:"createdAt"`
	ExpiresAt     Time     `json:"expiresAt"`
}

// InviteUser creates an invitation, in place of a former one to the same e-mail address.
type InviteUser struct {
	Returns[LinkToken]
	Idempotency
	Body InvitationFields
}

// InvitationFields are the members of an invitation.
type InvitationFields struct {
	Email         string   `json:"email"`
	Role          Role     `json:"role"`          // in the organisation
	WorkspaceRole Role     `json:"workspaceRole"` // in each of the workspaces
	WorkspaceIDs  []string `json:"workspaceIds"`
}

// RevokeInvitation ends an invitation that the caller sees in ListPeople.
type RevokeInvitation struct {
	Returns[Nothing]
	InvitationID string `path:"invitationId" id:"inv"`
}
