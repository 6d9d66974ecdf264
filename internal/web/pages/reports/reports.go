// Package reports is the list of reports: what the text of the search box selects, as one list, as one for each value
// of a member, or as a board.
package reports

import (
	"embed"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/query"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html board/page.html filter/page.html
var folder embed.FS

var (
	view      = ui.NewPage("reports", folder)
	boardView = ui.NewPage("board", subfolder("board"))
)

func subfolder(name string) fs.FS {
	sub, err := fs.Sub(folder, name)
	if err != nil {
		panic(err) // it is embedded
	}
	return sub
}

const (
	pageSize  = 50 // reports of a page, and of a column of the board
	groupSize = 25 // reports of a group
	maxGroups = 12 // groups whose reports are shown

	maxWaiting = 1000 // reports of visitors that are counted
)

type data struct {
	Address address
	Text    string // of the search box
	Faults  []fault
	Chips   []chip
	Sort    string
	Total   api.SliceCount // of all reports; its value is nil
	Tabs    []listTab      // of the list; none of the board
	Groups  []group        // one without a value when the list is not grouped
	Next    string         // the cursor of the next page; empty on the last one
	Menus   menus
	Refused string // the code of a change that was refused
	Only    string // the references of the reports to which the rows are limited, with commas; empty for all
	Open    string // the path and query of the report beside the list; empty for none
	View    viewControls
	Display display

	spaces []api.Space

	Waiting int64 // reports of visitors that wait for a decision in the workspace

	WorkspaceID  string   // empty for all
	MetadataKeys []string // by which the reports are filtered
}

// Filtered returns whether a text selects the reports. What is active selects none where there are no reports at all.
func (d data) Filtered() bool {
	isEmpty := len(d.Tabs) > 0 && d.Tabs[len(d.Tabs)-1].Count == 0
	return len(d.Chips) > 0 && (!isEmpty || d.Text != active.String())
}

// Others returns the tab of all reports when the text searches for more than a status, and finds others in it than in the
// tab that is shown; nil otherwise.
func (d data) Others() *listTab {
	isSearch := slices.ContainsFunc(d.Address.Query.Terms, func(t query.Term) bool { return t.Word != query.Status })
	isTab := slices.ContainsFunc(d.Tabs, func(t listTab) bool { return t.Current })
	if !isSearch || !isTab || d.Next != "" {
		return nil
	}
	if all := &d.Tabs[len(d.Tabs)-1]; !all.Current && all.Count > d.Total.Count {
		return all
	}
	return nil
}

// Tab returns the name of the tab that is shown; empty for none.
func (d data) Tab() string {
	i := slices.IndexFunc(d.Tabs, func(t listTab) bool { return t.Current })
	if i < 0 {
		return ""
	}
	return d.Tabs[i].Name
}

// Complete returns whether the page shows every report that the text selects.
func (d data) Complete() bool {
	return d.Next == "" && d.Address.Cursor == "" &&
		!slices.ContainsFunc(d.Groups, func(g group) bool { return g.More })
}

// Ascending returns whether the reports have the ascending order of their keys.
func (d data) Ascending() bool { return strings.HasSuffix(d.Sort, "-asc") }

// Words returns the words of the search box for its completion.
func (d data) Words() []query.WordValues { return query.Completions(d.MetadataKeys) }

// Changed returns whether the list has another query than the view that it shows.
func (d data) Changed() bool { return d.View.Shown != nil && d.View.Shown.Query != d.Text }

// MaySave returns whether the text can be saved as a view: another one than that of a list without a text.
func (d data) MaySave() bool {
	return d.Text != "" && d.Text != active.String() && (d.View.Shown == nil || d.Changed())
}

// Action returns the address to which a form of the list posts a change of a view.
func (d data) Action(path string) string {
	_, of, _ := strings.Cut(d.Address.First().String(), "?")
	return (&url.URL{Path: "/reports/views" + path, RawQuery: of}).String()
}

// Shown returns the chips of the text. A list with a tab for its statuses has none for them.
func (d data) Shown() []chip {
	isTab := slices.ContainsFunc(d.Tabs, func(t listTab) bool { return t.Current })
	return slices.DeleteFunc(slices.Clone(d.Chips), func(c chip) bool { return isTab && c.word == query.Status })
}

// fault is a refused part of the text, between what stands before and after it.
type fault struct {
	Before, At, After, Detail string

	Better string // the part that is meant; empty when none is known
	Fixed  string // the address of the list with it
}

// List shows the reports that the text selects.
func List(q *page.Request) (page.Result, error) { return show(q, "") }

// Board shows the reports that the text selects in columns by status.
func Board(q *page.Request) (page.Result, error) { return show(q, "") }

// show shows the list, or the board. refused is the code of a change of its reports that was refused.
func show(q *page.Request, refused string) (page.Result, error) {
	values := q.URL.Query()
	d := data{Text: values.Get("q"), Refused: refused, Only: values.Get("only"), Open: opened(values),
		WorkspaceID: q.Workspace.ID}
	for _, w := range q.Workspaces {
		if q.Workspace.ID == "" || w.ID == q.Workspace.ID {
			d.MetadataKeys = append(d.MetadataKeys, w.MetadataKeys...)
		}
	}
	slices.Sort(d.MetadataKeys)
	d.MetadataKeys = slices.Compact(d.MetadataKeys)
	d.Display, d.spaces = displayOf(q), q.Spaces
	d.Address = address{Workspace: q.Workspace.Key, Group: d.Display.Group, Kept: d.Display.Group, Cursor: values.Get("cursor")}
	if values.Has("group") {
		d.Address.Group = values.Get("group")
	}
	if d.Address.Group == "none" || d.Address.Group == query.Space && len(q.Spaces) == 0 {
		d.Address.Group = ""
	}
	view := view
	if q.URL.Path != "/board" && !values.Has("q") && !values.Has("view") {
		d.Text = active.String()
	}
	if q.URL.Path == "/board" {
		view = boardView
		if err := d.Address.showBoard(values.Get("column")); err != nil {
			return page.Result{}, err
		}
	}
	if d.View = viewControlsOf(q, values.Get("view")); d.View.Shown != nil {
		d.Address.View = d.View.Shown.ID
	}
	if d.Address.Group != "" && !slices.Contains(groupings, d.Address.Group) {
		return page.Result{}, api.InvalidParameter("group", "not_allowed",
			"group must be none, "+strings.Join(groupings, ", "))
	}
	parsed, err := query.Parse(d.Text)
	d.Address.Query = parsed
	d.addChips(q)
	if t, ok := parsed.Get(query.Sort); ok {
		d.Sort = t.Values[0].Text
	}
	if err == nil {
		err = d.load(q)
	}
	if err == nil && q.Workspace.ID != "" && view != boardView {
		d.Waiting, err = q.Tracker.CountWaiting(q.Context(), q.Session.Caller, q.Workspace.ID, maxWaiting)
	}
	if err == nil {
		err = d.View.loadWatch(q, parsed)
	}
	faults := query.Faults(nil)
	if f, ok := parsed.FaultsOf(err); ok {
		err = f
	}
	switch {
	case errors.As(err, &faults):
		d.setFaults(faults)
		return page.Invalid(view, d)
	case err != nil:
		return page.Result{}, err
	case refused != "":
		return page.Result{Page: view, Data: d, Status: http.StatusUnprocessableEntity}, nil
	}
	return page.Show(view, d)
}

// addChips adds the chips of the terms of the text. A single label has its colour.
func (d *data) addChips(q *page.Request) {
	for i, t := range d.Address.Query.Terms {
		c := d.Address.chipOf(i)
		if t.Word == query.Label && len(t.Values) == 1 && (t.Values[0].Quoted || t.Values[0].Text != "none") {
			c.Dot = ui.LabelClass(t.Values[0].Text, q.LabelColors(q.Workspace.ID))
		}
		d.Chips = append(d.Chips, c)
	}
}

func (d *data) setFaults(faults query.Faults) {
	for _, f := range faults {
		shown := fault{Before: d.Text[:f.At.From], At: d.Text[f.At.From:f.At.To], After: d.Text[f.At.To:],
			Detail: f.Detail, Better: f.Better}
		if f.Better != "" {
			shown.Fixed = d.Address.First().withText(shown.Before + f.Better + shown.After)
		}
		d.Faults = append(d.Faults, shown)
	}
}

// selection returns what a query selects in the workspaces of the page, and the directory of their names.
func selection(q *page.Request, parsed query.Query) (dir *directory, in api.ListSlices, err error) {
	dir = &directory{request: q, workspaces: q.Workspaces}
	if q.Workspace.ID != "" {
		dir.workspaces = []page.Workspace{q.Workspace}
	}
	if err = dir.selectWorkspace(parsed); err != nil {
		return dir, in, err
	}
	in, err = parsed.List(dir, q.Zone())
	if in.WorkspaceID == "" {
		in.WorkspaceID = q.Workspace.ID
	}
	return dir, in, err
}

// load reads what the list shows.
func (d *data) load(q *page.Request) error {
	dir, in, err := selection(q, d.Address.Query)
	if err != nil {
		return err
	}
	if err := d.count(q, in.SliceFilters); err != nil {
		return err
	}
	if !d.Address.Board {
		if err := d.countTabs(q, in.SliceFilters); err != nil {
			return err
		}
	}
	if d.Address.Group == "" {
		err = d.loadPage(q, in)
	} else {
		err = d.loadGroups(q, dir, in)
	}
	if err == nil {
		err = d.nameAssignees(q)
	}
	if err == nil {
		d.Menus, err = dir.menus(d.Groups, q.URL.Query().Get("choices"))
	}
	return err
}

// loadPage reads a page of the list.
func (d *data) loadPage(q *page.Request, in api.ListSlices) error {
	in.Paging = api.Paging{Limit: pageSize, Cursor: d.Address.Cursor}
	listed, err := d.list(q, in)
	d.Groups = []group{{Rows: d.Address.rows(q, listed.Data)}}
	d.Next = cursorOf(listed.Pagination)
	return err
}

// IsFolded returns whether the reader has folded a group.
func (d data) IsFolded(value string) bool {
	return slices.Contains(d.Display.Folded, d.Address.Group+":"+value)
}

// Groupings are the members by which this list can be grouped: by space in one workspace that has some.
func (d data) Groupings() []string {
	if len(d.spaces) > 0 {
		return groupings
	}
	return slices.DeleteFunc(slices.Clone(groupings), func(by string) bool { return by == query.Space })
}

// Columns are the parts of a row that the reader can leave out, and whether each is shown.
func (d data) Columns() (all []column) {
	for _, name := range rowParts {
		all = append(all, column{name, !slices.Contains(d.Display.Hidden, name)})
	}
	return all
}

// GroupText returns the name of a member by which the list is grouped.
func (d data) GroupText(by string) string { return wordText(by) }
