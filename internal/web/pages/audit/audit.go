// Package audit is the audit log in the settings: who did what, with which key and from where.
package audit

import (
	"cmp"
	"embed"
	"encoding/json"
	"html/template"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/download"
	"bugslice/internal/input"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("audit", folder)

type data struct {
	Form     url.Values
	Filtered bool
	Faults   page.Faults
	Groups   []group
	Rows     []row
	Older    string // the address of the next page; empty on the last one
	Query    string // of the download
}

// Events renders the rows of the table.
func (d data) Events(v *ui.View) (template.HTML, error) { return ui.HTML(eventRows(v, d.Rows)) }

// group is the types of events whose names begin with the same word.
type group struct {
	Word, Name string
	Types      []eventType
}

// eventType is a type of events with its name.
type eventType struct {
	Type api.EventType
	Name string
}

// row is an event, with what it changed.
type row struct {
	api.AuditEvent
	Workspace string
	Reference string // of the report that it is about; empty for none
	Changes   []change
	Members   []member // of the subject, when nothing of it was changed
	Command   string   // of the operator
	Removed   string   // the rules that have removed something from a report that was filed
}

// change is a member before and after an event.
type change struct{ Member, Before, After string }

// path returns the address of the report that the event is about; empty for another subject.
func (r row) path() string {
	if !strings.HasPrefix(r.SubjectID, "slc_") || r.Type == api.EventSliceDeleted {
		return ""
	}
	return "/slices/" + r.SubjectID
}

// member is a member of a subject.
type member struct{ Name, Value string }

// changed returns the names of what was changed, for a row whose changes are folded.
func (r row) changed() string {
	if r.short() {
		return ""
	}
	names := make([]string, len(r.Changes))
	for i, c := range r.Changes {
		names[i] = c.Member
	}
	return strings.Join(names, ", ")
}

// short says whether the changes are few and brief, so that they are shown at once.
func (r row) short() bool {
	size := 0
	for _, c := range r.Changes {
		size += len(c.Before) + len(c.After)
	}
	return len(r.Changes) > 0 && len(r.Changes) <= 2 && size <= 80
}

// pageSize is how many events a page shows.
const pageSize = 50

// fields are the filters of the form.
var fields = []string{"actor", "type", "key", "address", "workspaceId", "since", "until"}

// Show shows the newest events that match the filters.
func Show(q *page.Request) (page.Result, error) {
	d := data{Form: url.Values{}, Groups: groups()}
	for _, name := range fields {
		if text := q.URL.Query().Get(name); text != "" {
			d.Form.Set(name, text)
			d.Filtered = true
		}
	}
	in, faults := bind(q, d.Form)
	if d.Faults = faults; faults != nil {
		return page.Invalid(view, d)
	}
	list := api.ListAuditLog{AuditFilters: in, Before: q.URL.Query().Get("before"), Limit: pageSize}
	found, err := page.Call(q, q.Tracker.ListAuditLog, list)
	if err != nil {
		return page.Result{}, err
	}
	for _, e := range found.Events {
		r := row{AuditEvent: e, Workspace: q.WorkspaceName(e.WorkspaceID)}
		r.Changes, r.Members, r.Reference = describe(e)
		if e.Type == api.EventSliceCreated {
			r.Removed = removedFrom(e)
		}
		name := nameOf(e)
		r.SubjectName = cmp.Or(r.SubjectName, name)
		if e.Type == api.EventOperatorCommand {
			r.Command = name
		}
		d.Rows = append(d.Rows, r)
	}
	if found.Older != "" {
		older := maps.Clone(d.Form)
		older.Set("before", found.Older)
		d.Older = "?" + older.Encode()
	}
	d.Query = d.Form.Encode()
	return page.Show(view, d)
}

// bind returns the query that a form means. A date is the reader's, and until includes its day.
func bind(q *page.Request, form url.Values) (api.AuditFilters, page.Faults) {
	in := api.AuditFilters{Actor: form.Get("actor"), Type: form.Get("type"), Key: form.Get("key"),
		Address:     form.Get("address"),
		WorkspaceID: form.Get("workspaceId")}
	var faults page.Faults
	for name, to := range map[string]**api.Time{"since": &in.Since, "until": &in.Until} {
		text := form.Get(name)
		if text == "" {
			continue
		}
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			if at, err = time.ParseInLocation(time.DateOnly, text, q.Zone()); err == nil && name == "until" {
				at = at.AddDate(0, 0, 1)
			}
		}
		if err != nil {
			if faults == nil {
				faults = page.Faults{}
			}
			faults[name] = api.Fault{Pointer: "/" + name, Code: "malformed",
				Detail: "must be a date, such as 2026-11-22"}
			form.Del(name) // a field for a date cannot show it
			continue
		}
		*to = &api.Time{Time: at}
	}
	return in, faults
}

