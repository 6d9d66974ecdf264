package command

import (
	"context"
	"errors"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/command/profile"
	"bugslice/internal/command/tree"
	"bugslice/internal/query"
)

// allWorkspaces returns the workspaces that the caller sees.
func (s *session) allWorkspaces(ctx context.Context) (_ []api.Workspace, err error) {
	if s.workspaces == nil {
		s.workspaces, err = cached(ctx, s, "workspaces", api.ListWorkspaces{})
	}
	return s.workspaces, err
}

// isID reports whether a text is an identifier with a prefix, such as "usr".
func isID(text, prefix string) bool {
	return strings.HasPrefix(text, prefix+"_") && len(text) == len(prefix)+27
}

// findWorkspace returns the workspace that is asked for: by the flag, the variable or the file of the folder; nil
// without any.
func (s *session) findWorkspace(ctx context.Context) (*api.Workspace, error) {
	name, source := s.workspaceName, "--workspace"
	if name == "" {
		name, source = s.variables[profile.EnvWorkspace], profile.EnvWorkspace
	}
	if name == "" {
		folder, err := s.env.folder()
		if err != nil {
			return nil, err
		}
		if name, source, err = profile.FolderWorkspace(folder); err != nil || name == "" {
			return nil, err
		}
	}
	workspaces, err := s.allWorkspaces(ctx)
	if err != nil {
		return nil, err
	}
	for _, same := range []func(api.Workspace) bool{
		func(w api.Workspace) bool { return w.ID == name || strings.EqualFold(w.Key, name) },
		func(w api.Workspace) bool { return strings.EqualFold(w.Name, name) },
	} {
		if i := slices.IndexFunc(workspaces, same); i >= 0 {
			return &workspaces[i], nil
		}
	}
	return nil, &Failure{codeNotFound, errors.New(source + ": there is no workspace " + name), knownKeys(workspaces)}
}

func knownKeys(workspaces []api.Workspace) string {
	keys := make([]string, len(workspaces))
	for i, w := range workspaces {
		keys[i] = w.Key
	}
	if len(keys) == 0 {
		return "you see none: ask an admin"
	}
	return "you see " + strings.Join(keys, ", ")
}

// workspace returns the workspace of a command: the one that is asked for, or the only one.
func (s *session) workspace(ctx context.Context) (api.Workspace, error) {
	found, err := s.findWorkspace(ctx)
	if err != nil || found != nil {
		return deref(found), err
	}
	workspaces, err := s.allWorkspaces(ctx)
	if err == nil && len(workspaces) != 1 {
		err = tree.Usagef("say which workspace by --workspace, %s or the file %s; %s", profile.EnvWorkspace,
			profile.FolderFile,
			knownKeys(workspaces))
	}
	if err != nil {
		return api.Workspace{}, err
	}
	return workspaces[0], nil
}

func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// members returns the members of a workspace.
func (s *session) members(ctx context.Context, workspaceID string) ([]api.Member, error) {
	return cached(ctx, s, "members-"+workspaceID, api.ListMembers{WorkspaceID: workspaceID})
}

// userID returns the id of the user with an e-mail address, a name or an id; "me" is the caller, as is the "@me" of gh.
func (s *session) userID(ctx context.Context, workspaceID, name string) (string, error) {
	name = strings.TrimPrefix(name, "@")
	if isID(name, "usr") {
		return name, nil
	}
	if name == "me" {
		me, err := s.whoAmI(ctx)
		if err == nil && me.Type != "user" {
			err = tree.Usagef("the key is of a service, which is nobody's me; name a member")
		}
		return me.ID, err
	}
	found, err := s.matchingMembers(ctx, workspaceID, name)
	if err != nil {
		return "", err
	}
	return theOnly(found, "member", name)
}

// matchingMembers returns the members whose address or name is a text, or else whose name begins so.
func (s *session) matchingMembers(ctx context.Context, workspaceID, name string) (found []query.Match, err error) {
	members, err := s.members(ctx, workspaceID)
	if err != nil {
		return nil, err
	}
	match := func(same func(api.Member) bool) {
		for _, m := range members {
			if len(found) < 4 && same(m) {
				value := m.UserID
				if m.Email != nil {
					value = *m.Email
				}
				found = append(found, query.Match{ID: m.UserID, Value: value})
			}
		}
	}
	match(func(m api.Member) bool {
		return strings.EqualFold(m.Name, name) || m.Email != nil && strings.EqualFold(*m.Email, name)
	})
	if len(found) == 0 {
		match(func(m api.Member) bool { return strings.HasPrefix(strings.ToLower(m.Name), strings.ToLower(name)) })
	}
	return found, nil
}

// theOnly returns the id of the only record that a name means.
func theOnly(found []query.Match, noun, name string) (string, error) {
	switch len(found) {
	case 0:
		return "", &Failure{codeNotFound, errors.New("there is no " + noun + " " + name),
			"bugslice " + listOf[noun] + " shows what there is"}
	case 1:
		return found[0].ID, nil
	}
	values := make([]string, len(found))
	for i, m := range found {
		values[i] = m.Value
	}
	return "", tree.Usagef("there are several %ss %s; write %s", noun, name, strings.Join(values, " or "))
}

// listOf has the command that lists records, by their noun.
var listOf = map[string]string{"member": "workspace members", "space": "space list", "view": "view list",
	"key":     "key list",
	"webhook": "webhook list"}

// spaceID returns the id of the space with a name or an id in a workspace.
func (s *session) spaceID(ctx context.Context, workspaceID, name string) (string, error) {
	if isID(name, "spc") {
		return name, nil
	}
	found, err := s.matchingSpaces(ctx, workspaceID, name)
	if err != nil {
		return "", err
	}
	return theOnly(found, "space", name)
}

func (s *session) matchingSpaces(ctx context.Context, workspaceID, name string) (found []query.Match, err error) {
	spaces, err := cached(ctx, s, "spaces-"+workspaceID, api.ListSpaces{WorkspaceID: workspaceID})
	for _, space := range spaces {
		if strings.EqualFold(space.Name, name) {
			found = append(found, query.Match{ID: space.ID, Value: space.ID})
		}
	}
	return found, err
}

// names finds the ids of the names in a text of the search box.
type names struct {
	ctx context.Context
	s   *session
	in  []api.Workspace // whose members and spaces are meant
}

// Find returns the records that a value of the search box may name.
func (n names) Find(word, name string) (found []query.Match, err error) {
	switch word {
	case query.Workspace:
		workspaces, err := n.s.allWorkspaces(n.ctx)
		for _, w := range workspaces {
			if strings.EqualFold(w.Key, name) || strings.EqualFold(w.Name, name) {
				found = append(found, query.Match{ID: w.ID, Value: w.Key})
			}
		}
		return found, err
	case query.Duplicate:
		slice, err := call(n.ctx, n.s, api.GetSlice{SliceID: name})
		if p, ok := errors.AsType[*api.Problem](err); ok && p.Code == api.CodeNotFound {
			return nil, nil
		}
		return []query.Match{{ID: slice.ID, Value: slice.Reference}}, err
	}
	find := n.s.matchingMembers
	if word == query.Space {
		find = n.s.matchingSpaces
	}
	for _, w := range n.in {
		more, err := find(n.ctx, w.ID, name)
		if err != nil {
			return nil, err
		}
		for _, m := range more {
			if !slices.Contains(found, m) {
				found = append(found, m)
			}
		}
	}
	return found, nil
}
