package demo

import (
	"context"
	_ "embed"
	"encoding/json"

	"bugslice/api"
	"bugslice/internal/tracker"
)

//go:embed evidence.json
var evidence []byte

const steps = `1. Put a kettle and two mugs in the cart
2. Open the checkout
3. Enter the code of the autumn campaign and press **Apply**

Expected: the page says that the campaign is over. Actual: nothing happens, and **Order** stays grey.`

// fillEvidence files one report as a tool does, with the evidence that it captured and a comment, and returns its id.
func fillEvidence(ctx context.Context, t *tracker.Tracker, token, workspaceID string) (sliceID string, err error) {
	owner, err := t.Authenticate(ctx, token)
	if err != nil {
		return "", err
	}
	var captured api.Evidence
	if err := json.Unmarshal(evidence, &captured); err != nil {
		return "", err
	}
	fields := api.SliceFields{Summary: "Checkout stops when a discount code has run out", Description: new(steps),
		Priority: new(api.Priority("high")), Severity: new(api.Severity("major")), Labels: []string{"checkout", "captured"},
		SourceURL: new("https://shop.northwind.example/checkout"),
		Environment: api.Environment{Browser: new("Chrome 156"), OS: new("Windows 11"), Viewport: new("1280x800"),
			Release: new("2026.11.3")}}
	s, err := call(ctx, owner, t.CreateSlice, api.CreateSlice{Body: api.NewSlice{WorkspaceID: &workspaceID, SliceFields: fields,
		Fingerprint: new("TypeError@checkout.js:7"), Evidence: &captured}})
	if err != nil {
		return "", err
	}
	_, err = call(ctx, owner, t.CreateComment, api.CreateComment{SliceID: s.ID, Body: api.CommentFields{
		Body: "`discount` is null once a campaign is over. `percentOf` should not be called then."}})
	return s.ID, err
}
