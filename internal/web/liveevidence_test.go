package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"bugslice/api"
	"bugslice/internal/browsertest"
	"bugslice/internal/demo"
	"bugslice/internal/tracker"
)

// TestBrowserLiveEvidence: files and evidence that others add appear on the page of a report that is open. The first
// evidence is shown at once. Then more is offered, so that a replay goes on playing and a panel stays open until the
// reader asks for it.
func TestBrowserLiveEvidence(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.work(t)
	capture, err := demo.ReadCapture("discount-code")
	must(t, err)
	s := w.fileShown(t, "Discount code", api.Evidence{})
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1280, 1000)
	b.Open("/" + s.Reference)
	b.Wait(`document.querySelector("[data-followed]") && document.querySelector("#comment-form textarea") && ` +
		`document.querySelector(".evidence-none")`)
	b.holds(`document.querySelector("#comment-form textarea").focus(), true`)
	b.Press("My words")

	w.attach(t, s.Reference, "server.log", "a line")
	b.Wait(`document.querySelector("#report-files:not([hidden]) li[data-marked]")?.textContent.includes("server.log")`)
	w.attach(t, s.Reference, "first.png", screenshot(t, 300, 200))
	b.Wait(`document.querySelector("report-stage picture-viewer img")?.naturalWidth > 0`)
	const kept = `document.querySelector("#comment-form textarea").value == "My words" && document.activeElement.name == "body"`
	b.Wait(kept)
	offered := `document.querySelector("[data-evidence-offer][data-open]")`
	b.Wait("!" + offered)

	for kind, rows := range map[api.AttachmentKind]any{api.KindReplay: capture.Replay, api.KindConsole: capture.Console,
		api.KindActions: capture.Actions} {
		text, err := json.Marshal(rows)
		must(t, err)
		_, err = w.CreateAttachment(t.Context(), w.caller(t, member),
			valid(t, api.CreateAttachment{SliceID: s.Reference, Name: string(kind) + ".json", Kind: kind}),
			tracker.Upload{Body: bytes.NewReader(text), Length: int64(len(text))})
		must(t, err)
	}
	b.Wait(offered)
	if b.holds(`document.querySelector("replay-player") != null`) {
		t.Error("the evidence is replaced before the reader asks for it")
	}
	b.accessible("new evidence")
	b.photograph("live-evidence", 1280, "light", false)
	b.photograph("live-evidence", 1280, "dark", true)
	b.ClickOn("[data-evidence-offer] a")
	b.Wait(player)
	b.Wait("!" + offered)
	b.Wait(`document.querySelector(".evidence[data-loaded]")`)

	b.ClickOn(`[data-tab="actions"]`)
	b.Wait(`document.querySelector(".panel[data-panel=actions]:not([hidden])")`)
	b.holds(player + `.scrollIntoView(), true`)
	b.waitAtRest()
	b.holds(fmt.Sprintf(`window.kept = %s, kept.querySelector("[data-play]").click(), true`, player))
	b.waitState("playing")
	at := browsertest.Eval[float64](b.Tab, `kept.time`)
	w.attach(t, s.Reference, "second.png", screenshot(t, 200, 300))
	b.Wait(offered)
	b.Wait(fmt.Sprintf(`kept === %s && kept.dataset.state == "playing" && kept.time > %f && `+
		`!document.querySelector(".panel[data-panel=actions]").hidden`, player, at))
	b.holds(`document.querySelector("[data-evidence-offer] a").focus(), true`)
	b.Press(kb.Enter)
	b.Wait(`[...document.querySelectorAll(".strip-name")].some((name) => name.textContent.trim() == "second.png") && ` +
		`document.activeElement.matches("[data-tab][aria-current]")`)
	if b.holds(`document.querySelector("#comment-form textarea").value != "My words"`) {
		t.Error("the unsent comment is lost")
	}
	b.Quiet()
}

