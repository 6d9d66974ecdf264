package web

import (
	"regexp"

	"bugslice/internal/web/page"
	"bugslice/internal/web/pages/key"
	"bugslice/internal/web/pages/keys"
	"bugslice/internal/web/pages/login"
	"bugslice/internal/web/pages/newkey"
	"bugslice/internal/web/pages/profile"
	"bugslice/internal/web/pages/report"
	"bugslice/internal/web/pages/security"
	"bugslice/internal/web/pages/setup"
)

// access says who may see a page. The operations behind it authorise on their own.
type access int

const (
	anyone access = iota
	user          // somebody who is signed in
)

// row is a page. What has no row is not served.
type row struct {
	path      string
	title     string // of the page, in the menu and in the breadcrumb
	access    access
	workspace bool           // whether it shows one workspace, named by ?workspace=
	form      *regexp.Regexp // of the path, where its pattern says too little; nil otherwise
	get, post page.Handler   // nil for a method that is refused
}

// reference is the form of the reference of a report, such as WEB-161, also in small letters.
var reference = regexp.MustCompile(`^/[A-Za-z][A-Za-z0-9]{1,5}-[1-9][0-9]{0,12}$`)

// table has a row for each page.
var table = []row{
	{path: "/{$}", title: "Start", access: user, get: home},
	{path: "/login", title: "Sign in", access: anyone, get: login.Show, post: login.SignIn},
	{path: "/logout", title: "Sign out", access: anyone, post: login.SignOut},
	{path: "/setup/{token}", title: "Set up Bugslice", access: anyone, get: setup.Show, post: setup.SetUp},

	{path: "/{reference}", title: "Report", access: user, form: reference, get: report.Show},
	{path: "/slices/{reference}", title: "Report", access: user, get: report.Show},

	{path: "/settings", title: "Settings", access: user, get: home},
	{path: "/settings/profile", title: "Profile", access: user, get: profile.Show, post: profile.Save},
	{path: "/settings/profile/theme", title: "Theme", access: user, post: profile.SetTheme},
	{path: "/settings/security", title: "Security", access: user, get: security.Show},
	{path: "/settings/security/password", title: "Security", access: user, post: security.ChangePassword},
	{path: "/settings/security/sessions/end", title: "Security", access: user, post: security.EndOtherSessions},
	{path: "/settings/security/sessions/{sessionId}/end", title: "Security", access: user, post: security.EndSession},
	{path: "/settings/keys", title: "Integrations & API keys", access: user, get: keys.List, post: newkey.Create},
	{path: "/settings/keys/new", title: "New key", access: user, get: newkey.Show},
	{path: "/settings/keys/{keyId}", title: "API key", access: user, get: key.Show},
	{path: "/settings/keys/{keyId}/rotate", title: "Rotate key", access: user, post: key.Rotate},
	{path: "/settings/keys/{keyId}/revoke", title: "Revoke key", access: user, post: key.Revoke},
}

// home leads to the page that one starts with.
func home(*page.Request) (page.Result, error) { return page.Redirect("/settings/keys", "") }

// titles returns the titles of the pages that can be opened, by path.
func titles(rows []row) map[string]string {
	all := map[string]string{}
	for _, r := range rows {
		if r.get != nil {
			all[r.path] = r.title
		}
	}
	return all
}
