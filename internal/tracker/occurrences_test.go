package tracker_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/assert"
	"bugslice/internal/tracker"
)

// report files an occurrence of the bug with a fingerprint, with evidence if there are messages.
func (w *world) report(t *testing.T, fingerprint string, fields api.SliceFields, messages ...string) api.Slice {
	t.Helper()
	if fields.Summary == "" {
		fields.Summary = "s"
	}
	in := api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace, Fingerprint: &fingerprint, SliceFields: fields}}
	if len(messages) > 0 {
		in.Body.Evidence = &api.Evidence{
			Actions: []api.ActionEntry{{Type: "click", Timestamp: api.At(w.now), Selector: &messages[0]}},
			Network: json.RawMessage(`{"log":{"version":"1.2","creator":{"name":"t","version":"1"},"entries":[` +
				harEntry(messages[0], 500) + `]}}`),
			Replay: []json.RawMessage{json.RawMessage(`{"type":4,"timestamp":1,"data":{"href":"https://shop.example/` +
				messages[0] + `"}}`)}}
		for _, m := range messages {
			in.Body.Evidence.Console = append(in.Body.Evidence.Console,
				api.ConsoleEntry{Level: "error", Timestamp: api.At(w.now), Message: m})
		}
	}
	made, err := w.CreateSlice(t.Context(), w.owner, valid(in))
	must(t, err)
	return made.Slice
}

func harEntry(path string, status int) string {
	return fmt.Sprintf(`{"startedDateTime":"2026-07-01T12:00:00.000Z","time":1,"cache":{},"timings":{"send":0,"wait":0,"receive":0},
		"request":{"method":"GET","url":"https://shop.example/%s","httpVersion":"HTTP/1.1","headers":[],"queryString":[],
			"cookies":[],"headersSize":-1,"bodySize":0},
		"response":{"status":%d,"statusText":"","httpVersion":"HTTP/1.1","headers":[],"cookies":[],
			"content":{"size":0,"mimeType":"text/plain"},"redirectURL":"","headersSize":-1,"bodySize":0}}`, path, status)
}

// evidenceAt returns the console messages, the requests, the actions, the archive and the replay of an occurrence,
// each with its number.
func (w *world) evidenceAt(t *testing.T, sliceID string, occurrence int) (read []string) {
	t.Helper()
	ctx := t.Context()
	console, err := w.ListConsole(ctx, w.owner,
		valid(api.ListConsole{SliceID: sliceID, Occurrence: occurrence, Paging: ten}))
	must(t, err)
	for _, e := range console.Data {
		read = append(read, fmt.Sprintf("%d %s", e.Occurrence, e.Message))
	}
	network, err := w.ListNetwork(ctx, w.owner,
		valid(api.ListNetwork{SliceID: sliceID, Occurrence: occurrence, Paging: ten}))
	must(t, err)
	for _, e := range network.Data {
		read = append(read, fmt.Sprintf("%d %s", e.Occurrence, e.URL))
	}
	actions, err := w.ListActions(ctx, w.owner,
		valid(api.ListActions{SliceID: sliceID, Occurrence: occurrence, Paging: ten}))
	must(t, err)
	for _, e := range actions.Data {
		read = append(read, fmt.Sprintf("%d %s", e.Occurrence, *e.Selector))
	}
	var archive, replay strings.Builder
	must(t, w.GetArchive(ctx, w.owner, valid(api.GetArchive{SliceID: sliceID, Occurrence: occurrence}), &archive))
	must(t, w.GetReplay(ctx, w.owner, valid(api.GetReplay{SliceID: sliceID, Occurrence: occurrence}), &replay))
	var har struct{ Log struct{ Entries []any } }
	var recording api.Replay
	must(t, json.Unmarshal([]byte(archive.String()), &har))
	must(t, json.Unmarshal([]byte(replay.String()), &recording))
	return append(read, fmt.Sprintf("%d in the archive, %d in the replay", len(har.Log.Entries), len(recording.Events)))
}

func wantEvidence(number int, messages ...string) (want []string) {
	for _, m := range messages {
		want = append(want, fmt.Sprintf("%d %s", number, m))
	}
	if len(messages) == 0 {
		return []string{"0 in the archive, 0 in the replay"}
	}
	return append(want, fmt.Sprintf("%d https://shop.example/%s", number, messages[0]),
		fmt.Sprintf("%d %s", number, messages[0]),
		"1 in the archive, 1 in the replay")
}

func wantEqual(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n%q\nwant\n%q", what, got, want)
	}
}

