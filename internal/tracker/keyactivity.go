package tracker

import (
	"context"
	"slices"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
)

// Activity is an event that a key caused.
type Activity struct {
	At      api.Time
	Type    api.EventType
	Subject string // what the event is about: a reference or a name
	Path    string // of the subject's page; empty without one
	Address string
}

const (
	activityEvents = 50 // that KeyActivity returns
	activityPages  = 20 // of as many events, that KeyActivity reads at most
)

// KeyActivity returns the newest events that a key caused, newest first. The caller must see the key, and now see the
// subject of each event. Events before the newest 1,000 of the key are not read.
func (t *Tracker) KeyActivity(ctx context.Context, c access.Caller, keyID string) ([]Activity, error) {
	if err := c.Allow(api.OpGetKey); err != nil {
		return nil, err
	}
	q := t.access.Read(ctx)
	if _, err := c.StoredKey(q, keyID); err != nil {
		return nil, err
	}
	roles, err := rolesOfCaller(q, c)
	if err != nil {
		return nil, err
	}
	var shown []Activity
	before := "~" // after every id
	for range activityPages {
		events, err := q.KeyEvents(keyID, before, activityEvents)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			if len(shown) < activityEvents && seesSubject(c, e, roles) {
				shown = append(shown, showActivity(e))
			}
		}
		if len(events) < activityEvents || len(shown) == activityEvents {
			break
		}
		before = events[len(events)-1].ID
	}
	return shown, nil
}

// roles returns the caller's role in each workspace that it sees.
func rolesOfCaller(q access.Queries, c access.Caller) (map[string]api.Role, error) {
	if c.Type == access.ServiceCaller {
		return map[string]api.Role{c.WorkspaceID: api.RoleAdmin}, nil
	}
	memberships, err := c.Memberships(q)
	roles := make(map[string]api.Role, len(memberships))
	for _, m := range memberships {
		roles[m.WorkspaceID] = m.Role
	}
	return roles, err
}

// seesSubject reports whether the caller may read the subject of an event: a PAT of its own, a record of a workspace
// that it sees, or, of those that are for admins, of a workspace that it administers.
func seesSubject(c access.Caller, e store.KeyEvent, roles map[string]api.Role) bool {
	info, ok := api.EventOf(e.Type)
	if !ok || !slices.Contains(c.Scopes, subjectScope(info)) {
		return false
	}
	if e.OwnerID != "" {
		return c.Type == access.UserCaller && e.OwnerID == c.ID
	}
	role := roles[e.WorkspaceID]
	switch info.Subject {
	case "slice", "comment", "attachment", "share", "workspace", "space":
		return role != ""
	}
	return role == api.RoleAdmin
}

// subjectScope returns the scope that reads the subject of an event, also of one of the audit log.
func subjectScope(info api.EventInfo) api.Scope {
	switch {
	case info.Scope != "":
		return info.Scope
	case info.Subject == "workspace":
		return api.WorkspacesRead
	case info.Subject == "webhook" || info.Subject == "delivery":
		return api.WebhooksManage
	}
	return api.KeysManage
}

func showActivity(e store.KeyEvent) Activity {
	a := Activity{At: e.At, Type: e.Type, Subject: e.Name, Address: e.ClientAddress}
	info, _ := api.EventOf(e.Type)
	switch {
	case e.Name == "": // it is purged
		a.Subject = e.SubjectID
	case e.Number != 0:
		reference := api.Reference(e.WorkspaceKey, e.Number)
		a.Subject, a.Path = reference+" "+e.Name, "/"+reference
	case info.Subject == "apiKey":
		a.Path = "/settings/keys/" + e.SubjectID
	}
	if e.Ended && info.Subject != "apiKey" {
		a.Path = ""
	}
	return a
}
