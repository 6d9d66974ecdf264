package web

import (
	"errors"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/admission"
	"bugslice/internal/blob"
	"bugslice/internal/httpserver"
	"bugslice/internal/web/page"
	"bugslice/internal/web/pages/confirm"
)

// Bounds of a posted form without files: of somebody who is signed in, and of strangers.
const (
	maxForm          = 256 << 10 // bytes
	maxStrangersForm = 8 << 10
	formTime         = 10 * time.Minute // to arrive
	strangersTime    = 30 * time.Second
)

// serve returns the handler of a page for one method.
func (a *App) serve(at row, h page.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		httpserver.Info(r).Operation = at.path
		if refusesScript(w, r, at) {
			return
		}
		setHeaders(w.Header(), at)
		if at.headers != nil {
			at.headers(w.Header())
		}
		q, err := a.request(w, r, at)
		if q.Memory != nil {
			defer q.Memory.Release()
		}
		var result page.Result
		switch {
		case err != nil:
		case q.Session == nil && at.access == user:
			result, err = signInFirst(q)
		case lacksFactor(q, at):
			result, err = setUpFirst(q)
		default:
			result, err = a.run(w, q, at, h)
		}
		if q.Files != nil {
			q.Files.Close()
		}
		if err == nil {
			err = a.write(w, q, at, result)
		}
		if errors.Is(err, page.ErrProofNeeded) { // of the handler or of its answer, of which nothing is written then
			setHeaders(w.Header(), at)
			if result, err = a.askProof(q, nil); err == nil {
				err = a.write(w, q, at, result)
			}
		}
		if err != nil {
			a.writeError(w, q, at, err)
		}
	})
}

// isText says whether a path can name a record: no database stores other bytes as text.
func isText(path string) bool { return utf8.ValidString(path) && !strings.ContainsRune(path, 0) }

// request returns a request with its session or share, its form and its workspace. Nothing of the body is read before
// the credential is known and the rate of its owner is counted.
func (a *App) request(w http.ResponseWriter, r *http.Request, at row) (*page.Request, error) {
	info := httpserver.Info(r)
	q := &page.Request{Request: r, Tracker: a.Tracker, OAuth: a.OAuth, Setup: a.Setup, Exports: a.Exports,
		Attempt: a.cookies.read(r, a.cookies.attempt), BaseURL: a.BaseURL, Origins: a.Origins, Now: a.Now(),
		IsPage: a.isPage, Browser: a.cookies.read(r, zoneCookie),
		Client: page.Client{Request: access.Request{ID: info.ID, ClientAddress: info.Client.String()},
			Address: info.Client, UserAgent: r.UserAgent()}}
	if err := a.identify(q, at); err != nil {
		return q, err
	}
	if at.access == withLink || at.access == user && q.Session == nil {
		return q, nil
	}
	if err := a.readForm(w, q, at); err != nil || q.Session == nil || q.Session.Lacks {
		return q, err
	}
	if !at.raw {
		a.cookies.keepTheme(w, q)
	}
	if err := a.selectWorkspace(w, q, at); err != nil {
		return q, err
	}
	if err := q.LoadSpaces(); err != nil {
		return q, err
	}
	if err := q.LoadViews(); err != nil || r.Header.Get("HX-Request-Type") == "partial" {
		return q, err
	}
	var err error
	q.Unread, err = a.Tracker.CountUnread(r.Context(), q.Session.Caller)
	return q, err
}

// identify finds the session or the share of a request, and counts the request.
func (a *App) identify(q *page.Request, at row) (err error) {
	switch at.access {
	case withLink:
		q.Share, err = a.Tracker.OpenShare(q.Context(), q.Client, q.PathValue("token"))
	case withPage:
		q.Share, err = a.Tracker.Visitors().OpenPage(q.Context(), q.Client, q.PathValue("secret"))
	default:
		q.Client.Device = a.cookies.read(q.Request, a.cookies.device)
		q.Client.Step = a.cookies.read(q.Request, a.cookies.step)
		err = a.resume(q, a.cookies.read(q.Request, a.cookies.session))
	}
	if refused := a.rates.count(q); refused != nil {
		return refused
	}
	return err
}

