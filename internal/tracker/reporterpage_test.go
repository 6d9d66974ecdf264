package tracker_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/assert"
	"bugslice/internal/store/sources"
	"bugslice/internal/tracker"
)

// reported is a report of a visitor with the secret of its page.
type reported struct {
	tracker.VisitorReport
	source sources.Source
	secret string
}

func withPage(f *api.SourceFields) { f.ReporterPage = true }

// report files a report of a visitor by a source, under a name, and returns the secret of its page; empty without one.
func (w *world) reportOn(t *testing.T, s sources.Source, name string, slice api.NewSlice, v api.Visitor) reported {
	t.Helper()
	out, err := w.Visitors().Report(t.Context(), w.visitor(t, s, v, ""), valid(api.CreateSlice{
		Idempotency: api.Idempotency{IdempotencyKey: name}, Body: slice}))
	must(t, err)
	url, err := w.Visitors().PageURL(t.Context(), s.ID, name)
	must(t, err)
	_, secret, _ := strings.Cut(url, "/r/")
	return reported{out, s, secret}
}

// cart is a report of a visitor that has everything.
func cart(w *world) api.NewSlice {
	return api.NewSlice{SliceFields: api.SliceFields{Summary: "The cart is empty", Description: new("I am Zebediah."),
		SourceURL: new("https://shop.example.com/cart?me=Zebediah"), Metadata: map[string]string{"email": "zeb@example.com"}},
		Evidence: &api.Evidence{Console: []api.ConsoleEntry{{Level: "error", Timestamp: api.At(w.now), Message: "Zebediah is undefined"}}}}
}

func zebediah() api.Visitor {
	return api.Visitor{Name: new("Zebediah"), Email: new("zeb@example.com"), UserID: new("zeb-1")}
}

// open opens the page of a report.
func (w *world) open(t *testing.T, secret string) (tracker.ReporterPage, access.Caller, error) {
	t.Helper()
	c, err := w.Visitors().OpenPage(t.Context(), tracker.Client{}, secret)
	if err != nil {
		return tracker.ReporterPage{}, c, err
	}
	p, err := w.Visitors().Page(t.Context(), c)
	return p, c, err
}

// shown opens a page that there is.
func (w *world) shown(t *testing.T, secret string) tracker.ReporterPage {
	t.Helper()
	p, _, err := w.open(t, secret)
	must(t, err)
	return p
}

func (w *world) answers(t *testing.T, secret, text string) error {
	t.Helper()
	_, c, err := w.open(t, secret)
	if err != nil {
		return err
	}
	return w.Visitors().Answer(t.Context(), tracker.Client{}, c, tracker.ReporterAnswer{Text: text})
}

func (w *world) attaches(t *testing.T, secret, name, content string) error {
	t.Helper()
	_, c, err := w.open(t, secret)
	if err != nil {
		return err
	}
	return w.Visitors().AttachToPage(t.Context(), tracker.Client{}, c, name,
		tracker.Upload{Body: strings.NewReader(content), Name: name, ContentType: "text/plain", Length: int64(len(content))})
}

func (w *world) comment(t *testing.T, sliceID, body string, visible bool) (api.Comment, error) {
	t.Helper()
	return w.CreateComment(t.Context(), w.owner, valid(api.CreateComment{SliceID: sliceID,
		Body: api.CommentFields{Body: body, VisibleToReporter: visible}}))
}

