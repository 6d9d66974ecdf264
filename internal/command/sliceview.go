package command

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/output"
)

// viewFlags are the flags of slice view.
type viewFlags struct {
	evidenceFlags
	withEvidence, comments, web bool
	maxTokens                   int
	format                      output.Format
}

func newSliceView(s *session) *cobra.Command {
	var f viewFlags
	cmd := s.command("view [REFERENCE]", "Show a report", atMostOne, func(ctx context.Context, args []string) error {
		if err := f.format.Check(); err != nil {
			return err
		}
		reference, err := s.reference(ctx, args)
		if err != nil {
			return err
		}
		return f.view(ctx, s, reference)
	})
	cmd.Long = "Show a report: on a terminal with its description and comments, and otherwise as compact " +
		"Markdown for programs and " +
		"agents, in which text of others is marked as untrusted."
	cmd.Example = "  bugslice slice view WEB-161\n  bugslice slice view WEB-161 --evidence\n" +
		"  bugslice slice view WEB-161 --json summary,status"
	flags := cmd.Flags()
	flags.BoolVarP(&f.withEvidence, "evidence", "e", false, "show console, requests and actions on one clock")
	flags.BoolVarP(&f.comments, "comments", "c", false, "show the comments alone")
	flags.BoolVar(&f.web, "web", false, "open the report in the browser")
	flags.IntVar(&f.maxTokens, "max-tokens", 4000, "length of the Markdown in tokens at most")
	f.register(cmd)
	output.Register[api.Slice](&f.format, cmd)
	return cmd
}

func (f *viewFlags) view(ctx context.Context, s *session, reference string) error {
	switch {
	case f.withEvidence:
		return f.print(ctx, s, reference)
	case f.comments:
		return s.printComments(ctx, reference)
	case !f.web && !f.format.IsSet() && !s.out.Terminal:
		c, err := s.client()
		if err != nil {
			return err
		}
		markdown, err := c.Markdown(ctx, api.GetSlice{SliceID: reference, MaxTokens: f.maxTokens})
		if err != nil {
			return inFlags(s, err)
		}
		_, err = io.WriteString(s.out.Out, markdown)
		return err
	}
	slice, err := call(ctx, s, api.GetSlice{SliceID: reference})
	switch {
	case err != nil:
		return err
	case f.web:
		return s.browse(ctx, slice.URL)
	case f.format.IsSet():
		return f.format.Print(ctx, s.out, slice)
	}
	return s.printSlice(ctx, slice)
}

// printSlice prints a report for people.
func (s *session) printSlice(ctx context.Context, slice api.Slice) error {
	people, err := s.assignees(ctx, []api.Slice{slice})
	if err != nil {
		return err
	}
	comments, err := s.commentsOf(ctx, slice)
	if err != nil {
		return err
	}
	return s.out.Page(func(w io.Writer) error {
		p := s.out
		_, _ = fmt.Fprintf(w, "%s  %s\n", p.Styled(output.Cyan, output.OneLine(slice.Reference)), p.Styled(output.Bold,
			output.OneLine(slice.Summary)))
		_, _ = fmt.Fprintf(w, "%s\n", strings.Join(s.facts(slice, people), p.Styled(output.Dim, " · ")))
		if labels := strings.Join(slice.Labels, ", "); labels != "" {
			_, _ = fmt.Fprintf(w, "%s %s\n", p.Styled(output.Dim, "labels"), output.OneLine(labels))
		}
		if environment := environmentLine(slice.Environment); environment != "" {
			_, _ = fmt.Fprintf(w, "%s %s\n", p.Styled(output.Dim, "seen in"), output.OneLine(environment))
		}
		if evidence := evidenceLine(slice); evidence != "" {
			_, _ = fmt.Fprintf(w, "%s %s\n", p.Styled(output.Dim, "evidence"), evidence)
		}
		if slice.Description != nil {
			_, _ = fmt.Fprintf(w, "\n%s", p.Markdown(*slice.Description))
		}
		for _, c := range comments {
			_, _ = fmt.Fprintf(w, "\n%s", s.commentText(c))
		}
		_, err := fmt.Fprintf(w, "\n%s\n", p.Styled(output.Dim, output.OneLine(slice.URL)))
		return err
	})
}

// facts returns what is known of a report in a few words each.
func (s *session) facts(slice api.Slice, people map[string]string) []string {
	facts := []string{s.out.Styled(statusStyles[slice.Status], output.OneLine(statusText(slice)))}
	if slice.Priority != nil {
		facts = append(facts, s.out.Styled(priorityStyles[*slice.Priority], output.OneLine(string(*slice.Priority))))
	}
	if slice.Severity != nil {
		facts = append(facts, output.OneLine(string(*slice.Severity)))
	}
	assignee := "unassigned"
	if slice.AssigneeID != nil {
		assignee = "assigned to " + output.OneLine(personName(people, slice.AssigneeID))
	}
	facts = append(facts, assignee, output.OneLine(slice.Reporter.Name)+" filed it "+s.out.Time(slice.CreatedAt.Time))
	if slice.OccurrenceCount > 1 {
		facts = append(facts, fmt.Sprintf("seen %d times, last %s", slice.OccurrenceCount,
			s.out.Time(slice.LastSeenAt.Time)))
	}
	return facts
}

func environmentLine(e api.Environment) string {
	var parts []string
	for _, text := range []*string{e.Browser, e.OS, e.Device, e.Viewport, e.Release, e.AppVersion, e.Commit, e.Branch} {
		if text != nil && *text != "" {
			parts = append(parts, *text)
		}
	}
	return strings.Join(parts, ", ")
}

func evidenceLine(slice api.Slice) string {
	e := slice.Evidence
	var parts []string
	for _, c := range []struct {
		n    int64
		noun string
	}{{e.Console, "console message"}, {e.ConsoleErrors, "error"}, {e.Network, "request"}, {e.FailedRequests,
		"failed request"},
		{e.Actions, "action"}, {e.Replays, "replay"}, {e.Screenshots, "screenshot"}, {slice.AttachmentCount, "file"}} {
		if c.n > 0 {
			parts = append(parts, output.Count(c.n, c.noun))
		}
	}
	return strings.Join(parts, ", ")
}
