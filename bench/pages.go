package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// pageRequests is how often each page is requested.
const pageRequests = 500

// pageTimes are the times of each page by its title, in the order of measuring.
type pageTimes []pageTime

type pageTime struct {
	title    string
	p50, p95 time.Duration
}

func (t pageTime) String() string { return fmt.Sprintf("%s, %s", millis(t.p50), millis(t.p95)) }

func measurePages(ctx context.Context, o options) (string, error) {
	r, err := onDatabases(ctx, o, "pages", pagesOn)
	if err != nil {
		return "", err
	}
	t := newTable(r, fmt.Sprintf("%d slices in one of %d workspaces, %d requests of one client for each page. "+
		"The server and the client share all cores.", o.slices, o.workspaces, pageRequests), "page: p50, p95")
	for i, p := range r.sqlite {
		t.row(p.title, func(all pageTimes) string { return all[i].String() })
	}
	return t.String(), nil
}

func pagesOn(ctx context.Context, o options, in instance) (all pageTimes, err error) {
	one := o
	one.workspaces = 1
	s, w, err := serveFilled(ctx, one, in, o.slices)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	for i := 1; i < o.workspaces; i++ {
		if _, err := s.call(201, "POST", "/v1/workspaces", map[string]any{"name": fmt.Sprint("w", i)}); err != nil {
			return nil, err
		}
	}
	for i := range 200 {
		key := map[string]any{"name": fmt.Sprint("Pipeline ", i), "type": "pat",
			"scopes": []string{"slices:read", "slices:write"}}
		if _, err := s.call(201, "POST", "/v1/api-keys", key); err != nil {
			return nil, err
		}
	}
	browser, err := s.signIn(bootstrapEmail)
	if err != nil {
		return nil, err
	}
	webhook, err := s.failedDeliveries(w, 100)
	if err != nil {
		return nil, err
	}
	pages, err := s.pages(w, webhook)
	if err != nil {
		return nil, err
	}
	s.waitIdle()
	for _, p := range pages {
		client := browser
		if p.public {
			client = http.DefaultClient
		}
		one, err := s.timePage(client, p)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// failedDeliveries returns the path of a webhook with n deliveries that did not arrive. It is disabled, so that the
// server does not retry them while pages are measured.
func (s *system) failedDeliveries(w filled, n int) (path string, err error) {
	m, err := s.call(201, "POST", "/v1/webhooks",
		map[string]any{"workspaceId": w.Workspace, "url": "https://hooks.example.com/bugs",
			"eventTypes": []string{"slice.comment.created"}})
	if err != nil {
		return "", err
	}
	id := m["id"].(string)
	for i := range n {
		if _, err := s.call(201, "POST", "/v1/slices/"+w.Slices[i]+"/comments",
			map[string]any{"body": "Seen again"}); err != nil {
			return "", err
		}
	}
	_, err = s.call(200, "PATCH", "/v1/webhooks/"+id, map[string]any{"enabled": false})
	return "/settings/webhooks/" + id, err
}

// signIn returns a client with a session of a user who has the password of the first one. It follows no redirect.
func (s *system) signIn(email string) (*http.Client, error) {
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := browser.PostForm(s.url+"/login", url.Values{"email": {email}, "password": {s.password}})
	if err != nil {
		return nil, err
	}
	_ = res.Body.Close()
	var session []string
	for _, c := range res.Cookies() {
		session = append(session, c.Name+"="+c.Value)
	}
	if res.StatusCode != http.StatusSeeOther || len(session) == 0 {
		return nil, fmt.Errorf("%s: signing in: %s", s.name, res.Status)
	}
	browser.Transport = withCookie(strings.Join(session, "; "))
	return browser, nil
}

// withCookie is a transport that sends a cookie with each request.
type withCookie string

func (c withCookie) RoundTrip(q *http.Request) (*http.Response, error) {
	q.Header.Set("Cookie", string(c))
	return http.DefaultTransport.RoundTrip(q)
}

// measuredPage is a page with the paths of which one is requested at random, and the status of its response.
type measuredPage struct {
	title  string
	status int
	public bool // requested without a session
	paths  []string
}

// pages returns the bare limit, and each page. webhook is the path of one.
func (s *system) pages(w filled, webhook string) ([]measuredPage, error) {
	m, err := s.call(200, "GET", "/v1/api-keys", nil)
	if err != nil {
		return nil, err
	}
	key := "/settings/keys/" + m["data"].([]any)[0].(map[string]any)["id"].(string)
	var ids, references, besideList []string
	for i := range 1000 {
		reference := fmt.Sprint(w.Key, "-", w.Numbers[i*len(w.Numbers)/1000])
		ids = append(ids, "/slices/"+w.Slices[i*len(w.Slices)/1000])
		references = append(references, "/"+reference)
		besideList = append(besideList, "/reports?open="+reference)
	}
	of := "workspace=" + w.Key
	return []measuredPage{
		{"`/healthz`, the bare limit", 200, true, []string{"/healthz"}},
		{"sign in", 200, true, []string{"/login"}},
		{"forgotten password", 200, true, []string{"/forgot"}},
		{"reports of all workspaces", 200, false, []string{"/reports"}},
		{"open reports by status", 200, false, []string{"/reports?group=status&q=status:open,in_progress"}},
		{"board of all workspaces", 200, false, []string{"/board"}},
		{"overview of a workspace", 200, false, []string{"/overview?" + of}},
		{"tests of a workspace", 200, false, []string{"/tests?" + of}},
		{"search", 200, false, []string{"/search?q=" + w.Words[200]}},
		{"my reports", 200, false, []string{"/my"}},
		{"inbox", 200, false, []string{"/inbox"}},
		{"watching", 200, false, []string{"/inbox/watching"}},
		{"200 keys", 200, false, []string{"/settings/keys"}},
		{"ended keys", 200, false, []string{"/settings/keys/ended"}},
		{"agents", 200, false, []string{"/settings/agents"}},
		{"record", 200, false, []string{"/settings/record"}},
		{"new key", 200, false, []string{"/settings/keys/new"}},
		{"code of a command line", 200, false, []string{"/device"}},
		{"new report", 200, false, []string{"/new?" + of}},
		{"a key", 200, false, []string{key}},
		{"its refused calls", 200, false, []string{key + "?tab=refusals"}},
		{"a report by its reference", 200, false, references},
		{"a report beside the list", 200, false, besideList},
		{"shared reports", 200, false, []string{"/settings/shares?" + of}},
		{"webhooks", 200, false, []string{"/settings/webhooks?" + of}},
		{"a webhook with 100 deliveries", 200, false, []string{webhook}},
		{"people", 200, false, []string{"/settings/people"}},
		{"a workspace's settings", 200, false, []string{"/settings/workspace?" + of}},
		{"redaction", 200, false, []string{"/settings/redaction?" + of}},
		{"audit log", 200, false, []string{"/settings/audit"}},
		{"a report by its id, a redirect", 303, false, ids},
		{"profile", 200, false, []string{"/settings/profile"}},
		{"notifications", 200, false, []string{"/settings/notifications"}},
		{"mail", 200, false, []string{"/settings/mail"}},
		{"security", 200, false, []string{"/settings/security"}},
		{"an authenticator app", 200, false, []string{"/settings/security/authenticator"}},
		{"a required second factor", 200, false, []string{"/settings/second-factor"}},
		{"sign-in at a provider", 200, false, []string{"/settings/sign-in"}},
		{"a report that does not exist", 404, false,
			[]string{regexp.MustCompile(`\d+$`).ReplaceAllString(references[0], "999999999")}},
	}, nil
}

// timePage requests a page again and again on one connection.
func (s *system) timePage(browser *http.Client, p measuredPage) (pageTime, error) {
	var took []time.Duration
	for i := range pageRequests + 20 {
		q, err := http.NewRequest(http.MethodGet, s.url+p.paths[rand.IntN(len(p.paths))], nil)
		if err != nil {
			return pageTime{}, err
		}
		q.Header.Set("Accept", "text/html")
		q.Header.Set("Accept-Encoding", "gzip, deflate, br, zstd") // as a browser over https; the client does not decompress
		begin := time.Now()
		res, err := browser.Do(q)
		if err != nil {
			return pageTime{}, err
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil {
			return pageTime{}, err
		}
		if res.StatusCode != p.status {
			return pageTime{}, fmt.Errorf("%s: %s: %s, want %d: %.300s", s.name, q.URL.Path, res.Status, p.status, body)
		}
		if i >= 20 { // the first ones warm up
			took = append(took, time.Since(begin))
		}
	}
	slices.Sort(took)
	return pageTime{p.title, took[len(took)/2], took[len(took)*95/100]}, nil
}
