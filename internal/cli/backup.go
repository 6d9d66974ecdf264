package cli

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/blob"
	"bugslice/internal/secret"
	"bugslice/internal/store"
)

// A backup is one zip file: manifest.json, secret.key, tables/NAME.ndjson, files/…, and
// contents.ndjson, which says how large each of these is and which SHA-256 it has. It can be restored
// into either database.
const (
	manifestName     = "manifest.json"
	contentsName     = "contents.ndjson" // format 1 had none
	tablesDir        = "tables/"
	attachmentsTable = tablesDir + "attachments.ndjson"
	filesDir         = "files"
)

type manifest struct {
	Format    int       `json:"format"`
	Version   string    `json:"version"`
	Database  string    `json:"database"`
	CreatedAt time.Time `json:"createdAt"`
	Instance  string    `json:"instance,omitempty"` // whose backup it is
}

const backupFormat = 2

func newBackup(env environment, s Streams) *cobra.Command {
	var p instanceFlags
	var output string
	cmd := &cobra.Command{Use: "backup", Short: "Back up the database, the secret and the files to one file", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := ready(cmd, env, "output"); err != nil {
				return err
			}
			return p.withFiles(cmd.Context(), env, func(in *instance) error {
				var b backupWriter
				size, err := writeAtomically(cmd.Context(), output, func(z *zip.Writer) error {
					b.z = z
					return holdFiles(cmd.Context(), in.store, func() error { return writeBackup(cmd.Context(), in, p.data, env, &b) })
				})
				if err != nil {
					return err
				}
				fmt.Fprintf(s.Out, "Wrote %s (%d bytes). It holds the secret key: keep it safe.\n", output, size)
				if n := len(b.missing); n > 0 {
					fmt.Fprintf(s.Out, "%d files that records name are missing: %s. bugslice collect tells of which attachments. "+
						"It restores with --accept-missing only.\n", n, listed(b.missing))
				}
				return nil
			})
		}}
	p.register(cmd)
	cmd.Flags().StringVar(&output, "output", "", "file to write; it must not exist")
	return cmd
}

// holdFiles has servers keep the bytes of files that are deleted while do runs, and a while longer.
func holdFiles(ctx context.Context, s *store.Store, do func() error) error {
	hold := func() error {
		return s.Write(ctx, func(tx *store.Tx) error { return tx.ExtendLease(store.BackupJob, api.At(time.Now().Add(2*holdEvery))) })
	}
	if err := hold(); err != nil {
		return err
	}
	again := time.NewTicker(holdEvery)
	done := make(chan struct{})
	var failed error
	var work sync.WaitGroup
	work.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-again.C:
				failed = errors.Join(failed, hold())
			}
		}
	})
	err := do()
	again.Stop()
	close(done)
	work.Wait()
	return errors.Join(err, failed)
}

const holdEvery = 5 * time.Minute

// writeBackup writes what the records name, and no files that somebody has deleted.
func writeBackup(ctx context.Context, in *instance, data string, env environment, b *backupWriter) error {
	w, err := b.create(manifestName)
	if err != nil {
		return err
	}
	i, err := in.store.Read(ctx).Instance()
	if err != nil {
		return err
	}
	if err := json.NewEncoder(w).Encode(manifest{backupFormat, version(), in.store.Engine(), time.Now().UTC(), i.ID}); err != nil {
		return err
	}
	key := []byte(env[envSecret] + "\n")
	if env[envSecret] == "" {
		if key, err = os.ReadFile(filepath.Join(data, secretName)); err != nil {
			return err
		}
	}
	if w, err = b.create(secretName); err != nil {
		return err
	}
	if _, err := w.Write(key); err != nil {
		return err
	}
	keys, err := in.store.Dump(ctx, func(table string) (io.Writer, error) { return b.create(tablesDir + table + ".ndjson") })
	if err != nil {
		return err
	}
	// Nothing that the records name is removed while the files are held.
	for _, key := range keys {
		if err := b.file(ctx, in.blobs, key); err != nil {
			return fmt.Errorf("the file %s: %w", key, err)
		}
	}
	return b.finish()
}

// file writes a file that a record names, or notes that it is missing.
func (b *backupWriter) file(ctx context.Context, blobs blob.Store, key string) error {
	r, err := blobs.Open(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		b.missing = append(b.missing, key)
		return nil
	}
	if err != nil {
		return err
	}
	w, err := b.create(filesDir + "/" + key)
	if err == nil {
		_, err = io.Copy(w, r)
	}
	return errors.Join(err, r.Close())
}

