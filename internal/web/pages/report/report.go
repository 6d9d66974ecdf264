// Package report is the page of one report: its fields, its description, and its conversation.
package report

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/markdown"
	"bugslice/internal/query"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("report", folder)

// data is what the page shows.
type data struct {
	page.Report
	Menus     menus
	Me        string // the id of the reader
	MyName    string
	Admin     bool // whether the reader administers the workspace
	Workspace page.Workspace
	Watch     api.Watch
	Entries   []entry
	Once      string
	Draft     string
	BaseURL   string

	Deleted  *page.DeletedReport // set for a deleted report, of which nothing else is shown
	Edit     string              // the part that is edited: summary, description, or the id of a comment; empty for none
	Form     url.Values
	Faults   page.Faults
	Refused  string   // why a change was refused; empty for none
	Conflict conflict // of the part that is edited

	Files    fileList
	Evidence *page.Evidence
	Share    page.ShareForm

	portraits map[string]string // the names of the pictures of those whom the page names, by id

	texts *markdown.Page // the bounds of the texts

	Days        *days       // on which the bug was reported; nil unless it was reported several times
	MentionedBy []api.Slice // the newest reports that mention this one, at most maxMentions

	Reporters tracker.SliceReporters // who read the comments that are visible to reporters

	Originals *originals // that are offered for a duplicate; nil unless they are asked for
}

// menus are the choices of the menus that change the report.
type menus struct {
	Me, MyName string
	page.Choices
}

// ChangeMenus renders the menus.
func (d *data) ChangeMenus() (template.HTML, error) {
	present := ui.PresentValues{Status: string(d.Status), Resolution: d.ResolutionValue(), Priority: d.PriorityValue(),
		Severity: d.SeverityValue(), Assignee: d.AssigneeValue(), Space: d.SpaceValue(), Labels: d.Labels,
		FixedIn: value(d.FixedInRelease)}
	m := d.Menus
	return ui.HTML(ui.ChangeMenus(ui.Menus{Prefix: "report", Form: "report-change", Me: m.Me, MyName: m.MyName,
		Members: m.Members, Portraits: m.Portraits, Labels: m.Labels, LabelCounts: m.LabelCounts, Colors: m.Colors,
		Spaces: m.Spaces, Releases: m.Releases, Present: &present, Original: "/" + d.Reference + "/duplicate"}))
}

// conflict is the present text of a part that somebody else has changed.
type conflict struct {
	Present bool
	Text    string
}

// Show shows a report by its reference. Another form of the reference, such as a former one, leads to the one that it
// has now.
func Show(q *page.Request) (page.Result, error) {
	if q.WantsPanel() {
		return showPanel(q)
	}
	d, err := load(q)
	if err != nil {
		return page.Result{}, err
	}
	if to := (url.URL{Path: "/" + d.Reference, RawQuery: q.URL.RawQuery}); to.Path != q.URL.Path {
		return page.Redirect(to.String(), "")
	}
	d.Edit = q.URL.Query().Get("edit")
	if id.Valid(id.Comment, d.Edit) && d.Edit != until(q) && !d.shows(d.Edit) {
		d.Until = d.Edit
		return page.Redirect(d.EditPath(d.Edit), "")
	}
	return page.Show(view, d)
}

// showPanel answers with one panel of the evidence alone.
func showPanel(q *page.Request) (page.Result, error) {
	in, err := input.Check(api.GetSlice{SliceID: q.PathValue("reference")})
	if err != nil {
		return page.Result{}, err
	}
	s, err := q.Tracker.GetSlice(q.Context(), q.Session.Caller, in)
	if err != nil {
		return page.Result{}, err
	}
	e, err := q.ReadEvidence(q.EvidenceOf(s.ID), s.ID, s.Reference, page.AllEvidence)
	if err != nil {
		return page.Result{}, err
	}
	linkMetadata(e, s, workspaceOf(q, s.WorkspaceID))
	return e.Fragment()
}

// WatchReason returns why the reader is told of the report without having chosen it; empty for no reason.
func (d *data) WatchReason() string {
	if d.Watch.Reason == nil {
		return ""
	}
	return string(*d.Watch.Reason)
}

