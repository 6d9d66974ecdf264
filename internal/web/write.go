package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/gateway"
	"bugslice/internal/httpserver"
	"bugslice/internal/ratelimit"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
	"bugslice/internal/web/pages/problem"
	"bugslice/internal/web/pages/reports"
	"bugslice/internal/web/ui"
)

// write answers a request with the result of its handler.
func (a *App) write(w http.ResponseWriter, q *page.Request, at row, result page.Result) error {
	if result.Session != nil {
		a.cookies.signIn(w, *result.Session, q.Now)
	}
	if result.Step != "" {
		a.cookies.set(w, a.cookies.step, result.Step, stepAge)
	}
	if result.SignOut {
		a.cookies.remove(w, a.cookies.session)
	}
	if result.Attempt != "" {
		a.cookies.set(w, a.cookies.attempt, result.Attempt, 10*time.Minute)
	}
	if result.EndAttempt {
		a.cookies.remove(w, a.cookies.attempt)
	}
	if result.Notice != "" {
		a.cookies.set(w, a.cookies.notice, result.Notice, time.Minute)
	}
	if result.Live != nil {
		defer result.Live.Close()
		return writeLive(w, q.Request, result.Live)
	}
	if result.Location != "" {
		w.Header().Set("Location", result.Location)
		w.WriteHeader(redirection(q.Request))
		return nil
	}
	if result.Write != nil {
		return a.writeRaw(w, q, at, result)
	}
	return a.render(w, q, at, result)
}

// bounded returns the bounds of the answer. A post that succeeds has stored something, unless its row says that it
// reads.
func (a *App) bounded(q *page.Request, at row, result page.Result) gateway.Response {
	stored := q.Method == http.MethodPost && !at.reads && result.Status < http.StatusBadRequest
	return gateway.Response{Bounds: a.bounds, Context: q.Context(), To: httpserver.Info(q.Request), Caller: q.Caller(),
		Stored: stored}
}

// redirection returns the status of an answer that leads to another page: 204 for a script that does not want the page
// (RFC 7240).
func redirection(r *http.Request) int {
	if r.Method == http.MethodPost && r.Header.Get("Prefer") == "return=minimal" {
		return http.StatusNoContent
	}
	return http.StatusSeeOther
}

// pageMark is the header of a page, without which no script of a page makes elements of an answer. render alone sets
// it.
const pageMark = "Bugslice-Page"

// writeRaw writes an answer that is no page. Its row says so, because such a row refuses a script that asks for a page.
func (a *App) writeRaw(w http.ResponseWriter, q *page.Request, at row, result page.Result) error {
	if !at.raw {
		return errors.New("an answer that is no page needs a row that is raw")
	}
	return a.bounded(q, at, result).Stream(func() error { return result.Write(w, q.Request) })
}

// refusesScript answers a script that asks for a page with 406 where there is none. The script then lets the browser
// open the address.
func refusesScript(w http.ResponseWriter, r *http.Request, at row) bool {
	if !at.raw || r.Header.Get("HX-Request") == "" && r.Header.Get("HX-Request-Type") == "" {
		return false
	}
	setHeaders(w.Header(), at)
	w.WriteHeader(http.StatusNotAcceptable)
	return true
}

// render writes a page within the bounds of answers.
func (a *App) render(w http.ResponseWriter, q *page.Request, at row, result page.Result) error {
	v := a.view(w, q, at, result)
	size := 0
	if d, ok := result.Data.(page.Sized); ok {
		size = d.Size()
	}
	render := func() ([]byte, error) { return result.Page.RenderUntil(q.Context(), v) }
	return a.bounded(q, at, result).Render(size, render, func(body []byte) error {
		writePage(w, q, result, body)
		return nil
	})
}

// view returns what the templates of a page are executed with.
func (a *App) view(w http.ResponseWriter, q *page.Request, at row, result page.Result) *ui.View {
	address := q.URL.RequestURI()
	if q.Method == http.MethodPost {
		address = backTo(q.Request)
	}
	v := &ui.View{Path: at.path, URL: address, Data: result.Data, Now: q.Now, Zone: q.Zone(),
		RequestID: httpserver.Info(q.Request).ID, Insecure: a.Insecure, WithLink: at.access.hasAddress(),
		Part: wantsPart(q.Request), Shell: a.shell(q, at)}
	if v.Shell != nil && v.Shell.Theme != string(api.ThemeSystem) {
		v.Theme = v.Shell.Theme
	}
	if !at.access.hasAddress() && showsNotice(q.Request, result) {
		if text := a.cookies.read(q.Request, a.cookies.notice); text != "" {
			name, about, _ := strings.Cut(text, "?")
			v.Notice = name
			v.About, _ = url.ParseQuery(about)
			a.cookies.remove(w, a.cookies.notice)
		}
	}
	return v
}

// writePage writes a page that was rendered.
func writePage(w http.ResponseWriter, q *page.Request, result page.Result, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set(pageMark, "1")
	if result.RetryAfter > 0 {
		h.Set("Retry-After", ratelimit.Seconds(result.RetryAfter))
	}
	if q.Method == http.MethodPost {
		h.Set("HX-Push-Url", "false") // the page belongs to its form
	}
	if result.Status != 0 {
		w.WriteHeader(result.Status)
	}
	if q.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}

// wantsPart says whether a script puts the answer into a page that has the rest: into an element below its body.
func wantsPart(r *http.Request) bool {
	target := r.Header.Get("HX-Target")
	return r.Header.Get("HX-Request-Type") == "partial" || target != "" && target != "body"
}

