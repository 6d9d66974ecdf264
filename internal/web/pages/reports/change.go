package reports

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/web/page"
)

// selection is a report of a form, with the version that the reader saw.
type selection struct {
	reference string
	version   int64
}

// selections returns the reports of a form. ok is false for a value of another form.
func selections(form url.Values) (all []selection, ok bool) {
	for _, text := range form["items"] {
		reference, number, found := strings.Cut(text, " ")
		version, err := strconv.ParseInt(number, 10, 64)
		if _, _, isReference := api.ParseReference(reference); !found || err != nil || !isReference {
			return nil, false
		}
		if s := (selection{reference, version}); !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all, len(all) > 0
}

// change is what a form does to each of its reports.
type change struct {
	member, value string // for the notice
	patch         api.Patch[api.SliceFields]
	add, remove   string // a label
}

// changeOf returns the change of a form; ok is false when it has none. A form with a resolution resolves.
func changeOf(form url.Values) (c change, ok bool) {
	for _, member := range []string{"status", "priority", "severity", "assigneeId", "spaceId"} {
		if !form.Has(member) {
			continue
		}
		c = change{member: member, value: form.Get(member), patch: api.Patch[api.SliceFields]{member: form.Get(member)}}
		if c.value == "" {
			c.patch[member] = nil
		}
		return c, true
	}
	if value := form.Get("resolution"); value != "" {
		patch := api.Patch[api.SliceFields]{"status": string(api.Resolved), "resolution": value}
		return change{member: "resolution", value: value, patch: patch}, true
	}
	c.remove = form.Get("removeLabel")
	for _, label := range form["addLabel"] { // the field for a new one is empty when another one is chosen
		c.add = cmp.Or(strings.TrimSpace(label), c.add)
	}
	switch {
	case c.remove != "":
		c.member, c.value, c.add = "removeLabel", c.remove, ""
	case c.add != "":
		c.member, c.value = "addLabel", c.add
	}
	return c, c.member != ""
}

// of returns the patch of a report with labels.
func (c change) of(labels []string) api.Patch[api.SliceFields] {
	if c.patch != nil {
		return c.patch
	}
	labels = slices.DeleteFunc(slices.Clone(labels), func(l string) bool { return l == c.remove })
	if c.add != "" && !slices.Contains(labels, c.add) {
		labels = append(labels, c.add)
	}
	values := make([]any, len(labels))
	for i, l := range labels {
		values[i] = l
	}
	return api.Patch[api.SliceFields]{"labels": values}
}

// outcome is what became of a change, by references.
type outcome struct {
	changed, stale, refused []string
	detail                  string // of a refusal
	workspaceID             string // of a changed report
}

// Change changes the selected reports, each if it is as the reader saw it.
func Change(q *page.Request) (page.Result, error) {
	selected, ok := selections(q.PostForm)
	if !ok {
		return show(q, "nothing_selected")
	}
	c, ok := changeOf(q.PostForm)
	if !ok {
		return show(q, "no_change")
	}
	if err := c.resolveDuplicate(q); err != nil {
		if page.HasCode(err, api.CodeInvalidParameter, api.CodeNotFound) {
			return show(q, "no_original")
		}
		return page.Result{}, err
	}
	var done outcome
	for part := range slices.Chunk(selected, pageLimit) {
		if err := c.apply(q, part, &done); err != nil {
			return page.Result{}, err
		}
	}
	if err := c.nameAssignee(q, done); err != nil {
		return page.Result{}, err
	}
	return page.Redirect(back(q, selected), c.notice(q, done))
}

// back returns the address of the list.
func back(q *page.Request, selected []selection) string {
	references := make([]string, len(selected))
	for i, s := range selected {
		references[i] = s.reference
	}
	return onlyRows(q, (&url.URL{Path: "/reports", RawQuery: q.URL.RawQuery}).String(), references)
}

// onlyRows returns the address of a list. A form with the field only asks for the rows of its reports alone, to put them into the list
// that it is in.
func onlyRows(q *page.Request, list string, references []string) string {
	to, err := url.Parse(list)
	if err != nil || to.Path != "/reports" || !q.PostForm.Has("only") || len(references) > maxOnly {
		return list
	}
	values := to.Query()
	values.Set("only", strings.Join(references, ","))
	to.RawQuery = values.Encode()
	return to.String()
}

// nameAssignee puts the name of the new assignee in the place of the id.
func (c *change) nameAssignee(q *page.Request, done outcome) error {
	if c.member != "assigneeId" || c.value == "" || done.workspaceID == "" {
		return nil
	}
	names, err := q.Backend.MemberNames(q.Context(), q.Session.Caller, done.workspaceID, []string{c.value})
	c.value = names[c.value]
	return err
}

// resolveDuplicate sets the report that the form names as the original.
func (c change) resolveDuplicate(q *page.Request) error {
	if c.member != "resolution" || c.value != string(api.Duplicate) {
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

// apply changes a batch of reports.
func (c change) apply(q *page.Request, part []selection, done *outcome) error {
	labels, err := c.labels(q, part)
	if err != nil {
		return err
	}
	in := api.BatchUpdateSlices{}
	for _, s := range part {
		in.Body.Items = append(in.Body.Items,
			api.BatchUpdateItem{ID: s.reference, IfMatch: api.ETag(s.version), Patch: c.of(labels[s.reference])})
	}
	v, err := input.Check(in)
	if err != nil {
		return err
	}
	results, err := q.Backend.BatchUpdateSlices(q.Context(), q.Session.Caller, v)
	for i, r := range results.Results {
		switch {
		case r.Problem != nil && r.Status == http.StatusPreconditionFailed:
			done.stale = append(done.stale, r.ID)
		case r.Problem != nil:
			done.refused = append(done.refused, r.ID)
			done.detail = r.Problem.Detail
		case r.Slice.Version != part[i].version:
			done.changed, done.workspaceID = append(done.changed, r.ID), r.Slice.WorkspaceID
		}
	}
	return err
}

// labels returns the labels of reports, by reference, when the change is one of labels.
func (c change) labels(q *page.Request, part []selection) (map[string][]string, error) {
	if c.patch != nil {
		return nil, nil
	}
	in := api.ListSlices{Paging: api.Paging{Limit: pageLimit}}
	for _, s := range part {
		in.Reference = append(in.Reference, s.reference)
	}
	listed, err := q.ListReports(in)
	labels := map[string][]string{}
	for _, s := range listed.Data {
		labels[s.Reference] = s.Labels
	}
	return labels, err
}

// maxNamed is how many reports a notice names.
const maxNamed = 10

// notice returns the notice about a change, from which it can be undone.
func (c change) notice(q *page.Request, done outcome) string {
	about := url.Values{"member": {c.member}, "value": {c.value}}
	if len(done.changed) > 0 {
		about.Set("request", q.Client.Request.ID)
	}
	setReferences(about, "changed", done.changed)
	setReferences(about, "stale", done.stale)
	setReferences(about, "refused", done.refused)
	about.Set("detail", input.Quote(done.detail))
	return "reports-changed?" + about.Encode()
}

// setReferences sets how many reports there are, and names the first of them.
func setReferences(about url.Values, name string, references []string) {
	if len(references) == 0 {
		return
	}
	about.Set(name+"-count", strconv.Itoa(len(references)))
	about.Set(name, strings.Join(references[:min(len(references), maxNamed)], ", "))
}

// Undo restores the values that a change has changed.
func Undo(q *page.Request) (page.Result, error) {
	done, err := q.Backend.UndoChanges(q.Context(), q.Session.Caller, q.PostForm.Get("request"))
	if err != nil {
		return page.Result{}, err
	}
	about := url.Values{}
	setReferences(about, "restored", done.Restored)
	setReferences(about, "changed", done.Changed)
	list := onlyRows(q, q.Next(q.PostForm.Get("next")), slices.Concat(done.Restored, done.Changed))
	return page.Redirect(list, "reports-restored?"+about.Encode())
}
