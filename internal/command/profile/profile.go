// Package profile knows which server a client calls, and with which token.
//
// The variables BUGSLICE_URL and BUGSLICE_TOKEN take precedence over the profiles that were signed in, and are never
// written. A profile has the address of a server in config.toml, which has no secret; its token is in the keyring of
// the system or, where there is none, in a file that the user alone reads. A token is sent to the server alone for
// which it was stored: BUGSLICE_URL without BUGSLICE_TOKEN takes the token of the profile with that address, and of
// no other.
package profile

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// The variables of a client.
const (
	EnvURL       = "BUGSLICE_URL"
	EnvToken     = "BUGSLICE_TOKEN"
	EnvProfile   = "BUGSLICE_PROFILE"
	EnvWorkspace = "BUGSLICE_WORKSPACE"
)

// Environment has the variables of the process by name.
type Environment map[string]string

// NewEnvironment returns the variables of a list such as that of os.Environ.
func NewEnvironment(environ []string) Environment {
	e := Environment{}
	for _, pair := range environ {
		if name, value, ok := strings.Cut(pair, "="); ok {
			e[name] = value
		}
	}
	return e
}

// Profile is a server that somebody signed in to.
type Profile struct {
	URL     string `toml:"url"`
	User    string `toml:"user,omitempty"`    // e-mail address or name, for people
	Storage string `toml:"storage,omitempty"` // of the token: keyring or file
}

// Config has the profiles. It is the file config.toml.
type Config struct {
	Current  string             `toml:"current,omitempty"`
	Profiles map[string]Profile `toml:"profiles,omitempty"`
}

// Credentials are the server that a command calls, and its token.
type Credentials struct {
	Profile string // empty when variables name the server and the token
	URL     string
	Token   string
	Source  string // of the token: environment, keyring or file
	Warning string // about the file of the token, which others could read; empty without one
}

// ErrNotSignedIn says that there are no credentials.
var ErrNotSignedIn = errors.New("not signed in")

// Store keeps the profiles of a user.
type Store struct {
	env Environment
	dir string
}

// NewStore returns the store in the folder for configuration that the environment names.
func NewStore(env Environment) *Store {
	base := env["XDG_CONFIG_HOME"]
	if base == "" && env["APPDATA"] != "" {
		base = env["APPDATA"]
	}
	if base == "" {
		base = filepath.Join(cmp.Or(env["HOME"], "."), ".config")
	}
	return &Store{env, filepath.Join(base, "bugslice")}
}

// Load returns the profiles; none when there is no file.
func (s *Store) Load() (Config, error) {
	c := Config{Profiles: map[string]Profile{}}
	text, err := os.ReadFile(s.configFile())
	if errors.Is(err, os.ErrNotExist) {
		return c, nil
	}
	if err == nil {
		err = toml.Unmarshal(text, &c)
	}
	if err != nil {
		return c, fmt.Errorf("%s: %w", s.configFile(), err)
	}
	if c.Profiles == nil {
		c.Profiles = map[string]Profile{}
	}
	return c, nil
}

func (s *Store) configFile() string { return filepath.Join(s.dir, "config.toml") }

func (s *Store) save(c Config) error {
	text, err := toml.Marshal(c)
	if err != nil {
		return err
	}
	return writePrivate(s.configFile(), text)
}

// writePrivate replaces a file that the user alone reads.
func writePrivate(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*") // of mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// Credentials returns the server and the token of a command. name is the profile that a flag chooses; empty for the
// variable's, or the current one. The error is ErrNotSignedIn when there is no token.
func (s *Store) Credentials(name string) (Credentials, error) {
	address := Address(s.env[EnvURL])
	if token := s.env[EnvToken]; token != "" && address != "" {
		return Credentials{URL: address, Token: token, Source: "environment"}, nil
	}
	c, err := s.Load()
	if err != nil {
		return Credentials{}, err
	}
	name = c.choose(cmp.Or(name, s.env[EnvProfile]), address)
	p, ok := c.Profiles[name]
	if !ok || address != "" && p.URL != address {
		return Credentials{URL: address}, ErrNotSignedIn
	}
	found := Credentials{Profile: name, URL: p.URL, Token: s.env[EnvToken], Source: "environment"}
	if found.Token == "" {
		found.Source = p.Storage
		if p.Storage != inKeyring {
			found.Warning = s.closeTokenFile()
		}
		found.Token, err = s.token(name, p)
	}
	return found, err
}

// choose returns the name of the profile that is asked for or, without one, of that with an address, or the current
// one.
func (c Config) choose(name, address string) string {
	if name != "" || address == "" {
		return cmp.Or(name, c.Current)
	}
	if c.Profiles[c.Current].URL == address {
		return c.Current
	}
	for _, other := range slices.Sorted(maps.Keys(c.Profiles)) {
		if c.Profiles[other].URL == address {
			return other
		}
	}
	return ""
}

// Address returns the address of a server in one form: with its scheme, https where there is none, and without a
// slash at its end.
func Address(text string) string {
	if text = strings.TrimRight(strings.TrimSpace(text), "/"); text == "" {
		return ""
	}
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	return text
}

// Name returns the name of a profile for the server at an address: its host.
func Name(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return address
}

// Add stores a profile with its token, and makes it the current one. file is where the token is; empty for the keyring.
func (s *Store) Add(name string, p Profile, token string) (file string, err error) {
	c, err := s.Load()
	if err != nil {
		return "", err
	}
	if p.Storage, err = s.setToken(name, token); err != nil {
		return "", err
	}
	c.Profiles[name], c.Current = p, name
	if p.Storage == inFile {
		file = s.tokenFile()
	}
	return file, s.save(c)
}

// Switch makes a profile the current one.
func (s *Store) Switch(name string) error {
	c, err := s.Load()
	if err != nil {
		return err
	}
	c.Current = name
	return s.save(c)
}

// Remove forgets a profile and its token. Another one becomes the current one when it is the only one left.
func (s *Store) Remove(name string) error {
	c, err := s.Load()
	if err != nil {
		return err
	}
	err = s.removeToken(name, c.Profiles[name])
	delete(c.Profiles, name)
	if c.Current == name {
		c.Current = ""
		if len(c.Profiles) == 1 {
			c.Current = slices.Collect(maps.Keys(c.Profiles))[0]
		}
	}
	return errors.Join(err, s.save(c))
}