// TestReporterPage: a report of a source with such pages has one, whose address is the same when the report is sent again and whose
// secret is stored nowhere. It shows what was typed, the state, visible answers without their authors, own answers and files.
func TestReporterPage(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.limited(t, 0, 0)
		s := w.newSource(t, withPage)
		r := w.reportOn(t, s, "first", cart(w), zebediah())
		if len(r.secret) < 26 {
			t.Fatalf("the address is %q", r.secret)
		}
		assert.Equal(t, "again", w.reportOn(t, s, "first", cart(w), zebediah()).secret, r.secret)
		other := w.reportOn(t, s, "second", api.NewSlice{SliceFields: api.SliceFields{Summary: "Another"}}, api.Visitor{})
		if other.secret == r.secret {
			t.Error("two reports have one address")
		}
		none := w.reportOn(t, w.newSource(t, func(f *api.SourceFields) { f.Name = "Blog" }), "third", cart(w), zebediah())
		assert.Equal(t, "of a source without pages", none.secret, "")

		must(t, second(w.patch(t, r.SliceID, api.SlicePatch{"summary": "Internal: revenue bug", "description": "do not tell"})))
		member, err := w.comment(t, r.SliceID, "We look at it. @"+w.owner.ID, true)
		must(t, err)
		_, err = w.comment(t, r.SliceID, "They are slow", false)
		must(t, err)
		must(t, w.answers(t, r.secret, "  It also happens on <b>Sunday</b>  "))
		must(t, w.answers(t, other.secret, "not mine"))
		must(t, w.attaches(t, r.secret, "log.txt", "text"))
		p := w.shown(t, r.secret)
		assert.Equal(t, "summary", p.Summary+"|"+p.Description, "The cart is empty|I am Zebediah.")
		assert.Equal(t, "comments", len(p.Comments), 2)
		assert.Equal(t, "the team's", fmt.Sprint(p.Comments[0].Body, p.Comments[0].Own), "We look at it. @teamfalse")
		assert.Equal(t, "the own one", fmt.Sprint(p.Comments[1].Body, p.Comments[1].Own), "It also happens on <b>Sunday</b>true")
		names := convertAll(p.Files, func(f tracker.ReporterFile) string { return fmt.Sprint(f.Name, " ", f.Size > 0) })
		assert.Equal(t, "files", strings.Join(names, ","), "console.ndjson true,log.txt true")

		all, err := w.ListComments(t.Context(), w.owner, valid(api.ListComments{SliceID: r.SliceID, Paging: ten}))
		must(t, err)
		own := all.Data[2]
		assert.Equal(t, "the author", own.Author, api.Reporter{Type: "guest", Name: "Zebediah"})
		assert.Equal(t, "visible", fmt.Sprint(all.Data[0].VisibleToReporter, all.Data[1].VisibleToReporter), "true false")
		if !slices.ContainsFunc(w.events(t), func(e event) bool {
			return e.Type == api.EventCommentCreated && strings.Contains(e.Data, own.ID) && e.Actor == s.ID
		}) {
			t.Error("an answer is no event of a guest")
		}
		_, err = w.UpdateComment(t.Context(), w.owner, valid(api.UpdateComment{CommentID: member.ID,
			Patch: api.CommentPatch{"visibleToReporter": false}}))
		must(t, err)
		assert.Equal(t, "comments after one is hidden", len(w.shown(t, r.secret).Comments), 1)
		w.checkByteCounts(t)
	})
}

// TestReporterStates: the state says in plain words what became of the report, and of a duplicate what became of its original.
func TestReporterStates(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.limited(t, 0, 0)
		r := w.reportOn(t, w.newSource(t, withPage), "first", cart(w), zebediah())
		state := func(want tracker.ReporterState, patch api.SlicePatch) {
			t.Helper()
			if patch != nil {
				must(t, second(w.patch(t, r.SliceID, patch)))
			}
			assert.Equal(t, fmt.Sprint(patch), w.shown(t, r.secret).State, want)
		}
		state(tracker.ReporterReceived, nil)
		state(tracker.ReporterSeen, api.SlicePatch{"assigneeId": w.owner.ID})
		state(tracker.ReporterInWork, api.SlicePatch{"status": "in_progress"})
		state(tracker.ReporterSolved, api.SlicePatch{"status": "resolved", "resolution": "fixed"})
		state(tracker.ReporterClosed, api.SlicePatch{"resolution": "not_a_bug"})
		state(tracker.ReporterSeen, api.SlicePatch{"status": "open"})
		original := w.file(t, "the original", "")
		must(t, second(w.patch(t, original.ID, api.SlicePatch{"status": "in_progress"})))
		state(tracker.ReporterInWork, api.SlicePatch{"status": "closed", "duplicateOfId": original.ID})
	})
}

