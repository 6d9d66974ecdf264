package suite

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bugslice/internal/assert"
	"bugslice/internal/browsertest"
)

// brokenPage is a page of an application with a mistake. Its head has the element that the page of Bugslice shows.
const brokenPage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title>%s</head><body>
<h1>Shop</h1><label>Card <input name="card"></label><p id="note" contenteditable aria-label="Note">4112</p>
<input type="hidden" name="session" value="4113"><button id="pay">Pay</button><script>
document.getElementById("pay").addEventListener("click", async () => {
  console.info("paying");
  const answer = await fetch("/orders", { method: "POST", body: "{\"total\":null}" });
  setTimeout(() => { throw new TypeError("no total in answer " + answer.status); });
});
</script></body></html>`

// brokenApplication serves the page, with what element points at in its head. Its requests fail.
func brokenApplication(t *testing.T, element *string) *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, brokenPage, *element)
	})
	mux.HandleFunc("POST /orders", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(500)
		_, _ = w.Write([]byte(`{"error":"total is null"}`))
	})
	application := httptest.NewServer(mux)
	t.Cleanup(application.Close)
	return application
}

// TestFirstMinutes: from the setup link, a newcomer gets to a replay of an application of their own, on another
// origin, by what the pages show. The page that shows the key says that the report has arrived, without a reload.
func TestFirstMinutes(t *testing.T) {
	t.Parallel()
	var element string
	application := brokenApplication(t, &element)
	s, link := startEmpty(t, "sqlite", "--cors-origin", application.URL)
	n := newcomer{browsertest.Open(t, s.URL), newVisitor(t, s), t, s}
	begun := time.Now()
	n.Open(link)
	for name, value := range map[string]string{"organization": "Acme", "name": "Ada Byron",
		"email": "ada@acme.example", "password": passphrase} {
		n.Fill(name, value)
	}
	n.Click("Create organisation")
	token := n.text("token")
	n.Click("Go to Bugslice")
	n.page("my")
	n.ClickOn(`.step-content a[href^="/settings/record"]`)
	n.page("recording")
	n.ClickOn(".snippets summary")
	n.Click("Make a key")
	key := n.text("token")
	element = n.text("tag")

	user := browsertest.Open(t, application.URL)
	user.Open("/")
	user.Fill("card", "4111 1111 1111 1111")
	user.ClickOn("#note")
	user.ClickOn("#pay")
	n.Wait(`document.querySelector("#recorded.notice-good")?.textContent.includes("ACM-1")`)
	if n.text("token") != key {
		t.Error("the page with the key was loaded again")
	}
	n.ClickOn("#recorded a")
	n.page("report")
	n.ClickOn("[data-play]")
	n.Wait(`document.querySelector("replay-player[data-state=playing]")`)
	n.Wait(`document.querySelector(".player-poster").checkVisibility() === false`)
	t.Logf("from the setup link to the replay: %s", time.Since(begun).Round(time.Second))

	c := client{s, token}
	filed := c.want(t, 200, "GET", "/v1/slices?limit=1", nil).get(t, "data").([]any)[0].(map[string]any)
	evidence := filed["evidence"].(map[string]any)
	for name, least := range map[string]float64{"consoleErrors": 1, "failedRequests": 1, "actions": 2, "replays": 1} {
		if got, _ := evidence[name].(float64); got < least {
			t.Errorf("%s: %v, want %v", name, evidence[name], least)
		}
	}
	assert.Equal(t, "the title", filed["summary"], any("TypeError: no total in answer 500"))
	filedAgain := browsertest.Eval[string](user, `bugslice.file("The total is wrong").then(({ url }) => url)`)
	id := filed["id"].(string)
	if filedAgain == "" || filedAgain == s.URL+"/slices/"+id {
		t.Errorf("a report that the page files itself is at %q", filedAgain)
	}
	replay := string(c.want(t, 200, "GET", "/v1/slices/"+id+"/replay", nil).Body)
	actions := string(c.want(t, 200, "GET", "/v1/slices/"+id+"/actions", nil).Body)
	for _, typed := range []string{"4111", "4112", "4113"} {
		if !strings.Contains(replay, "****") || strings.Contains(replay, typed) || strings.Contains(actions, typed) {
			t.Errorf("the report has %s, which was typed or hidden", typed)
		}
	}
	if !strings.Contains(replay, `"filed"`) {
		t.Error("the replay ends before the error")
	}
}
