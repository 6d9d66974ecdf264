package api

// OrganizationRef names an organisation.
type OrganizationRef struct {
	ID   string `json:"id" example:"org_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Name string `json:"name" example:"Northwind"`
}

// KeyRef is what a caller may know of the key it came with.
type KeyRef struct {
	ID     string  `json:"id" example:"key_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Name   string  `json:"name" example:"CI pipeline"`
	Type   KeyType `json:"type" enum:"pat,wst"`
	Scopes []Scope `json:"scopes" example:"[\"slices:read\"]"`
	// The one workspace of a WST; null for a PAT.
	WorkspaceID *string `json:"workspaceId"`
	ExpiresAt   *Time   `json:"expiresAt"`
}

// Me is the caller: a user for a PAT, a service for a WST.
type Me struct {
	Type string `json:"type" enum:"user,service"`
	// The user's id; for a service the key's.
	ID   string `json:"id" example:"usr_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Name string `json:"name" example:"Mara Lindqvist"`
	// Null for a service.
	Email        *string         `json:"email" example:"mara@example.com"`
	Organization OrganizationRef `json:"organization"`
	Key          KeyRef          `json:"key"`
}

// GetMe asks who the caller is.
type GetMe struct{}

// Key is an API key, without its token.
type Key struct {
	KeyRef
	// Whom a PAT acts as; null for a WST.
	UserID *string `json:"userId"`
	// The last four characters of the token.
	Last4     string   `json:"last4" minLength:"4" maxLength:"4" example:"x7Qz"`
	CreatedBy KeyMaker `json:"createdBy"`
	CreatedAt Time     `json:"createdAt"`
	RotatedAt *Time    `json:"rotatedAt"`
	// When the key was last used, to the minute; null when never.
	LastUsedAt *Time `json:"lastUsedAt"`
}

// KeyMaker records who made a key and with what.
type KeyMaker struct {
	// The user who made it; null when a service or the operator did.
	UserID *string `json:"userId"`
	// The key it was made with; null when it was made in the web application or on the command line.
	KeyID *string `json:"keyId"`
}

// NewKey is a key together with its token, which is shown this once.
type NewKey struct {
	Key
	// Shown in this answer alone.
	Token string `json:"token" example:"svc_pat_4nS7cVq0RkT2yWbD9xLmZ1pAeHu6gJ3wPd2K"`
}

// KeyFields is the body that makes a key.
type KeyFields struct {
	Name string  `json:"name" create:"required" minLength:"1" maxLength:"100" pattern:"\\S" example:"CI pipeline"`
	Type KeyType `json:"type" create:"required" enum:"pat,wst" example:"wst"`
	// At least one, each held by the key that mints.
	Scopes []Scope `json:"scopes" create:"required" minItems:"1" uniqueItems:"true" example:"[\"slices:read\",\"slices:write\"]"`
	// The workspace of a WST; not for a PAT. A WST that mints may leave it out.
	WorkspaceID *string `json:"workspaceId,omitempty" nullable:"true"`
	// In the future and not after the minter's own expiry, which it takes when left out.
	ExpiresAt *Time `json:"expiresAt,omitempty" nullable:"true"`
}

// ListKeys asks for the caller's own PATs and the WSTs of workspaces it administers, oldest first.
type ListKeys struct{ Paging }

// CreateKey mints a key.
type CreateKey struct {
	Idempotency
	Body KeyFields
}

// GetKey asks for one key.
type GetKey struct {
	KeyID string `path:"keyId" id:"key"`
}

// RevokeKey ends a key and all its tokens at once.
type RevokeKey struct {
	KeyID string `path:"keyId" id:"key"`
}

// RevokeSelf ends the key the request came with.
type RevokeSelf struct{}

// RotateKey gives a key a new token.
type RotateKey struct {
	Idempotency
	KeyID string        `path:"keyId" id:"key"`
	Body  *RotateFields `required:"false"`
}

// RotateFields is the optional body of a rotation.
type RotateFields struct {
	// How long the former token works beside the new one, up to 7 days.
	GracePeriodSeconds int64 `json:"gracePeriodSeconds" minimum:"0" maximum:"604800" default:"0" example:"3600"`
}
