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

// each carries out a change for each of several reports, up to the first that fails. The error says which were
// changed before.
func (s *session) each(references []string, do func(reference string) error) error {
	for i, reference := range references {
		err := failureOf(do(sliceID(reference)))
		if f, ok := errors.AsType[*Failure](err); ok && i > 0 && f.Err != nil {
			return &Failure{f.Code, fmt.Errorf("%s: %w; done before: %s", reference, f.Err,
				strings.Join(references[:i], ", ")), f.Next}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// update changes a report and says what it is now. With --dry-run it says what would change.
func (s *session) update(ctx context.Context, in api.UpdateSlice, format *output.Format) error {
	if s.dryRun {
		before, err := call(ctx, s, api.GetSlice{SliceID: in.SliceID})
		if err != nil {
			return err
		}
		return s.printDifferences(before, in.Patch)
	}
	after, err := call(ctx, s, in)
	if err != nil {
		return err
	}
	return printRecord(ctx, s, format, after, after.Reference+" "+statusText(after)+"  "+after.Summary)
}

// printDifferences prints what a patch would change.
func (s *session) printDifferences(before api.Slice, patch api.SlicePatch) error {
	stored, err := asObject(before.SliceFields)
	if err != nil {
		return err
	}
	wanted, err := asObject(patch)
	if err != nil {
		return err
	}
	changes := 0
	for _, name := range output.Fields[api.SliceFields]() {
		to, ok := wanted[name]
		if from := stored[name]; ok && fmt.Sprint(from) != fmt.Sprint(to) {
			changes++
			line := fmt.Sprintf("%s %s: %s → %s", before.Reference, name, shown(from), shown(to))
			if err := s.out.Line(s.out.Out, "%s", line); err != nil {
				return err
			}
		}
	}
	if changes == 0 {
		return s.out.Line(s.out.Out, "%s would not change", before.Reference)
	}
	return nil
}

// shown returns a value as people read it.
func shown(v any) string {
	switch v := v.(type) {
	case nil:
		return "none"
	case []any:
		texts := make([]string, len(v))
		for i, item := range v {
			texts[i] = fmt.Sprint(item)
		}
		return "[" + strings.Join(texts, ", ") + "]"
	}
	return fmt.Sprint(v)
}

// endFlags are the flags of commands that resolve or close reports.
type endFlags struct {
	reason, comment, fixedIn string
	format                   output.Format
}

func newSliceResolve(s *session) *cobra.Command {
	return newEnd(s, "resolve", "Resolve reports", api.Resolved)
}

func newSliceClose(s *session) *cobra.Command {
	return newEnd(s, "close", "Close reports", api.Closed)
}

func newEnd(s *session, verb, short string, status api.Status) *cobra.Command {
	var f endFlags
	cmd := s.changing(s.command(verb+" [REFERENCE…]", short, nil, func(ctx context.Context, args []string) error {
		patch, err := f.patch(status)
		if err == nil {
			err = f.format.Check()
		}
		if err != nil {
			return err
		}
		references, err := s.references(ctx, args)
		if err != nil {
			return err
		}
		return s.each(references, func(reference string) error { return f.end(ctx, s, reference, patch) })
	}))
	cmd.Example = "  bugslice slice " + verb + " WEB-161 --reason cannot_reproduce --comment 'Not with 2026.11.3.'"
	cmd.Flags().StringVarP(&f.reason, "reason", "r", "", "`why`: "+strings.Join(api.Resolution("").Values(), ", "))
	cmd.Flags().StringVar(&f.fixedIn, "fixed-in", "", "the `release` with which the bug is gone")
	cmd.Flags().StringVarP(&f.comment, "comment", "c", "", "leave this comment, too")
	output.Register[api.Slice](&f.format, cmd)
	return cmd
}

func (f *endFlags) patch(status api.Status) (api.SlicePatch, error) {
	patch := api.SlicePatch{}.Status(status)
	if f.fixedIn != "" {
		patch = patch.FixedInRelease(&f.fixedIn)
	}
	if f.reason == "" {
		return patch, nil
	}
	reason := strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(f.reason))
	if known := api.Resolution("").Values(); !slices.Contains(known, reason) {
		return nil, tree.Usagef("--reason must be one of %s, not %q", strings.Join(known, ", "), f.reason)
	}
	return patch.Resolution(new(api.Resolution(reason))), nil
}

// end comments and then changes the status, so that who is told of the change can read why.
func (f *endFlags) end(ctx context.Context, s *session, reference string, patch api.SlicePatch) error {
	if f.comment != "" {
		in := api.CreateComment{SliceID: reference, Body: api.CommentFields{Body: f.comment}}
		if _, _, err := change(ctx, s, in); err != nil {
			return err
		}
	}
	err := s.update(ctx, api.UpdateSlice{SliceID: reference, Patch: patch}, &f.format)
	if err != nil && f.comment != "" && !s.dryRun {
		s.tell("The comment on %s is stored; the status did not change.", reference)
	}
	return err
}

// references returns the reports that are meant: those of the arguments, or that of the branch.
func (s *session) references(ctx context.Context, args []string) ([]string, error) {
	if len(args) > 0 {
		return args, nil
	}
	reference, err := s.reference(ctx, nil)
	return []string{reference}, err
}

func newSliceReopen(s *session) *cobra.Command {
	var format output.Format
	cmd := s.changing(s.command("reopen [REFERENCE…]", "Open reports again", nil, func(ctx context.Context,
		args []string) error {
		if err := format.Check(); err != nil {
			return err
		}
		references, err := s.references(ctx, args)
		if err != nil {
			return err
		}
		return s.each(references, func(reference string) error {
			return s.update(ctx, api.UpdateSlice{SliceID: reference, Patch: api.SlicePatch{}.Status(api.Open)}, &format)
		})
	}))
	output.Register[api.Slice](&format, cmd)
	return cmd
}

func newSliceAssign(s *session) *cobra.Command {
	var format output.Format
	cmd := s.changing(s.command("assign [REFERENCE [USER]]", "Assign a report to a user, by default to you", nil,
		func(ctx context.Context, args []string) error {
			if len(args) > 2 {
				return tree.Usagef("unexpected argument %q; a report and a user are expected", args[2])
			}
			if err := format.Check(); err != nil {
				return err
			}
			user := "me"
			if len(args) == 2 {
				user, args = args[1], args[:1]
			}
			reference, err := s.reference(ctx, args)
			if err != nil {
				return err
			}
			patch, err := s.assigneePatch(ctx, api.SlicePatch{}, reference, user)
			if err != nil {
				return err
			}
			return s.update(ctx, api.UpdateSlice{SliceID: reference, Patch: patch}, &format)
		}))
	cmd.Example = "  bugslice slice assign WEB-161\n  bugslice slice assign WEB-161 ada@acme.example\n  bugslice " +
		"slice assign WEB-161 none"
	output.Register[api.Slice](&format, cmd)
	return cmd
}

// assigneePatch adds the assignee of a report to a patch: a user by name, address or id, me, or none.
func (s *session) assigneePatch(ctx context.Context, patch api.SlicePatch, reference, user string) (api.SlicePatch,
	error) {
	if user == "none" || user == "" {
		return patch.AssigneeID(nil), nil
	}
	workspaceID := ""
	user = strings.TrimPrefix(user, "@")
	if user != "me" && !isID(user, "usr") {
		slice, err := call(ctx, s, api.GetSlice{SliceID: reference})
		if err != nil {
			return nil, err
		}
		workspaceID = slice.WorkspaceID
	}
	id, err := s.userID(ctx, workspaceID, user)
	return patch.AssigneeID(&id), err
}

func newSliceDuplicate(s *session) *cobra.Command {
	var of string
	var format output.Format
	cmd := s.changing(s.command("duplicate [REFERENCE]", "Resolve a report as a duplicate of another one", atMostOne,
		func(ctx context.Context, args []string) error {
			if of == "" {
				return tree.Usagef("--of is required: the report that describes the bug, such as WEB-12")
			}
			if err := format.Check(); err != nil {
				return err
			}
			reference, err := s.reference(ctx, args)
			if err != nil {
				return err
			}
			original, err := call(ctx, s, api.GetSlice{SliceID: sliceID(of)})
			if err != nil {
				return err
			}
			patch := api.SlicePatch{}.Status(api.Resolved).Resolution(new(api.Duplicate)).DuplicateOfID(&original.ID)
			return s.update(ctx, api.UpdateSlice{SliceID: reference, Patch: patch}, &format)
		}))
	cmd.Example = "  bugslice slice duplicate WEB-170 --of WEB-161"
	cmd.Flags().StringVar(&of, "of", "", "`reference` of the report that describes the bug")
	output.Register[api.Slice](&format, cmd)
	return cmd
}

func newSliceDelete(s *session) *cobra.Command {
	var yes bool
	cmd := s.changing(s.command("delete REFERENCE…", "Delete reports; they can be restored for 30 days",
		arguments("report"),
		func(ctx context.Context, args []string) error {
			if !yes && !s.dryRun {
				if err := s.confirm(ctx, "Delete "+strings.Join(args, ", ")+"?"); err != nil {
					return err
				}
			}
			return s.each(args, func(reference string) error {
				_, done, err := change(ctx, s, api.DeleteSlice{SliceID: reference})
				if err != nil || !done {
					return err
				}
				return s.out.Line(s.out.Out, "Deleted %s. bugslice slice restore %s brings it back.", reference,
					reference)
			})
		}))
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

func newSliceRestore(s *session) *cobra.Command {
	var format output.Format
	cmd := s.changing(s.command("restore REFERENCE…", "Restore deleted reports", arguments("report"),
		func(ctx context.Context, args []string) error {
			if err := format.Check(); err != nil {
				return err
			}
			return s.each(args, func(reference string) error {
				slice, done, err := change(ctx, s, api.RestoreSlice{SliceID: reference})
				if err != nil || !done {
					return err
				}
				return printRecord(ctx, s, &format, slice, "Restored "+slice.Reference+"  "+slice.Summary)
			})
		}))
	output.Register[api.Slice](&format, cmd)
	return cmd
}

func newSliceOpen(s *session) *cobra.Command {
	return s.command("open [REFERENCE]", "Open the page of a report in the browser", atMostOne,
		func(ctx context.Context, args []string) error {
			reference, err := s.reference(ctx, args)
			if err != nil {
				return err
			}
			slice, err := call(ctx, s, api.GetSlice{SliceID: reference})
			if err != nil {
				return err
			}
			return s.browse(ctx, slice.URL)
		})
}
