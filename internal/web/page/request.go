// Package page is what the handlers of pages share: the request with its session, the result, forms, and the
// operations that they call.
package page

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/admission"
	"bugslice/internal/input"
	"bugslice/internal/oauth"
	"bugslice/internal/tracker"
	"bugslice/internal/web/ui"
)

// Handler answers a request for a page. An error becomes a page about the problem.
type Handler func(*Request) (Result, error)

// Request is a request for a page, by somebody who may see it.
type Request struct {
	*http.Request
	Tracker    *tracker.Tracker
	OAuth      *oauth.Server
	Setup      Setup
	Exports    Exports
	Client     Client
	Attempt    string        // the sealed sign-in at a provider that the browser has begun; empty without one
	Session    *Session      // nil when nobody is signed in
	Share      access.Caller // of a page that shows a share, or a report to its reporter
	Workspace  Workspace
	Workspaces []Workspace
	Views      []api.View  // that the reader sees in the sidebar
	Spaces     []api.Space // of the workspace: the first ones
	Unread     int         // reports of which the reader has unread notices, counted to tracker.MaxUnread
	BaseURL    string      // without a trailing slash
	Origins    []string    // whose pages may call the API; "*" for all
	Now        time.Time
	Browser    string                 // the name of the time zone of the browser, which may be wrong; empty when it is not known
	IsPage     func(path string) bool // whether a page can be opened at a path
	Files      *Files                 // of a posted form that may have some; nil for another one
	Memory     *admission.Reservation // of a posted form; nil for none
}

// Caller is who asks: somebody who is signed in, a reader of a share or of the page of a report, or a visitor without either.
func (q *Request) Caller() access.Caller {
	switch {
	case q.Session != nil:
		return q.Session.Caller
	case q.Share.Credential != nil:
		return q.Share
	}
	return access.Visitor(q.Client.Request)
}

// Call validates an input and carries out its operation for the user of a request.
func Call[In api.Input[Out], Out any](q *Request,
	method func(context.Context, access.Caller, input.Valid[In]) (Out, error), in In) (out Out, err error) {
	v, err := input.Check(in)
	if err != nil {
		return out, err
	}
	return method(q.Context(), q.Session.Caller, v)
}

// Zone is the time zone that the reader has chosen, or that of the browser.
func (q *Request) Zone() *time.Location {
	if q.Session != nil {
		if name := q.Session.Profile.TimeZone; name != "" {
			return zoneOf(name)
		}
	}
	return q.BrowserZone()
}

// BrowserZone is the time zone of the browser, or UTC while it is not known.
func (q *Request) BrowserZone() *time.Location { return zoneOf(q.Browser) }

// zoneOf returns UTC for a name that is no time zone. The zone of the server is never meant.
func zoneOf(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil || zone == time.Local {
		return time.UTC
	}
	return zone
}

// FindWorkspace returns the workspace of the user that has a key, or had it, in any case of its letters. It refuses
// another key with not_found.
func (q *Request) FindWorkspace(key string) (Workspace, error) {
	key, _, ok := api.ParseReference(key + "-1")
	if !ok {
		return Workspace{}, api.NotFound("workspace")
	}
	find := func(is func(Workspace) bool) (Workspace, bool) {
		i := slices.IndexFunc(q.Workspaces, is)
		if i < 0 {
			return Workspace{}, false
		}
		return q.Workspaces[i], true
	}
	if w, ok := find(func(w Workspace) bool { return w.Key == key }); ok {
		return w, nil
	}
	id, err := q.Tracker.WorkspaceOfKey(q.Context(), q.Session.Caller, key)
	if err != nil {
		return Workspace{}, err
	}
	w, ok := find(func(w Workspace) bool { return w.ID == id })
	if !ok {
		return w, api.NotFound("workspace")
	}
	return w, nil
}

// Result is the answer to a request: a page, or a redirect.
type Result struct {
	Page   *ui.Page
	Data   any
	Status int // 200 when zero

	// Write writes an answer that is no page; nil for a page. It opens what it reads, because it is not called when
	// the answer is refused by its bounds.
	Write func(http.ResponseWriter, *http.Request) error

	Location string // of a 303 in place of a page
	Notice   string // the name of the notice that the next page shows, with what it is about after a question mark: name?a=b

	RetryAfter time.Duration // when to try again; not said when 0

	Live *LiveStream // sent in place of a page, and closed

	Session *NewSession // its cookies are set
	Step    string      // of a sign-in that is not finished, for Client.Step; empty to leave that of the browser
	SignOut bool        // the cookie of the session is removed

	Attempt    string // the sealed sign-in at a provider that begins: its cookie is set; empty for none
	EndAttempt bool   // the cookie of such a sign-in is removed
}

