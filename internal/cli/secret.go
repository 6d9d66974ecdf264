package cli

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/tree"
	"bugslice/internal/secret"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

func newSecret(env environment, s Streams) *cobra.Command {
	return tree.Group("secret", "Manage the master secret", newSecretStatus(env, s), newSecretRotate(env, s),
		newSecretReseal(env, s),
		newSecretReset(env, s))
}

func newSecretStatus(env environment, s Streams) *cobra.Command {
	var flags instanceFlags
	cmd := env.command("status", "Show the keys of the master secret, and how many stored secrets each has encrypted",
		func(ctx context.Context) error {
			if err := flags.requireExisting(ctx, env); err != nil {
				return err
			}
			return flags.printSecret(ctx, env, s.Out)
		})
	flags.register(cmd)
	return cmd
}

// printSecret prints a line for each key of the master secret. A fingerprint tells keys apart and reveals nothing of
// them.
func (f *instanceFlags) printSecret(ctx context.Context, env environment, out io.Writer) (err error) {
	path := filepath.Join(f.data, secretName)
	ring, err := secret.Load(env[envSecret], path)
	if err != nil {
		return err
	}
	db, err := store.Open(f.storeOptions())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	all, err := db.Read(ctx).Sealed().All(api.At(time.Now()))
	if err != nil {
		return err
	}
	if env[envSecret] != "" {
		path = envSecret
	}
	fmt.Fprintf(out, "The master secret is in %s.\n", path)
	counts, lost := tracker.SealedBy(ring, all)
	rows := [][]any{{"KEY", "FINGERPRINT", "SECRETS", "USE"}}
	for i, digest := range ring.Digests("fingerprint", "") {
		use := "encrypts and decrypts"
		if i > 0 {
			use = "decrypts, and compares the hashes of redacted values"
		}
		rows = append(rows, []any{i + 1, hex.EncodeToString(digest[:4]), counts[i], use})
	}
	if err := printTable(out, rows...); err != nil {
		return err
	}
	if lost > 0 {
		fmt.Fprintf(out, "Decrypted by no key: %s; bugslice admin secret reset replaces them.\n",
			count(lost, "secret"))
	}
	return nil
}

func newSecretRotate(env environment, s Streams) *cobra.Command {
	var flags instanceFlags
	cmd := env.command("rotate", "Add a new key to secret.key, which encrypts from the next start on",
		func(ctx context.Context) error {
			if env[envSecret] != "" {
				return tree.Usagef("%s holds the master secret, and no command changes it: put a new key and a comma "+
					"before the present ones, on every node, restart the nodes, and run bugslice admin secret reseal",
					envSecret)
			}
			if err := flags.requireExisting(ctx, env); err != nil {
				return err
			}
			path := filepath.Join(flags.data, secretName)
			if _, err := secret.Load("", path); err != nil {
				return err
			}
			if err := secret.AddKey(path); err != nil {
				return err
			}
			_, err := fmt.Fprintf(s.Out,
				"%s has a new first key. Now:\n  1. copy the file to every node, and restart every node;\n"+
					"  2. bugslice admin secret reseal encrypts the stored secrets under the new key;\n"+
					"  3. make a backup. The former keys stay in the file, because hashes of redacted values are compared "+
					"under them.\n", path)
			return err
		})
	flags.register(cmd)
	return cmd
}

func newSecretReseal(env environment, s Streams) *cobra.Command {
	var flags instanceFlags
	const short = "Encrypt the stored secrets under the first key of the master secret"
	cmd := env.command("reseal", short, func(ctx context.Context) error {
		if err := flags.requireExisting(ctx, env); err != nil {
			return err
		}
		if err := flags.refuseStaleServer(); err != nil {
			return err
		}
		return flags.openOrCreate(ctx, env, func(in *instance) error {
			n, err := in.operator.ResealSecrets(ctx)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(s.Out, "Encrypted under the first key: %s.\n", count(n, "secret"))
			return err
		})
	})
	cmd.Long = cmd.Short + `.

Run it when every node has been restarted with the new key: a node that does not have it could not sign deliveries any more.
On SQLite the command refuses to run beside a server that was started before secret.key was changed.`
	flags.register(cmd)
	return cmd
}

// refuseStaleServer refuses to run beside the server of an SQLite database that was started before the file of the
// master secret was changed.
func (f *instanceFlags) refuseStaleServer() error {
	changed, err := os.Stat(filepath.Join(f.data, secretName))
	if err != nil || f.databaseURL != "" {
		return nil // the secret is in the environment, or the nodes are elsewhere
	}
	unlock, err := f.lock()
	if err == nil {
		unlock()
		return nil
	}
	started, statErr := os.Stat(filepath.Join(f.data, lockName))
	if statErr == nil && changed.ModTime().After(started.ModTime()) {
		return errors.New("the server was started before secret.key was changed, and does not have the new key: restart it first")
	}
	return nil
}

func newSecretReset(env environment, s Streams) *cobra.Command {
	flags := instanceFlags{ignoreLostSecrets: true}
	cmd := env.command("reset", "Replace the secrets that cannot be decrypted, after the master secret was lost",
		func(ctx context.Context) error {
			if err := flags.validate(); err != nil {
				return err
			}
			if err := flags.requireDatabase(ctx); err != nil {
				return err
			}
			unlock, err := flags.lock()
			if err != nil {
				return err
			}
			defer unlock()
			return flags.openOrCreate(ctx, env, func(in *instance) error {
				replaced, err := in.operator.ReplaceLostSecrets(ctx)
				if err != nil {
					return err
				}
				if err := in.operator.RecordCommand(ctx, "admin secret reset"); err != nil {
					return err
				}
				return printReplaced(s.Out, replaced)
			})
		})
	flags.register(cmd)
	return cmd
}

// printReplaced lists whose secrets were replaced or removed.
func printReplaced(out io.Writer, r tracker.ReplacedSecrets) error {
	if len(r.Webhooks)+len(r.Users)+len(r.Organizations) == 0 {
		_, err := fmt.Fprintln(out, "Every secret can be decrypted: nothing was changed.")
		return err
	}
	list := func(ids []string, format, noun string) {
		if len(ids) > 0 {
			fmt.Fprintf(out, format+":\n%s\n", count(len(ids), noun), strings.Join(ids, "\n"))
		}
	}
	list(r.Users, "Lost and removed: the authenticator apps of %s, who can set up another one", "user")
	list(r.Organizations, "Lost and removed: the secrets of %s at the providers, which an admin enters again under Sign-in",
		"organisation")
	list(r.Webhooks, "Lost and replaced: the secrets of %s. The receivers refuse deliveries until "+
		"each secret is rotated (POST /v1/webhooks/ID/rotate-secret)", "webhook")
	return nil
}
