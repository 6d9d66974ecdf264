package tracker_test

import (
	"fmt"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/store"
)

// TestDeletedCommentIsForgotten: no event has the text of a deleted comment, with any number of events before it; the
// texts of other comments stay.
func TestDeletedCommentIsForgotten(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		s := w.file(t, "one", "")
		must(t, w.store.Write(t.Context(), func(tx *store.Tx) error {
			for range 10_001 {
				e := store.Event{ID: id.New(id.Event), OrgID: w.owner.Organization.ID,
					WorkspaceID: &w.workspace, Type: api.EventCommentCreated,
					Actor: store.Actor{Type: "user"}, SubjectKind: "comment",
					SubjectID: s.ID, Data: []byte(`{"comment":{"id":"cmt_other","body":"x"}}`), CreatedAt: s.CreatedAt}
				tx.InsertEvent(e)
			}
			return nil
		}))
		say := func(body string) api.Comment {
			c, err := w.CreateComment(t.Context(), w.owner,
				valid(api.CreateComment{SliceID: s.ID, Body: api.CommentFields{Body: body}}))
			must(t, err)
			return c
		}
		c := say("very private")
		_, err := w.UpdateComment(t.Context(), w.owner, valid(api.UpdateComment{CommentID: c.ID,
			Patch: api.CommentPatch{"body": "still very private"}}))
		must(t, err)
		say(fmt.Sprintf(`others said: "id":"%s"`, c.ID))
		say(c.ID)
		say(fmt.Sprintf(`{"comment":{"id":"%s"}}`, c.ID))
		_, err = w.DeleteComment(t.Context(), w.owner, valid(api.DeleteComment{CommentID: c.ID}))
		must(t, err)
		told := map[string]int{}
		for _, e := range w.events(t) {
			for _, text := range []string{"very private", "others said", "[deleted]"} {
				if strings.Contains(e.Data, text) {
					told[text]++
				}
			}
		}
		if told["very private"] != 0 || told["others said"] != 1 || told["[deleted]"] != 3 {
			t.Errorf("%v", told)
		}
	})
}