// watchOf returns whether the reader is told of a report, whose notices are read now.
func watchOf(q *page.Request, s api.Slice) (api.Watch, error) {
	if q.Method == http.MethodGet && q.Header.Get("Sec-Purpose") == "" {
		read, err := q.Tracker.ReadNotices(q.Context(), q.Session.Caller, s)
		if err == nil && read {
			q.Unread, err = q.Tracker.CountUnread(q.Context(), q.Session.Caller)
		}
		if err != nil {
			return api.Watch{}, err
		}
	}
	return page.Call(q, q.Tracker.GetWatch, api.GetWatch{SubjectID: s.ID})
}

// load reads what the page shows.
func load(q *page.Request) (*data, error) {
	r, err := q.Tracker.ReportUntil(q.Context(), q.Session.Caller, q.PathValue("reference"), until(q))
	if err != nil {
		return nil, err
	}
	d := &data{Report: r, Me: q.Session.Caller.ID, MyName: q.Session.Profile.Name, Once: page.Once(),
		BaseURL: q.BaseURL,
		Draft:   q.Session.Caller.ID + " " + r.Reference, Form: url.Values{}, texts: markdown.NewPage()}
	if d.Watch, err = watchOf(q, r.Slice); err != nil {
		return nil, err
	}
	d.Workspace = workspaceOf(q, r.WorkspaceID)
	d.Admin = d.Workspace.Role == api.RoleAdmin
	d.Menus.Me, d.Menus.MyName = d.Me, d.MyName
	if d.Menus.Choices, err = q.Choices(r.WorkspaceID, "", spacesOf(r)...); err == nil {
		d.Menus.Releases, err = q.NewestReleases(r.WorkspaceID)
	}
	if err != nil {
		return nil, err
	}
	if d.portraits, err = q.Portraits(authors(r)); err != nil {
		return nil, err
	}
	if r.AttachmentCount > 0 {
		if d.Files, err = listFiles(q, r.Slice); err != nil {
			return nil, err
		}
	}
	d.Entries, d.Days = entries(d), daysOf(r, q.Now.In(q.Zone()))
	if err := d.loadEvidence(q); err != nil {
		return nil, err
	}
	if d.MentionedBy, err = mentions(q, r.Slice); err != nil {
		return nil, err
	}
	if r.Visitor != nil || r.OccurrenceCount > 1 {
		if d.Reporters, err = q.Tracker.SliceReporters(q.Context(), q.Session.Caller, r.ID); err != nil {
			return nil, err
		}
	}
	d.Share, err = q.LoadShareForm(r.Reference, nil)
	return d, err
}

// loadEvidence reads the evidence and what the stage shows of it.
func (d *data) loadEvidence(q *page.Request) (err error) {
	if d.Evidence, err = q.ReadEvidence(q.EvidenceOf(d.ID), d.ID, d.Reference, page.AllEvidence); err != nil {
		return err
	}
	linkMetadata(d.Evidence, d.Slice, d.Workspace)
	shown := int64(0)
	if o := d.Evidence.Captured.Occurrence; o.HasEvidence {
		shown = o.Number
	}
	d.Evidence.Stage, err = q.LoadStage(d.Slice, shown)
	return err
}

// workspaceOf returns a workspace of the reader.
func workspaceOf(q *page.Request, id string) (w page.Workspace) {
	if i := slices.IndexFunc(q.Workspaces, func(w page.Workspace) bool { return w.ID == id }); i >= 0 {
		w = q.Workspaces[i]
	}
	return w
}

// linkMetadata leads from the metadata of a report to the lists of the reports that have it, for the names by which
// lists are filtered. A value with a comma, which separates values, leads to no list, and neither does one that only
// another occurrence has.
func linkMetadata(e *page.Evidence, s api.Slice, w page.Workspace) {
	if e.Environment == nil {
		return
	}
	for i, f := range e.Environment.Metadata {
		if slices.Contains(w.MetadataKeys, f.Name) && f.Value != "" && s.Metadata[f.Name] == f.Value &&
			!strings.Contains(f.Value, ",") {
			word := query.Metadata(f.Name)
			e.Environment.Metadata[i].Path = listPath(w, query.Query{}.With(word, query.Name(word, f.Value)))
		}
	}
}

// refuse shows the page with a change that was refused, and with what was typed.
func refuse(q *page.Request, cause error, fill func(*data)) (page.Result, error) {
	p := q.Problem(cause)
	d, err := load(q)
	if err != nil {
		return page.Result{}, err
	}
	if faults, invalid := page.FaultsOf(cause); invalid {
		d.Faults = faults
	} else {
		d.Refused = p.Detail
	}
	fill(d)
	return page.Result{Page: view, Data: d, Status: p.Status, RetryAfter: p.RetryAfter}, nil
}

