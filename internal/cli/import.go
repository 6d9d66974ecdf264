package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"bugslice/internal/github"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

func newImport(env environment, s Streams) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{Use: "import FILE", Short: "Import an export, or issues of a GitHub repository",
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := ready(cmd, env); err != nil {
				return err
			}
			o.file = args[0]
			debug.SetMemoryLimit(importMemory)
			if o.github == "" && (o.dryRun || o.comments != "") {
				return usagef("--dry-run and --comments go with --github OWNER/REPOSITORY")
			}
			if o.github != "" && o.asIs {
				return usagef("--as-is goes with an export; secrets are always removed from issues of GitHub")
			}
			if o.github != "" && o.into == "" {
				return usagef("say with --into which workspace the issues go to")
			}
			if o.github != "" {
				if err := checkRepository(o.github); err != nil {
					return err
				}
			}
			return o.withFiles(cmd.Context(), env, func(in *instance) error {
				if o.github != "" {
					im := issueImport{workspaceID: o.into, dryRun: o.dryRun,
						source: github.Source{Repository: o.github, Issues: o.file, Comments: o.comments}}
					return im.run(cmd.Context(), in, s)
				}
				return o.export(cmd.Context(), in, s)
			})
		}}
	o.register(cmd)
	f := cmd.Flags()
	f.StringVar(&o.into, "into", "", "workspace to import into; a new one when left out")
	f.StringVar(&o.org, "org", "", "organisation of the new workspace; needed when there are several")
	f.StringVar(&o.github, "github", "", "OWNER/REPOSITORY: the file holds its issues, as the REST API gives them")
	f.StringVar(&o.comments, "comments", "", "file with the comments of those issues, likewise")
	f.BoolVar(&o.asIs, "as-is", false, "import an export without removing secrets from its texts and files")
	f.BoolVar(&o.dryRun, "dry-run", false, "say what would be imported, and change nothing")
	return cmd
}

// importMemory is when memory that is not used any more is looked for: an import runs beside a server.
const importMemory = 96 << 20

type importOptions struct {
	instanceFlags
	file, into, org, github, comments string
	dryRun, asIs                      bool
}

// export imports an export. One that was broken off is gone on with.
func (o *importOptions) export(ctx context.Context, in *instance, s Streams) error {
	a, err := openArchive(o.file)
	if err != nil {
		return err
	}
	defer a.z.Close()
	workspaces := []string{}
	if o.into != "" {
		workspaces = append(workspaces, o.into)
	}
	operator, err := in.operatorFor(ctx, o.org, workspaces)
	if err != nil {
		return err
	}
	im, err := operator.Import(ctx, tracker.ImportOptions{ArchiveID: a.manifest.ID, Into: o.into, AsIs: o.asIs}, a.workspace)
	if err != nil {
		return err
	}
	bar := newProgress(s.Err, "records", a.count())
	for _, table := range store.ExportTables()[1:] {
		err := a.each(table, func(batch []store.Record) error {
			defer bar.add(len(batch))
			return im.Records(ctx, table, batch, a.open)
		})
		if err != nil {
			return o.halfway(err, im.WorkspaceID)
		}
	}
	if err := im.End(ctx); err != nil {
		return o.halfway(err, im.WorkspaceID)
	}
	report(s.Out, im.Report)
	return nil
}

// halfway says what an import that failed has left behind.
func (o *importOptions) halfway(err error, workspaceID string) error {
	if errors.Is(err, context.Canceled) {
		err = errors.New("it was interrupted")
	}
	rest := "The same command goes on from there."
	if o.into == "" {
		rest += " To be rid of it: bugslice workspace remove --workspace " + workspaceID
	}
	return fmt.Errorf("%w\nWhat was imported before this is in the workspace %s. %s", err, workspaceID, rest)
}

func report(to io.Writer, r tracker.ImportReport) {
	fmt.Fprintf(to, "workspace  %s\n%d slices, %d comments and %d files are new, %d records were there already.\n",
		r.WorkspaceID, r.Slices, r.Comments, r.Attachments, r.AlreadyThere)
	printCounts(to, []counted{
		{r.FilesMissing, "files had been deleted while the export was written"},
		{r.Unassigned, "slices are assigned to nobody now: who they were assigned to is no member here"},
		{r.ExternalsLost, "externalIds were taken, and left out"},
		{r.PrintsLost, "fingerprints were open, and left out"},
		{r.Redacted, "secrets were removed, as they are from what is filed (--as-is leaves them)"},
		{r.TextsCut, "comments and addresses were longer than they may be and were cut, or would run a script and were left out"},
	})
}
