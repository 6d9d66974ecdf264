package store

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"bugslice/api"
)

// mayHaveWords returns a condition that selects each name with words that begin with those of a search, and others: a name of ASCII
// characters with these texts anywhere, and every other one, because only package words knows its accents and its letters in lower case.
// A search without words selects all.
func (e *engine) mayHaveWords(p *params, column string, searched []string) string {
	if len(searched) == 0 {
		return "1 = 1"
	}
	var contained []string
	for _, w := range searched {
		if strings.IndexFunc(w, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
			contained = []string{"1 = 0"} // no name of ASCII characters has it
			break
		}
		contained = append(contained, fmt.Sprintf(e.lower, column)+" LIKE "+p.add("%"+w+"%"))
	}
	return orNotASCII(column, strings.Join(contained, " AND "))
}

// orNotASCII returns the condition that a name satisfies another one, or has characters that are not ASCII.
func orNotASCII(column, condition string) string {
	return "(octet_length(" + column + ") <> length(" + column + ") OR " + condition + ")"
}

// mayBe returns a condition that selects each name that is one of some, in any case of its letters, and every one that is not of ASCII
// characters.
func (e *engine) mayBe(p *params, column string, names []string) string {
	lower := make([]string, len(names))
	for i, name := range names {
		lower[i] = strings.ToLower(name)
	}
	return orNotASCII(column, fmt.Sprintf(e.lower, column)+" IN "+in(p, lower))
}

// SpacesNamed returns the spaces of workspaces that may have a name, in any case of its letters, by id.
func (q Queries) SpacesNamed(workspaces []string, name string) ([]api.Space, error) {
	var p params
	return list(q.db, scanSpace, "SELECT "+spaceColumns+" FROM spaces WHERE workspace_id IN "+in(&p, workspaces)+
		" AND deleted_at IS NULL AND "+q.db.engine.mayBe(&p, "name", []string{name})+" ORDER BY id", p.args...)
}

// UserName is the id and the name of a user, or of a key.
type UserName struct{ ID, Name string }

func scanUserName(r row) (n UserName, err error) { return n, r.Scan(&n.ID, &n.Name) }

// MembersAmong returns those of the users who are members of one of the workspaces.
func (q Queries) MembersAmong(workspaces, userIDs []string) ([]UserName, error) {
	var p params
	return list(q.db, scanUserName, "SELECT u.id, u.name FROM users u WHERE u.id IN "+in(&p, userIDs)+
		" AND (SELECT max(m.role) FROM memberships m WHERE m.user_id = u.id AND m.workspace_id IN "+in(&p, workspaces)+
		") IS NOT NULL", p.args...)
}

// MembersWithNames returns the members of workspaces who may have one of some names, in any case of its letters.
func (q Queries) MembersWithNames(workspaces, names []string) ([]UserName, error) {
	var p params
	return list(q.db, scanUserName, "SELECT DISTINCT u.id, u.name FROM memberships m JOIN users u ON u.id = m.user_id "+
		"WHERE m.workspace_id IN "+in(&p, workspaces)+" AND "+q.db.engine.mayBe(&p, "u.name", names), p.args...)
}
