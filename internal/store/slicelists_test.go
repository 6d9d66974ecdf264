package store_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/id"
	"bugslice/internal/store"
)

// fillVaried fills a workspace, $1, with 6,000 slices of some years, of which each value of a member has many, few or
// none. $2 and $3 are users, $4 and $5 spaces.
const fillVaried = `INSERT INTO slices (id, workspace_id, number, space_id, summary, description, comment_count, status, priority, severity, assignee_id, labels,
		reporter_type, reporter_id, reporter_name, environment, metadata, fingerprint, external_id, created_at, updated_at, last_seen_at, deleted_at, resolved_at,
		evidence_replays, evidence_screenshots, resolution, fixed_in_release, last_occurrence)
	SELECT 'slc_01' || CAST(10000000 + i * 3000 AS TEXT) || '0000000000000000', CAST($1 AS TEXT), i, CASE i % 7 WHEN 0 THEN NULL WHEN 1 THEN CAST($4 AS TEXT) ELSE CAST($5 AS TEXT) END,
		's', CASE WHEN i % 3 = 1 THEN '@a@x.test' END, CASE WHEN i % 6 = 1 OR i % 80 = 2 THEN 1 ELSE 0 END, CASE WHEN i % 900 = 7 THEN 'in_progress' WHEN i % 3 = 1 THEN 'open' ELSE 'closed' END,
		CASE i % 50 WHEN 1 THEN 'urgent' WHEN 2 THEN 'high' WHEN 3 THEN 'medium' WHEN 4 THEN 'low' END,
		CASE WHEN i % 2 = 0 THEN 'major' END, CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN CAST($2 AS TEXT) ELSE CAST($3 AS TEXT) END,
		CASE WHEN i % 4 = 0 THEN '' WHEN i % 100 = 1 THEN '["frequent","rare"]' ELSE '["frequent"]' END, 'user',
		CASE i % 40 WHEN 3 THEN NULL WHEN 4 THEN CAST($3 AS TEXT) ELSE CAST($2 AS TEXT) END, 'n', CASE WHEN i % 6 = 0 THEN '{"release":"r' || CAST(i % 30 AS TEXT) || '","browser":"b' || CAST(i % 18 AS TEXT) ||
			'","os":"o' || CAST(i % 24 AS TEXT) || '","viewport":"v' || CAST(i % 12 AS TEXT) || '"}' ELSE '' END,
		'{"order":"o' || CAST(i % 500 AS TEXT) || '"' || CASE WHEN i % 4 > 0 THEN ',"env":"often"' WHEN i % 92 = 4 THEN ',"env":"seldom"' ELSE '' END || '}',
		CASE WHEN i % 3 = 2 THEN 'f' || CAST(i % 10 AS TEXT) END, CASE WHEN i % 9 = 0 THEN 'x' || CAST(i AS TEXT) END,
		1, i * 7919 % 1000, 1, CASE WHEN i % 19 = 0 THEN 5 END, CASE WHEN i % 4 = 2 THEN i * 31 % 1000 END,
		CASE WHEN i % 11 = 0 THEN 1 ELSE 0 END, CASE WHEN i % 2 = 1 THEN 1 ELSE 0 END,
		CASE WHEN i % 4 = 2 THEN CASE WHEN i % 14 = 0 THEN 'duplicate' ELSE 'fixed' END END,
		CASE WHEN i % 8 = 2 THEN 'g' || CAST(i % 3 AS TEXT) END,
		CASE WHEN i % 10 = 2 THEN '{"environment":{"release":"r' || CAST(i % 9 AS TEXT) || '"}}' ELSE '' END
	FROM `

var variedNumbers = map[string]string{
	"sqlite": "(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000) SELECT i FROM n) AS n",
	"pgx":    "generate_series(1, 6000) AS i",
}

