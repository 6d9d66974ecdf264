// Package secret encrypts with the master keys of an instance. It derives one key for each purpose (HKDF-SHA-256), for
// authenticated encryption (XChaCha20-Poly1305). No error of this package contains key material.
package secret

import (
	"bytes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/crypto/chacha20poly1305"
)

const size = 32

// Ring consists of master keys. The first one encrypts, and all decrypt, so that a key is rotated by a new one before
// it.
type Ring struct {
	masters [][]byte
	aeads   sync.Map // aeadKey to cipher.AEAD
}

// Format writes no key material for any verb.
func (r *Ring) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "secret.Ring of %d", len(r.masters))
}

type aeadKey struct {
	master  int
	purpose string
}

// Parse parses keys of 64 hexadecimal characters, separated by commas.
func Parse(list string) (*Ring, error) {
	r := &Ring{}
	for i, text := range strings.Split(list, ",") {
		key, err := hex.DecodeString(strings.TrimSpace(text))
		if err != nil || len(key) != size {
			return nil, fmt.Errorf("secret key %d of the list must be %d hexadecimal characters", i+1, 2*size)
		}
		r.masters = append(r.masters, key)
	}
	return r, nil
}

// NewKey returns a new key of 64 hexadecimal characters.
func NewKey() string {
	key := make([]byte, size)
	_, _ = rand.Read(key)
	return hex.EncodeToString(key)
}

// Load parses the keys in env, or in the file at path when env is empty. It creates the file with a new key and mode
// 0600 when there is none, and refuses a file that other users can read.
func Load(env, path string) (*Ring, error) {
	if env != "" {
		return Parse(env)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := Create(path, NewKey()); err != nil {
			return nil, err
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return nil, fmt.Errorf("%s contains the secret key, and other users can read it (mode %04o): chmod 600 %s",
			path, mode, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r, err := Parse(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// Create durably and atomically creates a file with a list of keys. It leaves an existing file unchanged.
func Create(path, list string) error {
	return write(path, list, func(temporary string) error {
		if err := os.Link(temporary, path); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		return nil
	})
}

// AddKey durably and atomically writes a new key before the keys of a file. The owner of the file stays. Concurrent
// calls add a key each. It removes the temporary files of a process that was killed.
func AddKey(path string) error {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	if err := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	if err := removeTemporary(dir.Name()); err != nil {
		return err
	}
	former, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return write(path, NewKey()+","+strings.TrimSpace(string(former)), func(temporary string) error {
		if owner, ok := info.Sys().(*syscall.Stat_t); ok && os.Geteuid() == 0 {
			if err := os.Chown(temporary, int(owner.Uid), int(owner.Gid)); err != nil {
				return err
			}
		}
		return os.Rename(temporary, path)
	})
}

const temporaryPattern = ".secret-*"

// removeTemporary removes the temporary files in a directory.
func removeTemporary(dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, temporaryPattern))
	for _, name := range names {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

// write writes a list of keys to a temporary file beside path, and durably publishes it.
func write(path, list string, publish func(temporary string) error) error {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, temporaryPattern) // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(list + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := publish(f.Name()); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Includes reports whether the ring has every key of another one, so that it opens everything that the other sealed.
func (r *Ring) Includes(other *Ring) bool {
	for _, key := range other.masters {
		if !slices.ContainsFunc(r.masters, func(k []byte) bool { return bytes.Equal(k, key) }) {
			return false
		}
	}
	return true
}

// Seal encrypts plaintext. Open needs the same purpose and the same additional data.
func (r *Ring) Seal(purpose string, plaintext, additional []byte) []byte {
	a := r.aead(0, purpose)
	nonce := make([]byte, a.NonceSize(), a.NonceSize()+len(plaintext)+a.Overhead())
	_, _ = rand.Read(nonce)
	return a.Seal(nonce, nonce, plaintext, additional)
}

var errOpen = errors.New("secret: sealed by another key, or altered")

// Open decrypts the result of Seal by any key of the ring.
func (r *Ring) Open(purpose string, sealed, additional []byte) ([]byte, error) {
	plaintext, _, err := r.open(purpose, sealed, additional)
	return plaintext, err
}

// KeyOf returns the position of the key that decrypts the result of Seal, negative for none.
func (r *Ring) KeyOf(purpose string, sealed, additional []byte) int {
	_, key, _ := r.open(purpose, sealed, additional)
	return key
}

// Len returns the number of keys.
func (r *Ring) Len() int { return len(r.masters) }

func (r *Ring) open(purpose string, sealed, additional []byte) (plaintext []byte, key int, err error) {
	for i := range r.masters {
		a := r.aead(i, purpose)
		if len(sealed) < a.NonceSize() {
			break
		}
		plaintext, err := a.Open(nil, sealed[:a.NonceSize()], sealed[a.NonceSize():], additional)
		if err == nil {
			return plaintext, i, nil
		}
	}
	return nil, -1, errOpen
}

// Digests returns the HMAC-SHA-256 of a text for a purpose by each key of the ring, in order. Without a key, a digest
// cannot be compared with the digest of a guessed text.
func (r *Ring) Digests(purpose, text string) [][]byte {
	all := make([][]byte, len(r.masters))
	for i := range r.masters {
		mac := hmac.New(sha256.New, r.derive(i, purpose))
		_, _ = mac.Write([]byte(text)) // never fails
		all[i] = mac.Sum(nil)
	}
	return all
}

// derive returns the key of a purpose that is derived from a master key.
func (r *Ring) derive(master int, purpose string) []byte {
	derived, err := hkdf.Key(sha256.New, r.masters[master], nil, "bugslice "+purpose, size)
	if err != nil {
		panic(err) // the lengths are constants
	}
	return derived
}

func (r *Ring) aead(master int, purpose string) cipher.AEAD {
	key := aeadKey{master, purpose}
	if a, ok := r.aeads.Load(key); ok {
		return a.(cipher.AEAD)
	}
	a, err := chacha20poly1305.NewX(r.derive(master, purpose))
	if err != nil {
		panic(err)
	}
	r.aeads.Store(key, a)
	return a
}
