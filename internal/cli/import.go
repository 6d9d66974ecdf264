package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"bugslice/internal/command/tree"
	"bugslice/internal/github"
	"bugslice/internal/portable"
)

// importFlags are the flags of import.
type importFlags struct {
	instanceFlags
	into, org, github, comments string
	dryRun, asIs, addMembers    bool
}

// importMemory is the memory limit that makes the garbage collector run more often, since an import runs beside a
// server.
const importMemory = 96 << 20

func newImport(env environment, s Streams) *cobra.Command {
	var f importFlags
	cmd := env.fileCommand("import", "Import an export, or issues of a GitHub repository",
		func(ctx context.Context, file string) error {
			debug.SetMemoryLimit(importMemory)
			if err := f.checkCombination(); err != nil {
				return err
			}
			return f.withFiles(ctx, env, func(in *instance) error {
				if err := requireFiles(file, f.comments); err != nil {
					return err
				}
				if f.github == "" {
					return f.importArchive(ctx, in, file, s)
				}
				im := issueImport{org: f.org, workspace: f.into, dryRun: f.dryRun,
					source: github.Source{Repository: f.github, Issues: file, Comments: f.comments}}
				return im.run(ctx, in, s)
			})
		})
	cmd.Example = "  bugslice admin import web.zip\n" +
		"  bugslice admin import issues.json --comments comments.json --github acme/shop --into Web --dry-run"
	f.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.into, "into", "", "id or name of the workspace to import into; a new one when empty")
	flags.StringVar(&f.org, "org", "", "id or name of the new workspace's organisation; needed when there are several")
	flags.StringVar(&f.github, "github", "",
		"OWNER/REPOSITORY: the file holds its issues, as GitHub's REST API returns them")
	flags.StringVar(&f.comments, "comments", "", "file with the comments of those issues, as the REST API returns them")
	flags.BoolVar(&f.asIs, "as-is", false, "import an export without removing secrets from its texts and files")
	flags.BoolVar(&f.addMembers, "add-members", false,
		"make members of the users here to whom slices of an export are assigned")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print what would be imported from GitHub, and change nothing")
	return cmd
}

// checkCombination refuses flags that do not go together.
func (f *importFlags) checkCombination() error {
	switch {
	case f.github == "" && (f.dryRun || f.comments != ""):
		return tree.Usagef("--dry-run and --comments require --github OWNER/REPOSITORY")
	case f.github == "":
		return nil
	case f.addMembers:
		return tree.Usagef("--add-members requires an export; issues of GitHub are assigned to nobody")
	case f.asIs:
		return tree.Usagef("--as-is requires an export; secrets are always removed from issues of GitHub")
	case f.into == "":
		return tree.Usagef("--github requires --into, the workspace of the issues")
	}
	return checkRepository(f.github)
}

// importArchive imports an export. An import that was interrupted continues.
func (f *importFlags) importArchive(ctx context.Context, in *instance, file string, s Streams) error {
	a, err := portable.OpenArchive(file)
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }()
	var workspaces []string
	if f.into != "" {
		workspaces = []string{f.into}
	}
	to, ids, err := in.operatorFor(ctx, f.org, workspaces)
	if err != nil {
		return err
	}
	options := portable.ImportOptions{AsIs: f.asIs, AddMembers: f.addMembers}
	if len(ids) > 0 {
		options.Into = ids[0]
	}
	im, err := a.Begin(ctx, to.OrganizationOperator, options)
	if err != nil {
		return err
	}
	if err := to.RecordWorkspaceCommand(ctx, im.WorkspaceID(), "admin import"); err != nil {
		return err
	}
	report, err := a.ImportAll(ctx, im, newProgress(s.Err, "records", a.Count()).add)
	if err != nil {
		return f.incomplete(err, im.WorkspaceID())
	}
	printReport(s.Out, report)
	return nil
}

// incomplete adds to an error which records an import has stored already.
func (f *importFlags) incomplete(err error, workspaceID string) error {
	if errors.Is(err, context.Canceled) {
		err = errors.New("the import was interrupted")
	}
	remedy := "The same command continues the import."
	if f.into == "" {
		remedy += " To delete the workspace: bugslice admin workspace remove --workspace " + workspaceID
	}
	return fmt.Errorf("%w\nThe workspace %s holds the records that were imported before. %s", err, workspaceID, remedy)
}

func printReport(to io.Writer, r portable.ImportReport) {
	fmt.Fprintf(to, "workspace  %s\nNew: %s, %s, %s. Imported already: %s.\n", r.WorkspaceID, count(r.Slices, "slice"),
		count(r.Comments, "comment"), count(r.Attachments, "file"), count(r.AlreadyThere, "record"))
	printCounts(to, []counted{
		{r.FilesMissing, "Files deleted while the export was written"},
		{r.Assigned, "Slices assigned to the user with the same e-mail address here"},
		{r.MembersAdded, "Users made members of the workspace, because slices are assigned to them"},
		{r.Unassigned, "Slices assigned to nobody now, because their assignee is no member of the workspace" +
			" (--add-members makes them members)"},
		{r.Disabled, "Slices assigned to nobody now, because their assignee is disabled here, and no member of the workspace"},
		{r.Strangers, "Slices assigned to nobody now, because no user here has the e-mail address of their assignee"},
		{r.ExternalIDsOmitted, "External ids left out, because another slice has them"},
		{r.FingerprintsOmitted, "Fingerprints left out, because another open slice has them"},
		{r.Redacted, "Secrets removed, as from filed reports (--as-is leaves them)"},
		{r.Truncated, "Comments and addresses truncated, or left out because they would run a script"},
	})
}
