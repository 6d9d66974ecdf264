// Package problem is the page about a request that was refused or has failed.
package problem

import (
	"embed"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

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
	Search string   // what the path may have meant, to be searched for; empty for nothing
}

// About returns the page about a problem of a request for a path, with the names of those who may see what is refused.
func About(p *api.Problem, path string, admins ...string) page.Result {
	d := data{Problem: p, Admins: admins}
	if p.Status == http.StatusNotFound {
		d.Search = searched(path)
	}
	return page.Result{Page: view, Data: d, Status: p.Status, RetryAfter: p.RetryAfter}
}

// maxSearched is the length of a path's part that is searched for, in bytes. Tokens of links are longer.
const maxSearched = 24

// searched returns the words of the last part of a path; nothing for an identifier, and for a part that is long or no
// text.
func searched(path string) string {
	text := strings.Trim(path, "/")
	text = text[strings.LastIndexByte(text, '/')+1:]
	if len(text) > maxSearched || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) ||
		strings.Contains(text, "_") {
		return ""
	}
	return text
}
