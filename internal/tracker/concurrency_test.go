package tracker_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"bugslice/api"
	"bugslice/internal/blob"
	"bugslice/internal/tracker"
)

// withFiles gives the world a place for files.
func (w *world) withFiles(t *testing.T) {
	t.Helper()
	b, err := blob.Open("", t.TempDir(), func(string) string { return "" })
	must(t, err)
	w.with(t, func(o *tracker.Options) { o.Blobs = b })
}

// TestConcurrentChangesOfAnAttachment: of two changes at once none is lost.
func TestConcurrentChangesOfAnAttachment(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.withFiles(t)
		s := w.file(t, "one", "")
		for i := range 20 {
			a, err := w.CreateAttachment(t.Context(), w.owner, valid(api.CreateAttachment{SliceID: s.ID, Name: "a"}),
				tracker.Upload{Body: strings.NewReader("hello"), ContentType: "text/plain",
					Memory: w.Reserve(w.owner, func() {})})
			must(t, err)
			name := fmt.Sprint("b", i)
			var work sync.WaitGroup
			for _, patch := range []api.AttachmentPatch{{"name": name}, {"kind": "other"}} {
				work.Go(func() {
					if _, err := w.UpdateAttachment(t.Context(), w.owner,
						valid(api.UpdateAttachment{AttachmentID: a.ID, Patch: patch})); err != nil {
						t.Error(err)
					}
				})
			}
			work.Wait()
			got, err := w.store.Read(t.Context()).Attachment(a.ID)
			must(t, err)
			if got.Name != name || got.Kind != api.KindOther {
				t.Fatalf("round %d: %s %s", i, got.Name, got.Kind)
			}
		}
	})
}

// TestEditsOfACommentAreInOrder: concurrent edits of a comment are recorded in order: each event has the text of the
// edit before it.
func TestEditsOfACommentAreInOrder(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		s := w.file(t, "one", "")
		c, err := w.CreateComment(t.Context(), w.owner,
			valid(api.CreateComment{SliceID: s.ID, Body: api.CommentFields{Body: "first"}}))
		must(t, err)
		var work sync.WaitGroup
		for i := range 20 {
			work.Go(func() {
				if _, err := w.UpdateComment(t.Context(), w.owner,
					valid(api.UpdateComment{CommentID: c.ID,
						Patch: api.CommentPatch{"body": fmt.Sprint(i)}})); err != nil {
					t.Error(err)
				}
			})
		}
		work.Wait()
		before := "first"
		for _, e := range w.events(t) {
			if e.Type != api.EventCommentUpdated {
				continue
			}
			var data struct {
				Comment  api.Comment
				Previous map[string]any
			}
			must(t, json.Unmarshal([]byte(e.Data), &data))
			if data.Previous["body"] != before {
				t.Errorf("%v, and not %s, became %s", data.Previous["body"], before, data.Comment.Body)
			}
			before = data.Comment.Body
		}
	})
}

// TestConcurrentChangesOfOneRecord: of any number of concurrent changes of one record none is refused.
func TestConcurrentChangesOfOneRecord(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		s, h := w.file(t, "one", ""), w.hook(t)
		for what, change := range map[string]func(text string) error{
			"slice": func(text string) error {
				return second(w.UpdateSlice(t.Context(), w.owner,
					valid(api.UpdateSlice{SliceID: s.ID, Patch: api.SlicePatch{"summary": text}})))
			},
			"workspace": func(text string) error {
				return second(w.UpdateWorkspace(t.Context(), w.owner,
					valid(api.UpdateWorkspace{WorkspaceID: w.workspace, Patch: api.WorkspacePatch{"name": text}})))
			},
			"webhook": func(text string) error {
				return second(w.UpdateWebhook(t.Context(), w.owner,
					valid(api.UpdateWebhook{WebhookID: h.ID, Patch: api.WebhookPatch{"description": text}})))
			},
		} {
			t.Run(what, func(t *testing.T) {
				var work sync.WaitGroup
				for i := range 64 {
					work.Go(func() {
						for j := range 4 {
							if err := change(fmt.Sprint(what, i, "-", j)); err != nil {
								t.Error(err)
							}
						}
					})
				}
				work.Wait()
			})
		}
	})
}