// readForm reads a posted form, which must be one of HTML. Its bytes are reserved for its sender as they arrive. Its
// files are not read.
func (a *App) readForm(w http.ResponseWriter, q *page.Request, at row) (err error) {
	if q.Method != http.MethodPost {
		return nil
	}
	media, parameters, malformed := mime.ParseMediaType(q.Header.Get("Content-Type"))
	hasFiles := at.files && media == "multipart/form-data"
	switch {
	case hasFiles && parameters["boundary"] == "":
		return api.NewProblem(api.CodeMalformedBody, "The form cannot be read.")
	case !hasFiles && (malformed != nil && q.ContentLength != 0 || malformed == nil &&
		media != "application/x-www-form-urlencoded"):
		return api.NewProblem(api.CodeMediaType, "Send a form as application/x-www-form-urlencoded.")
	}
	reserve := func() *admission.Reservation {
		return a.bounds.Reserve(q.Caller(), func() { httpserver.InterruptRead(w) })
	}
	q.Memory = reserve()
	if hasFiles {
		q.PostForm, q.Files, err = page.ReadForm(w, q.Request, parameters["boundary"],
			page.FormMemory{Fields: q.Memory, File: reserve})
		return err
	}
	limit, arrives := int64(maxForm), formTime
	switch {
	case q.Session == nil:
		limit, arrives = maxStrangersForm, strangersTime
	case at.files:
		limit = page.MaxFields
	}
	q.PostForm, err = page.ReadFields(w, q.Request, q.Memory,
		page.FieldsBounds{Bytes: limit, Until: time.Now().Add(arrives)})
	return err
}

// resume finds the session of a token. One that has ended is like none.
func (a *App) resume(q *page.Request, token string) error {
	if token == "" {
		return nil
	}
	s, err := a.Tracker.Session(q.Context(), q.Client, token)
	if page.HasCode(err, api.CodeUnauthorized) {
		return nil
	}
	if err == nil {
		q.Session = &s
	}
	return err
}

// selectWorkspace selects the workspace that the query names, or the workspace of the report in the path. Without
// either, it selects no workspace on a page of all workspaces. On other pages it selects the last selected workspace,
// or another workspace in which the reader may see the page.
func (a *App) selectWorkspace(w http.ResponseWriter, q *page.Request, at row) (err error) {
	if q.Workspaces, err = a.Tracker.MyWorkspaces(q.Context(), q.Session.Caller); err != nil {
		return err
	}
	find := func(key string) bool {
		i := slices.IndexFunc(q.Workspaces, func(w page.Workspace) bool { return key != "" && w.Key == key })
		if i >= 0 {
			q.Workspace = q.Workspaces[i]
		}
		return i >= 0
	}
	named := q.URL.Query().Get("workspace")
	ofReport, _, _ := strings.Cut(q.PathValue("reference"), "-")
	switch {
	case find(named):
		a.cookies.set(w, a.cookies.workspace, named, year)
	case named != "" && at.scope != noWorkspace:
		if q.Workspace, err = q.FindWorkspace(named); err != nil {
			return err
		}
		a.cookies.set(w, a.cookies.workspace, q.Workspace.Key, year)
	case find(ofReport):
	case at.scope == anyWorkspace && len(q.Workspaces) > 1:
	case !find(a.cookies.read(q.Request, a.cookies.workspace)) && len(q.Workspaces) > 0:
		q.Workspace = q.Workspaces[0]
	}
	if named == "" && !at.audience.has(q) {
		if i := slices.IndexFunc(q.Workspaces,
			func(w page.Workspace) bool { return w.Role == api.RoleAdmin }); i >= 0 {
			q.Workspace = q.Workspaces[i]
		}
	}
	return nil
}

// namesWorkspace returns whether the address of a page has the key of a workspace. named is the key in the request.
func namesWorkspace(at row, named string) bool {
	return at.scope == oneWorkspace || at.scope == anyWorkspace && named != ""
}

