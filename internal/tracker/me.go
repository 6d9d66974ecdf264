package tracker

import (
	"context"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
)

// GetMe returns the caller.
func (t *Tracker) GetMe(_ context.Context, c access.Caller, v input.Valid[api.GetMe]) (api.Me, error) {
	if _, err := v.Value(c.Allow(api.OpGetMe)); err != nil {
		return api.Me{}, err
	}
	k, _ := c.Credential.(access.Key)
	me := api.Me{Type: string(c.Type), ID: c.ID, Name: c.Name, Organization: c.Organization,
		Key: api.KeyRef{ID: k.ID, Name: k.Name, Type: k.Type, Scopes: c.Scopes, ExpiresAt: c.ExpiresAt,
			WithholdGuests: k.WithholdGuests, FilesOnly: k.FilesOnly}}
	if c.WorkspaceID != "" {
		me.Key.WorkspaceID = &c.WorkspaceID
	}
	if c.Email != "" {
		me.Email = &c.Email
	}
	return me, nil
}
