package tracker_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/assert"
	"bugslice/internal/input"
	"bugslice/internal/store/sources"
	"bugslice/internal/tracker"
)

// sourceFields are the members of a source with the defaults of requests.
func sourceFields(name string) api.SourceFields {
	return api.SourceFields{Name: name, Reporters: api.ReportersAnyone, MaxReportBytes: 1 << 20, MaxDailyBytes: 1 << 30,
		Limits: api.SourceLimits{PerMinute: 60, PerHour: 600, PerDay: 2000, PerAddressHour: 10}}
}

// draft is the input of a report.
func draft(summary string) input.Valid[api.CreateSlice] {
	return valid(api.CreateSlice{Body: api.NewSlice{SliceFields: api.SliceFields{Summary: summary}}})
}

// newSource makes a source of the workspace.
func (w *world) newSource(t *testing.T, change func(*api.SourceFields)) sources.Source {
	t.Helper()
	fields := sourceFields("Shop")
	fields.Origins = []string{"https://shop.example.com"}
	change(&fields)
	s, err := w.CreateSource(t.Context(), w.owner, valid(api.CreateSource{Body: api.NewSource{WorkspaceID: &w.workspace,
		SourceFields: fields}}))
	must(t, err)
	found, err := w.Visitors().SourceByKey(t.Context(), s.Key)
	must(t, err)
	return found
}

// visitor returns the caller of a visitor.
func (w *world) visitor(t *testing.T, s sources.Source, v api.Visitor, sliceID string) access.Caller {
	t.Helper()
	c, err := w.Visitors().Caller(access.Reporting{Source: s, Visitor: v, SliceID: sliceID})
	must(t, err)
	return c
}

// visitorFiles files a report of a visitor.
func (w *world) visitorFiles(t *testing.T, s sources.Source, summary string, v api.Visitor) tracker.VisitorReport {
	t.Helper()
	out, err := w.Visitors().Report(t.Context(), w.visitor(t, s, v, ""), valid(api.CreateSlice{Body: api.NewSlice{
		SliceFields: api.SliceFields{Summary: summary, Labels: []string{"urgent"}}}}))
	must(t, err)
	return out
}

// submissions lists the submissions of the workspace in a state.
func (w *world) submissions(t *testing.T, state api.SubmissionState) []api.Submission {
	t.Helper()
	page, err := w.ListSubmissions(t.Context(), w.owner, valid(api.ListSubmissions{WorkspaceID: w.workspace,
		State: state, Paging: ten}))
	must(t, err)
	return page.Data
}

func (w *world) waiting(t *testing.T) []api.Submission {
	return w.submissions(t, api.SubmissionWaiting)
}

// decide gives a submission a state, and returns its result.
func (w *world) decide(t *testing.T, submissionID string, state api.SubmissionState) api.DecidedSubmission {
	t.Helper()
	out, err := w.DecideSubmissions(t.Context(), w.owner, valid(api.DecideSubmissions{Body: api.DecideFields{
		IDs: []string{submissionID}, State: state}}))
	must(t, err)
	return out.Results[0]
}

func (w *world) listed(t *testing.T, f api.SliceFilters) []string {
	t.Helper()
	f.WorkspaceID = w.workspace
	page, err := w.ListSlices(t.Context(), w.owner, valid(api.ListSlices{SliceFilters: f, Paging: ten,
		Sort: "createdAt", Order: "desc"}))
	must(t, err)
	return convertAll(page.Data, func(s api.Slice) string { return s.Summary })
}

func convertAll[T, U any](all []T, of func(T) U) []U {
	out := make([]U, len(all))
	for i, v := range all {
		out[i] = of(v)
	}
	return out
}

// today returns what became of the reports of a source today.
func (w *world) today(t *testing.T, s sources.Source) api.SourceDay {
	t.Helper()
	usage, err := w.GetSourceUsage(t.Context(), w.owner, valid(api.GetSourceUsage{SourceID: s.ID, Days: 30}))
	must(t, err)
	assert.Equal(t, "days", len(usage.Days), 30)
	return usage.Days[29]
}

