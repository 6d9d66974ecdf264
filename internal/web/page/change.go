package page

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"

	"bugslice/api"
)

// Change is what a form does to each of its reports.
type Change struct {
	Member, Value string // for the notice
	patch         api.SlicePatch
	add, remove   []string // labels
}

// deleted is the member of the change that deletes.
const deleted = "deleted"

// ChangeOf returns the change of a form; ok is false when it has none. A form with a resolution resolves.
func ChangeOf(form url.Values) (c Change, ok bool) {
	if form.Has("delete") {
		return Change{Member: deleted}, true
	}
	for _, member := range []string{"status", "priority", "severity", "assigneeId", "spaceId"} {
		if !form.Has(member) {
			continue
		}
		c = Change{Member: member, Value: form.Get(member), patch: api.SlicePatch{member: form.Get(member)}}
		if c.Value == "" {
			c.patch[member] = nil
		}
		return c, true
	}
	if value := form.Get("resolution"); value != "" {
		patch := api.SlicePatch{"status": string(api.Resolved), "resolution": value}
		setFixedIn(patch, form)
		return Change{Member: "resolution", Value: value, patch: patch}, true
	}
	var added string
	for _, label := range form["addLabel"] { // the field for a new one is empty when another one is chosen
		added = cmp.Or(strings.TrimSpace(label), added)
	}
	c.patch = api.SlicePatch{}
	if removed := form.Get("removeLabel"); removed != "" {
		c.Member, c.Value, c.remove = "removeLabel", removed, []string{removed}
	} else if added != "" {
		c.Member, c.Value, c.add = "addLabel", added, []string{added}
	}
	return c, c.Member != ""
}

// setFixedIn sets the release of a fix as the form has it. One that is fixed without a release keeps the release that
// the form does not show, and another resolution has none.
func setFixedIn(patch api.SlicePatch, form url.Values) {
	release, isFixed := strings.TrimSpace(form.Get("fixedInRelease")), form.Get("resolution") == string(api.Fixed)
	switch {
	case isFixed && release != "":
		patch["fixedInRelease"] = release
	case !isFixed || form.Has("wasFixedIn"):
		patch["fixedInRelease"] = nil
	}
}

// NameAssignee puts the name of the new assignee, a member of a workspace, in the place of the id.
func (c *Change) NameAssignee(q *Request, workspaceID string) error {
	if c.Member != "assigneeId" || c.Value == "" || workspaceID == "" {
		return nil
	}
	names, err := q.Tracker.MemberNames(q.Context(), q.Session.Caller, workspaceID, []string{c.Value})
	c.Value = names[c.Value]
	return err
}

// SetOriginal sets the report that the form names as the original of duplicates.
func (c Change) SetOriginal(q *Request) error {
	if c.Member != "resolution" || c.Value != string(api.Duplicate) {
		return nil
	}
	reference := strings.ToUpper(strings.TrimSpace(q.PostForm.Get("duplicateOf")))
	f := api.SliceFilters{Reference: []string{reference}}
	listed, err := q.ListReports(api.ListSlices{Paging: api.Paging{Limit: 1}, SliceFilters: f})
	if err == nil && len(listed.Data) == 0 {
		err = api.NotFound("slice")
	}
	if err == nil {
		c.patch["duplicateOfId"] = listed.Data[0].ID
	}
	return err
}

// Changed is what became of a change, by references.
type Changed struct {
	Changed, Stale []string
	Refused        Refusals
	WorkspaceID    string // of a changed report
}

// maxNamed is how many reports a notice names.
const maxNamed = 10

// Notice returns the notice about a change, from which it can be undone.
func (c Change) Notice(q *Request, done Changed) string {
	about := url.Values{"member": {c.Member}, "value": {c.Value}}
	if len(done.Changed) > 0 {
		about.Set("request", q.Client.Request.ID)
	}
	setReferences(about, "changed", done.Changed)
	setReferences(about, "stale", done.Stale)
	done.Refused.set(about)
	return "reports-changed?" + about.Encode()
}

// UndoneNotice returns the notice about an undo.
func UndoneNotice(done Undone) string {
	about := url.Values{}
	setReferences(about, "restored", done.Restored)
	if done.Status != "" {
		about.Set("status", done.Status)
	}
	setReferences(about, "changed", done.Changed)
	var refused Refusals
	for _, r := range done.Refused {
		refused.add(r.Reference, r.Problem)
	}
	refused.set(about)
	return "reports-restored?" + about.Encode()
}

// setReferences sets how many reports there are, and names the first of them.
func setReferences(about url.Values, name string, references []string) {
	if len(references) > 0 {
		addReferences(about, name, references)
	}
}

// addReferences adds how many reports there are, and the names of the first of them.
func addReferences(about url.Values, name string, references []string) {
	about.Add(name+"-count", strconv.Itoa(len(references)))
	about.Add(name, strings.Join(references[:min(len(references), maxNamed)], ", "))
}
