package tracker_test

import (
	"encoding/json"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
)

// TestScreenAtAMoment: the page is what the replay has shown until a moment, by default until its end; before it, and
// without a replay, there is none.
func TestScreenAtAMoment(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.withFiles(t)
		start := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
		at := func(seconds int) *api.Time { return new(api.At(start.Add(time.Duration(seconds) * time.Second))) }
		event := func(seconds, kind int, data string) json.RawMessage {
			text, err := json.Marshal(map[string]any{"type": kind, "timestamp": at(seconds).UnixMilli(),
				"data": json.RawMessage(data)})
			must(t, err)
			return text
		}
		s, err := w.CreateSlice(t.Context(), w.owner, valid(api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace,
			SliceFields: api.SliceFields{Summary: "s"}, Evidence: &api.Evidence{Replay: []json.RawMessage{
				event(0, 4, `{"href":"https://shop.example.com/cart","width":9,"height":9}`),
				event(0, 2, `{"initialOffset":{"top":0,"left":0},"node":{"type":0,"id":1,"childNodes":[
					{"type":2,"id":2,"tagName":"p","attributes":{},"childNodes":[{"type":3,"id":3,"textContent":"Loading"}]}]}}`),
				event(5, 3, `{"source":0,"texts":[{"id":3,"value":"It failed"}],"attributes":[],"removes":[],"adds":[]}`)}}}}))
		must(t, err)
		none, err := w.CreateSlice(t.Context(), w.owner, valid(api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace,
			SliceFields: api.SliceFields{Summary: "s"}}}))
		must(t, err)
		page := new("https://shop.example.com/cart")
		for _, c := range []struct {
			in   api.GetScreen
			want api.Screen
		}{
			{api.GetScreen{SliceID: s.ID}, api.Screen{At: at(5), URL: page, Lines: []string{"It failed"}, Complete: true}},
			{api.GetScreen{SliceID: s.ID, At: at(4)}, api.Screen{At: at(0), URL: page, Lines: []string{"Loading"}, Complete: true}},
			{api.GetScreen{SliceID: s.ID, At: at(-1)}, api.Screen{Lines: []string{}, Complete: true}},
			{api.GetScreen{SliceID: none.ID}, api.Screen{Lines: []string{}, Complete: true}},
		} {
			got, err := w.GetScreen(t.Context(), w.owner, valid(c.in))
			must(t, err)
			assert.Equal(t, "the page", got, c.want)
		}
	})
}
