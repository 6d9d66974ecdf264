package web

import (
	"slices"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/tracker"
)

// TestMentions: a report lists those that mention it in their texts, of which its reader sees each.
func TestMentions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.capture(t, api.NewSlice{SliceFields: api.SliceFields{Summary: "Mentions it", Description: new("As in WEB-161.")}})
	w.comment(t, member, "No other one")
	all := w.workspaces(t, owner)
	app := all[slices.IndexFunc(all, func(m tracker.MyWorkspace) bool { return m.Key == "APP" })].ID
	made, err := w.CreateSlice(t.Context(), w.caller(t, owner), valid(t, api.CreateSlice{Body: api.NewSlice{
		WorkspaceID: &app, SliceFields: api.SliceFields{Summary: "Elsewhere", Description: new("See WEB-161")}}}))
	must(t, err)
	w.signedIn(t, owner).get("/WEB-161").wants(200, "Mentioned in", `href="/WEB-162"`, `href="/`+made.Reference+`"`)
	w.signedIn(t, member).get("/WEB-161").wants(200, "Mentioned in", `href="/WEB-162"`).lacks(made.Reference, "Elsewhere")
	w.signedIn(t, owner).get("/WEB-162").wants(200).lacks("Mentioned in")
}

// TestDaysOfReport: a bug that was reported several times has a plot of its last 30 days in the zone of the reader,
// with a table behind it. One that was reported once, or not of late, has none.
func TestDaysOfReport(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	shop := "/" + w.fileShop(t, func(name string) string { return name })
	today := w.clock.now().UTC().Format("2 Jan 2006")
	b := w.signedIn(t, owner)
	b.get(shop).wants(200, "Reported 3 times in the last 30 days", "<td>"+today+`</td><td class="number">3</td>`,
		"<title>"+today+": 3</title>")
	w.clock.add(40 * 24 * time.Hour)
	w.signedIn(t, owner).get(shop).wants(200).lacks("in the last 30 days")
	w.signedIn(t, owner).get("/WEB-161").wants(200).lacks("in the last 30 days")
}
