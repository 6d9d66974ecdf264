package reports

import (
	"cmp"
	"html/template"
	"maps"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/query"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

// directory finds records by their names in the workspaces of a list, as the reader sees them.
type directory struct {
	request    *page.Request
	workspaces []page.Workspace
}

// selectWorkspace narrows the directory to the workspace that a query names.
func (d *directory) selectWorkspace(parsed query.Query) error {
	t, ok := parsed.Get(query.Workspace)
	if !ok {
		return nil
	}
	found, err := d.Find(query.Workspace, t.Values[0].Text)
	if len(found) != 1 {
		return err // List says what is wrong with the name
	}
	i := slices.IndexFunc(d.request.Workspaces, func(w page.Workspace) bool { return w.ID == found[0].ID })
	d.workspaces = d.request.Workspaces[i : i+1]
	return err
}

// Find returns the records that a name may mean.
func (d *directory) Find(word, name string) ([]query.Match, error) {
	q := d.request
	return q.Tracker.Directory(q.Context(), q.Session.Caller, d.workspaceID()).Find(word, name)
}

// workspaceID is the id of the workspace, empty for all of the reader.
func (d *directory) workspaceID() string {
	if len(d.workspaces) == 1 {
		return d.workspaces[0].ID
	}
	return ""
}

// menus are the choices of the menus that change reports.
type menus struct {
	Me       string // the id of the reader
	MyName   string
	Members  []api.Member
	Labels   []string                  // those of most reports first
	Colors   map[string]api.LabelColor // of labels, when all reports are of one workspace
	Spaces   []api.Space               // when all reports are of one workspace
	Releases []string                  // when all reports are of one workspace

	Portraits   map[string]string // the names of the pictures of the members and the reader who have one, by id
	LabelCounts map[string]int64  // of reports, by label
}

// ChangeMenus renders the menus.
func (d data) ChangeMenus() (template.HTML, error) {
	m := d.Menus
	return ui.HTML(ui.ChangeMenus(ui.Menus{Prefix: "menu", Form: "change", Me: m.Me, MyName: m.MyName,
		Members: m.Members, Portraits: m.Portraits,
		Labels: m.Labels, LabelCounts: m.LabelCounts, Colors: m.Colors, Spaces: m.Spaces, Releases: m.Releases,
		Resolutions: d.Address.Board}))
}

// menus returns the choices for the reports of a list, or only the choices that a text finds.
func (d *directory) menus(groups []group, text string) (m menus, err error) {
	q := d.request
	m.Me, m.MyName = q.Session.Caller.ID, q.Session.Profile.Name
	var shown []string // ids of workspaces
	for _, g := range groups {
		for _, r := range g.Rows {
			if !slices.Contains(shown, r.WorkspaceID) {
				shown = append(shown, r.WorkspaceID)
			}
		}
	}
	for _, workspaceID := range shown {
		c, err := q.Choices(workspaceID, text)
		if text != "" && page.HasCode(err, api.CodeInvalidParameter) { // a text without letters finds nothing
			continue
		}
		if err != nil {
			return m, err
		}
		if m.Portraits == nil {
			m.Portraits, m.LabelCounts = map[string]string{}, map[string]int64{}
		}
		for label, n := range c.LabelCounts {
			m.LabelCounts[label] += n
		}
		maps.Copy(m.Portraits, c.Portraits)
		m.Members, m.Labels, m.Spaces = append(m.Members, c.Members...), append(m.Labels, c.Labels...), c.Spaces
	}
	if len(shown) > 1 {
		m.Spaces = nil
	}
	if len(shown) == 1 {
		m.Colors = q.LabelColors(shown[0])
	}
	if len(shown) == 1 && text == "" {
		if m.Releases, err = q.NewestReleases(shown[0]); err != nil {
			return m, err
		}
	}
	m.tidy()
	return m, nil
}

// tidy sorts the choices, and leaves each once.
func (m *menus) tidy() {
	slices.SortFunc(m.Members, func(a, b api.Member) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)),
			strings.Compare(a.UserID, b.UserID))
	})
	m.Members = slices.CompactFunc(m.Members, func(a, b api.Member) bool { return a.UserID == b.UserID })
	page.SortByUse(m.Labels, m.LabelCounts)
	m.Labels = slices.Compact(m.Labels)
}

// spaceNames returns the names of the spaces of the workspace, by id.
func spaceNames(q *page.Request) map[string]tracker.MemberName {
	names := map[string]tracker.MemberName{}
	for _, s := range q.Spaces {
		names[s.ID] = tracker.MemberName{Name: s.Name, Alone: true}
	}
	return names
}