// TestReporterPageEnds: an unknown address, spam, a deletion, another setting and a deleted source are one refusal. A page comes back
// with its slice, waits with its report, and ends with both.
func TestReporterPageEnds(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.limited(t, 0, 0)
		s := w.newSource(t, withPage)
		r := w.reportOn(t, s, "first", cart(w), zebediah())
		var refusal string
		gone := func(what, secret string) {
			t.Helper()
			_, _, err := w.open(t, secret)
			if got := fmt.Sprint(err); !errors.Is(err, access.ErrNoReporterPage) || refusal != "" && got != refusal {
				t.Errorf("%s: %v", what, err)
			}
			refusal = fmt.Sprint(err)
		}
		set := func(patch api.SourcePatch) {
			t.Helper()
			_, err := w.UpdateSource(t.Context(), w.owner, valid(api.UpdateSource{SourceID: s.ID, Patch: patch}))
			must(t, err)
		}
		gone("an unknown address", strings.Repeat("a", 32))
		_, err := w.DeleteSlice(t.Context(), w.owner, valid(api.DeleteSlice{SliceID: r.SliceID}))
		must(t, err)
		gone("a deleted slice", r.secret)
		_, err = w.RestoreSlice(t.Context(), w.owner, valid(api.RestoreSlice{SliceID: r.SliceID}))
		must(t, err)
		w.shown(t, r.secret)
		set(api.SourcePatch{"reporterPage": false})
		gone("a source without pages", r.secret)
		_, err = w.comment(t, r.SliceID, "Nobody reads this", true)
		assert.Equal(t, "an answer to nobody", code(err), api.CodeInvalidBody)
		set(api.SourcePatch{"reporterPage": true, "paused": true})
		assert.Equal(t, "answers while it is paused", w.shown(t, r.secret).TakesAnswers, false)
		assert.Equal(t, "an answer while it is paused", code(w.answers(t, r.secret, "x")), api.CodeForbidden)
		assert.Equal(t, "a file while it is paused", code(w.attaches(t, r.secret, "a.txt", "x")), api.CodeForbidden)
		set(api.SourcePatch{"paused": false, "approval": true})

		held := w.reportOn(t, s, "held", cart(w), zebediah())
		p := w.shown(t, held.secret)
		assert.Equal(t, "it waits", fmt.Sprint(p.State, p.Waiting, p.TakesAnswers, len(p.Files)), "receivedtrue false 1")
		assert.Equal(t, "an answer while it waits", code(w.answers(t, held.secret, "x")), api.CodeForbidden)
		waits := w.waiting(t)[0].ID
		w.decide(t, waits, api.SubmissionSpam)
		gone("spam", held.secret)
		w.decide(t, waits, api.SubmissionAccepted)
		assert.Equal(t, "accepted", w.shown(t, held.secret).TakesAnswers, true)
		must(t, w.answers(t, held.secret, "thanks"))
		w.decide(t, waits, api.SubmissionWaiting)
		assert.Equal(t, "taken back", w.shown(t, held.secret).Waiting, true)
		w.decide(t, waits, api.SubmissionAccepted)

		late := w.reportOn(t, s, "late", cart(w), zebediah())
		w.decide(t, w.waiting(t)[0].ID, api.SubmissionSpam)
		for range 3 { // a run does not delete after a jump of the clock
			w.now = w.now.Add(3 * 24 * time.Hour)
			w.RunJobs(t.Context())
		}
		w.now = w.now.Add(2 * time.Hour)
		w.RunJobs(t.Context())
		gone("spam that has ended", late.secret)
		left, err := w.store.Read(t.Context()).Reporters().OfSlice(late.SliceID, 10)
		must(t, err)
		assert.Equal(t, "pages of spam that has ended", len(left), 0)
		_, err = w.DeleteSource(t.Context(), w.owner, valid(api.DeleteSource{SourceID: s.ID}))
		must(t, err)
		gone("a deleted source", r.secret)
	})
}

