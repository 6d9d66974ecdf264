package tracker_test

import (
	"fmt"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/assert"
	"bugslice/internal/tracker"
)

// reasons returns matches as lines: the part, the words, and the text.
func reasons(all []api.Match) string {
	lines := make([]string, len(all))
	for i, m := range all {
		lines[i] = fmt.Sprintf("%s [%s] %s", m.In, strings.Join(m.Words, " "), m.Text)
	}
	return strings.Join(lines, "\n")
}

// attachAs attaches a file to a slice.
func (w *world) attachAs(t *testing.T, sliceID string, kind api.AttachmentKind, name, text string) api.Attachment {
	t.Helper()
	a, err := w.CreateAttachment(t.Context(), w.owner,
		valid(api.CreateAttachment{SliceID: sliceID, Kind: kind, Name: name}),
		tracker.Upload{Body: strings.NewReader(text), Length: int64(len(text)), Memory: w.Reserve(w.owner, func() {})})
	must(t, err)
	return a
}

// TestSearchReasons: a search finds every text of a slice, says in which parts the words are, and says nothing of a part
// that was removed.
func TestSearchReasons(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx, callers := t.Context(), newKeyPageCallers(t, w)
		w.withFiles(t)
		text, external := "First line.\nThe zebra melts the crème brûlée on the second line.", "ticket-okapi"
		found := w.report(t, "Checkout melts", api.SliceFields{Summary: "Checkout melts", Description: &text,
			Labels: []string{"numbat"}, ExternalID: &external}, "quokka?id=7", "TypeError: wombat is null")
		comment, err := w.CreateComment(ctx, w.owner, valid(api.CreateComment{SliceID: found.ID,
			Body: api.CommentFields{Body: "Nothing.\n" + strings.Repeat("far ", 60) + "quagga " + strings.Repeat("away ", 60)}}))
		must(t, err)
		w.attachAs(t, found.ID, "", "bandicoot.txt", "text")
		search := func(q string) string {
			out, err := w.Search(ctx, w.owner, valid(api.Search{Q: q}))
			must(t, err)
			if len(out.Slices) == 0 {
				return "nothing"
			}
			return reasons(out.Slices[0].Matches)
		}
		for q, want := range map[string]string{
			"check mel": "summary [Checkout melts] Checkout melts",
			"CREME":     "description [crème] The zebra melts the crème brûlée on the second line.",
			"zebra wombat": "error [wombat] TypeError: wombat is null\n" +
				"description [zebra] The zebra melts the crème brûlée on the second line.",
			"quokka":                         "error [quokka] quokka?id=7",
			"numbat":                         "label [numbat] numbat",
			"okapi":                          "identifier [okapi] ticket-okapi",
			"bandicoot":                      "file [bandicoot] bandicoot.txt",
			strings.ToLower(found.Reference): "reference [" + strings.ToLower(found.Reference) + "] " + found.Reference,
			"dingo":                          "nothing",
		} {
			assert.Equal(t, q, search(q), want)
		}
		for who, c := range map[string]access.Caller{"outsider": callers.outsider, "stranger": callers.stranger,
			"another service": callers.otherService} {
			for _, q := range []string{"zebra", "wombat", "quokka", "bandicoot", "quagga", "okapi", found.Reference} {
				out, err := w.Search(ctx, c, valid(api.Search{Q: q}))
				must(t, err)
				assert.Equal(t, who+" "+q, len(out.Slices), 0)
			}
		}
		got := search("quagga")
		if !strings.HasPrefix(got, "comment [quagga] …far ") || !strings.Contains(got, " quagga away") ||
			!strings.HasSuffix(got, "…") || len([]rune(got)) > 160+len("comment [quagga] ") {
			t.Errorf("the reason in a comment is %q", got)
		}
		must(t, second(w.DeleteComment(ctx, w.owner, valid(api.DeleteComment{CommentID: comment.ID}))))
		assert.Equal(t, "a deleted comment", search("quagga"), "nothing")
	})
}

