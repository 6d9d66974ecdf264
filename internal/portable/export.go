package portable

import (
	"archive/zip"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"bugslice/internal/blob"
	"bugslice/internal/store"
)

// An export is one zip file of a workspace: export.json, records/NAME.ndjson and blobs/KEY. It holds no secret, and
// imports into either database. docs/export.md describes it.
const (
	exportManifestName = "export.json"
	exportFormat       = 1
	recordsDir         = "records/"
	blobsDir           = "blobs/"
)

// Manifest is the export.json of an export.
type Manifest struct {
	Format      int            `json:"format"`
	ID          string         `json:"id"` // of this export; what is imported from it is known by it
	Version     string         `json:"version"`
	WorkspaceID string         `json:"workspaceId"`
	CreatedAt   time.Time      `json:"createdAt"`
	Records     map[string]int `json:"records"`
	Blobs       int            `json:"blobs"`
}

// Export writes a workspace to a zip file, and returns its manifest. It calls progress at the beginning, and after
// each slice and each file. It skips files that are deleted meanwhile.
func (in Instance) Export(ctx context.Context, workspaceID string, z *zip.Writer, progress func(store.ExportProgress)) (
	Manifest, error,
) {
	m := Manifest{Format: exportFormat, ID: rand.Text(), Version: in.Version, WorkspaceID: workspaceID,
		CreatedAt: time.Now().UTC()}
	create := func(table string) (io.Writer, error) { return z.Create(recordsDir + table + ".ndjson") }
	var written store.ExportProgress
	counts, keys, err := in.Store.Export(ctx, workspaceID, create,
		func(p store.ExportProgress) { written = p; progress(p) })
	if err != nil {
		return m, err
	}
	m.Records = counts
	for _, key := range keys {
		err := in.exportFile(ctx, z, key)
		if err == nil {
			m.Blobs++
		} else if !errors.Is(err, blob.ErrNotFound) { // deleted since
			return m, fmt.Errorf("the file %s: %w", key, err)
		}
		written.Files++
		progress(written)
	}
	w, err := z.Create(exportManifestName)
	if err != nil {
		return m, err
	}
	return m, json.NewEncoder(w).Encode(m)
}

func (in Instance) exportFile(ctx context.Context, z *zip.Writer, key string) error {
	r, err := in.Blobs.Open(ctx, key)
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
