// Package recoverycodes shows new recovery codes, once.
package recoverycodes

import (
	"embed"

	"bugslice/api"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("recoverycodes", folder)

type data struct {
	Codes []string
	Next  string
}

// Replace replaces the recovery codes of the user.
func Replace(q *page.Request) (page.Result, error) {
	made, err := page.Call(q, q.Tracker.ReplaceRecoveryCodes, api.ReplaceRecoveryCodes{})
	if page.HasCode(err, api.CodeConflict) {
		return page.Redirect("/settings/security", "no-factor")
	}
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, data{Codes: made.Codes, Next: "/settings/security"})
}
