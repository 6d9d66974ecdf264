package tracker

import (
	"context"
	"math"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
	"bugslice/internal/words"
)

// membersNamed returns the members of a workspace that the caller sees, or of all, whose names have words that begin
// with those of a text, or whose e-mail address it is, where the caller sees that.
func membersNamed(q access.Queries, c access.Caller, workspaceID, text string) ([]api.FoundMember, error) {
	if err := c.Allow(api.OpListMembers); err != nil {
		return nil, err
	}
	s := store.MemberSearch{Words: words.Split(text), Email: strings.ToLower(text)}
	var err error
	if s.Workspaces, err = c.ListedWorkspaces(q, workspaceID); err != nil || len(s.Workspaces) == 0 ||
		len(s.Words) == 0 {
		return nil, err
	}
	if s.Administered, err = administeredOf(q, c, s.Workspaces); err != nil {
		return nil, err
	}
	all, err := q.MembersOf(s, math.MaxInt32)
	return slices.DeleteFunc(all, func(m api.FoundMember) bool {
		byEmail := m.Email != nil && strings.EqualFold(*m.Email, text)
		return !byEmail && !words.BeginWith(words.Split(m.Name), s.Words)
	}), err
}

// administered returns those of the workspaces that the caller administers.
func administeredOf(q access.Queries, c access.Caller, workspaces []string) (all []string, err error) {
	if c.Type == access.ServiceCaller {
		return workspaces, nil
	}
	memberships, err := c.Memberships(q)
	for _, m := range memberships {
		if _, ok := slices.BinarySearch(workspaces, m.WorkspaceID); ok && m.Role == api.RoleAdmin {
			all = append(all, m.WorkspaceID)
		}
	}
	return all, err
}

// spacesNamed returns the spaces of a workspace that the caller sees, or of all, that have a name, in any case of its
// letters.
func spacesNamed(q access.Queries, c access.Caller, workspaceID, name string) ([]api.Space, error) {
	if err := c.Allow(api.OpListSpaces); err != nil {
		return nil, err
	}
	workspaces, err := c.ListedWorkspaces(q, workspaceID)
	if err != nil || len(workspaces) == 0 {
		return nil, err
	}
	all, err := q.SpacesNamed(workspaces, name)
	return slices.DeleteFunc(all, func(s api.Space) bool { return !strings.EqualFold(s.Name, name) }), err
}

// MemberName is the name of a member, and whether no other member has it, in any case of its letters.
type MemberName struct {
	Name  string
	Alone bool
}

// UniqueNames returns the names of those of the users who are members of a workspace that the caller sees, or of one
// of all, by id.
func (t *Tracker) UniqueNames(ctx context.Context, c access.Caller, workspaceID string, userIDs []string,
) (map[string]MemberName, error) {
	names := map[string]MemberName{}
	if err := c.Allow(api.OpListMembers); err != nil {
		return nil, err
	}
	q := t.access.Read(ctx)
	workspaces, err := c.ListedWorkspaces(q, workspaceID)
	if err != nil || len(workspaces) == 0 || len(userIDs) == 0 {
		return names, err
	}
	members, err := q.MembersAmong(workspaces, userIDs)
	if err != nil || len(members) == 0 {
		return names, err
	}
	same, err := q.MembersWithNames(workspaces, convert(members, func(m store.UserName) string { return m.Name }))
	for _, m := range members {
		other := func(o store.UserName) bool { return o.ID != m.ID && strings.EqualFold(o.Name, m.Name) }
		names[m.ID] = MemberName{m.Name, !slices.ContainsFunc(same, other)}
	}
	return names, err
}

// AdminNames returns the names of at most 10 admins of a workspace of the caller.
func (t *Tracker) AdminNames(ctx context.Context, c access.Caller, workspaceID string) ([]string, error) {
	if err := c.Allow(api.OpListMembers); err != nil {
		return nil, err
	}
	q := t.access.Read(ctx)
	if _, err := c.RoleIn(q, workspaceID); err != nil {
		return nil, err
	}
	return q.AdminNames(workspaceID, 10)
}

// MemberNames returns the names of those of the users who are members of a workspace that the caller sees, by id.
func (t *Tracker) MemberNames(ctx context.Context, c access.Caller, workspaceID string, userIDs []string,
) (map[string]string, error) {
	if err := c.Allow(api.OpListMembers); err != nil {
		return nil, err
	}
	q := t.access.Read(ctx)
	if _, err := c.RoleIn(q, workspaceID); err != nil {
		return nil, err
	}
	found, err := q.FindMembers(workspaceID, userIDs)
	names := map[string]string{}
	for _, m := range found {
		names[m.UserID] = m.Name
	}
	return names, err
}
