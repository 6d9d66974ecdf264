package api

// Scope is a permission of a key.
type Scope string

// The scopes.
const (
	SlicesRead      Scope = "slices:read"
	SlicesWrite     Scope = "slices:write"
	SlicesDelete    Scope = "slices:delete"
	WorkspacesRead  Scope = "workspaces:read"
	WorkspacesWrite Scope = "workspaces:write"
	SpacesRead      Scope = "spaces:read"
	SpacesWrite     Scope = "spaces:write"
	UserRead        Scope = "user:read"
	KeysManage      Scope = "keys:manage"
	WebhooksManage  Scope = "webhooks:manage"
)

// NoScope marks an operation that every valid key may call.
const NoScope Scope = ""

// Scopes lists the scopes in the order of the documentation, each with what it allows.
var Scopes = []struct {
	Scope  Scope
	Allows string
}{
	{SlicesRead, "List and view bug reports"},
	{SlicesWrite, "Create and update bug reports"},
	{SlicesDelete, "Delete bug reports, and restore them"},
	{WorkspacesRead, "List and view workspaces and their members"},
	{WorkspacesWrite, "Create and update workspaces"},
	{SpacesRead, "List spaces within workspaces"},
	{SpacesWrite, "Create spaces"},
	{UserRead, "View the caller's own profile"},
	{KeysManage, "Create, list, revoke and rotate API keys"},
	{WebhooksManage, "Create, list, delete and manage webhooks"},
}

// AllScopes returns the scopes in the order of the documentation.
func AllScopes() []Scope {
	all := make([]Scope, len(Scopes))
	for i, s := range Scopes {
		all[i] = s.Scope
	}
	return all
}

// Values lists the scopes.
func (Scope) Values() []string { return names(AllScopes()...) }

// KeyType is the type of an API key.
type KeyType string

// The key types: a PAT acts as its user, a WST as a service of one workspace.
const (
	PAT KeyType = "pat"
	WST KeyType = "wst"
)

// Values lists the types.
func (KeyType) Values() []string { return names(PAT, WST) }
