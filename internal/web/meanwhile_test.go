package web

import (
	"fmt"
	"strings"
	"testing"

	"bugslice/api"
)

// TestChangeMeanwhile: a change of one field applies although somebody has changed another one since the page was
// shown, on the page of the report, in the list and on the board. When they have changed the same field, their value
// stays, and the notice says so.
func TestChangeMeanwhile(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"/WEB-161", "/reports?q=number%3A161&workspace=WEB", "/board?workspace=WEB"} {
		t.Run(strings.Split(at, "?")[0], func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, table, nil)
			b := w.signedIn(t, owner)
			meanwhile := func(p api.SlicePatch) {
				t.Helper()
				_, err := w.UpdateSlice(t.Context(), w.caller(t, member),
					valid(t, api.UpdateSlice{SliceID: "WEB-161", Patch: p}))
				must(t, err)
			}
			version := func() string {
				t.Helper()
				s, err := w.GetSlice(t.Context(), w.caller(t, owner), valid(t, api.GetSlice{SliceID: "WEB-161"}))
				must(t, err)
				return strings.Trim(api.ETag(s.Version), `"`)
			}
			choose := func(version string, change ...string) answer {
				t.Helper()
				b.post(at, append(change, "version", version, "items", "WEB-161 "+version)...).wants(303)
				return b.get(at)
			}
			w.describe(t, "x")
			seen := version()
			meanwhile(api.SlicePatch{"priority": "high", "labels": []any{"theirs"}, "summary": "Another title"})
			choose(seen, "status", "in_progress").wants(200, "WEB-161: In progress.")
			choose(seen, "severity", "major").wants(200, "WEB-161: severity Major.")
			choose(seen, "addLabel", "mine").wants(200, "WEB-161: label <bdi>mine</bdi> added.")
			choose(seen, "priority", "low").wants(200, "WEB-161 changed meanwhile and stays as it is.")
			choose(seen, "resolution", "fixed").wants(200, "WEB-161 changed meanwhile and stays as it is.")
			choose(version(), "resolution", "fixed").wants(200, "WEB-161: resolved as Fixed.")
			got, err := w.GetSlice(t.Context(), w.caller(t, owner), valid(t, api.GetSlice{SliceID: "WEB-161"}))
			must(t, err)
			if *got.Priority != "high" || *got.Severity != "major" || got.Summary != "Another title" ||
				strings.Join(got.Labels, " ") != "theirs mine" {
				t.Errorf("the report is %+v", got.SliceFields)
			}

			seen = version()
			meanwhile(api.SlicePatch{"resolution": "wont_fix"})
			choose(seen, "status", "closed").wants(200, "WEB-161 changed meanwhile and stays as it is.")
			w.removeSlice(t, "WEB-161")
			gone := b.post(at, "status", "open", "version", seen, "items", "WEB-161 "+seen)
			if at == "/WEB-161" {
				gone.wants(410, "Mara Lindqvist</bdi> deleted this report", "Restore")
				w.signedIn(t, stranger).post(at, "status", "open").wants(404).lacks("Mara")
			} else {
				b.get(at).wants(200, "WEB-161 could not be changed: <bdi>Mara Lindqvist</bdi> deleted it.",
					`<a href="/WEB-161">`)
			}
		})
	}
}

// TestBrowserChangeMeanwhile: a choice in a menu that was open while somebody changed another field applies, on the
// page of a report, beside the list and in a row. One in the menu of the field that they have changed does not.
func TestBrowserChangeMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.work(t)
	b := w.followed(t, owner, "")
	check := func(place, button, menu string) {
		t.Helper()
		version := func() int64 {
			s, err := w.GetSlice(t.Context(), w.caller(t, owner), valid(t, api.GetSlice{SliceID: "WEB-161"}))
			must(t, err)
			return s.Version
		}
		choose := func(field, button, value string, meanwhile api.SlicePatch, notice string) {
			t.Helper()
			b.Wait(fmt.Sprintf(`document.querySelector("%s").dataset.version == "%d"`, place, version()))
			b.ClickOn(button)
			b.Wait(`document.querySelector("#` + menu + field + `:popover-open")`)
			w.change(t, member, "WEB-161", meanwhile)
			b.ClickOn("#" + menu + field + " [value=" + value + "]")
			b.Wait(fmt.Sprintf(`[...document.querySelectorAll(".notice")].some((n) => n.textContent.includes(%q))`,
				notice))
		}
		choose("status", button, "in_progress", api.SlicePatch{"severity": "minor", "labels": []any{place}},
			"WEB-161: In progress.")
		choose("status", button, "open", api.SlicePatch{"status": "closed"},
			"WEB-161 changed meanwhile and stays as it is.")
		w.change(t, member, "WEB-161", api.SlicePatch{"status": "open", "severity": nil})
	}
	check("#WEB-161", "#WEB-161 .row-button[popovertarget=menu-status]", "menu-")
	b.ClickOn("#WEB-161 .row-title")
	b.Wait(`document.querySelector("#pane #field-status")`)
	check("[data-pane] .report", "#pane #field-status", "report-")
	b.Open("/WEB-161")
	b.Wait(`document.querySelector("[data-followed]")`)
	check(".report", "#field-status", "report-")
	b.Quiet()
}

func (w *world) removeSlice(t *testing.T, reference string) {
	t.Helper()
	_, err := w.DeleteSlice(t.Context(), w.caller(t, owner), valid(t, api.DeleteSlice{SliceID: reference}))
	must(t, err)
}
