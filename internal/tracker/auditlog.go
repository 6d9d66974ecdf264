package tracker

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/store"
)

// AuditQuery filters the audit log. Empty members filter nothing.
type AuditQuery struct {
	Actor       string // words of a name, an e-mail address, an id, or operator, service or system
	Type        string // a type of event, or the part of it before a dot
	Key         string // the id, the last four characters or the name of an API key
	Address     string // of the client
	WorkspaceID string
	Since       *time.Time
	Until       *time.Time
	Before      string // the id of an event: older ones only
}

// AuditEvent is an event as the audit log shows it.
type AuditEvent = store.AuditEvent

// AuditPage is a page of the audit log, the newest events first. Older is the event before which the next page begins; empty on the
// last one.
type AuditPage struct {
	Events []AuditEvent
	Older  string
}

const auditBatch = 500 // events of a download that are read at once

// AuditLog returns at most limit events of the audit log that the caller may read: those of the workspaces that it administers, and
// for an owner or admin of the organisation those of no workspace. A page that reads auditWindow events ends there, with fewer events.
func (t *Tracker) AuditLog(ctx context.Context, c access.Caller, in AuditQuery, limit int) (AuditPage, error) {
	if err := c.Allow(api.OpListAuditLog); err != nil {
		return AuditPage{}, err
	}
	q := t.access.Read(ctx)
	f, err := auditFilter(q, c, in)
	if err != nil {
		return AuditPage{}, err
	}
	return t.readAudit(q, f, limit)
}

// readAudit returns a page of the events that match a filter. Most pages are full after few events, which are read first, because
// counting auditWindow events takes longer than reading a page.
func (t *Tracker) readAudit(q access.Queries, f store.AuditFilter, limit int) (page AuditPage, err error) {
	if f.Actors != nil && len(f.Actors) == 0 || f.Types != nil && len(f.Types) == 0 {
		return page, nil
	}
	few := min(4*limit, t.auditWindow)
	if page, err = readAuditWindow(q, f, limit, few); err != nil || len(page.Events) == limit || page.Older == "" {
		return page, err
	}
	return readAuditWindow(q, f, limit, t.auditWindow)
}

// readAuditWindow returns a page of the events that match a filter, of at most window events.
func readAuditWindow(q access.Queries, f store.AuditFilter, limit, window int) (page AuditPage, err error) {
	f.Limit = limit + 1
	end, err := q.EventBefore(f.OrgID, f.BeforeID, window)
	if err != nil {
		return page, err
	}
	if end > f.FromID {
		f.FromID = end
	} else {
		end = ""
	}
	page.Events, err = q.AuditEvents(f)
	switch {
	case len(page.Events) > limit:
		page.Events = page.Events[:limit]
		page.Older = page.Events[limit-1].ID
	case end != "":
		page.Older = end
	}
	return page, err
}

// auditFilter returns the filter for the requested events that the caller may read. It refuses a caller that may read none.
func auditFilter(q access.Queries, c access.Caller, in AuditQuery) (store.AuditFilter, error) {
	f := store.AuditFilter{OrgID: c.Organization.ID, UserID: c.ID, WorkspaceID: in.WorkspaceID, Key: strings.TrimSpace(in.Key),
		Address: strings.TrimSpace(in.Address), BeforeID: "~"}
	u, err := q.User(c.ID)
	if err != nil {
		return f, err
	}
	f.Organization = u.Role == api.RoleOwner || u.Role == api.RoleAdmin
	if f.Workspaces, err = c.AdministeredWorkspaces(q); err != nil {
		return f, err
	}
	if !f.Organization && len(f.Workspaces) == 0 {
		return f, api.NewProblem(api.CodeForbidden, "The audit log is for the admins of the organisation and of its workspaces.")
	}
	if in.Before != "" {
		f.BeforeID = in.Before
	}
	if in.Until != nil {
		f.BeforeID = min(f.BeforeID, id.Lowest(id.Event, *in.Until))
	}
	if in.Since != nil {
		f.FromID = id.Lowest(id.Event, *in.Since)
	}
	f.Types = auditTypes(in.Type)
	f.Actors, err = auditActors(q, c, in.Actor)
	return f, err
}

