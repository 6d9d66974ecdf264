package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"bugslice/api"
	"bugslice/internal/secret"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// secretName is the file of the master secret in the data directory, and in a backup.
const secretName = "secret.key"

// checkSecret validates the master secret of the environment, if it sets one.
func (e environment) checkSecret() error {
	if e[envSecret] == "" {
		return nil
	}
	_, err := secret.Parse(e[envSecret])
	return err
}

// masterSecret loads the master secret, and creates it in a new instance. It refuses a secret that is missing or does
// not decrypt every secret in the database, unless ignoreLostSecrets is set.
func (f *instanceFlags) masterSecret(ctx context.Context, env environment, s *store.Store) (*secret.Ring, error) {
	const remedy = "Restore the file from a backup or set the variable. " +
		"If the key is lost, bugslice admin secret reset replaces the secrets"
	encrypted, err := s.Read(ctx).Sealed().All(api.At(time.Now()))
	if err != nil {
		return nil, err
	}
	path := filepath.Join(f.data, secretName)
	if len(encrypted) > 0 && !f.ignoreLostSecrets && !hasSecret(env, path) {
		return nil, fmt.Errorf("%s is missing and %s is not set, but the database holds %s that such a key encrypted. %s",
			path, envSecret, count(len(encrypted), "secret"), remedy)
	}
	ring, err := secret.Load(env[envSecret], path)
	if err != nil {
		return nil, err
	}
	if lost := tracker.LostSecrets(ring, encrypted); len(lost) > 0 && !f.ignoreLostSecrets {
		return nil, fmt.Errorf("the key in %s or %s does not decrypt %d of %s in the database: it belongs to "+
			"another instance, or a former key is missing from its list. %s",
			path, envSecret, len(lost), count(len(encrypted), "secret"), remedy)
	}
	return ring, nil
}

// hasSecret reports whether the environment sets a master secret, or the file may contain one.
func hasSecret(env environment, path string) bool {
	_, err := os.Stat(path)
	return env[envSecret] != "" || !errors.Is(err, fs.ErrNotExist)
}
