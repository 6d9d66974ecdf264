package tracker

import (
	"context"
	"errors"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/query"
	"bugslice/internal/store"
)

// Directory returns the records by whose names a caller filters the lists of a workspace, or of all.
func (t *Tracker) Directory(ctx context.Context, c access.Caller, workspaceID string) query.Directory {
	return directory{q: t.access.Read(ctx), c: c, workspaceID: workspaceID}
}

// directory finds records by their names, as the caller sees them.
type directory struct {
	q           access.Queries
	c           access.Caller
	workspaceID string // empty for all
}

// workspaceOf returns the id of the workspace that a query names; empty when it names none or an unknown one, which
// List refuses.
func (d directory) workspaceOf(parsed query.Query) (string, error) {
	term, ok := parsed.Get(query.Workspace)
	if !ok {
		return "", nil
	}
	found, err := d.findWorkspaces(term.Values[0].Text)
	if len(found) != 1 {
		return "", err
	}
	return found[0].ID, err
}

// Find returns the records that a name may mean. A name that is written in full means no longer one.
func (d directory) Find(word, name string) ([]query.Match, error) {
	switch word {
	case query.Workspace:
		return d.findWorkspaces(name)
	case query.Duplicate:
		ids, err := d.c.SliceIDs(d.q, []string{name})
		if err != nil || ids[name] == "" {
			return nil, err
		}
		return []query.Match{{ID: ids[name], Value: strings.ToUpper(name)}}, nil
	case query.Space:
		return d.findSpaces(name)
	}
	return d.findMembers(word, name)
}

// matches are records whose name is a text, and those whose name has it.
type matches struct {
	name           string
	exact, similar []query.Match
}

func (m *matches) add(recordID, text, value string) {
	isRecord := func(other query.Match) bool { return other.ID == recordID }
	switch one := (query.Match{ID: recordID, Value: value}); {
	case slices.ContainsFunc(m.exact, isRecord):
	case strings.EqualFold(text, m.name):
		m.exact = append(m.exact, one)
	case !slices.ContainsFunc(m.similar, isRecord):
		m.similar = append(m.similar, one)
	}
}

func (d directory) findSpaces(name string) ([]query.Match, error) {
	spaces, err := spacesNamed(d.q, d.c, d.workspaceID, name)
	m := matches{name: name}
	for _, s := range spaces {
		m.add(s.ID, s.Name, s.ID)
	}
	return m.exact, err
}

func (d directory) findMembers(word, name string) ([]query.Match, error) {
	members, err := membersNamed(d.q, d.c, d.workspaceID, name)
	m := matches{name: name}
	for _, one := range members {
		text, value := one.Name, one.UserID
		if one.Email != nil {
			value = *one.Email
			if strings.EqualFold(value, name) {
				text = value
			}
		}
		m.add(one.UserID, text, value)
	}
	if len(m.exact) == 0 && err == nil && word == query.Reporter {
		var ids []string
		ids, err = reportersNamed(d.q, d.c, d.workspaceID, name)
		for _, reporterID := range ids {
			m.add(reporterID, name, reporterID)
		}
	}
	if len(m.exact) > 0 || strings.Contains(name, "@") {
		return m.exact, err
	}
	return m.similar, err
}

// findWorkspaces returns the workspace with a key, those with a name, or the one that had the key.
func (d directory) findWorkspaces(name string) ([]query.Match, error) {
	if err := d.c.Allow(api.OpListWorkspaces); err != nil {
		return nil, err
	}
	all, err := myWorkspaces(d.q, d.c)
	if err != nil {
		return nil, err
	}
	m := matches{name: name}
	for _, w := range all {
		if strings.EqualFold(w.Key, name) {
			return []query.Match{{ID: w.ID, Value: w.Key}}, nil
		}
		m.add(w.ID, w.Name, w.Key)
	}
	if len(m.exact) > 0 {
		return m.exact, nil
	}
	key, _, isKey := api.ParseReference(name + "-1")
	if !isKey {
		return nil, nil
	}
	id, err := d.q.WorkspaceOfKey(d.c.Organization.ID, d.c.ReferenceReader(), key)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return []query.Match{{ID: id, Value: key}}, err
}