// TestBrowserReplacedEvidence: a picture that took the place of another one between two looks of an open page is
// offered, and one that came and went is not.
func TestBrowserReplacedEvidence(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.work(t)
	line := api.ConsoleEntry{Level: "error", Timestamp: api.At(w.clock.now()), Message: "first"}
	s := w.fileShown(t, "Replaced", api.Evidence{Console: []api.ConsoleEntry{line}})
	w.attach(t, s.Reference, "first.png", screenshot(t, 300, 200))
	remove := func(name string) {
		listed, err := w.ListAttachments(t.Context(), w.caller(t, owner),
			valid(t, api.ListAttachments{SliceID: s.Reference}))
		must(t, err)
		at := slices.IndexFunc(listed.Data, func(a api.Attachment) bool { return a.Name == name })
		_, err = w.DeleteAttachment(t.Context(), w.caller(t, owner),
			valid(t, api.DeleteAttachment{AttachmentID: listed.Data[at].ID}))
		must(t, err)
	}
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Size(1280, 1000)
	b.Open("/" + s.Reference)
	b.Wait(`document.querySelector("[data-followed]") && document.querySelector(".evidence[data-loaded]")`)
	// Each request of the page waits for window.look, so that several changes fall between two of them. The last change
	// sets a label: once the page shows the label, it has seen all of them.
	b.holds(`window.send = fetch, window.look = Promise.resolve(), window.fetch = async (...request) => { await look; return ` +
		`send(...request); }, true`)
	between := func(label string, change func()) {
		b.holds(`window.look = new Promise((may) => { window.may = may; }), true`)
		change()
		_, err := w.UpdateSlice(t.Context(), w.caller(t, member), valid(t, api.UpdateSlice{SliceID: s.Reference,
			Patch: api.SlicePatch{"labels": []any{label}}}))
		must(t, err)
		b.holds(`may(), true`)
		b.Wait(fmt.Sprintf(`document.querySelector(".report").dataset.labels == %q`, label))
	}
	offered := `document.querySelector("[data-evidence-offer][data-open]")`
	between("gone", func() {
		w.attach(t, s.Reference, "gone.png", screenshot(t, 200, 200))
		remove("gone.png")
	})
	b.Wait("!" + offered)
	between("replaced", func() {
		w.attach(t, s.Reference, "second.png", screenshot(t, 200, 300))
		remove("first.png")
	})
	b.Wait(offered)
	b.ClickOn("[data-evidence-offer] a")
	b.Wait(`document.querySelector("report-stage picture-viewer img")?.alt.includes("second.png") && !` + offered)
	b.Quiet()
}

// TestBrowserLiveEvidencePane: so it is beside the list, which stays. A report that was filed again with evidence
// leads to the new occurrence.
func TestBrowserLiveEvidencePane(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.work(t)
	line := api.ConsoleEntry{Level: "error", Timestamp: api.At(w.clock.now()), Message: "first"}
	again := api.NewSlice{SliceFields: api.SliceFields{Summary: "Filed twice"},
		WorkspaceID: &w.web, Evidence: &api.Evidence{Console: []api.ConsoleEntry{line}}}
	fingerprint := "same"
	again.Fingerprint = &fingerprint
	w.capture(t, again)
	b := w.followed(t, owner, "")
	b.holds(`document.getElementById("WEB-160").first = true`)
	b.Press("j", kb.Enter)
	b.Wait(`document.querySelector("[data-pane] .evidence[data-loaded] .line-text")?.textContent == "first"`)
	again.Evidence.Console[0].Message = "second"
	w.capture(t, again)
	b.Wait(`document.querySelector("[data-pane] [data-evidence-offer][data-open]")`)
	b.photograph("live-evidence-pane", 1280, "dark", false)
	b.ClickOn("[data-evidence-offer] a")
	b.Wait(`document.querySelector("[data-pane] .evidence[data-loaded] .line-text")?.textContent == "second" && ` +
		`document.querySelector("[data-pane] .occurrences")`)
	if !b.holds(`document.getElementById("WEB-160").first && document.querySelector("#pane:not([hidden])") && new ` +
		`URLSearchParams(location.search).get("open") == "WEB-162"`) {
		t.Errorf("the list was loaded again: %s", b.text(`location.href`))
	}
	b.Quiet()
}
