package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"bugslice/api"
	"bugslice/internal/blob"
	"bugslice/internal/operator"
	"bugslice/internal/secret"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// environment is the BUGSLICE_… part of the environment. Every flag is also a variable
// there: --base-url is BUGSLICE_BASE_URL. An empty variable is like none.
type environment map[string]string

const (
	envPrefix   = "BUGSLICE_"
	envSecret   = "BUGSLICE_SECRET_KEY" // 64 hexadecimal characters, or a comma list of such
	envPassword = "BUGSLICE_PASSWORD"   // of a user that is added
	envTests    = "BUGSLICE_TEST_"      // the project's own tests
)

// secretName is the file of the secret key in the data directory.
const secretName = "secret.key"

func newEnvironment(environ []string) environment {
	e := environment{}
	for _, pair := range environ {
		if name, value, ok := strings.Cut(pair, "="); ok && value != "" && strings.HasPrefix(name, envPrefix) {
			e[name] = value
		}
	}
	return e
}

func variable(flag string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// settings are the variables that other commands know: they are no mistake of this one.
var settings = []string{"listen", "data", "database-url", "base-url", "rate-limit", "demo", "trusted-proxies", "metrics-listen", "webhook-allow", "event-retention", "blob-url", "max-upload", "workspace-quota",
	"daily-slices", "min-free-disk"}

// apply sets the flags that the command line left out from the environment. A variable
// that no flag stands for is refused: a mistyped setting must not be ignored.
func (e environment) apply(cmd *cobra.Command) error {
	names := make([]string, 0, len(e))
	for name := range e {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if name == envSecret || name == envPassword || strings.HasPrefix(name, envTests) {
			continue
		}
		var flag *pflag.Flag
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if variable(f.Name) == name {
				flag = f
			}
		})
		if flag == nil {
			if slices.ContainsFunc(settings, func(s string) bool { return variable(s) == name }) {
				continue
			}
			return usagef("the environment sets %s, which is no setting of bugslice; serve --help lists them", name)
		}
		if flag.Changed {
			continue
		}
		if err := cmd.Flags().Set(flag.Name, e[name]); err != nil {
			return usagef("%s: %w", name, unfit(err))
		}
	}
	return nil
}

// unfit says what a flag takes, in place of how its value could not be read.
func unfit(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	f := invalid.GetFlag()
	takes, known := map[string]string{"int": "a whole number", "int64": "a whole number", "duration": "a time such as 24h or 30m", "bool": "true or false"}[f.Value.Type()]
	if !known {
		return err
	}
	return fmt.Errorf("--%s must be %s (%s), not %q", f.Name, takes, f.Usage, invalid.GetValue())
}

// flagTable writes the one table of flag, variable and default.
func flagTable(cmd *cobra.Command) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "FLAG\tVARIABLE\tDEFAULT\tMEANING")
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" {
			return
		}
		value := f.DefValue
		if value == "" || value == "[]" {
			value = "-"
		}
		fmt.Fprintf(w, "--%s\t%s\t%s\t%s\n", f.Name, variable(f.Name), value, f.Usage)
	})
	fmt.Fprintf(w, "-\t%s\t%s\t%s\n", envSecret, "DATA/secret.key", "master secret, 64 hexadecimal characters; a comma list rotates it")
	_ = w.Flush()
	return b.String()
}

// place is where an instance keeps its records.
type place struct {
	data, databaseURL, blobURL string
	tracker                    tracker.Options // what a command sets beside the place
	loseSecrets                bool            // go on without the key of secrets in the database
}

func (p *place) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.data, "data", "./data", "directory of database, secret and files")
	cmd.Flags().StringVar(&p.blobURL, "blob-url", "", "s3://bucket/prefix for files; the data directory when left out")
	cmd.Flags().StringVar(&p.databaseURL, "database-url", "", "postgres://…; SQLite in the data directory when left out")
}

func (p *place) options() store.Options {
	if p.databaseURL != "" {
		return store.Options{URL: p.databaseURL}
	}
	return store.Options{Path: filepath.Join(p.data, "bugslice.db")}
}

func (p *place) check() error {
	if p.data == "" {
		return usagef("--data must name a directory")
	}
	if p.databaseURL == "" {
		return nil
	}
	u, err := url.Parse(p.databaseURL)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return usagef("--database-url must be postgres://user:password@host:port/database")
	}
	return nil
}