// variedTexts lets slices mention users in one text or two, and makes slices duplicates of the fifth one, and others
// of one of these.
var variedTexts = []string{
	`UPDATE slices SET reporter_type = 'guest', reporter_id = NULL,
		visitor = '{"sourceName":"Shop"}' WHERE number % 17 = 2`,
	`UPDATE slices SET reporter_type = 'guest', reporter_id = NULL,
		visitor = '{"sourceName":"Blog"}' WHERE number % 170 = 5`,
	"UPDATE slices SET duplicate_of_id = 'slc_01100150000000000000000000' WHERE number % 13 = 4",
	"UPDATE slices SET duplicate_of_id = 'slc_01100120000000000000000000' WHERE number % 50 = 6",
	`INSERT INTO comments (id, slice_id, body, author_type, author_name, created_at, updated_at)
		SELECT 'a' || id, id, '@a@x.test', 'user', 'u', 1, 1 FROM slices WHERE number % 6 = 1`,
	`INSERT INTO comments (id, slice_id, body, author_type, author_name, created_at, updated_at)
		SELECT 'b' || id, id, '@b@x.test', 'user', 'u', 1, 1 FROM slices WHERE number % 80 = 2`,
}

// buildIndex lets lists find slices that were written past the store.
func buildIndex(t *testing.T, s *store.Store) {
	t.Helper()
	must(t, store.BuildIndex(t.Context(), s))
}

// variedWords are the words of a slice with a number: one that half of the slices have, one that few have, one that
// the old half has, one that too many have to compare all of them, and one that only the oldest of these have.
func variedWords(number int64) (words []string) {
	for word, has := range hasWord {
		if has(number) {
			words = append(words, word)
		}
	}
	return words
}

var hasWord = map[string]func(number int64) bool{"often": func(n int64) bool { return n%2 == 1 },
	"seldom": func(n int64) bool { return n%97 == 1 },
	"old":    func(n int64) bool { return n <= 3000 }, "middle": func(n int64) bool { return n%11 == 3 },
	"ancient": func(n int64) bool { return n <= 1800 && n%3 == 1 }, "never": func(int64) bool { return false }}

// indexVariedWords makes variedWords the summaries of slices, and builds the index.
func indexVariedWords(t *testing.T, s *store.Store, all []store.Slice) {
	t.Helper()
	must(t, s.Write(t.Context(), func(tx *store.Tx) error {
		for _, v := range all {
			if err := store.ExecIn(tx, "UPDATE slices SET summary = $2 WHERE id = $1", v.ID,
				strings.Join(variedWords(v.Number), " ")); err != nil {
				return err
			}
		}
		return nil
	}))
	buildIndex(t, s)
}

// varied is a member by which the lists of TestListsAreExact are filtered: it sets one of its values, or several, in
// a filter, and returns which slices have it.
type varied func(r *rand.Rand, f *store.SliceFilter) func(s store.Slice) bool

func variedValues[T comparable](field func(f *store.SliceFilter) *[]T, of func(s store.Slice) T, all ...T) varied {
	return func(r *rand.Rand, f *store.SliceFilter) func(s store.Slice) bool {
		chosen := slices.Clone(all)
		r.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
		chosen = chosen[:1+r.IntN(len(chosen))]
		*field(f) = chosen
		return func(s store.Slice) bool { return slices.Contains(chosen, of(s)) }
	}
}

// variedText is a filter by a text.
func variedText(word string, of func(s store.Slice) *string, all ...string) varied {
	return func(r *rand.Rand, f *store.SliceFilter) func(s store.Slice) bool {
		var chosen []string
		selects := variedValues(func(*store.SliceFilter) *[]string { return &chosen },
			func(s store.Slice) string { return textOf(of(s)) }, all...)(r, f)
		if f.Texts == nil {
			f.Texts = map[string][]string{}
		}
		f.Texts[word] = chosen
		return selects
	}
}

// lastRelease returns the release that the newest report of a slice names.
func lastRelease(s store.Slice) *string {
	if s.LastOccurrence != nil {
		return s.LastOccurrence.Environment.Release
	}
	return s.Environment.Release
}

func textOf(v *string) string {
	if v == nil {
		return ""
	}
	return *v
}

func orNone[T ~string](v *T) T {
	if v == nil {
		return store.NoneValue
	}
	return *v
}