// TestEvidenceOfAnOccurrence: evidence is read of one occurrence, by default of the newest one that has any.
func TestEvidenceOfAnOccurrence(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.withFiles(t)
		s := w.report(t, "print", api.SliceFields{}, "first", "again")
		wantEqual(t, "the only one", w.evidenceAt(t, s.ID, 0), wantEvidence(1, "first", "again"))
		w.report(t, "print", api.SliceFields{}, "second")
		w.report(t, "print", api.SliceFields{})
		wantEqual(t, "by default", w.evidenceAt(t, s.ID, 0), wantEvidence(2, "second"))
		wantEqual(t, "the first", w.evidenceAt(t, s.ID, 1), wantEvidence(1, "first", "again"))
		wantEqual(t, "the second", w.evidenceAt(t, s.ID, 2), wantEvidence(2, "second"))
		wantEqual(t, "the third", w.evidenceAt(t, s.ID, 3), wantEvidence(3))
		_, err := w.ListConsole(t.Context(), w.owner, valid(api.ListConsole{SliceID: s.ID, Occurrence: 4, Paging: ten}))
		if code(err) != api.CodeInvalidParameter {
			t.Errorf("a fourth occurrence: %v", err)
		}
		if err := w.GetReplay(t.Context(), w.owner, valid(api.GetReplay{SliceID: s.ID, Occurrence: 4}),
			&strings.Builder{}); code(err) != api.CodeInvalidParameter {
			t.Errorf("the replay of a fourth occurrence: %v", err)
		}
	})
}

// TestPagesOfAnOccurrence: all pages of a list are of the occurrence of the first page, also when further reports are
// filed meanwhile.
func TestPagesOfAnOccurrence(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.withFiles(t)
		s := w.report(t, "print", api.SliceFields{}, "first", "again")
		in := api.ListConsole{SliceID: s.ID, Paging: api.Paging{Limit: 1}}
		page, err := w.ListConsole(t.Context(), w.owner, valid(in))
		must(t, err)
		w.report(t, "print", api.SliceFields{}, "second", "twice")
		in.Cursor = *page.Pagination.Cursor
		page, err = w.ListConsole(t.Context(), w.owner, valid(in))
		must(t, err)
		if len(page.Data) != 1 || page.Data[0].Message != "again" || page.Data[0].Occurrence != 1 ||
			page.Pagination.HasMore {
			t.Errorf("the second page: %s", marshal(t, page))
		}
	})
}

// TestFilesOfAnOccurrence: a file belongs to the occurrence that is given, by default to the newest one.
func TestFilesOfAnOccurrence(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.withFiles(t)
		s := w.report(t, "print", api.SliceFields{}, "first")
		w.report(t, "print", api.SliceFields{})
		add := func(occurrence int) (api.Attachment, error) {
			line := `{"level":"error","timestamp":"2026-07-01T12:00:00Z","message":"uploaded"}`
			return w.CreateAttachment(t.Context(), w.owner,
				valid(api.CreateAttachment{SliceID: s.ID, Kind: api.KindConsole, Name: "c", Occurrence: occurrence}),
				tracker.Upload{Body: strings.NewReader(line), ContentType: "application/x-ndjson",
					Length: int64(len(line))})
		}
		for given, want := range map[int]int64{0: 2, 1: 1, 2: 2} {
			if a, err := add(given); err != nil || a.Occurrence != want {
				t.Errorf("occurrence=%d: %d, %v", given, a.Occurrence, err)
			}
		}
		if _, err := add(3); code(err) != api.CodeInvalidParameter {
			t.Errorf("a third occurrence: %v", err)
		}
		console, err := w.ListConsole(t.Context(), w.owner, valid(api.ListConsole{SliceID: s.ID, Paging: ten}))
		must(t, err)
		if len(console.Data) != 2 || console.Data[0].Occurrence != 2 {
			t.Errorf("by default: %s", marshal(t, console.Data))
		}
	})
}

// TestListOccurrences: each report is listed, the newest first, with its reporter, its environment and whether it has
// evidence.
func TestListOccurrences(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.withFiles(t)
		var s api.Slice
		for n := range 12 {
			commit, external := fmt.Sprint("commit", n+1), fmt.Sprint("run-", n+1)
			w.now = w.now.Add(time.Second)
			s = w.report(t, "print", api.SliceFields{ExternalID: &external,
				Environment: api.Environment{Commit: &commit},
				Metadata:    map[string]string{"job": "nightly"}}, "message")
		}
		in := api.ListOccurrences{SliceID: s.ID, Paging: api.Paging{Limit: 5}}
		var all []api.SliceOccurrence
		for range 3 {
			page, err := w.ListOccurrences(t.Context(), w.owner, valid(in))
			must(t, err)
			if all = append(all, page.Data...); page.Pagination.Cursor != nil {
				in.Cursor = *page.Pagination.Cursor
			}
		}
		if len(all) != 12 {
			t.Fatalf("%d occurrences", len(all))
		}
		for i, o := range all {
			n := int64(12 - i)
			if o.Number != n || *o.Environment.Commit != fmt.Sprint("commit", n) ||
				*o.ExternalID != fmt.Sprint("run-", n) || o.Metadata["job"] != "nightly" ||
				o.Reporter.Name != w.owner.Name || o.HasEvidence != (n <= 10) || i > 0 &&
				!o.CreatedAt.Before(all[i-1].CreatedAt.Time) {
				t.Errorf("occurrence %d: %s", n, marshal(t, o))
			}
		}
		if all[0].CreatedAt != s.LastSeenAt || all[11].CreatedAt != s.CreatedAt {
			t.Errorf("the newest is of %s, the first of %s: %s", all[0].CreatedAt, all[11].CreatedAt, marshal(t, s))
		}
		w.checkByteCounts(t)
	})
}

