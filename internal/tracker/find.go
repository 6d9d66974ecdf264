package tracker

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/store"
	"bugslice/internal/words"
)

// Limits of a search.
const (
	maxFound            = 5    // members, workspaces and views each
	maxSummaries        = 1000 // newest slices whose summaries are compared by the beginnings of words
	maxComparedMembers  = 2000
	maxComparedViews    = 1000
	maxSearchWorkspaces = 1000
	minBeginning        = 3 // letters of a last word that begins others
)

// Search finds slices, members, workspaces and views by a text. It examines a bounded number of records.
func (t *Tracker) Search(ctx context.Context, c access.Caller, v input.Valid[api.Search]) (api.SearchResults, error) {
	out := api.SearchResults{Slices: []api.FoundSlice{}, Members: []api.FoundMember{},
		Workspaces: []api.FoundWorkspace{},
		Views:      []api.View{}}
	in, err := v.Value(c.Allow(api.OpSearch))
	if err != nil {
		return out, err
	}
	slot, err := t.acquireSlotFor(ctx, c, api.OpSearch)
	if err != nil {
		return out, err
	}
	defer slot.Release()
	canRead := func(q access.Queries, c access.Caller) error { return errorOf(c.ListedWorkspaces(q, in.WorkspaceID)) }
	g := t.access.NewGuard(ctx, c, api.OpSearch, canRead)
	s := search{t: t, c: c, q: t.access.Read(ctx), text: strings.TrimSpace(in.Q), words: words.Split(in.Q)}
	if s.workspaces, err = c.ListedWorkspaces(s.q, in.WorkspaceID); err != nil || len(s.workspaces) == 0 ||
		len(s.words) == 0 {
		return out, err
	}
	s.workspaces = s.workspaces[:min(len(s.workspaces), maxSearchWorkspaces)]
	mine, err := t.MyWorkspaces(ctx, c)
	if err == nil {
		err = s.findSlices(&out)
	}
	if err == nil {
		err = s.findMembers(&out, mine)
	}
	if err == nil {
		err = s.findViews(&out)
	}
	if err != nil {
		return out, err
	}
	for _, w := range mine {
		if len(out.Workspaces) < maxFound && (s.matches(w.Name) || strings.EqualFold(w.Key, s.text)) {
			out.Workspaces = append(out.Workspaces, api.FoundWorkspace{ID: w.ID, Key: w.Key, Name: w.Name})
		}
	}
	return out, g.Allow()
}

// search is a search of a caller.
type search struct {
	t          *Tracker
	c          access.Caller
	q          access.Queries
	text       string
	words      []string
	workspaces []string
}

// matches reports whether the words of the search begin words of a name.
func (s search) matches(name string) bool { return words.BeginWith(words.Split(name), s.words) }

// findSlices adds the slice with the reference, then the newest slices whose summaries have words that begin with
// those of the search, then older slices with all of the words, and then those with words that begin with the last one.
func (s search) findSlices(out *api.SearchResults) error {
	named, err := s.c.SliceIDs(s.q, []string{s.text})
	if err != nil {
		return err
	}
	newest, err := s.q.NewestSummaries(s.workspaces, maxSummaries)
	if err != nil {
		return err
	}
	var ids []string
	for _, n := range newest {
		if len(ids) < api.MaxFoundSlices && s.matches(n.Summary) {
			ids = append(ids, n.ID)
		}
	}
	for _, f := range s.sliceFilters(named[s.text], ids) {
		if len(out.Slices) == api.MaxFoundSlices {
			break
		}
		f.Workspaces, f.Limit = s.workspaces, api.MaxFoundSlices
		if err := s.q.NarrowWorkspaces(&f); err != nil {
			return err
		}
		found, err := s.q.Slices(f)
		if f.Prefixes != nil && errors.Is(err, store.ErrTooBroad) { // too many words begin so
			break
		}
		if err != nil {
			return err
		}
		for _, found := range found {
			known := slices.ContainsFunc(out.Slices, func(o api.FoundSlice) bool { return o.ID == found.ID })
			if shown := s.t.show(found); !known && len(out.Slices) < api.MaxFoundSlices {
				out.Slices = append(out.Slices,
					api.FoundSlice{ID: shown.ID, Reference: shown.Reference, WorkspaceID: shown.WorkspaceID,
						Summary: shown.Summary, Status: shown.Status, URL: shown.URL, Matches: []api.Match{}})
			}
		}
	}
	return s.addReasons(out.Slices, named[s.text])
}

