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

type data struct {
	*api.Problem
	Admins []string // who may see the page; empty when they are not known
}

// About returns the page about a problem, with the names of those who may see what is refused.
func About(p *api.Problem, admins ...string) page.Result {
	return page.Result{Page: view, Data: data{p, admins}, Status: p.Status, RetryAfter: p.RetryAfter}
}
