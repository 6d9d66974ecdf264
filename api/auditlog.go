package api

import "encoding/json"

// AuditFilters select events of the audit log. Empty members filter nothing.
type AuditFilters struct {
	Actor       string `query:"actor"`   // words of a name, an e-mail address, an id, or operator, service or system
	Type        string `query:"type"`    // a type of event, or the part of it before a dot
	Key         string `query:"key"`     // the id, the last four characters or the name of an API key
	Address     string `query:"address"` // of the client
	WorkspaceID string `query:"workspaceId"`
	Since       *Time  `query:"since"`
	Until       *Time  `query:"until"`
}

// ListAuditLog returns events of the audit log that the caller may read: those of the workspaces that it administers,
// and for an owner or admin of the organisation those of no workspace.
type ListAuditLog struct {
	Returns[AuditPage]
	AuditFilters
	Before string `query:"before"` // the id of an event: older ones only
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"50"`
}

// ExportAuditLog returns the events of the audit log that the caller may read as lines of JSON, each an AuditEvent,
// the newest first.
type ExportAuditLog struct {
	Returns[Bytes]
	AuditFilters
}

// AuditPage is a page of the audit log, the newest events first.
type AuditPage struct {
	Events []AuditEvent `json:"events"`
	Older  string       `json:"older"` // the event before which the next page begins; empty on the last one
}

// AuditEvent is an event as the audit log shows it.
type AuditEvent struct {
	ID            string          `json:"id"`
	At            Time            `json:"at"`
	Type          EventType       `json:"type"`
	WorkspaceID   *string         `json:"workspaceId"`
	Actor         AuditActor      `json:"actor"`
	RequestID     *string         `json:"requestId"`
	ClientAddress *string         `json:"clientAddress"`
	SubjectID     string          `json:"subjectId"`
	SubjectKind   string          `json:"subjectKind"` // the member of data that is the subject
	SubjectName   string          `json:"subjectName"` // empty when it is deleted, or has none, as a webhook, whose URL data has
	Data          json.RawMessage `json:"data"`
}

// AuditActor is who caused an event of the audit log.
type AuditActor struct {
	Type      string  `json:"type"`
	ID        *string `json:"id"`
	Name      string  `json:"name"`  // empty for an actor that is no user
	Email     string  `json:"email"` // empty for an actor that is no user
	KeyID     *string `json:"keyId"`
	KeyName   string  `json:"keyName"`  // empty without a key
	KeyLast4  string  `json:"keyLast4"` // empty without a key
	SessionID *string `json:"sessionId"`
}
