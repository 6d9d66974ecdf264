package command

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/output"
	"bugslice/internal/command/tree"
)

func newInbox(s *session) *cobra.Command {
	return s.group("inbox", "Read what you are told, and choose what you watch", newInboxList(s), newInboxDone(s), newInboxSnooze(s),
		newWatch(s, "watch", "Watch a report, a view, a space or a workspace", api.Watching),
		newWatch(s, "mute", "Mute a report, a space or a workspace: you are told of mentions alone", api.Muted),
		newWatch(s, "unwatch", "Choose neither to watch nor to mute", api.Automatic))
}

func newInboxList(s *session) *cobra.Command {
	var states []string
	cmd := listing[api.Notice]{use: "list", short: "List what you are told, newest first", args: tree.NoArgs,
		none: "Nothing is waiting for you.",
		read: func(ctx context.Context, _ []string, limit int) ([]api.Notice, error) {
			in := api.ListNotices{}
			for _, state := range states {
				if !slices.Contains(api.NoticeState("").Values(), state) {
					return nil, tree.Usagef("--state must be some of %s, not %q",
						strings.Join(api.NoticeState("").Values(), ", "), state)
				}
				in.State = append(in.State, api.NoticeState(state))
			}
			w, err := s.findWorkspace(ctx)
			if err != nil {
				return nil, err
			}
			in.WorkspaceID = deref(w).ID
			return all(ctx, s, in, limit)
		},
		columns: func(s *session) []output.Column[api.Notice] {
			return []output.Column[api.Notice]{
				{Title: "Report", Cell: func(n api.Notice) output.Cell { return output.Cell{Text: noticeSubject(n), Style: output.Cyan} }},
				{Title: "What", Flexible: true, Cell: func(n api.Notice) output.Cell { return text(noticeText(n)) }},
				{Title: "Why", Cell: func(n api.Notice) output.Cell { return text(string(n.Reason)) }},
				{Title: "State", Cell: func(n api.Notice) output.Cell { return text(string(n.State)) }},
				{Title: "When", Cell: func(n api.Notice) output.Cell { return s.ago(&n.Event.Timestamp) }},
			}
		}}.command(s)
	cmd.Flags().StringSliceVar(&states, "state", []string{string(api.NoticeUnread)}, "only notices in this `state`; repeatable")
	cmd.Flags().Lookup("state").Annotations = map[string][]string{tree.Choices: api.NoticeState("").Values()}
	return cmd
}

// noticeSubject names the report of a notice, or says how many there are.
func noticeSubject(n api.Notice) string {
	if n.Slice == nil {
		return fmt.Sprintf("%d reports", n.SliceCount)
	}
	return n.Slice.Reference
}

// noticeText says what has happened.
func noticeText(n api.Notice) string {
	who, what := deref(n.Event.ActorName), strings.TrimPrefix(string(n.Event.Type), "slice.")
	if n.Event.Comment != nil {
		what = n.Event.Comment.Body
	}
	if who == "" {
		return what
	}
	return who + ": " + what
}

func newInboxDone(s *session) *cobra.Command {
	var everything bool
	cmd := s.changing(s.command("done [REFERENCE…]", "Mark what you are told of reports as done", nil,
		func(ctx context.Context, args []string) error {
			if everything == (len(args) > 0) {
				return tree.Usagef("name reports, or use --all")
			}
			if everything {
				return doneWithAll(ctx, s)
			}
			return changeNotices(ctx, s, args, api.NoticesUpdate{State: api.ChangeDone}, "done")
		}))
	cmd.Flags().BoolVar(&everything, "all", false, "everything that you are told now")
	return cmd
}

// doneWithAll marks every notice as done, up to the newest one.
func doneWithAll(ctx context.Context, s *session) error {
	newest, err := all(ctx, s, api.ListNotices{}, 1)
	if err != nil {
		return err
	}
	if len(newest) == 0 {
		return s.out.Line(s.out.Out, "Nothing is waiting for you.")
	}
	u := api.NoticesUpdate{Through: &newest[0].ID, State: api.ChangeDone}
	changed, done, err := change(ctx, s, api.UpdateNotices{Body: u})
	if err != nil || !done {
		return err
	}
	return s.out.Line(s.out.Out, "%s", countNotices(changed.Changed, "done"))
}

// countNotices says what has become of notices.
func countNotices(n int64, what string) string {
	if n == 1 {
		return "1 notice is " + what + "."
	}
	return fmt.Sprintf("%d notices are %s.", n, what)
}

// changeNotices changes the notices of reports.
func changeNotices(ctx context.Context, s *session, references []string, u api.NoticesUpdate, what string) error {
	for _, reference := range references {
		id, err := sliceID(ctx, s, reference)
		if err != nil {
			return err
		}
		u.SliceID = &id
		changed, done, err := change(ctx, s, api.UpdateNotices{Body: u})
		if err != nil {
			return err
		}
		if !done {
			continue
		}
		if err := s.out.Line(s.out.Out, "%s: %s", reference, countNotices(changed.Changed, what)); err != nil {
			return err
		}
	}
	return nil
}

func newInboxSnooze(s *session) *cobra.Command {
	var d time.Duration
	cmd := s.changing(s.command("snooze REFERENCE…", "Hide what you are told of reports for a time", arguments("report"),
		func(ctx context.Context, args []string) error {
			until := api.At(time.Now().Add(d))
			return changeNotices(ctx, s, args, api.NoticesUpdate{State: api.ChangeSnoozed, SnoozedUntil: &until}, "snoozed")
		}))
	cmd.Flags().DurationVar(&d, "for", 24*time.Hour, "for how long, such as 3h")
	return cmd
}

// newWatch returns the command that chooses a level for a report, or for the id of something else.
func newWatch(s *session, name, short string, level api.WatchLevel) *cobra.Command {
	return s.changing(s.command(name+" REFERENCE|ID", short, argument("report, or an id of a view, a space or a workspace"),
		func(ctx context.Context, args []string) error {
			subject, err := sliceID(ctx, s, args[0])
			if err != nil {
				return err
			}
			w, done, err := change(ctx, s, api.SetWatch{Body: api.WatchFields{SubjectID: subject, Level: level}})
			if err != nil || !done {
				return err
			}
			return s.out.Line(s.out.Out, "%s: %s.", w.Name, string(w.Level))
		}))
}