// TestReportersAreBounded: a page takes answers and files within its limits, and its caller does nothing else, for no other slice.
func TestReportersAreBounded(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.limited(t, 0, 0)
		s := w.newSource(t, func(f *api.SourceFields) { f.ReporterPage, f.MaxReportBytes = true, 70_000 })
		r := w.reportOn(t, s, "first", api.NewSlice{SliceFields: api.SliceFields{Summary: "x"}}, zebediah())
		other := w.file(t, "of a member", "")
		_, c, err := w.open(t, r.secret)
		must(t, err)
		_, err = w.GetSlice(t.Context(), c, valid(api.GetSlice{SliceID: r.SliceID, MaxTokens: 4000}))
		assert.Equal(t, "a read", code(err), api.CodeNotFound)
		_, err = w.CreateComment(t.Context(), c, valid(api.CreateComment{SliceID: r.SliceID, Body: api.CommentFields{Body: "x"}}))
		assert.Equal(t, "a comment of the API", code(err), api.CodeNotFound)
		_, err = w.CreateAttachment(t.Context(), c, valid(api.CreateAttachment{SliceID: other.ID, Name: "a.txt"}),
			tracker.Upload{Body: strings.NewReader("x"), ContentType: "text/plain", Length: 1})
		assert.Equal(t, "a file of another slice", code(err), api.CodeNotFound)
		assert.Equal(t, "nothing", code(w.answers(t, r.secret, " \n")), api.CodeInvalidBody)
		assert.Equal(t, "an endless answer", code(w.answers(t, r.secret, strings.Repeat("é", 5001))), api.CodeInvalidBody)
		must(t, w.attaches(t, r.secret, "a.txt", strings.Repeat("a", 60_000)))
		assert.Equal(t, "too many bytes", code(w.attaches(t, r.secret, "b.txt", strings.Repeat("b", 60_000))), api.CodeTooLarge)
		assert.Equal(t, "files", len(w.shown(t, r.secret).Files), 1)
		for n := range 10 {
			must(t, w.answers(t, r.secret, fmt.Sprint("answer ", n)))
		}
		assert.Equal(t, "the eleventh answer", code(w.answers(t, r.secret, "more")), api.CodeRateLimited)
		w.now = w.now.Add(61 * time.Minute)
		again := tracker.ReporterAnswer{Text: "once", Once: "form-1"}
		for range 2 {
			must(t, w.Visitors().Answer(t.Context(), tracker.Client{}, c, again))
		}
		assert.Equal(t, "answers", len(w.shown(t, r.secret).Comments), 11)
		w.checkByteCounts(t)
	})
}

// everything returns all texts that the database has of a slice, in the words of the API.
func (w *world) everything(t *testing.T, sliceID string) string {
	t.Helper()
	var b strings.Builder
	slice, err := w.GetSlice(t.Context(), w.owner, valid(api.GetSlice{SliceID: sliceID, MaxTokens: 4000}))
	must(t, err)
	comments, err := w.ListComments(t.Context(), w.owner, valid(api.ListComments{SliceID: sliceID, Paging: ten}))
	must(t, err)
	files, err := w.ListAttachments(t.Context(), w.owner, valid(api.ListAttachments{SliceID: sliceID, Paging: ten}))
	must(t, err)
	occurrences, err := w.ListOccurrences(t.Context(), w.owner, valid(api.ListOccurrences{SliceID: sliceID, Paging: ten}))
	must(t, err)
	for _, v := range []any{slice, comments.Data, files.Data, occurrences.Data} {
		b.WriteString(asJSON(v))
	}
	for _, e := range w.events(t) {
		b.WriteString(asJSON(e))
	}
	return b.String()
}

