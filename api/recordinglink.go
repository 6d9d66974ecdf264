package api

// RecordingLink is a link by which somebody without an account files what a member has asked for: a recording of the screen or
// another file, and what happened.
type RecordingLink struct {
	ID          string `json:"id" example:"rec_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	WorkspaceID string `json:"workspaceId" example:"wsp_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	RecordingLinkFields
	// How many reports have arrived by it.
	Reports   int64    `json:"reports" minimum:"0" example:"0"`
	CreatedBy KeyMaker `json:"createdBy"`
	CreatedAt Time     `json:"createdAt"`
	ExpiresAt Time     `json:"expiresAt"`
	// Whether the link takes a report. It does not after maxReports, after its expiry, and while its creator may not file into the
	// workspace: the user has left it or is disabled, or the key was revoked or has expired.
	Active bool `json:"active"`
}

// RecordingLinkFields are the members of a recording link that its creator writes.
type RecordingLinkFields struct {
	// What the recipient is asked to show, as plain text.
	Ask string `json:"ask" redact:"text" create:"required" minLength:"1" maxLength:"2000" pattern:"\\S" example:"Show it." untrusted:"true"`
	// The address of the site on which it happens, https or http; null for none. The page of the link opens it with #bugslice-record,
	// by which the capture script there shows its button.
	SiteURL *string `json:"siteUrl" redact:"url" maxLength:"2048" example:"https://shop.example.com/cart" untrusted:"true"`
	// How many reports it takes.
	MaxReports int64 `json:"maxReports" minimum:"1" maximum:"20" default:"1" example:"1"`
}

// CreatedRecordingLink is a recording link with its address.
type CreatedRecordingLink struct {
	RecordingLink
	// The link. Only this response contains it.
	URL string `json:"url" example:"https://bugs.example.com/record/svc_rec_4nS7cVq0RkT2yWbD9xLmZ1pAeHu6gJ3wPd2KfXr8sTq5vYb0Nc1aE7z"`
}

// NewRecordingLink is the body of CreateRecordingLink.
type NewRecordingLink struct {
	// The default is the workspace of a WST, and the only workspace of the user of a PAT. Required for a PAT that
	// reaches several.
	WorkspaceID *string `json:"workspaceId,omitempty"`
	RecordingLinkFields
	// A time in the future, at most 30 days ahead. The default is in 7 days.
	ExpiresAt *Time `json:"expiresAt,omitempty" nullable:"true"`
}

// ListRecordingLinks returns the recording links that have neither expired nor been revoked, oldest first: all of the workspaces
// that the caller administers, and in the others those that the user has created.
type ListRecordingLinks struct {
	Returns[Page[RecordingLink]]
	Paging
	// Only links of this workspace.
	WorkspaceID string `query:"workspaceId"`
}

// CreateRecordingLink creates a recording link.
type CreateRecordingLink struct {
	Returns[CreatedRecordingLink]
	Idempotency
	Body NewRecordingLink
}

// RevokeRecordingLink revokes a recording link.
type RevokeRecordingLink struct {
	Returns[Nothing]
	RecordingLinkID string `path:"recordingLinkId" id:"rec"`
}
