package cli

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

func newImport(env environment, s Streams) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{Use: "import FILE", Short: "Bring in an export, or issues of GitHub, beside a running server too",
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := ready(cmd, env); err != nil {
				return err
			}
			o.file = args[0]
			if o.github == "" && (o.dryRun || o.comments != "") {
				return usagef("--dry-run and --comments go with --github OWNER/REPOSITORY")
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
					return o.issues(cmd.Context(), in, s)
				}
				return o.export(cmd.Context(), in, s)
			})
		}}
	o.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.into, "into", "", "workspace to import into; a new one when left out")
	f.StringVar(&o.org, "org", "", "organisation of the new workspace; needed when there are several")
	f.StringVar(&o.github, "github", "", "OWNER/REPOSITORY: the file holds its issues, as the REST API gives them")
	f.StringVar(&o.comments, "comments", "", "file with the comments of those issues, likewise")
	f.BoolVar(&o.dryRun, "dry-run", false, "say what would be imported, and change nothing")
	return cmd
}

type importOptions struct {
	place
	file, into, org, github, comments string
	dryRun                            bool
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
	c, err := in.operator(ctx, o.org, workspaces)
	if err != nil {
		return err
	}
	im, err := in.tracker.Import(ctx, c, a.manifest.ID, o.into, a.workspace)
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
	fmt.Fprintf(to, "workspace  %s\n%d slices, %d comments and %d files are new, %d records were there already.\n", r.WorkspaceID, r.Slices, r.Comments, r.Attachments, r.AlreadyThere)
	tell(to, []counted{
		{r.FilesMissing, "files had been deleted while the export was written"},
		{r.Unassigned, "slices are assigned to nobody now: who they were assigned to is no member here"},
		{r.ExternalsLost, "externalIds were taken, and left out"},
		{r.PrintsLost, "fingerprints were open, and left out"},
		{r.TextsCut, "comments and addresses were longer than they may be and were cut, or would run a script and were left out"},
	})
}

// counted is how many of something there were.
type counted struct {
	n    int
	what string
}

// tell writes a line for each thing that there was.
func tell(to io.Writer, all []counted) {
	for _, c := range all {
		if c.n > 0 {
			fmt.Fprintf(to, "%d %s.\n", c.n, c.what)
		}
	}
}

// archive is an export that is read.
type archive struct {
	z         *zip.ReadCloser
	manifest  exportManifest
	workspace store.Record
	files     map[string]*zip.File
}

func openArchive(file string) (*archive, error) {
	z, err := zip.OpenReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s is no export: %w; issues of GitHub come with --github OWNER/REPOSITORY", file, err)
	}
	a := &archive{z: z, files: map[string]*zip.File{}}
	if err := a.begin(file); err != nil {
		return nil, errors.Join(err, z.Close())
	}
	for _, f := range z.File {
		if key, ok := strings.CutPrefix(f.Name, blobsDir); ok {
			a.files[key] = f
		}
	}
	return a, nil
}

// begin reads what an export is of.
func (a *archive) begin(file string) error {
	if err := readJSON(a.z, exportName, &a.manifest); err != nil {
		if readJSON(a.z, manifestName, &manifest{}) == nil {
			return fmt.Errorf("%s is a backup, and no export of a workspace: bugslice restore takes it", file)
		}
		return fmt.Errorf("%s is no export: it has no %s", file, exportName)
	}
	if a.manifest.Format != exportFormat || a.manifest.ID == "" {
		return fmt.Errorf("%s is an export of format %d, which this version does not read", file, a.manifest.Format)
	}
	if err := readJSON(a.z, recordsDir+store.ExportTables()[0]+".ndjson", &a.workspace); err != nil {
		return fmt.Errorf("the export has no workspace: %w", err)
	}
	return nil
}

// count is how many records there are to import.
func (a *archive) count() (n int) {
	for _, table := range store.ExportTables()[1:] {
		n += a.manifest.Records[table]
	}
	return n
}

// open returns the bytes of a file.
func (a *archive) open(key string) (io.ReadCloser, error) {
	if f, ok := a.files[key]; ok {
		return f.Open()
	}
	return nil, fs.ErrNotExist
}

// Records of one transaction. Files are stored just before the records that name them, while
// their keys are reserved.
const (
	importBatch = 100
	fileBatch   = 10
)

// each reads the records of a table, some at a time.
func (a *archive) each(table string, fn func([]store.Record) error) error {
	f, err := a.z.Open(recordsDir + table + ".ndjson")
	if errors.Is(err, fs.ErrNotExist) { // an export of before there was this table
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	size := importBatch
	if table == "attachments" {
		size = fileBatch
	}
	d := json.NewDecoder(f)
	d.UseNumber()
	for more := true; more; {
		var batch []store.Record
		for more && len(batch) < size {
			var r store.Record
			switch err := d.Decode(&r); {
			case errors.Is(err, io.EOF):
				more = false
			case err != nil:
				return fmt.Errorf("%s: %w", table, err)
			default:
				batch = append(batch, r)
			}
		}
		if len(batch) == 0 {
			break
		}
		if err := fn(batch); err != nil {
			return err
		}
	}
	return nil
}
