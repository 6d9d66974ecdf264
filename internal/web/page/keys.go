package page

import (
	"slices"
	"strings"
	"time"

	"bugslice/api"
)

// KeyState is what a list shows of the life of a key.
type KeyState string

// The states.
const (
	KeyActive   KeyState = "active"
	KeyGrace    KeyState = "grace" // a former token still works
	KeyExpiring KeyState = "expiring"
	KeyExpired  KeyState = "expired"
	KeyRevoked  KeyState = "revoked"
)

// soon is how long before its expiry a key is shown as expiring.
const soon = 7 * 24 * time.Hour

// StateOf returns the state of a key.
func StateOf(k api.Key, d KeyDetail, now time.Time) KeyState {
	switch {
	case d.RevokedAt != nil:
		return KeyRevoked
	case k.ExpiresAt != nil && !now.Before(k.ExpiresAt.Time):
		return KeyExpired
	case d.FormerUntil != nil && now.Before(d.FormerUntil.Time):
		return KeyGrace
	case k.ExpiresAt != nil && k.ExpiresAt.Sub(now) < soon:
		return KeyExpiring
	}
	return KeyActive
}

// KeyRow is a key as a list shows it.
type KeyRow struct {
	api.Key
	KeyDetail
	State     KeyState
	Workspace string // its name, empty for a PAT
}

// KeyRows returns keys with their details, in the same order.
func (q *Request) KeyRows(keys []api.Key) ([]KeyRow, error) {
	details, err := q.Tracker.KeyDetails(q.Context(), q.Session.Caller, keys)
	rows := make([]KeyRow, len(keys))
	for i, k := range keys {
		d := details[k.ID]
		rows[i] = KeyRow{k, d, StateOf(k, d, q.Now), q.WorkspaceName(k.WorkspaceID)}
	}
	return rows, err
}

// WorkspaceName returns the name of one of the user's workspaces, the id of another one, and nothing without one.
func (q *Request) WorkspaceName(workspaceID *string) string {
	if workspaceID == nil {
		return ""
	}
	for _, w := range q.Workspaces {
		if w.ID == *workspaceID {
			return w.Name
		}
	}
	return *workspaceID
}

// tried are the operations that a key is tried out with, the most telling first. Each reads, and needs no more than
// its scope.
var tried = []string{api.OpListSlices, api.OpListWorkspaces, api.OpGetMe, api.OpListKeys, api.OpListWebhooks}

// Curl returns a command that reads something with a key, and nothing when its scopes allow no such command.
func Curl(baseURL string, k api.NewKey) string {
	command := "curl -H 'Authorization: Bearer " + k.Token + "'"
	for _, id := range tried {
		op := api.Lookup(id)
		if slices.Contains(k.Scopes, op.Scope) {
			return command + " \\\n  '" + baseURL + op.Path + "'"
		}
	}
	if slices.Contains(k.Scopes, api.SpacesRead) && k.WorkspaceID != nil {
		path := strings.Replace(api.Lookup(api.OpListSpaces).Path, "{workspaceId}", *k.WorkspaceID, 1)
		return command + " \\\n  '" + baseURL + path + "'"
	}
	return ""
}