// groups returns the types of events by their first word.
func groups() (all []group) {
	for _, e := range api.Events {
		word, _, _ := strings.Cut(string(e.Type), ".")
		i := slices.IndexFunc(all, func(g group) bool { return g.Word == word })
		if i < 0 {
			i, all = len(all), append(all, group{Word: word, Name: groupNames[word]})
		}
		all[i].Types = append(all[i].Types, eventType{e.Type, eventNames[e.Type]})
	}
	return all
}

// describe returns what an event changed, or the members of its subject that have a value, and the report that it is about.
func describe(e api.AuditEvent) (changes []change, members []member, reference string) {
	var data map[string]json.RawMessage
	if json.Unmarshal(e.Data, &data) != nil {
		return nil, nil, ""
	}
	var previous, subject map[string]json.RawMessage
	_ = json.Unmarshal(data["previous"], &previous)
	_ = json.Unmarshal(data[e.SubjectKind], &subject)
	reference = referenceOf(data["slice"], data[e.SubjectKind])
	for _, name := range slices.Sorted(maps.Keys(previous)) {
		before, after := previous[name], subject[name]
		if name == "redaction" && e.SubjectKind == "slice" {
			changes = append(changes, change{name, removals(before), removals(after)})
			continue
		}
		changes = append(changes, change{name, show(before), show(after)})
	}
	if len(changes) > 0 {
		return changes, nil, reference
	}
	for _, name := range slices.Sorted(maps.Keys(subject)) {
		if value := show(subject[name]); value != none && value != "" {
			members = append(members, member{name, value})
		}
	}
	return nil, members, reference
}

// none stands for a value that says nothing.
const none = "none"

var empty = []string{"null", "[]", "{}"}

// referenceOf returns the reference that the first of some records names.
func referenceOf(records ...json.RawMessage) string {
	for _, r := range records {
		var of struct{ Reference, SliceReference string }
		_ = json.Unmarshal(r, &of)
		if found := cmp.Or(of.Reference, of.SliceReference); found != "" {
			return found
		}
	}
	return ""
}

// removedFrom returns the rules that have removed something from the report of an event.
func removedFrom(e api.AuditEvent) string {
	var data struct {
		Slice struct{ Redaction json.RawMessage }
	}
	_ = json.Unmarshal(e.Data, &data)
	return removals(data.Slice.Redaction)
}

// removals returns the rules that have removed something, with the number of values. A mistake is marked as one.
func removals(redaction json.RawMessage) string {
	var r *api.Redaction
	if json.Unmarshal(redaction, &r) != nil || r == nil {
		return ""
	}
	var texts []string
	for _, n := range r.ByRule {
		text := cmp.Or(n.Rule, n.Kind) + " ×" + strconv.FormatInt(n.Count, 10)
		if n.Mistake {
			text += " (no secret)"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// nameOf returns the name of the subject when the event was recorded; empty for a subject without a name.
func nameOf(e api.AuditEvent) string {
	var data map[string]json.RawMessage
	var subject struct{ Summary, Name, URL, Email string }
	if json.Unmarshal(e.Data, &data) == nil {
		_ = json.Unmarshal(data[e.SubjectKind], &subject)
	}
	return cmp.Or(subject.Summary, subject.Name, subject.URL, subject.Email)
}

// show returns a value as text: a string as it is, and others as JSON.
func show(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil && string(value) != "null" {
		return text
	}
	if len(value) == 0 || slices.Contains(empty, string(value)) {
		return none
	}
	return string(value)
}

// Download answers with the events that match the filters as lines of JSON.
func Download(q *page.Request) (page.Result, error) {
	form := q.URL.Query()
	in, faults := bind(q, form)
	if faults != nil {
		return page.Result{}, api.InvalidParameter("since", "malformed", "since and until must be dates")
	}
	if _, err := page.Call(q, q.Tracker.ListAuditLog, api.ListAuditLog{AuditFilters: in, Limit: 1}); err != nil {
		return page.Result{}, err
	}
	v, err := input.Check(api.ExportAuditLog{AuditFilters: in})
	if err != nil {
		return page.Result{}, err
	}
	return page.Result{Write: func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Content-Disposition", `attachment; filename="audit-log.ndjson"`)
		return download.WriteStream(w, r, "application/x-ndjson",
			func(to io.Writer) error { return q.Tracker.ExportAuditLog(r.Context(), q.Session.Caller, v, to) })
	}}, nil
}
