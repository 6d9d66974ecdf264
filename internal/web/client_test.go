package web

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"bugslice/internal/tracker"
)

// browser is a client that keeps cookies, accepts HTML and does not follow redirects.
type browser struct {
	t testing.TB
	w *world
	http.Client
	header http.Header
}

func (w *world) browser(t testing.TB) *browser {
	jar, err := cookiejar.New(nil)
	must(t, err)
	b := &browser{t: t, w: w, header: http.Header{"Accept": {"text/html,application/xhtml+xml"},
		"Sec-Fetch-Site": {"same-origin"}}}
	b.Jar = jar
	b.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return b
}

// signedIn returns a browser with a session of a user.
func (w *world) signedIn(t testing.TB, who string) *browser {
	b := w.browser(t)
	b.setCookie(w.session(t, who, tracker.Client{}))
	return b
}

// cookie returns the value of the session's cookie.
func (b *browser) cookie() string {
	for _, c := range b.Jar.Cookies(b.address()) {
		if c.Name == "bugslice" {
			return c.Value
		}
	}
	return ""
}

func (b *browser) setCookie(token string) {
	b.Jar.SetCookies(b.address(), []*http.Cookie{{Name: "bugslice", Value: token, Path: "/"}})
}

func (b *browser) address() *url.URL {
	u, err := url.Parse(b.w.url)
	must(b.t, err)
	return u
}

type answer struct {
	t      testing.TB
	path   string
	status int
	header http.Header
	body   string
}

func (b *browser) do(r *http.Request, err error) answer {
	b.t.Helper()
	must(b.t, err)
	for name, values := range b.header {
		if r.Header.Get(name) == "" {
			r.Header[name] = values
		}
	}
	resp, err := b.Do(r)
	must(b.t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	must(b.t, err)
	return answer{b.t, r.Method + " " + r.URL.Path, resp.StatusCode, resp.Header, flowing(string(body))}
}

func (b *browser) get(path string) answer {
	b.t.Helper()
	return b.do(http.NewRequest("GET", b.w.url+path, nil))
}

func (b *browser) post(path string, fields ...string) answer {
	b.t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	r, err := http.NewRequest("POST", b.w.url+path, strings.NewReader(form.Encode()))
	if err == nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return b.do(r, err)
}

// file is a file of a form.
type file struct{ name, content string }

// postFiles sends a form with files, as a browser does.
func (b *browser) postFiles(path string, files []file, fields ...string) answer {
	b.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for i := 0; i < len(fields); i += 2 {
		must(b.t, form.WriteField(fields[i], fields[i+1]))
	}
	for _, f := range files {
		part, err := form.CreateFormFile("files", f.name)
		must(b.t, err)
		_, err = io.WriteString(part, f.content)
		must(b.t, err)
	}
	must(b.t, form.Close())
	r, err := http.NewRequest("POST", b.w.url+path, &body)
	if err == nil {
		r.Header.Set("Content-Type", form.FormDataContentType())
	}
	return b.do(r, err)
}

// content returns what a page holds beside its frame.
func (a answer) content() string {
	if _, main, ok := strings.Cut(a.body, "<main"); ok {
		return main
	}
	return a.body
}

// wants fails the test unless the answer has a status and holds these texts.
func (a answer) wants(status int, texts ...string) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("%s: %d, not %d: %s", a.path, a.status, status, a.content())
	}
	for _, text := range texts {
		if !strings.Contains(a.body, text) {
			a.t.Errorf("%s: no %q in %s", a.path, text, a.content())
		}
	}
	return a
}

// leadsTo fails the test unless the answer is a redirect to a path.
func (a answer) leadsTo(to string) answer {
	a.t.Helper()
	if a.status != 303 || a.header.Get("Location") != to {
		a.t.Fatalf("%s: %d to %q, not 303 to %q: %s", a.path, a.status, a.header.Get("Location"), to, a.body)
	}
	return a
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