// reporterOf returns the id of the member who reported a slice; visitor for a visitor.
func reporterOf(s store.Slice) string {
	if s.Visitor != nil {
		return "visitor"
	}
	return textOf(s.Reporter.ID)
}

// sourceOf returns the name of the source by which a visitor reported a slice; nil for a member.
func sourceOf(s store.Slice) *string {
	if s.Visitor == nil {
		return nil
	}
	return &s.Visitor.SourceName
}

// TestListsAreExact: with any filters in any order, the pages of a list have each selected slice once and in order.
func TestListsAreExact(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		org, workspace := seed(t, s)
		users, spaces := []string{id.New(id.User), id.New(id.User)}, []string{id.New(id.Space), id.New(id.Space)}
		db, driver := rawDatabase(t, o)
		for i := range users {
			_, err := db.Exec(`INSERT INTO users (id, org_id, email, name, role, password_hash, created_at) VALUES ($1, $2, $3, 'n', 'member', '', 1)`,
				users[i], org, fmt.Sprintf("u%d@test.example", i))
			must(t, err)
			_, err = db.Exec("INSERT INTO spaces (id, workspace_id, name, created_at, updated_at) VALUES ($1, $2, 'n', 1, 1)", spaces[i], workspace)
			must(t, err)
		}
		_, err := db.Exec(fillVaried+variedNumbers[driver], workspace, users[0], users[1], spaces[0], spaces[1])
		must(t, err)
		for _, text := range append(variedTexts, "INSERT INTO pending_backfills (name) VALUES ('statistics')") {
			_, err := db.Exec(text)
			must(t, err)
		}
		_, err = store.Migrate(t.Context(), o)
		must(t, err)
		q := s.Read(t.Context())
		all, err := q.Slices(store.SliceFilter{Workspaces: []string{workspace}, Limit: 10_000})
		must(t, err)
		indexVariedWords(t, s, all)
		labels := func(s store.Slice) []string {
			return append(slices.Repeat([]string{"frequent"}, int(min(s.Number%4, 1))),
				slices.Repeat([]string{"rare"}, flagOf(s.Number%100 == 1))...)
		}
		has := map[api.EvidenceFilter]func(s store.Slice) bool{
			"replay":     func(s store.Slice) bool { return s.Evidence.Replays > 0 },
			"screenshot": func(s store.Slice) bool { return s.Evidence.Screenshots > 0 },
		}
		var members []varied
		members = []varied{
			variedValues(func(f *store.SliceFilter) *[]api.Status { return &f.Statuses },
				func(s store.Slice) api.Status { return s.Status },
				api.Open, api.InProgress, api.Closed),
			variedValues(func(f *store.SliceFilter) *[]api.PriorityFilter { return &f.Priorities },
				func(s store.Slice) api.PriorityFilter { return api.PriorityFilter(orNone(s.Priority)) }, "urgent",
				"high", "low", store.NoneValue),
			variedValues(func(f *store.SliceFilter) *[]api.SeverityFilter { return &f.Severities },
				func(s store.Slice) api.SeverityFilter { return api.SeverityFilter(orNone(s.Severity)) }, "major",
				"minor", store.NoneValue),
			variedValues(func(f *store.SliceFilter) *[]string { return &f.Reporters },
				reporterOf, users[0], users[1], "visitor"),
			variedText("source", sourceOf, "Shop", "Blog", "None"),
			variedText("external", func(s store.Slice) *string { return s.ExternalID }, "x9", "x18", "x900", "x1"),
			variedValues(func(f *store.SliceFilter) *[]string { return &f.IDs },
				func(s store.Slice) string { return s.ID }, all[1].ID, all[2].ID, all[500].ID, all[1999].ID),
			func(r *rand.Rand, f *store.SliceFilter) func(s store.Slice) bool {
				f.Number = 1 + r.IntN(6000)
				number := int64(f.Number)
				return func(s store.Slice) bool { return s.Number == number }
			},
			variedValues(func(f *store.SliceFilter) *[]string { return &f.Assignees },
				func(s store.Slice) string { return orNone(s.AssigneeID) }, users[0], users[1], store.NoneValue),
			variedValues(func(f *store.SliceFilter) *[]string { return &f.Spaces },
				func(s store.Slice) string { return orNone(s.SpaceID) }, spaces[0], spaces[1], store.NoneValue),
			variedText("fingerprint", func(s store.Slice) *string { return s.Fingerprint }, "f0", "f2", "f3"),
			variedText("release", func(s store.Slice) *string { return s.Environment.Release }, "r0", "r6", "r7"),
			variedText("first-release", func(s store.Slice) *string { return s.Environment.Release }, "r12", "r6", "r7"),
			variedText("last-release", lastRelease, "r0", "r6", "r7", "r99"),
			variedText("fixed-in", func(s store.Slice) *string { return s.FixedInRelease }, "g0", "g1", "g9"),
			variedValues(func(f *store.SliceFilter) *[]api.Resolution { return &f.Resolutions },
				func(s store.Slice) api.Resolution { return orNone(s.Resolution) }, api.Fixed,
				api.Duplicate, api.WontFix),
			variedText("browser", func(s store.Slice) *string { return s.Environment.Browser }, "b0", "b12", "b1"),
			variedText("os", func(s store.Slice) *string { return s.Environment.OS }, "o0", "o18"),
			variedText("viewport", func(s store.Slice) *string { return s.Environment.Viewport }, "v0", "v1"),
			func(r *rand.Rand, f *store.SliceFilter) func(s store.Slice) bool {
				from, end := api.FromMillis([]int64{0, 300}[r.IntN(2)]), api.FromMillis([]int64{310, 990}[r.IntN(2)])
				f.ResolvedMin, f.ResolvedEnd = &from, &end
				return func(s store.Slice) bool {
					return s.ResolvedAt != nil && !s.ResolvedAt.Before(from.Time) && s.ResolvedAt.Before(end.Time)
				}
			},
			func(r *rand.Rand, f *store.SliceFilter) func(s store.Slice) bool {
				f.Labels = [][]string{{"frequent"}, {"rare"}, {"frequent", "rare"}, {"never"}}[r.IntN(4)]
				chosen := f.Labels
				return func(s store.Slice) bool {
					return slices.ContainsFunc(labels(s), func(l string) bool { return slices.Contains(chosen, l) })
				}
			},
			func(r *rand.Rand, f *store.SliceFilter) func(s store.Slice) bool {
				f.Has = [][]api.EvidenceFilter{{"replay"}, {"screenshot"}, {"replay", "screenshot"}}[r.IntN(3)]
				chosen := f.Has
				return func(s store.Slice) bool {
					return slices.ContainsFunc(chosen, func(k api.EvidenceFilter) bool { return has[k](s) })
				}
			},
			func(r *rand.Rand, f *store.SliceFilter) func(s store.Slice) bool {
				at := api.FromMillis([]int64{0, 500, 990}[r.IntN(3)])
				f.UpdatedMin = &at
				return func(s store.Slice) bool { return !s.UpdatedAt.Before(at.Time) }
			},
			func(r *rand.Rand, f *store.SliceFilter) func(s store.Slice) bool {
				at := api.FromMillis([]int64{10, 500, 990}[r.IntN(3)])
				f.UpdatedEnd = &at
				return func(s store.Slice) bool { return s.UpdatedAt.Before(at.Time) }
			},
			func(r *rand.Rand, f *store.SliceFilter) func(s store.Slice) bool {
				env := [][]string{{"often"}, {"seldom"}, {"often", "seldom"}, {"never"}}[r.IntN(4)]
				f.Metadata = []store.MetadataFilter{{Name: "env", Values: env}}
				inEnv := func(s store.Slice) bool {
					return s.Number%4 > 0 && slices.Contains(env, "often") || s.Number%92 == 4 &&
						slices.Contains(env, "seldom")
				}
				if r.IntN(2) == 0 {
					return inEnv
				}
				f.Metadata = append(f.Metadata,
					store.MetadataFilter{Name: "order", Values: []string{"o7", "o96", "o97"}})
				return func(s store.Slice) bool { return inEnv(s) && slices.Contains([]int64{7, 96, 97}, s.Number%500) }
			},
			func(r *rand.Rand, f *store.SliceFilter) func(s store.Slice) bool {
				number, words := 1+int64(r.IntN(6000)),
					[][]string{{"often", "old"}, {"never"}, {"middle", "seldom"}}[r.IntN(3)]
				f.References = []store.ReferenceFilter{{WorkspaceID: workspace, Number: number, Words: words}}
				return func(s store.Slice) bool {
					lacks := func(w string) bool { return !hasWord[w](s.Number) }
					return s.Number == number && s.WorkspaceID == workspace || !slices.ContainsFunc(words, lacks)
				}
			},
			func(_ *rand.Rand, f *store.SliceFilter) func(s store.Slice) bool {
				f.Unlabelled = true
				return func(s store.Slice) bool { return s.Number%4 == 0 }
			},
			func(r *rand.Rand, f *store.SliceFilter) func(s store.Slice) bool {
				f.Mentions = [][]string{{"a@x.test"}, {"b@x.test"}, {"a@x.test", "b@x.test"}, {"c@x.test"}}[r.IntN(4)]
				a, b := slices.Contains(f.Mentions, "a@x.test"), slices.Contains(f.Mentions, "b@x.test")
				return func(s store.Slice) bool { return a && s.Number%3 == 1 || b && s.Number%80 == 2 }
			},
			func(r *rand.Rand, f *store.SliceFilter) func(s store.Slice) bool {
				f.DuplicatesOf = [][]string{{"slc_01100150000000000000000000"}, {"slc_01100120000000000000000000"},
					{"slc_01100150000000000000000000", "slc_01100120000000000000000000"},
					{"slc_01100030000000000000000000"}}[r.IntN(4)]
				fifth, fourth := slices.Contains(f.DuplicatesOf, "slc_01100150000000000000000000"),
					slices.Contains(f.DuplicatesOf, "slc_01100120000000000000000000")
				return func(s store.Slice) bool {
					return fifth && s.Number%13 == 4 || (fifth || fourth) &&
						s.Number%50 == 6
				}
			},
			func(r *rand.Rand, f *store.SliceFilter) func(s store.Slice) bool {
				f.Words = [][]string{{"often"}, {"seldom"}, {"often", "seldom"}, {"old"}, {"often", "old"}, {"never"},
					{"middle"}, {"ancient"},
					{"ancient", "middle"}}[r.IntN(9)]
				words := f.Words
				return func(s store.Slice) bool {
					return !slices.ContainsFunc(words, func(w string) bool { return !hasWord[w](s.Number) })
				}
			},
			func(r *rand.Rand, f *store.SliceFilter) func(s store.Slice) bool {
				f.Prefixes = [][]string{{"of"}, {"o"}, {"sel"}, {"mid", "o"}, {"nev"}}[r.IntN(5)]
				prefixes := f.Prefixes
				return func(s store.Slice) bool {
					return !slices.ContainsFunc(prefixes, func(p string) bool {
						return !slices.ContainsFunc(variedWords(s.Number),
							func(w string) bool { return strings.HasPrefix(w, p) })
					})
				}
			},
			func(r *rand.Rand, f *store.SliceFilter) func(s store.Slice) bool {
				one := [][2]string{{"seldom", "mid"}, {"never", "anc"}, {"old", "nev"}}[r.IntN(3)]
				f.AnyOf = [][]store.SliceFilter{{{Words: one[:1]}, {Prefixes: one[1:]}}}
				return func(s store.Slice) bool {
					return slices.ContainsFunc(variedWords(s.Number),
						func(w string) bool { return w == one[0] || strings.HasPrefix(w, one[1]) })
				}
			},
			func(r *rand.Rand, f *store.SliceFilter) func(s store.Slice) bool {
				var excluded store.SliceFilter
				selects := members[r.IntN(3)](r, &excluded)
				if r.IntN(2) == 0 {
					excluded.Words = []string{"often"}
				}
				f.Excluded = &excluded
				return func(s store.Slice) bool {
					return !selects(s) &&
						(excluded.Words == nil || !hasWord["often"](s.Number))
				}
			},
			func(r *rand.Rand, f *store.SliceFilter) func(s store.Slice) bool {
				from, before := all[r.IntN(len(all))].ID, all[r.IntN(len(all))].ID
				f.FromID, f.BeforeID = from, before
				return func(s store.Slice) bool { return s.ID >= from && s.ID < before }
			},
		}
		checkSearches(t, q, all, []string{workspace})
		checkMatches(t, q, all, workspace)
		words := len(members) - 5 // the member of words
		filtered := filteredMembers{}
		r, workspaces, sorts := rand.New(rand.NewPCG(1, 2)), []string{workspace}, 3
		for i := range 220 {
			if i == 180 { // lists of several workspaces have no order by priority
				_, other := seed(t, s)
				workspaces, sorts = append(workspaces, other), 2
				_, err := db.Exec("UPDATE slices SET workspace_id = $1, version = version + 1 WHERE number % 4 = 3",
					other)
				must(t, err)
				all, err = q.Slices(store.SliceFilter{Workspaces: workspaces, Limit: 10_000})
				must(t, err)
				indexVariedWords(t, s, all)
			}
			f := store.SliceFilter{Workspaces: workspaces, Sort: store.SliceSort(r.IntN(sorts)),
				Ascending: r.IntN(2) == 0, Limit: 1 + r.IntN(300)}
			want := slices.Clone(all)
			chosen := r.Perm(len(members))[:r.IntN(5)]
			if i%4 == 0 && !slices.Contains(chosen, words) {
				chosen = append(chosen, words)
			}
			for _, n := range chosen {
				selects := members[n](r, &f)
				filtered.see(f)
				want = slices.DeleteFunc(want, func(s store.Slice) bool { return !selects(s) })
			}
			checkPages(t, q, f, want)
		}
		filtered.check(t)
		checkSearches(t, q, all, workspaces)
	})
}

