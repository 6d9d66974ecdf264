package command

import (
	"context"
	"fmt"
	"strings"

	"bugslice/api"
	"bugslice/internal/command/output"
)

// statusStyles are the styles of the statuses.
var statusStyles = map[api.Status]output.Style{api.Open: output.Green, api.InProgress: output.Yellow,
	api.Resolved: output.Magenta, api.Closed: output.Dim}

var priorityStyles = map[api.Priority]output.Style{"urgent": output.Red, "high": output.Yellow}

// statusText returns a status with its resolution.
func statusText(slice api.Slice) string {
	text := strings.ReplaceAll(string(slice.Status), "_", " ")
	if slice.Resolution != nil && *slice.Resolution != api.Fixed {
		text += ": " + strings.ReplaceAll(string(*slice.Resolution), "_", " ")
	}
	if slice.FixedInRelease != nil {
		text += " in " + output.OneLine(*slice.FixedInRelease)
	}
	return text
}

// sliceColumns are the columns of a list of reports. people has the names of assignees by their ids.
func sliceColumns(s *session, people map[string]string) []output.Column[api.Slice] {
	columns := []output.Column[api.Slice]{
		{Title: "Reference", Cell: func(r api.Slice) output.Cell {
			return output.Cell{Text: r.Reference,
				Style: output.Cyan}
		}},
		{Title: "Status", Cell: func(r api.Slice) output.Cell {
			if !s.out.Terminal {
				return text(string(r.Status))
			}
			return output.Cell{Text: statusText(r), Style: statusStyles[r.Status]}
		}},
		{Title: "Priority", Optional: true, Cell: func(r api.Slice) output.Cell {
			p := deref(r.Priority)
			return output.Cell{Text: string(p), Style: priorityStyles[p]}
		}},
		{Title: "Summary", Flexible: true, Cell: func(r api.Slice) output.Cell { return text(r.Summary) }},
		{Title: "Labels", Optional: true, Cell: func(r api.Slice) output.Cell {
			return output.Cell{Text: strings.Join(r.Labels, ", "), Style: output.Dim}
		}},
		{Title: "Assignee", Optional: true, Cell: func(r api.Slice) output.Cell {
			return text(personName(people,
				r.AssigneeID))
		}},
		{Title: "Updated", Optional: true, Cell: func(r api.Slice) output.Cell { return s.ago(&r.UpdatedAt) }},
	}
	return columns
}

// personName returns the name of a user, or the id of one whose name is not known; empty for nobody.
func personName(people map[string]string, id *string) string {
	if id == nil {
		return ""
	}
	if name := people[*id]; name != "" {
		return name
	}
	return *id
}

// assignees returns the names of the members of the workspaces of reports that somebody is assigned to, by their ids.
func (s *session) assignees(ctx context.Context, slices []api.Slice) (map[string]string, error) {
	names, read := map[string]string{}, map[string]bool{}
	for _, r := range slices {
		if r.AssigneeID == nil || read[r.WorkspaceID] {
			continue
		}
		read[r.WorkspaceID] = true
		members, err := s.members(ctx, r.WorkspaceID)
		if err != nil {
			return nil, err
		}
		for _, m := range members {
			names[m.UserID] = m.Name
		}
	}
	return names, nil
}

// compactLine returns a report in one line, for readers who pay by the word.
func compactLine(r api.Slice, people map[string]string) string {
	words := []string{r.Reference, strings.ReplaceAll(statusText(r), ": ", "/")}
	if r.Priority != nil {
		words = append(words, string(*r.Priority))
	}
	if r.OccurrenceCount > 1 {
		words = append(words, fmt.Sprintf("×%d", r.OccurrenceCount))
	}
	if r.AssigneeID != nil {
		words = append(words, "@"+strings.ReplaceAll(personName(people, r.AssigneeID), " ", "_"))
	}
	if len(r.Labels) > 0 {
		words = append(words, "["+strings.Join(r.Labels, ",")+"]")
	}
	return strings.Join(append(words, r.Summary), " ")
}
