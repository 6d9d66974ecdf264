package portable

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"bugslice/internal/blob"
)

// A backup is one zip file: manifest.json, secret.key, tables/NAME.ndjson, files/…, and contents.ndjson, which says how
// large each of these is and which SHA-256 it has. It can be restored into either database.
const (
	backupManifestName = "manifest.json"
	contentsName       = "contents.ndjson" // format 1 had none
	secretName         = "secret.key"
	tablesDir          = "tables/"
	attachmentsTable   = tablesDir + "attachments.ndjson"
	filesDir           = "files/"

	submissionFilesTable = tablesDir + "submission_files.ndjson" // of reports that wait
)

type backupManifest struct {
	Format    int       `json:"format"`
	Version   string    `json:"version"`
	Database  string    `json:"database"`
	CreatedAt time.Time `json:"createdAt"`
	Instance  string    `json:"instance,omitempty"` // whose backup it is
}

const backupFormat = 2

// content is a line of contents.ndjson: what an entry of a backup must be.
type content struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Backup writes the whole instance with its secret key to a zip file. It returns the keys of files that records name
// and that the storage lacks. Nobody may remove files meanwhile.
func (in Instance) Backup(ctx context.Context, secretKey []byte, z *zip.Writer) (missing []string, err error) {
	b := &backupWriter{z: z}
	w, err := b.create(backupManifestName)
	if err != nil {
		return nil, err
	}
	i, err := in.Store.Read(ctx).Instance()
	if err != nil {
		return nil, err
	}
	if err := json.NewEncoder(w).Encode(backupManifest{backupFormat, in.Version, in.Store.Engine(), time.Now().UTC(),
		i.ID}); err != nil {
		return nil, err
	}
	if w, err = b.create(secretName); err != nil {
		return nil, err
	}
	if _, err := w.Write(secretKey); err != nil {
		return nil, err
	}
	keys, err := in.Store.Dump(ctx, func(table string) (io.Writer,
		error) {
		return b.create(tablesDir + table + ".ndjson")
	})
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		if err := b.file(ctx, in.Blobs, key); errors.Is(err, blob.ErrNotFound) {
			missing = append(missing, key)
		} else if err != nil {
			return nil, fmt.Errorf("the file %s: %w", key, err)
		}
	}
	return missing, b.finish()
}

// backupWriter writes the entries of a backup, and at last the list of them.
type backupWriter struct {
	z    *zip.Writer
	all  []content
	size int64
	sum  hash.Hash // of the newest entry
}

func (b *backupWriter) create(name string) (io.Writer, error) {
	b.end()
	w, err := b.z.Create(name)
	b.all, b.size, b.sum = append(b.all, content{Name: name}), 0, sha256.New()
	return io.MultiWriter(w, b), err
}

// Write counts what is written to the newest entry.
func (b *backupWriter) Write(p []byte) (int, error) {
	b.size += int64(len(p))
	return b.sum.Write(p)
}

func (b *backupWriter) end() {
	if n := len(b.all); n > 0 {
		b.all[n-1].Size, b.all[n-1].SHA256 = b.size, hex.EncodeToString(b.sum.Sum(nil))
	}
}

func (b *backupWriter) file(ctx context.Context, blobs blob.Store, key string) error {
	r, err := blobs.Open(ctx, key)
	if err != nil {
		return err
	}
	w, err := b.create(filesDir + key)
	if err == nil {
		_, err = io.Copy(w, r)
	}
	return errors.Join(err, r.Close())
}

// finish writes the list of the entries.
func (b *backupWriter) finish() error {
	b.end()
	w, err := b.z.Create(contentsName)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	for _, c := range b.all {
		if err := enc.Encode(c); err != nil {
			return err
		}
	}
	return nil
}
