package portable

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"bugslice/internal/blob"
	"bugslice/internal/store"
)

// Backup is a backup that is read: whole, or without the files that it has lost.
type Backup struct {
	*backupCheck
	instance string
}

// OpenBackup opens a backup that is what it was when it was written. With acceptMissing, files may be missing or
// damaged.
func OpenBackup(file string, acceptMissing bool) (*Backup, error) {
	z, err := zip.OpenReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s is no backup: %w", file, err)
	}
	b, err := readBackup(z, acceptMissing)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", file, err), z.Close())
	}
	return b, nil
}

// readBackup reads and checks a whole backup. It refuses an export, a backup of another format, and a damaged backup;
// with acceptMissing it accepts faults of files.
func readBackup(z *zip.ReadCloser, acceptMissing bool) (*Backup, error) {
	var m backupManifest
	if err := readDescription(z, backupManifestName, &m); isMissing(err) {
		if hasEntry(z, exportManifestName) {
			return nil, errors.New("it is the export of a workspace, and no backup: bugslice admin import takes it")
		}
		return nil, fmt.Errorf("it is no backup: it has no %s", backupManifestName)
	} else if err != nil {
		return nil, fmt.Errorf("%s cannot be read, and nothing was restored: %w", backupManifestName, err)
	}
	if m.Format < 1 || m.Format > backupFormat {
		return nil, fmt.Errorf("it is a backup of format %d, which this version does not read", m.Format)
	}
	c, err := checkBackup(z, m.Format)
	if err != nil {
		return nil, fmt.Errorf("it is damaged, and nothing was restored: %w", err)
	}
	return &Backup{c, m.Instance}, c.err(acceptMissing)
}

// Close closes the file.
func (b *Backup) Close() error { return b.z.Close() }

// Instance is the id of the instance whose backup it is, empty in early backups.
func (b *Backup) Instance() string { return b.instance }

// Losses says which files are lost.
func (b *Backup) Losses() []string { return b.losses }

// SecretKey returns the secret key of the instance, or a comma list of several.
func (b *Backup) SecretKey() (string, error) {
	f, err := b.z.Open(secretName)
	if err != nil {
		return "", fmt.Errorf("the backup has no secret: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 1<<16))
	return strings.TrimSpace(string(text)), err
}

// RestoreFiles stores the files with which nothing is wrong. Existing ones stay, and those that no record names are
// omitted.
func (b *Backup) RestoreFiles(ctx context.Context, blobs blob.Store) error {
	for name, f := range b.entries {
		key, ok := strings.CutPrefix(name, filesDir)
		if !ok || b.faults[name] != "" || !b.named[key] {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return err
		}
		_, err = blobs.Put(ctx, key, r)
		if errors.Is(err, blob.ErrExists) {
			err = nil
		}
		if err = errors.Join(err, r.Close()); err != nil {
			return fmt.Errorf("the file %s: %w", key, err)
		}
	}
	return nil
}

// RestoreRecords stores the records in an empty database, all or none. Attachments whose files are lost are omitted.
func (b *Backup) RestoreRecords(ctx context.Context, s *store.Store) error {
	return s.Load(ctx, func(table string) (io.ReadCloser, error) { return b.z.Open(tablesDir + table + ".ndjson") },
		b.lost)
}