// TestMarkdownOfOccurrences: the report has the environment and the evidence of the newest occurrence, and says how
// the others differ.
func TestMarkdownOfOccurrences(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.withFiles(t)
		var s api.Slice
		firefox := "Firefox 144"
		for n := range 3 {
			release := fmt.Sprint("2026.", n+1)
			s = w.report(t, "print", api.SliceFields{Environment: api.Environment{Browser: &firefox, Release: &release},
				Metadata: map[string]string{"run": "same"}},
				fmt.Sprint("message", n+1))
		}
		text, err := w.Markdown(t.Context(), w.owner, valid(api.GetSlice{SliceID: s.ID, MaxTokens: 4000}))
		must(t, err)
		for _, want := range []string{"## Environment in occurrence 3\n\n```text\nbrowser: Firefox 144\nrelease: 2026.3\nrun: same\n```",
			"s error: message3\n", "https://shop.example/message3", "click message3",
			"## Other occurrences, and how they differ from the newest one\n\n```text\n2: ",
			" with evidence\n   release: 2026.2\n   also failed: error: message2\n" +
				"   also failed: GET https://shop.example/message2 → 500\n" +
				"   did not fail: error: message3\n", " with evidence\n   release: 2026.1\n   also failed: error: message1\n",
			"- occurrence 1, console `console.ndjson`"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
		for _, other := range []string{"s error: message1", "s error: message2"} {
			if strings.Contains(text, other) {
				t.Errorf("%s in\n%s", other, text)
			}
		}
		only := w.report(t, "another", api.SliceFields{}, "message")
		text, err = w.Markdown(t.Context(), w.owner, valid(api.GetSlice{SliceID: only.ID, MaxTokens: 4000}))
		must(t, err)
		first, err := w.Markdown(t.Context(), w.owner, valid(api.GetSlice{SliceID: s.ID, MaxTokens: 4000, Occurrence: 1}))
		must(t, err)
		assert.Contains(t, "the report of the first occurrence", first, "## Environment in occurrence 1\n\n```text\n"+
			"browser: Firefox 144\nrelease: 2026.1\n", "s error: message1\n", "how they differ from occurrence 1\n", "\n3: ")
		if _, err := w.Markdown(t.Context(), w.owner, valid(api.GetSlice{SliceID: s.ID, Occurrence: 4})); code(err) !=
			api.CodeInvalidParameter {
			t.Errorf("an occurrence that is not there: %v", err)
		}
		if strings.Contains(text, "occurrence") {
			t.Errorf("a slice with one occurrence names it:\n%s", text)
		}
	})
}

// TestMarkdownOfAnOldOccurrence: when the newest evidence is of an occurrence long ago, the report says where that
// one was seen, also when it is short.
func TestMarkdownOfAnOldOccurrence(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.withFiles(t)
		var s api.Slice
		for n := range 15 {
			release := fmt.Sprint("2026.", n+1)
			fields := api.SliceFields{Environment: api.Environment{Release: &release}}
			if s = w.report(t, "print", fields); n == 2 {
				s = w.report(t, "print", fields, "the only message")
			}
		}
		for _, maxTokens := range []int{500, 4000} {
			text, err := w.Markdown(t.Context(), w.owner, valid(api.GetSlice{SliceID: s.ID, MaxTokens: maxTokens}))
			must(t, err)
			for _, want := range []string{"happened in occurrence 4\n", "\n4: ",
				" with evidence\n   release: 2026.3\n"} {
				if !strings.Contains(text, want) {
					t.Errorf("%d tokens: no %q in\n%s", maxTokens, want, text)
				}
			}
		}
	})
}

