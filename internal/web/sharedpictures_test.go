package web

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/store"
)

// TestShareKeepsPastedPictures: a picture that is pasted into a private comment, and its annotated copy, are not
// shared before the comment is sent, while it is there, and after it is deleted; a comment contains the copy in the
// place of the picture.
func TestShareKeepsPastedPictures(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	c := w.caller(t, owner)
	b, stranger := w.signedIn(t, owner), w.browser(t)
	path, _ := w.share(t, c, "WEB-161")
	hidden := func(what, id string) {
		t.Helper()
		for _, below := range []string{"/files/" + id, "/files/" + id + "/thumbnail"} {
			if a := stranger.get(path + below); a.status != 404 {
				t.Errorf("%s: %d", what, a.status)
			}
		}
		if strings.Contains(stranger.get(path).body, id) {
			t.Errorf("%s: on the page", what)
		}
	}
	ids := regexp.MustCompile(`att_\w{26}`)
	files := []file{{"private.png", screenshot(t, 60, 40)}}
	id := ids.FindString(b.postFiles("/WEB-161/pictures", files, "once", "1").wants(200).body)
	hidden("before the comment", id)
	m, err := w.CreateComment(t.Context(), c, valid(t, api.CreateComment{SliceID: "WEB-161",
		Body: api.CommentFields{Body: "private ![](/files/" + id + ")"}}))
	must(t, err)
	hidden("in a private comment", id)
	beside := ids.FindString(b.postFiles("/files/"+id+"/annotated", files,
		"once", "2", "keepOriginal", "on").wants(303).header.Get("Location"))
	hidden("a copy beside it", beside)
	instead := ids.FindString(b.postFiles("/files/"+id+"/annotated", files, "once", "3").wants(303).
		header.Get("Location"))
	hidden("a copy in its place", instead)
	b.get("/WEB-161").wants(200, "/files/"+instead)
	_, err = w.DeleteComment(t.Context(), c, valid(t, api.DeleteComment{CommentID: m.ID}))
	must(t, err)
	hidden("after the comment is deleted", instead)
}

// TestShareNamesAreText: the name of a member whom a text mentions is text on the page of a share, whatever it is and
// wherever.
func TestShareNamesAreText(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	c := w.caller(t, owner)
	for _, name := range []string{"Support](https://evil.example/login) **[Sign in here",
		"<!-- x", "`x", "https://evil.example/ x", "www.evil.example", "a|b", "x@evil.example"} {
		must(t, w.store.Write(t.Context(), func(tx *store.Tx) error {
			u, err := tx.User(w.users[member])
			u.Name = name
			return errors.Join(err, tx.UpdateProfile(u))
		}))
		text := "Ask [@" + member + "](/x) or @" + member + " *today*.\n\n`@" + member + "` ok\n\n@" + member +
			"\n\nthe rest -->"
		_, err := w.UpdateSlice(t.Context(), c, valid(t, api.UpdateSlice{SliceID: "WEB-161",
			Patch: api.SlicePatch{"description": text}}))
		must(t, err)
		path, _ := w.share(t, c, "WEB-161")
		a := w.browser(t).get(path).wants(200, "the rest")
		prose := regexp.MustCompile(`(?s)<div class="prose".*?</div>`).FindString(a.body)
		if strings.Contains(prose, `href="http`) || strings.Contains(prose, `href="mailto`) ||
			strings.Contains(prose, "<strong>") ||
			strings.Contains(prose, member) || !strings.Contains(prose, "<em>today</em>") {
			t.Errorf("%q: %s", name, prose)
		}
	}
}
