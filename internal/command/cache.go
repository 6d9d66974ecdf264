package command

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"bugslice/api"
)

// cacheTime is how long lists of names are kept for the commands that follow, and for completions.
const cacheTime = time.Minute

// cached reads a list, or takes it from a file that a command wrote less than a minute ago. The file belongs to the
// server and the token, and the user alone reads it. A list that cannot be stored is read each time.
func cached[T any](ctx context.Context, s *session, name string, in api.Input[api.Page[T]]) ([]T, error) {
	return cachedUpTo(ctx, s, name, in, 0)
}

// cachedPage is cached for the first page of a list.
func cachedPage[T any](ctx context.Context, s *session, name string, in api.Input[api.Page[T]]) ([]T, error) {
	return cachedUpTo(ctx, s, name, in, api.MaxLimit)
}

func cachedUpTo[T any](ctx context.Context, s *session, name string, in api.Input[api.Page[T]],
	limit int) (records []T, err error) {
	if _, err := s.client(); err != nil {
		return nil, err
	}
	file := s.cacheFile(name)
	if info, err := os.Stat(file); err == nil && time.Since(info.ModTime()) < cacheTime {
		text, err := os.ReadFile(file)
		if err == nil && json.Unmarshal(text, &records) == nil {
			return records, nil
		}
	}
	records, err = all(ctx, s, in, limit)
	if err != nil {
		return nil, err
	}
	if text, err := json.Marshal(records); err == nil && os.MkdirAll(filepath.Dir(file), 0o700) == nil {
		_ = os.WriteFile(file, text, 0o600)
	}
	return records, nil
}

// forget removes the cached lists, after something in them changed.
func (s *session) forget() { _ = os.RemoveAll(filepath.Dir(s.cacheFile(""))) }

func (s *session) cacheFile(name string) string {
	base := s.variables["XDG_CACHE_HOME"]
	if base == "" {
		base = filepath.Join(cmp.Or(s.variables["HOME"], os.TempDir()), ".cache")
	}
	sum := sha256.Sum256([]byte(s.credentials.URL + "\n" + s.credentials.Token))
	return filepath.Join(base, "bugslice", hex.EncodeToString(sum[:8]), name+".json")
}
