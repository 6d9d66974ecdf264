package page

import (
	"cmp"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/words"
)

// maxChoices is the number of members, of labels, of spaces and of workspaces that a form offers.
const maxChoices = 100

// Option is a choice of a field.
type Option struct{ Value, Text string }

// Options are the choices of a field. More says whether there are others, which a text finds.
type Options struct {
	All  []Option
	More bool
}

// WorkspaceOptions returns workspaces as options.
func WorkspaceOptions(all []Workspace) (options []Option) {
	for _, w := range all {
		options = append(options, Option{w.ID, w.Name})
	}
	return options
}

// Offer returns the first options whose texts have words that begin with those that a request for a form has to find,
// and those that are chosen.
func (q *Request) Offer(all []Option, chosen ...string) (o Options) {
	searched := words.Split(q.finds())
	for _, option := range all {
		if slices.Contains(chosen, option.Value) || len(o.All) < maxChoices &&
			words.BeginWith(words.Split(option.Text), searched) {
			o.All = append(o.All, option)
		}
	}
	o.More = len(all) > maxChoices
	return o
}

// finds returns the text of the choices that a form is asked for, empty for the first ones.
func (q *Request) finds() string {
	text := q.URL.Query().Get("find") + strings.Join(q.PostForm["find"], "")
	if len(words.Split(text)) == 0 {
		return ""
	}
	return text
}

// Choices are what the fields of a report in a workspace can be set to.
type Choices struct {
	Members                 []api.Member // without the reader
	Labels                  []string     // those of most reports first
	LabelCounts             map[string]int64
	Colors                  map[string]api.LabelColor // of labels, that the workspace has chosen
	Spaces                  []api.Space
	Portraits               map[string]string // the names of the pictures of the members and the reader who have one, by id
	MoreMembers, MoreSpaces bool
	Releases                []string // the newest ones; only for menus
}

// maxOfferedReleases is the number of releases that the menu of a resolution offers.
const maxOfferedReleases = 10

// NewestReleases returns the newest releases of a workspace, which a fix may be in.
func (q *Request) NewestReleases(workspaceID string) ([]string, error) {
	return q.Tracker.RecentReleases(q.Context(), q.Session.Caller, workspaceID, maxOfferedReleases)
}

// FormChoices returns the choices of a form: the first ones, or those that its request has to find, and those that
// are chosen, by id.
func (q *Request) FormChoices(workspaceID string, chosen ...string) (Choices, error) {
	return q.Choices(workspaceID, q.finds(), chosen...)
}

// Choices returns the choices of a workspace, the first ones, or the first ones whose names have words that begin
// with those of a text, and the members and spaces that are chosen, by id.
func (q *Request) Choices(workspaceID, text string, chosen ...string) (c Choices, err error) {
	limit, by := api.Paging{Limit: maxChoices}, q.Session.Caller
	members, err := input.Check(api.ListMembers{Paging: limit, WorkspaceID: workspaceID, Q: text})
	if err != nil {
		return c, err
	}
	labels, err := input.Check(api.ListLabels{Paging: limit, WorkspaceID: workspaceID, Q: text})
	if err != nil {
		return c, err
	}
	spaces, err := input.Check(api.ListSpaces{Paging: limit, WorkspaceID: workspaceID, Q: text})
	if err != nil {
		return c, err
	}
	listed, err := q.Tracker.ListMembers(q.Context(), by, members)
	if err != nil {
		return c, err
	}
	c.Members, c.MoreMembers = listed.Data, listed.Pagination.HasMore || text != ""
	counts, err := q.Tracker.ListLabels(q.Context(), by, labels)
	if err != nil {
		return c, err
	}
	c.Colors = q.LabelColors(workspaceID)
	c.LabelCounts = map[string]int64{}
	for _, l := range counts.Data {
		c.Labels = append(c.Labels, l.Label)
		c.LabelCounts[l.Label] = l.Count
	}
	SortByUse(c.Labels, c.LabelCounts)
	all, err := q.Tracker.ListSpaces(q.Context(), by, spaces)
	if err != nil {
		return c, err
	}
	c.Spaces, c.MoreSpaces = all.Data, all.Pagination.HasMore || text != ""
	if err = q.addChosen(&c, workspaceID, chosen); err != nil {
		return c, err
	}
	people := make([]string, len(c.Members))
	for i, m := range c.Members {
		people[i] = m.UserID
	}
	c.Portraits, err = q.Portraits(append(people, by.ID))
	c.Members = slices.DeleteFunc(c.Members, func(m api.Member) bool { return m.UserID == by.ID })
	return c, err
}

// SortByUse sorts labels by the number of reports that have them, those of most reports first, and by their names.
func SortByUse(labels []string, counts map[string]int64) {
	slices.SortFunc(labels, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
}

// addChosen adds the members and spaces that are chosen, and are not among the choices. Those that do not exist are
// left out.
func (q *Request) addChosen(c *Choices, workspaceID string, chosen []string) error {
	var users []string
	for _, each := range chosen {
		switch {
		case id.Valid(id.User, each) && !slices.ContainsFunc(c.Members,
			func(m api.Member) bool { return m.UserID == each }):
			users = append(users, each)
		case id.Valid(id.Space, each) && !slices.ContainsFunc(c.Spaces, func(s api.Space) bool { return s.ID == each }):
			v, err := input.Check(api.GetSpace{WorkspaceID: workspaceID, SpaceID: each})
			if err != nil {
				return err
			}
			s, err := q.Tracker.GetSpace(q.Context(), q.Session.Caller, v)
			switch {
			case err == nil:
				c.Spaces = append(c.Spaces, s)
			case !HasCode(err, api.CodeNotFound):
				return err
			}
		}
	}
	if len(users) == 0 {
		return nil
	}
	names, err := q.Tracker.MemberNames(q.Context(), q.Session.Caller, workspaceID, users)
	for user, name := range names {
		c.Members = append(c.Members, api.Member{UserID: user, Name: name})
	}
	return err
}