// TestReporterErases: an erasure takes away what the reporter has given, also from the events and the search; what members have
// written stays, and the page ends.
func TestReporterErases(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.limited(t, 0, 0)
		r := w.reportOn(t, w.newSource(t, withPage), "first", cart(w), zebediah())
		must(t, w.answers(t, r.secret, "Zebediah again"))
		must(t, w.attaches(t, r.secret, "Zebediah.txt", "text"))
		_, err := w.comment(t, r.SliceID, "We keep this", true)
		must(t, err)
		must(t, second(w.patch(t, r.SliceID, api.SlicePatch{"priority": "high"})))
		if !strings.Contains(w.everything(t, r.SliceID), "Zebediah") {
			t.Fatal("there is nothing to erase")
		}
		_, c, err := w.open(t, r.secret)
		must(t, err)
		must(t, w.Visitors().Erase(t.Context(), c))
		left := w.everything(t, r.SliceID)
		for _, word := range []string{"Zebediah", "zeb@example.com", "zeb-1", "cart is empty"} {
			if i := strings.Index(left, word); i >= 0 {
				t.Errorf("%s is left: …%s…", word, left[max(0, i-200):min(len(left), i+200)])
			}
		}
		for _, word := range []string{"We keep this", tracker.ErasedByReporter, `"priority":"high"`} {
			if !strings.Contains(left, word) {
				t.Errorf("%s is gone", word)
			}
		}
		assert.Equal(t, "found", len(w.listed(t, api.SliceFilters{Q: "Zebediah"})), 0)
		assert.Equal(t, "found by its mark", len(w.listed(t, api.SliceFilters{Q: "is:visitor"})), 1)
		_, _, err = w.open(t, r.secret)
		if !errors.Is(err, access.ErrNoReporterPage) {
			t.Errorf("the page after the erasure: %v", err)
		}
		if err := w.Visitors().Erase(t.Context(), c); !errors.Is(err, access.ErrNoReporterPage) {
			t.Errorf("an erasure after the erasure: %v", err)
		}
		w.checkByteCounts(t)
	})
}

// TestReporterErasesWhatIsTheirs: of a bug that others have reported first, an erasure takes away the own occurrence alone; a report
// that waits is deleted, with the slice of one that was taken back.
func TestReporterErasesWhatIsTheirs(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.limited(t, 0, 0)
		s := w.newSource(t, withPage)
		slice := cart(w)
		slice.Fingerprint = new("the same bug")
		theirs := api.NewSlice{SliceFields: api.SliceFields{Summary: "Mine is empty, too", Metadata: map[string]string{"who": "Yolanda"}},
			Fingerprint: slice.Fingerprint}
		first := w.reportOn(t, s, "first", slice, zebediah())
		second := w.reportOn(t, s, "second", theirs, api.Visitor{Name: new("Yolanda")})
		assert.Equal(t, "the slice", second.SliceID, first.SliceID)
		assert.Equal(t, "the page of the second", w.shown(t, second.secret).Summary, "Mine is empty, too")
		must(t, w.answers(t, second.secret, "Yolanda again"))
		erase := func(secret string) {
			t.Helper()
			_, c, err := w.open(t, secret)
			must(t, err)
			must(t, w.Visitors().Erase(context.Background(), c))
		}
		erase(second.secret)
		left := w.everything(t, first.SliceID)
		if strings.Contains(left, "Yolanda") || !strings.Contains(left, "I am Zebediah") {
			t.Errorf("left: %s", left)
		}
		assert.Equal(t, "the page of the first", w.shown(t, first.secret).Summary, "The cart is empty")

		_, err := w.UpdateSource(t.Context(), w.owner, valid(api.UpdateSource{SourceID: s.ID, Patch: api.SourcePatch{"approval": true}}))
		must(t, err)
		held := w.reportOn(t, s, "held", cart(w), zebediah())
		erase(held.secret)
		assert.Equal(t, "waiting", len(w.waiting(t)), 0)
		held = w.reportOn(t, s, "held again", cart(w), zebediah())
		submission := w.waiting(t)[0].ID
		w.decide(t, submission, api.SubmissionAccepted)
		w.decide(t, submission, api.SubmissionWaiting)
		erase(held.secret)
		_, err = w.RestoreSlice(t.Context(), w.owner, valid(api.RestoreSlice{SliceID: held.SliceID}))
		assert.Equal(t, "the slice of one that was taken back", code(err), api.CodeNotFound)
		w.checkByteCounts(t)
	})
}