// Sized is the data of a page that may be large. It knows before the page is rendered about how many bytes of HTML it
// will have.
type Sized interface{ Size() int }

// Show answers with a page.
func Show(p *ui.Page, data any) (Result, error) { return Result{Page: p, Data: data}, nil }

// Load shows what load reads.
func Load[D any](q *Request, p *ui.Page, load func(*Request) (D, error)) (Result, error) {
	data, err := load(q)
	if err != nil {
		return Result{}, err
	}
	return Show(p, data)
}

// Invalid answers with a form that has faults.
func Invalid(p *ui.Page, data any) (Result, error) {
	return Result{Page: p, Data: data, Status: http.StatusUnprocessableEntity}, nil
}

// Refused answers with a form, or the page of a record, that names why a change was refused.
func Refused(p *ui.Page, data any, status int) (Result, error) {
	return Result{Page: p, Data: data, Status: status}, nil
}

// Redirect answers with 303.
func Redirect(to, notice string) (Result, error) { return Result{Location: to, Notice: notice}, nil }

// Next returns the address that a request names as its next one, when it is the path of a page of this origin that
// can be opened and does not sign in; otherwise the home page.
func (q *Request) Next(text string) string {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "":
	case !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") || strings.ContainsAny(text, "\\\t\r\n"):
	case path.Clean(u.Path) != u.Path || u.Path == "/login" || strings.HasPrefix(u.Path, "/login/") ||
		!q.IsPage(u.Path):
	default:
		if u.Fragment == "" {
			return u.RequestURI()
		}
		return u.RequestURI() + "#" + u.EscapedFragment()
	}
	return "/"
}

// FinishSignIn answers with the session of somebody who signs in, or leads to the page that asks for the second factor.
// It ends the session that the browser had, since no cookie names that one any more.
func (q *Request) FinishSignIn(s NewSession, err error, next, notice string) (Result, error) {
	var waits *tracker.SecondFactorError
	if errors.As(err, &waits) {
		return Result{Location: "/login/second?next=" + url.QueryEscape(next), Step: waits.Step}, nil
	}
	if err != nil {
		return Result{}, err
	}
	if s.FactorsRemoved {
		notice = "factors-removed"
	}
	return Result{Location: next, Session: &s, Notice: notice}, q.EndFormerSession()
}

// EndFormerSession ends the session that the browser had before another one was opened in it, since no cookie names
// it any more.
func (q *Request) EndFormerSession() error {
	if q.Session == nil {
		return nil
	}
	_, err := Call(q, q.Tracker.EndSession, api.EndSession{SessionID: q.Session.ID})
	if HasCode(err, api.CodeUnauthorized, api.CodeNotFound) {
		return nil
	}
	return err
}

// LoadViews reads the views of the workspace, or of all workspaces without one, and those of the reader: first those
// of workspaces.
func (q *Request) LoadViews() error {
	in := api.ListViews{WorkspaceID: q.Workspace.ID, Paging: api.Paging{Limit: 100}}
	var alone []api.View
	for {
		v, err := input.Check(in)
		if err != nil {
			return err
		}
		listed, err := q.Tracker.ListViews(q.Context(), q.Session.Caller, v)
		if err != nil {
			return err
		}
		for _, view := range listed.Data {
			if view.WorkspaceID == nil {
				alone = append(alone, view)
			} else {
				q.Views = append(q.Views, view)
			}
		}
		if listed.Pagination.Cursor == nil {
			q.Views = append(q.Views, alone...)
			return nil
		}
		in.Cursor = *listed.Pagination.Cursor
	}
}

// LoadSpaces reads the first spaces of the workspace.
func (q *Request) LoadSpaces() error {
	if q.Workspace.ID == "" {
		return nil
	}
	listed, err := Call(q, q.Tracker.ListSpaces, api.ListSpaces{WorkspaceID: q.Workspace.ID,
		Paging: api.Paging{Limit: 100}})
	q.Spaces = listed.Data
	return err
}
