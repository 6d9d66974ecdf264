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

// masterSecret loads the master secret. It creates one only when the database holds nothing that another one
// encrypted, and refuses one that does not decrypt all of it.
func (f *instanceFlags) masterSecret(ctx context.Context, env environment, s *store.Store) (*secret.Ring, error) {
	const remedy = "Restore the file from a backup or set the variable. If the key is lost, bugslice secret reset replaces the secrets"
	path := filepath.Join(f.data, secretName)
	sealed, err := s.Read(ctx).SealedSecrets(api.At(time.Now()))
	if err != nil {
		return nil, err
	}
	_, missing := os.Stat(path)
	if len(sealed) > 0 && env[envSecret] == "" && errors.Is(missing, fs.ErrNotExist) && !f.ignoreLostSecrets {
		return nil, fmt.Errorf("%s is missing and %s is not set, but the database holds %d webhook secrets that such a key encrypted. %s",
			path, envSecret, len(sealed), remedy)
	}
	ring, err := secret.Load(env[envSecret], path)
	if err != nil {
		return nil, err
	}
	if lost := tracker.LostSecrets(ring, sealed); len(lost) > 0 && !f.ignoreLostSecrets {
		return nil, fmt.Errorf("the key in %s or %s does not decrypt %d of the %d webhook secrets in the database: "+
			"it belongs to another instance, or a former key is missing from its list. %s", path, envSecret, len(lost), len(sealed), remedy)
	}
	return ring, nil
}
