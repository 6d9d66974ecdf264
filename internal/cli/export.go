package cli

import (
	"archive/zip"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugslice/internal/blob"
	"bugslice/internal/store"
)

// An export is one zip file of a workspace: export.json, records/NAME.ndjson and blobs/KEY. It
// holds no secret, and imports into either database. docs/export.md describes it.
const (
	exportName   = "export.json"
	exportFormat = 1
	recordsDir   = "records/"
	blobsDir     = "blobs/"
)

type exportManifest struct {
	Format      int            `json:"format"`
	ID          string         `json:"id"` // of this export; what is imported from it is known by it
	Version     string         `json:"version"`
	WorkspaceID string         `json:"workspaceId"`
	CreatedAt   time.Time      `json:"createdAt"`
	Records     map[string]int `json:"records"`
	Blobs       int            `json:"blobs"`
}

func newExport(env environment, s Streams) *cobra.Command {
	var p place
	var workspace, output string
	cmd := &cobra.Command{Use: "export", Short: "Write a workspace with all its evidence to one file, beside a running server too", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := ready(cmd, env, "workspace", "output"); err != nil {
				return err
			}
			return p.with(cmd.Context(), env, func(in *instance) error {
				m, size, err := export(cmd.Context(), in, workspace, output, s.Err)
				if err == nil {
					_, err = fmt.Fprintf(s.Out, "Wrote %s: %d slices, %d comments, %d files, %d bytes.\n", output, m.Records["slices"], m.Records["comments"], m.Blobs, size)
				}
				return err
			})
		}}
	p.flags(cmd)
	cmd.Flags().StringVar(&workspace, "workspace", "", "workspace to export")
	cmd.Flags().StringVar(&output, "output", "", "file to write; it must not exist")
	return cmd
}

// export writes the file whole or not at all.
func export(ctx context.Context, in *instance, workspaceID, output string, progressTo io.Writer) (m exportManifest, size int64, err error) {
	if _, err := in.tracker.OperatorOf(ctx, workspaceID); err != nil {
		return m, 0, err
	}
	if _, err := os.Stat(output); !errors.Is(err, fs.ErrNotExist) {
		return m, 0, fmt.Errorf("%s exists; name a file that does not", output)
	}
	f, err := os.CreateTemp(filepath.Dir(output), ".export-*") // mode 0600
	if err != nil {
		return m, 0, err
	}
	defer os.Remove(f.Name())
	z := zip.NewWriter(f)
	m, err = writeExport(ctx, in, workspaceID, z, progressTo)
	err = errors.Join(err, z.Close(), f.Sync())
	info, serr := f.Stat()
	if err = errors.Join(err, serr, f.Close()); err != nil {
		return m, 0, err
	}
	return m, info.Size(), os.Rename(f.Name(), output)
}

func writeExport(ctx context.Context, in *instance, workspaceID string, z *zip.Writer, progressTo io.Writer) (exportManifest, error) {
	m := exportManifest{Format: exportFormat, ID: rand.Text(), Version: version(), WorkspaceID: workspaceID, CreatedAt: time.Now().UTC()}
	counts, blobs, err := in.store.Export(ctx, workspaceID, func(table string) (io.Writer, error) { return z.Create(recordsDir + table + ".ndjson") })
	if err != nil {
		return m, err
	}
	m.Records = counts
	bar := newProgress(progressTo, "files", len(blobs))
	for _, key := range blobs {
		err := exportBlob(ctx, in.blobs, z, key)
		if errors.Is(err, blob.ErrNotFound) { // deleted since
			err = nil
		} else {
			m.Blobs++
		}
		if err != nil {
			return m, fmt.Errorf("the file %s: %w", key, err)
		}
		bar.add(1)
	}
	w, err := z.Create(exportName)
	if err != nil {
		return m, err
	}
	return m, json.NewEncoder(w).Encode(m)
}

func exportBlob(ctx context.Context, from blob.Store, z *zip.Writer, key string) error {
	r, err := from.Open(ctx, key)
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := z.CreateHeader(&zip.FileHeader{Name: blobsDir + key, Method: zip.Store}) // most are compressed already
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return err
}

