package tracker_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"bugslice/api"
)

// TestEveryMessageIsBounded: every message has at most 20 kB, keeps as much as fits, and names the truncated members.
func TestEveryMessageIsBounded(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.hook(t)
		long := strings.Repeat("<", 2000)
		s := w.file(t, strings.Repeat("<", 200), "")
		_, err := w.CreateComment(t.Context(), w.owner, valid(api.CreateComment{SliceID: s.ID,
			Body: api.CommentFields{Body: strings.Repeat("<", 65_536)}}))
		must(t, err)
		patterns := make([]any, 50)
		for i := range patterns {
			patterns[i] = map[string]any{"pattern": fmt.Sprint("<", i), "mask": strings.Repeat("<", 100)}
		}
		for _, patch := range []api.WorkspacePatch{
			{"description": long, "redaction": map[string]any{"patterns": patterns}},
			{"description": nil, "redaction": map[string]any{"patterns": []any{}}},
		} {
			_, err = w.UpdateWorkspace(t.Context(), w.owner,
				valid(api.UpdateWorkspace{WorkspaceID: w.workspace, Patch: patch}))
			must(t, err)
		}
		metadata := map[string]any{}
		for i := range 50 {
			metadata[fmt.Sprint(i)] = strings.Repeat("<", 500)
		}
		_, err = w.patch(t, s.ID, api.SlicePatch{"sourceUrl": "https://example.com/" + long, "metadata": metadata})
		must(t, err)
		w.now = time.Now().Add(time.Second)
		w.deliver(t)
		cut := map[string]int{}
		for _, m := range w.sender.got {
			var e api.Event
			must(t, json.Unmarshal(m.Body, &e))
			if len(m.Body) > 20_000 || e.Data.Comment != nil && len(m.Body) < 14_000 {
				t.Errorf("%s has %d bytes", e.Type, len(m.Body))
			}
			cut[fmt.Sprint(e.Type, e.Data.Cut)]++
		}
		for _, want := range []string{"slice.created[]", "slice.comment.created[comment.body]",
			"workspace.updated[workspace.redaction.patterns]",
			"workspace.updated[previous.description previous.redaction]", "slice.updated[slice.metadata]"} {
			if cut[want] != 1 {
				t.Errorf("%d of %s among %v", cut[want], want, cut)
			}
		}
	})
}
