package api

// KeyRef identifies the key of the caller and says what it allows.
type KeyRef struct {
	ID     string  `json:"id" example:"key_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Name   string  `json:"name" example:"CI pipeline" untrusted:"true"`
	Type   KeyType `json:"type"`
	Scopes []Scope `json:"scopes" example:"[\"slices:read\"]"`
	// The workspace of a WST; null for a PAT.
	WorkspaceID *string `json:"workspaceId"`
	ExpiresAt   *Time   `json:"expiresAt"`
	// Whether agents (MCP) that use the key get no text and no evidence of reporters without an account.
	WithholdGuests bool `json:"withholdGuests"`
	// Whether the key files reports only: it creates slices and adds files to them, and does and reads nothing else.
	FilesOnly bool `json:"filesOnly"`
}

// Me is the caller: a user for a PAT, a service for a WST.
type Me struct {
	Type string `json:"type" enum:"user,service"`
	// The id of the user; for a service, the id of the key.
	ID   string `json:"id" example:"usr_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Name string `json:"name" example:"Mara Lindqvist" untrusted:"true"`
	// Null for a service.
	Email        *string         `json:"email" example:"mara@example.com"`
	Organization OrganizationRef `json:"organization"`
	Key          KeyRef          `json:"key"`
}

// GetMe returns the caller.
type GetMe struct{ Returns[Me] }

// Key is an API key, without its token.
type Key struct {
	KeyRef
	// The user as whom a PAT acts; null for a WST.
	UserID *string `json:"userId"`
	// The last four characters of the token.
	Last4     string   `json:"last4" minLength:"4" maxLength:"4" example:"x7Qz"`
	CreatedBy KeyMaker `json:"createdBy"`
	CreatedAt Time     `json:"createdAt"`
	RotatedAt *Time    `json:"rotatedAt"`
	// When the key was last used, to the minute; null when it was never used.
	LastUsedAt *Time `json:"lastUsedAt"`
}

// NewKey is a key with its new token.
type NewKey struct {
	Key
	// The token. Only this response contains it.
	Token string `json:"token" example:"svc_pat_4nS7cVq0RkT2yWbD9xLmZ1pAeHu6gJ3wPd2K"`
}

// KeyFields is the body of CreateKey.
type KeyFields struct {
	Name string  `json:"name" create:"required" minLength:"1" maxLength:"100" pattern:"\\S" name:"true" example:"CI pipeline"`
	Type KeyType `json:"type" create:"required" example:"pat"`
	// At least one scope. The key of the request must have each of them.
	// Example: ["slices:read","slices:write"]
	Scopes []Scope `json:"scopes" create:"required" minItems:"1" uniqueItems:"true"`
	// The workspace of a WST; not allowed for a PAT. When a WST creates the key, the default is its own workspace.
	WorkspaceID *string `json:"workspaceId,omitempty" nullable:"true"`
	// A time in the future, and neither after the expiry of the key of the request, which is the default, nor after the
	// last one that the policies of the organisation admit, which is the default of a key that would have none.
	ExpiresAt *Time `json:"expiresAt,omitempty" nullable:"true"`
	// Withholds text and evidence of reporters without an account from agents (MCP) that use the key. Always true when
	// the key of the request has it.
	WithholdGuests bool `json:"withholdGuests" default:"false"`
	// Makes a key that others may read, such as one in a page: it creates slices with the scope slices:write, which it
	// then has alone, and adds files to them. Every other operation is refused, and responses tell nothing of slices
	// and members.
	FilesOnly bool `json:"filesOnly" default:"false"`
}

// ListKeys returns the caller's own PATs and the WSTs of the workspaces that it administers, oldest first.
type ListKeys struct {
	Returns[Page[Key]]
	Paging
}

// CreateKey creates a key.
type CreateKey struct {
	Returns[NewKey]
	Idempotency
	Body KeyFields
}

// GetKey returns one key.
type GetKey struct {
	Returns[Key]
	KeyID string `path:"keyId" id:"key"`
}

// RevokeKey revokes a key and all its tokens.
type RevokeKey struct {
	Returns[Nothing]
	KeyID string `path:"keyId" id:"key"`
}

// RevokeSelf revokes the key of the request.
type RevokeSelf struct{ Returns[Nothing] }

// RotateKey gives a key a new token.
type RotateKey struct {
	Returns[NewKey]
	Idempotency
	KeyID string        `path:"keyId" id:"key"`
	Body  *RotateFields `required:"false"`
}

// RotateFields is the optional body of RotateKey.
type RotateFields struct {
	// For how many seconds the former token stays valid, up to 604,800 (7 days).
	GracePeriodSeconds int64 `json:"gracePeriodSeconds" minimum:"0" maximum:"604800" default:"0" example:"3600"`
}