// TestSearchedLaterEvidence: evidence that is attached after filing, and that of further occurrences, finds the slice and
// says why, until it is deleted.
func TestSearchedLaterEvidence(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		w.withFiles(t)
		filed := w.file(t, "Checkout melts", "")
		console := `{"level":"error","timestamp":"2026-11-01T10:00:00Z","message":"RangeError: wombat [@` + w.owner.ID + `]"}` + "\n" +
			`{"level":"log","timestamp":"2026-11-01T10:00:00Z","message":"dingo"}`
		attached := w.attachAs(t, filed.ID, api.KindConsole, "later.ndjson", console)
		w.attachAs(t, filed.ID, api.KindNetwork, "later.har", `{"log":{"version":"1.2","creator":{"name":"t","version":"1"},"entries":[`+
			harEntry("fine/quoll", 200)+","+harEntry("broken/quagga", 503)+`]}}`)
		search := func(q string) string {
			out, err := w.Search(ctx, w.owner, valid(api.Search{Q: q}))
			must(t, err)
			if len(out.Slices) == 0 {
				return "nothing"
			}
			return reasons(out.Slices[0].Matches)
		}
		wombat := "error [wombat] RangeError: wombat [@" + w.owner.ID + "]"
		assert.Equal(t, "an error", search("wombat"), wombat)
		assert.Equal(t, "a failed request", search("quagga"), "url [quagga] https://shop.example/broken/quagga")
		assert.Equal(t, "a request that succeeded", search("quoll"), "nothing")
		assert.Equal(t, "a message that is no error", search("dingo"), "nothing")
		assert.Equal(t, "mentions in errors",
			w.found(t, api.SliceFilters{WorkspaceID: w.workspace, Mentions: []string{w.owner.ID}}), "")
		must(t, second(w.DeleteSlice(ctx, w.owner, valid(api.DeleteSlice{SliceID: filed.ID}))))
		assert.Equal(t, "of a deleted slice", search("wombat"), "nothing")
		must(t, second(w.RestoreSlice(ctx, w.owner, valid(api.RestoreSlice{SliceID: filed.ID}))))
		assert.Equal(t, "of a restored slice", search("wombat"), wombat)
		must(t, second(w.DeleteAttachment(ctx, w.owner, valid(api.DeleteAttachment{AttachmentID: attached.ID}))))
		assert.Equal(t, "deleted evidence", search("wombat"), "nothing")

		again := func(message string) {
			fingerprint := "boom"
			must(t, second(w.CreateSlice(ctx, w.owner, valid(api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace,
				Fingerprint: &fingerprint, SliceFields: api.SliceFields{Summary: "Boom"}, Evidence: &api.Evidence{
					Console: []api.ConsoleEntry{{Level: "error", Timestamp: api.At(w.now), Message: message}}}}}))))
		}
		again("numbat")
		again("potoroo")
		assert.Equal(t, "the first occurrence", search("numbat"), "error [numbat] numbat")
		assert.Equal(t, "the second occurrence", search("potoroo"), "error [potoroo] potoroo")
	})
}

// TestSimilarParaphrases: a sentence finds a report in other words as far as their stems and their spelling go, with the
// words that both have; another sentence finds nothing. Names of browsers and standard messages are no likeness.
func TestSimilarParaphrases(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.withFiles(t)
		const campaign = "Checkout fails after a discount code of a finished campaign: TypeError, then order answers 500"
		w.report(t, campaign, api.SliceFields{Summary: campaign}, "api/orders",
			"Failed to load resource: the server responded with a status of 500")
		w.report(t, "photo", api.SliceFields{Summary: "Return with a photo hangs at 100 % in Safari on iPhone"}, "api/returns",
			"Failed to load resource: the server responded with a status of 413")
		for _, summary := range []string{"Search takes four seconds", "Cart is empty after login", "Total is one cent lower"} {
			w.file(t, summary, "")
		}
		for summary, want := range map[string]string{
			"Order fails after entering a discount code at checkout": campaign +
				"\nsummary [Checkout fails discount code order] " + campaign,
			"Discounted orders are failing in the chekout": campaign +
				"\nsummary [Checkout fails discount order] " + campaign,
			"Login page is slow in Safari on iPhone": "Cart is empty after login" +
				"\nsummary [login] Cart is empty after login",
			"Printer is out of paper": "",
			"Failed to load resource": "",
		} {
			page, err := w.ListSimilarToDraft(t.Context(), w.owner, valid(api.ListSimilarToDraft{
				Body: api.SliceDraft{WorkspaceID: &w.workspace, Summary: summary}, Paging: api.Paging{Limit: 25}}))
			must(t, err)
			var got []string
			for _, s := range page.Data {
				got = append(got, s.Summary, reasons(s.Matches))
			}
			assert.Equal(t, summary, strings.Join(got, "\n"), want)
		}
	})
}
