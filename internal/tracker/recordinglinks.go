package tracker

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/store/recordings"
	"bugslice/internal/token"
)

const (
	maxRecordingLinks       = 100 // of a workspace
	defaultRecordingLinkAge = 7 * 24 * time.Hour
	maxRecordingLinkAge     = 30 * 24 * time.Hour
)

// ListRecordingLinks lists the recording links that the caller may revoke and that have not expired, oldest first.
func (t *Tracker) ListRecordingLinks(ctx context.Context, c access.Caller, v input.Valid[api.ListRecordingLinks]) (
	api.Page[api.RecordingLink], error,
) {
	in, err := v.Value(c.Allow(api.OpListRecordingLinks))
	if err != nil {
		return api.Page[api.RecordingLink]{}, err
	}
	l := listing[api.RecordingLink]{operation: api.OpListRecordingLinks, parameters: in, paging: in.Paging}
	return listPage(t, c, l.byID(func(l api.RecordingLink) string { return l.ID },
		func(afterID string, limit int) ([]api.RecordingLink, error) {
			rows, err := t.recordingLinks(t.access.Read(ctx), c, in.WorkspaceID, linkPage{afterID, limit})
			return convert(rows, t.showRecordingLink), err
		}))
}

// linkPage is a page of a list of recording links.
type linkPage struct {
	afterID string
	limit   int
}

// recordingLinks returns the links of a workspace, or of all of the caller when it is empty, that the caller may revoke.
func (t *Tracker) recordingLinks(q access.Queries, c access.Caller, workspaceID string, page linkPage) ([]recordings.Link, error) {
	all, err := c.ListedWorkspaces(q, workspaceID)
	if err != nil {
		return nil, err
	}
	shown := recordings.Shown{UserID: c.ID}
	for _, w := range all {
		role, err := c.RoleIn(q, w)
		switch {
		case err != nil:
			return nil, err
		case role == api.RoleAdmin:
			shown.Workspaces = append(shown.Workspaces, w)
		case c.Type == access.UserCaller:
			shown.Within = append(shown.Within, w)
		}
	}
	return q.Recordings().Links(shown, page.afterID, t.clock(), page.limit)
}

// showRecordingLink returns a stored link as the API shows it.
func (t *Tracker) showRecordingLink(l recordings.Link) api.RecordingLink {
	l.Active = access.RecordingLinkWorks(l, t.clock()) && l.Reports < l.MaxReports
	return l.RecordingLink
}

// RecordingLinkRow is a link in the list of a workspace.
type RecordingLinkRow struct {
	api.RecordingLink
	Creator string // the name of the user, or else of the key, that created it
}

// WorkspaceRecordingLinks returns the links of a workspace that the caller may revoke, oldest first.
func (t *Tracker) WorkspaceRecordingLinks(ctx context.Context, c access.Caller, workspaceID string) ([]RecordingLinkRow, error) {
	if err := c.Allow(api.OpListRecordingLinks); err != nil {
		return nil, err
	}
	rows, err := t.recordingLinks(t.access.Read(ctx), c, workspaceID, linkPage{limit: maxRecordingLinks})
	return convert(rows, func(l recordings.Link) RecordingLinkRow {
		return RecordingLinkRow{t.showRecordingLink(l), l.Creator.Name}
	}), err
}

// CreateRecordingLink creates a link into a workspace the caller sees. It refuses the operator, because a link ends with the rights of
// its creator.
func (t *Tracker) CreateRecordingLink(ctx context.Context, c access.Caller, v input.Valid[api.CreateRecordingLink]) (
	api.CreatedRecordingLink, error,
) {
	var none api.CreatedRecordingLink
	in, err := v.Value(c.Allow(api.OpCreateRecordingLink))
	if err != nil {
		return none, err
	}
	workspaceID, err := c.WorkspaceOrOwn(t.access.Read(ctx), in.Body.WorkspaceID)
	if err != nil {
		return none, err
	}
	r, err := t.redactorForMember(ctx, c, workspaceID)
	if err != nil {
		return none, err
	}
	fields := in.Body.RecordingLinkFields
	if err := checkSite(fields.SiteURL); err != nil {
		return none, err
	}
	if err := redactFields(r, &fields, nil); err != nil {
		return none, err
	}
	return access.Write(ctx, t.access, c, api.OpCreateRecordingLink, func(tx *access.Tx, c access.Caller) (
		api.CreatedRecordingLink, error,
	) {
		if _, err := c.RoleIn(tx.Queries, workspaceID); err != nil {
			return none, err
		}
		return idempotent(t, tx, c, in, func() (api.CreatedRecordingLink, error) {
			l := recordings.Link{}
			l.ID, l.WorkspaceID, l.RecordingLinkFields, l.CreatedBy = id.New(id.Recording), workspaceID, fields, creator(c)
			l.Active, l.CreatedAt = true, t.clock()
			if l.MaxReports == 0 {
				l.MaxReports = 1
			}
			if l.CreatedBy == (api.KeyMaker{}) {
				return none, api.NewProblem(api.CodeForbidden, "Only a user or a service can ask for a recording.")
			}
			if l.ExpiresAt, err = linkExpiry(in.Body.ExpiresAt, l.CreatedAt); err != nil {
				return none, err
			}
			return t.insertRecordingLink(tx, c, l)
		})
	})
}