// filteredMembers are the members of filters that a test has set.
type filteredMembers map[string]bool

// notFiltered are the members of a filter that select nothing by themselves: the order, the page, the workspaces and
// what the store sets.
var notFiltered = []string{"Workspaces", "Sort", "Ascending", "AfterID", "AfterKey", "Limit", "anyWord", "latest",
	"earliest"}

func (m filteredMembers) see(f store.SliceFilter) {
	for field, value := range reflect.ValueOf(f).Fields() {
		m[field.Name] = m[field.Name] || !value.IsZero()
	}
	for _, text := range new(api.SliceFilters).Texts() {
		name := "the text " + text.Word
		m[name] = m[name] || len(f.Texts[text.Word]) > 0
	}
}

// check fails for each member of a filter that no list had, so that a new one needs a generator.
func (m filteredMembers) check(t *testing.T) {
	t.Helper()
	for name, set := range m {
		if !set && !slices.Contains(notFiltered, name) {
			t.Errorf("no list of this test was filtered by %s: it needs a generator in members", name)
		}
	}
}

// checkSearches checks lists with words of any frequency, alone and with a status, from any position in any order.
func checkSearches(t *testing.T, q store.Queries, all []store.Slice, workspaces []string) {
	t.Helper()
	r, names := rand.New(rand.NewPCG(3, 4)), slices.Sorted(maps.Keys(hasWord))
	for range 60 {
		f := store.SliceFilter{Workspaces: workspaces[:1], Ascending: r.IntN(2) == 0,
			Sort:  []store.SliceSort{store.SortByID, store.SortByPriority}[r.IntN(2)],
			Limit: 1 + r.IntN(40), Words: []string{names[r.IntN(len(names))]}}
		if r.IntN(3) == 0 {
			f.Words = append(f.Words, names[r.IntN(len(names))])
		}
		if r.IntN(3) == 0 {
			f.Statuses = []api.Status{api.Open}
		}
		if r.IntN(3) == 0 {
			f.BeforeID = all[r.IntN(len(all))].ID
		}
		checkPages(t, q, f, slices.DeleteFunc(slices.Clone(all), func(s store.Slice) bool {
			return s.WorkspaceID != workspaces[0] || len(f.Statuses) > 0 && s.Status != api.Open || f.BeforeID != "" &&
				s.ID >= f.BeforeID ||
				slices.ContainsFunc(f.Words, func(w string) bool { return !hasWord[w](s.Number) })
		}))
	}
}

