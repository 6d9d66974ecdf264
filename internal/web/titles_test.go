package web

import (
	"regexp"
	"strings"
	"testing"
)

// TestLongTitle: a title that is too long is refused with all of its text, which a browser does not cut off before.
func TestLongTitle(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	cut := regexp.MustCompile(`<input[^>]* name="summary"[^>]* maxlength=`)
	for _, path := range []string{"/new?workspace=WEB", "/WEB-161?edit=summary"} {
		if a := b.get(path).wants(200, `name="summary"`); cut.MatchString(a.body) {
			t.Errorf("%s cuts off a title", path)
		}
	}
	long := strings.Repeat("é", 500)
	b.post("/new", "workspaceId", w.web, "summary", long).
		wants(422, "at most 200 characters, but it has 500", `value="`+long+`"`)
	former := regexp.MustCompile(`name="former" value="([^"]+)"`).
		FindStringSubmatch(b.get("/WEB-161?edit=summary").body)[1]
	b.post("/WEB-161/text", "version", "1", "former", former, "summary",
		long).wants(422, "at most 200 characters, but it has 500", `value="`+long+`"`)
}
