package command_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"bugslice/client/clienttest"
)

var shownCode = regexp.MustCompile(`Your code: ([A-Z]{4}-[A-Z]{4})\n`)

// decides allow|deny|interrupt CODE ARGUMENT… runs a command that shows a code, requires its exit code, and answers
// meanwhile as the owner does: on the page, with a session, or by an interrupt. Its errors are the file err.
func decides(server *clienttest.Server) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, args []string) {
		cmd := start(ts, args[2:])
		errs, err := cmd.StderrPipe()
		ts.Check(err)
		ts.Check(cmd.Start())
		defer func() { _ = cmd.Process.Kill() }()
		var text bytes.Buffer
		for b := make([]byte, 1); shownCode.FindSubmatch(text.Bytes()) == nil; text.Write(b) {
			if _, err := errs.Read(b); err != nil {
				ts.Fatalf("it shows no code: %s", &text)
			}
		}
		if args[0] == "interrupt" {
			ts.Check(cmd.Process.Signal(syscall.SIGINT))
		} else {
			ts.Check(answer(server, args[0], string(shownCode.FindSubmatch(text.Bytes())[1])))
		}
		_, err = io.Copy(&text, errs)
		ts.Check(err)
		_ = cmd.Wait()
		ts.Check(os.WriteFile(ts.MkAbs("err"), text.Bytes(), 0o600))
		if code := strconv.Itoa(cmd.ProcessState.ExitCode()); code != args[1] {
			ts.Fatalf("exit %s, want %s\n%s", code, args[1], &text)
		}
	}
}

// answer posts the form of the page as the owner, who has signed in.
func answer(server *clienttest.Server, decision, code string) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	browser := http.Client{Jar: jar}
	choice := url.Values{"user_code": {code}, "decision": {decision}, "once": {code},
		"scopes":    {"slices:read", "workspaces:read", "user:read"},
		"expiresAt": {time.Now().AddDate(0, 0, 30).Format(time.DateOnly)}}
	signIn := url.Values{"email": {"owner@example.com"}, "password": {server.Password}}
	for _, page := range []struct {
		path string
		form url.Values
	}{{"/login", signIn}, {"/device", choice}} {
		res, err := browser.PostForm(server.URL+page.path, page.form)
		if err != nil {
			return err
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusOK {
			return fmt.Errorf("POST %s: %s", page.path, res.Status)
		}
	}
	return nil
}

// other starts a server at $OTHER whose codes expire at once, and which calls itself by another address.
func other(ts *testscript.TestScript, _ bool, _ []string) {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /oauth/device", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"device_code":"d","user_code":"BCDF-GHJK","interval":1,"expires_in":1,
			"verification_uri":"http://bugs.example.com/device"}`)
	})
	mux.HandleFunc("POST /oauth/token", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":"authorization_pending"}`)
	})
	server := httptest.NewServer(mux)
	ts.Defer(server.Close)
	ts.Setenv("OTHER", server.URL)
}
