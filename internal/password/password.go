// Package password hashes passwords with argon2id, which takes 19 MiB and about 30 ms of a core each time. A Hasher
// computes two hashes at once; the rest waits in a bounded queue.
package password

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
	"golang.org/x/text/unicode/norm"
)

// The bounds of a password in its NFC form: at least MinLength characters, at most MaxBytes.
const (
	MinLength = 10
	MaxBytes  = 1024
)

const (
	concurrent = 2
	maxQueued  = 32
	maxWait    = 2 * time.Second
)

// Params are the cost of a hash: argon2id's memory in KiB, its passes over the memory, and its lanes.
type Params struct {
	MemoryKiB, Iterations uint32
	Parallelism           uint8
}

// recommended are the parameters that OWASP recommends for argon2id.
var recommended = Params{MemoryKiB: 19 * 1024, Iterations: 2, Parallelism: 1}

// Hasher hashes and checks passwords. A process has one Hasher, because the bounds apply to the whole process. It is
// safe for concurrent use.
type Hasher struct {
	params argon2id.Params
	dummy  string // a hash of no known password with the same parameters
	slots  chan struct{}
	queued chan struct{}
}

// New returns a Hasher with the parameters that OWASP recommends.
func New() *Hasher { return WithParams(recommended) }

// WithParams returns a Hasher with other parameters. Tests save time with weak ones; the program uses New.
func WithParams(p Params) *Hasher {
	return &Hasher{
		params: argon2id.Params{Memory: p.MemoryKiB, Iterations: p.Iterations, Parallelism: p.Parallelism,
			SaltLength: 16, KeyLength: 32},
		dummy: fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$%s$%s", p.MemoryKiB, p.Iterations, p.Parallelism,
			strings.Repeat("A", 22), strings.Repeat("A", 43)),
		slots: make(chan struct{}, concurrent), queued: make(chan struct{}, concurrent+maxQueued),
	}
}

var (
	// ErrBusy says that too many passwords are being hashed. It may be tried again.
	ErrBusy = errors.New("password: too many passwords are being checked")
	// ErrShort says that a password has fewer than MinLength characters.
	ErrShort = fmt.Errorf("a password must have at least %d characters", MinLength)
	// ErrLong says that a password has more than MaxBytes bytes.
	ErrLong = fmt.Errorf("a password must have at most %d bytes", MaxBytes)
)

// acquire waits for a slot for at most maxWait. It returns ErrBusy when none is free by then, or when too many wait.
// The caller calls release once.
func (h *Hasher) acquire(ctx context.Context) (release func(), err error) {
	select {
	case h.queued <- struct{}{}:
	default:
		return nil, ErrBusy
	}
	timeout := time.NewTimer(maxWait)
	defer timeout.Stop()
	select {
	case h.slots <- struct{}{}:
		return func() { <-h.slots; <-h.queued }, nil
	case <-timeout.C:
		err = ErrBusy
	case <-ctx.Done():
		err = ctx.Err()
	}
	<-h.queued
	return nil, err
}

// CheckLength returns ErrShort or ErrLong for a password whose length is out of bounds.
func CheckLength(text string) error {
	text, complete := normal(text)
	switch {
	case !complete || len(text) > MaxBytes:
		return ErrLong
	case utf8.RuneCountInString(text) < MinLength:
		return ErrShort
	}
	return nil
}

// normal returns the NFC form of a password, in which the same characters are the same bytes on each system: some
// keyboards send an é as e and an accent. complete is false for a text that is longer than the bound in any form,
// whose beginning is returned.
func normal(text string) (form string, complete bool) {
	const most = 3 * MaxBytes // the longest text whose NFC form has MaxBytes
	complete = len(text) <= most
	return norm.NFC.String(text[:min(len(text), most)]), complete
}

// Hash returns the hash under which a password is stored. It refuses one whose length is out of bounds.
func (h *Hasher) Hash(ctx context.Context, text string) (string, error) {
	if err := CheckLength(text); err != nil {
		return "", err
	}
	release, err := h.acquire(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	text, _ = normal(text)
	return argon2id.CreateHash(text, &h.params)
}

// Check compares a password with a stored hash, and reports whether the hash is to be replaced: it was made with
// other parameters than the Hasher has, or of a password that is not in NFC. No password equals an empty hash; that
// comparison takes as long as another.
func (h *Hasher) Check(ctx context.Context, text, hash string) (equal, outdated bool, err error) {
	release, err := h.acquire(ctx)
	if err != nil {
		return false, false, err
	}
	defer release()
	possible := true
	if hash == "" {
		hash, possible = h.dummy, false
	}
	forms, complete := formsOf(text)
	var used *argon2id.Params
	for i := 0; i < len(forms) && !equal; i++ {
		if equal, used, err = argon2id.CheckHash(forms[i], hash); err != nil {
			return false, false, fmt.Errorf("password: the stored hash cannot be read: %w", err)
		}
		outdated = *used != h.params || equal && i > 0
	}
	return equal && possible && complete, outdated, nil
}

// formsOf returns the forms of a password of which a hash may be made: in NFC, and, by former versions, as it was
// typed. An ASCII password has one form, every other one at most three. complete is false for a password that is too
// long, which has one form: its beginning.
func formsOf(text string) (forms []string, complete bool) {
	form, complete := normal(text)
	if !complete || len(form) > MaxBytes {
		return []string{form[:min(len(form), MaxBytes)]}, false
	}
	forms = []string{form}
	for _, other := range []string{text, norm.NFD.String(text)} {
		if len(other) <= MaxBytes && !slices.Contains(forms, other) {
			forms = append(forms, other)
		}
	}
	return forms, true
}
