package page

import (
	"slices"

	"bugslice/api"
	"bugslice/internal/input"
)

// maxChoices is the number of members, of labels and of spaces that a form offers.
const maxChoices = 100

// Choices are what the fields of a report in a workspace can be set to.
type Choices struct {
	Members []api.Member // without the reader
	Labels  []string
	Spaces  []api.Space
}

// Choices returns the choices of a workspace, the first ones, or the first ones whose names have words that begin with those of a text.
func (q *Request) Choices(workspaceID, text string) (c Choices, err error) {
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
	listed, err := q.Backend.ListMembers(q.Context(), by, members)
	if err != nil {
		return c, err
	}
	c.Members = slices.DeleteFunc(listed.Data, func(m api.Member) bool { return m.UserID == by.ID })
	counts, err := q.Backend.ListLabels(q.Context(), by, labels)
	if err != nil {
		return c, err
	}
	for _, l := range counts.Data {
		c.Labels = append(c.Labels, l.Label)
	}
	all, err := q.Backend.ListSpaces(q.Context(), by, spaces)
	c.Spaces = all.Data
	return c, err
}