// checkMatches checks the newest slices with any or all of words of any frequency.
func checkMatches(t *testing.T, q store.Queries, all []store.Slice, workspace string) {
	t.Helper()
	r, names := rand.New(rand.NewPCG(5, 6)), slices.Sorted(maps.Keys(hasWord))
	newest := slices.Clone(all)
	slices.SortFunc(newest, func(a, b store.Slice) int { return cmp.Compare(b.ID, a.ID) })
	first, err := q.Newest(workspace)
	must(t, err)
	for range 40 {
		limit, words := 1+r.IntN(400), []string{names[r.IntN(len(names))], names[r.IntN(len(names))]}
		for name, read := range map[string]struct {
			read func() ([]*store.Compared, error)
			has  func(first, second bool) bool
		}{
			"all": {func() ([]*store.Compared, error) { return q.SlicesWithAll(first, words, limit) },
				func(first, second bool) bool { return first && second }},
			"rare": {func() ([]*store.Compared, error) {
				got, complete, err := q.SlicesWithRare(workspace, words, limit)
				if complete && len(got) == limit {
					t.Errorf("%q: all that have one are %d, want at least that many", words, limit)
				}
				return got, err
			}, func(first, second bool) bool { return first || second }},
		} {
			got, err := read.read()
			must(t, err)
			want := slices.DeleteFunc(slices.Clone(newest),
				func(s store.Slice) bool { return !read.has(hasWord[words[0]](s.Number), hasWord[words[1]](s.Number)) })
			assert.Equal(t, fmt.Sprintf("%s of %q", name, words), idsOf(got), idsOf(want[:min(limit, len(want))]))
		}
	}
}