// linkExpiry returns the expiry of a new link, by default after defaultRecordingLinkAge. It refuses one in the past or after
// maxRecordingLinkAge.
func linkExpiry(requested *api.Time, now api.Time) (api.Time, error) {
	switch {
	case requested == nil:
		return api.At(now.Add(defaultRecordingLinkAge)), nil
	case !now.Before(requested.Time):
		return api.Time{}, api.InvalidMember("/expiresAt", "in_the_past", "expiresAt must be in the future")
	case requested.Sub(now.Time) > maxRecordingLinkAge:
		return api.Time{}, api.InvalidMember("/expiresAt", "too_far", "a recording link can last for at most 30 days")
	}
	return *requested, nil
}

// checkSite refuses what is no address of a site, and one with a user or a fragment: the page of the link puts its own fragment there.
func checkSite(site *string) error {
	if site == nil {
		return nil
	}
	u, err := url.Parse(*site)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || u.Fragment != "" {
		return api.InvalidMember("/siteUrl", "not_a_site",
			"must be the address of a page, such as https://shop.example.com/cart, without a user and a fragment")
	}
	return nil
}

// insertRecordingLink stores a link with a new token, and records that.
func (t *Tracker) insertRecordingLink(tx *access.Tx, c access.Caller, l recordings.Link) (api.CreatedRecordingLink, error) {
	var none api.CreatedRecordingLink
	if _, err := tx.LockWorkspaceCounters(l.WorkspaceID); err != nil { // so that creations run one after another
		return none, err
	}
	n, err := tx.Queries.Recordings().Count(l.WorkspaceID, l.CreatedAt)
	if err == nil && n >= maxRecordingLinks {
		err = api.NewProblem(api.CodeTooManyLinks,
			fmt.Sprintf("A workspace may have %d recording links. Revoke one first.", maxRecordingLinks))
	}
	if err != nil {
		return none, err
	}
	text := token.New(token.Recording)
	if err := tx.Recordings().Insert(l, token.Hash(text)); err != nil {
		return none, err
	}
	return api.CreatedRecordingLink{RecordingLink: l.RecordingLink, URL: t.baseURL + "/record/" + text},
		t.recordLink(tx, c, l, api.EventLinkCreated)
}

func (t *Tracker) recordLink(tx *access.Tx, c access.Caller, l recordings.Link, kind api.EventType) error {
	return t.recordWorkspaceAudit(tx, c, l.WorkspaceID, event{Type: kind, ID: l.ID, Subject: l.RecordingLink})
}

// RevokeRecordingLink deletes a link that the caller has created, or of a workspace that the caller administers.
func (t *Tracker) RevokeRecordingLink(ctx context.Context, c access.Caller, v input.Valid[api.RevokeRecordingLink]) (api.Nothing, error) {
	in, err := v.Value(c.Allow(api.OpRevokeRecordingLink))
	if err != nil {
		return api.Nothing{}, err
	}
	return access.Write(ctx, t.access, c, api.OpRevokeRecordingLink, func(tx *access.Tx, c access.Caller) (api.Nothing, error) {
		l, err := c.OwnRecordingLink(tx.Queries, in.RecordingLinkID)
		if err == nil {
			err = access.MaskNotFound(tx.Recordings().Delete(l.ID), "recording link")
		}
		if err != nil {
			return api.Nothing{}, err
		}
		l.Active = false
		return api.Nothing{}, t.recordLink(tx, c, l, api.EventLinkRevoked)
	})
}
