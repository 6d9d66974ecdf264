package tracker

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// The records of people are those of the contract.
type (
	Person          = api.Person
	PersonWorkspace = api.PersonWorkspace
	People          = api.People
)

// peopleReader is a caller who reads about people.
type peopleReader struct {
	q          access.Queries
	self       store.User
	workspaces map[string]PersonWorkspace // that the caller sees, with its own roles
}

// newPeopleReader reads the rights of a caller. An owner or an admin of the organisation sees all of its workspaces.
func newPeopleReader(q access.Queries, c access.Caller) (r peopleReader, err error) {
	r = peopleReader{q: q, workspaces: map[string]PersonWorkspace{}}
	if r.self, err = q.User(c.ID); err != nil {
		return r, err
	}
	if managesPeople(r.self.Role) {
		all, err := q.WorkspacesIn(r.self.OrgID)
		for _, w := range all {
			r.workspaces[w.ID] = PersonWorkspace{ID: w.ID, Key: w.Key, Name: w.Name, Managed: true}
		}
		return r, err
	}
	own, err := q.MemberWorkspaces(c.ID)
	for _, w := range own {
		r.workspaces[w.ID] = PersonWorkspace{ID: w.ID, Key: w.Key, Name: w.Name, Managed: w.Role == api.RoleAdmin}
	}
	return r, err
}

// managed returns the workspaces whose members the caller manages.
func (r peopleReader) managed() (all []PersonWorkspace) {
	for _, w := range r.workspaces {
		if w.Managed {
			all = append(all, w)
		}
	}
	sortByName(all)
	return all
}

func sortByName(all []PersonWorkspace) {
	slices.SortFunc(all, func(a, b PersonWorkspace) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.ID, b.ID))
	})
}

// roles returns the roles in the organisation that the caller may give.
func (r peopleReader) roles() (all []api.Role) {
	for _, role := range []api.Role{api.RoleMember, api.RoleAdmin, api.RoleOwner} {
		if givesRole(r.self, role) {
			all = append(all, role)
		}
	}
	return all
}

// show returns users as the caller sees them: their e-mail addresses to those who manage the members of one of their
// workspaces.
func (r peopleReader) show(users []store.User) ([]Person, error) {
	ids := make([]string, len(users))
	for i, u := range users {
		ids[i] = u.ID
	}
	memberships, err := r.q.MembershipsOfUsers(ids)
	people := make([]Person, len(users))
	for i, u := range users {
		p := Person{ID: u.ID, Name: u.Name, Picture: u.Picture, Email: u.Email, Role: u.Role, CreatedAt: u.CreatedAt,
			DisabledAt: u.DisabledAt,
			Self:       u.ID == r.self.ID, Managed: managesUser(r.self, u)}
		known := p.Self || managesPeople(r.self.Role)
		for _, m := range memberships {
			w, ok := r.workspaces[m.WorkspaceID]
			if ok && m.UserID == u.ID {
				w.Role = m.Role
				p.Workspaces = append(p.Workspaces, w)
				known = known || w.Managed
			}
		}
		if !known {
			p.Email = ""
		}
		sortByName(p.Workspaces)
		people[i] = p
	}
	return people, err
}

// ListPeople returns users: all of the organisation for an owner or an admin of it, and otherwise those who share a
// workspace with the caller. It returns the invitations that the caller manages.
func (t *Tracker) ListPeople(ctx context.Context, c access.Caller, v input.Valid[api.ListPeople]) (People, error) {
	in, err := v.Value(c.Allow(api.OpListPeople))
	if err != nil {
		return People{}, err
	}
	q := t.access.Read(ctx)
	r, err := newPeopleReader(q, c)
	if err != nil {
		return People{}, err
	}
	users, err := r.find(in)
	if err != nil {
		return People{}, err
	}
	all := People{Workspaces: r.managed(), Roles: r.roles()}
	if len(users) > in.Limit {
		users = users[:in.Limit]
		all.Next = users[in.Limit-1].ID
	}
	if all.People, err = r.show(users); err != nil {
		return People{}, err
	}
	all.Invitations, err = t.pendingInvitations(r)
	return all, err
}

// find returns the users of a query: at most one more than its limit, which tells that there are more.
func (r peopleReader) find(in api.ListPeople) ([]store.User, error) {
	f := store.PeopleFilter{OrgID: r.self.OrgID}
	users := named[store.User]{
		key:  func(u store.User) string { return u.ID },
		name: func(u store.User) string { return u.Name + " " + u.Email },
		read: func(searched []string, after string, limit int) ([]store.User, error) {
			f.Words, f.AfterID, f.Limit = searched, after, limit
			return r.q.People(f)
		},
	}
	if !managesPeople(r.self.Role) { // who sees no e-mail addresses finds nobody by one
		f.Reader = r.self.ID
		users.name = func(u store.User) string { return u.Name }
	}
	return users.search(in.Text, in.After, in.Limit+1)
}

// GetPerson returns a user whom the caller sees in ListPeople, with the workspaces and roles that the caller may give.
func (t *Tracker) GetPerson(ctx context.Context, c access.Caller, v input.Valid[api.GetPerson]) (
	api.PersonDetails, error,
) {
	in, err := v.Value(c.Allow(api.OpGetPerson))
	if err != nil {
		return api.PersonDetails{}, err
	}
	q := t.access.Read(ctx)
	r, err := newPeopleReader(q, c)
	if err != nil {
		return api.PersonDetails{}, err
	}
	u, err := q.User(in.UserID)
	if err == nil && (u.OrgID != r.self.OrgID || u.ErasedAt != nil) {
		err = store.ErrNotFound
	}
	if err != nil {
		return api.PersonDetails{}, access.OrNotFound(err, "user")
	}
	people, err := r.show([]store.User{u})
	if err != nil {
		return api.PersonDetails{}, err
	}
	p := people[0]
	if !p.Self && !managesPeople(r.self.Role) && len(p.Workspaces) == 0 {
		return api.PersonDetails{}, api.NotFound("user")
	}
	return api.PersonDetails{Person: p, Workspaces: r.managed(), Roles: r.roles()}, nil
}
