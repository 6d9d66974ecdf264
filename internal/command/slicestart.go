package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"bugslice/api"
)

func newSliceStart(s *session) *cobra.Command {
	var branch string
	var noBranch bool
	cmd := s.changing(s.command("start REFERENCE", "Begin to work on a report: assign it to you, and switch to "+
		"its branch",
		argument("report"), func(ctx context.Context, args []string) error {
			reference, err := sliceID(ctx, s, args[0])
			if err != nil {
				return err
			}
			slice, err := call(ctx, s, api.GetSlice{SliceID: reference})
			if err != nil {
				return err
			}
			if branch == "" {
				branch = branchName(slice.Reference, slice.Summary)
			}
			if !noBranch {
				if _, err := s.git(ctx, "rev-parse", "--git-dir"); err != nil {
					return &Failure{codeFailed, err, "run it in a git repository, or with --no-branch"}
				}
			}
			return s.start(ctx, slice, branch, noBranch)
		}))
	cmd.Long = "Begin to work on a report: it is assigned to you and in progress, and git switches to a branch " +
		"that is named after it, which " +
		"is made when it does not exist. Other commands then take the reference from the branch."
	cmd.Example = "  bugslice slice start WEB-161"
	cmd.Aliases = []string{"develop"} // as gh has it
	cmd.Flags().StringVar(&branch, "branch", "", "`name` of the branch; by default the reference and words of "+
		"the summary")
	cmd.Flags().BoolVar(&noBranch, "no-branch", false, "leave git alone")
	return cmd
}

// start switches to the branch first: what the report says then is so.
func (s *session) start(ctx context.Context, slice api.Slice, branch string, noBranch bool) error {
	me, err := s.whoAmI(ctx)
	if err != nil {
		return err
	}
	patch := api.SlicePatch{}.Status(api.InProgress)
	if me.Type == "user" {
		patch = patch.AssigneeID(&me.ID)
	}
	if !noBranch {
		if err := s.switchBranch(ctx, branch); err != nil {
			return err
		}
	}
	if s.dryRun {
		return s.printDifferences(slice, patch)
	}
	after, err := call(ctx, s, api.UpdateSlice{SliceID: slice.ID, Patch: patch})
	if err != nil {
		return err
	}
	return s.out.Line(s.out.Out, "%s is in progress: %s", after.Reference, after.Summary)
}

func (s *session) switchBranch(ctx context.Context, branch string) error {
	args := []string{"switch", "--quiet", "--create", branch}
	if _, err := s.git(ctx, "rev-parse", "--verify", "--quiet", "refs/heads/"+branch); err == nil {
		args = []string{"switch", "--quiet", branch}
	}
	if s.dryRun {
		return s.out.Line(s.out.Out, "git %s", strings.Join(args, " "))
	}
	_, err := s.git(ctx, args...)
	if err == nil {
		s.tell("On branch %s", branch)
	}
	return err
}
