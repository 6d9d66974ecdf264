package cli

import (
	"archive/zip"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"bugslice/internal/blob"
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
	var p instanceFlags
	var workspace, output string
	cmd := &cobra.Command{Use: "export", Short: "Export a workspace with all its evidence to a file", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := ready(cmd, env, "workspace", "output"); err != nil {
				return err
			}
			return p.withFiles(cmd.Context(), env, func(in *instance) error {
				_, id, err := in.workspace(cmd.Context(), workspace)
				if err != nil {
					return err
				}
				m, size, err := export(cmd.Context(), in, id, output, s.Err)
				if err == nil {
					_, err = fmt.Fprintf(s.Out, "Wrote %s: %d slices, %d comments, %d files, %d bytes.\n",
						output, m.Records["slices"], m.Records["comments"], m.Blobs, size)
				}
				return err
			})
		}}
	p.register(cmd)
	cmd.Flags().StringVar(&workspace, "workspace", "", "id or name of the workspace to export")
	cmd.Flags().StringVar(&output, "output", "", "file to write; it must not exist")
	return cmd
}

func export(ctx context.Context, in *instance, workspaceID, output string, progressTo io.Writer) (m exportManifest, size int64, err error) {
	size, err = writeAtomically(ctx, output, func(z *zip.Writer) error {
		m, err = writeExport(ctx, in, workspaceID, z, progressTo)
		return err
	})
	return m, size, err
}

func writeExport(ctx context.Context, in *instance, workspaceID string, z *zip.Writer, progressTo io.Writer) (exportManifest, error) {
	m := exportManifest{Format: exportFormat, ID: rand.Text(), Version: version(), WorkspaceID: workspaceID, CreatedAt: time.Now().UTC()}
	create := func(table string) (io.Writer, error) { return z.Create(recordsDir + table + ".ndjson") }
	counts, blobs, err := in.store.Export(ctx, workspaceID, create)
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