// fingerprintOf identifies a text, so that a form recognises whether somebody has changed it.
func fingerprintOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// Former returns the fingerprint of a text that a form changes.
func (data) Former(text any) string { return fingerprintOf(plain(text)) }

// Plain returns a text that may be missing.
func (data) Plain(text any) string { return plain(text) }

func plain(text any) string {
	switch text := text.(type) {
	case string:
		return text
	case *string:
		if text != nil {
			return *text
		}
	}
	return ""
}

// value returns the text of a value, empty for none.
func value[T ~string](v *T) string {
	if v == nil {
		return ""
	}
	return string(*v)
}

// The values of the report that its menus change, as texts; empty for none. Assignee is the name.

func (d *data) PriorityValue() string { return value(d.Priority) }
func (d *data) SeverityValue() string { return value(d.Severity) }
func (d *data) Assignee() string      { return d.Names[value(d.AssigneeID)] }
func (d *data) AssigneeValue() string { return value(d.AssigneeID) }
func (d *data) SpaceValue() string    { return value(d.SpaceID) }

// SpaceName returns the name of the space of the report, empty for none.
func (d *data) SpaceName() string { return d.space(d.SpaceValue()) }

func (d *data) space(id string) string {
	for _, s := range d.Menus.Spaces {
		if s.ID == id {
			return s.Name
		}
	}
	return ""
}

// AllLabels returns the labels, each in a line.
func (d *data) AllLabels() string { return strings.Join(d.Labels, "\n") }

// Fact is a fact about the system on which the bug was seen. Its path is that of the list of the reports that have it.
// First is what the first report of the bug said, where that is another value.
type Fact struct{ Name, Text, Path, First string }

// Facts returns the facts about the system of the occurrence whose evidence is shown. A value with a comma, which
// separates values, leads to no list.
func (d *data) Facts() (all []Fact) {
	e, first := d.Evidence.Captured.Occurrence.Environment, d.Environment
	for _, f := range []struct {
		name        string
		text, first *string
	}{{query.Browser, e.Browser, first.Browser}, {query.OS, e.OS, first.OS}, {query.Release, e.Release, first.Release},
		{query.Viewport, e.Viewport, first.Viewport}} {
		if f.text != nil && *f.text != "" {
			fact := Fact{Name: f.name, Text: *f.text}
			if value(f.first) != fact.Text {
				fact.First = value(f.first)
			}
			if !strings.Contains(fact.Text, ",") {
				fact.Path = d.list(query.Query{}.With(f.name, query.Name(f.name, fact.Text)))
			}
			all = append(all, fact)
		}
	}
	return all
}

// LabelPath returns the path of the list of the reports with a label.
func (d *data) LabelPath(label string) string {
	return d.list(query.Query{}.With(query.Label, query.Name(query.Label, label)))
}

// LabelClass returns the class of the colour of a label.
func (d *data) LabelClass(label string) string { return ui.LabelClass(label, d.Workspace.LabelColors) }

// Prose returns Markdown of the report as HTML. It links the references and mentions that the reader sees; others
// stay text. tasks says whether the boxes of tasks are buttons.
func (d *data) Prose(source any, tasks bool) template.HTML {
	return ui.WithRemovals(ui.Prose(markdown.Context{Resolve: d.resolve, Tasks: tasks, Page: d.texts}, plain(source)))
}

// Size implements page.Sized.
func (d *data) Size() int {
	n := len(plain(d.Description))
	for _, c := range d.Comments {
		n += len(c.Body)
	}
	return markdown.Size(n)
}

// resolve returns the link of a reference or a mention.
func (d *data) resolve(word string) (l markdown.Link, ok bool) {
	if picture, isFile := strings.CutPrefix(word, "/files/"); isFile {
		size, ok := d.Pictures[picture]
		return markdown.Link{Width: size.Width, Height: size.Height}, ok
	}
	if name, isMention := strings.CutPrefix(word, "@"); isMention {
		name, ok = d.Mentions[strings.ToLower(name)]
		q := query.Query{}.With(query.Assignee, query.Name(query.Assignee, name))
		return markdown.Link{Path: d.list(q), Text: "@" + name}, ok
	}
	s, ok := d.Referenced[word]
	return markdown.Link{Path: "/" + s.Reference, Text: word, Title: s.Summary}, ok
}