// TestVisitorsReport: a report of a visitor is a slice with the space and the labels of its source and the mark of
// the visitor,
// who is a guest; filters find it.
func TestVisitorsReport(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.limited(t, 0, 0)
		space := w.space(t, "Website")
		s := w.newSource(t, func(f *api.SourceFields) { f.SpaceID, f.Labels = &space, []string{"shop"} })
		name, email, origin := "Ada\u202e\n", "ada@example.com", "https://shop.example.com"
		filed := w.visitorFiles(t, s, "The cart is empty", api.Visitor{Name: &name, Email: &email, Origin: &origin})
		w.file(t, "of a member", "")
		slice, err := w.GetSlice(t.Context(), w.owner, valid(api.GetSlice{SliceID: filed.SliceID, MaxTokens: 4000}))
		must(t, err)
		assert.Equal(t, "reference", slice.Reference, filed.Reference)
		assert.Equal(t, "labels", strings.Join(slice.Labels, " "), "shop")
		assert.Equal(t, "space", *slice.SpaceID, space)
		assert.Equal(t, "reporter", slice.Reporter.Type+" "+slice.Reporter.Name, "guest Ada")
		v := slice.Visitor
		if v == nil || *v.SourceID != s.ID || v.SourceName != "Shop" || *v.Origin != origin || *v.Email != email || v.Verified {
			t.Fatalf("the visitor is %+v", v)
		}
		for what, f := range map[string]api.SliceFilters{"is:visitor": {ReporterID: []string{"visitor"}},
			"source:Shop": {Source: []string{"Shop"}}, "source by its id": {Source: []string{s.ID}}, "q": {Q: "is:visitor source:Shop"}} {
			assert.Equal(t, what, strings.Join(w.listed(t, f), ","), "The cart is empty")
		}
		assert.Equal(t, "-is:visitor", strings.Join(w.listed(t, api.SliceFilters{Q: "-is:visitor"}), ","),
			"of a member")
		assert.Equal(t, "source:Blog", len(w.listed(t, api.SliceFilters{Source: []string{"Blog"}})), 0)
		assert.Equal(t, "accepted today", w.today(t, s).Accepted, int64(1))
		w.checkByteCounts(t)
	})
}

// TestVisitorsFileOnly: a visitor carries out no other operation, reads no slice, adds files to the own report alone,
// and decides
// nothing that members decide. A pause takes effect on who has begun.
func TestVisitorsFileOnly(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.limited(t, 0, 0)
		s := w.newSource(t, func(*api.SourceFields) {})
		other := w.file(t, "of a member", "")
		c := w.visitor(t, s, api.Visitor{}, "")
		_, err := w.GetSlice(t.Context(), c, valid(api.GetSlice{SliceID: other.ID, MaxTokens: 4000}))
		assert.Equal(t, "a read", code(err), api.CodeForbidden)
		_, err = w.Visitors().Report(t.Context(), c,
			valid(api.CreateSlice{Body: api.NewSlice{SliceFields: api.SliceFields{
				Summary: "x", AssigneeID: &w.owner.ID}}}))
		assert.Equal(t, "an assignee", code(err), api.CodeInvalidBody)
		attach := func(sliceID string) error {
			return w.Visitors().Attach(t.Context(), w.visitor(t, s, api.Visitor{}, sliceID),
				valid(api.CreateAttachment{SliceID: sliceID, Name: "a.txt"}),
				tracker.Upload{Body: strings.NewReader("text"), ContentType: "text/plain", Length: 4})
		}
		filed := w.visitorFiles(t, s, "The cart is empty", api.Visitor{})
		must(t, attach(filed.SliceID))
		err = w.Visitors().Attach(t.Context(), w.visitor(t, s, api.Visitor{}, filed.SliceID),
			valid(api.CreateAttachment{SliceID: other.ID,
				Name: "a.txt"}), tracker.Upload{Body: strings.NewReader("text"), Length: 4})
		assert.Equal(t, "a file of another report", code(err), api.CodeNotFound)
		_, err = w.Visitors().Report(t.Context(), w.owner, draft("x"))
		assert.Equal(t, "a member", code(err), api.CodeNotFound)

		_, err = w.UpdateSource(t.Context(), w.owner, valid(api.UpdateSource{SourceID: s.ID,
			Patch: api.SourcePatch{"paused": true}}))
		must(t, err)
		_, err = w.Visitors().Report(t.Context(), c, draft("late"))
		assert.Equal(t, "a report to a paused source", code(err), api.CodeNotFound)
		if _, err := w.Visitors().SourceByKey(t.Context(), s.Key); !errors.Is(err, access.ErrNoSource) {
			t.Errorf("a paused source is found: %v", err)
		}
		_, err = w.UpdateSource(t.Context(), w.owner, valid(api.UpdateSource{SourceID: s.ID,
			Patch: api.SourcePatch{"paused": false}}))
		must(t, err)
		must(t, attach(filed.SliceID))
		_, err = w.DeleteSource(t.Context(), w.owner, valid(api.DeleteSource{SourceID: s.ID}))
		must(t, err)
		assert.Equal(t, "a file after the deletion", code(attach(filed.SliceID)), api.CodeNotFound)
		assert.Equal(t, "what was filed", len(w.listed(t, api.SliceFilters{ReporterID: []string{"visitor"}})), 1)
	})
}