// TestMarkdownNamesWhatItDoesNotShow: a report says how many requests and messages it does not show, and where they
// are: all of evidence without an error, and the others beside an error. It names the original of a duplicate and
// every fact of the environment.
func TestMarkdownNamesWhatItDoesNotShow(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.withFiles(t)
		original := w.report(t, "first", api.SliceFields{})
		screen, fingerprint := "2880x1800", "twice"
		var s api.Slice
		for n := range 2 {
			ratio := 1.5 + float64(n)/2
			in := api.NewSlice{WorkspaceID: &w.workspace, Fingerprint: &fingerprint,
				SliceFields: api.SliceFields{Summary: "twice",
					DuplicateOfID: &original.ID,
					Environment:   api.Environment{Screen: &screen, DevicePixelRatio: &ratio}}}
			in.Evidence = &api.Evidence{
				Network: json.RawMessage(`{"log":{"version":"1.2","creator":{"name":"t","version":"1"},"entries":[` +
					harEntry("orders", 201) + "," + harEntry("orders", 201) + `]}}`)}
			for range 4 + n {
				in.Evidence.Console = append(in.Evidence.Console,
					api.ConsoleEntry{Level: "info", Timestamp: api.At(w.now), Message: "ordered"})
			}
			made, err := w.CreateSlice(t.Context(), w.owner, valid(api.CreateSlice{Body: in}))
			must(t, err)
			s = made.Slice
		}
		text, err := w.Markdown(t.Context(), w.owner, valid(api.GetSlice{SliceID: s.ID, MaxTokens: 4000}))
		must(t, err)
		for _, want := range []string{"\n- 2 requests, none of which failed: /network\n",
			" 5 × info: ordered\n",
			"\n- duplicate of: " + original.Reference + " (" + original.ID + ")\n",
			"\nscreen: 2880x1800\ndevice pixel ratio: 2\n", "with evidence\n   device pixel ratio: 1.5\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
		in := api.NewSlice{WorkspaceID: &w.workspace, Fingerprint: &fingerprint,
			SliceFields: api.SliceFields{Summary: "thrice"}}
		in.Evidence = &api.Evidence{Network: json.RawMessage(`{"log":{"version":"1.2","creator":{"name":"t","version":"1"},"entries":[` +
			harEntry("orders", 201) + "," + harEntry("orders", 500) + "," + harEntry("orders", 500) + "," +
			harEntry("cart", 200) + `]}}`)}
		for _, level := range []api.ConsoleLevel{"info", "error", "log", "warn", "error", "debug"} {
			in.Evidence.Console = append(in.Evidence.Console,
				api.ConsoleEntry{Level: level, Timestamp: api.At(w.now), Message: "ordered"})
		}
		in.Evidence.Console = append(in.Evidence.Console,
			api.ConsoleEntry{Level: "info", Timestamp: api.At(w.now.Add(-time.Hour)), Message: "earlier"})
		must(t, second(w.CreateSlice(t.Context(), w.owner, valid(api.CreateSlice{Body: in}))))
		text, err = w.Markdown(t.Context(), w.owner, valid(api.GetSlice{SliceID: s.ID, MaxTokens: 4000}))
		must(t, err)
		assert.Contains(t, "the report with errors", text, "\n- 2 other requests, none of which failed: /network\n",
			" info: ordered\n", " debug: ordered\n",
			"\n- 1 other messages of the console, without an error or a warning: /console\n")
		bare := w.report(t, "bare", api.SliceFields{})
		if text, err = w.Markdown(t.Context(), w.owner,
			valid(api.GetSlice{SliceID: bare.ID, MaxTokens: 4000})); strings.Contains(text,
			"## Environment") {
			t.Errorf("an empty environment, %v:\n%s", err, text)
		}
	})
}

// TestMarkdownNamesWhatTheCallerMayRead: the workspace, the space and the assignee have their names for those who may
// read these, without markup, and a key that reads slices alone gets their identifiers.
func TestMarkdownNamesWhatTheCallerMayRead(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		space, err := w.CreateSpace(t.Context(), w.owner,
			valid(api.CreateSpace{WorkspaceID: w.workspace, Body: api.SpaceFields{Name: "Check`out"}}))
		must(t, err)
		s := w.report(t, "named", api.SliceFields{SpaceID: &space.ID, AssigneeID: &w.owner.ID})
		reader := w.authenticate(t, w.mint(t, []api.Scope{api.SlicesRead}).Token)
		for _, test := range []struct {
			caller          access.Caller
			space, assignee string
		}{
			{w.owner, space.ID + " `Check'out`", w.owner.ID + " `" + w.owner.Name + "`"},
			{reader, space.ID, w.owner.ID},
		} {
			text, err := w.Markdown(t.Context(), test.caller, valid(api.GetSlice{SliceID: s.ID, MaxTokens: 4000}))
			must(t, err)
			assert.Contains(t, "the report", text, "\n- space: "+test.space+"\n", "\n- assignee: "+test.assignee+"\n")
		}
	})
}