// list returns the path of a list of reports of the workspace.
func (d *data) list(q query.Query) string { return listPath(d.Workspace, q) }

func listPath(w page.Workspace, q query.Query) string {
	return "/reports?" + url.Values{"workspace": {w.Key}, "q": {q.String()}}.Encode()
}

// shows returns whether a comment is in the part of the conversation that is shown.
func (d *data) shows(comment string) bool {
	return slices.ContainsFunc(d.Comments, func(c api.Comment) bool { return c.ID == comment })
}

// AddressOf returns the address of the conversation until a comment, or of its end.
func (d *data) AddressOf(comment string) string {
	if comment == "" {
		return "/" + d.Reference
	}
	return "/" + d.Reference + "?comment=" + comment
}

// Here returns the query of the part of the conversation that is shown, after a question mark; empty for the end.
func (d *data) Here() template.URL {
	if d.Until == "" {
		return ""
	}
	return template.URL("?comment=" + d.Until)
}

// EditPath returns the address at which a comment is edited.
func (d *data) EditPath(comment string) string {
	q := url.Values{"edit": {comment}}
	if d.Until != "" {
		q.Set("comment", d.Until)
	}
	return "/" + d.Reference + "?" + q.Encode()
}

// DuplicatesPath returns the path of the list of the duplicates.
func (d *data) DuplicatesPath() string {
	return d.list(query.Query{}.With(query.Duplicate, query.Name(query.Duplicate, d.Reference)))
}

// HasTasks returns whether a text may have tasks.
func (data) HasTasks(text any) bool { return strings.Contains(plain(text), "[") }

// address returns the address of the report, with the part of its conversation that the reader sees.
func address(q *page.Request) string {
	path := "/" + strings.ToUpper(q.PathValue("reference"))
	if comment := until(q); comment != "" {
		path += "?comment=" + comment
	}
	return path
}

// until returns the comment at the end of the part of the conversation that the address names, empty for its end.
func until(q *page.Request) string {
	if comment := q.URL.Query().Get("comment"); id.Valid(id.Comment, comment) {
		return comment
	}
	return ""
}

// EvidenceCounts returns the numbers of what the evidence of the report has, which tell the script of the page that
// there is more.
func (d *data) EvidenceCounts() string { return strings.Trim(fmt.Sprint(d.Slice.Evidence), "{}") }

// ResolutionValue returns the resolution as a text.
func (d *data) ResolutionValue() string { return value(d.Resolution) }

// Typed returns what was typed into a field, or its present text.
func (d *data) Typed(field, present string) string {
	if d.Form.Has(field) {
		return d.Form.Get(field)
	}
	return present
}

// NewComment returns what was typed into the field of a new comment.
func (d *data) NewComment() string {
	if d.Edit != "" {
		return ""
	}
	return d.Form.Get("body")
}

// CommentFault returns the fault of a new comment.
func (d *data) CommentFault() any {
	if f, ok := d.Faults["body"]; ok && d.Edit == "" {
		return f
	}
	return nil
}

// Seen returns how often the bug was reported, duplicates included.
func (d *data) Seen() int64 { return d.OccurrenceCount + d.Duplicates.Occurrences }

// source is the page on which the bug was seen. Its link is empty unless it leads to a page of the web.
type source struct{ Text, Link string }

// Source returns the page on which the bug was seen, nil for none.
func (d *data) Source() *source {
	if d.SourceURL == nil || *d.SourceURL == "" {
		return nil
	}
	s := &source{Text: *d.SourceURL}
	if u, err := url.Parse(s.Text); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
		s.Link, s.Text = u.String(), strings.TrimPrefix(s.Text, u.Scheme+"://")
	}
	return s
}

// Portrait returns the name of the picture of an author, empty for none.
func (d *data) Portrait(by api.Reporter) string { return d.portraits[value(by.ID)] }

// AssigneePortrait returns the name of the picture of the assignee, empty for none.
func (d *data) AssigneePortrait() string { return d.portraits[d.AssigneeValue()] }

// MyPortrait returns the name of the picture of the reader, empty for none.
func (d *data) MyPortrait() string { return d.Menus.Portraits[d.Me] }
