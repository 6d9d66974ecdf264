package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/output"
	"bugslice/internal/command/tree"
)

func newEvent(s *session) *cobra.Command {
	return s.group("event", "Read and follow the events of a workspace", newEventList(s), newEventTail(s))
}

// eventFlags select events.
type eventFlags struct {
	after string
	types []string
}

func (f *eventFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.after, "after", f.after, "`id` of the event after which to begin, or latest")
	cmd.Flags().StringSliceVar(&f.types, "type", nil, "only events of this `type`; repeatable")
	cmd.Flags().Lookup("type").Annotations = map[string][]string{tree.Choices: api.EventType("").Values()}
}

func (f *eventFlags) input(ctx context.Context, s *session) (in api.ListEvents, err error) {
	in.After = f.after
	for _, t := range f.types {
		if !slices.Contains(api.EventType("").Values(), t) {
			return in, tree.Usagef("--type: there is no type %q; the types are %s", t,
				strings.Join(api.EventType("").Values(), ", "))
		}
		in.Type = append(in.Type, api.EventType(t))
	}
	w, err := s.workspace(ctx)
	in.WorkspaceID = w.ID
	return in, err
}

func newEventList(s *session) *cobra.Command {
	var f eventFlags
	cmd := listing[api.Event]{use: "list", short: "List events, oldest first", args: tree.NoArgs,
		none: "There are no events.",
		read: func(ctx context.Context, _ []string, limit int) ([]api.Event, error) {
			in, err := f.input(ctx, s)
			if err != nil {
				return nil, err
			}
			return all(ctx, s, in, limit)
		},
		columns: func(s *session) []output.Column[api.Event] {
			return []output.Column[api.Event]{
				{Title: "Time", Cell: func(e api.Event) output.Cell { return s.ago(&e.Timestamp) }},
				{Title: "Type", Cell: func(e api.Event) output.Cell { return text(string(e.Type)) }},
				{Title: "Subject", Flexible: true, Cell: func(e api.Event) output.Cell { return text(subject(e)) }},
				{Title: "Id", Optional: true, Cell: func(e api.Event) output.Cell {
					return output.Cell{Text: e.ID,
						Style: output.Dim}
				}},
			}
		}}.command(s)
	f.register(cmd)
	return cmd
}

// subject says what an event is about.
func subject(e api.Event) string {
	d := e.Data
	switch {
	case d.Comment != nil:
		return "comment by " + d.Comment.Author.Name + ": " + d.Comment.Body
	case d.Attachment != nil:
		return "file " + d.Attachment.Name
	case d.Slice != nil:
		return d.Slice.Reference + " " + d.Slice.Summary
	case d.Space != nil:
		return "space " + d.Space.Name
	case d.APIKey != nil:
		return "key " + d.APIKey.Name
	case d.Webhook != nil:
		return "webhook " + d.Webhook.URL
	case d.Workspace != nil:
		return "workspace " + d.Workspace.Name
	}
	return ""
}

func newEventTail(s *session) *cobra.Command {
	f := eventFlags{after: api.Latest}
	var format output.Format
	var count int
	cmd := s.command("tail", "Print events as they happen, until it is interrupted", tree.NoArgs,
		func(ctx context.Context, _ []string) error {
			if err := format.Check(); err != nil {
				return err
			}
			in, err := f.input(ctx, s)
			if err != nil {
				return err
			}
			return s.follow(ctx, in, count, func(e api.Event) error {
				if format.IsSet() {
					return format.Print(ctx, s.out, e)
				}
				return s.out.Line(s.out.Out, "%s\t%s\t%s", fmt.Sprint(e.Timestamp), string(e.Type), subject(e))
			})
		})
	cmd.Long = "Print events as they happen, until it is interrupted. It connects again by itself when the " +
		"connection is lost, and loses no " +
		"event then. When it ends it says how to go on."
	cmd.Example = "  bugslice event tail --type slice.created --jq '.data.slice.reference'"
	f.register(cmd)
	cmd.Flags().IntVarP(&count, "limit", "L", 0, "end after so many events; 0 for never")
	output.Register[api.Event](&format, cmd)
	return cmd
}

// follow handles events until an error, or so many of them; 0 for any number. An interruption says how to go on after
// the last one.
func (s *session) follow(ctx context.Context, in api.ListEvents, count int, handle func(api.Event) error) error {
	c, err := s.client()
	if err != nil {
		return err
	}
	last, seen := "", 0
	for event, err := range c.Follow(ctx, in) {
		if err == nil {
			err = handle(event)
		}
		if errors.Is(err, context.Canceled) && last != "" {
			return &Failure{codeInterrupted, errors.New("interrupted"), "go on with --after " + last}
		}
		if p, ok := errors.AsType[*api.Problem](err); ok && p.Code == api.CodeEventsGone {
			return &Failure{codeConflict, fmt.Errorf("the events after %s are deleted", in.After),
				"begin with --after latest"}
		}
		if err != nil {
			return err
		}
		if last, seen = event.ID, seen+1; seen == count {
			return nil
		}
	}
	return nil
}
