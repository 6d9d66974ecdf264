package web

import (
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
)

// TestLabelColors: an admin chooses the colour of a label, which the list, the filter, the report and the
// settings show. A label that is renamed takes its colour along, one that joins another takes that one's, and
// one that is removed loses it. A choice leaves the colours that others have chosen meanwhile.
func TestLabelColors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, api.SliceFields{Summary: "Mug", Labels: []string{"cart"}}, api.SliceFields{Summary: "Cup",
		Labels: []string{"web"}},
		api.SliceFields{Summary: "Pot", Labels: []string{"shop"}})
	b := w.signedIn(t, owner)
	const page, change = "/settings/workspace?workspace=WEB", "/settings/workspace/labels?workspace=WEB"
	is := func(label, class string) {
		t.Helper()
		b.get(reportsAt("label:"+label)).wants(200, `<a class="label `+class+`"`)
		b.get("/reports/filter?workspace=WEB&by=label").wants(200, `label-dot `+class+`"`)
		b.get(page).wants(200, `<bdi class="label `+class+`">`+label)
	}
	b.post(change, "label", "cart", "name", "cart", "former", "", "color", "red").wants(303)
	b.get(page).wants(200, `name="color" value="red" checked`)
	is("cart", "label-2")
	b.post(change, "label", "cart", "name", "cart", "former", "", "color", "").wants(303)
	is("cart", "label-2") // in a page from before it was chosen, it was not changed
	b.post(change, "label", "shop", "name", "shop", "former", "", "color", "teal").wants(303)
	is("shop", "label-6")
	b.post(change, "label", "cart", "name", "cart", "former", "red", "color", "mauve").wants(422)
	w.signedIn(t, member).post(change, "label", "cart", "name", "cart", "former", "red", "color", "blue").wants(403)

	b.post(change, "label", "cart", "name", "basket").wants(303)
	is("basket", "label-2")
	b.post(change, "label", "web", "name", "net", "former", "", "color", "red").wants(303)
	is("net", "label-2")
	b.post(change, "label", "basket", "name", "shop", "former", "red", "color", "blue").wants(303)
	is("shop", "label-6")
	b.post(change, "label", "net", "do", "remove", "name", "").wants(303)
	b.post(change, "label", "shop", "do", "remove", "name", "").wants(303)
	v, err := w.MyWorkspaces(t.Context(), w.caller(t, owner))
	if err != nil {
		t.Fatal(err)
	}
	for _, mine := range v {
		assert.Equal(t, "the colours that are left in "+mine.Key, len(mine.LabelColors), 0)
	}
}
