package cli

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/portable"
	"bugslice/internal/secret"
	"bugslice/internal/store"
)

func newBackup(env environment, s Streams) *cobra.Command {
	var flags instanceFlags
	var output string
	cmd := env.command("backup", "Back up the database, the secret and the files to one file",
		func(ctx context.Context) error {
			return flags.withFiles(ctx, env, func(in *instance) error {
				key, err := secretKey(flags.data, env)
				if err != nil {
					return err
				}
				if err := in.operator.RecordCommand(ctx, "backup"); err != nil {
					return err
				}
				var missing []string
				size, err := writeAtomically(ctx, output, func(z *zip.Writer) error {
					return withBackupLease(ctx, in.store, func() (err error) {
						missing, err = in.portable().Backup(ctx, key, z)
						return err
					})
				})
				if err != nil {
					return err
				}
				fmt.Fprintf(s.Out, "Wrote %s (%s). It holds the secret key: keep it safe.\n", output,
					count(size, "byte"))
				if len(missing) > 0 {
					fmt.Fprintf(s.Out, "Missing: %s that records name: %s. bugslice admin collect lists the attachments. "+
						"The backup requires restore --accept-missing.\n", count(len(missing), "file"),
						portable.List(missing))
				}
				return nil
			})
		}, "output")
	cmd.Example = "  bugslice backup --output bugslice.zip"
	flags.register(cmd)
	cmd.Flags().StringVar(&output, "output", "", "file to write; it must not exist")
	return cmd
}

// withBackupLease runs do while it holds the lease of a backup, during which servers remove no bytes of deleted
// files. It returns an error when the lease could not be extended. The lease is not released: it expires.
func withBackupLease(ctx context.Context, s *store.Store, do func() error) error {
	extend := func() error {
		return s.Write(ctx, func(tx *store.Tx) error {
			return tx.ExtendLease(store.BackupJob, api.At(time.Now().Add(2*leaseExtension)))
		})
	}
	if err := extend(); err != nil {
		return err
	}
	done := make(chan struct{})
	extended := make(chan error, 1)
	go func() {
		ticker := time.NewTicker(leaseExtension)
		defer ticker.Stop()
		var failed error
		for {
			select {
			case <-done:
				extended <- failed
				return
			case <-ticker.C:
				failed = errors.Join(failed, extend())
			}
		}
	}()
	err := do()
	close(done)
	return errors.Join(err, <-extended)
}

// leaseExtension is the time after which the lease of a backup is extended. The lease lasts twice as long.
const leaseExtension = 5 * time.Minute

// secretKey returns the secret key of an instance as a backup holds it.
func secretKey(data string, env environment) ([]byte, error) {
	if env[envSecret] != "" {
		return []byte(env[envSecret] + "\n"), nil
	}
	return os.ReadFile(filepath.Join(data, secretName))
}

func newRestore(env environment, s Streams) *cobra.Command {
	var flags instanceFlags
	var acceptMissing bool
	cmd := env.fileCommand("restore", "Restore a backup into an empty database",
		func(ctx context.Context, file string) error {
			if err := flags.validate(); err != nil {
				return err
			}
			if err := requireFiles(file); err != nil {
				return err
			}
			flags.progress = s.Err
			losses, err := flags.restore(ctx, env, file, acceptMissing)
			if err != nil {
				return err
			}
			fmt.Fprintln(s.Out, "Restored "+file+".")
			if len(losses) > 0 {
				fmt.Fprintf(s.Out, "Lost, and named by no record any more: %s:\n  %s\n",
					count(len(losses), "file"), strings.Join(losses, "\n  "))
			}
			return nil
		})
	cmd.Example = "  bugslice restore bugslice.zip --data /var/lib/bugslice"
	flags.register(cmd)
	cmd.Flags().BoolVar(&acceptMissing, "accept-missing", false,
		"restore a backup of which files are missing or damaged, without those files, and list them")
	return cmd
}

// restore restores a backup, and returns the files that it lacks. Unless acceptMissing, it refuses a backup of which
// files are missing or damaged.
func (f *instanceFlags) restore(ctx context.Context, env environment, file string, acceptMissing bool) (
	losses []string, err error,
) {
	b, err := portable.OpenBackup(file, acceptMissing)
	if err != nil {
		return nil, err
	}
	defer func() { _ = b.Close() }()
	if err := os.MkdirAll(f.data, 0o700); err != nil {
		return nil, err
	}
	if err := restoreSecret(b, f.data, env); err != nil {
		return nil, err
	}
	f.restored = b.Instance()
	err = f.openOrCreate(ctx, env, func(in *instance) error { return f.restoreInto(ctx, in, b) })
	if errors.Is(err, store.ErrNotEmpty) {
		err = errors.New("the database already has an organisation; nothing was changed. Restore into an empty one")
	}
	return b.Losses(), err
}

// restoreInto restores the files, then all records in one transaction, and then the index of reports. After an error
// of the first two the restore can be repeated, because the database is still empty. It returns store.ErrNotEmpty for
// a database that has an organisation.
func (f *instanceFlags) restoreInto(ctx context.Context, in *instance, b *portable.Backup) error {
	organizations, err := in.store.Read(ctx).Organizations()
	if err != nil {
		return err
	}
	if len(organizations) > 0 {
		return store.ErrNotEmpty
	}
	if err := f.fileError(in.operator.RestoreFiles(ctx, b.Instance())); err != nil {
		return err
	}
	if err := b.RestoreFiles(ctx, in.blobs); err != nil {
		return err
	}
	if err := b.RestoreRecords(ctx, in.store); err != nil {
		return err
	}
	if err := in.operator.RecordCommand(ctx, "restore"); err != nil {
		return err
	}
	return f.restoreIndex(ctx, in.store)
}

// restoreIndex builds the index of the restored reports, and checks it. A server goes on with an index that is left
// incomplete.
func (f *instanceFlags) restoreIndex(ctx context.Context, s *store.Store) error {
	if err := buildIndex(ctx, s, f.progress); err != nil {
		return fmt.Errorf("the records are restored, and the index of reports is not complete; bugslice serve goes on with it: %w", err)
	}
	c, err := checkIndex(ctx, s, f.progress)
	if err == nil && c.Faults > 0 {
		err = fmt.Errorf("the records are restored, and the index of reports has faults; run bugslice admin reindex: %s", describeFaults(c))
	}
	return err
}

// restoreSecret stores the backup's secret keys in the data directory, unless it has a secret or the environment sets
// one. It refuses a backup of which that secret lacks a key: the secrets in the backup could not be decrypted.
func restoreSecret(b *portable.Backup, data string, env environment) error {
	keys, err := b.SecretKey()
	if err != nil {
		return err
	}
	backup, err := secret.Parse(keys)
	if err != nil {
		return fmt.Errorf("the backup's secret: %w", err)
	}
	path := filepath.Join(data, secretName)
	source := envSecret
	if env[envSecret] == "" {
		source = path
		if err := secret.Create(path, keys); err != nil {
			return err
		}
	}
	current, err := secret.Load(env[envSecret], path)
	if err != nil {
		return err
	}
	if !current.Includes(backup) {
		return fmt.Errorf("%s lacks a key of the backup, which is needed to decrypt its secrets; "+
			"restore into an empty data directory, or append the keys of the backup's %s to yours, separated by commas",
			source, secretName)
	}
	return nil
}
