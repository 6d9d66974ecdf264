package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"bugslice/api"
	"bugslice/client"
	"bugslice/internal/untrusted"
)

type findArguments struct {
	Text      string       `json:"text"`
	Status    []api.Status `json:"status"`
	Workspace string       `json:"workspace"`
	Assignee  string       `json:"assignee"`
	Label     string       `json:"label"`
	Release   string       `json:"release"`
	Since     string       `json:"since"`
	Limit     int          `json:"limit"`
	Cursor    string       `json:"cursor"`
	Budget    int          `json:"budget"`
}

// findReports lists reports.
func findReports(ctx context.Context, s *session, in findArguments) (*sdk.CallToolResult, error) {
	list, err := s.listOf(ctx, in)
	if err != nil {
		return nil, err
	}
	page, err := s.Client.ListSlices(ctx, list)
	if err != nil {
		return nil, err
	}
	a := newAnswer(budgetOf(in.Budget))
	if len(page.Data) == 0 {
		return s.nothingFound(ctx, a, in, list.WorkspaceID)
	}
	const reserve = 80 // of the last lines
	reasons := s.reasonsOf(ctx, list)
	shown := 0
	for shown < len(page.Data) && a.add(s.line(page.Data[shown], reasons[page.Data[shown].ID]), reserve) {
		shown++
	}
	switch left := len(page.Data) - shown; {
	case left > 0:
		fmt.Fprintf(a, "\n%d more are left out: raise budget, or set limit to %d and use the cursor.\n", left,
			max(shown, 1))
	case page.Pagination.Cursor != nil:
		fmt.Fprintf(a, "\nThere are more: repeat the call with cursor %s\n", *page.Pagination.Cursor)
	}
	a.WriteString("\nNext: get_report with a reference.\n")
	return textResult(a.text()), nil
}

// reasonsOf returns why the newest reports of a list are found, by id; nothing for a list without a text, and when the
// text is no search.
func (s *session) reasonsOf(ctx context.Context, list api.ListSlices) map[string]string {
	reasons := map[string]string{}
	if list.Q == "" || list.Cursor != "" || !s.may(api.OpSearch) {
		return reasons
	}
	results, err := s.Client.Search(ctx, api.Search{Q: list.Q, WorkspaceID: list.WorkspaceID})
	if err != nil {
		return reasons
	}
	for _, found := range results.Slices {
		reasons[found.ID] = s.reason(found.Matches)
	}
	return reasons
}

// listOf returns the list that the arguments select.
func (s *session) listOf(ctx context.Context, in findArguments) (list api.ListSlices, err error) {
	list.Q, list.Status, list.Limit, list.Cursor = in.Text, in.Status, in.Limit, in.Cursor
	if in.Label != "" {
		list.Label = []string{in.Label}
	}
	if list.WorkspaceID, err = s.workspaceID(ctx, in.Workspace); err != nil {
		return list, err
	}
	if list.UpdatedAfter, err = timeOf(in.Since, time.Now()); err != nil {
		return list, err
	}
	if in.Release != "" {
		release, err := s.releaseNamed(ctx, list.WorkspaceID, in.Release)
		if err != nil {
			return list, err
		}
		list.Release = []string{release}
	}
	switch {
	case in.Assignee == "":
	case strings.EqualFold(in.Assignee, "me"):
		list.AssigneeID = []string{"me"}
	case strings.EqualFold(in.Assignee, "nobody"):
		list.AssigneeID = []string{"none"}
	default:
		w, err := s.oneWorkspace(ctx, in.Workspace)
		if err != nil {
			return list, err
		}
		id, err := s.member(ctx, w.ID, in.Assignee)
		if err != nil {
			return list, err
		}
		list.AssigneeID = []string{id}
	}
	return list, nil
}

// nothingFound says that no report is found, with those that are similar to the text.
func (s *session) nothingFound(ctx context.Context, a *answer, in findArguments, workspaceID string,
) (*sdk.CallToolResult, error) {
	a.WriteString("No report matches.\n")
	if strings.TrimSpace(in.Text) == "" {
		return textResult(a.text()), nil
	}
	found, err := s.similarTo(ctx, in.Text, workspaceID)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		a.WriteString("None is similar to the text either. Try fewer or other words, or leave filters out.\n")
		return textResult(a.text()), nil
	}
	a.WriteString("These are similar to the text, whatever the filters, the most similar first:\n\n")
	for _, one := range found {
		if !a.add(s.similarLine(ctx, one), 0) {
			break
		}
	}
	return textResult(a.text()), nil
}

