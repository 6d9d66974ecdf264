package web

import (
	"fmt"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/browsertest"
	"bugslice/internal/tracker"
)

// TestMy: each list has its reports and leads to all of them; a list without reports says so.
func TestMy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	for i := range 11 {
		w.file(t, w.caller(t, member), fmt.Sprint("Filed by Jonas ", i))
	}
	s := w.file(t, w.caller(t, member), "Done")
	for _, patch := range []api.SlicePatch{{"assigneeId": w.users[newcomer]}, {"status": "resolved"}} {
		_, err := w.UpdateSlice(t.Context(), w.caller(t, member),
			valid(t, api.UpdateSlice{SliceID: s.ID, Patch: patch}))
		must(t, err)
	}
	_, err := w.CreateComment(t.Context(), w.caller(t, member),
		valid(t, api.CreateComment{SliceID: s.ID, Body: api.CommentFields{Body: "@" + newcomer + "?"}}))
	must(t, err)
	filed := w.signedIn(t, member).get("/my").wants(200, "Filed by Jonas 10",
		"Filed by Jonas 2", "No open report is assigned to you.", "/reports?q=reporter%3Ame")
	if n := strings.Count(filed.body, `<li class="row `); n != 10 {
		t.Errorf("%d rows, not 10", n)
	}
	mentioned := w.signedIn(t, newcomer).get("/my").wants(200, "No open report is assigned to you.",
		"You have filed no report yet.", "/"+s.Reference, "/reports?q=mentions%3Ame")
	if n := strings.Count(mentioned.body, `<li class="row `); n != 1 {
		t.Errorf("%d rows, not 1", n)
	}
	w.signedIn(t, newcomer).get("/reports?q=mentions%3Ame").wants(200, s.Reference)
}

// TestBrowserFirstSteps: each step of a new workspace has its sign beside its text, at every width.
func TestBrowserFirstSteps(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	for _, size := range sizes {
		b.Size(size[0], size[1])
		b.Open("/my")
		steps := browsertest.Eval[[]string](b.Tab, `[...document.querySelectorAll(".step summary")].map((row) => {
			const [sign, title] = [".icon", "span:not(.visually-hidden)"].map((part) => row.querySelector(part).getBoundingClientRect());
			const apart = Math.abs(sign.top + sign.height / 2 - title.top - title.height / 2);
			return apart < 4 && sign.right <= title.left ? "beside" : "apart";
		})`)
		assert.Equal(t, fmt.Sprint(size[0], " px"), steps, []string{"beside", "beside", "beside", "beside", "beside"})
	}
	b.Quiet()
}