// auditTypes returns the types of events that a text names: one, or all whose first part it is; nil for an empty text.
func auditTypes(text string) []api.EventType {
	if text == "" {
		return nil
	}
	types := []api.EventType{}
	for _, e := range api.Events {
		if string(e.Type) == text || strings.HasPrefix(string(e.Type), text+".") {
			types = append(types, e.Type)
		}
	}
	return types
}

// auditActors returns the ids of the users whose names have a text, or who have it as e-mail address, and the text itself, which may
// be an id or a type of actor; nil for an empty text.
func auditActors(q access.Queries, c access.Caller, text string) ([]string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	actors := []string{text, strings.ToLower(text)}
	users, err := q.Users(c.Organization.ID)
	for _, u := range users {
		if strings.EqualFold(u.Email, text) || strings.Contains(strings.ToLower(u.Name), strings.ToLower(text)) {
			actors = append(actors, u.ID)
		}
	}
	return slices.Compact(actors), err
}

// auditLine is a line of a download of the audit log.
type auditLine struct {
	ID            string          `json:"id"`
	At            api.Time        `json:"at"`
	Type          api.EventType   `json:"type"`
	WorkspaceID   *string         `json:"workspaceId"`
	Actor         auditActor      `json:"actor"`
	RequestID     *string         `json:"requestId"`
	ClientAddress *string         `json:"clientAddress"`
	SubjectID     string          `json:"subjectId"`
	Data          json.RawMessage `json:"data"`
}

type auditActor struct {
	Type      string  `json:"type"`
	ID        *string `json:"id"`
	Name      string  `json:"name"`
	Email     string  `json:"email"`
	KeyID     *string `json:"keyId"`
	KeyName   string  `json:"keyName"`
	SessionID *string `json:"sessionId"`
}

func newAuditLine(e AuditEvent) auditLine {
	return auditLine{ID: e.ID, At: e.CreatedAt, Type: e.Type, WorkspaceID: e.WorkspaceID, RequestID: e.Request.ID,
		ClientAddress: e.Request.ClientAddress, SubjectID: e.SubjectID, Data: e.Data, Actor: auditActor{Type: e.Actor.Type, ID: e.Actor.ID,
			Name: e.ActorName, Email: e.ActorEmail, KeyID: e.Actor.KeyID, KeyName: e.KeyName, SessionID: e.Actor.SessionID}}
}

// ExportAuditLog writes the events of the audit log that the caller may read as lines of JSON, the newest first. The download is an
// event of the audit log itself. The rights of the caller are checked for each part of it.
func (t *Tracker) ExportAuditLog(ctx context.Context, c access.Caller, in AuditQuery, to io.Writer) error {
	err := access.Change(ctx, t.access, c, api.OpExportAuditLog, func(tx *access.Tx, c access.Caller) error {
		if _, err := auditFilter(tx.Queries, c, in); err != nil {
			return err
		}
		return t.recordAudit(tx, c, event{api.EventAuditLogExported, c.Organization.ID, c.Organization, nil})
	})
	if err != nil {
		return err
	}
	lines := json.NewEncoder(to)
	for {
		q := t.access.Read(ctx)
		if c, err = t.access.Reauthorize(ctx, c, api.OpExportAuditLog); err != nil {
			return err
		}
		f, err := auditFilter(q, c, in)
		if err != nil {
			return err
		}
		page, err := t.readAudit(q, f, auditBatch)
		if err != nil {
			return err
		}
		for _, e := range page.Events {
			if err := lines.Encode(newAuditLine(e)); err != nil {
				return err
			}
		}
		if page.Older == "" {
			return nil
		}
		in.Before = page.Older
	}
}
