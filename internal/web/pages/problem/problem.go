// Package problem is the page about a request that was refused or has failed.
package problem

import (
	"embed"

	"bugslice/api"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("problem", folder)

// About returns the page about a problem.
func About(p *api.Problem) page.Result {
	return page.Result{Page: view, Data: p, Status: p.Status, RetryAfter: p.RetryAfter}
}
