package demo

import (
	"context"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
)

// sampleKey is an API key that the owner of the demo has created.
type sampleKey struct {
	Name            string
	Type            api.KeyType
	Scopes          []api.Scope
	Days            int    // until it expires; never when 0
	Address, Client string // of its last use; never used when empty
	Rotated         bool   // and its former token still works
}

var sampleKeys = []sampleKey{
	{Name: "Mara's laptop", Type: api.PAT, Scopes: api.AllScopes(), Address: "203.0.113.24", Client: "curl/8.14.1",
		Days: 365},
	{Name: "Triage agent", Type: api.PAT,
		Scopes: []api.Scope{api.SlicesRead, api.SlicesWrite, api.WorkspacesRead, api.UserRead},
		Days:   5, Address: "198.51.100.7", Client: "triage-agent/1.4"},
	{Name: "Nightly smoke tests", Type: api.WST, Scopes: []api.Scope{api.SlicesRead, api.SlicesWrite}, Days: 90,
		Address: "192.0.2.61", Client: "Playwright/1.61"},
	{Name: "Status page", Type: api.WST, Scopes: []api.Scope{api.SlicesRead}, Days: 180, Rotated: true},
	{Name: "Monday report", Type: api.PAT, Scopes: []api.Scope{api.SlicesRead, api.WorkspacesRead}, Days: 30,
		Address: "203.0.113.24", Client: "report.py/1.2"},
}

// fillKeys creates the sample keys. Those of a workspace belong to the given one.
func (f filler) fillKeys(ctx context.Context, token, workspaceID string) error {
	owner, err := f.t.Authenticate(ctx, token)
	if err != nil {
		return err
	}
	for _, k := range sampleKeys {
		if err := f.fillKey(ctx, owner, k, workspaceID); err != nil {
			return err
		}
	}
	return nil
}

func (f filler) fillKey(ctx context.Context, owner access.Caller, k sampleKey, workspaceID string) error {
	fields := api.KeyFields{Name: k.Name, Type: k.Type, Scopes: k.Scopes}
	if k.Type == api.WST {
		fields.WorkspaceID = &workspaceID
	}
	if k.Days > 0 {
		fields.ExpiresAt = new(api.At(f.now.Add(time.Duration(k.Days) * 24 * time.Hour)))
	}
	created, err := call(ctx, owner, f.t.CreateKey, api.CreateKey{Body: fields})
	if err != nil {
		return err
	}
	if k.Rotated {
		week := api.RotateKey{KeyID: created.ID, Body: &api.RotateFields{GracePeriodSeconds: 7 * 24 * 3600}}
		if created, err = call(ctx, owner, f.t.RotateKey, week); err != nil {
			return err
		}
	}
	if k.Client == "" {
		return nil
	}
	return f.noteUse(ctx, created.Token, k.Address, k.Client)
}

// noteUse records that a key was used from an address by a client.
func (f filler) noteUse(ctx context.Context, token, address, client string) error {
	user, err := f.t.Authenticate(ctx, token)
	if err != nil {
		return err
	}
	user.Request.ClientAddress = address
	f.t.NoteUse(user, client)
	return nil
}