func newImport(env environment, s Streams) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{Use: "import FILE", Short: "Bring in an export, or issues of GitHub, beside a running server too",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("say which file: bugslice import FILE")
			}
			return nil
		},
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
			return o.with(cmd.Context(), env, func(in *instance) error {
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

const importBatch = 100 // records of one transaction

// export imports an export. One that was broken off is gone on with.
func (o *importOptions) export(ctx context.Context, in *instance, s Streams) error {
	z, err := zip.OpenReader(o.file)
	if err != nil {
		return fmt.Errorf("%s is no export: %w", o.file, err)
	}
	defer z.Close()
	var m exportManifest
	if err := readJSON(z, exportName, &m); err != nil || m.Format != exportFormat || m.ID == "" {
		return fmt.Errorf("%s is no export that this version reads", o.file)
	}
	var workspace store.Record
	if err := readJSON(z, recordsDir+"workspaces.ndjson", &workspace); err != nil {
		return fmt.Errorf("the export has no workspace: %w", err)
	}
	workspaces := []string{}
	if o.into != "" {
		workspaces = append(workspaces, o.into)
	}
	c, err := in.operator(ctx, o.org, workspaces)
	if err != nil {
		return err
	}
	im, err := in.tracker.Import(ctx, c, m.ID, o.into, workspace)
	if err != nil {
		return err
	}
	if err := importBlobs(ctx, in.blobs, z, im.Blob, m.Blobs, s.Err); err != nil {
		return err
	}
	total := 0
	for table, n := range m.Records {
		if table != "workspaces" {
			total += n
		}
	}
	bar := newProgress(s.Err, "records", total)
	duplicates := map[string]string{}
	for _, table := range store.ExportTables()[1:] {
		err := eachBatch(z, recordsDir+table+".ndjson", func(batch []store.Record) error {
			bar.add(len(batch))
			if table == "users" {
				for _, r := range batch {
					if err := im.User(ctx, r); err != nil {
						return err
					}
				}
				return nil
			}
			for _, r := range batch {
				old, _ := r["id"].(string)
				if of, ok := r["duplicate_of_id"].(string); ok {
					duplicates[old] = of
				}
			}
			return im.Records(ctx, table, batch)
		})
		if err != nil {
			return fmt.Errorf("%s: %w", table, err)
		}
	}
	if err := im.Link(ctx, duplicates); err != nil {
		return err
	}
	r := im.Report
	fmt.Fprintf(s.Out, "workspace  %s\n%d slices, %d comments and %d files are new, %d records were there already.\n", im.WorkspaceID, r.Slices, r.Comments, r.Attachments, r.AlreadyThere)
	for what, n := range map[string]int{"slices have no assignee now, who is nobody here": r.Unassigned, "externalIds were taken, and left out": r.ExternalsLost, "fingerprints were open, and left out": r.PrintsLost} {
		if n > 0 {
			fmt.Fprintf(s.Out, "%d %s.\n", n, what)
		}
	}
	return nil
}

// importBlobs stores the files of an export under their new keys. What is there already stays.
func importBlobs(ctx context.Context, to blob.Store, z *zip.ReadCloser, rename func(string) string, total int, progressTo io.Writer) error {
	bar := newProgress(progressTo, "files", total)
	for _, f := range z.File {
		key, ok := strings.CutPrefix(f.Name, blobsDir)
		if !ok {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return err
		}
		_, err = to.Put(ctx, rename(key), r)
		if errors.Is(err, blob.ErrExists) {
			err = nil
		}
		if err = errors.Join(err, r.Close()); err != nil {
			return fmt.Errorf("the file %s: %w", key, err)
		}
		bar.add(1)
	}
	return nil
}

// eachBatch reads records from an entry of a zip file, some at a time.
func eachBatch(z *zip.ReadCloser, name string, fn func([]store.Record) error) error {
	f, err := z.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	d := json.NewDecoder(f)
	d.UseNumber()
	for {
		var batch []store.Record
		for len(batch) < importBatch {
			var r store.Record
			if err := d.Decode(&r); errors.Is(err, io.EOF) {
				if len(batch) == 0 {
					return nil
				}
				return fn(batch)
			} else if err != nil {
				return err
			}
			batch = append(batch, r)
		}
		if err := fn(batch); err != nil {
			return err
		}
	}
}
