package demo

import (
	"context"
	_ "embed"
	"encoding/json"

	"bugslice/api"
	"bugslice/internal/tracker"
)

//go:embed evidence.json
var captured []byte

// fillEvidence files one report as a tool would, with what it captured, has a colleague answer,
// and returns its id.
func fillEvidence(ctx context.Context, t *tracker.Tracker, token, workspaceID string) (string, error) {
	owner, err := t.Authenticate(ctx, token)
	if err != nil {
		return "", err
	}
	var e api.Evidence
	if err := json.Unmarshal(captured, &e); err != nil {
		return "", err
	}
	high, major := api.Priority("high"), api.Severity("major")
	steps := "1. Put a kettle and two mugs in the cart\n2. Open the checkout\n3. Enter the code of the autumn campaign and press **Apply**\n\nExpected: the page says that the campaign is over. Actual: nothing happens, and **Order** stays grey."
	fields := api.SliceFields{Summary: "Checkout stops when a discount code has run out", Description: &steps, Priority: &high, Severity: &major,
		Labels: []string{"checkout", "captured"}, SourceURL: text("https://shop.northwind.example/checkout"), Environment: api.Environment{Browser: text("Chrome 156"), OS: text("Windows 11"), Viewport: text("1280x800"), Release: text("2026.11.3")}}
	s, err := call(ctx, owner, t.CreateSlice, api.CreateSlice{Body: api.NewSlice{WorkspaceID: &workspaceID, SliceFields: fields, Fingerprint: text("TypeError@checkout.js:7"), Evidence: &e}})
	if err != nil {
		return "", err
	}
	_, err = call(ctx, owner, t.CreateComment, api.CreateComment{SliceID: s.ID, Body: api.CommentFields{Body: "`discount` is null once a campaign is over. `percentOf` should not be called then."}})
	return s.ID, err
}
