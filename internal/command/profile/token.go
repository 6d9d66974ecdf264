package profile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/pelletier/go-toml/v2"
	"github.com/zalando/go-keyring"
)

// Where a token is stored.
const (
	inKeyring = "keyring"
	inFile    = "file"
)

const service = "bugslice"

// hasKeyring reports whether the system may have a keyring. On Linux it is asked over the bus of the session alone:
// none is started.
func (s *Store) hasKeyring() bool {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return true
	}
	if s.env["DBUS_SESSION_BUS_ADDRESS"] != "" {
		return true
	}
	_, err := os.Stat(filepath.Join(s.env["XDG_RUNTIME_DIR"], "bus"))
	return err == nil && s.env["XDG_RUNTIME_DIR"] != ""
}

func (s *Store) tokenFile() string { return filepath.Join(s.dir, "tokens.toml") }

// setToken stores a token, and returns where.
func (s *Store) setToken(name, token string) (storage string, err error) {
	if s.hasKeyring() && keyring.Set(service, name, token) == nil {
		return inKeyring, nil
	}
	tokens, err := s.tokens()
	if err != nil {
		return "", err
	}
	tokens[name] = token
	return inFile, s.saveTokens(tokens)
}

// token returns the token of a profile, or ErrNotSignedIn.
func (s *Store) token(name string, p Profile) (token string, err error) {
	if p.Storage == inKeyring {
		token, err = keyring.Get(service, name)
		if err != nil && !errors.Is(err, keyring.ErrNotFound) {
			return "", fmt.Errorf("the keyring of the system does not answer: %w", err)
		}
	} else {
		var tokens map[string]string
		if tokens, err = s.tokens(); err != nil {
			return "", err
		}
		token = tokens[name]
	}
	if token == "" {
		return "", ErrNotSignedIn
	}
	return token, nil
}

func (s *Store) removeToken(name string, p Profile) error {
	if p.Storage == inKeyring {
		if err := keyring.Delete(service, name); err != nil && !errors.Is(err, keyring.ErrNotFound) {
			return fmt.Errorf("the keyring of the system does not answer: %w", err)
		}
		return nil
	}
	tokens, err := s.tokens()
	if err != nil {
		return err
	}
	delete(tokens, name)
	return s.saveTokens(tokens)
}

func (s *Store) tokens() (map[string]string, error) {
	tokens := map[string]string{}
	text, err := os.ReadFile(s.tokenFile())
	if errors.Is(err, os.ErrNotExist) {
		return tokens, nil
	}
	if err == nil && toml.Unmarshal(text, &tokens) != nil {
		err = fmt.Errorf("%s is no TOML; remove it and sign in again", s.tokenFile()) // the cause may contain a token
	}
	return tokens, err
}

func (s *Store) saveTokens(tokens map[string]string) error {
	if len(tokens) == 0 {
		err := os.Remove(s.tokenFile())
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		return err
	}
	text, err := toml.Marshal(tokens)
	if err != nil {
		return err
	}
	return writePrivate(s.tokenFile(), text)
}

// closeTokenFile takes the file of tokens from others, and returns a warning when they could read it.
func (s *Store) closeTokenFile() (warning string) {
	info, err := os.Stat(s.tokenFile())
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0 {
		return ""
	}
	if err := os.Chmod(s.tokenFile(), 0o600); err != nil {
		return "Others can read " + s.tokenFile() + ", which has your token, and its mode cannot be changed: " + err.Error()
	}
	return "Others could read " + s.tokenFile() + ", which has your token. Its mode is 0600 now; create a new key if " +
		"somebody may have read it."
}