// idsOf returns the ids of slices.
func idsOf[T interface{ *store.Compared | store.Slice }](all []T) []string {
	ids := make([]string, len(all))
	for i, s := range all {
		switch s := any(s).(type) {
		case *store.Compared:
			ids[i] = s.ID
		case store.Slice:
			ids[i] = s.ID
		}
	}
	return ids
}

func flagOf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// checkPages reads at most three pages of a list.
func checkPages(t *testing.T, q store.Queries, f store.SliceFilter, want []store.Slice) {
	t.Helper()
	key := func(s store.Slice) int64 {
		switch f.Sort {
		case store.SortByUpdate:
			return s.UpdatedAt.UnixMilli()
		case store.SortByPriority:
			return store.PriorityKey(s.Priority)
		}
		return 0
	}
	slices.SortFunc(want, func(a, b store.Slice) int {
		c := cmp.Or(cmp.Compare(key(a), key(b)), cmp.Compare(a.ID, b.ID))
		if !f.Ascending {
			c = -c
		}
		return c
	})
	for range 3 {
		got, err := q.Slices(f)
		if err != nil {
			t.Fatalf("%+v: %v", f, err)
		}
		page := want[:min(f.Limit, len(want))]
		if !slices.EqualFunc(got, page, func(a, b store.Slice) bool { return a.ID == b.ID }) {
			t.Errorf("%+v: %d slices, want %d: %s", f, len(got), len(page), firstDifference(got, page))
			return
		}
		if len(page) < f.Limit {
			return
		}
		last := page[len(page)-1]
		f.AfterID, f.AfterKey, want = last.ID, key(last), want[len(page):]
	}
}

