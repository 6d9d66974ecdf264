package tracker

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// auditPage is a page of the audit log as it is stored.
type auditPage struct {
	Events []store.AuditEvent
	Older  string
}

const auditBatch = 500 // events of a download that are read at once

// ListAuditLog returns events of the audit log that the caller may read: those of the workspaces that it administers,
// and for an owner or admin of the organisation those of no workspace. A page that reads auditWindow events ends
// there, with fewer events.
func (t *Tracker) ListAuditLog(ctx context.Context, c access.Caller, v input.Valid[api.ListAuditLog]) (
	api.AuditPage, error,
) {
	in, err := v.Value(c.Allow(api.OpListAuditLog))
	if err != nil {
		return api.AuditPage{}, err
	}
	q := t.access.Read(ctx)
	f, err := auditFilter(q, c, in.AuditFilters, in.Before)
	if err != nil {
		return api.AuditPage{}, err
	}
	page, err := t.readAudit(q, f, in.Limit)
	return api.AuditPage{Events: convert(page.Events, showAuditEvent), Older: page.Older}, err
}

// readAudit returns a page of the events that match a filter. Most pages are full after few events, which are read
// first, because counting auditWindow events takes longer than reading a page.
func (t *Tracker) readAudit(q access.Queries, f store.AuditFilter, limit int) (page auditPage, err error) {
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
func readAuditWindow(q access.Queries, f store.AuditFilter, limit, window int) (page auditPage, err error) {
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

// auditFilter returns the filter for the requested events that the caller may read. It refuses a caller that may read
// none.
func auditFilter(q access.Queries, c access.Caller, in api.AuditFilters, before string) (store.AuditFilter, error) {
	f := store.AuditFilter{OrgID: c.Organization.ID, UserID: c.ID, WorkspaceID: in.WorkspaceID,
		Key:     strings.TrimSpace(in.Key),
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
		return f, api.NewProblem(api.CodeForbidden,
			"The audit log is for the admins of the organisation and of its workspaces.")
	}
	if before != "" {
		f.BeforeID = before
	}
	if in.Until != nil {
		f.BeforeID = min(f.BeforeID, id.Lowest(id.Event, in.Until.Time))
	}
	if in.Since != nil {
		f.FromID = id.Lowest(id.Event, in.Since.Time)
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

// auditActors returns the ids of the users whose names have a text, or who have it as e-mail address, and the text
// itself, which may be an id or a type of actor; nil for an empty text.
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

// showAuditEvent returns an event as the audit log shows it.
func showAuditEvent(e store.AuditEvent) api.AuditEvent {
	return api.AuditEvent{ID: e.ID, At: e.CreatedAt, Type: e.Type, WorkspaceID: e.WorkspaceID, RequestID: e.Request.ID,
		ClientAddress: e.Request.ClientAddress, SubjectID: e.SubjectID, SubjectKind: e.SubjectKind,
		SubjectName: e.SubjectName, Data: e.Data,
		Actor: api.AuditActor{Type: e.Actor.Type, ID: e.Actor.ID, Name: e.ActorName, Email: e.ActorEmail,
			KeyID:   e.Actor.KeyID,
			KeyName: e.KeyName, KeyLast4: e.KeyLast4, SessionID: e.Actor.SessionID}}
}

// ExportAuditLog writes the events of the audit log that the caller may read as lines of JSON, the newest first. The
// download is an event of the audit log itself. The rights of the caller are checked for each part of it.
func (t *Tracker) ExportAuditLog(ctx context.Context, c access.Caller, v input.Valid[api.ExportAuditLog],
	to io.Writer) error {
	in, err := v.Value(c.Allow(api.OpExportAuditLog))
	if err != nil {
		return err
	}
	err = access.Change(ctx, t.access, c, api.OpExportAuditLog, func(tx *access.Tx, c access.Caller) error {
		if _, err := auditFilter(tx.Queries, c, in.AuditFilters, ""); err != nil {
			return err
		}
		return t.recordAudit(tx, c, event{Type: api.EventAuditLogExported, ID: c.Organization.ID,
			Subject: c.Organization})
	})
	if err != nil {
		return err
	}
	lines, before := json.NewEncoder(to), ""
	for {
		q := t.access.Read(ctx)
		if c, err = t.access.Reauthorize(ctx, c, api.OpExportAuditLog); err != nil {
			return err
		}
		f, err := auditFilter(q, c, in.AuditFilters, before)
		if err != nil {
			return err
		}
		page, err := t.readAudit(q, f, auditBatch)
		if err != nil {
			return err
		}
		for _, e := range page.Events {
			if err := lines.Encode(showAuditEvent(e)); err != nil {
				return err
			}
		}
		if page.Older == "" {
			return nil
		}
		before = page.Older
	}
}
