package reports

import (
	"cmp"
	"html/template"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/query"
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

// Find returns the records that a name may mean. A name that is written in full means no longer one.
func (d *directory) Find(word, name string) ([]query.Match, error) {
	var exact, similar []query.Match
	add := func(recordID, text, value string) {
		m := query.Match{ID: recordID, Value: value}
		switch {
		case slices.ContainsFunc(exact, func(e query.Match) bool { return e.ID == recordID }):
		case strings.EqualFold(text, name):
			exact = append(exact, m)
		case !slices.ContainsFunc(similar, func(e query.Match) bool { return e.ID == recordID }):
			similar = append(similar, m)
		}
	}
	switch word {
	case query.Workspace:
		for _, w := range d.request.Workspaces {
			if strings.EqualFold(w.Key, name) {
				return []query.Match{{ID: w.ID, Value: w.Key}}, nil
			}
			if strings.EqualFold(w.Name, name) {
				add(w.ID, name, w.Key)
			}
		}
		if len(exact) == 0 {
			return d.findFormerKey(name)
		}
		return exact, nil
	case query.Duplicate:
		return d.findReport(name)
	case query.Space:
		err := d.eachSpace(func(s api.Space) { add(s.ID, s.Name, s.ID) })
		return exact, err
	}
	err := d.eachMember(name, func(m api.Member, email string) {
		text := m.Name
		if email != "" && strings.EqualFold(email, name) {
			text = email
		}
		add(m.UserID, text, cmp.Or(email, m.UserID))
	})
	if len(exact) == 0 && err == nil && word == query.Reporter {
		err = d.eachReporter(name, func(reporterID string) { add(reporterID, name, reporterID) })
	}
	if len(exact) > 0 || strings.Contains(name, "@") {
		return exact, err
	}
	return similar, err
}

// eachReporter calls f with the id of each former member, and of each key, with a name that has filed a report.
func (d *directory) eachReporter(name string, f func(reporterID string)) error {
	workspaceID := ""
	if len(d.workspaces) == 1 {
		workspaceID = d.workspaces[0].ID
	}
	ids, err := d.request.Backend.ReportersNamed(d.request.Context(), d.request.Session.Caller, workspaceID, name)
	for _, reporterID := range ids {
		f(reporterID)
	}
	return err
}

// findFormerKey returns the workspace that had a key.
func (d *directory) findFormerKey(key string) ([]query.Match, error) {
	w, err := d.request.FindWorkspace(key)
	if page.HasCode(err, api.CodeNotFound) {
		return nil, nil
	}
	return []query.Match{{ID: w.ID, Value: w.Key}}, err
}

// findReport returns the report with a reference.
func (d *directory) findReport(reference string) ([]query.Match, error) {
	f := api.SliceFilters{Reference: []string{reference}}
	listed, err := d.request.ListReports(api.ListSlices{Paging: api.Paging{Limit: 1}, SliceFilters: f})
	if page.HasCode(err, api.CodeInvalidParameter) { // no reference
		return nil, nil
	}
	var found []query.Match
	for _, s := range listed.Data {
		found = append(found, query.Match{ID: s.ID, Value: s.Reference})
	}
	return found, err
}

// eachSpace calls f with each space.
func (d *directory) eachSpace(f func(api.Space)) error {
	for _, w := range d.workspaces {
		err := pages(func(p api.Paging) (api.Pagination, error) {
			v, err := input.Check(api.ListSpaces{Paging: p, WorkspaceID: w.ID})
			if err != nil {
				return api.Pagination{}, err
			}
			listed, err := d.request.Backend.ListSpaces(d.request.Context(), d.request.Session.Caller, v)
			for _, s := range listed.Data {
				f(s)
			}
			return listed.Pagination, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// eachMember calls f with each member who has a name as the e-mail address, or else whose name begins like it. email is empty for a
// reader who may not see it.
func (d *directory) eachMember(name string, f func(m api.Member, email string)) error {
	if strings.Contains(name, "@") {
		found := false
		err := d.members(api.ListMembers{Email: name}, func(m api.Member, email string) { found = true; f(m, email) })
		if found || err != nil {
			return err
		}
	}
	return d.members(api.ListMembers{Q: name}, f)
}

// members calls f with each member that a list selects.
func (d *directory) members(in api.ListMembers, f func(m api.Member, email string)) error {
	for _, w := range d.workspaces {
		in.WorkspaceID = w.ID
		err := pages(func(p api.Paging) (api.Pagination, error) {
			in.Paging = p
			listed, err := listMembers(d.request, in)
			for _, m := range listed.Data {
				email := ""
				if m.Email != nil {
					email = *m.Email
				}
				f(m, email)
			}
			return listed.Pagination, err
		})
		if err != nil && !page.HasCode(err, api.CodeInvalidParameter) { // a name without letters is the name of nobody
			return err
		}
	}
	return nil
}

func listMembers(q *page.Request, in api.ListMembers) (api.Page[api.Member], error) {
	v, err := input.Check(in)
	if err != nil {
		return api.Page[api.Member]{}, err
	}
	return q.Backend.ListMembers(q.Context(), q.Session.Caller, v)
}

// pages reads every page of a list.
func pages(read func(api.Paging) (api.Pagination, error)) error {
	p := api.Paging{Limit: 100}
	for {
		got, err := read(p)
		if err != nil || got.Cursor == nil {
			return err
		}
		p.Cursor = *got.Cursor
	}
}

// person returns the name of a user, and a value that means no other one. Nobody is none.
func (d *directory) person(userID string) (name string, value query.Value, err error) {
	value = query.Bare(userID)
	if userID == "none" {
		return "", value, nil
	}
	for _, w := range d.workspaces {
		names, err := d.request.Backend.MemberNames(d.request.Context(), d.request.Session.Caller, w.ID, []string{userID})
		if err != nil {
			return "", value, err
		}
		if name = names[userID]; name != "" {
			break
		}
	}
	found, err := d.Find(query.Assignee, name)
	if len(found) == 1 && name != "" {
		value = query.Name(query.Assignee, name)
	}
	return name, value, err
}

// menus are the choices of the menus that change reports.
type menus struct {
	Me      string // the id of the reader
	Members []api.Member
	Labels  []string
	Spaces  []api.Space // when all reports are of one workspace
}

// ChangeMenus renders the menus.
func (d data) ChangeMenus() (template.HTML, error) {
	m := d.Menus
	return ui.HTML(ui.ChangeMenus(ui.Menus{Prefix: "menu", Form: "change", Me: m.Me, Members: m.Members, Labels: m.Labels, Spaces: m.Spaces,
		Resolutions: d.Address.Board}))
}

// menus returns the choices for the reports of a list, or those of them that a text finds.
func (d *directory) menus(groups []group, text string) (m menus, err error) {
	q := d.request
	m.Me = q.Session.Caller.ID
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
		m.Members, m.Labels, m.Spaces = append(m.Members, c.Members...), append(m.Labels, c.Labels...), c.Spaces
	}
	if len(shown) > 1 {
		m.Spaces = nil
	}
	m.tidy()
	return m, nil
}

// tidy sorts the choices, and leaves each once.
func (m *menus) tidy() {
	slices.SortFunc(m.Members, func(a, b api.Member) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.UserID, b.UserID))
	})
	m.Members = slices.CompactFunc(m.Members, func(a, b api.Member) bool { return a.UserID == b.UserID })
	slices.Sort(m.Labels)
	m.Labels = slices.Compact(m.Labels)
}