// TestReportsWait: a report that waits is in no list, search, count or event. Accepted, it is what it would have
// been, with its
// evidence, files and redaction; taken back it waits again, and spam is gone after 7 days with its files.
func TestReportsWait(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.limited(t, 0, 0)
		s := w.newSource(t, func(f *api.SourceFields) { f.Approval = true })
		isFiled := func(e event) bool { return e.Type == api.EventSliceCreated }
		in := api.CreateSlice{Body: api.NewSlice{SliceFields: api.SliceFields{Summary: "The cart is empty",
			Description: new("password: Tr0ub4dor9x")}, Evidence: &api.Evidence{
			Console: []api.ConsoleEntry{{Level: "error", Timestamp: api.At(w.now),
				Message: "cart.total is undefined"}}}}}
		held, err := w.Visitors().Report(t.Context(), w.visitor(t, s, api.Visitor{}, ""), valid(in))
		must(t, err)
		if !held.Waiting || held.Reference != "" {
			t.Fatalf("the report does not wait: %+v", held)
		}
		small := picture(t)
		must(t, w.Visitors().Attach(t.Context(), w.visitor(t, s, api.Visitor{}, held.SliceID),
			valid(api.CreateAttachment{SliceID: held.SliceID, Name: "a.png"}),
			tracker.Upload{Body: strings.NewReader(small), ContentType: "image/png", Length: int64(len(small))}))
		assert.Equal(t, "slices", len(w.listed(t, api.SliceFilters{})), 0)
		assert.Equal(t, "found", len(w.listed(t, api.SliceFilters{Q: "cart"})), 0)
		assert.Equal(t, "events", slices.ContainsFunc(w.events(t), isFiled), false)
		all := w.waiting(t)
		assert.Equal(t, "waiting", len(all), 1)
		assert.Equal(t, "files", len(all[0].Files), 2)
		if strings.Contains(*all[0].Description, "Tr0ub4dor9x") {
			t.Error("a secret waits")
		}
		assert.Equal(t, "waiting today", w.today(t, s).Waiting, int64(1))
		w.checkByteCounts(t)

		result := w.decide(t, all[0].ID, api.SubmissionAccepted)
		if result.Problem != nil || *result.SliceID != held.SliceID {
			t.Fatalf("the acceptance: %+v", result)
		}
		slice, err := w.GetSlice(t.Context(), w.owner, valid(api.GetSlice{SliceID: held.SliceID, MaxTokens: 4000}))
		must(t, err)
		if slice.Visitor == nil || slice.Reporter.Type != "guest" || slice.Redaction == nil || slice.AttachmentCount != 2 ||
			slice.Evidence.ConsoleErrors != 1 || slice.Evidence.Screenshots != 1 {
			t.Errorf("the slice is %+v", slice)
		}
		assert.Equal(t, "the creation is an event", slices.ContainsFunc(w.events(t), isFiled), true)
		day := w.today(t, s)
		assert.Equal(t, "counts", [2]int64{day.Accepted, day.Waiting}, [2]int64{1, 0})
		w.checkByteCounts(t)

		result = w.decide(t, all[0].ID, api.SubmissionWaiting)
		assert.Equal(t, "taken back", result.Status, int64(200))
		assert.Equal(t, "slices that wait again", len(w.listed(t, api.SliceFilters{})), 0)
		result = w.decide(t, all[0].ID, api.SubmissionAccepted)
		assert.Equal(t, "accepted again", result.Status, int64(200))
		assert.Equal(t, "slices", len(w.listed(t, api.SliceFilters{Q: "cart"})), 1)
		w.checkByteCounts(t)
	})
}

