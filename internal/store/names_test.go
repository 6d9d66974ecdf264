package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/store"
	"bugslice/internal/words"
)

// addMembers adds users with names to a workspace, and returns their ids.
func addMembers(t *testing.T, s *store.Store, org, workspace string, names []string) (ids []string) {
	t.Helper()
	now := api.At(time.Now())
	must(t, s.Write(t.Context(), func(tx *store.Tx) error {
		ids = nil
		for i, name := range names {
			u := store.User{ID: id.New(id.User), OrgID: org, Name: name, Role: api.RoleMember, CreatedAt: now}
			u.Email = fmt.Sprintf("%s-%d@test.example", strings.ToLower(workspace), i)
			if err := tx.InsertUser(u); err != nil {
				return err
			}
			if err := tx.PutMember(workspace, u.ID, api.RoleMember, now); err != nil {
				return err
			}
			ids = append(ids, u.ID)
		}
		return nil
	}))
	return ids
}

const labelled = 40 // of the names

// addSpacesAndLabels makes a space of each name, and a label of the first ones.
func addSpacesAndLabels(t *testing.T, s *store.Store, workspace string, names []string) {
	t.Helper()
	must(t, s.Write(t.Context(), func(tx *store.Tx) error {
		for _, name := range names {
			space := api.Space{ID: id.New(id.Space), WorkspaceID: workspace, SpaceFields: api.SpaceFields{Name: name},
				Version: 1}
			if err := tx.InsertSpace(space); err != nil {
				return err
			}
		}
		for _, name := range names[:labelled] {
			slice, err := insert(tx, workspace, "labelled")
			if err != nil {
				return err
			}
			slice.Labels = []string{name}
			if err := tx.UpdateSlice(&slice); err != nil {
				return err
			}
		}
		return nil
	}))
}

// TestSearchedNames: the records that a search by name reads have every one whose name matches, and of the names of
// ASCII characters no other one that does not have the text.
func TestSearchedNames(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, _ store.Options) {
		org, workspace := seed(t, s)
		parts := []string{"Ada", "O'Brien", "van-der", "IRIS", "Åsa", "Łukasz", "İpek", "Straße", "渡辺", "健", "🦊", "50%",
			"a_b", "É́", "x" + strings.Repeat("y", 70), `\`}
		random := rand.New(rand.NewPCG(17, 1))
		var names []string
		for range 200 {
			names = append(names, parts[random.IntN(len(parts))]+" "+parts[random.IntN(len(parts))])
		}
		ids := addMembers(t, s, org, workspace, names)
		addSpacesAndLabels(t, s, workspace, names)
		q := s.Read(t.Context())
		for _, text := range []string{"ad", "brien", "der van", "iris", "i", "asa", "luk", "ipek", "strass", "渡", "健 渡",
			"50", "b a", "e", "x" + strings.Repeat("y", 80), "nobody", "ri"} {
			searched := words.Split(text)
			matches := func(name string) bool { return words.BeginWith(words.Split(name), searched) }
			read, err := q.Members(workspace, searched, "", 1000)
			must(t, err)
			people, err := q.People(store.PeopleFilter{OrgID: org, Words: searched, Limit: 1000})
			must(t, err)
			found, err := q.MembersOf(store.MemberSearch{Workspaces: []string{workspace}, Words: searched}, 1000)
			must(t, err)
			spaces, err := q.Spaces(workspace, searched, "", 1000)
			must(t, err)
			labels, err := q.Labels(workspace, searched, "", 1000)
			must(t, err)
			for i, name := range names {
				for what, has := range map[string]bool{
					"members": slices.ContainsFunc(read, func(m api.Member) bool { return m.UserID == ids[i] }),
					"found members": slices.ContainsFunc(found,
						func(m api.FoundMember) bool { return m.UserID == ids[i] }),
					"people": slices.ContainsFunc(people, func(u store.User) bool { return u.ID == ids[i] }),
					"spaces": slices.ContainsFunc(spaces, func(s api.Space) bool { return s.Name == name }),
					"labels (if any)": i >= labelled ||
						slices.ContainsFunc(labels, func(l store.SliceCount) bool { return *l.Value == name }),
				} {
					if matches(name) && !has {
						t.Errorf("%q is not among the %s for %q", name, what, text)
					}
				}
			}
			for _, m := range read {
				ascii := strings.IndexFunc(m.Name, func(r rune) bool { return r >= 0x80 }) < 0
				if ascii && !strings.Contains(strings.ToLower(m.Name), searched[0]) {
					t.Errorf("%q is read for %q", m.Name, text)
				}
			}
		}
	})
}

// TestMembersByEmailPrefix: a search finds members by the beginning of the e-mail address in the workspaces of which
// the reader sees it.
func TestMembersByEmailPrefix(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, _ store.Options) {
		org, workspace := seed(t, s)
		ids := addMembers(t, s, org, workspace, []string{"Ada", "Bo"})
		search := store.MemberSearch{Workspaces: []string{workspace}, Words: []string{"nobody"},
			Email: strings.ToLower(workspace) + "-1@"}
		for _, administered := range [][]string{{workspace}, nil} {
			search.Administered = administered
			found, err := s.Read(t.Context()).MembersOf(search, 10)
			must(t, err)
			if got := len(found); got != len(administered) || got > 0 && found[0].UserID != ids[1] {
				t.Errorf("administered %q: %v", administered, found)
			}
		}
	})
}

// TestMentionedMembersAreLookedUp: the members whom a text mentions are found by their ids and e-mail addresses,
// however many members the workspace has.
func TestMentionedMembersAreLookedUp(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		org, workspace := seed(t, s)
		ids := addMembers(t, s, org, workspace, slices.Repeat([]string{"Ada"}, 300))
		names := []string{ids[3], strings.ToLower(workspace) + "-4@test.example", "nobody@test.example"}
		found, err := s.Read(t.Context()).FindMembers(workspace, names)
		must(t, err)
		if found[names[0]].UserID != ids[3] || found[names[1]].UserID != ids[4] || len(found) != 4 {
			t.Errorf("%v", found)
		}
		for i := range 97 {
			names = append(names, fmt.Sprintf("other-%d@test.example", i))
		}
		db, driver := rawDatabase(t, o)
		text, args := store.FindMembersQuery(workspace, names)
		conditions := map[string]string{"sqlite": "(workspace_id=? AND user_id=?)", "pgx": "(user_id = u.id)"}
		if p := plan(t, db, driver, text, args...); !strings.Contains(p, conditions[driver]) {
			t.Errorf("the memberships are not looked up:\n%s", p)
		}
	})
}
