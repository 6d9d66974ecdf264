package oauth

import (
	"slices"
	"strings"

	"bugslice/api"
)

// ReadingScopes are the scopes that read reports. A consent has those of them that the client asks for, until the
// user adds others.
var ReadingScopes = []api.Scope{api.SlicesRead, api.WorkspacesRead, api.SpacesRead, api.UserRead}

// OfferedScopes are the scopes of a program that asks for none.
var OfferedScopes = []api.Scope{api.SlicesRead, api.SlicesWrite, api.WorkspacesRead, api.SpacesRead, api.UserRead}

// parseScopes returns the scopes of a request, in the order of the contract: those of OfferedScopes for none. It
// ignores scopes of other servers, such as offline_access, and refuses a request that names no scope of the contract.
func parseScopes(text string) ([]api.Scope, error) {
	asked := strings.Fields(text)
	if len(asked) == 0 {
		return OfferedScopes, nil
	}
	known := slices.DeleteFunc(api.AllScopes(), func(s api.Scope) bool { return !slices.Contains(asked, string(s)) })
	if len(known) == 0 {
		return nil, refuse("invalid_scope", "None of the scopes is known. The scopes are: "+joinScopes(api.AllScopes())+
			".")
	}
	return known, nil
}

// joinScopes returns scopes as a request has them.
func joinScopes(scopes []api.Scope) string {
	texts := make([]string, len(scopes))
	for i, s := range scopes {
		texts[i] = string(s)
	}
	return strings.Join(texts, " ")
}