// TestSpamEnds: spam is deleted after 7 days and waiting reports after 30, with their files; until then either can be
// accepted.
func TestSpamEnds(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.limited(t, 0, 0)
		s := w.newSource(t, func(f *api.SourceFields) { f.Approval = true })
		in := api.CreateSlice{Body: api.NewSlice{SliceFields: api.SliceFields{Summary: "buy now"},
			Evidence: &api.Evidence{
				Console: []api.ConsoleEntry{{Level: "error", Timestamp: api.At(w.now), Message: "cheap"}}}}}
		for range 3 {
			_, err := w.Visitors().Report(t.Context(), w.visitor(t, s, api.Visitor{}, ""), valid(in))
			must(t, err)
		}
		all := w.waiting(t)
		w.decide(t, all[0].ID, api.SubmissionSpam)
		w.decide(t, all[1].ID, api.SubmissionSpam)
		assert.Equal(t, "spam", len(w.submissions(t, api.SubmissionSpam)), 2)
		w.now = w.now.Add(6 * 24 * time.Hour)
		w.RunJobs(t.Context())
		assert.Equal(t, "accepted in time", w.decide(t, all[1].ID, api.SubmissionAccepted).Status, int64(200))
		w.now = w.now.Add(2 * 24 * time.Hour)
		w.RunJobs(t.Context())
		assert.Equal(t, "spam after 8 days", len(w.submissions(t, api.SubmissionSpam)), 0)
		assert.Equal(t, "waiting after 8 days", len(w.waiting(t)), 1)
		assert.Equal(t, "a decision about what is gone", w.decide(t, all[0].ID, api.SubmissionAccepted).Status,
			int64(404))
		for range 2 { // a run does not delete after a jump of the clock
			w.now = w.now.Add(12 * 24 * time.Hour)
			w.RunJobs(t.Context())
		}
		assert.Equal(t, "waiting after 31 days", len(w.waiting(t)), 0)
		assert.Equal(t, "slices", len(w.listed(t, api.SliceFilters{})), 1)
	})
}

