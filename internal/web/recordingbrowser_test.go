package web

import (
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/browsertest"
	"bugslice/internal/tracker"
)

// TestBrowserRecording: somebody without an account records the screen for three seconds, looks at it, and sends it; a member plays what
// has arrived. A recording that is discarded is not sent.
func TestBrowserRecording(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	path, _ := w.newLink(t, owner, func(f *api.NewRecordingLink) { f.MaxReports = 2 })
	b := tab{browsertest.OpenInProfile(t, w.url), w}
	record := func(time string) {
		for range 5 { // a busy machine may draw no frame meanwhile, of which the page says that nothing was recorded
			b.ClickOn("[data-action=record]")
			b.Wait(`document.querySelector("[data-time]").textContent >= "` + time + `"`)
			b.ClickOn("[data-action=stop]")
			b.Wait(`document.querySelector("[data-preview]").videoWidth > 0 || document.activeElement.matches("[data-action=record]")`)
			if b.holds(`document.querySelector("[data-preview]").videoWidth > 0`) {
				return
			}
		}
		t.Fatal("nothing is recorded")
	}
	send := func(text string) {
		b.Wait(`(area => { area.value = "` + text + `"; return true; })(document.getElementById("text"))`)
		b.Click("Send")
		b.Wait(`document.title.startsWith("It has arrived")`)
	}
	b.Open(path)
	b.Wait(`customElements.get("record-form")`)
	record("0:03")
	send("It empties")
	b.Click("Send another one")
	b.Wait(`customElements.get("record-form") && document.querySelector("[data-action=record]")`)
	record("0:01")
	b.ClickOn("[data-action=discard]")
	b.Wait(`document.activeElement.matches("[data-action=record]")`)
	send("In words")

	all, err := w.ListSlices(t.Context(), w.caller(t, owner), valid(t, api.ListSlices{Sort: "createdAt", Order: "asc",
		SliceFilters: api.SliceFilters{Source: []string{"Recording link"}}, Paging: api.Paging{Limit: 10}}))
	must(t, err)
	assert.Equal(t, "reports", len(all.Data), 2)
	files := func(sliceID string) int {
		of, err := w.ListAttachments(t.Context(), w.caller(t, owner), valid(t,
			api.ListAttachments{SliceID: sliceID, Paging: api.Paging{Limit: 10}}))
		must(t, err)
		return len(of.Data)
	}
	assert.Equal(t, "files of the first and the second", [2]int{files(all.Data[0].ID), files(all.Data[1].ID)}, [2]int{1, 0})
	m := w.tab(t, w.session(t, owner, tracker.Client{}))
	m.Open("/" + all.Data[0].Reference)
	m.Wait(`document.querySelector("main video")`)
	m.Wait(`(v => { v.muted = true; v.play(); return true; })(document.querySelector("main video"))`)
	m.Wait(`(v => v.videoWidth > 0 && v.currentTime > 0.5 && v.getVideoPlaybackQuality().totalVideoFrames > 3)` +
		`(document.querySelector("main video"))`)
	m.Quiet()
}
