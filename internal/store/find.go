package store

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// NewestSummaries returns the ids and summaries of the newest live slices of workspaces: at most limit, of each
// workspace its share or at least 50, and the newest first.
func (q Queries) NewestSummaries(workspaces []string, limit int) (all []api.FoundSlice, err error) {
	scan := func(r sqldb.Row) (s api.FoundSlice, err error) { return s, r.Scan(&s.ID, &s.Summary) }
	for chunk := range slices.Chunk(workspaces, workspacesPerQuery) {
		var p sqldb.Params
		n := p.Add(max(limit/len(workspaces), 50))
		newest := q.db.Engine.ForEach(p.AddAll(chunk), func(workspace string) string {
			return fmt.Sprintf(`SELECT s.id, s.summary FROM slices s WHERE s.workspace_id = %s AND s.deleted_at IS NULL
				ORDER BY s.workspace_id DESC, s.id DESC LIMIT %s`, workspace, n)
		})
		part, err := sqldb.List(q.db, scan, "SELECT id, summary FROM ("+newest+") AS s ORDER BY id DESC LIMIT "+
			p.Add(limit), p.Args...)
		if err != nil {
			return nil, err
		}
		all = append(all, part...)
	}
	slices.SortFunc(all, func(a, b api.FoundSlice) int { return strings.Compare(b.ID, a.ID) })
	return all[:min(len(all), limit)], nil
}

// MemberSearch selects members of workspaces whose names may have words that begin with some, or whose e-mail
// addresses begin with a text.
type MemberSearch struct {
	Workspaces   []string
	Administered []string // those of which the members have an e-mail address
	Words        []string
	Email        string // in lower case; empty for no address
}

// MembersOf returns at most limit members that a search selects, by user id. They have an e-mail address when they
// are members of one of the administered workspaces.
func (q Queries) MembersOf(s MemberSearch, limit int) ([]api.FoundMember, error) {
	var p sqldb.Params
	visible := "0"
	selected := q.mayHaveWords(&p, "u.name", s.Words)
	if len(s.Administered) > 0 {
		visible = "max(CASE WHEN m.workspace_id IN " + sqldb.In(&p, s.Administered) + " THEN 1 ELSE 0 END)"
	}
	if len(s.Administered) > 0 && s.Email != "" {
		selected = fmt.Sprintf("(%s OR substr(u.email, 1, %d) = %s)", selected, utf8.RuneCountInString(s.Email),
			p.Add(s.Email))
	}
	return sqldb.List(q.db, func(r sqldb.Row) (m api.FoundMember, err error) {
		var email string
		var visible int
		if err = r.Scan(&m.UserID, &m.Name, &email, &visible); visible == 1 {
			m.Email = &email
		}
		return m, err
	}, "SELECT u.id, u.name, u.email, "+visible+
		" FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.workspace_id IN "+
		sqldb.In(&p, s.Workspaces)+" AND "+selected+" GROUP BY u.id, u.name, u.email ORDER BY u.id LIMIT "+p.Add(limit),
		p.Args...)
}

// PossibleReporters returns the users of an organisation and the keys of workspaces, also those who have left and
// those that are revoked.
func (q Queries) PossibleReporters(orgID string, workspaces []string) ([]UserName, error) {
	var p sqldb.Params
	return sqldb.List(q.db, scanUserName,
		"SELECT id, name FROM users WHERE org_id = "+p.Add(orgID)+
			" UNION ALL SELECT id, name FROM api_keys WHERE workspace_id IN "+sqldb.In(&p, workspaces)+" ORDER BY 1",
		p.Args...)
}

// ReportersOf returns those of the reporters that have filed live slices in workspaces, by id.
func (q Queries) ReportersOf(workspaces, reporters []string) (all []string, err error) {
	for _, id := range slices.Sorted(slices.Values(reporters)) {
		found, err := first(q, SliceFilter{Workspaces: workspaces, Reporters: []string{id}, Limit: 1}, only("1"),
			sqldb.ScanOne[int])
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			all = append(all, id)
		}
	}
	return all, nil
}
