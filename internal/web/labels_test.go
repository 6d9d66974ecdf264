package web

import (
	"strings"
	"testing"

	"bugslice/api"
)

// TestLabels: an admin renames a label of many reports, joins it with another one, and removes it. Others may not. Many
// labels can be searched, and those of most reports come first.
func TestLabels(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(130, api.SliceFields{Labels: []string{"chekout", "web"}})...)
	w.fileMany(t, api.SliceFields{Summary: "Both", Labels: []string{"checkout", "chekout"}})
	b := w.signedIn(t, owner)
	const page, change = "/settings/workspace?workspace=WEB", "/settings/workspace/labels?workspace=WEB"
	count := func(label, want string) {
		t.Helper()
		b.get(reportsAt("label:"+label)).wants(200, `<span class="number">`+want+`</span> report`)
	}
	b.get(page).wants(200, `name="label" value="chekout"`)
	b.post(change, "label", "chekout", "name", " checkout ").wants(303)
	b.get(page).wants(200, "131 reports are changed.").lacks("chekout")
	count("checkout", "131")
	count("web", "130")
	b.get("/reports/export?format=json&q=both").wants(200, `"labels":["checkout"]`)
	b.post(change, "label", "web", "name", "a,b").wants(422, `value="a,b"`, `id="label-fault"`)
	b.post(change, "label", "web", "name", " ").wants(422)
	b.post(change, "label", "web", "name", "\u200b").wants(422) // would remove it
	b.post(change, "label", "web", "do", "remove", "name", "").wants(303)
	b.get(page).wants(200, "130 reports are changed.").lacks(`name="label" value="web"`)
	b.post(change, "label", "nowhere", "name", "x").wants(303)
	b.get(page).wants(200, "0 reports are changed.")
	w.signedIn(t, member).post(change, "label", "checkout", "do", "remove").wants(403)
	b.get(page).lacks("Find a label")
	w.fileMany(t, api.SliceFields{Summary: "Many", Labels: strings.Fields("a1 a2 a3 a4 a5 a6 a7 a8 a9 b1 b2")})
	shown := b.get(page).wants(200, "Find a label").body
	if strings.Index(shown, `name="label" value="checkout"`) > strings.Index(shown, `name="label" value="a1"`) {
		t.Error("the label of most reports is not the first one")
	}
	b.get(page+"&search=B2").wants(200, `name="label" value="b2"`).lacks(`name="label" value="a1"`)
	b.get(page+"&search=nowhere").wants(200, "No label has this name.")
	b.get(page+"&search=-").wants(200, "No label has this name.")
	count("checkout", "131")
}