// showsNotice returns whether a page shows the notice of the request before: a whole page that succeeds. A page about
// a problem, a form with faults and a fragment leave it to the next page.
func showsNotice(r *http.Request, result page.Result) bool {
	succeeds := result.Status == 0 || result.Status == http.StatusOK
	return succeeds && r.Method != http.MethodHead && r.Header.Get("HX-Request-Type") != "partial"
}

// shell returns what surrounds the page of a user, nil when nobody is signed in.
func (a *App) shell(q *page.Request, at row) *ui.Shell {
	if q.Session == nil || q.Session.Lacks {
		return nil
	}
	p := q.Session.Profile
	s := &ui.Shell{UserName: p.Name, UserEmail: p.Email, Portrait: p.Picture,
		Organization: q.Session.Caller.Organization.Name,
		Theme:        string(p.Theme), Shortcuts: p.Shortcuts, All: at.scope == anyWorkspace,
		Exists:    func(path string) bool { return a.offers(q, path) },
		Workspace: ui.Workspace{Key: q.Workspace.Key, Name: q.Workspace.Name},
		HasTests:  q.Workspace.HasTests, Unread: q.Unread,
		UserID: q.Session.Caller.ID, Position: positionOf(q.Workspaces)}
	if q.Session.AtProvider {
		s.SignInPath = tracker.ProviderPath + q.Session.Caller.Organization.ID
	}
	for _, v := range q.Views {
		s.Views = append(s.Views, savedView(q, v))
	}
	for _, space := range q.Spaces {
		s.Spaces = append(s.Spaces, spaceOf(q, space))
	}
	for i, w := range q.Workspaces {
		if i < ui.MaxSwitched || w.Key == q.Workspace.Key {
			s.Workspaces = append(s.Workspaces, ui.Workspace{Key: w.Key, Name: w.Name,
				Elsewhere: at.audience == workspaceAdmins && w.Role != api.RoleAdmin})
		}
	}
	s.MoreWorkspaces = len(s.Workspaces) < len(q.Workspaces)
	return s
}

// savedView returns a view of the sidebar. Its address selects the workspace of a view that has one, and else that of
// the page.
func savedView(q *page.Request, v api.View) ui.SavedView {
	values := url.Values{"view": {v.ID}, "q": {v.Query}}
	for _, w := range q.Workspaces {
		if v.WorkspaceID != nil && w.ID == *v.WorkspaceID {
			values.Set("workspace", w.Key)
		}
	}
	return ui.SavedView{ID: v.ID, Name: v.Name, Address: "/reports?" + values.Encode(), Shared: v.WorkspaceID != nil,
		Current: q.URL.Path == "/reports" && q.URL.Query().Get("view") == v.ID}
}

// spaceOf returns a space of the sidebar, which leads to what is active in it.
func spaceOf(q *page.Request, space api.Space) ui.SavedView {
	text := reports.SpaceText(space.Name)
	values := url.Values{"workspace": {q.Workspace.Key}, "q": {text}}
	return ui.SavedView{ID: space.ID, Name: space.Name, Address: "/reports?" + values.Encode(),
		Current: q.URL.Path == "/reports" && q.URL.Query().Get("q") == text && !q.URL.Query().Has("view")}
}

// writeError answers with the problem of an error. The cause of a failure of the service goes to the log alone.
func (a *App) writeError(w http.ResponseWriter, q *page.Request, at row, err error) {
	p, failed := tracker.ProblemOf(q.Context(), err)
	if failed {
		httpserver.Info(q.Request).Err = err
	}
	setHeaders(w.Header(), at) // the answer is a page, whatever it was to be
	a.writeProblem(w, q, at, p)
}

// WriteProblem answers with a problem that the server has found, before it is known who asks.
func (a *App) WriteProblem(w http.ResponseWriter, r *http.Request, p *api.Problem) {
	setHeaders(w.Header(), row{})
	a.writeProblem(w, &page.Request{Request: r, Now: a.Now()}, row{}, p)
}

func (a *App) writeProblem(w http.ResponseWriter, q *page.Request, at row, known *api.Problem) {
	p := *known
	if p.Status == http.StatusServiceUnavailable && p.RetryAfter == 0 {
		p.RetryAfter = time.Second
	}
	if wantsJSON(q.Request) {
		writeJSON(w, q.Request, &p, a.BaseURL)
		return
	}
	result := problem.About(&p, q.URL.Path, a.admins(q, at, p.Status)...) // is small, and needs no slot
	body, err := result.Page.Render(a.view(w, q, at, result))
	if err != nil {
		panic(err) // the template is at fault
	}
	writePage(w, q, result, body)
}

// admins returns the names of those who may see a page of a workspace that is refused to others.
func (a *App) admins(q *page.Request, at row, status int) []string {
	if status != http.StatusForbidden || at.audience != workspaceAdmins || q.Session == nil {
		return nil
	}
	names, err := a.Tracker.AdminNames(q.Context(), q.Session.Caller, q.Workspace.ID)
	if err != nil {
		return nil // the page says by role who they are
	}
	return names
}

// writeJSON answers an API client that asked for a page.
func writeJSON(w http.ResponseWriter, r *http.Request, p *api.Problem, baseURL string) {
	p.RequestID = httpserver.Info(r).ID
	p.Type = baseURL + "/docs#" + p.Code
	body, err := json.Marshal(p)
	if err != nil {
		panic(err) // a problem is plain data
	}
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if p.RetryAfter > 0 {
		h.Set("Retry-After", ratelimit.Seconds(p.RetryAfter))
	}
	w.WriteHeader(p.Status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}

// wantsJSON says whether a client is no browser: a browser that opens a page accepts HTML by name.
func wantsJSON(r *http.Request) bool {
	return !strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/html")
}