func firstDifference(got, want []store.Slice) string {
	for i := range min(len(got), len(want)) {
		if got[i].ID != want[i].ID {
			return fmt.Sprintf("%d is %s, want %s", i, got[i].ID, want[i].ID)
		}
	}
	return "one is longer"
}

// TestListsOfTheFuture: lists by a time without an end have the slices that a wrong clock has updated in the future.
func TestListsOfTheFuture(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		_, workspace := seed(t, s)
		at := api.At(time.Now().AddDate(300, 0, 0))
		must(t, s.Write(t.Context(), func(tx *store.Tx) error {
			made, err := insert(tx, workspace, "late")
			if err != nil {
				return err
			}
			made.UpdatedAt, made.ResolvedAt, made.Status = at, &at, api.Closed
			return tx.UpdateSlice(&made)
		}))
		from := api.At(time.Now().AddDate(0, 0, -1))
		for _, sort := range []store.SliceSort{store.SortByID, store.SortByUpdate, store.SortByPriority} {
			for _, f := range []store.SliceFilter{{UpdatedMin: &from}, {ResolvedMin: &from},
				{UpdatedMin: &at, Words: []string{"late"}}} {
				f.Workspaces, f.Sort, f.Limit = []string{workspace}, sort, 10
				found, err := s.Read(t.Context()).Slices(f)
				if err != nil || len(found) != 1 {
					t.Errorf("%+v: %d slices, %v", f, len(found), err)
				}
			}
		}
	})
}