// signInFirst leads to the page to sign in, and from there to where the request wanted to go. A change is not
// repeated: its form is shown again. A request of a script is refused.
func signInFirst(q *page.Request) (page.Result, error) {
	if wantsJSON(q.Request) {
		return page.Result{}, api.NewProblem(api.CodeUnauthorized, "Sign in at /login. API keys work at /v1.")
	}
	if q.Header.Get("HX-Request-Type") != "" { // the script of the page asks for the password, and repeats the request
		return page.Result{}, api.NewProblem(api.CodeUnauthorized, "The session has ended.")
	}
	next, notice := q.URL.RequestURI(), ""
	if q.Method == http.MethodPost {
		next, notice = backTo(q.Request), "session-over"
	}
	return page.Redirect("/login?next="+url.QueryEscape(q.Next(next)), notice)
}

// lacksFactor reports whether a session must get a second factor before it opens a page.
func lacksFactor(q *page.Request, at row) bool {
	return q.Session != nil && q.Session.Lacks && at.access == user && !at.setsUp
}

// setUpFirst leads to the page where a session gets the second factor that its organisation requires.
func setUpFirst(q *page.Request) (page.Result, error) {
	if wantsJSON(q.Request) {
		return page.Result{}, api.NewProblem(api.CodeForbidden,
			"Your organisation requires a second factor. Set one up on the page Security first.")
	}
	return page.Redirect("/settings/security", "")
}

// backTo returns the page that a request was made from, or the start.
func backTo(r *http.Request) string {
	from, err := url.Parse(r.Referer())
	if err != nil || from.Host != r.Host {
		return "/"
	}
	return from.RequestURI()
}

// run calls the handler of a page. A form with a proof proves it first: that of the page which asks for it when
// a change is refused for want of a proof, and which repeats the request.
func (a *App) run(w http.ResponseWriter, q *page.Request, at row, h page.Handler) (page.Result, error) {
	query := q.URL.Query()
	if named := query.Get("workspace"); q.Method != http.MethodPost && namesWorkspace(at, named) &&
		named != q.Workspace.Key {
		query.Set("workspace", q.Workspace.Key)
		return page.Redirect(q.URL.Path+"?"+query.Encode(), "")
	}
	if at.scope == oneWorkspace && q.Workspace.Key == "" && q.Method != http.MethodPost {
		return page.Result{}, api.NotFound("workspace")
	}
	if q.Method == http.MethodPost && at.access == user && q.PostForm.Has("password") {
		refused, err := a.prove(w, q)
		if err != nil {
			return page.Result{}, err
		}
		if refused != nil {
			return a.askProof(q, refused)
		}
		if at.raw { // a download leaves the page as it is, which has asked for the password
			return page.Redirect(q.Next(q.PostForm.Get("back")), "proved")
		}
	}
	asked := q.Request
	q.Request = asked.WithContext(blob.Briefly(asked.Context())) // the page is shown without what the storage of files does not give
	result, err := h(q)
	q.Request = asked // an answer that is a file may wait
	return result, err
}

// askProof answers with the page that asks for a proof, and repeats the request with it.
func (a *App) askProof(q *page.Request, refused *api.Problem) (page.Result, error) {
	choice, err := page.Call(q, a.Tracker.AskProof, api.AskProof{})
	return confirm.Ask(q, backTo(q.Request), choice, refused), err
}

// prove records that the user has proved who it is. refused says why it is asked for again.
func (a *App) prove(w http.ResponseWriter, q *page.Request) (refused *api.Problem, err error) {
	s, err := page.Call(q, a.Tracker.Prove, api.Prove{Body: page.ProofOf(q)})
	if page.HasCode(err, api.CodeUnauthorized, api.CodeInvalidBody, api.CodeRateLimited, api.CodeUnavailable) {
		errors.As(err, &refused)
		return refused, nil
	}
	if err != nil {
		return nil, err
	}
	a.cookies.signIn(w, s, q.Now)
	return nil, a.resume(q, s.Token)
}
