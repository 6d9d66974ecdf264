package store

import (
	"strings"
	"unicode/utf8"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// mayHaveWords returns a condition that selects each name with words that begin with those of a search, and others: a
// name of ASCII characters with these texts anywhere, and every other one, because only package words knows its
// accents and its letters in lower case. A search without words selects all.
func (q Queries) mayHaveWords(p *sqldb.Params, column string, searched []string) string {
	if len(searched) == 0 {
		return "1 = 1"
	}
	var contained []string
	for _, w := range searched {
		if strings.IndexFunc(w, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
			contained = []string{"1 = 0"} // no name of ASCII characters has it
			break
		}
		contained = append(contained, q.db.Engine.Lower(column)+" LIKE "+p.Add("%"+w+"%"))
	}
	return orNotASCII(column, strings.Join(contained, " AND "))
}

// orNotASCII returns the condition that a name satisfies another one, or has characters that are not ASCII.
func orNotASCII(column, condition string) string {
	return "(octet_length(" + column + ") <> length(" + column + ") OR " + condition + ")"
}

// mayBe returns a condition that selects each name that is one of some, in any case of its letters, and every one
// that is not of ASCII characters.
func (q Queries) mayBe(p *sqldb.Params, column string, names []string) string {
	lower := make([]string, len(names))
	for i, name := range names {
		lower[i] = strings.ToLower(name)
	}
	return orNotASCII(column, q.db.Engine.Lower(column)+" IN "+sqldb.In(p, lower))
}

// SpacesNamed returns the spaces of workspaces that may have a name, in any case of its letters, by id.
func (q Queries) SpacesNamed(workspaces []string, name string) ([]api.Space, error) {
	var p sqldb.Params
	return sqldb.List(q.db, scanSpace, "SELECT "+spaceColumns+" FROM spaces WHERE workspace_id IN "+
		sqldb.In(&p, workspaces)+
		" AND deleted_at IS NULL AND "+q.mayBe(&p, "name", []string{name})+" ORDER BY id", p.Args...)
}

// UserName is the id and the name of a user, or of a key.
type UserName struct{ ID, Name string }

func scanUserName(r sqldb.Row) (n UserName, err error) { return n, r.Scan(&n.ID, &n.Name) }

// MembersAmong returns those of the users who are members of one of the workspaces.
func (q Queries) MembersAmong(workspaces, userIDs []string) ([]UserName, error) {
	var p sqldb.Params
	return sqldb.List(q.db, scanUserName, "SELECT u.id, u.name FROM users u WHERE u.id IN "+sqldb.In(&p, userIDs)+
		" AND (SELECT max(m.role) FROM memberships m WHERE m.user_id = u.id AND m.workspace_id IN "+
		sqldb.In(&p, workspaces)+
		") IS NOT NULL", p.Args...)
}

// MembersWithNames returns the members of workspaces who may have one of some names, in any case of its letters.
func (q Queries) MembersWithNames(workspaces, names []string) ([]UserName, error) {
	var p sqldb.Params
	return sqldb.List(q.db, scanUserName,
		"SELECT DISTINCT u.id, u.name FROM memberships m JOIN users u ON u.id = m.user_id "+
			"WHERE m.workspace_id IN "+sqldb.In(&p, workspaces)+" AND "+q.mayBe(&p, "u.name", names), p.Args...)
}
