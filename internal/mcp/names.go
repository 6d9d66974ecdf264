package mcp

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/client"
)

// referenceOf returns the reference or the id in a text: itself, or the last part of a URL.
func referenceOf(text string) string {
	text = strings.TrimSpace(text)
	if _, path, isURL := strings.Cut(text, "://"); isURL {
		path, _, _ = strings.Cut(path, "?")
		path, _, _ = strings.Cut(path, "#")
		text = path[strings.LastIndex(path, "/")+1:]
	}
	return text
}

// report returns the report that a text names.
func (s *session) report(ctx context.Context, ref string) (api.Slice, error) {
	return s.Client.GetSlice(ctx, api.GetSlice{SliceID: referenceOf(ref)})
}

// workspaces returns the workspaces of the key.
func (s *session) workspaces(ctx context.Context) (all []api.Workspace, err error) {
	for w, err := range client.All(ctx, s.Client, api.ListWorkspaces{}) {
		if err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return all, nil
}

// workspaceID returns the id of the workspace with a key, a name or an id, and empty for an empty name.
func (s *session) workspaceID(ctx context.Context, name string) (string, error) {
	if name == "" || strings.HasPrefix(name, "wsp_") {
		return name, nil
	}
	w, err := s.oneWorkspace(ctx, name)
	return w.ID, err
}

// oneWorkspace returns the workspace with a key, a name or an id, or the only one of the key for an empty name.
func (s *session) oneWorkspace(ctx context.Context, name string) (api.Workspace, error) {
	all, err := s.workspaces(ctx)
	if err != nil {
		return api.Workspace{}, err
	}
	var found []api.Workspace
	var keys []string
	for _, w := range all {
		keys = append(keys, w.Key)
		if name == "" || strings.EqualFold(w.Key, name) || strings.EqualFold(w.Name, name) || w.ID == name {
			found = append(found, w)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return api.Workspace{}, problemOf("workspace", "name one of "+strings.Join(keys, ", "))
	}
	return api.Workspace{}, problemOf("workspace", "the key sees no workspace "+strconv.Quote(name)+"; it sees "+
		strings.Join(keys, ", "))
}

// members yields the members of a workspace.
func (s *session) members(ctx context.Context, workspaceID string) iter.Seq2[api.Member, error] {
	return client.All(ctx, s.Client, api.ListMembers{WorkspaceID: workspaceID})
}

// member returns the id of the member of a workspace with a name, an e-mail address or an id. me is the caller.
func (s *session) member(ctx context.Context, workspaceID, name string) (string, error) {
	if strings.HasPrefix(name, "usr_") {
		return name, nil
	}
	if strings.EqualFold(name, "me") {
		me, err := s.Client.GetMe(ctx, api.GetMe{})
		if err == nil && me.Type != "user" {
			err = problemOf("assignee", "me is no user: the key is a service token")
		}
		return me.ID, err
	}
	in := api.ListMembers{WorkspaceID: workspaceID, Q: name}
	if strings.Contains(name, "@") {
		in.Q, in.Email = "", name
	}
	page, err := s.Client.ListMembers(ctx, in)
	if err != nil {
		return "", err
	}
	var names []string
	for _, m := range page.Data {
		if strings.EqualFold(m.Name, name) || len(page.Data) == 1 {
			return m.UserID, nil
		}
		names = append(names, code(m.Name, 60))
	}
	if len(names) > 0 {
		return "", problemOf("assignee", "several members have this name: "+strings.Join(names, ", "))
	}
	return "", problemOf("assignee", "no member of the workspace is named "+strconv.Quote(name)+
		"; list_workspaces names the members")
}

// timeOf returns the time that a text says: a date, a time, or how long before now (7d, 12h); nil for an empty text.
func timeOf(text string, now time.Time) (*api.Time, error) {
	if text == "" {
		return nil, nil
	}
	if n, err := strconv.Atoi(strings.TrimSuffix(text, "d")); err == nil && strings.HasSuffix(text, "d") && n >= 0 {
		return new(api.At(now.AddDate(0, 0, -n))), nil
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return new(api.At(now.Add(-d))), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return new(api.At(t)), nil
		}
	}
	return nil, problemOf("since", "must be how long ago, such as 7d or 12h, or a date such as 2026-11-19")
}

// problemOf returns the problem of an argument.
func problemOf(argument, detail string) *api.Problem {
	return api.NewProblem(api.CodeInvalidParameter, fmt.Sprintf("%s: %s", argument, detail),
		api.Fault{Parameter: argument, Code: "wrong_value", Detail: detail})
}

// isCode reports whether an error is a problem with a code.
func isCode(err error, code string) bool {
	p, ok := errors.AsType[*api.Problem](err)
	return ok && p.Code == code
}