// similarTo returns the reports that are similar to a text, of a workspace or of each one of the key.
func (s *session) similarTo(ctx context.Context, text, workspaceID string) (found []api.Similar, err error) {
	ids := []string{workspaceID}
	if workspaceID == "" && s.may(api.OpListWorkspaces) {
		all, err := s.workspaces(ctx)
		if err != nil {
			return nil, err
		}
		ids = nil
		for _, w := range all[:min(len(all), 5)] {
			ids = append(ids, w.ID)
		}
	}
	for _, id := range ids {
		in := api.ListSimilarToDraft{Body: api.SliceDraft{Summary: untrusted.Shortened(text, 199)}}
		if id != "" {
			in.Body.WorkspaceID = &id
		}
		page, err := s.Client.ListSimilarToDraft(ctx, in)
		if err != nil {
			return nil, err
		}
		found = append(found, page.Data...)
	}
	slices.SortStableFunc(found, func(a, b api.Similar) int {
		if a.Score > b.Score {
			return -1
		}
		return 1
	})
	return found[:min(len(found), 10)], nil
}

// listWorkspaces lists the workspaces of the key.
func listWorkspaces(ctx context.Context, s *session, _ struct{}) (*sdk.CallToolResult, error) {
	all, err := s.workspaces(ctx)
	if err != nil {
		return nil, err
	}
	a := newAnswer(defaultBudget)
	if s.may(api.OpGetMe) {
		me, err := s.Client.GetMe(ctx, api.GetMe{})
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(a, "me: %s %s (%s)\n", code(me.Name, 100), me.ID, me.Type)
	}
	for i, w := range all {
		line, err := s.workspaceLine(ctx, w)
		if err != nil {
			return nil, err
		}
		if !a.add(line, 40) {
			fmt.Fprintf(a, "%d more workspaces are left out.\n", len(all)-i)
			break
		}
	}
	return textResult(a.text()), nil
}

// workspaceLine returns a workspace with its open reports and its first members.
func (s *session) workspaceLine(ctx context.Context, w api.Workspace) (string, error) {
	line := fmt.Sprintf("- %s %s %s", w.Key, code(w.Name, 100), w.ID)
	if s.may(api.OpCountSlices) {
		filter := api.SliceFilters{WorkspaceID: w.ID, Status: []api.Status{api.Open, api.InProgress}}
		counts, err := s.Client.CountSlices(ctx, api.CountSlices{SliceFilters: filter})
		if err != nil && !isCode(err, api.CodeTooBroad) {
			return "", err
		}
		for _, c := range counts.Data {
			more := ""
			if c.More {
				more = " or more"
			}
			line += fmt.Sprintf(", %d%s %s", c.Count, more, strings.ReplaceAll(textOf(c.Value), "_", " "))
		}
	}
	page, err := s.Client.ListMembers(ctx, api.ListMembers{WorkspaceID: w.ID, Paging: api.Paging{Limit: 20}})
	if err != nil {
		return "", err
	}
	var names []string
	for _, m := range page.Data {
		names = append(names, code(m.Name, 60))
	}
	if line += "; members: " + strings.Join(names, ", "); page.Pagination.Cursor != nil {
		line += " and more"
	}
	return line + "\n", nil
}

type searchArguments struct {
	Query string `json:"query"`
}

// found is a result of search.
type found struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	URL   string `json:"url"`
}

// search finds reports as ChatGPT asks for them.
func search(ctx context.Context, s *session, in searchArguments) (*sdk.CallToolResult, error) {
	results := []found{}
	for r, err := range client.All(ctx, s.Client, api.ListSlices{Paging: api.Paging{Limit: 20},
		SliceFilters: api.SliceFilters{Q: in.Query}}) {
		if err != nil {
			return nil, err
		}
		title := fmt.Sprintf("%s (%s): %s", r.Reference, r.Status, s.summaryOf(r, 120))
		if results = append(results, found{r.Reference, title, r.URL}); len(results) == 20 {
			break
		}
	}
	if len(results) > 0 || strings.TrimSpace(in.Query) == "" {
		return dataResult(map[string]any{"results": results})
	}
	similar, err := s.similarTo(ctx, in.Query, "")
	if err != nil {
		return nil, err
	}
	for _, one := range similar {
		results = append(results, found{one.Reference, strings.TrimSpace(s.similarLine(ctx, one)), one.URL})
	}
	return dataResult(map[string]any{"results": results})
}