// sliceFilters returns the filters of a search, in the order in which their results are shown: the slice that is named,
// those whose summaries have the words, those that have the words anywhere, and those that have all words but the last,
// and a word that begins with the last, which may not be typed to its end.
func (s search) sliceFilters(named string, summaries []string) (all []store.SliceFilter) {
	if named != "" {
		all = append(all, store.SliceFilter{IDs: []string{named}})
	}
	if len(summaries) > 0 {
		all = append(all, store.SliceFilter{IDs: summaries})
	}
	all = append(all, store.SliceFilter{Words: s.words})
	if last := s.beginning(); last != "" {
		all = append(all, store.SliceFilter{Words: s.words[:len(s.words)-1], Prefixes: []string{last}})
	}
	return all
}

// beginning returns the last word of the search when other words may begin with it; empty when it is too short.
func (s search) beginning() string {
	last := s.words[len(s.words)-1]
	if utf8.RuneCountInString(last) < minBeginning {
		return ""
	}
	return last
}

// addReasons adds to slices why they were found: one of them by its reference, the others by their words.
func (s search) addReasons(found []api.FoundSlice, named string) error {
	texts, err := s.q.SearchedTexts(convert(found, func(f api.FoundSlice) string { return f.ID }))
	if err != nil {
		return err
	}
	looked := lookedFor{count: len(s.words),
		of: func(word string) string {
			return s.firstWord(func(w string) bool {
				return w == word || w == s.beginning() && strings.HasPrefix(word, w)
			})
		},
		inSummary: func(word string) string {
			return s.firstWord(func(w string) bool { return strings.HasPrefix(word, w) })
		}}
	for i := range found {
		if found[i].ID == named {
			found[i].Matches = []api.Match{{In: api.MatchReference, Text: found[i].Reference, Words: []string{s.text}}}
			continue
		}
		if of, ok := texts[found[i].ID]; ok { // else it was deleted meanwhile
			if found[i].Matches, err = looked.matchesOf(s.q, of); err != nil {
				return err
			}
		}
	}
	return nil
}

// firstWord returns the first word of the search for which is holds; empty for none.
func (s search) firstWord(is func(string) bool) string {
	if i := slices.IndexFunc(s.words, is); i >= 0 {
		return s.words[i]
	}
	return ""
}

// findMembers adds members by name. Admins find members of their workspaces by the beginning of the e-mail address,
// too.
func (s search) findMembers(out *api.SearchResults, mine []MyWorkspace) error {
	var administered []string
	for _, w := range mine {
		if w.Role == api.RoleAdmin {
			administered = append(administered, w.ID)
		}
	}
	email := strings.ToLower(s.text)
	all, err := s.q.MembersOf(store.MemberSearch{Workspaces: s.workspaces, Administered: administered, Words: s.words,
		Email: email},
		maxComparedMembers)
	for _, m := range all {
		byEmail := m.Email != nil && strings.HasPrefix(*m.Email, email)
		if len(out.Members) < maxFound && (byEmail || s.matches(m.Name)) {
			out.Members = append(out.Members, m)
		}
	}
	return err
}

// findViews adds views by name.
func (s search) findViews(out *api.SearchResults) error {
	all, err := s.q.Views(s.workspaces, s.c.ID, "", maxComparedViews)
	for _, v := range all {
		if len(out.Views) < maxFound && s.matches(v.Name) {
			out.Views = append(out.Views, v.View)
		}
	}
	return err
}

// reportersNamed returns the ids of the users and keys with a name, in any case, that have filed slices which the
// caller sees, in a workspace or in all. A user may have left, and a key may be revoked.
func reportersNamed(q access.Queries, c access.Caller, workspaceID, name string) (ids []string, err error) {
	if err := c.Allow(api.OpListSlices); err != nil {
		return nil, err
	}
	workspaces, err := c.ListedWorkspaces(q, workspaceID)
	if err != nil || len(workspaces) == 0 {
		return nil, err
	}
	all, err := q.PossibleReporters(c.Organization.ID, workspaces)
	for _, r := range all {
		if strings.EqualFold(r.Name, name) {
			ids = append(ids, r.ID)
		}
	}
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	return q.ReportersOf(workspaces, ids)
}