// TestRemoveReports: one action removes what a source has reported since a time, waiting or filed, and nothing else.
func TestRemoveReports(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.limited(t, 0, 0)
		s, other := w.newSource(t, func(*api.SourceFields) {}), w.newSource(t,
			func(f *api.SourceFields) { f.Name = "Blog" })
		w.visitorFiles(t, other, "of another source", api.Visitor{})
		w.file(t, "of a member", "")
		for range 23 {
			w.visitorFiles(t, s, "flood", api.Visitor{})
		}
		_, err := w.UpdateSource(t.Context(), w.owner, valid(api.UpdateSource{SourceID: s.ID,
			Patch: api.SourcePatch{"approval": true}}))
		must(t, err)
		for range 22 {
			w.visitorFiles(t, s, "flood that waits", api.Visitor{})
		}
		out, err := w.RemoveSourceReports(t.Context(), w.owner, valid(api.RemoveSourceReports{SourceID: s.ID,
			Body: api.RemoveReportsFields{Since: api.At(time.Now().Add(-time.Hour))}}))
		must(t, err)
		assert.Equal(t, "removed", out, api.RemovedReports{Submissions: 22, Slices: 23})
		assert.Equal(t, "left", strings.Join(w.listed(t, api.SliceFilters{}), ","), "of a member,of another source")
		assert.Equal(t, "waiting", len(w.waiting(t)), 0)
		w.checkByteCounts(t)
	})
}

// TestRefusedReports: what a source refuses is counted by the reason and the day.
func TestRefusedReports(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		s := w.newSource(t, func(*api.SourceFields) {})
		must(t, w.Visitors().CountRefused(t.Context(), s.ID, "rate", 20))
		assert.Equal(t, "refused", w.today(t, s).Refused[0], api.RefusedReports{Reason: "rate", Count: 20})
	})
}

// TestOriginsHaveOneForm: origins are stored as browsers send them, and what is none is refused.
func TestOriginsHaveOneForm(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		s := w.newSource(t, func(f *api.SourceFields) {
			f.Origins = []string{"HTTPS://Shop.example.com/", "https://shop.example.com:443", "http://localhost:3000",
				"https://*.example.com",
				"http://[::1]:8080"}
		})
		assert.Equal(t, "origins", strings.Join(s.Origins, " "),
			"https://shop.example.com http://localhost:3000 https://*.example.com http://[::1]:8080")
		for _, bad := range []string{"shop.example.com", "https://*", "https://*.com", "https://a.*.example.com",
			"https://shop.example.com/cart",
			"ftp://shop.example.com", "https://user@shop.example.com", "null", "https://*.127.0.0.1", "https://"} {
			v, err := input.Check(api.UpdateSource{SourceID: s.ID, Patch: api.SourcePatch{"origins": []any{bad}}})
			if err == nil {
				_, err = w.UpdateSource(t.Context(), w.owner, v)
			}
			assert.Equal(t, bad, code(err), api.CodeInvalidBody)
		}
	})
}

// TestSourceSecrets: a rotated secret is good until its grace period ends; a new key of the instance reseals it.
func TestSourceSecrets(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		s := w.newSource(t, func(*api.SourceFields) {})
		rotate := func() string {
			out, err := w.RotateSourceSecret(t.Context(), w.owner, valid(api.RotateSourceSecret{SourceID: s.ID,
				Body: &api.RotateSourceFields{GracePeriodSeconds: 3600}}))
			must(t, err)
			assert.Equal(t, "last characters", *out.SecretLast4, out.Secret[len(out.Secret)-4:])
			return out.Secret
		}
		secrets := func() []string {
			all, err := w.Visitors().SourceSecrets(t.Context(), s.ID)
			must(t, err)
			return all
		}
		assert.Equal(t, "no secret", len(secrets()), 0)
		first := rotate()
		second := rotate()
		assert.Equal(t, "both", strings.Join(secrets(), " "), second+" "+first)
		w.now = w.now.Add(2 * time.Hour)
		assert.Equal(t, "after the grace period", strings.Join(secrets(), " "), second)
		sealed, err := w.store.Read(t.Context()).Sealed().All(api.At(w.now))
		must(t, err)
		for _, row := range sealed {
			if bytes.Contains([]byte(row.Sealed), []byte(second)) {
				t.Error("the secret is stored in clear")
			}
		}
	})
}

// again returns a source as it is now.
func (w *world) again(t *testing.T, key string) sources.Source {
	t.Helper()
	s, err := w.Visitors().SourceByKey(t.Context(), key)
	must(t, err)
	return s
}
