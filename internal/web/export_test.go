package web

import (
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"bugslice/api"
)

// TestExport: the list is exported as it is filtered and in its order, over several pages of the operation, with the
// names of people, and without a cell that a spreadsheet would calculate.
func TestExport(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	mara := w.users[owner]
	w.fileMany(t, numbered(120, api.SliceFields{Labels: []string{"many"}, AssigneeID: &mara})...)
	formulas := []string{`=HYPERLINK("https://evil.example","x")`, "+1", "-1", "@SUM(A1)", "  =1+1", "＝1", "\u200b=1", "\u00ad+1", "﹦1"}
	for _, text := range formulas {
		w.fileMany(t, api.SliceFields{Summary: text, Labels: []string{"cells"}})
	}
	w.fileMany(t, api.SliceFields{Summary: `Commas, ";=1" and é`, Labels: []string{"cells", "a b"}})
	b := w.signedIn(t, member)

	a := b.get("/reports/export?workspace=WEB&q=label:many+sort:created-asc").wants(200)
	if got := a.header.Get("Content-Disposition"); got != `attachment; filename="reports.csv"` {
		t.Errorf("the file is %s", got)
	}
	rows, err := csv.NewReader(strings.NewReader(a.body)).ReadAll()
	must(t, err)
	if len(rows) != 121 {
		t.Fatalf("%d rows, not a head and 120 reports", len(rows))
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	cell := func(row int, name string) string { return rows[row][column[name]] }
	if cell(1, "Summary") != "Report 001" || cell(120, "Summary") != "Report 120" ||
		cell(1, "Assignee") != "Mara Lindqvist" || cell(1, "Workspace") != "Web shop" || cell(1, "Labels") != "many" ||
		!strings.HasSuffix(cell(1, "Address"), "/"+cell(1, "Reference")) {
		t.Errorf("the first row is %q", rows[1])
	}

	a = b.get("/reports/export?q=label:cells+sort:created-asc").wants(200)
	rows, err = csv.NewReader(strings.NewReader(a.body)).ReadAll()
	must(t, err)
	for i, text := range append(formulas, `Commas, ";=1" and é`) {
		want := text
		if i < len(formulas) {
			want = "'" + text
		}
		if got := cell(i+1, "Summary"); strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("%q is exported as %q", text, got)
		}
	}

	var all []api.Slice
	a = b.get("/reports/export?format=json&q=label:many").wants(200)
	must(t, json.Unmarshal([]byte(a.body), &all))
	if len(all) != 120 || all[0].Summary != "Report 120" {
		t.Errorf("%d reports, of which the first is %+v", len(all), all[0])
	}
	if a := b.get("/reports/export?format=json&q=label:nowhere").wants(200); json.Unmarshal([]byte(a.body), &all) != nil ||
		len(all) != 0 {
		t.Errorf("nothing is exported as %q", a.body)
	}
	b.get("/reports/export?format=xlsx").wants(400, "format must be csv or json")
	b.get("/reports/export?q=stauts:open").wants(400, "stauts")
	b.get("/reports?workspace=WEB&q=label:many").wants(200,
		`href="/reports/export?format=csv&amp;q=label%3Amany&amp;workspace=WEB"`)
	if a := w.signedIn(t, stranger).get("/reports/export?format=json").wants(200); strings.Contains(a.body, "Report") {
		t.Errorf("a stranger exports %s", a.body)
	}
}