// TestTextsBeyondTheLimit: a report with more words than a document of PostgreSQL has, or with words of any length,
// refuses no write. When it has fewer again, all are found.
func TestTextsBeyondTheLimit(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		_, workspace := seed(t, s)
		words := func(prefix string, n int) string {
			all := make([]string, n)
			for i := range all {
				all[i] = fmt.Sprintf("%s%d", prefix, i)
			}
			return strings.Join(all, " ")
		}
		var made store.Slice
		var comments []api.Comment
		must(t, s.Write(t.Context(), func(tx *store.Tx) (err error) {
			made, err = insert(tx, workspace, "long")
			return err
		}))
		for i := range 14 {
			letters := strings.Repeat([]string{"a", "ж", "क", "𐐨"}[i%4], 4)
			c := api.Comment{ID: id.New(id.Comment), SliceID: made.ID,
				CommentFields: api.CommentFields{Body: words(letters+fmt.Sprint(i)+"x", 1900)}}
			must(t, s.Write(t.Context(), func(tx *store.Tx) error {
				if err := tx.InsertComment(c); err != nil {
					return err
				}
				_, err := tx.BumpVersion(made.ID, store.SliceCounts{Comments: 1}, c.CreatedAt)
				return err
			}))
			comments = append(comments, c)
		}
		for _, text := range []string{words("bbb", 5000), words("ccc", 5000)} {
			must(t, s.Write(t.Context(), func(tx *store.Tx) error {
				v, err := tx.LockSlice(made.ID)
				if err != nil {
					return err
				}
				v.Description = &text
				return tx.UpdateSlice(&v)
			}))
		}
		buildIndex(t, s)
		for _, c := range comments[:12] {
			must(t, s.Write(t.Context(), func(tx *store.Tx) error {
				if err := tx.DeleteComment(c); err != nil {
					return err
				}
				_, err := tx.BumpVersion(made.ID, store.SliceCounts{Comments: -1}, c.CreatedAt)
				return err
			}))
		}
		for _, searched := range []string{"ccc17", strings.Fields(comments[13].Body)[1800]} {
			found, err := s.Read(t.Context()).
				Slices(store.SliceFilter{Workspaces: []string{workspace}, Words: []string{searched}, Limit: 10})
			if err != nil || len(found) != 1 {
				t.Errorf("%s: %d slices, %v", searched, len(found), err)
			}
		}
		found, err := s.Read(t.Context()).
			Slices(store.SliceFilter{Workspaces: []string{workspace}, Words: []string{"bbb17"}, Limit: 10})
		if err != nil || len(found) != 0 {
			t.Errorf("a former word: %d slices, %v", len(found), err)
		}
	})
}
