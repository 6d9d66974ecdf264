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
// origin, by what the pages show. The page with the lines to paste says that the report has arrived, without a reload. The public key of
// the source, which the page shows, counts as no secret.
func TestFirstMinutes(t *testing.T) {
	t.Parallel()
	var element string
	application := brokenApplication(t, &element)
	s, link := startEmpty(t, "sqlite")
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
	n.Fill("origins", application.URL)
	n.Click("Make a source")
	n.page("source")
	n.Wait(`document.querySelector("#newest").textContent.includes("Waiting for the first report")`)
	browsertest.Eval[bool](n.Tab, `window.kept = true`)
	element = n.text("tag")

	user := browsertest.Open(t, application.URL)
	user.Open("/")
	user.Fill("card", "4111 1111 1111 1111")
	user.ClickOn("#note")
	user.ClickOn("#pay")
	n.Wait(`window.kept && document.querySelector("#newest .notice-good a[href='/ACM-1']") &&
		document.querySelector("#newest").textContent.includes("1 accepted")`)
	n.ClickOn("#newest a")
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
	id := filed["id"].(string)
	if removed := filed["redaction"]; removed != nil {
		t.Errorf("removed as secrets: %v", removed)
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
