// Package ui renders pages: the layouts, the components, and the functions that templates call. All English of
// pages stands in templates, but that of notices, which have a table.
package ui

import (
	"bytes"
	"context"
	"embed"
	"html/template"
	"io/fs"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

//go:embed *.html components/*.html
var templates embed.FS

// View is what a layout and the template of a page are executed with.
type View struct {
	Page      string // the name of its folder, set by Render
	Path      string // of the row in the table of pages
	URL       string // path and query of the page, which can be opened
	Data      any
	Now       time.Time
	Zone      *time.Location
	Theme     string     // light or dark; empty to follow the system
	Notice    string     // the name of a notice about the request before
	About     url.Values // of the notice
	RequestID string
	Insecure  bool   // whether passwords travel in the clear
	WithLink  bool   // whether the page is for those who have its secret address
	Part      bool   // whether a script asks for what differs between pages alone
	Shell     *Shell // nil when nobody is signed in
}

// Shell is what surrounds the pages of somebody who is signed in.
type Shell struct {
	UserID              string
	UserName, UserEmail string
	SignInPath          string // where the user signs in without a password; empty for the page to sign in
	Portrait            string // the name of the picture of the user; empty for none
	Organization        string
	Theme               string
	Shortcuts           bool                   // whether single keys are commands
	Exists              func(path string) bool // whether the user may open a page at a path
	Workspaces          []Workspace            // at most MaxSwitched, and the selected one
	MoreWorkspaces      bool                   // whether the user has others
	Workspace           Workspace              // the one that is selected; zero for all
	All                 bool                   // whether the page can show all workspaces
	Views, Spaces       []SavedView            // of the sidebar; the spaces are those of the workspace
	HasTests            bool                   // whether runs of tests of the workspace were counted
	Unread              int                    // reports of which the user has unread notices
	Position            string                 // of the page in the logs of the workspaces, after which a live stream continues
}

// MaxSwitched is the number of workspaces in the workspace switcher. A search finds the others.
const MaxSwitched = 100

// Workspace is an entry of the workspace switcher. Elsewhere is whether the user may not see the page that is shown
// in it.
type Workspace struct {
	Key, Name string
	Elsewhere bool
}

// SavedView is a saved view of the sidebar, or a space.
type SavedView struct {
	ID, Name, Address string
	Shared, Current   bool // whether it is of a workspace; whether the page shows it
}

// Exists says whether there is a page at a path that the reader may open.
func (v *View) Exists(path string) bool { return v.Shell != nil && v.Shell.Exists(path) }

// Current returns the aria-current of a link to a path: page if the path is that of the page, true if the page is below
// the path. A list that shows a saved view, or a space, is the page of that alone.
func (v *View) Current(path string) string {
	switch {
	case v.Path == path && slices.ContainsFunc(slices.Concat(v.Shell.Views, v.Shell.Spaces),
		func(s SavedView) bool { return s.Current }):
	case v.Path == path:
		return "page"
	case strings.HasPrefix(v.Path, path+"/"),
		slices.ContainsFunc(tabs[path], func(tab string) bool { return v.Path == tab || strings.HasPrefix(v.Path, tab+"/") }):
		return "true"
	}
	return ""
}

// tabs are the paths of pages that a page shows as tabs beside itself.
var tabs = map[string][]string{
	"/settings/keys":    {"/settings/webhooks", "/settings/agents", "/settings/capture", "/settings/record"},
	"/settings/profile": {"/settings/notifications"},
	"/settings/people":  {"/settings/policies", "/settings/sign-in", "/settings/mail"},
}

// InSettings returns whether the page is one of the settings.
func (v *View) InSettings() bool { return strings.HasPrefix(v.Path, "/settings/") }

// UnreadText returns the number of reports with unread notices, as a title and a sidebar show it; empty for none.
func (s *Shell) UnreadText() string {
	switch {
	case s == nil || s.Unread == 0:
		return ""
	case s.Unread > 99:
		return "99+"
	}
	return strconv.Itoa(s.Unread)
}

// With returns the view for a component that shows a value in the time of the reader.
func (v *View) With(value any) Shown { return Shown{v, value} }

// Shown is a value with the view that it is shown in.
type Shown struct {
	View  *View
	Value any
}

// base returns the layouts and components.
var base = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(functions).ParseFS(templates, "*.html", "components/*.html"))
})

// Page is the templates of a page.
type Page struct {
	name     string
	template string       // that is executed
	size     atomic.Int64 // of the page that was rendered last

	// set makes the templates when the page is first rendered: a command that serves no page loads neither templates
	// nor icons.
	set func() *template.Template
}

// NewPage returns the page of page.html of a folder. Its first view panics when the file does not define title and
// content; it may define crumbs and action.
func NewPage(name string, folder fs.FS) *Page {
	return newPage(name, "document", func(set *template.Template) *template.Template {
		set = template.Must(set.ParseFS(folder, "page.html"))
		for _, part := range []string{"title", "content"} {
			if set.Lookup(part) == nil {
				panic("ui: the page " + name + " does not define " + part)
			}
		}
		return set
	})
}

// NewFragment returns a page that consists of a component alone. Its first view panics when there is no such component.
func NewFragment(name string) *Page {
	return newPage(name, name, func(set *template.Template) *template.Template {
		if set.Lookup(name) == nil {
			panic("ui: there is no component " + name)
		}
		return set
	})
}

// newPage returns a page that executes a template of the layouts and components, to which parse adds its own.
func newPage(name, executed string, parse func(*template.Template) *template.Template) *Page {
	return &Page{name: name, template: executed, set: sync.OnceValue(func() *template.Template {
		set := parse(template.Must(base().Clone()))
		inlineIcons(set)
		return set
	})}
}

// maxGrown is the most memory that a page gets before it is rendered, whatever the one before had.
const maxGrown = 1 << 20

// Render executes the layout of a page, or its component.
func (p *Page) Render(v *View) ([]byte, error) { return p.RenderUntil(context.Background(), v) }

// RenderUntil is Render that ends with its context: nothing is rendered for somebody who has left.
func (p *Page) RenderUntil(ctx context.Context, v *View) ([]byte, error) {
	b := rendering{ctx: ctx}
	b.Grow(int(min(p.size.Load(), maxGrown)))
	v.Page = p.name
	if err := p.set().ExecuteTemplate(&b, p.template, v); err != nil {
		return nil, err
	}
	p.size.Store(int64(b.Len()))
	return b.Bytes(), nil
}

// rendering is what was rendered of a page. It refuses more when its context has ended.
type rendering struct {
	bytes.Buffer
	ctx context.Context
}

// Write implements io.Writer.
func (r *rendering) Write(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Buffer.Write(p)
}
