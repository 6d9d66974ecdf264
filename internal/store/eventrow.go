package store

import (
	"encoding/json"

	"bugslice/api"
)

// Event is a row of the log: an actor's action on a record. The transaction of the action stores it.
type Event struct {
	ID, OrgID   string
	WorkspaceID *string // nil for events of the organisation
	Sequence    *int64  // within the workspace
	Type        api.EventType
	Actor       Actor
	SubjectKind string
	SubjectID   string
	Data        json.RawMessage
	CreatedAt   api.Time
	Request     Request // only KeyEvents reads its client address
}

// Request is the request that caused an event, and the address of its client; nil for events without a request.
type Request struct {
	ID            *string
	ClientAddress *string
}

// Actor is a user, a service (a WST) or the operator at the command line.
type Actor struct {
	Type      string
	ID        *string
	KeyID     *string
	SessionID *string // only stored; lists of events do not read it
}
