package mail_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"bugslice/internal/assert"
	"bugslice/internal/browsertest"
	"bugslice/internal/mail"
)

func TestMain(m *testing.M) {
	code := m.Run()
	browsertest.Close()
	os.Exit(code)
}

// letters are what mails look like.
var letters = map[string]mail.Letter{
	"report": {Items: []mail.Item{{Title: "WEB-161 The total of the cart is wrong when a voucher is used twice",
		URL: "https://bugs.example.com/WEB-161", Events: []mail.Event{
			{What: "Mara Lindqvist commented", Why: "you are mentioned",
				Quote: "@jonas the second voucher is applied before the first one is checked:" +
					"\n\n    total -= voucher.amount\n\nCan you look at it?"},
			{What: "Mara Lindqvist changed the status to in progress", Why: "you reported it"}}}},
		Action: &mail.Link{Text: "Open WEB-161", URL: "https://bugs.example.com/WEB-161"},
		Footer: []string{"Nobody reads answers to this mail. Answer by the link in it."},
		Links: []mail.Link{{Text: "Stop such mails", URL: "https://bugs.example.com/mail/stop/x"},
			{Text: "Choose which mails you get", URL: "https://bugs.example.com/settings/notifications"}}},
	"bundle": {Title: "News of 3 reports", Items: []mail.Item{
		{Title: "WEB-1 Search finds nothing", URL: "https://x.test/1",
			Events: []mail.Event{{What: "Noor Haddad commented", Why: "you watch it",
				Quote: "Since the release of yesterday."}}},
		{Title: "WEB-2 السلة فارغة بعد الدفع", URL: "https://x.test/2", Events: []mail.Event{{What: "نور commented",
			Why:   "you reported it",
			Quote: "يحدث هذا دائماً"}}},
		{Title: "WEB-3", URL: "https://x.test/3",
			Events: []mail.Event{{What: "Something has happened. The workspace shows in Bugslice alone what it is."}}}},
		Action: &mail.Link{Text: "Open the inbox", URL: "https://x.test/inbox"}},
	"invitation": {Title: "Mara Lindqvist invites you to Northwind",
		Lead:   []string{"Mara Lindqvist invites you to the bug reports of Northwind. You will sign in as ada@example.com."},
		Action: &mail.Link{Text: "See the invitation", URL: "https://x.test/invitations/x"},
		Notes: []string{"It works once, until 4 December 2026, 12:00 UTC.",
			"If you do not know who that is, ignore this mail: you get no others."}},
	"long": {Title: strings.Repeat("unbroken", 30), Items: []mail.Item{{Title: strings.Repeat("x", 200),
		URL:    "https://x.test/",
		Events: []mail.Event{{What: strings.Repeat("y", 200), Quote: strings.Repeat("z", 1000)}}}}},
}

// violations are those that axe finds.
const violations = `axe.run({resultTypes: ["violations"]}).then(r => r.violations.map(v => v.id + " " + v.nodes[0].html))`

// TestMailsAreReadable: axe finds no fault of a mail in light and in dark, nothing is wider than a telephone, and nothing is
// loaded. It leaves pictures in the folder BUGSLICE_GALLERY.
func TestMailsAreReadable(t *testing.T) {
	script, err := os.ReadFile("../../tools/node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatal("axe-core is missing: npm ci --prefix tools (make test does it)")
	}
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if l, ok := letters[strings.TrimPrefix(r.URL.Path, "/")]; ok {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, l.HTML())
			return
		}
		if r.URL.Path != "/favicon.ico" {
			asked = append(asked, r.URL.Path)
		}
		http.NotFound(w, r)
	}))
	defer server.Close()
	b := browsertest.Open(t, server.URL)
	b.Preload(string(script))
	for name := range letters {
		for _, width := range []int64{390, 1440} {
			b.Size(width, 900)
			for _, theme := range []string{"light", "dark"} {
				b.Theme(theme)
				b.Open("/" + name)
				at := fmt.Sprintf("%s at %d, %s", name, width, theme)
				assert.Equal(t, at+": axe", browsertest.Eval[[]string](b, violations), []string{})
				if wide := browsertest.Eval[float64](b, "document.documentElement.scrollWidth"); wide > float64(width) {
					t.Errorf("%s: is %g wide", at, wide)
				}
				if folder := os.Getenv("BUGSLICE_GALLERY"); folder != "" {
					picture := browsertest.Get(b, chromedp.FullScreenshot(100))
					must(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("mail-%s-%d-%s.png", name, width, theme)),
						picture, 0o600))
				}
			}
		}
	}
	assert.Equal(t, "what mails load", asked, []string(nil))
}
