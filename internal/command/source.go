package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/output"
	"bugslice/internal/command/tree"
)

func newSource(s *session) *cobra.Command {
	list := listing[api.Source]{use: "list", short: "List the sources that you administer", args: tree.NoArgs,
		none: "There are no sources.",
		read: func(ctx context.Context, _ []string, limit int) ([]api.Source, error) {
			w, err := s.findWorkspace(ctx)
			if err != nil {
				return nil, err
			}
			return all(ctx, s, api.ListSources{WorkspaceID: deref(w).ID}, limit)
		},
		columns: func(*session) []output.Column[api.Source] {
			return []output.Column[api.Source]{
				{Title: "Id", Cell: func(o api.Source) output.Cell { return output.Cell{Text: o.ID, Style: output.Cyan} }},
				{Title: "State", Cell: sourceState},
				{Title: "Name", Flexible: true, Cell: func(o api.Source) output.Cell { return text(o.Name) }},
				{Title: "Origins", Flexible: true, Cell: func(o api.Source) output.Cell { return text(strings.Join(o.Origins, ",")) }},
				{Title: "Key", Optional: true, Cell: func(o api.Source) output.Cell { return text(o.Key) }},
			}
		}}
	pause := func(verb, short string, paused bool) *cobra.Command {
		return recordChange(s, verb+" SOURCE", short, func(id string) api.UpdateSource {
			return api.UpdateSource{SourceID: id, Patch: api.SourcePatch{"paused": paused}}
		}, func(o api.Source) string {
			return strings.ToUpper(verb[:1]) + strings.TrimSuffix(verb[1:], "e") + "ed the source " + o.ID + "."
		})
	}
	return s.group("source", "Manage the sources from which visitors report", list.command(s), newSourceCreate(s),
		pause("pause", "Let a source take no reports", true), pause("resume", "Let a source take reports again", false),
		recordChange(s, "rotate-secret SOURCE", "Give a source a new secret, and print it once",
			func(id string) api.RotateSourceSecret { return api.RotateSourceSecret{SourceID: id} },
			func(o api.SourceSecret) string { return o.Secret }),
		newSourceDelete(s))
}

func sourceState(o api.Source) output.Cell {
	if o.Paused {
		return output.Cell{Text: "paused", Style: output.Dim}
	}
	return output.Cell{Text: "open", Style: output.Green}
}

func newSourceCreate(s *session) *cobra.Command {
	var origins, labels []string
	var space string
	var signed, approval, reporterPage bool
	var format output.Format
	cmd := s.changing(s.command("create NAME", "Create a source, and print its public key", argument("name"),
		func(ctx context.Context, args []string) error {
			if err := format.Check(); err != nil {
				return err
			}
			w, err := s.workspace(ctx)
			if err != nil {
				return err
			}
			in := api.CreateSource{Body: api.NewSource{WorkspaceID: &w.ID, SourceFields: api.SourceFields{Name: args[0],
				Origins: origins, Captures: parts(), SpaceID: given(space), Labels: labels, Reporters: api.ReportersAnyone,
				Approval:       approval,
				ReporterPage:   reporterPage,
				Limits:         api.SourceLimits{PerMinute: 60, PerHour: 600, PerDay: 2000, PerAddressHour: 10},
				MaxReportBytes: 25 << 20, MaxDailyBytes: 1 << 30}}}
			if signed {
				in.Body.Reporters = api.ReportersSigned
			}
			created, done, err := change(ctx, s, in)
			if err != nil || !done {
				return err
			}
			return printRecord(ctx, s, &format, created, created.Key)
		}))
	cmd.Flags().StringSliceVar(&origins, "origin", nil, "`origin` of pages that may report, such as https://shop.example.com; repeatable; "+
		"all by default")
	cmd.Flags().StringSliceVarP(&labels, "label", "l", nil, "`label` of new reports; repeatable")
	cmd.Flags().StringVar(&space, "space-id", "", "`id` of the space of new reports")
	cmd.Flags().BoolVar(&signed, "signed", false, "take reports of visitors alone whose identity the site signs")
	cmd.Flags().BoolVar(&reporterPage, "reporter-page", false, "give reporters the address of a page of their report")
	cmd.Flags().BoolVar(&approval, "approval", false, "let reports wait until a member accepts them")
	output.Register[api.Source](&format, cmd)
	return cmd
}

// parts are all that the script can record.
func parts() (all []api.CapturePart) {
	for _, part := range api.CapturePart("").Values() {
		all = append(all, api.CapturePart(part))
	}
	return all
}

func newSourceDelete(s *session) *cobra.Command {
	return deletion(s, "source", "Delete a source; the reports of its visitors stay",
		func(id string) api.DeleteSource { return api.DeleteSource{SourceID: id} })
}

func newSubmission(s *session) *cobra.Command {
	state := string(api.SubmissionWaiting)
	list := listing[api.Submission]{use: "list", short: "List the reports of visitors that wait for a decision", args: tree.NoArgs,
		none: "No report waits.",
		read: func(ctx context.Context, _ []string, limit int) ([]api.Submission, error) {
			w, err := s.findWorkspace(ctx)
			if err != nil {
				return nil, err
			}
			return all(ctx, s, api.ListSubmissions{WorkspaceID: deref(w).ID, State: api.SubmissionState(state)}, limit)
		},
		columns: func(s *session) []output.Column[api.Submission] {
			return []output.Column[api.Submission]{
				{Title: "Id", Cell: func(u api.Submission) output.Cell { return output.Cell{Text: u.ID, Style: output.Cyan} }},
				{Title: "Summary", Flexible: true, Cell: func(u api.Submission) output.Cell { return text(u.Summary) }},
				{Title: "Source", Cell: func(u api.Submission) output.Cell { return text(u.Visitor.SourceName) }},
				{Title: "Created", Optional: true, Cell: func(u api.Submission) output.Cell { return s.ago(&u.CreatedAt) }},
			}
		}}.command(s)
	list.Flags().StringVar(&state, "state", state, "`state`: waiting, spam or accepted")
	list.Flags().Lookup("state").Annotations = map[string][]string{tree.Choices: api.SubmissionState("").Values()}
	return s.group("submission", "Decide about the reports of visitors that wait", list,
		newDecision(s, "accept", "File reports that wait", api.SubmissionAccepted),
		newDecision(s, "spam", "Mark reports that wait as spam", api.SubmissionSpam),
		newDecision(s, "wait", "Let reports wait again", api.SubmissionWaiting))
}

// newDecision returns a command that gives submissions a state.
func newDecision(s *session, verb, short string, state api.SubmissionState) *cobra.Command {
	var format output.Format
	cmd := s.changing(s.command(verb+" SUBMISSION…", short, arguments("id of a submission"), func(ctx context.Context,
		args []string) error {
		if err := format.Check(); err != nil {
			return err
		}
		out, done, err := change(ctx, s, api.DecideSubmissions{Body: api.DecideFields{IDs: args, State: state}})
		if err != nil || !done {
			return err
		}
		var lines []string
		var failed error
		for _, r := range out.Results {
			switch {
			case r.Problem != nil:
				failed = r.Problem
			case r.Reference != nil:
				lines = append(lines, r.ID+" is "+*r.Reference+".")
			default:
				lines = append(lines, r.ID+" is "+string(state)+".")
			}
		}
		if failed != nil && len(lines) == 0 {
			return failed
		}
		if err := printRecord(ctx, s, &format, out, strings.Join(lines, "\n")); err != nil {
			return err
		}
		return failed
	}))
	output.Register[api.DecidedSubmissions](&format, cmd)
	return cmd
}