func newRestore(env environment, s Streams) *cobra.Command {
	var p instanceFlags
	var acceptMissing bool
	cmd := &cobra.Command{Use: "restore FILE", Short: "Restore a backup into an empty database",
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := ready(cmd, env); err != nil {
				return err
			}
			if err := p.validate(); err != nil {
				return err
			}
			losses, err := restore(cmd.Context(), &p, env, args[0], acceptMissing)
			if err != nil {
				return err
			}
			fmt.Fprintln(s.Out, "Restored "+args[0]+".")
			if len(losses) > 0 {
				fmt.Fprintf(s.Out, "%d files are lost, and no record names them any more:\n  %s\n",
					len(losses), strings.Join(losses, "\n  "))
			}
			return nil
		}}
	p.register(cmd)
	cmd.Flags().BoolVar(&acceptMissing, "accept-missing", false,
		"restore a backup of which files are missing or damaged, without those files, and list them")
	return cmd
}

// restore restores a whole backup, or with acceptMissing the rest of one, and returns what is lost.
func restore(ctx context.Context, p *instanceFlags, env environment, file string, acceptMissing bool) ([]string, error) {
	z, c, err := openBackup(file, acceptMissing)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	if err := os.MkdirAll(p.data, 0o700); err != nil {
		return nil, err
	}
	if err := restoreSecret(z, p.data, env); err != nil {
		return nil, err
	}
	return c.losses, p.openOrCreate(ctx, env, func(in *instance) error {
		all, err := in.store.Read(ctx).Organizations()
		if err == nil && len(all) == 0 { // the records are loaded last, in one transaction: an interrupted restore can be repeated
			if err = p.fileError(in.operator.RestoreFiles(ctx, c.instance)); err == nil {
				err = restoreFiles(ctx, c, in.blobs)
			}
			if err == nil {
				open := func(table string) (io.ReadCloser, error) { return z.Open(tablesDir + table + ".ndjson") }
				err = in.store.Load(ctx, open, c.lost)
			}
		}
		if len(all) > 0 || errors.Is(err, store.ErrNotEmpty) {
			return errors.New("the database already has an organisation; nothing was changed. Restore into an empty one")
		}
		return err
	})
}

// openBackup opens a backup that is what it was when it was written, but for files where that is accepted.
func openBackup(file string, acceptMissing bool) (*zip.ReadCloser, *backupCheck, error) {
	z, err := zip.OpenReader(file)
	if err != nil {
		return nil, nil, fmt.Errorf("%s is no backup: %w", file, err)
	}
	c, err := readBackup(z, acceptMissing)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", file, err), z.Close())
	}
	return z, c, nil
}

func readBackup(z *zip.ReadCloser, acceptMissing bool) (*backupCheck, error) {
	var m manifest
	if err := readDescription(z, manifestName, &m); errors.Is(err, fs.ErrNotExist) {
		if readDescription(z, exportName, &m) == nil {
			return nil, errors.New("it is the export of a workspace, and no backup: bugslice import takes it")
		}
		return nil, fmt.Errorf("it is no backup: it has no %s", manifestName)
	} else if err != nil {
		return nil, fmt.Errorf("%s cannot be read, and nothing was restored: %w", manifestName, err)
	}
	if m.Format < 1 || m.Format > backupFormat {
		return nil, fmt.Errorf("it is a backup of format %d, which this version does not read", m.Format)
	}
	c, err := checkBackup(z, m.Format)
	if err != nil {
		return nil, fmt.Errorf("it is damaged, and nothing was restored: %w", err)
	}
	c.instance = m.Instance
	return c, c.refused(acceptMissing)
}

// restoreSecret puts the backup's secret in place. Where another one is in force that lacks a key
// of it, the restoring is refused: what the backup holds could not be decrypted.
func restoreSecret(z *zip.ReadCloser, data string, env environment) error {
	f, err := z.Open(secretName)
	if err != nil {
		return fmt.Errorf("the backup has no secret: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 1<<16))
	if err != nil {
		return err
	}
	list := strings.TrimSpace(string(text))
	saved, err := secret.Parse(list)
	if err != nil {
		return fmt.Errorf("the backup's secret: %w", err)
	}
	source, path := envSecret, filepath.Join(data, secretName)
	if env[envSecret] == "" {
		source = path
		if err := secret.Create(path, list); err != nil {
			return err
		}
	}
	have, err := secret.Load(env[envSecret], path)
	if err == nil && !have.Holds(saved) {
		err = fmt.Errorf("%s lacks a key of the backup, which is needed to decrypt its secrets; restore into an empty data directory, "+
			"or append the keys of the backup's %s to yours, separated by commas", source, secretName)
	}
	return err
}

// restoreFiles puts the files of a backup with which nothing is wrong into the directory or the bucket.
// What is there stays, and what no record names is left out.
func restoreFiles(ctx context.Context, c *backupCheck, blobs blob.Store) error {
	for name, f := range c.entries {
		key, ok := strings.CutPrefix(name, filesDir+"/")
		if !ok || c.faults[name] != "" || !c.named[key] {
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