// open migrates and opens an instance. The caller closes its store.
func (p *place) open(ctx context.Context, env environment, baseURL string, log *slog.Logger) (*instance, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(p.data, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the data directory: %w", err)
	}
	if env[envSecret] != "" {
		if _, err := secret.Parse(env[envSecret]); err != nil {
			return nil, err
		}
	}
	if _, err := store.Migrate(ctx, p.options()); err != nil {
		return nil, err
	}
	s, err := store.Open(p.options())
	if err != nil {
		return nil, err
	}
	secrets, err := p.secrets(ctx, env, s)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	blobs, err := blob.Open(p.blobURL, p.filesDir(), os.Getenv)
	if err != nil {
		return nil, errors.Join(usagef("--blob-url: %v", err), s.Close())
	}
	o := p.tracker
	o.Blobs = blobs
	o.Store, o.Secrets, o.BaseURL, o.Log = s, secrets, baseURL, log
	t, authority := tracker.New(o)
	return &instance{store: s, blobs: blobs, tracker: t, operator: operator.Operator{Operator: authority}}, nil
}

// secrets reads the master secret, and makes one where there is nothing that was encrypted with
// another. A key that is missing, or does not decrypt what is in the database, is an error.
func (p *place) secrets(ctx context.Context, env environment, s *store.Store) (*secret.Ring, error) {
	path := filepath.Join(p.data, secretName)
	sealed, err := s.Read(ctx).SealedSecrets(api.At(time.Now()))
	if err != nil {
		return nil, err
	}
	const wayOut = "Put the file back from a backup or set the variable. Where the key is lost, bugslice secret reset goes on without it"
	_, missing := os.Stat(path)
	if len(sealed) > 0 && env[envSecret] == "" && errors.Is(missing, fs.ErrNotExist) && !p.loseSecrets {
		return nil, fmt.Errorf("%s is missing and %s is not set, but the database holds secrets of webhooks that were encrypted with such a key (%d). %s", path, envSecret, len(sealed), wayOut)
	}
	ring, err := secret.Load(env[envSecret], path)
	if err != nil {
		return nil, err
	}
	if lost := tracker.LostSecrets(ring, sealed); len(lost) > 0 && !p.loseSecrets {
		return nil, fmt.Errorf("the key of %s, or of %s, does not decrypt all secrets of webhooks in the database (%d of %d): it is another instance's, or lacks a former key of its list. %s", path, envSecret, len(lost), len(sealed), wayOut)
	}
	return ring, nil
}

type instance struct {
	blobs    blob.Store
	store    *store.Store
	tracker  *tracker.Tracker
	operator operator.Operator
}

// found refuses a place where there is no instance, and makes nothing there: what was mistyped
// must not begin another one.
func (p *place) found(ctx context.Context, env environment) error {
	if err := p.check(); err != nil {
		return err
	}
	if env[envSecret] != "" {
		if _, err := secret.Parse(env[envSecret]); err != nil {
			return err
		}
	}
	there, err := store.Exists(ctx, p.options())
	if err != nil {
		return err
	}
	if !there {
		return p.noData(nil)
	}
	if _, err := os.Stat(filepath.Join(p.data, secretName)); env[envSecret] == "" && errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no %s in %s (--data), and %s is not set", secretName, p.data, envSecret)
	}
	return nil
}

// noData says that there is no instance, or why that cannot be told.
func (p *place) noData(err error) error {
	const begin = "bugslice serve and bugslice bootstrap begin one"
	switch {
	case err != nil:
		return err
	case p.databaseURL != "":
		return fmt.Errorf("there is no Bugslice data in the database of --database-url; %s", begin)
	}
	return fmt.Errorf("there is no Bugslice data in %s (--data); %s", p.data, begin)
}

// with runs fn on an instance that is there, and closes it.
func (p *place) with(ctx context.Context, env environment, fn func(*instance) error) error {
	if err := p.found(ctx, env); err != nil {
		return err
	}
	return p.begin(ctx, env, fn)
}

// withFiles is with for commands that read or write files: it refuses those of another instance.
func (p *place) withFiles(ctx context.Context, env environment, fn func(*instance) error) error {
	return p.with(ctx, env, func(in *instance) error {
		if err := p.aboutFiles(in.tracker.BindFiles(ctx)); err != nil {
			return err
		}
		return fn(in)
	})
}

// beginNew is begin for commands that make an organisation: a new instance is not begun beside files.
func (p *place) beginNew(ctx context.Context, env environment, fn func(*instance) error) error {
	return p.begin(ctx, env, func(in *instance) error {
		if err := p.aboutFiles(in.tracker.CheckNewFiles(ctx)); err != nil {
			return err
		}
		return fn(in)
	})
}

// aboutFiles says of an error where the files are looked for.
func (p *place) aboutFiles(err error) error {
	if err == nil {
		return nil
	}
	if p.blobURL != "" {
		return fmt.Errorf("files in %s (--blob-url): %w", p.blobURL, err)
	}
	return fmt.Errorf("files in %s (--data): %w", p.filesDir(), err)
}

func (p *place) filesDir() string { return filepath.Join(p.data, "files") }

// begin runs fn on an instance that it makes where there is none, and closes it.
func (p *place) begin(ctx context.Context, env environment, fn func(*instance) error) error {
	in, err := p.open(ctx, env, "", nil)
	if err != nil {
		return err
	}
	return errors.Join(fn(in), in.store.Close())
}
