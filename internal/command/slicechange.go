package command

import (
	"cmp"
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

// each carries out a change for each of several reports, or for that of the branch, up to the first that fails. The
// error says which were changed before.
func (s *session) each(ctx context.Context, args []string, do func(reference string) error) error {
	references, err := s.references(ctx, args)
	if err != nil {
		return err
	}
	for i, reference := range references {
		err := failureOf(do(reference))
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

// references returns the reports that are meant: those of the arguments, or that of the branch.
func (s *session) references(ctx context.Context, args []string) (references []string, err error) {
	if len(args) == 0 {
		reference, err := s.reference(ctx, nil)
		return []string{reference}, err
	}
	references = make([]string, len(args))
	for i, arg := range args {
		if references[i], err = sliceID(ctx, s, arg); err != nil {
			return nil, err
		}
	}
	return references, nil
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

// statusFlags are the flags of commands that resolve, close or reopen reports.
type statusFlags struct {
	status                       api.Status
	reason, of, comment, fixedIn string
	format                       output.Format
}

func newSliceResolve(s *session) *cobra.Command {
	return newEnd(s, "resolve", "Resolve reports", api.Resolved)
}

func newSliceClose(s *session) *cobra.Command {
	return newEnd(s, "close", "Close reports", api.Closed)
}

func newSliceReopen(s *session) *cobra.Command {
	return newStatus(s, "reopen", "Open reports again", &statusFlags{status: api.Open})
}

// newEnd returns a command that gives reports a status in which no work is left.
func newEnd(s *session, verb, short string, status api.Status) *cobra.Command {
	f := &statusFlags{status: status}
	cmd := newStatus(s, verb, short, f)
	cmd.Example = "  bugslice slice " + verb + " WEB-161 --reason cannot_reproduce --comment 'Not with 2026.11.3.'"
	cmd.Flags().StringVarP(&f.reason, "reason", "r", "", "`why`: "+strings.Join(api.Resolution("").Values(), ", "))
	cmd.Flags().StringVar(&f.of, "duplicate-of", "", "`reference` of the report that describes the same bug")
	cmd.Flags().StringVar(&f.fixedIn, "fixed-in", "", "the `release` with which the bug is gone")
	return cmd
}

func newStatus(s *session, verb, short string, f *statusFlags) *cobra.Command {
	cmd := s.changing(s.command(verb+" [REFERENCE…]", short, nil, func(ctx context.Context, args []string) error {
		if err := f.format.Check(); err != nil {
			return err
		}
		patch, err := f.patch(ctx, s)
		if err != nil {
			return err
		}
		return s.each(ctx, args, func(reference string) error { return f.change(ctx, s, reference, patch) })
	}))
	cmd.Flags().StringVarP(&f.comment, "comment", "c", "", "leave this comment, too")
	output.Register[api.Slice](&f.format, cmd)
	return cmd
}

// githubReasons are the reasons of gh that have another name here.
var githubReasons = map[string]string{"completed": "fixed", "not_planned": "wont_fix"}

func (f *statusFlags) patch(ctx context.Context, s *session) (api.SlicePatch, error) {
	patch := api.SlicePatch{}.Status(f.status)
	if f.fixedIn != "" {
		patch = patch.FixedInRelease(&f.fixedIn)
	}
	reason := strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(f.reason))
	reason = cmp.Or(githubReasons[reason], reason)
	switch known := api.Resolution("").Values(); {
	case f.of != "" && reason != "" && reason != string(api.Duplicate):
		return nil, tree.Usagef("--duplicate-of and --reason %s exclude each other; choose one", f.reason)
	case f.of != "":
		return duplicatePatch(ctx, s, patch, f.of)
	case reason == "":
		return patch, nil
	case !slices.Contains(known, reason):
		return nil, tree.Usagef("--reason must be one of %s, not %q", strings.Join(known, ", "), f.reason)
	}
	return patch.Resolution(new(api.Resolution(reason))), nil
}

// duplicatePatch adds to a patch that the report is a duplicate of another one.
func duplicatePatch(ctx context.Context, s *session, patch api.SlicePatch, of string) (api.SlicePatch, error) {
	reference, err := sliceID(ctx, s, of)
	if err != nil {
		return nil, err
	}
	original, err := call(ctx, s, api.GetSlice{SliceID: reference})
	return patch.Resolution(new(api.Duplicate)).DuplicateOfID(&original.ID), err
}

// change comments and then changes the status, so that who is told of the change can read why.
func (f *statusFlags) change(ctx context.Context, s *session, reference string, patch api.SlicePatch) error {
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
			patch, err := duplicatePatch(ctx, s, api.SlicePatch{}.Status(api.Resolved), of)
			if err != nil {
				return err
			}
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
			return s.each(ctx, args, func(reference string) error {
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
			return s.each(ctx, args, func(reference string) error {
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
